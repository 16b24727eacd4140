//! Identifiers as types of their own, so that a document's row number cannot be handed in where a chunk's is wanted.
//!
//! Row numbers are given out once and never again: a number from an older generation either still means the same row
//! or means nothing. Everything that is derived from the record relies on that.

use std::fmt;

macro_rules! row_id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub struct $name(pub u64);
    };
}

row_id!(
    /// One version of one document.
    DocumentId
);
row_id!(
    /// One chunk of one version of a document.
    ChunkId
);
row_id!(
    /// One passage of a chunk.
    PassageId
);

/// The number of an applied batch. The record only ever moves forward.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct Generation(pub u64);

/// BLAKE3 of a document's bytes: the citation that can be re-checked.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ContentHash(pub [u8; 32]);

impl ContentHash {
    /// Hashes `bytes`.
    pub fn of(bytes: &[u8]) -> Self {
        Self(*blake3::hash(bytes).as_bytes())
    }

    /// Lower-case hexadecimal.
    pub fn to_hex(self) -> String {
        blake3::Hash::from_bytes(self.0).to_hex().to_string()
    }
}

impl fmt::Debug for ContentHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.to_hex())
    }
}

/// Hash of the exact text that is embedded. Equal texts share one vector, whatever document they stand in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct PassageHash(pub [u8; 16]);

impl PassageHash {
    /// Hashes a passage's text, context line included.
    pub fn of(text: &str) -> Self {
        let full = blake3::hash(text.as_bytes());
        let mut short = [0; 16];
        short.copy_from_slice(&full.as_bytes()[..16]);
        Self(short)
    }
}
