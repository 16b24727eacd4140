//! Vectors in the record: which passage has which row of a model's file, and which have none yet.
//!
//! Rows are on disk before the record names them. Passages are numbered in the order they came, and everything below a
//! model's `pending_from` has a vector, so finding the next ones does not walk through all that are done.

use std::collections::{HashMap, HashSet};
use std::path::Path;

use docent_index::{Model, PassageHash, PassageId, Pending, PendingPassage, QuantisedVector};
use rusqlite::{Connection, Row, Transaction, TransactionBehavior, params};

use crate::fault::{Fault, Outcome};
use crate::rows::{self, ModelRow};
use crate::vectors::{self, RowMap};
use docent_store_common::keys;

/// A file is written anew when so many of its rows are dead, and more than this share.
const DEAD_ROWS: usize = 1000;
const DEAD_PERCENT: usize = 30;
/// Rows copied at a time.
const COPIED: usize = 8192;

const PENDING: &str = "
    SELECT p.id, p.hash, p.text FROM passages p
    WHERE p.id >= ?1 AND NOT EXISTS (SELECT 1 FROM vectors v WHERE v.passage = p.id AND v.model = ?2)
      AND NOT EXISTS (SELECT 1 FROM tombstones t WHERE t.document_id = p.id >> ?4)
    ORDER BY p.id LIMIT ?3";

/// Goes from document to document, so that passages of other collections are not looked at.
const PENDING_IN: &str = "
    SELECT p.id, p.hash, p.text FROM documents d CROSS JOIN passages p
    WHERE d.id >= ?1 >> ?5
      AND d.collection_id IN (
          SELECT c.id FROM collections c WHERE c.name IN (SELECT value FROM json_each(?4)))
      AND p.id >= max(?1, d.id << ?5) AND p.id < (d.id + 1) << ?5
      AND NOT EXISTS (SELECT 1 FROM vectors v WHERE v.passage = p.id AND v.model = ?2)
    ORDER BY d.id, p.id LIMIT ?3";

/// Passages with no vector of `model` that are asked for, oldest first.
pub(crate) fn pending(
    conn: &Connection,
    model: &Model,
    asked: Pending<'_>,
    limit: usize,
) -> Outcome<Vec<PendingPassage>> {
    let known = find(conn, model)?;
    let (id, from) = known.map_or((0, 0), |model| (model.id, model.pending_from));
    let after = asked.after.map_or(0, |after| i64::try_from(after.0).unwrap_or(i64::MAX).saturating_add(1));
    let (from, limit) = (from.max(after), i64::try_from(limit).unwrap_or(i64::MAX));
    let passage = |row: &Row<'_>| {
        Ok(PendingPassage { id: PassageId(row.get(0)?), hash: PassageHash(row.get(1)?), text: row.get(2)? })
    };
    let Some(collections) = asked.collections else {
        let mut statement = conn.prepare_cached(PENDING)?;
        let found = statement.query_map(params![from, id, limit, keys::DOCUMENT_SHIFT], passage)?;
        return Ok(found.collect::<Result<_, _>>()?);
    };
    let names = serde_json::json!(collections).to_string();
    let mut statement = conn.prepare_cached(PENDING_IN)?;
    let found = statement.query_map(params![from, id, limit, names, keys::DOCUMENT_SHIFT], passage)?;
    Ok(found.collect::<Result<_, _>>()?)
}

/// Keeps vectors as one generation; nothing happens when none of them is wanted.
pub(crate) fn put(
    conn: &mut Connection,
    dir: &Path,
    model: &Model,
    new: &[(PassageId, QuantisedVector)],
) -> Outcome<()> {
    let tx = conn.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let new: Vec<_> = new.iter().map(|(passage, vector)| (*passage, vector)).collect();
    match put_along(&tx, dir, model, &new)? {
        true => finish(tx),
        false => Ok(()),
    }
}

