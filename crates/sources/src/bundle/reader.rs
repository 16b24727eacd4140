//! Reads a bundle: first the seal, then one entry after another, each checked as it comes and written into the folder, which
//! is emptied again if anything is wrong.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom};
use std::path::Path;
use std::time::{Duration, SystemTime};

use docent_index::ContentHash;
use flate2::bufread::GzDecoder;
use serde::Deserialize;

use super::card::Unreadable;
use super::{
    BundleCard, BundleCounts, CARD, CHECKSUMS, CHUNKS, CLAIMS, DOCUMENTS, LARGEST_JSON, LARGEST_LINES,
    MANIFEST_NAME, MANIFESTS, VECTORS, chunks, seal, vectors,
};
use crate::landing::{LARGEST_FILE, Landing, shown};
use crate::manifest::{self, clean};
use crate::tarball::{Damage, Entry, Kind, Tarball};
use crate::unpacked::{Counted, Unpacked};
use crate::{BundledVectors, Context, Fetched, SourceError};

type Input<'f> = Unpacked<GzDecoder<Counted<BufReader<io::Take<&'f File>>>>>;

/// Writes the documents and manifests of a bundle into the empty folder `into`.
pub(super) fn read(
    file: &File,
    what: &str,
    context: &Context<'_>,
    into: &Path,
) -> Result<Fetched, SourceError> {
    let mut reading = Reading {
        landing: Landing::new(into)?,
        counts: BundleCounts::default(),
        documents: Vec::new(),
        found: Vec::new(),
        vectors: None,
        modified: Vec::new(),
    };
    let card = reading.run(file, context).map_err(|stop| stop.into_error(what))?;
    for ((path, _), modified) in reading.documents.iter().zip(&reading.modified) {
        let time = u64::try_from(*modified)
            .ok()
            .and_then(|ms| SystemTime::UNIX_EPOCH.checked_add(Duration::from_millis(ms)));
        if let Some(time) = time {
            reading.landing.set_modified(path, time);
        }
    }
    let some = |text: Option<String>| text.map(|text| clean(&text)).filter(|text| !text.is_empty());
    Ok(Fetched {
        root: into.to_owned(),
        include: include(&reading.documents),
        name: some(Some(card.name)),
        version: some(card.version),
        description: some(card.description),
        metadata: card.metadata.iter().map(|(key, value)| (clean(key), clean(value))).collect(),
        vectors: reading.vectors,
        notes: reading.landing.finish(),
        revision: None,
    })
}

/// Patterns of the documents; none where all have the usual endings.
fn include(documents: &[(String, ContentHash)]) -> Vec<String> {
    use crate::selection::Selection;
    if documents.iter().all(|(path, _)| Selection::Usual.takes(path)) {
        return Vec::new();
    }
    documents.iter().map(|(path, _)| globset::escape(path)).collect()
}

/// What was read so far.
struct Reading {
    landing: Landing,
    counts: BundleCounts,
    documents: Vec<(String, ContentHash)>,
    /// Name and hash of every entry.
    found: Vec<(String, String)>,
    vectors: Option<BundledVectors>,
    modified: Vec<i64>,
}

/// Why reading ends early.
enum Stop {
    Damage(Damage),
    NoBundle,
    Newer(u64),
    Error(SourceError),
}

impl Stop {
    fn into_error(self, what: &str) -> SourceError {
        match self {
            Self::Damage(damage) if damage.is_limit => SourceError::failed(
                format!("{what} is not unpacked: {}", damage.what),
                "bundles as large as that are not read: whoever made it has to pack fewer or smaller documents",
            ),
            Self::Damage(damage) => SourceError::failed(
                format!("{what} is damaged: {}", damage.what),
                "get it again, or ask whoever made it for a new one",
            ),
            Self::NoBundle => {
                SourceError::failed(format!("{what} is not a bundle"), "bundles are made with docent pack")
            }
            Self::Newer(format) => SourceError::failed(
                format!(
                    "{what} was made by a newer docent: its format is {format}, and this one reads {}",
                    super::FORMAT
                ),
                "update docent",
            ),
            Self::Error(error) => error,
        }
    }
}

