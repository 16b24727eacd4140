//! Ingest, search and freshness behind one synchronous façade, with no protocol types.
//!
//! Start at [`Engine`]. Writing goes `scan` → `plan` → `prepare` → `ingest`, or `fetched` for what is no folder of
//! ours, then `embedding`; reading goes
//! `freshness` → `search` → `ask`, or `read` for what is asked for by name.
#![forbid(unsafe_code)]

mod about;
mod answering;
mod ask;
pub mod auto_include;
mod background;
mod card;
mod catalog;
mod collections;
mod elsewhere;
mod embedding;
mod engine;
mod entries;
mod error;
mod fetched;
mod files;
mod first_pass;
mod freshness;
pub mod git;
mod ingest;
mod library;
mod look;
mod names;
mod outline;
mod parallel;
mod plan;
mod prepare;
mod progress;
mod query_vectors;
mod read;
mod recut;
mod related;
mod scan;
mod seal;
mod search;
mod source;
mod status;
mod times;
mod watch;

pub use about::{About, AboutFacet};
pub use card::{Card, CatalogueEntry};
pub use catalog::{Entry, FacetCounts};
pub use docent_index::{Access, CollectionPattern, FacetExpr, Filter, PathGlob};
pub use docent_text::ChunkOptions;
pub use elsewhere::Folder;
pub use embedding::Outcome;
pub use engine::{Engine, EngineParts, Freshness};
pub use error::{EngineError, ErrorKind};
pub use files::{FileList, list_files, read_file};
pub use first_pass::FirstPass;
pub use ingest::{IngestReport, Problem};
pub use library::{
    Became, Condition, Details, Handed, LibraryDocument, MAX_HANDED_BYTES, MAX_HANDED_PAGES, TakenIn,
    Unrestored, check_library_name,
};
pub use look::Look;
pub use names::{Names, split_version};
pub use outline::{Outline, OutlineSection};
pub use plan::{Plan, plan};
pub use progress::{Cancel, Event, Observer, Silent};
pub use read::{
    Around, DocumentList, DocumentSummary, Got, Page, PageChunk, PageList, PageSummary, SectionText,
};
pub use related::{RelatedAnswer, RelatedRequest};
pub use seal::{Bound, Place};
pub use search::{
    Explanation, FacetHint, Fusion, Hint, HitMetadata, MAX_QUERY_BYTES, Mode, SearchAnswer, SearchHit,
    SearchRequest, Searched, SearchedCollection, VectorState,
};
pub use source::{DEFAULT_INCLUDE, DEFAULT_MAX_FILE_BYTES, Source, SourceRules};
pub use status::{
    BuiltStatus, CollectionStatus, EmbeddingStatus, IndexStatus, ServerStatus, Status, WatcherStatus,
};
