//! Opening what a user names as a file, without waiting for whoever may sit at the other end of a pipe.

use std::fs::{File, Metadata};
use std::io;
use std::path::Path;

/// Opens a regular file. Anything else is refused before it is opened: that alone waits for ever for a pipe's writer.
pub(crate) fn open(path: &Path) -> io::Result<(File, Metadata)> {
    let metadata = std::fs::metadata(path)?;
    if metadata.is_dir() {
        return Err(io::Error::new(io::ErrorKind::IsADirectory, "is a directory"));
    }
    if !metadata.is_file() {
        return Err(io::Error::other("not a regular file (a pipe, a socket or a device)"));
    }
    Ok((File::open(path)?, metadata))
}
