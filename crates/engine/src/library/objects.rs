//! The files in which everything that was handed over is kept, apart from the index.
//!
//! `objects/` holds texts, compressed, each under the BLAKE3 of what it says, so that equal ones are kept once. `entries/`
//! holds one small file for each document: what the index knows of it and which text is its. `marks/` says what is about
//! to be done to them, and is empty when nobody is at it: whoever finds a mark whose writer was killed finishes its work
//! (see `restore`). Every file is written beside its place, made safe on the disk and renamed, so that it is whole or not
//! there. Only the holder of the library's turn writes.

mod entry;
mod files;

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::PathBuf;

use docent_index::ContentHash;
use flate2::Compression;
use flate2::read::ZlibDecoder;
use flate2::write::ZlibEncoder;

use self::files::{Safety, UNFINISHED, names, read_json, remove, write_whole};
use crate::EngineError;
use crate::source::plain_io;

pub(super) use self::entry::{Entry, Mark};

/// The folder.
#[derive(Debug)]
pub(crate) struct Objects {
    dir: PathBuf,
}

impl Objects {
    pub(crate) fn new(dir: PathBuf) -> Self {
        Self { dir }
    }

    /// Uuids of the documents that have an entry.
    pub(super) fn uuids(&self) -> Result<BTreeSet<String>, EngineError> {
        let names = self.told(names(&self.entries()))?;
        Ok(names.into_iter().filter_map(|name| Some(name.strip_suffix(".json")?.to_owned())).collect())
    }

    /// The entry of a document; `None` when there is none that can be read.
    pub(super) fn entry(&self, uuid: &str) -> Option<Entry> {
        let entry: Entry = read_json(&self.entries().join(entry_name(uuid)?))?;
        (entry.uuid == uuid && entry.format <= Entry::FORMAT).then_some(entry)
    }

    /// Keeps a text.
    pub(super) fn put_object(&self, text: &str) -> Result<String, EngineError> {
        let name = ContentHash::of(text.as_bytes()).to_hex();
        if self.object(&name).as_deref() == Some(text) {
            return Ok(name);
        }
        let write = || {
            let mut encoder = ZlibEncoder::new(Vec::new(), Compression::fast());
            encoder.write_all(text.as_bytes())?;
            write_whole(&self.texts(), &name, &encoder.finish()?, Safety::Machine)
        };
        self.told(write())?;
        Ok(name)
    }

    /// A text; `None` when it is not there or not what was kept.
    pub(super) fn object(&self, name: &str) -> Option<String> {
        let file = File::open(self.texts().join(object_name(name)?)).ok()?;
        let mut text = String::new();
        ZlibDecoder::new(file).read_to_string(&mut text).ok()?;
        (ContentHash::of(text.as_bytes()).to_hex() == name).then_some(text)
    }

    pub(super) fn put_entry(&self, entry: &Entry) -> Result<(), EngineError> {
        let Some(name) = entry_name(&entry.uuid) else { return Ok(()) };
        let write = || write_whole(&self.entries(), &name, &serde_json::to_vec(entry)?, Safety::Machine);
        self.told(write())
    }

    /// Deletes the entry of a document.
    pub(super) fn remove_entry(&self, uuid: &str) -> Result<(), EngineError> {
        match entry_name(uuid) {
            Some(name) => self.told(remove(&self.entries().join(name))),
            None => Ok(()),
        }
    }

    /// Deletes a text.
    pub(super) fn remove_object(&self, name: &str) -> Result<(), EngineError> {
        match object_name(name) {
            Some(name) => self.told(remove(&self.texts().join(name))),
            None => Ok(()),
        }
    }

    /// Deletes all texts that nobody uses.
    pub(super) fn keep_only(&self, is_used: impl Fn(&str) -> bool) -> Result<(), EngineError> {
        for name in self.told(names(&self.texts()))?.iter().filter(|name| !is_used(name)) {
            self.remove_object(name)?;
        }
        Ok(())
    }

    /// Notes what is about to be done; the name is for [`Objects::unmark`].
    pub(super) fn mark(&self, mark: &Mark) -> Result<String, EngineError> {
        let name = format!("{}.json", uuid::Uuid::new_v4());
        let write = || write_whole(&self.marks_dir(), &name, &serde_json::to_vec(mark)?, Safety::Process);
        self.told(write())?;
        Ok(name)
    }

    /// It is done, or taken back.
    pub(super) fn unmark(&self, name: &str) -> Result<(), EngineError> {
        self.told(remove(&self.marks_dir().join(name)))
    }

    /// What was about to be done, with the names of the marks.
    pub(super) fn marks(&self) -> Result<Vec<(String, Option<Mark>)>, EngineError> {
        let mut names = self.told(names(&self.marks_dir()))?;
        names.sort();
        let read = |name: String| {
            let mark = read_json(&self.marks_dir().join(&name));
            (name, mark)
        };
        Ok(names.into_iter().map(read).collect())
    }

    /// Whether there are files that are not whole: somebody is writing them, or was killed at it.
    pub(super) fn has_unfinished(&self) -> bool {
        !self.unfinished().is_empty()
    }

