//! What comes over HTTP: archives and bundles as one file, and sets of documents by their manifest.

mod address;
mod body;
mod cache;
mod client;
mod listed;
mod reach;
mod transfer;
mod trouble;

use std::fs::{File, OpenOptions};

pub(crate) use address::{Address, check_letters, credentials_in, is_host};
pub(crate) use body::{header, stated_length, unpacked};
use cache::{Kept, Note};
use client::{Client, Validators};
pub(crate) use client::{MOST_HOPS, Patience};
pub(crate) use listed::fetch as fetch_manifest;
pub(crate) use reach::is_public;
use transfer::{Brought, Job, bring};
pub(crate) use trouble::Trouble;

use crate::digest::{self, Digest};
use crate::lock::cache_failed;
use crate::{Context, SourceError};

/// Largest archive or bundle.
const LARGEST_DOWNLOAD: u64 = 2 << 30;

/// A file that was downloaded and has the hash that it must have. It is gone when it is closed.
#[derive(Debug)]
pub(crate) struct Download {
    pub(crate) file: File,
    pub(crate) digest: Digest,
}

/// Downloads a file; `None` if it still is the one that is known.
pub(crate) fn download(
    url: &str,
    context: &Context<'_>,
    expected: Option<Digest>,
) -> Result<Option<Download>, SourceError> {
    let address = Address::parse(url)?;
    let mut kept = Kept::open(url, context)?;
    // The server is asked whether anything changed only if what is known is what should be there.
    let is_known = |note: &Note| {
        context.known_revision == Some(&note.hash)
            && expected.is_none_or(|digest| digest.to_string() == note.hash)
    };
    let known = kept.note(url).filter(is_known).map(|note| note.validators).unwrap_or_default();
    let path = kept.path("download");
    let failed = |error| cache_failed(&path, &error);
    let file = OpenOptions::new().read(true).write(true).create(true).truncate(true).open(&path);
    let file = file.map_err(failed)?;
    // From here on it lives as long as it is open.
    std::fs::remove_file(&path).map_err(failed)?;
    let job = Job { address: address.clone(), known, most: LARGEST_DOWNLOAD, file: Some(file) };
    let mut downloaded: Option<(File, Validators)> = None;
    bring(Client::new(&address, Patience::default()), vec![job], context, |_, brought| {
        if let Brought::File(file, validators) = brought {
            downloaded = Some((file, validators));
        }
        Ok(())
    })?;
    let Some((mut file, validators)) = downloaded else { return Ok(None) };
    std::io::Seek::rewind(&mut file).map_err(failed)?;
    let digest = digest::verify_file(&file, expected, url)?;
    kept.keep_note(url, &Note { validators, hash: digest.to_string(), answered: None })?;
    Ok(Some(Download { file, digest }))
}
