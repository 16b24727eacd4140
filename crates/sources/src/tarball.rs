//! Reads a gzip'd tar as a stream, with a limit on everything that the file claims.
//!
//! Own code over the `tar` crate's header, because that crate's reader keeps long names whole in memory before anyone can say
//! no, and stops before the end of the stream, where the checksum of gzip is. Everything that is not exactly a tar is an
//! error: whoever reads here refuses the whole file then.

use std::io::{self, Read};

use tar::Header;

use crate::unpacked::TooMuch;

/// Blocks of a tar.
const BLOCK: usize = 512;
/// Most entries, of any kind.
pub(crate) const MOST_ENTRIES: u64 = 100_000;
/// Most headers that say more about the entry that follows.
const MOST_EXTENSIONS: usize = 8;
/// Longest name or set of extended attributes.
const LONGEST_EXTENSION: u64 = 64 << 10;

/// Why a tar cannot be read.
#[derive(Debug)]
pub(crate) struct Damage {
    /// In words that follow "… is damaged:".
    pub(crate) what: String,
    /// Whether it is only more than is allowed, and may be whole.
    pub(crate) is_limit: bool,
}

impl Damage {
    pub(crate) fn new(what: impl Into<String>) -> Self {
        Self { what: what.into(), is_limit: false }
    }

    fn too_much(what: impl Into<String>) -> Self {
        Self { what: what.into(), is_limit: true }
    }
}

impl From<io::Error> for Damage {
    fn from(error: io::Error) -> Self {
        let is_limit = error.get_ref().is_some_and(|inner| inner.is::<TooMuch>());
        match error.kind() {
            _ if is_limit => Self::too_much(error.to_string()),
            io::ErrorKind::UnexpectedEof => Self::new("it ends too early"),
            _ => Self::new(error.to_string()),
        }
    }
}

/// What an entry is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    File,
    Folder,
    /// A link, a device, a pipe.
    Other,
}

/// The head of an entry.
#[derive(Debug)]
pub(crate) struct Entry {
    pub(crate) path: Vec<u8>,
    pub(crate) kind: Kind,
    pub(crate) size: u64,
    /// Seconds since 1970.
    pub(crate) modified: u64,
}

/// A tar that is being read.
#[derive(Debug)]
pub(crate) struct Tarball<R> {
    input: R,
    /// Bytes of the current entry that were not read yet, and what fills its last block.
    left: u64,
    padding: u64,
    entries: u64,
}

impl<R: Read> Tarball<R> {
    pub(crate) fn new(input: R) -> Self {
        Self { input, left: 0, padding: 0, entries: 0 }
    }

    /// Goes to the next entry, over what is left of the current one. After the last one, the stream is read to its end,
    /// where there may only be zeros.
    pub(crate) fn next(&mut self) -> Result<Option<Entry>, Damage> {
        let mut long_path: Option<Vec<u8>> = None;
        for _ in 0..=MOST_EXTENSIONS {
            self.skip()?;
            let mut block = [0; BLOCK];
            self.input.read_exact(&mut block)?;
            if block.iter().all(|byte| *byte == 0) {
                self.expect_end()?;
                return match long_path {
                    Some(_) => Err(Damage::new("a long name has no entry")),
                    None => Ok(None),
                };
            }
            let header = Header::from_byte_slice(&block);
            check_sum(&block, header)?;
            let size = header.entry_size().map_err(|_| Damage::new("the size of an entry makes no sense"))?;
            self.left = size;
            self.padding = (BLOCK as u64 - size % BLOCK as u64) % BLOCK as u64;
            match header.entry_type().as_byte() {
                b'L' => {
                    let mut path = self.extension()?;
                    while path.last() == Some(&0) {
                        path.pop();
                    }
                    long_path = Some(path);
                }
                b'x' => {
                    let attributes = self.extension()?;
                    long_path = path_in(&attributes)?.or(long_path);
                }
                b'K' | b'g' => {}
                kind => {
                    let path = long_path.unwrap_or_else(|| header.path_bytes().into_owned());
                    let kind = match kind {
                        b'0' | 0 | b'7' if path.ends_with(b"/") => Kind::Folder,
                        b'0' | 0 | b'7' => Kind::File,
                        b'5' => Kind::Folder,
                        b'S' => return Err(Damage::new("it has sparse files, which are not read")),
                        _ => Kind::Other,
                    };
                    let modified = header.mtime().unwrap_or(0);
                    self.entries += 1;
                    if self.entries > MOST_ENTRIES {
                        return Err(Damage::too_much(format!("it has more than {MOST_ENTRIES} entries")));
                    }
                    return Ok(Some(Entry { path, kind, size, modified }));
                }
            }
        }
        Err(Damage::new("an entry has too many extended headers"))
    }

