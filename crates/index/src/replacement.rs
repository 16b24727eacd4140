//! A whole collection put in the place of what it held before, as one generation.
//!
//! The caller says what the collection holds afterwards, document by document, instead of what to change: whatever else
//! happens in between, the result is what was said or what was there. The documents come one at a time, so that nobody
//! has to hold all of them at once.

use crate::{Collection, DocumentId, Failure, FileStat, Generation, NewDocument};

/// What a collection is to become.
pub struct Replacement<'a> {
    /// Its name, and what is known of it afterwards.
    pub collection: &'a Collection,
    /// How it stood when `entries` were decided on; `None` when there was none. If it stands otherwise by now, nothing
    /// is done.
    pub before: Option<&'a Collection>,
    /// Whether another [`Collection::about`] counts as a change of content. A new date in it does not.
    pub is_said_anew: bool,
    /// All that it holds afterwards. What is not named goes.
    pub entries: &'a mut dyn Iterator<Item = Result<Entry, Abandoned>>,
}

/// Something that a collection holds.
#[derive(Debug, Clone)]
pub enum Entry {
    /// This document. When nothing that is derived from it differs, the one that is there keeps its row.
    Put(Box<NewDocument>),
    /// The document of this row, as it is.
    Keep {
        /// The row. Rows are never used twice, so this is one version, cut in one way.
        id: DocumentId,
        /// Its file's state.
        stat: FileStat,
    },
    /// A file that cannot be indexed.
    Fail(Failure),
}

/// The caller wants no more of it: everything stays as it was.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Abandoned;

/// What became of a [`Replacement`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Replaced {
    /// It is in place, searchable, with this generation.
    Done(Generation),
    /// Nothing was done, because the caller abandoned it.
    Abandoned,
    /// Nothing was done, because the collection is not what it was when the entries were decided on.
    Outdated,
}
