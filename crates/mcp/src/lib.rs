//! The tools, resources and prompts of docent in the Model Context Protocol, and the stdio transport.
//!
//! A translation layer: it knows the protocol and the specifications of the tools, and leaves all thinking to the engine. Start
//! at `table` for the tools and at `server` for the protocol.
#![forbid(unsafe_code)]

mod args;
mod budget;
mod call;
mod caller;
mod calling;
mod collections;
mod decimal;
mod docs;
mod facets;
mod first_pass;
pub mod frame;
mod health;
mod instructions;
mod library;
mod listing;
mod metrics;
mod notices;
mod offer;
mod prompts;
mod query;
mod reach;
mod reference;
mod resources;
mod schema;
mod server;
mod shared;
mod stdio;
mod table;
mod uri;
mod verification;
mod view;
mod writing;

pub use caller::{Caller, Scope, check_scope};
pub use metrics::Metrics;
pub use prompts::Template;
pub use reference::reference;
pub use server::{DocsServer, ServerOptions};
pub use stdio::{serve, serve_stdio};
pub use table::{Choice, Toolset};
