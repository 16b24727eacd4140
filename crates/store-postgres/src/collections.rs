//! Writing collections as a whole: made known, replaced, renamed, removed; each is one batch.

use std::collections::{BTreeSet, HashMap, HashSet};

use docent_index::{Abandoned, Change, Collection, Entry, FileStat, Generation, Replaced, Replacement};

use crate::batch::{Batch, Lock};
use crate::documents;
use crate::fault::{Fault, Outcome};
use crate::rows::{self, GenericClient};
use crate::segments;
use crate::shared::Shared;

/// Documents that are written at a time.
const AT_A_TIME: usize = 64;

/// Makes a collection known, or gives it another root, cut or word about itself. The last is content: what callers are
/// told of the collection depends on it.
pub(crate) async fn put(shared: &Shared, collection: &Collection) -> Outcome<Generation> {
    let names = BTreeSet::from([collection.name.as_str()]);
    let mut client = shared.link.sound_client().await?;
    let mut batch = Batch::begin(&mut client, shared, &names, &names, Lock::Alone).await?;
    let said = batch.held(&collection.name).map(|held| held.said.about.clone()).unwrap_or_default();
    batch.know(&collection.name, Some(collection)).await?;
    batch.documents_changed = said != collection.about;
    batch.finish(true).await
}

/// Gives a collection another name. The documents' rows stay; they are touched so that every view reads the name anew.
pub(crate) async fn rename(shared: &Shared, from: &str, to: &str) -> Outcome<Generation> {
    let mut client = shared.link.sound_client().await?;
    let names = BTreeSet::from([from, to]);
    let mut batch = Batch::begin(&mut client, shared, &names, &BTreeSet::new(), Lock::Alone).await?;
    let Some(id) = batch.held(from).filter(|held| held.is_known).map(|held| held.id) else {
        return Err(Fault::NoCollection(from.to_owned()));
    };
    match batch.held(to) {
        Some(taken) if taken.is_known => return Err(Fault::CollectionExists(to.to_owned())),
        Some(unused) => {
            batch.tx.execute("DELETE FROM docent.collections WHERE id = $1", &[&unused.id]).await?;
        }
        None => {}
    }
    batch.tx.execute("UPDATE docent.collections SET name = $2 WHERE id = $1", &[&id, &to]).await?;
    batch
        .tx
        .execute(
            "UPDATE docent.documents SET changed = $2 WHERE collection_id = $1 AND died IS NULL",
            &[&id, &batch.number],
        )
        .await?;
    batch.changed = true;
    // Callers name collections and are told names: cursors and lists of before are outdated.
    batch.documents_changed = true;
    batch.finish(true).await
}

/// Drops a collection and its documents.
pub(crate) async fn remove(shared: &Shared, name: &str) -> Outcome<Generation> {
    let mut client = shared.link.sound_client().await?;
    let mut batch =
        Batch::begin(&mut client, shared, &BTreeSet::from([name]), &BTreeSet::new(), Lock::Alone).await?;
    let Some(id) = batch.held(name).filter(|held| held.is_known).map(|held| held.id) else {
        return batch.finish(true).await;
    };
    let gone: Vec<(i32, i64)> =
        documents_of(&batch, id).await?.into_values().map(|(document, _)| (id, document)).collect();
    batch.remove(&gone).await?;
    batch.tx.execute("DELETE FROM docent.failures WHERE collection_id = $1", &[&id]).await?;
    batch
        .tx
        .execute(
            "UPDATE docent.segments SET died = $2 WHERE collection_id = $1 AND died IS NULL",
            &[&id, &batch.number],
        )
        .await?;
    batch
        .tx
        .execute(
            "UPDATE docent.collections SET known = false, root = '', cut = '', about = '' WHERE id = $1",
            &[&id],
        )
        .await?;
    batch.changed = true;
    batch.finish(true).await
}

