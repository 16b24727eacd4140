//! Reads an opened file as a whole: at most so much, and only if it stays the same meanwhile.

use std::fs::{File, Metadata};
use std::io::Read;
use std::time::UNIX_EPOCH;

use super::{Place, names, open};
use crate::LibraryError;

/// What was in a file.
pub(crate) struct Contents {
    pub(crate) bytes: Vec<u8>,
    /// When it last changed, in milliseconds since 1970.
    pub(crate) modified_ms: Option<i64>,
}

/// How much of a file tells what it is.
const HEAD: u64 = 8 << 10;

impl Place {
    /// The first bytes of the file.
    pub(crate) fn head(&self) -> Result<Vec<u8>, LibraryError> {
        let mut bytes = Vec::new();
        let read = self.open_file()?.take(HEAD).read_to_end(&mut bytes);
        read.map(|_| bytes).map_err(|error| open::unreadable(&self.asked, &error))
    }

    /// Reads the file, if it has at most `most` bytes.
    pub(crate) fn read(&self, most: u64) -> Result<Contents, LibraryError> {
        let mut file = self.open_file()?;
        let unreadable = |error: std::io::Error| open::unreadable(&self.asked, &error);
        let before = file.metadata().map_err(unreadable)?;
        if before.len() > most {
            return Err(too_large(&self.asked, before.len(), most));
        }
        let mut bytes = Vec::with_capacity(usize::try_from(before.len()).unwrap_or(0));
        // The cap is on bytes, not on the end of the file: somebody may append for ever.
        file.by_ref().take(most.saturating_add(1)).read_to_end(&mut bytes).map_err(unreadable)?;
        if has_changed(&before, &file, bytes.len()) {
            return Err(LibraryError {
                message: format!("{} changed while it was read", super::shown(&self.asked)),
                hint: "try again when nobody writes to it".to_owned(),
            });
        }
        // A file that was named itself was named on purpose.
        let is_chosen = self.below.as_os_str().is_empty();
        if let Some(reason) = names::refusal_of_content(&bytes).filter(|_| !is_chosen) {
            return Err(super::not_a_document(&self.asked, reason));
        }
        Ok(Contents { bytes, modified_ms: modified_ms(&before) })
    }
}

/// The refusal of what is too large.
pub(crate) fn too_large(name: &str, size: u64, most: u64) -> LibraryError {
    LibraryError {
        message: format!("{} has {size} bytes, at most {most} are read", super::shown(name)),
        hint: "split it, or raise library.max_bytes in docent.toml".to_owned(),
    }
}

fn has_changed(before: &Metadata, file: &File, read: usize) -> bool {
    let is_same = |after: Metadata| {
        after.len() == before.len()
            && after.modified().ok() == before.modified().ok()
            && after.len() == read as u64
    };
    !file.metadata().is_ok_and(is_same)
}

fn modified_ms(metadata: &Metadata) -> Option<i64> {
    let age = metadata.modified().ok()?.duration_since(UNIX_EPOCH).ok()?;
    i64::try_from(age.as_millis()).ok()
}
