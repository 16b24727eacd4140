//! The bytes of a bundle: headers of tar, and what is hashed and counted on its way.

use std::io::{self, Write};

/// The header of an entry, behind one with its whole name if that is long.
pub(super) fn write_head(out: &mut impl Write, name: &str, size: u64) -> io::Result<()> {
    let head = |name: &[u8], kind: tar::EntryType, size: u64| {
        let mut header = tar::Header::new_gnu();
        header.set_entry_type(kind);
        header.set_mode(0o644);
        header.set_uid(0);
        header.set_gid(0);
        header.set_mtime(0);
        header.set_size(size);
        if let Some(gnu) = header.as_gnu_mut() {
            gnu.name.iter_mut().zip(name).for_each(|(place, byte)| *place = *byte);
        }
        header.set_cksum();
        header
    };
    if name.len() > 100 {
        let size = name.len() + 1;
        out.write_all(head(b"././@LongLink", tar::EntryType::GNULongName, size as u64).as_bytes())?;
        let mut block = name.as_bytes().to_vec();
        block.resize(size.next_multiple_of(512), 0);
        out.write_all(&block)?;
    }
    out.write_all(head(name.as_bytes(), tar::EntryType::Regular, size).as_bytes())
}

/// The content of an entry, hashed and counted.
pub(super) struct Body<'o, O> {
    out: &'o mut O,
    hasher: blake3::Hasher,
    bytes: u64,
}

impl<'o, O> Body<'o, O> {
    pub(super) fn new(out: &'o mut O) -> Self {
        Self { out, hasher: blake3::Hasher::new(), bytes: 0 }
    }

    pub(super) fn finish(self) -> (blake3::Hash, u64) {
        (self.hasher.finalize(), self.bytes)
    }
}

impl<O: Write> Write for Body<'_, O> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.out.write(bytes)?;
        self.hasher.update(bytes.get(..written).unwrap_or_default());
        self.bytes += written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// The file itself, hashed and counted.
#[derive(Debug)]
pub(super) struct Hashed<W> {
    inner: W,
    pub(super) hasher: blake3::Hasher,
    pub(super) bytes: u64,
}

impl<W> Hashed<W> {
    pub(super) fn new(inner: W) -> Self {
        Self { inner, hasher: blake3::Hasher::new(), bytes: 0 }
    }
}

impl<W: Write> Write for Hashed<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.inner.write(bytes)?;
        self.hasher.update(bytes.get(..written).unwrap_or_default());
        self.bytes += written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}