/// The same as part of a transaction that has other things to write, too; says whether any was wanted.
pub(crate) fn put_along(
    tx: &Transaction<'_>,
    dir: &Path,
    model: &Model,
    new: &[(PassageId, &QuantisedVector)],
) -> Outcome<bool> {
    if let Some((_, odd)) = new.iter().find(|(_, vector)| vector.values.len() != model.dimensions) {
        let detail = format!("{} gave {} numbers, not {}", model.id, odd.values.len(), model.dimensions);
        return Err(Fault::Internal(detail));
    }
    let known = find(tx, model)?;
    let wanted = wanted(tx, known.as_ref(), new)?;
    if wanted.is_empty() {
        return Ok(false);
    }
    let held = match known {
        Some(held) => held,
        None => register(tx, dir, model)?,
    };
    vectors::append(dir, &held, wanted.iter().map(|(_, vector)| *vector))?;
    let mut insert = tx.prepare_cached("INSERT INTO vectors (model, number, passage) VALUES (?1, ?2, ?3)")?;
    for (offset, (passage, _)) in wanted.iter().enumerate() {
        insert.execute(params![held.id, held.row_count + offset, passage.0])?;
    }
    drop(insert);
    tx.execute(
        "UPDATE models SET row_count = ?2, pending_from = ?3 WHERE id = ?1",
        params![held.id, held.row_count + wanted.len(), first_pending(tx, &held)?],
    )?;
    Ok(true)
}

/// The passages of these documents for whose hashes there is a vector.
pub(crate) fn at_hand<'v>(
    tx: &Transaction<'_>,
    documents: impl Iterator<Item = u64>,
    vectors: &'v HashMap<PassageHash, QuantisedVector>,
) -> Outcome<Vec<(PassageId, &'v QuantisedVector)>> {
    let mut found = Vec::new();
    let mut statement = tx.prepare_cached("SELECT id, hash FROM passages WHERE id BETWEEN ?1 AND ?2")?;
    for document in documents {
        let range = keys::passages_of(document);
        let mut rows = statement.query([range.start(), range.end()])?;
        while let Some(row) = rows.next()? {
            if let Some(vector) = vectors.get(&PassageHash(row.get(1)?)) {
                found.push((PassageId(row.get(0)?), vector));
            }
        }
    }
    Ok(found)
}

/// Drops the vectors of every other model.
pub(crate) fn retire_others(conn: &mut Connection, dir: &Path, model: &Model) -> Outcome<()> {
    let others: Vec<_> = rows::models(conn)?.into_iter().filter(|other| other.name != model.id).collect();
    forget(conn, dir, &others)
}

/// Drops the vectors of models whose file is not what was written; their passages are pending again. Says which.
pub(crate) fn forget_damaged(conn: &mut Connection, dir: &Path) -> Outcome<Vec<String>> {
    let mut damaged = rows::models(conn)?;
    damaged.retain(|model| RowMap::open(dir, model).is_err());
    forget(conn, dir, &damaged)?;
    Ok(damaged.into_iter().map(|model| model.name).collect())
}

/// Writes files anew that are mostly dead rows.
pub(crate) fn compact(conn: &mut Connection, dir: &Path) -> Outcome<()> {
    for model in rows::models(conn)? {
        let live: usize = conn
            .prepare_cached("SELECT count(*) FROM vectors WHERE model = ?1")?
            .query_row([model.id], |row| row.get(0))?;
        let dead = model.row_count.saturating_sub(live);
        if dead > DEAD_ROWS && dead * 100 > model.row_count * DEAD_PERCENT {
            rewrite(conn, dir, &model)?;
        }
    }
    Ok(())
}

/// Writes files anew that have any dead row, or more rows than are known.
pub(crate) fn rewrite_all(conn: &mut Connection, dir: &Path) -> Outcome<()> {
    for model in rows::models(conn)? {
        let live: usize = conn
            .prepare_cached("SELECT count(*) FROM vectors WHERE model = ?1")?
            .query_row([model.id], |row| row.get(0))?;
        if model.row_count != live || vectors::has_unknown_rows(dir, &model)? {
            rewrite(conn, dir, &model)?;
        }
    }
    Ok(vectors::remove_unused(dir, &rows::models(conn)?)?)
}

fn find(conn: &Connection, model: &Model) -> Outcome<Option<ModelRow>> {
    let found = rows::models(conn)?.into_iter().find(|row| row.name == model.id);
    if let Some(row) = &found
        && row.dimensions != model.dimensions
    {
        let detail = format!("{} has {} dimensions here, not {}", model.id, row.dimensions, model.dimensions);
        return Err(Fault::Internal(detail));
    }
    Ok(found)
}

