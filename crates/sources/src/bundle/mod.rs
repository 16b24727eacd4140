//! Bundles.
use std::path::Path;

use crate::{Context, Outcome, Place, SourceError};

pub(crate) fn fetch(_place: &Place, _context: &Context<'_>, _into: &Path) -> Result<Outcome, SourceError> {
    Err(SourceError::failed("not yet", "not yet"))
}
