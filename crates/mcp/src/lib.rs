//! The tools, resources and prompts of docent in the Model Context Protocol, and the stdio transport.
//!
//! A translation layer: it knows the protocol and the specifications of the tools, and leaves all thinking to the engine.
#![forbid(unsafe_code)]

mod caller;
pub mod frame;

pub use caller::{Caller, Scope};
