//! docent over HTTP: the MCP endpoint, the older SSE pair, authentication, health and metrics.
//!
//! Generic over the handler: it knows how MCP travels, not what docent answers. A request meets, in this order, the
//! guard (Host and Origin), the door (who is asking), the limits, the gate (is it a message at all) and then rmcp.
#![forbid(unsafe_code)]

mod auth;
mod body;
mod config;
mod error;
mod gate;
mod guard;
mod health;
mod host;
mod limits;
mod mcp_route;
mod media;
mod metrics;
mod patience;
mod reply;
mod server;
mod session_manager;
mod sessions;
mod sse;

pub use auth::{Auth, OAuthConfig, Token};
pub use config::{Limits, Probes, WebConfig};
pub use error::WebError;
pub use server::{router, serve};
