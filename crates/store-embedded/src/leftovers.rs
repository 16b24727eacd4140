//! Rows that documents leave when they go.
//!
//! A reader may hold a view from before, and cannot have a newer one until the lexical indexes have followed the record.
//! It reads texts, chunks and vectors from the record all the time, so those of a document that went stay until the next
//! write begins: by then everybody who asks gets a view without it. Every writer clears up before it removes something
//! itself, also after one that was killed, so whatever is left is of the last generation that removed anything. Numbers
//! are never given out twice, so nobody takes leftovers for anything else.

use std::collections::HashSet;

use rusqlite::{Connection, TransactionBehavior};

use crate::fault::Outcome;
use docent_store_common::keys;

/// The documents whose rows may be there still.
pub(crate) fn documents(conn: &Connection) -> Outcome<HashSet<u64>> {
    let mut statement = conn.prepare_cached("SELECT document_id FROM tombstones WHERE generation = ?1")?;
    let ids = statement.query_map([last_removal(conn)?], |row| row.get(0))?;
    Ok(ids.collect::<Result<_, _>>()?)
}

/// Deletes the rows. The caller holds the write lock, and the lexical indexes reflect the record.
pub(crate) fn clear(conn: &mut Connection) -> Outcome<()> {
    let tx = conn.transaction_with_behavior(TransactionBehavior::Immediate)?;
    for document in documents(&tx)? {
        let (chunks, passages) = (keys::chunks_of(document), keys::passages_of(document));
        for (statement, range) in [
            ("DELETE FROM vectors WHERE passage BETWEEN ?1 AND ?2", &passages),
            ("DELETE FROM passages WHERE id BETWEEN ?1 AND ?2", &passages),
            ("DELETE FROM chunks WHERE id BETWEEN ?1 AND ?2", &chunks),
            ("DELETE FROM texts WHERE id BETWEEN ?1 AND ?2", &chunks),
        ] {
            tx.prepare_cached(statement)?.execute([range.start(), range.end()])?;
        }
    }
    tx.commit()?;
    Ok(())
}

/// The last generation that removed a document; 0 for none.
pub(crate) fn last_removal(conn: &Connection) -> Outcome<u64> {
    let mut statement = conn.prepare_cached("SELECT coalesce(max(generation), 0) FROM tombstones")?;
    Ok(statement.query_row([], |row| row.get(0))?)
}

/// Whether all that a view of this generation may read is there still.
pub(crate) fn serve(conn: &Connection, generation: u64) -> Outcome<bool> {
    let mut statement = conn.prepare_cached(
        "SELECT max(tombstone_floor, coalesce((SELECT max(generation) FROM tombstones WHERE generation < ?1), 0))
         FROM state",
    )?;
    let cleared: u64 = statement.query_row([last_removal(conn)?], |row| row.get(0))?;
    Ok(cleared <= generation)
}

/// How many rows of a model's vector file belong to documents that are there.
pub(crate) fn live_vectors(conn: &Connection, model: i64) -> Outcome<usize> {
    let all: usize = conn
        .prepare_cached("SELECT count(*) FROM vectors WHERE model = ?1")?
        .query_row([model], |row| row.get(0))?;
    let mut statement = conn.prepare_cached(
        "SELECT count(*) FROM vectors INDEXED BY vectors_by_passage
         WHERE passage BETWEEN ?1 AND ?2 AND model = ?3",
    )?;
    let mut left = 0;
    for document in documents(conn)? {
        let range = keys::passages_of(document);
        left += statement.query_row([*range.start(), *range.end(), model], |row| row.get::<_, usize>(0))?;
    }
    Ok(all.saturating_sub(left))
}
