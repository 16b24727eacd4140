//! Writing collections as a whole: made known, replaced, renamed, removed; each is one transaction and one generation.

use std::collections::{HashMap, HashSet};

use docent_index::{Abandoned, Collection, Entry, NewDocument, Replacement};
use rusqlite::{Connection, OptionalExtension, params};

use crate::fault::{Fault, Outcome};
use crate::record::Batch;
use crate::rows;

/// Makes a collection known, or gives it another root, cut or word about itself. The last is content: what callers are
/// told of the collection depends on it.
pub(crate) fn put(conn: &mut Connection, collection: &Collection) -> Outcome<()> {
    let mut batch = Batch::begin(conn)?;
    batch.put_collection(collection, true)?;
    batch.finish().map(drop)
}

/// Gives a collection another name. The documents' rows stay; they are touched so that every view reads the name anew.
pub(crate) fn rename(conn: &mut Connection, from: &str, to: &str) -> Outcome<()> {
    let mut batch = Batch::begin(conn)?;
    let Some(collection) = batch.known_collection(from)? else {
        return Err(Fault::NoCollection(from.to_owned()));
    };
    if batch.known_collection(to)?.is_some() {
        return Err(Fault::CollectionExists(to.to_owned()));
    }
    batch.tx.execute("UPDATE collections SET name = ?2 WHERE id = ?1", params![collection, to])?;
    batch.tx.execute(
        "UPDATE documents SET touched = ?2 WHERE collection_id = ?1",
        params![collection, batch.generation],
    )?;
    batch.changed = true;
    // Callers name collections and are told names: cursors and lists of before are outdated.
    batch.documents_changed = true;
    batch.finish().map(drop)
}

/// Drops a collection and its documents.
pub(crate) fn remove(conn: &mut Connection, name: &str) -> Outcome<()> {
    let mut batch = Batch::begin(conn)?;
    let Some(collection) = batch.known_collection(name)? else { return Ok(()) };
    for document in documents_of(&batch, collection)?.into_values() {
        batch.remove_document(document)?;
    }
    batch.tx.execute("DELETE FROM collections WHERE id = ?1", [collection])?;
    batch.changed = true;
    batch.finish().map(drop)
}

/// Is told of every row that comes and goes while a collection is replaced.
pub(crate) trait Follower {
    /// A document has a new row.
    fn added(&mut self, id: u64, document: &NewDocument) -> Outcome<()>;
    /// A row is gone.
    fn removed(&mut self, id: u64) -> Outcome<()>;
}

/// How replacing a collection ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ended {
    /// The transaction is committed.
    Committed,
    /// The caller abandoned it, and nothing has changed.
    Abandoned,
    /// The collection was not what the caller took it for, and nothing has changed.
    Outdated,
}

/// Makes a collection hold what the entries say. Whatever goes wrong on the way takes everything back.
///
/// The entries are taken, and with that perhaps made, inside the transaction, while other writers wait. That is the price
/// of one generation: documents that were written before would have to be hidden from every reader, and be cleared away
/// after a crash. Readers do not wait, a caller with little to write has it at hand before it comes here, and replacing
/// much is rare.
pub(crate) fn replace(
    conn: &mut Connection,
    replacement: Replacement<'_>,
    follower: &mut dyn Follower,
) -> Outcome<Ended> {
    let Replacement { collection, before, is_said_anew, entries } = replacement;
    let mut batch = Batch::begin(conn)?;
    let known = rows::collections(&batch.tx)?.into_iter().find(|known| known.name == collection.name);
    if known.as_ref() != before {
        return Ok(Ended::Outdated);
    }
    let row = batch.put_collection(collection, is_said_anew)?;
    let mut left = documents_of(&batch, row)?;
    let mut failed = failures_of(&batch, row)?;
    for entry in entries {
        match entry {
            Err(Abandoned) => return Ok(Ended::Abandoned),
            Ok(Entry::Put(document)) => {
                check_place(&document.collection, collection)?;
                left.remove(&document.path);
                failed.remove(&document.path);
                batch.put(&document, 0)?;
                tell(&mut batch, follower, Some(&document))?;
            }
            Ok(Entry::Keep { id, stat }) => {
                let Some(path) = path_of(&batch, row, id.0)? else { return Ok(Ended::Outdated) };
                left.remove(&path);
                batch.touch(&collection.name, &path, &stat)?;
            }
            Ok(Entry::Fail(failure)) => {
                check_place(&failure.collection, collection)?;
                left.remove(&failure.path);
                failed.remove(&failure.path);
                batch.fail(&failure)?;
                tell(&mut batch, follower, None)?;
            }
        }
    }
    for id in left.into_values() {
        batch.remove_document(id)?;
    }
    for path in failed {
        batch.clear_failure(row, &path)?;
    }
    tell(&mut batch, follower, None)?;
    batch.finish()?;
    Ok(Ended::Committed)
}

/// Passes on which rows came and went. `document` is the one that was put last.
fn tell(batch: &mut Batch<'_>, follower: &mut dyn Follower, document: Option<&NewDocument>) -> Outcome<()> {
    for id in batch.applied.removed.drain(..) {
        follower.removed(id)?;
    }
    for (id, _) in batch.applied.added.drain(..) {
        if let Some(document) = document {
            follower.added(id, document)?;
        }
    }
    Ok(())
}

fn check_place(name: &str, collection: &Collection) -> Outcome<()> {
    match name == collection.name {
        true => Ok(()),
        false => {
            Err(Fault::Internal(format!("an entry of `{name}` cannot be part of `{}`", collection.name)))
        }
    }
}

fn documents_of(batch: &Batch<'_>, collection: i64) -> Outcome<HashMap<String, u64>> {
    let mut statement = batch.tx.prepare_cached("SELECT path, id FROM documents WHERE collection_id = ?1")?;
    let rows = statement.query_map([collection], |row| Ok((row.get(0)?, row.get(1)?)))?;
    Ok(rows.collect::<Result<_, _>>()?)
}

fn failures_of(batch: &Batch<'_>, collection: i64) -> Outcome<HashSet<String>> {
    let mut statement = batch.tx.prepare_cached("SELECT path FROM failures WHERE collection_id = ?1")?;
    let rows = statement.query_map([collection], |row| row.get(0))?;
    Ok(rows.collect::<Result<_, _>>()?)
}

fn path_of(batch: &Batch<'_>, collection: i64, document: u64) -> Outcome<Option<String>> {
    let mut statement =
        batch.tx.prepare_cached("SELECT path FROM documents WHERE id = ?1 AND collection_id = ?2")?;
    Ok(statement.query_row(params![document, collection], |row| row.get(0)).optional()?)
}
