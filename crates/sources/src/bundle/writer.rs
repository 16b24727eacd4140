//! Writes a bundle as a stream: documents go through one at a time, and only paths, hashes and packed lines are kept.
//!
//! Entries have to come in the order of the format, each kind by ascending path; anything else is an error of the caller that
//! is found here rather than by whoever reads the bundle.

use std::io::{self, Read, Write};

use docent_index::{ContentHash, PassageHash, QuantisedVector};
use flate2::write::GzEncoder;
use flate2::{Compression, GzBuilder};
use serde::Serialize;

use super::chunks::{ChunkLine, DocumentLine, Spool};
use super::container::{Body, Hashed, write_head};
use super::{
    BundleCard, BundleCounts, BundleModel, CARD, CHECKSUMS, CHUNKS, DOCUMENTS, LARGEST_LINES, MANIFEST_NAME,
    MANIFESTS, VECTORS, seal, vectors,
};
use crate::landing::{LARGEST_FILE, shown};
use crate::names::{self, Names};
use crate::tarball::MOST_ENTRIES;
use crate::unpacked::MOST_BYTES;
use crate::{SourceError, manifest};

/// What was written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BundleSummary {
    /// BLAKE3 of the file, as `blake3:…`.
    pub hash: String,
    /// Bytes of the file.
    pub bytes: u64,
    /// How much is in it.
    pub counts: BundleCounts,
}

/// A bundle that is being written.
#[derive(Debug)]
pub struct Writer<W: Write> {
    out: GzEncoder<Hashed<W>>,
    card: BundleCard,
    counts: BundleCounts,
    /// Bytes before packing.
    unpacked: u64,
    names: Names,
    /// Name of the last entry; they ascend within their kind.
    last: String,
    /// Gone once they are written.
    spool: Option<Spool>,
    checksums: Vec<(String, String)>,
    has_vectors: bool,
}

#[derive(Serialize)]
struct Checksums<'c> {
    count: usize,
    entries: &'c [(String, String)],
}

impl<W: Write> Writer<W> {
    /// Starts a bundle. The counts of the card are compared with what comes when it is finished.
    pub fn create(out: W, card: &BundleCard) -> Result<Self, SourceError> {
        let out = Hashed::new(out);
        let mut writer = Self {
            out: GzBuilder::new().mtime(0).operating_system(255).write(out, Compression::default()),
            card: card.clone(),
            counts: BundleCounts::default(),
            unpacked: 0,
            names: Names::default(),
            last: String::new(),
            spool: Some(Spool::new()),
            checksums: Vec::new(),
            has_vectors: false,
        };
        let json = card.to_json();
        writer.entry(CARD, json.len() as u64, json.as_slice())?;
        Ok(writer)
    }

    /// Adds what authors say about the documents of a folder; `path` ends in `.docs-mcp.json`.
    pub fn manifest(&mut self, path: &str, text: &str) -> Result<(), SourceError> {
        if path.rsplit('/').next() != Some(MANIFEST_NAME) || text.len() as u64 > manifest::LARGEST {
            return Err(unfit(&format!("{path} is not a {MANIFEST_NAME} of a usual size")));
        }
        if self.counts.documents > 0 {
            return Err(unfit(&format!("{path} comes after the first document")));
        }
        self.take(MANIFESTS, path)?;
        self.counts.manifests += 1;
        self.entry(&format!("{MANIFESTS}{path}"), text.len() as u64, text.as_bytes())
    }

    /// Adds a document that was last changed at `mtime_ms`, in milliseconds since 1970.
    pub fn document(
        &mut self,
        path: &str,
        bytes: &[u8],
        mtime_ms: i64,
        chunks: &[ChunkLine],
    ) -> Result<(), SourceError> {
        if bytes.len() as u64 > LARGEST_FILE {
            return Err(unfit(&format!("{path} is larger than {} MiB", LARGEST_FILE >> 20)));
        }
        self.take(DOCUMENTS, path)?;
        let line = DocumentLine {
            path: path.to_owned(),
            hash: ContentHash::of(bytes).to_hex(),
            modified: mtime_ms,
            chunks: chunks.to_vec(),
        };
        match &mut self.spool {
            Some(spool) => spool.push(&line).map_err(|error| failed(&error))?,
            None => return Err(unfit(&format!("{path} comes after the vectors"))),
        }
        self.counts.documents += 1;
        self.counts.chunks += chunks.len() as u64;
        self.entry(&format!("{DOCUMENTS}{path}"), bytes.len() as u64, bytes)
    }

