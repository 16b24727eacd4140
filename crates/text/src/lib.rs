//! Documents, sections, chunks, passages and tokens: pure functions over strings.
//!
//! A Markdown file becomes a [`Document`] with [`parse`]; [`chunks`] cuts it into the units that tools
//! return and the passages that are embedded; [`plain`] and [`tokens`] turn raw Markdown into what the
//! vector and the lexical side index. Nothing here reads files, fails or panics: broken input becomes a
//! [`Warning`], and every function is linear in its input, however hostile that is.

#![forbid(unsafe_code)]

mod chunks;
mod comments;
mod context;
mod document;
mod front_matter;
mod groups;
mod headings;
mod lexical;
mod lines;
mod near;
mod outline;
mod passages;
mod plain;
mod scan;
mod sections;
mod slug;
mod split;
mod stem;
mod stop_words;
mod strategy;
mod structure;
mod tokens;
mod visible;

pub use chunks::{Chunk, ChunkOptions, chunks, chunks_of_pages, strip_part};
pub use comments::HintComment;
pub use context::{context_line, passage_text};
pub use document::{Document, TitleSource, Warning, WarningKind, parse, parse_bounded};
pub use front_matter::FrontMatter;
pub use lexical::{LexicalFields, lexical_fields};
pub use lines::{LineIndex, LineRange};
pub use near::near;
pub use outline::{Extent, Outline, OutlineHeading, Reach};
pub use passages::Passage;
pub use plain::plain;
pub use scan::nests_too_deep;
pub use sections::Section;
pub use slug::slug;
pub use stop_words::is_stop_word;
pub use strategy::{ChunkBy, Strategy, UnknownChunkBy};
pub use tokens::{for_each_token, tokens};
pub use visible::{marked, visible, visible_line};