    /// The rest of the current entry, which is refused beyond `most` bytes.
    pub(crate) fn bytes(&mut self, most: u64) -> Result<Vec<u8>, Damage> {
        if self.left > most {
            return Err(Damage::too_much(format!(
                "an entry has {} bytes, and {most} is the most",
                self.left
            )));
        }
        let mut bytes = Vec::new();
        let read = (&mut self.input).take(self.left).read_to_end(&mut bytes)?;
        self.left -= read as u64;
        if self.left > 0 {
            return Err(io::Error::from(io::ErrorKind::UnexpectedEof).into());
        }
        Ok(bytes)
    }

    /// Fills `buffer` from the current entry.
    pub(crate) fn read_exact(&mut self, buffer: &mut [u8]) -> Result<(), Damage> {
        let wanted = buffer.len() as u64;
        if wanted > self.left {
            return Err(Damage::new("an entry is shorter than it says"));
        }
        self.input.read_exact(buffer)?;
        self.left -= wanted;
        Ok(())
    }

    /// The stream below, when the tar is read to its end.
    pub(crate) fn into_inner(self) -> R {
        self.input
    }

    fn extension(&mut self) -> Result<Vec<u8>, Damage> {
        self.bytes(LONGEST_EXTENSION)
    }

    fn skip(&mut self) -> Result<(), Damage> {
        let left = self.left.saturating_add(self.padding);
        let skipped = io::copy(&mut (&mut self.input).take(left), &mut io::sink())?;
        if skipped < left {
            return Err(io::Error::from(io::ErrorKind::UnexpectedEof).into());
        }
        (self.left, self.padding) = (0, 0);
        Ok(())
    }

    fn expect_end(&mut self) -> Result<(), Damage> {
        let mut block = [0; BLOCK];
        loop {
            match self.input.read(&mut block) {
                Ok(0) => return Ok(()),
                Ok(read) if block.iter().take(read).all(|byte| *byte == 0) => {}
                Ok(_) => return Err(Damage::new("something follows its end")),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error.into()),
            }
        }
    }
}

/// The sum of the header's bytes, its own field counted as spaces.
fn check_sum(block: &[u8; BLOCK], header: &Header) -> Result<(), Damage> {
    let sum: u32 = block
        .iter()
        .enumerate()
        .map(|(place, byte)| if (148..156).contains(&place) { 32 } else { u32::from(*byte) })
        .sum();
    match header.cksum() {
        Ok(written) if written == sum => Ok(()),
        _ => Err(Damage::new("a header is not one")),
    }
}

/// The path in extended attributes: records of `LENGTH KEY=VALUE\n`.
fn path_in(mut attributes: &[u8]) -> Result<Option<Vec<u8>>, Damage> {
    let wrong = || Damage::new("extended attributes make no sense");
    let mut path = None;
    while !attributes.is_empty() {
        let space = attributes.iter().position(|byte| *byte == b' ').ok_or_else(wrong)?;
        let length = attributes.get(..space).and_then(|digits| std::str::from_utf8(digits).ok());
        let length: usize = length.and_then(|digits| digits.parse().ok()).ok_or_else(wrong)?;
        let record =
            attributes.get(space + 1..length).and_then(|rest| rest.strip_suffix(b"\n")).ok_or_else(wrong)?;
        attributes = attributes.get(length..).ok_or_else(wrong)?;
        let equals = record.iter().position(|byte| *byte == b'=').ok_or_else(wrong)?;
        match record.split_at(equals) {
            (b"path", value) => path = value.get(1..).map(<[u8]>::to_vec),
            (b"size", _) => return Err(Damage::new("an entry is larger than tar headers can say")),
            (key, _) if key.starts_with(b"GNU.sparse") => {
                return Err(Damage::new("it has sparse files, which are not read"));
            }
            _ => {}
        }
    }
    Ok(path)
}
