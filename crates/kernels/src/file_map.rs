//! A whole file as a read-only slice.

use std::fs::File;
use std::io;
use std::ops::Deref;

use memmap2::{Mmap, MmapOptions};

/// A read-only mapping of the first bytes of a file.
///
/// # Contract
/// Reading a mapped byte that the file no longer has ends the process (SIGBUS), and a byte that changes under a `&[u8]`
/// breaks the language's rules. Files given to [`FileMap::open`] must therefore only ever be appended to, or replaced
/// by renaming another file over them; they are never truncated and never rewritten in place. The old file lives on
/// under its mapping until the last reader lets go.
#[derive(Debug)]
pub struct FileMap {
    /// `None` for a length of zero, which systems refuse to map.
    map: Option<Mmap>,
}

impl FileMap {
    /// Maps the first `length` bytes; an error if the file is shorter.
    pub fn open(file: &File, length: usize) -> io::Result<FileMap> {
        let available = file.metadata()?.len();
        if length as u64 > available {
            let message = format!("cannot map {length} bytes of a file of {available}");
            return Err(io::Error::new(io::ErrorKind::UnexpectedEof, message));
        }
        if length == 0 {
            return Ok(FileMap { map: None });
        }
        // SAFETY: the file has these bytes now, and by the contract above keeps them unchanged.
        let map = unsafe { MmapOptions::new().len(length).map(file)? };
        Ok(FileMap { map: Some(map) })
    }

    /// The mapped bytes.
    pub fn as_slice(&self) -> &[u8] {
        self.map.as_deref().unwrap_or_default()
    }
}

impl Deref for FileMap {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        self.as_slice()
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    fn file_with(bytes: &[u8]) -> File {
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(bytes).unwrap();
        file
    }

    #[test]
    fn shows_what_the_file_holds() {
        let file = file_with(b"hello world");
        assert_eq!(FileMap::open(&file, 11).unwrap().as_slice(), b"hello world");
        assert_eq!(FileMap::open(&file, 5).unwrap().as_slice(), b"hello");
        assert!(FileMap::open(&file, 0).unwrap().is_empty());
    }

    #[test]
    fn refuses_more_than_there_is() {
        let error = FileMap::open(&file_with(b"abc"), 4).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::UnexpectedEof);
    }

    #[test]
    fn stays_valid_when_the_file_grows() {
        let mut file = file_with(b"abc");
        let map = FileMap::open(&file, 3).unwrap();
        file.write_all(&[7; 100_000]).unwrap();
        assert_eq!(map.as_slice(), b"abc");
    }
}
