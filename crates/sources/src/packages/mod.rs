//! Documentation of what is installed on this machine: crates, npm and Python packages, manual pages.
//!
//! Everything is found and read as files; no package manager and no code of a package runs. Each kind says which texts a
//! package has and turns them into pages; what they share (where things are, safe reading and writing) is in
//! `places`, `files` and `pages`.

mod files;
mod man;
mod npm;
mod pages;
mod places;
mod pypi;
mod python_metadata;
mod rust_archive;
mod rust_crate;

use std::path::Path;

use crate::{Context, Outcome, Package, SourceError};
use places::Places;

/// Writes the documentation of a package into the empty folder `into`.
pub(crate) fn fetch(package: &Package, context: &Context<'_>, into: &Path) -> Result<Outcome, SourceError> {
    let places = Places::of_this_machine(context.project);
    fetch_from(&places, package, context, into)
}

/// As [`fetch`], with the places to look at given.
fn fetch_from(
    places: &Places,
    package: &Package,
    context: &Context<'_>,
    into: &Path,
) -> Result<Outcome, SourceError> {
    match package {
        Package::RustCrate { name, version } => {
            rust_crate::fetch(places, name, version.as_deref(), context, into)
        }
        Package::Npm(name) => npm::fetch(places, name, context, into),
        Package::PyPi(name) => pypi::fetch(places, name, context, into),
        Package::Man(wanted) => man::fetch(places, wanted, context, into),
    }
}

#[cfg(test)]
mod tests;
