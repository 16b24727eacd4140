//! The lexical indexes' files, written without waiting for the disk.
//!
//! tantivy makes each of its many small files safe against power loss, which takes most of the time of a small batch.
//! These indexes can be built anew, so that is not worth waiting for: a killed process loses nothing, and what a power
//! loss may have spoilt is found by checksums when the machine has been started since the last write. Where a restart
//! cannot be recognised, every file is made safe as usual.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use tantivy::directory::error::{DeleteError, LockError, OpenDirectoryError, OpenReadError, OpenWriteError};
use tantivy::directory::{
    AntiCallToken, Directory, DirectoryLock, FileHandle, Lock, MmapDirectory, TerminatingWrite,
    WatchCallback, WatchHandle, WritePtr,
};

const BOOT_ID: &str = "/proc/sys/kernel/random/boot_id";
const NOTE: &str = "boot";
/// Where tantivy lists the files that it wrote.
pub(crate) const MANAGED: &str = ".managed.json";

/// Opens a folder for tantivy.
pub(crate) fn open(dir: &Path) -> Result<Box<dyn Directory>, OpenDirectoryError> {
    let files = MmapDirectory::open(dir)?;
    Ok(match boot_id() {
        Some(_) => Box::new(UnsyncedDirectory { files, root: dir.to_owned() }),
        None => Box::new(files),
    })
}

/// Opens a folder for tantivy that is only read: nothing is written to it, not even a lock.
pub(crate) fn open_immutable(dir: &Path) -> Result<Box<dyn Directory>, OpenDirectoryError> {
    Ok(Box::new(ImmutableDirectory { files: MmapDirectory::open(dir)?, root: dir.to_owned() }))
}

/// Whether the machine was started anew since [`note_start`] in this folder.
pub(crate) fn was_restarted(dir: &Path) -> bool {
    boot_id().is_some_and(|now| fs::read_to_string(dir.join(NOTE)).is_ok_and(|then| then != now))
}

/// Notes which start of the machine the files in this folder are written in.
pub(crate) fn note_start(dir: &Path) -> io::Result<()> {
    match boot_id() {
        Some(now) if fs::read_to_string(dir.join(NOTE)).is_ok_and(|then| then == now) => Ok(()),
        Some(now) => fs::write(dir.join(NOTE), now),
        None => Ok(()),
    }
}

fn boot_id() -> Option<String> {
    fs::read_to_string(BOOT_ID).ok()
}

#[derive(Debug, Clone)]
struct UnsyncedDirectory {
    files: MmapDirectory,
    root: PathBuf,
}

impl Directory for UnsyncedDirectory {
    fn get_file_handle(&self, path: &Path) -> Result<Arc<dyn FileHandle>, OpenReadError> {
        self.files.get_file_handle(path)
    }

    fn delete(&self, path: &Path) -> Result<(), DeleteError> {
        self.files.delete(path)
    }

    fn exists(&self, path: &Path) -> Result<bool, OpenReadError> {
        self.files.exists(path)
    }

    fn open_write(&self, path: &Path) -> Result<WritePtr, OpenWriteError> {
        match OpenOptions::new().write(true).create_new(true).open(self.root.join(path)) {
            Ok(file) => Ok(BufWriter::new(Box::new(UnsyncedFile(file)))),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                Err(OpenWriteError::FileAlreadyExists(path.to_owned()))
            }
            Err(error) => Err(OpenWriteError::wrap_io_error(error, path.to_owned())),
        }
    }

    fn atomic_read(&self, path: &Path) -> Result<Vec<u8>, OpenReadError> {
        self.files.atomic_read(path)
    }

    fn atomic_write(&self, path: &Path, data: &[u8]) -> io::Result<()> {
        // Only the holder of the write lock writes, so the name cannot be in use.
        let target = self.root.join(path);
        let mut beside = target.clone().into_os_string();
        beside.push(".new");
        fs::write(&beside, data)?;
        fs::rename(&beside, target)
    }

    fn sync_directory(&self) -> io::Result<()> {
        Ok(())
    }

    fn acquire_lock(&self, lock: &Lock) -> Result<DirectoryLock, LockError> {
        self.files.acquire_lock(lock)
    }

    fn watch(&self, callback: WatchCallback) -> tantivy::Result<WatchHandle> {
        self.files.watch(callback)
    }
}

#[derive(Debug, Clone)]
struct ImmutableDirectory {
    files: MmapDirectory,
    root: PathBuf,
}

impl ImmutableDirectory {
    /// The files there are, as tantivy lists those that it wrote.
    fn listed(&self) -> io::Result<Vec<u8>> {
        let names = fs::read_dir(&self.root)?.map(|entry| Ok(entry?.file_name().into_string().ok()));
        let names = names.collect::<io::Result<Vec<_>>>()?;
        let names: Vec<String> = names.into_iter().flatten().filter(|name| !name.starts_with('.')).collect();
        Ok(serde_json::to_vec(&names)?)
    }
}

fn refusal() -> io::Error {
    io::Error::new(io::ErrorKind::PermissionDenied, "a built index is not written to")
}

impl Directory for ImmutableDirectory {
    fn get_file_handle(&self, path: &Path) -> Result<Arc<dyn FileHandle>, OpenReadError> {
        self.files.get_file_handle(path)
    }

    fn delete(&self, path: &Path) -> Result<(), DeleteError> {
        Err(DeleteError::IoError { io_error: Arc::new(refusal()), filepath: path.to_owned() })
    }

    fn exists(&self, path: &Path) -> Result<bool, OpenReadError> {
        self.files.exists(path)
    }

    fn open_write(&self, path: &Path) -> Result<WritePtr, OpenWriteError> {
        Err(OpenWriteError::wrap_io_error(refusal(), path.to_owned()))
    }

    fn atomic_read(&self, path: &Path) -> Result<Vec<u8>, OpenReadError> {
        // The list of files is hidden, and hidden files are lost on the way to where an index is shipped.
        if path == Path::new(MANAGED) {
            return self.listed().map_err(|error| OpenReadError::wrap_io_error(error, path.to_owned()));
        }
        self.files.atomic_read(path)
    }

    fn atomic_write(&self, _: &Path, _: &[u8]) -> io::Result<()> {
        Err(refusal())
    }

    fn sync_directory(&self) -> io::Result<()> {
        Ok(())
    }

    /// Locks keep writers and readers apart, and there is no writer.
    fn acquire_lock(&self, _: &Lock) -> Result<DirectoryLock, LockError> {
        Ok(DirectoryLock::from(Box::new(())))
    }

    fn watch(&self, _: WatchCallback) -> tantivy::Result<WatchHandle> {
        Ok(WatchHandle::empty())
    }
}

struct UnsyncedFile(File);

impl Write for UnsyncedFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

impl TerminatingWrite for UnsyncedFile {
    fn terminate_ref(&mut self, _: AntiCallToken) -> io::Result<()> {
        self.0.flush()
    }
}
