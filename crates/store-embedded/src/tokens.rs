//! Lexical tokens from the record, for when the lexical index is built anew.
//!
//! Callers hand in tokens with each document, and those are what is indexed then. The record keeps texts, not tokens,
//! so a rebuild makes them again here; both ways must agree, or a rebuild would change what a search finds.

use std::borrow::Cow;

use docent_store_common::{ChunkTokens, DocumentTokens};
use docent_text::{lexical_fields, tokens};
use rusqlite::Connection;

use crate::fault::{Fault, Outcome};
use crate::rows;

/// The same tokens, made from what the record holds.
pub(crate) fn from_record(conn: &Connection, id: u64, title: &str) -> Outcome<DocumentTokens<'static>> {
    let text = rows::text(conn, id)?.unwrap_or_default();
    let mut chunks = Vec::new();
    for place in rows::places(conn, id)?.into_iter().filter(|place| place.searchable) {
        let content = text
            .get(place.start..place.end)
            .ok_or_else(|| Fault::Damaged(format!("a chunk of document {id} lies outside its text")))?;
        let fields = lexical_fields(&place.heading_path, content);
        chunks.push(ChunkTokens {
            key: place.id,
            body: Cow::Owned(fields.body),
            heading: Cow::Owned(fields.heading),
        });
    }
    Ok(DocumentTokens { title: tokens(title).join(" "), chunks })
}
