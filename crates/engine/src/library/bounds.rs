//! What can be kept: a document with a source, of a length that an index bears.

use super::{Handed, check_library_name};
use crate::EngineError;

/// Longest text of a document, in bytes. Twice as long a text of nothing but different words takes more than ten seconds and
/// a quarter of a gigabyte.
pub const MAX_HANDED_BYTES: usize = 8 << 20;

/// Most pages of a document: each becomes a chunk at least.
pub const MAX_HANDED_PAGES: usize = 50_000;

/// Longest source, in bytes.
const MAX_SOURCE_BYTES: usize = 8 * 1024;
/// What a caller may say of a document, in bytes of JSON: it is held in memory for every document.
const MAX_METADATA_BYTES: usize = 64 * 1024;

/// Refuses what is too long or comes from nowhere.
pub(super) fn check(handed: &Handed) -> Result<(), EngineError> {
    check_library_name(&handed.library)?;
    let source = &handed.source;
    if source.trim().is_empty() || source.len() > MAX_SOURCE_BYTES || source.contains('\0') {
        return Err(EngineError::usage(
            format!(
                "a document needs a source of 1 to {MAX_SOURCE_BYTES} bytes: a path, an address or a name"
            ),
            "say where the document comes from",
        ));
    }
    let (bytes, pages) = (handed.markdown.len(), handed.pages.len());
    let too_long = |what: String| {
        let hint = "take a part of it in: split the file, or leave out what is not for reading";
        Err(EngineError::usage(format!("{source} has {what}"), hint))
    };
    if bytes > MAX_HANDED_BYTES {
        return too_long(format!("{bytes} bytes of text, and the limit is {MAX_HANDED_BYTES}"));
    }
    if pages > MAX_HANDED_PAGES {
        return too_long(format!("{pages} pages, and the limit is {MAX_HANDED_PAGES}"));
    }
    let bytes = serde_json::to_string(&handed.details.metadata).map_or(0, |text| text.len());
    if bytes > MAX_METADATA_BYTES {
        return Err(EngineError::usage(
            format!("the metadata of {source} has {bytes} bytes, and the limit is {MAX_METADATA_BYTES}"),
            "keep what you want to filter by, and leave the rest out",
        ));
    }
    Ok(())
}
