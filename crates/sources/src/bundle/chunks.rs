//! The chunks of a bundle: one line of JSON for each document.
//!
//! They say how the documents were cut when the bundle was made. Whoever indexes the documents cuts them again; the lines are
//! for those who want to look things up in a bundle without an index, and tell when documents were last changed.

use std::io::{Read, Write};

use docent_index::ContentHash;
use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;
use serde::{Deserialize, Serialize};

use crate::tarball::Damage;

/// A chunk of a document.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChunkLine {
    /// Its id in the index that was packed.
    pub id: String,
    /// The headings that it stands under, the outermost first.
    pub headings: Vec<String>,
    /// First and last line in the document, counted from 1.
    pub lines: (u32, u32),
}

/// A document and its chunks.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct DocumentLine {
    pub(super) path: String,
    pub(super) hash: String,
    /// When it was last changed, in milliseconds since 1970.
    pub(super) modified: i64,
    pub(super) chunks: Vec<ChunkLine>,
}

/// Lines that wait until all documents are written, packed because there may be many.
#[derive(Debug)]
pub(super) struct Spool {
    packed: GzEncoder<Vec<u8>>,
    bytes: u64,
}

impl Spool {
    pub(super) fn new() -> Self {
        Self { packed: GzEncoder::new(Vec::new(), Compression::fast()), bytes: 0 }
    }

    pub(super) fn push(&mut self, line: &DocumentLine) -> std::io::Result<()> {
        let mut json = serde_json::to_vec(line)?;
        json.push(b'\n');
        self.bytes += json.len() as u64;
        self.packed.write_all(&json)
    }

    /// The length of all lines, and a reader of them.
    pub(super) fn finish(self) -> std::io::Result<(u64, impl Read)> {
        let packed = self.packed.finish()?;
        Ok((self.bytes, GzDecoder::new(std::io::Cursor::new(packed))))
    }
}

/// Reads the lines, which must be those of `documents` in the same order. Gives the number of chunks, and when each document
/// was last changed.
pub(super) fn read(bytes: &[u8], documents: &[(String, ContentHash)]) -> Result<(u64, Vec<i64>), Damage> {
    let wrong = || Damage::new("its list of chunks does not fit its documents");
    let text = match bytes.strip_suffix(b"\n") {
        Some(text) => text,
        None if bytes.is_empty() && documents.is_empty() => return Ok((0, Vec::new())),
        None => return Err(wrong()),
    };
    let mut lines = text.split(|byte| *byte == b'\n');
    let (mut chunks, mut modified) = (0, Vec::new());
    for (path, hash) in documents {
        let line = lines.next().ok_or_else(wrong)?;
        let line: DocumentLine = serde_json::from_slice(line)
            .map_err(|error| Damage::new(format!("its list of chunks cannot be read: {error}")))?;
        if line.path != *path || line.hash != hash.to_hex() {
            return Err(wrong());
        }
        chunks += line.chunks.len() as u64;
        modified.push(line.modified);
    }
    if lines.next().is_some() {
        return Err(wrong());
    }
    Ok((chunks, modified))
}
