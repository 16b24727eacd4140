//! What is written beside the texts: what is known of a document, and what is about to be done.

use serde::{Deserialize, Serialize};

use crate::library::Details;

/// What is known of a document, in a file of its own.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(in crate::library) struct Entry {
    pub(in crate::library) format: u32,
    pub(in crate::library) uuid: String,
    pub(in crate::library) library: String,
    pub(in crate::library) source: String,
    pub(in crate::library) title: String,
    /// BLAKE3 of its text.
    pub(in crate::library) object: String,
    /// From which line on which page begins.
    pub(in crate::library) pages: Vec<(u32, u32)>,
    /// When its source last changed, in nanoseconds since 1970.
    pub(in crate::library) modified_ns: i64,
    pub(in crate::library) details: Details,
}

impl Entry {
    /// The format of entries that this program writes.
    pub(in crate::library) const FORMAT: u32 = 1;
}

/// Something that is about to be done.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(in crate::library) enum Mark {
    /// The entry of this document is put into the index.
    Put(String),
    /// These documents are deleted.
    Remove(Vec<String>),
    /// A library gets another name.
    Rename {
        /// The old one.
        from: String,
        /// The new one.
        to: String,
    },
}