    /// Adds the vectors of all passages, by ascending hash.
    pub fn vectors(
        &mut self,
        model: &BundleModel,
        passages: impl IntoIterator<Item = (PassageHash, QuantisedVector), IntoIter: ExactSizeIterator>,
    ) -> Result<(), SourceError> {
        if self.card.model.as_ref() != Some(model) || self.has_vectors {
            return Err(unfit("the vectors are not those of the model that the card names"));
        }
        self.chunks()?;
        let passages = passages.into_iter();
        self.counts.vectors = passages.len() as u64;
        let header = vectors::header(model, self.counts.vectors).map_err(|error| failed(&error))?;
        let size = header.len() as u64 + self.counts.vectors.saturating_mul(vectors::record_length(model));
        self.begin(VECTORS, size)?;
        let mut body = Body::new(&mut self.out);
        let mut last = None;
        let mut written = body.write_all(&header);
        for (hash, vector) in passages {
            if vector.values.len() != model.dimensions as usize || last >= Some(hash) {
                return Err(unfit("the vectors are not in order or not of the same length"));
            }
            last = Some(hash);
            written = written.and_then(|()| vectors::write(&mut body, &hash, &vector));
        }
        let (hash, bytes) = body.finish();
        written.map_err(|error| failed(&error))?;
        self.has_vectors = true;
        self.end(VECTORS, size, bytes, &hash)
    }

    /// Finishes the bundle and flushes what it was written to.
    pub fn finish(mut self) -> Result<BundleSummary, SourceError> {
        self.chunks()?;
        if self.card.model.is_some() != self.has_vectors {
            return Err(unfit("the card names a model, and there are no vectors"));
        }
        if self.counts != self.card.counts {
            let (counts, card) = (self.counts, self.card.counts);
            return Err(unfit(&format!("the card announces {card:?}, and there are {counts:?}")));
        }
        let entries = std::mem::take(&mut self.checksums);
        let checksums = Checksums { count: entries.len(), entries: &entries };
        let mut json = serde_json::to_vec(&checksums).unwrap_or_default();
        json.push(b'\n');
        self.entry(CHECKSUMS, json.len() as u64, json.as_slice())?;
        let written = self.out.write_all(&[0; 1024]).and_then(|()| self.out.finish());
        let mut out = written.map_err(|error| failed(&error))?;
        let seal = seal::of(&out.hasher.finalize());
        out.write_all(&seal).and_then(|()| out.flush()).map_err(|error| failed(&error))?;
        let hash = format!("blake3:{}", out.hasher.finalize().to_hex());
        Ok(BundleSummary { hash, bytes: out.bytes, counts: self.counts })
    }

    /// Checks the path of an entry, and that it follows the one before.
    fn take(&mut self, kind: &str, path: &str) -> Result<(), SourceError> {
        let checked = names::check(path.as_bytes()).and_then(|path| self.names.take(path));
        checked.map_err(|refusal| {
            let message = format!("{} cannot be in a bundle: {refusal}", shown(path.as_bytes()));
            SourceError::failed(message, "rename the document, or leave it out of what is indexed")
        })?;
        let name = format!("{kind}{path}");
        if self.last.starts_with(kind) && self.last >= name {
            return Err(unfit(&format!("{path} is not in order")));
        }
        self.last = name;
        Ok(())
    }

    /// Writes the lines of the chunks, once.
    fn chunks(&mut self) -> Result<(), SourceError> {
        let Some(spool) = self.spool.take() else { return Ok(()) };
        let (size, lines) = spool.finish().map_err(|error| failed(&error))?;
        if size > LARGEST_LINES {
            return Err(unfit("it has too many chunks"));
        }
        self.entry(CHUNKS, size, lines)
    }

    fn entry(&mut self, name: &str, size: u64, mut content: impl Read) -> Result<(), SourceError> {
        self.begin(name, size)?;
        let mut body = Body::new(&mut self.out);
        let copied = io::copy(&mut content, &mut body);
        let (hash, bytes) = body.finish();
        copied.map_err(|error| failed(&error))?;
        self.end(name, size, bytes, &hash)
    }

    fn begin(&mut self, name: &str, size: u64) -> Result<(), SourceError> {
        self.unpacked += size + 2048;
        if self.unpacked > MOST_BYTES || self.checksums.len() as u64 >= MOST_ENTRIES {
            let message = "the documents are too many for one bundle";
            return Err(SourceError::failed(message, "pack them in several bundles"));
        }
        write_head(&mut self.out, name, size).map_err(|error| failed(&error))
    }

    fn end(&mut self, name: &str, size: u64, written: u64, hash: &blake3::Hash) -> Result<(), SourceError> {
        if size != written {
            return Err(unfit(&format!("{name} has {written} bytes instead of {size}")));
        }
        let padding = usize::try_from(size.next_multiple_of(512) - size).unwrap_or_default();
        let zeros = [0; 512];
        let padding = zeros.get(..padding).unwrap_or_default();
        self.out.write_all(padding).map_err(|error| failed(&error))?;
        self.checksums.push((name.to_owned(), hash.to_hex().to_string()));
        Ok(())
    }
}

fn failed(error: &io::Error) -> SourceError {
    let hint = "check that the place can be written and that the disk has room";
    SourceError::failed(format!("the bundle cannot be written: {error}"), hint)
}

fn unfit(what: &str) -> SourceError {
    SourceError::failed(
        format!("this cannot be packed: {what}"),
        "index the documents again, and try once more",
    )
}