/// Vectors of passages that exist and have none, each once.
fn wanted<'a>(
    tx: &Transaction<'_>,
    model: Option<&ModelRow>,
    new: &[(PassageId, &'a QuantisedVector)],
) -> Outcome<Vec<(PassageId, &'a QuantisedVector)>> {
    let mut exists = tx.prepare_cached("SELECT 1 FROM passages WHERE id = ?1")?;
    let mut has = tx.prepare_cached("SELECT 1 FROM vectors WHERE passage = ?1 AND model = ?2")?;
    let mut seen = HashSet::new();
    let mut wanted = Vec::with_capacity(new.len());
    for (passage, vector) in new {
        let is_new = match model {
            Some(model) => !has.exists(params![passage.0, model.id])?,
            None => true,
        };
        if is_new && seen.insert(*passage) && exists.exists([passage.0])? {
            wanted.push((*passage, *vector));
        }
    }
    Ok(wanted)
}

fn register(tx: &Transaction<'_>, dir: &Path, model: &Model) -> Outcome<ModelRow> {
    let file = next_file(tx)?;
    tx.execute(
        "INSERT INTO models (name, dimensions, file, row_count, pending_from) VALUES (?1, ?2, ?3, 0, 0)",
        params![model.id, model.dimensions, file],
    )?;
    let held = ModelRow {
        id: tx.last_insert_rowid(),
        name: model.id.clone(),
        dimensions: model.dimensions,
        file,
        row_count: 0,
        pending_from: 0,
    };
    vectors::create(dir, &held)?;
    Ok(held)
}

fn next_file(tx: &Transaction<'_>) -> Outcome<u64> {
    Ok(tx.query_row("UPDATE state SET next_file = next_file + 1 RETURNING next_file - 1", [], |row| {
        row.get(0)
    })?)
}

fn first_pending(tx: &Transaction<'_>, model: &ModelRow) -> Outcome<i64> {
    let first: Option<i64> = tx
        .prepare_cached(
            "SELECT coalesce(
                 (SELECT p.id FROM passages p
                  WHERE p.id >= ?1
                    AND NOT EXISTS (SELECT 1 FROM vectors v WHERE v.passage = p.id AND v.model = ?2)
                  ORDER BY p.id LIMIT 1),
                 (SELECT max(id) + 1 FROM passages))",
        )?
        .query_row(params![model.pending_from, model.id], |row| row.get(0))?;
    Ok(first.unwrap_or(model.pending_from))
}

fn forget(conn: &mut Connection, dir: &Path, models: &[ModelRow]) -> Outcome<()> {
    if models.is_empty() {
        return Ok(());
    }
    let tx = conn.transaction_with_behavior(TransactionBehavior::Immediate)?;
    for model in models {
        tx.execute("DELETE FROM vectors WHERE model = ?1", [model.id])?;
        tx.execute("DELETE FROM models WHERE id = ?1", [model.id])?;
    }
    finish(tx)?;
    vectors::remove_unused(dir, &rows::models(conn)?)?;
    Ok(())
}

fn rewrite(conn: &mut Connection, dir: &Path, model: &ModelRow) -> Outcome<()> {
    let tx = conn.transaction_with_behavior(TransactionBehavior::Immediate)?;
    // In the order of their passages, so that a scan meets a document's rows side by side.
    let mut rows: Vec<(u64, usize)> = Vec::with_capacity(model.row_count);
    rows::vectors_from(&tx, model.id, 0, |number, passage| rows.push((passage, number)))?;
    rows.sort_unstable();
    let old = RowMap::open(dir, model)?;
    let mut new = ModelRow { file: next_file(&tx)?, row_count: 0, ..model.clone() };
    vectors::create(dir, &new)?;
    for part in rows.chunks(COPIED) {
        let bytes: Vec<u8> =
            part.iter().filter_map(|(_, number)| old.raw(*number)).flatten().copied().collect();
        vectors::append_raw(dir, &new, &bytes)?;
        new.row_count += part.len();
    }
    tx.execute("DELETE FROM vectors WHERE model = ?1", [model.id])?;
    let mut insert = tx.prepare_cached("INSERT INTO vectors (model, number, passage) VALUES (?1, ?2, ?3)")?;
    for (number, (passage, _)) in rows.iter().enumerate() {
        insert.execute(params![model.id, number, passage])?;
    }
    drop(insert);
    tx.execute(
        "UPDATE models SET file = ?2, row_count = ?3 WHERE id = ?1",
        params![model.id, new.file, new.row_count],
    )?;
    finish(tx)?;
    vectors::remove_unused(dir, &rows::models(conn)?)?;
    Ok(())
}

fn finish(tx: Transaction<'_>) -> Outcome<()> {
    tx.execute("UPDATE state SET generation = generation + 1", [])?;
    tx.commit()?;
    Ok(())
}