    /// Deletes what writers that were killed have left unfinished.
    pub(super) fn sweep(&self) -> Result<(), EngineError> {
        self.unfinished().iter().try_for_each(|path| self.told(remove(path)))
    }

    fn unfinished(&self) -> Vec<PathBuf> {
        let folders = [self.texts(), self.entries(), self.marks_dir()];
        let found = folders.iter().filter_map(|dir| fs::read_dir(dir).ok()).flat_map(Iterator::flatten);
        let is_unfinished =
            |entry: &fs::DirEntry| entry.file_name().to_string_lossy().starts_with(UNFINISHED);
        found.filter(is_unfinished).map(|entry| entry.path()).collect()
    }

    fn texts(&self) -> PathBuf {
        self.dir.join("objects")
    }

    fn entries(&self) -> PathBuf {
        self.dir.join("entries")
    }

    fn marks_dir(&self) -> PathBuf {
        self.dir.join("marks")
    }

    fn told<T>(&self, outcome: io::Result<T>) -> Result<T, EngineError> {
        outcome.map_err(|error| {
            EngineError::environment(
                format!("cannot keep what is handed over in {}: {}", self.dir.display(), plain_io(&error)),
                "check that the folder can be written to and that there is space",
            )
        })
    }
}

/// The name of a document's entry; `None` for what is no uuid and could name a file elsewhere.
fn entry_name(uuid: &str) -> Option<String> {
    uuid::Uuid::parse_str(uuid).ok().map(|_| format!("{uuid}.json"))
}

/// The name of a text's file; `None` for what is no hash.
fn object_name(name: &str) -> Option<&str> {
    (name.len() == 64 && name.bytes().all(|byte| byte.is_ascii_hexdigit())).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Details;

    fn shelf() -> (tempfile::TempDir, Objects) {
        let dir = tempfile::tempdir().unwrap();
        let shelf = Objects::new(dir.path().join("library"));
        (dir, shelf)
    }

    fn entry(uuid: &str, object: &str) -> Entry {
        Entry {
            format: Entry::FORMAT,
            uuid: uuid.to_owned(),
            library: "papers".to_owned(),
            source: "/a.pdf".to_owned(),
            title: "A".to_owned(),
            object: object.to_owned(),
            pages: vec![(1, 1), (9, 2)],
            modified_ns: -5,
            details: Details { file_type: "pdf".to_owned(), ..Details::default() },
        }
    }

    const ONE: &str = "0b1e9a52-6d0c-4f7e-9a57-1f2f3f4f5f6f";

    #[test]
    fn what_is_kept_comes_back() {
        let (_dir, shelf) = shelf();
        assert!(shelf.uuids().unwrap().is_empty() && shelf.marks().unwrap().is_empty());
        let text = "Ünïcode and more. ".repeat(1000);
        let object = shelf.put_object(&text).unwrap();
        assert_eq!(shelf.put_object(&text).unwrap(), object);
        assert_eq!(shelf.object(&object).unwrap(), text);
        shelf.put_entry(&entry(ONE, &object)).unwrap();
        assert_eq!(shelf.entry(ONE).unwrap(), entry(ONE, &object));
        assert_eq!(shelf.uuids().unwrap().into_iter().collect::<Vec<_>>(), [ONE]);
    }

    #[test]
    fn texts_that_nobody_uses_go() {
        let (_dir, shelf) = shelf();
        let (one, two) = (shelf.put_object("one").unwrap(), shelf.put_object("two").unwrap());
        shelf.keep_only(|name| name == one).unwrap();
        assert_eq!((shelf.object(&one).as_deref(), shelf.object(&two)), (Some("one"), None));
        shelf.remove_object(&one).unwrap();
        shelf.remove_object(&one).unwrap();
        assert!(shelf.object(&one).is_none());
    }

    #[test]
    fn damage_and_foreign_names_are_nothing() {
        let (dir, shelf) = shelf();
        let object = shelf.put_object("text").unwrap();
        let path = dir.path().join("library/objects").join(&object);
        let mut bytes = fs::read(&path).unwrap();
        bytes[3] ^= 1;
        fs::write(&path, bytes).unwrap();
        assert!(shelf.object(&object).is_none());
        assert_eq!(shelf.put_object("text").unwrap(), object);
        assert_eq!(shelf.object(&object).as_deref(), Some("text"));
        for name in ["../../etc/passwd", "", "x", ONE] {
            assert!(shelf.object(name).is_none());
        }
        for uuid in ["../marks/x", "", "passwd"] {
            assert!(shelf.entry(uuid).is_none());
        }
    }

    #[test]
    fn marks_are_told_until_they_are_taken_away() {
        let (dir, shelf) = shelf();
        let mark = Mark::Remove(vec![ONE.to_owned()]);
        let name = shelf.mark(&mark).unwrap();
        fs::write(dir.path().join("library/marks/.new-x"), "half").unwrap();
        assert_eq!(shelf.marks().unwrap(), [(name.clone(), Some(mark))]);
        assert!(shelf.has_unfinished());
        shelf.sweep().unwrap();
        assert!(!shelf.has_unfinished());
        assert!(!dir.path().join("library/marks/.new-x").exists());
        shelf.unmark(&name).unwrap();
        assert!(shelf.marks().unwrap().is_empty());
    }
}
