//! The folder that documents are written into: within limits, and empty again when something goes wrong.
//!
//! The folder is ours and empty at first, and only plain files and folders are ever made in it, so that no link can lead a
//! later file out of it. Every path has passed [`crate::names`].

use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use crate::SourceError;
use crate::names::{self, Names, Refusal};

/// Largest document.
pub(crate) const LARGEST_FILE: u64 = 16 << 20;
/// Most files of a source.
pub(crate) const MOST_FILES: u64 = 100_000;
/// Most bytes of a source.
pub(crate) const MOST_BYTES: u64 = 2 << 30;
/// So many examples stand in a note.
const EXAMPLES: usize = 3;

/// Documents on their way into a folder. Dropped without [`Landing::finish`], it leaves the folder empty.
#[derive(Debug)]
pub(crate) struct Landing {
    folder: PathBuf,
    names: Names,
    files: u64,
    bytes: u64,
    passed_over: Vec<PassedOver>,
    is_finished: bool,
}

/// Files that were left out for one reason.
#[derive(Debug)]
struct PassedOver {
    reason: String,
    count: usize,
    examples: Vec<String>,
}

impl Landing {
    /// Takes the empty folder `folder`, which is made if it is not there.
    pub(crate) fn new(folder: &Path) -> Result<Self, SourceError> {
        let failed = |error| writing_failed(folder, &error);
        fs::create_dir_all(folder).map_err(failed)?;
        if fs::read_dir(folder).map_err(failed)?.next().is_some() {
            let message = format!("the folder {} is not empty", folder.display());
            return Err(SourceError::failed(message, "documents are fetched into an empty folder"));
        }
        Ok(Self {
            folder: folder.to_owned(),
            names: Names::default(),
            files: 0,
            bytes: 0,
            passed_over: Vec::new(),
            is_finished: false,
        })
    }

    /// Takes `path` for a file that is written next; a path that may not become one is noted and is `None`.
    pub(crate) fn admit<'p>(&mut self, path: &'p [u8]) -> Option<&'p str> {
        match self.try_admit(path) {
            Ok(path) => Some(path),
            Err(refusal) => {
                self.pass_over(path, &refusal.to_string());
                None
            }
        }
    }

    /// The same for sources whose paths must all be right.
    pub(crate) fn try_admit<'p>(&mut self, path: &'p [u8]) -> Result<&'p str, Refusal> {
        let path = names::check(path)?;
        self.names.take(path)?;
        Ok(path)
    }

    /// Notes a file that is left out.
    pub(crate) fn pass_over(&mut self, path: &[u8], reason: &str) {
        let place = match self.passed_over.iter().position(|group| group.reason == reason) {
            Some(place) => place,
            None => {
                let group = PassedOver { reason: reason.to_owned(), count: 0, examples: Vec::new() };
                self.passed_over.push(group);
                self.passed_over.len() - 1
            }
        };
        let Some(group) = self.passed_over.get_mut(place) else { return };
        group.count += 1;
        if group.examples.len() < EXAMPLES {
            group.examples.push(shown(path));
        }
    }

    /// Refuses the source if this many more bytes are too many.
    pub(crate) fn make_room(&mut self, bytes: u64) -> Result<(), SourceError> {
        self.files += 1;
        self.bytes = self.bytes.saturating_add(bytes);
        if self.files > MOST_FILES {
            let message = format!("the source has more than {MOST_FILES} documents");
            return Err(SourceError::failed(message, "fetch a folder of it, or a part"));
        }
        if self.bytes > MOST_BYTES {
            let message = format!("the documents of the source have more than {} GiB", MOST_BYTES >> 30);
            return Err(SourceError::failed(message, "fetch a folder of it, or a part"));
        }
        Ok(())
    }

    /// Writes a file whose path was admitted.
    pub(crate) fn write(
        &mut self,
        path: &str,
        bytes: &[u8],
        modified: Option<SystemTime>,
    ) -> Result<(), SourceError> {
        self.make_room(bytes.len() as u64)?;
        let target = self.folder.join(path);
        let write = || {
            if let Some(parent) = target.parent() {
                fs::create_dir_all(parent)?;
            }
            let mut file = OpenOptions::new().write(true).create_new(true).open(&target)?;
            file.write_all(bytes)?;
            // A time that the file system cannot keep is no reason to do without the document.
            let _ = modified.map(|time| file.set_modified(time));
            Ok(())
        };
        write().map_err(|error| writing_failed(&target, &error))
    }

    /// Sets when an already written file was last changed, if the file system can keep that.
    pub(crate) fn set_modified(&self, path: &str, time: SystemTime) {
        let file = OpenOptions::new().write(true).open(self.folder.join(path));
        let _ = file.and_then(|file| file.set_modified(time));
    }

    /// How many files were written.
    pub(crate) fn files(&self) -> u64 {
        self.files
    }

    /// Keeps what was written, and says what was left out.
    pub(crate) fn finish(mut self) -> Vec<String> {
        self.is_finished = true;
        self.passed_over.iter().map(PassedOver::note).collect()
    }
}

impl Drop for Landing {
    fn drop(&mut self) {
        if self.is_finished {
            return;
        }
        // Whoever asked gets the error that led here; what cannot be removed is removed with the folder.
        for entry in fs::read_dir(&self.folder).into_iter().flatten().flatten() {
            let path = entry.path();
            let _ = match entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                true => fs::remove_dir_all(path),
                false => fs::remove_file(path),
            };
        }
    }
}

impl PassedOver {
    fn note(&self) -> String {
        let files = if self.count == 1 { "file" } else { "files" };
        let more = if self.count > self.examples.len() { ", …" } else { "" };
        format!("{} {files} passed over ({}): {}{more}", self.count, self.reason, self.examples.join(", "))
    }
}

/// A path for people: on one line, not too long.
pub(crate) fn shown(path: &[u8]) -> String {
    let text: String = String::from_utf8_lossy(path).chars().take(120).collect();
    text.chars().map(|c| if c.is_control() { '\u{fffd}' } else { c }).collect()
}

fn writing_failed(path: &Path, error: &std::io::Error) -> SourceError {
    SourceError::failed(
        format!("{} cannot be written: {error}", path.display()),
        "check that the folder can be written and that the disk has room",
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_fails_leaves_nothing_behind() {
        let folder = tempfile::tempdir().unwrap();
        let mut landing = Landing::new(folder.path()).unwrap();
        let path = landing.admit(b"a/b.md").unwrap();
        landing.write(path, b"x", None).unwrap();
        drop(landing);
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
    }

    #[test]
    fn what_is_left_out_is_said_once_a_reason() {
        let folder = tempfile::tempdir().unwrap();
        let mut landing = Landing::new(folder.path()).unwrap();
        for path in ["../1", "../2", "../3", "../4\n", "/5"] {
            assert_eq!(landing.admit(path.as_bytes()), None);
        }
        let notes = landing.finish();
        assert_eq!(
            notes,
            [
                "3 files passed over (the path has . or .. in it): ../1, ../2, ../3",
                "1 file passed over (the name has control characters): ../4\u{fffd}",
                "1 file passed over (the path is absolute): /5",
            ]
        );
    }

    #[test]
    fn a_folder_with_something_in_it_is_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("mine"), "x").unwrap();
        assert!(Landing::new(folder.path()).is_err());
        assert!(folder.path().join("mine").exists());
    }
}
