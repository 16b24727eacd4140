//! Brings sets of documents onto this machine: from git, from the web, out of archives and bundles, and from packages
//! that are installed here.
//!
//! [`Spec`] says what a user wrote after `docent add NAME`. [`fetch`] writes its documents into an empty folder, from which
//! they are indexed like any other folder; nothing of a source is ever executed, and nothing is written outside that folder.
//! [`bundle`] is the other direction: an indexed set of documents becomes one file.
#![forbid(unsafe_code)]

mod archive;
pub mod bundle;
mod credentials;
mod digest;
mod error;
mod fetched;
mod git;
mod intake;
mod landing;
mod lock;
mod manifest;
mod names;
mod packages;
pub mod pages;
mod parse;
mod selection;
mod spec;
mod tarball;
mod unpacked;
mod web;

pub use credentials::without_credentials;
pub use error::SourceError;
pub use fetched::{BundledVectors, Context, Fetched, Outcome, fetch};
pub use spec::{Package, Place, Spec};
