//! What is common to everything that is taken in: known already? converted, described, handed to the engine.

use std::time::{SystemTime, UNIX_EPOCH};

use docent_convert::{Converted, Format};
use docent_engine::{Became, Cancel, Details, Handed, LibraryDocument};
use docent_sources::pages::PageValidators;
use sha2::{Digest, Sha256};

use crate::library::{Into, Library};
use crate::{LibraryError, Receipt, Status, file_types};

/// Longest title that is kept.
const MAX_TITLE: usize = 200;

/// What is said when only the metadata is new.
const UNCHANGED_METADATA: &str = "the metadata was not changed because the content is the same; to change it, \
    delete the document and ingest it again, or use `docent ingest --force`";

/// Something that was found and read.
pub(crate) struct Found {
    /// What it is known by.
    pub(crate) source: String,
    /// The name that says what it is, and from which relative links are resolved.
    pub(crate) name: String,
    pub(crate) bytes: Vec<u8>,
    /// SHA-256 of the bytes as they came, where those here are others.
    pub(crate) sha256: String,
    pub(crate) modified_ms: Option<i64>,
    pub(crate) validators: PageValidators,
}

impl Found {
    pub(crate) fn new(source: &str, bytes: Vec<u8>) -> Self {
        Self {
            source: source.to_owned(),
            name: source.to_owned(),
            sha256: sha256(&bytes),
            bytes,
            modified_ms: None,
            validators: PageValidators::default(),
        }
    }
}

impl Library {
    /// Converts what was found and keeps it, unless it is here already.
    pub(crate) fn take(&self, found: Found, into: &Into, cancel: &Cancel) -> Result<Receipt, LibraryError> {
        let known = self.engine.handed(&into.library, &found.source)?;
        if let Some(known) =
            known.as_ref().filter(|known| !into.force && known.details.sha256 == found.sha256)
        {
            return Ok(skipped(known, into));
        }
        // What the engine says of a failure, it says for itself.
        let stays = if known.is_some() { "; the earlier version stays" } else { "" };
        let Found { source, name, bytes, sha256, modified_ms, validators } = found;
        let converted = self.converted(bytes, &name, cancel).map_err(|error| LibraryError {
            message: format!("{source}: {}{stays}", error.message),
            ..error
        })?;
        let pages = converted.origins.iter().filter_map(|origin| Some((origin.line, origin.page?)));
        let handed = Handed {
            library: into.library.clone(),
            source: source.clone(),
            pages: pages.collect(),
            title: converted.title.map(|title| title.chars().take(MAX_TITLE).collect()),
            details: Details {
                file_type: converted.format.extension().to_owned(),
                sha256,
                last_modified_ms: modified_ms,
                created_ms: 0,
                metadata: into.metadata.clone(),
                etag: validators.etag,
                http_last_modified: validators.last_modified,
                notes: converted.notes.clone(),
            },
            markdown: converted.markdown,
            force: into.force,
        };
        let taken = self.engine.take_in(handed, cancel)?;
        Ok(Receipt {
            status: match taken.became {
                Became::New => Status::Indexed,
                Became::Replaced => Status::Replaced,
                Became::Unchanged => Status::Skipped,
            },
            doc_id: taken.uuid,
            source,
            library: into.library.clone(),
            chunk_count: taken.chunk_count,
            notes: converted.notes,
        })
    }

    /// A file without any text has nothing to convert: that is fine for a text, and an error for everything else.
    fn converted(&self, bytes: Vec<u8>, name: &str, cancel: &Cancel) -> Result<Converted, LibraryError> {
        let is_empty = std::str::from_utf8(&bytes).is_ok_and(|text| text.trim().is_empty());
        if is_empty && file_types::is_plain_text(name) {
            return Ok(Converted {
                markdown: String::new(),
                title: None,
                origins: Vec::new(),
                format: if file_types::extension(name).starts_with('m') {
                    Format::Markdown
                } else {
                    Format::Text
                },
                notes: vec!["the file is empty".to_owned()],
            });
        }
        self.converter.convert(bytes, name, cancel)
    }
}

/// The receipt of what is here already. Whoever says something else of it than before is told that nothing was written.
pub(crate) fn skipped(known: &LibraryDocument, into: &Into) -> Receipt {
    let is_same = into.metadata.is_empty() || into.metadata == known.details.metadata;
    let notes = if is_same { Vec::new() } else { vec![UNCHANGED_METADATA.to_owned()] };
    Receipt {
        status: Status::Skipped,
        doc_id: known.record.uuid.clone(),
        source: known.record.path.clone(),
        library: known.record.collection.clone(),
        chunk_count: usize::try_from(known.record.chunk_count).unwrap_or(usize::MAX),
        notes,
    }
}

pub(crate) fn sha256(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Now, in milliseconds since 1970.
pub(crate) fn now_ms() -> i64 {
    let age = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(age.as_millis()).unwrap_or(i64::MAX)
}
