//! Takes the documents of a set, one file after another: the same rules whether they come out of git or an archive.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use crate::landing::{LARGEST_FILE, Landing};
use crate::manifest::Manifest;
use crate::selection::Selection;
use crate::{Fetched, SourceError};

/// So many examples of missing files stand in a note.
const EXAMPLES: usize = 3;

/// A set of documents on its way into a folder.
#[derive(Debug)]
pub(crate) struct Intake {
    landing: Landing,
    selection: Selection,
    manifest: Option<Manifest>,
    root: PathBuf,
    /// Listed files that have not come yet.
    awaited: BTreeSet<String>,
}

impl Intake {
    /// Starts with the empty folder `into` and the manifest at the root of the set.
    pub(crate) fn new(into: &Path, manifest: Option<Manifest>) -> Result<Self, SourceError> {
        let selection = Selection::of(manifest.as_ref())?;
        let awaited = manifest.iter().flat_map(|manifest| manifest.files.iter().cloned()).collect();
        Ok(Self { landing: Landing::new(into)?, selection, manifest, root: into.to_owned(), awaited })
    }

    /// The path under which a file is taken; `None` if it is not a document, or cannot be taken, which is noted then.
    /// `obstacle` is why it could not even if it were one.
    pub(crate) fn admit<'p>(&mut self, path: &'p [u8], size: u64, obstacle: Option<&str>) -> Option<&'p str> {
        if !self.selection.takes(&String::from_utf8_lossy(path)) {
            return None;
        }
        if let Some(obstacle) = obstacle {
            self.landing.pass_over(path, obstacle);
            return None;
        }
        if size > LARGEST_FILE {
            self.landing.pass_over(path, &format!("larger than {} MiB", LARGEST_FILE >> 20));
            return None;
        }
        self.landing.admit(path)
    }

    /// Leaves out a file that was admitted.
    pub(crate) fn pass_over(&mut self, path: &str, reason: &str) {
        self.landing.pass_over(path.as_bytes(), reason);
    }

    /// Writes a file that was admitted, if it has the hash that the manifest asks for.
    pub(crate) fn take(
        &mut self,
        path: &str,
        bytes: &[u8],
        modified: Option<SystemTime>,
    ) -> Result<(), SourceError> {
        if let Some(digest) = self.manifest.as_ref().and_then(|manifest| manifest.hashes.get(path)) {
            digest.verify(bytes, path)?;
        }
        self.awaited.remove(path);
        self.landing.write(path, bytes, modified)
    }

    /// What came of it. A set without documents is an error.
    pub(crate) fn finish(self, what: &str) -> Result<Fetched, SourceError> {
        if self.landing.files() == 0 {
            let hint = match &self.manifest {
                Some(_) => "nothing in it fits the \"sources\" of its manifest.json",
                None => "documents end in .md, .markdown, .mdx, .mdown or .mkd",
            };
            return Err(SourceError::failed(format!("{what} has no documents"), hint));
        }
        let include = self.selection.include();
        let mut notes = self.landing.finish();
        if !self.awaited.is_empty() {
            let first: Vec<&str> = self.awaited.iter().take(EXAMPLES).map(String::as_str).collect();
            let more = if self.awaited.len() > EXAMPLES { ", …" } else { "" };
            let (count, first) = (self.awaited.len(), first.join(", "));
            notes.push(format!("{count} of the files that manifest.json lists did not come: {first}{more}"));
        }
        let manifest = self.manifest.unwrap_or_default();
        Ok(Fetched {
            root: self.root,
            include,
            name: manifest.name,
            version: manifest.version,
            description: manifest.description,
            metadata: manifest.metadata,
            notes,
            ..Fetched::default()
        })
    }
}
