//! Files that came before, with what the server said about them, so that the next time only what changed is sent.
//!
//! A folder for each source. Nothing in it is trusted: a body counts only if it still has the hash that was noted.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::client::Validators;
use crate::digest::Digest;
use crate::lock::{Turn, cache_failed};
use crate::{Context, SourceError};

/// The kept files of one source; nobody else uses them at the same time.
#[derive(Debug)]
pub(super) struct Kept {
    folder: PathBuf,
    used: BTreeSet<String>,
    _turn: Turn,
}

/// A note about a file.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Note {
    pub(super) validators: Validators,
    /// BLAKE3 of the body.
    pub(super) hash: String,
    /// Where it came from in the end, if the server redirected.
    #[serde(default)]
    pub(super) answered: Option<String>,
}

impl Kept {
    /// Opens the folder of the source at `url`.
    pub(super) fn open(url: &str, context: &Context<'_>) -> Result<Self, SourceError> {
        let folder = context.cache.join("web").join(key(url));
        fs::create_dir_all(&folder).map_err(|error| cache_failed(&folder, &error))?;
        let turn = Turn::wait(&folder.with_extension("lock"), context)?;
        Ok(Self { folder, used: BTreeSet::new(), _turn: turn })
    }

    /// A file of its own in this folder.
    pub(super) fn path(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    /// What is noted about the file at `url`.
    pub(super) fn note(&mut self, url: &str) -> Option<Note> {
        self.used.insert(key(url));
        serde_json::from_slice(&fs::read(self.path(&format!("{}.json", key(url)))).ok()?).ok()
    }

    /// The body that was kept of `url`, if it is still the one that was noted.
    pub(super) fn body(&mut self, url: &str) -> Option<(Note, Vec<u8>)> {
        let note = self.note(url)?;
        let bytes = fs::read(self.path(&format!("{}.body", key(url)))).ok()?;
        (Digest::blake3_of(&bytes).to_string() == note.hash).then_some((note, bytes))
    }

    /// Keeps a body.
    pub(super) fn keep(
        &mut self,
        url: &str,
        bytes: &[u8],
        validators: Validators,
        answered: Option<String>,
    ) -> Result<(), SourceError> {
        self.write(&format!("{}.body", key(url)), bytes)?;
        let hash = Digest::blake3_of(bytes).to_string();
        self.keep_note(url, &Note { validators, hash, answered })
    }

    /// Keeps a note alone.
    pub(super) fn keep_note(&mut self, url: &str, note: &Note) -> Result<(), SourceError> {
        self.used.insert(key(url));
        self.write(&format!("{}.json", key(url)), &serde_json::to_vec(note).unwrap_or_default())
    }

    /// Removes what was not asked for since it was opened.
    pub(super) fn sweep(&self) {
        for entry in fs::read_dir(&self.folder).into_iter().flatten().flatten() {
            let path = entry.path();
            let stem = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            if !self.used.contains(&stem) {
                // What stays is looked at again the next time.
                let _ = fs::remove_file(path);
            }
        }
    }

    /// Whole or not at all.
    fn write(&self, name: &str, bytes: &[u8]) -> Result<(), SourceError> {
        let (path, part) = (self.path(name), self.path(&format!("{name}.part")));
        let written = fs::write(&part, bytes).and_then(|()| fs::rename(&part, &path));
        written.map_err(|error| cache_failed(Path::new(&path), &error))
    }
}

fn key(url: &str) -> String {
    blake3::hash(url.as_bytes()).to_hex().chars().take(32).collect()
}