/// Makes a collection hold what the entries say. Whatever goes wrong on the way takes everything back.
///
/// The entries are taken, and with that perhaps made, inside the transaction, while other writers of this collection wait.
pub(crate) async fn replace(shared: &Shared, replacement: Replacement<'_>) -> Outcome<Replaced> {
    let Replacement { collection, before, is_said_anew, entries } = replacement;
    let names = BTreeSet::from([collection.name.as_str()]);
    let mut client = shared.link.sound_client().await?;
    let mut batch = Batch::begin(&mut client, shared, &names, &names, Lock::Alone).await?;
    let held = batch.held(&collection.name).filter(|held| held.is_known).map(|held| held.said.clone());
    if held.as_ref() != before {
        return Ok(Replaced::Outdated);
    }
    let row = batch.know(&collection.name, Some(collection)).await?;
    let said = held.map(|held| held.about).unwrap_or_default();
    batch.documents_changed |= is_said_anew && said != collection.about;
    let mut left = documents_of(&batch, row).await?;
    let paths: HashMap<i64, String> = left.iter().map(|(path, (id, _))| (*id, path.clone())).collect();
    let mut failed = failures_of(&batch, row).await?;
    let mut writing = Writing { row, changes: Vec::new(), touched: Vec::new() };
    for entry in entries {
        match entry {
            Err(Abandoned) => return Ok(Replaced::Abandoned),
            Ok(Entry::Put(document)) => {
                check_place(&document.collection, collection)?;
                left.remove(&document.path);
                failed.remove(&document.path);
                writing.changes.push(Change::Put(document));
            }
            Ok(Entry::Keep { id, stat }) => {
                let id = id.0 as i64;
                let Some(path) = paths.get(&id) else { return Ok(Replaced::Outdated) };
                if let Some((_, held)) = left.remove(path)
                    && held != stat
                {
                    writing.touched.push((row, id, stat));
                }
            }
            Ok(Entry::Fail(failure)) => {
                check_place(&failure.collection, collection)?;
                left.remove(&failure.path);
                failed.remove(&failure.path);
                writing.changes.push(Change::Fail(failure));
            }
        }
        if writing.changes.len() >= AT_A_TIME {
            writing.write(&mut batch).await?;
        }
    }
    writing.write(&mut batch).await?;
    let gone: Vec<(i32, i64)> = left.into_values().map(|(id, _)| (row, id)).collect();
    batch.remove(&gone).await?;
    let cleared: Vec<(i32, String)> = failed.into_iter().map(|path| (row, path)).collect();
    documents::clear_failures(&mut batch, &cleared).await?;
    Ok(Replaced::Done(batch.finish(true).await?))
}

/// What is to be written next.
struct Writing {
    row: i32,
    changes: Vec<Change>,
    touched: Vec<(i32, i64, FileStat)>,
}

impl Writing {
    async fn write(&mut self, batch: &mut Batch<'_>) -> Outcome<()> {
        let changes: Vec<&Change> = self.changes.iter().collect();
        documents::apply(batch, &changes).await?;
        documents::touch(batch, &self.touched).await?;
        self.changes.clear();
        self.touched.clear();
        // A large collection must not be held in memory: what makes a segment is written.
        let words =
            batch.words.get(&self.row).map_or(0, |words| words.iter().map(|words| words.chunk_count()).sum());
        if words >= segments::MOST {
            let words = batch.words.remove(&self.row).unwrap_or_default();
            segments::write(&batch.tx, batch.number, self.row, words).await?;
            batch.words.insert(self.row, Vec::new());
        }
        Ok(())
    }
}

fn check_place(name: &str, collection: &Collection) -> Outcome<()> {
    match name == collection.name {
        true => Ok(()),
        false => {
            Err(Fault::Internal(format!("an entry of `{name}` cannot be part of `{}`", collection.name)))
        }
    }
}

async fn documents_of(batch: &Batch<'_>, collection: i32) -> Outcome<HashMap<String, (i64, FileStat)>> {
    let rows = batch
        .tx
        .query(
            "SELECT path, id, size, mtime_ns, ctime_ns, inode, settled FROM docent.documents
             WHERE collection_id = $1 AND died IS NULL",
            &[&collection],
        )
        .await?;
    Ok(rows.iter().map(|row| (row.get(0), (row.get(1), rows::stat(row, 2)))).collect())
}

async fn failures_of(batch: &Batch<'_>, collection: i32) -> Outcome<HashSet<String>> {
    let rows =
        batch.tx.query("SELECT path FROM docent.failures WHERE collection_id = $1", &[&collection]).await?;
    Ok(rows.iter().map(|row| row.get(0)).collect())
}

/// Makes every document of a collection look as if it had changed.
pub(crate) async fn distrust(shared: &Shared, name: &str) -> Outcome<()> {
    let client = shared.link.sound_client().await?;
    client
        .execute(
            "UPDATE docent.documents SET fingerprint = ''
             WHERE died IS NULL AND collection_id IN (SELECT id FROM docent.collections WHERE name = $1)",
            &[&name],
        )
        .await?;
    Ok(())
}
