//! Documentation of what is installed on this machine.

use std::path::Path;

use crate::{Context, Outcome, Package, SourceError};

/// Writes the documentation of `package` into the empty folder `into`.
pub(crate) fn fetch(package: &Package, _context: &Context<'_>, _into: &Path) -> Result<Outcome, SourceError> {
    Err(SourceError::failed(
        format!("{} cannot be fetched yet", crate::Spec::Package(package.clone())),
        "add a folder, a repository or an archive",
    ))
}
