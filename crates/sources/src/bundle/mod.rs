//! Bundles: an indexed set of documents as one file, which `docent pack` writes and `docent add` reads.
//!
//! A `.docent` is a gzip'd tar, so that `tar tzf` shows what is in it. Its entries, in this order:
//!
//! | entry | what |
//! |---|---|
//! | `docent-bundle.json` | number of the format, and the [`BundleCard`] |
//! | `manifests/…` | what authors say about the documents of a folder, by path |
//! | `documents/…` | the documents, byte for byte, by path |
//! | `chunks.jsonl` | a line for each document: its path and hash, and its chunks |
//! | `claims.jsonl` | reserved, and read over |
//! | `vectors.bin` | the vectors of all passages, if there is a model |
//! | `checksums.json` | BLAKE3 of every entry before it |
//!
//! Behind it stands a seal: a second, empty member of gzip with the BLAKE3 of the first in its header. Unpackers pass over
//! it; a reader notices any change of the file by it, also one that unpacks to the same. It proves that a file is whole, not
//! who made it: for that, compare the hash of the file with one from a place you trust.
//!
//! The same input gives the same bytes. Reading checks everything and leaves nothing behind when something is wrong.

mod card;
mod chunks;
mod container;
mod reader;
mod seal;
mod vectors;
mod writer;

use std::path::Path;

pub use card::{BundleCard, BundleCounts, BundleModel};
pub use chunks::ChunkLine;
pub use writer::{BundleSummary, Writer};

use crate::{Context, Outcome, Place, SourceError, archive, digest, web};

/// The format that is written, and the newest that is read.
const FORMAT: u64 = 1;
const CARD: &str = "docent-bundle.json";
const MANIFESTS: &str = "manifests/";
const DOCUMENTS: &str = "documents/";
const CHUNKS: &str = "chunks.jsonl";
const CLAIMS: &str = "claims.jsonl";
const VECTORS: &str = "vectors.bin";
const CHECKSUMS: &str = "checksums.json";
/// Name of the files below `manifests/`.
const MANIFEST_NAME: &str = ".docs-mcp.json";

/// Largest manifest, card or list of checksums.
const LARGEST_JSON: u64 = 64 << 20;
/// Largest list of chunks or claims.
const LARGEST_LINES: u64 = 512 << 20;

/// Writes the documents of the bundle at `place` into the empty folder `into`.
pub(crate) fn fetch(place: &Place, context: &Context<'_>, into: &Path) -> Result<Outcome, SourceError> {
    let expected = digest::expected(context.expected_hash)?;
    let (file, digest) = match place {
        Place::Path(path) => archive::open(path, expected)?,
        Place::Url(url) => match web::download(url, context, expected)? {
            Some(download) => (download.file, download.digest),
            None => return Ok(Outcome::Unchanged),
        },
    };
    let revision = digest.to_string();
    if context.known_revision == Some(&revision) {
        return Ok(Outcome::Unchanged);
    }
    let mut fetched = reader::read(&file, &place.to_string(), context, into)?;
    fetched.revision = Some(revision);
    Ok(Outcome::Fetched(Box::new(fetched)))
}