impl From<Damage> for Stop {
    fn from(damage: Damage) -> Self {
        Self::Damage(damage)
    }
}

impl From<SourceError> for Stop {
    fn from(error: SourceError) -> Self {
        Self::Error(error)
    }
}

impl From<io::Error> for Stop {
    fn from(error: io::Error) -> Self {
        Self::Damage(error.into())
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Checksums {
    count: usize,
    entries: Vec<(String, String)>,
}

impl Reading {
    fn run(&mut self, mut file: &File, context: &Context<'_>) -> Result<BundleCard, Stop> {
        let length = file.seek(SeekFrom::End(0))?;
        let Some(body) = length.checked_sub(seal::LENGTH) else { return Err(Stop::NoBundle) };
        let is_sealed = is_sealed(file, body)?;
        file.rewind()?;
        let (packed, count) = Counted::new(BufReader::with_capacity(64 << 10, file.take(body)));
        let mut tar = Tarball::new(Unpacked::new(GzDecoder::new(packed), count));
        let card = self.card(&mut tar)?;
        if !is_sealed {
            return Err(Damage::new("it was cut short or changed").into());
        }
        let mut last = (Part::Card, String::new());
        let mut is_done = false;
        while let Some(entry) = tar.next()? {
            context.go_on()?;
            let (part, path) = part_of(&entry)?;
            if is_done || (part, path.as_str()) <= (last.0, last.1.as_str()) {
                return Err(Damage::new(format!("{} is out of place", shown(&entry.path))).into());
            }
            is_done = part == Part::Checksums;
            self.entry(part, &path, &entry, &mut tar, &card)?;
            last = (part, path);
        }
        if !is_done {
            return Err(Damage::new("its checksums are missing").into());
        }
        if self.counts != card.counts || self.vectors.is_some() != card.model.is_some() {
            return Err(Damage::new("its content does not fit its card").into());
        }
        let mut packed = tar.into_inner().into_inner().into_inner().into_inner();
        if !packed.fill_buf()?.is_empty() {
            return Err(Damage::new("something follows its content").into());
        }
        Ok(card)
    }

    /// The card comes first, so that a newer format is known before anything else of it is looked at.
    fn card(&mut self, tar: &mut Tarball<Input<'_>>) -> Result<BundleCard, Stop> {
        let first = tar.next().map_err(|damage| match damage.what.contains("gzip header") {
            true => Stop::NoBundle,
            false => Stop::Damage(damage),
        })?;
        if !first.is_some_and(|entry| entry.path == CARD.as_bytes() && entry.kind == Kind::File) {
            return Err(Stop::NoBundle);
        }
        let bytes = tar.bytes(LARGEST_JSON)?;
        self.found.push((CARD.to_owned(), ContentHash::of(&bytes).to_hex()));
        BundleCard::from_json(&bytes).map_err(|unreadable| match unreadable {
            Unreadable::Newer(format) => Stop::Newer(format),
            Unreadable::Damaged(damage) => Stop::Damage(damage),
        })
    }

    fn entry(
        &mut self,
        part: Part,
        path: &str,
        entry: &Entry,
        tar: &mut Tarball<Input<'_>>,
        card: &BundleCard,
    ) -> Result<(), Stop> {
        let hash = match part {
            Part::Card => return Err(Damage::new("it has two cards").into()),
            Part::Manifest | Part::Document => self.file(part, path, tar)?,
            Part::Chunks => {
                let bytes = tar.bytes(LARGEST_LINES)?;
                (self.counts.chunks, self.modified) = chunks::read(&bytes, &self.documents)?;
                ContentHash::of(&bytes)
            }
            Part::Claims => ContentHash::of(&tar.bytes(LARGEST_LINES)?),
            Part::Vectors => self.vectors(entry.size, tar, card)?,
            Part::Checksums => {
                let listed: Checksums = serde_json::from_slice(&tar.bytes(LARGEST_JSON)?)
                    .map_err(|error| Damage::new(format!("its checksums cannot be read: {error}")))?;
                if listed.count != self.found.len() || listed.entries != self.found {
                    return Err(Damage::new("its checksums do not fit its content").into());
                }
                // Every bundle has them, and with them every document has its line.
                if !self.found.iter().any(|(name, _)| name == CHUNKS) {
                    return Err(Damage::new("its chunks are missing").into());
                }
                return Ok(());
            }
        };
        self.found.push((String::from_utf8_lossy(&entry.path).into_owned(), hash.to_hex()));
        Ok(())
    }

    fn file(&mut self, part: Part, path: &str, tar: &mut Tarball<Input<'_>>) -> Result<ContentHash, Stop> {
        self.landing.try_admit(path.as_bytes()).map_err(|refusal| {
            Damage::new(format!("{} cannot be used: {refusal}", shown(path.as_bytes())))
        })?;
        let is_manifest = path.rsplit('/').next() == Some(MANIFEST_NAME);
        let most = if part == Part::Manifest { manifest::LARGEST } else { LARGEST_FILE };
        let bytes = tar.bytes(most)?;
        let hash = ContentHash::of(&bytes);
        match part {
            Part::Manifest if is_manifest => self.counts.manifests += 1,
            Part::Document if !is_manifest => {
                self.counts.documents += 1;
                self.documents.push((path.to_owned(), hash));
            }
            _ => return Err(Damage::new(format!("{} is out of place", shown(path.as_bytes()))).into()),
        }
        self.landing.write(path, &bytes, None)?;
        Ok(hash)
    }

    fn vectors(
        &mut self,
        size: u64,
        tar: &mut Tarball<Input<'_>>,
        card: &BundleCard,
    ) -> Result<ContentHash, Stop> {
        let Some(model) = &card.model else {
            return Err(Damage::new("it has vectors and names no model").into());
        };
        let mut hasher = blake3::Hasher::new();
        let vectors = vectors::read(size, model, |buffer| {
            tar.read_exact(buffer)?;
            hasher.update(buffer);
            Ok(())
        })?;
        self.counts.vectors = vectors.len() as u64;
        self.vectors = Some(BundledVectors { model: model.id.clone(), vectors });
        Ok(ContentHash(*hasher.finalize().as_bytes()))
    }
}

/// The parts of a bundle, in their order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Part {
    Card,
    Manifest,
    Document,
    Chunks,
    Claims,
    Vectors,
    Checksums,
}

/// Which part an entry is, and its path within that part.
fn part_of(entry: &Entry) -> Result<(Part, String), Damage> {
    let wrong = || Damage::new(format!("{} does not belong in it", shown(&entry.path)));
    if entry.kind != Kind::File {
        return Err(wrong());
    }
    let name = std::str::from_utf8(&entry.path).map_err(|_| wrong())?;
    let part = match name {
        CARD => Part::Card,
        CHUNKS => Part::Chunks,
        CLAIMS => Part::Claims,
        VECTORS => Part::Vectors,
        CHECKSUMS => Part::Checksums,
        _ => {
            let manifest = name.strip_prefix(MANIFESTS).map(|path| (Part::Manifest, path));
            let found = manifest.or_else(|| name.strip_prefix(DOCUMENTS).map(|path| (Part::Document, path)));
            return found.map(|(part, path)| (part, path.to_owned())).ok_or_else(wrong);
        }
    };
    Ok((part, String::new()))
}

/// Whether the seal behind the first `body` bytes is theirs.
fn is_sealed(mut file: &File, body: u64) -> io::Result<bool> {
    file.rewind()?;
    let mut hasher = blake3::Hasher::new();
    hasher.update_reader(file.take(body))?;
    let mut found = Vec::new();
    file.take(seal::LENGTH + 1).read_to_end(&mut found)?;
    Ok(found == seal::of(&hasher.finalize()))
}
