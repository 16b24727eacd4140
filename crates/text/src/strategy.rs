//! Where a document is cut, as its author says it.
//!
//! A level names the deepest headings that start a chunk of their own; what stands below deeper ones stays together
//! with them. [`ChunkBy::Heading`] is ours, the others are those of `.docs-mcp.json`.

use std::fmt;
use std::str::FromStr;

/// Which headings start a chunk.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ChunkBy {
    /// None: the file is one chunk.
    File,
    /// `#`
    H1,
    /// `#` and `##`
    H2,
    /// `#` to `###`
    H3,
    /// Every heading.
    Heading,
}

impl ChunkBy {
    /// All of them, from coarse to fine.
    pub const ALL: [ChunkBy; 5] = [ChunkBy::File, ChunkBy::H1, ChunkBy::H2, ChunkBy::H3, ChunkBy::Heading];

    /// The name that authors write.
    pub fn as_str(self) -> &'static str {
        match self {
            ChunkBy::File => "file",
            ChunkBy::H1 => "h1",
            ChunkBy::H2 => "h2",
            ChunkBy::H3 => "h3",
            ChunkBy::Heading => "heading",
        }
    }

    /// The deepest heading level that starts a chunk; 0 for none.
    pub fn level(self) -> u8 {
        match self {
            ChunkBy::File => 0,
            ChunkBy::H1 => 1,
            ChunkBy::H2 => 2,
            ChunkBy::H3 => 3,
            ChunkBy::Heading => 6,
        }
    }
}

impl fmt::Display for ChunkBy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// What was written is not a [`ChunkBy`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UnknownChunkBy;

impl FromStr for ChunkBy {
    type Err = UnknownChunkBy;

    fn from_str(name: &str) -> Result<ChunkBy, UnknownChunkBy> {
        ChunkBy::ALL.into_iter().find(|known| known.as_str() == name).ok_or(UnknownChunkBy)
    }
}

/// How a document is cut. Sizes are in characters; `None` leaves them to the settings.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Strategy {
    /// Which headings start a chunk.
    pub chunk_by: ChunkBy,
    /// The longest chunk: what is longer is cut at deeper headings, then at blocks.
    pub max_chunk_size: Option<usize>,
    /// Shorter chunks join the one before, if that is their parent or their sibling.
    pub min_chunk_size: Option<usize>,
}

impl Strategy {
    /// Cuts at these headings, sizes as set.
    pub fn by(chunk_by: ChunkBy) -> Strategy {
        Strategy { chunk_by, max_chunk_size: None, min_chunk_size: None }
    }
}
