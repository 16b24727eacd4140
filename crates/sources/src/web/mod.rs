//! What comes over HTTP.

mod address;

use std::path::Path;

pub(crate) use address::{Address, check_letters, credentials_in, is_host};

use crate::digest::Digest;
use crate::{Context, Outcome, SourceError};

pub(crate) struct Download {
    pub(crate) file: std::fs::File,
    pub(crate) digest: Digest,
}

pub(crate) fn download(
    _url: &str,
    _context: &Context<'_>,
    _expected: Option<Digest>,
) -> Result<Option<Download>, SourceError> {
    Err(SourceError::failed("not yet", "not yet"))
}

pub(crate) fn fetch_manifest(
    _url: &str,
    _context: &Context<'_>,
    _into: &Path,
) -> Result<Outcome, SourceError> {
    Err(SourceError::failed("not yet", "not yet"))
}
