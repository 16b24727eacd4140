//! Test only: docent's HTTP router with the fixture tools of the MCP conformance suite.
#![forbid(unsafe_code)]

fn main() {}
