//! What comes out of a decoder, refused when it is too much: in all, or for what went in.

use std::cell::Cell;
use std::io::{self, BufRead, Read};
use std::rc::Rc;

/// Most bytes after unpacking.
pub(crate) const MOST_BYTES: u64 = (2 << 30) + (256 << 20);
/// How much larger the content may be than the file, once it is large at all. Text is packed to a tenth.
const LARGEST_RATIO: u64 = 200;
const RATIO_COUNTS_FROM: u64 = 64 << 20;

/// Counts the bytes that go through it, for somebody else to look at.
#[derive(Debug)]
pub(crate) struct Counted<R> {
    inner: R,
    count: Rc<Cell<u64>>,
}

impl<R> Counted<R> {
    pub(crate) fn new(inner: R) -> (Self, Rc<Cell<u64>>) {
        let count = Rc::new(Cell::new(0));
        (Self { inner, count: Rc::clone(&count) }, count)
    }

    pub(crate) fn into_inner(self) -> R {
        self.inner
    }
}

impl<R: Read> Read for Counted<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.inner.read(buffer)?;
        self.count.set(self.count.get() + read as u64);
        Ok(read)
    }
}

impl<R: BufRead> BufRead for Counted<R> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        self.inner.fill_buf()
    }

    fn consume(&mut self, amount: usize) {
        self.count.set(self.count.get() + amount as u64);
        self.inner.consume(amount);
    }
}

/// The content is more than is allowed; the file itself may be whole.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(crate) struct TooMuch(String);

/// What comes out of a decoder, refused when it is too much: in all, or for what went in.
#[derive(Debug)]
pub(crate) struct Unpacked<D> {
    decoder: D,
    packed: Rc<Cell<u64>>,
    unpacked: u64,
    most: u64,
}

impl<D> Unpacked<D> {
    /// `packed` counts what goes in.
    pub(crate) fn new(decoder: D, packed: Rc<Cell<u64>>) -> Self {
        Self { decoder, packed, unpacked: 0, most: MOST_BYTES }
    }

    pub(crate) fn into_inner(self) -> D {
        self.decoder
    }
}

impl<D: Read> Read for Unpacked<D> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.decoder.read(buffer)?;
        self.unpacked += read as u64;
        if self.unpacked > self.most {
            let message = format!("its content has more than {} GiB", self.most >> 30);
            return Err(io::Error::other(TooMuch(message)));
        }
        let allowed = self.packed.get().saturating_mul(LARGEST_RATIO).max(RATIO_COUNTS_FROM);
        if self.unpacked > allowed {
            let message = format!("its content is more than {LARGEST_RATIO} times as large as itself");
            return Err(io::Error::other(TooMuch(message)));
        }
        Ok(read)
    }
}
