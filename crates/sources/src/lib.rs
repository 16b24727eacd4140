//! Brings sets of documents onto this machine: from git, from the web, out of archives and bundles, and from packages
//! that are installed here.
//!
//! [`Spec`] says what a user wrote after `docent add NAME`. [`fetch`] writes its documents into an empty folder, from which
//! they are indexed like any other folder; nothing of a source is ever executed, and nothing is written outside that folder.
#![forbid(unsafe_code)]

mod error;
mod fetched;
mod packages;
mod spec;

pub use error::SourceError;
pub use fetched::{BundledVectors, Context, Fetched, Outcome, fetch};
pub use spec::{Package, Place, Spec};
