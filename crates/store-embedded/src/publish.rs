//! Puts a finished index in the place of the one before, at once.
//!
//! The new one is written beside its place, made safe on the disk, and then exchanged with the old one in a single step
//! of the file system where it has one. Where it has not, the old one is moved away first; a crash between the two steps
//! is mended by the next build. Whoever has the old one open keeps it.

use std::ffi::OsString;
use std::fs::{self, File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};

use docent_index::StoreError;

use crate::fault::{Fault, Outcome};
use crate::marker::{Marker, Times};

/// An index that is being written beside its place.
#[derive(Debug)]
pub struct Draft {
    place: PathBuf,
    dir: PathBuf,
    _turn: Turn,
}

/// The right to write to a place, which one process at a time has, whatever cache it works in.
#[derive(Debug)]
struct Turn {
    path: PathBuf,
    _lock: File,
}

impl Turn {
    fn take(place: &Path) -> Outcome<Self> {
        let path = beside(place, ".docent-lock");
        loop {
            let lock = File::options().create(true).truncate(false).write(true).open(&path)?;
            match lock.try_lock() {
                Ok(()) => {}
                Err(TryLockError::WouldBlock) => return Err(Fault::Busy),
                Err(TryLockError::Error(error)) => return Err(error.into()),
            }
            // Whoever had it before takes the file away; a lock on what is gone keeps nobody out.
            if is_same(&lock, &path) {
                return Ok(Self { path, _lock: lock });
            }
        }
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.path);
    }
}

fn is_same(file: &File, path: &Path) -> bool {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        let id = |metadata: fs::Metadata| (metadata.dev(), metadata.ino());
        let (held, there) = (file.metadata().ok().map(id), fs::metadata(path).ok().map(id));
        held.is_some() && held == there
    }
    #[cfg(not(unix))]
    {
        let _ = file;
        path.exists()
    }
}

impl Draft {
    /// Makes an empty folder beside `place`, and clears away what a build that was killed left there. Only one build at a
    /// time may write to a place.
    pub fn begin(place: &Path) -> Result<Self, StoreError> {
        let begin = || -> Outcome<Self> {
            if let Some(parent) = place.parent() {
                fs::create_dir_all(parent)?;
            }
            let turn = Turn::take(place)?;
            let draft = Self { place: place.to_owned(), dir: beside(place, ".docent-new"), _turn: turn };
            draft.mend()?;
            fs::create_dir(&draft.dir)?;
            Ok(draft)
        };
        begin().map_err(|fault| fault.at(place))
    }

    /// Where to write.
    pub fn dir(&self) -> &Path {
        &self.dir
    }

    /// Writes the marker, makes everything safe, and puts the index in its place.
    pub fn publish(self, marker: &Marker, times: &Times) -> Result<(), StoreError> {
        let published = || -> Outcome<()> {
            marker.write(&self.dir, times)?;
            sync_tree(&self.dir)?;
            self.swap()?;
            Ok(())
        };
        published().map_err(|fault| fault.at(&self.place))
    }

    fn swap(&self) -> io::Result<()> {
        let parent = self.place.parent();
        let synced = || parent.map_or(Ok(()), sync_folder);
        if fs::symlink_metadata(&self.place).is_err() {
            fs::rename(&self.dir, &self.place)?;
            return synced();
        }
        if exchange(&self.dir, &self.place).is_ok() {
            synced()?;
            return fs::remove_dir_all(&self.dir);
        }
        let old = self.old();
        fs::rename(&self.place, &old)?;
        if let Err(error) = fs::rename(&self.dir, &self.place) {
            // The old one comes back; if that fails too, the next build tries again.
            let _ = fs::rename(&old, &self.place);
            return Err(error);
        }
        synced()?;
        fs::remove_dir_all(old)
    }

    /// After a build that was killed: the old index is in its place again, and nothing else is left.
    fn mend(&self) -> io::Result<()> {
        let old = self.old();
        if old.exists() && fs::symlink_metadata(&self.place).is_err() {
            fs::rename(&old, &self.place)?;
        }
        for left in [&old, &self.dir] {
            match fs::remove_dir_all(left) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
                _ => {}
            }
        }
        Ok(())
    }

    fn old(&self) -> PathBuf {
        beside(&self.place, ".docent-old")
    }
}

impl Drop for Draft {
    fn drop(&mut self) {
        // After publishing there is nothing left; otherwise the next build clears away what stays.
        let _ = fs::remove_dir_all(&self.dir);
    }
}

fn beside(place: &Path, ending: &str) -> PathBuf {
    let mut name = place.file_name().map_or_else(OsString::new, OsString::from);
    name.push(ending);
    place.with_file_name(name)
}

#[cfg(any(target_os = "linux", target_os = "macos"))]
fn exchange(one: &Path, other: &Path) -> io::Result<()> {
    use rustix::fs::{CWD, RenameFlags, renameat_with};
    Ok(renameat_with(CWD, one, CWD, other, RenameFlags::EXCHANGE)?)
}

#[cfg(not(any(target_os = "linux", target_os = "macos")))]
fn exchange(_: &Path, _: &Path) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

fn sync_tree(dir: &Path) -> io::Result<()> {
    for entry in fs::read_dir(dir)? {
        let path = entry?.path();
        if path.is_dir() { sync_tree(&path)? } else { File::open(path)?.sync_all()? }
    }
    sync_folder(dir)
}

fn sync_folder(dir: &Path) -> io::Result<()> {
    // Other systems neither need it nor let a folder be opened.
    if cfg!(unix) { File::open(dir)?.sync_all() } else { Ok(()) }
}
