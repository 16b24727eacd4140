//! docent over HTTP: the MCP endpoint, the older SSE pair, authentication, health and metrics.
#![forbid(unsafe_code)]
