//! Writing the record: one batch is one transaction and one generation.
//!
//! Replacing a document gives it a new row and leaves a tombstone for the old one; the tombstone is how derived parts
//! learn what to drop. Vectors of passages whose text did not change move to the new version at once, so that an edit
//! costs only the passages it touched.

use std::collections::HashMap;
use std::time::{SystemTime, UNIX_EPOCH};

use docent_index::{Change, Collection, FileStat, NewDocument};
use docent_store_common::{PIECE, check_shape, fingerprint, keys};
use rusqlite::{Connection, OptionalExtension, Transaction, TransactionBehavior, params};

use crate::fault::{Fault, Outcome};
use crate::rows;

/// Tombstones kept for others to catch up with; who is further behind reads everything anew.
const MAX_TOMBSTONES: usize = 200_000;

/// Rows of vector files, as (model, number), by the hash of the passage they belong to.
type VectorsByHash = HashMap<[u8; 16], Vec<(i64, i64)>>;

/// What a batch did.
#[derive(Debug, Default)]
pub(crate) struct Applied {
    /// New rows, each with the index of the change that made it.
    pub(crate) added: Vec<(u64, usize)>,
    /// Rows that went.
    pub(crate) removed: Vec<u64>,
}

/// Applies `changes` as one generation; nothing happens when they change nothing. `along` writes what else belongs to the
/// new rows.
pub(crate) fn apply(
    conn: &mut Connection,
    changes: &[Change],
    along: impl FnOnce(&Transaction<'_>, &Applied) -> Outcome<()>,
) -> Outcome<Applied> {
    let mut batch = Batch::begin(conn)?;
    for (index, change) in changes.iter().enumerate() {
        match change {
            Change::Put(document) => batch.put(document, index)?,
            Change::Touch { collection, path, stat } => batch.touch(collection, path, stat)?,
            Change::Delete { collection, path } => batch.delete(collection, path)?,
            Change::Fail(failure) => batch.fail(failure)?,
        }
    }
    along(&batch.tx, &batch.applied)?;
    batch.finish()
}

/// A transaction on its way to be a generation.
pub(crate) struct Batch<'a> {
    pub(crate) tx: Transaction<'a>,
    pub(crate) generation: u64,
    collections: HashMap<String, i64>,
    pub(crate) changed: bool,
    /// Whether something changed that callers are told.
    pub(crate) documents_changed: bool,
    pub(crate) applied: Applied,
}

impl<'a> Batch<'a> {
    pub(crate) fn begin(conn: &'a mut Connection) -> Outcome<Self> {
        let tx = conn.transaction_with_behavior(TransactionBehavior::Immediate)?;
        let generation = rows::generation(&tx)? + 1;
        Ok(Self {
            tx,
            generation,
            collections: HashMap::new(),
            changed: false,
            documents_changed: false,
            applied: Applied::default(),
        })
    }

    pub(crate) fn finish(self) -> Outcome<Applied> {
        if !self.changed {
            return Ok(Applied::default());
        }
        if self.documents_changed {
            self.tx.execute("UPDATE state SET documents_generation = ?1", [self.generation])?;
            bound_tombstones(&self.tx, self.generation)?;
        }
        self.tx.execute(
            "UPDATE state SET generation = ?1, last_applied_ms = ?2",
            params![self.generation, now_ms()],
        )?;
        self.tx.commit()?;
        // A document that was put twice in one batch has left its first row again.
        Ok(self.applied)
    }

    pub(crate) fn put(&mut self, document: &NewDocument, index: usize) -> Outcome<()> {
        check_shape(document).map_err(Fault::Internal)?;
        let collection = self.collection(&document.collection)?;
        self.clear_failure(collection, &document.path)?;
        let fingerprint = fingerprint(document);
        let old: Option<(u64, String, Vec<u8>)> = self
            .tx
            .prepare_cached(
                "SELECT id, uuid, fingerprint FROM documents WHERE collection_id = ?1 AND path = ?2",
            )?
            .query_row(params![collection, document.path], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))
            .optional()?;
        let uuid = match old {
            Some((_, _, held)) if held == fingerprint => {
                return self.touch(&document.collection, &document.path, &document.stat);
            }
            Some((id, uuid, _)) => {
                let vectors = self.vectors_by_hash(id)?;
                self.remove_document(id)?;
                return self.insert(document, collection, &uuid, &fingerprint, index, vectors);
            }
            None => document.uuid.clone().unwrap_or_else(|| uuid::Uuid::new_v4().to_string()),
        };
        self.insert(document, collection, &uuid, &fingerprint, index, VectorsByHash::new())
    }

    fn insert(
        &mut self,
        document: &NewDocument,
        collection: i64,
        uuid: &str,
        fingerprint: &[u8],
        index: usize,
        mut vectors: VectorsByHash,
    ) -> Outcome<()> {
        let chunks = &document.chunks;
        let passages: usize =
            chunks.iter().filter(|chunk| chunk.searchable).map(|chunk| chunk.passages.len()).sum();
        let characters: u64 = chunks.iter().map(|chunk| u64::from(chunk.char_count)).sum();
        let hidden: Vec<usize> = (0..chunks.len()).filter(|ordinal| !chunks[*ordinal].searchable).collect();
        let stat = &document.stat;
        self.tx
            .prepare_cached(
                "INSERT INTO documents (uuid, collection_id, path, title, content_hash, text_hash, fingerprint, size,
                     mtime_ns, ctime_ns, inode, settled, headings, facets, chunk_count, passage_count, char_count,
                     hidden, generation, touched, details, pages)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, ?19, ?20,
                     ?21)",
            )?
            .execute(params![
                uuid,
                collection,
                document.path,
                document.title,
                document.content_hash.0,
                blake3::hash(document.text.as_bytes()).as_bytes(),
                fingerprint,
                stat.size,
                stat.mtime_ns,
                stat.ctime_ns,
                stat.inode as i64,
                stat.settled,
                serde_json::to_string(&document.headings)?,
                serde_json::to_string(&document.facets)?,
                chunks.len(),
                passages,
                characters,
                serde_json::to_string(&hidden)?,
                self.generation,
                document.details,
                serde_json::to_string(&document.pages)?,
            ])?;
        let id = self.tx.last_insert_rowid() as u64;

        let mut text = self.tx.prepare_cached("INSERT INTO texts (id, bytes) VALUES (?1, ?2)")?;
        for (number, piece) in document.text.as_bytes().chunks(PIECE).enumerate() {
            text.execute(params![keys::chunk_key(id, number), piece])?;
        }
        let mut chunk_row = self.tx.prepare_cached(
            "INSERT INTO chunks (id, chunk_id, heading_path, heading_level, start_line, end_line, char_count,
                 start_byte, end_byte, searchable) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)",
        )?;
        let mut passage_row =
            self.tx.prepare_cached("INSERT INTO passages (id, hash, text) VALUES (?1, ?2, ?3)")?;
        let mut vector_row =
            self.tx.prepare_cached("UPDATE vectors SET passage = ?3 WHERE model = ?1 AND number = ?2")?;
        for (ordinal, chunk) in chunks.iter().enumerate() {
            let key = keys::chunk_key(id, ordinal);
            chunk_row.execute(params![
                key,
                chunk.chunk_id,
                chunk.heading_path,
                chunk.heading_level,
                chunk.start_line,
                chunk.end_line,
                chunk.char_count,
                chunk.bytes.start,
                chunk.bytes.end,
                chunk.searchable,
            ])?;
            if !chunk.searchable {
                continue;
            }
            for (number, passage) in chunk.passages.iter().enumerate() {
                let passage_key = keys::passage_key(key, number);
                passage_row.execute(params![passage_key, passage.hash.0, passage.text])?;
                let Some(held) = vectors.get_mut(&passage.hash.0) else { continue };
                for (model, number) in one_of_each_model(held) {
                    vector_row.execute(params![model, number, passage_key])?;
                }
            }
        }
        self.applied.added.push((id, index));
        self.changed = true;
        self.documents_changed = true;
        Ok(())
    }

    pub(crate) fn touch(&mut self, collection: &str, path: &str, stat: &FileStat) -> Outcome<()> {
        let Some(collection) = self.known_collection(collection)? else { return Ok(()) };
        let changed = self
            .tx
            .prepare_cached(
                "UPDATE documents SET size = ?3, mtime_ns = ?4, ctime_ns = ?5, inode = ?6, settled = ?7, touched = ?8
                 WHERE collection_id = ?1 AND path = ?2
                   AND (size, mtime_ns, ctime_ns, inode, settled) IS NOT (?3, ?4, ?5, ?6, ?7)",
            )?
            .execute(params![
                collection,
                path,
                stat.size,
                stat.mtime_ns,
                stat.ctime_ns,
                stat.inode as i64,
                stat.settled,
                self.generation
            ])?;
        self.changed |= changed > 0;
        Ok(())
    }

    fn delete(&mut self, collection: &str, path: &str) -> Outcome<()> {
        let Some(collection) = self.known_collection(collection)? else { return Ok(()) };
        self.clear_failure(collection, path)?;
        self.remove_at(collection, path)
    }

    pub(crate) fn fail(&mut self, failure: &docent_index::Failure) -> Outcome<()> {
        let collection = self.collection(&failure.collection)?;
        self.remove_at(collection, &failure.path)?;
        let stat = &failure.stat;
        let changed = self
            .tx
            .prepare_cached(
                "INSERT INTO failures (collection_id, path, reason, size, mtime_ns, ctime_ns, inode, settled)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)
                 ON CONFLICT DO UPDATE SET reason = ?3, size = ?4, mtime_ns = ?5, ctime_ns = ?6, inode = ?7, settled = ?8
                 WHERE (reason, size, mtime_ns, ctime_ns, inode, settled) IS NOT (?3, ?4, ?5, ?6, ?7, ?8)",
            )?
            .execute(params![
                collection,
                failure.path,
                failure.reason,
                stat.size,
                stat.mtime_ns,
                stat.ctime_ns,
                stat.inode as i64,
                stat.settled
            ])?;
        self.changed |= changed > 0;
        Ok(())
    }

    fn remove_at(&mut self, collection: i64, path: &str) -> Outcome<()> {
        let id = self
            .tx
            .prepare_cached("SELECT id FROM documents WHERE collection_id = ?1 AND path = ?2")?
            .query_row(params![collection, path], |row| row.get(0))
            .optional()?;
        match id {
            Some(id) => self.remove_document(id),
            None => Ok(()),
        }
    }

    /// Takes a document out. Readers of older views go on reading its other rows, see [`leftovers`](crate::leftovers).
    pub(crate) fn remove_document(&mut self, id: u64) -> Outcome<()> {
        self.tx.prepare_cached("DELETE FROM documents WHERE id = ?1")?.execute([id])?;
        self.tx
            .prepare_cached("INSERT INTO tombstones (document_id, generation) VALUES (?1, ?2)")?
            .execute(params![id, self.generation])?;
        // A row of this very batch is of no interest to anyone once it is gone again.
        self.applied.added.retain(|(added, _)| *added != id);
        self.applied.removed.push(id);
        self.changed = true;
        self.documents_changed = true;
        Ok(())
    }

    pub(crate) fn clear_failure(&mut self, collection: i64, path: &str) -> Outcome<()> {
        let cleared = self
            .tx
            .prepare_cached("DELETE FROM failures WHERE collection_id = ?1 AND path = ?2")?
            .execute(params![collection, path])?;
        self.changed |= cleared > 0;
        Ok(())
    }

    /// Vector rows of a document by the hash of their passage. Passages with equal texts share the entry.
    fn vectors_by_hash(&self, document: u64) -> Outcome<VectorsByHash> {
        let range = keys::passages_of(document);
        let mut statement = self.tx.prepare_cached(
            "SELECT p.hash, v.model, v.number FROM passages p JOIN vectors v ON v.passage = p.id
             WHERE p.id BETWEEN ?1 AND ?2",
        )?;
        let mut rows = statement.query([range.start(), range.end()])?;
        let mut vectors = VectorsByHash::new();
        while let Some(row) = rows.next()? {
            vectors.entry(row.get(0)?).or_default().push((row.get(1)?, row.get(2)?));
        }
        Ok(vectors)
    }

    /// Writes a collection's row and returns its number. `is_content` says whether another word about it is content.
    pub(crate) fn put_collection(&mut self, collection: &Collection, is_content: bool) -> Outcome<i64> {
        let about: Option<String> = self
            .tx
            .query_row("SELECT about FROM collections WHERE name = ?1", [&collection.name], |row| row.get(0))
            .optional()?;
        let changed = self.tx.execute(
            "INSERT INTO collections (name, root, cut, about) VALUES (?1, ?2, ?3, ?4)
             ON CONFLICT (name) DO UPDATE SET root = excluded.root, cut = excluded.cut, about = excluded.about
             WHERE root <> excluded.root OR cut <> excluded.cut OR about <> excluded.about",
            [&collection.name, &collection.root, &collection.cut, &collection.about],
        )?;
        self.changed |= changed > 0;
        self.documents_changed |= is_content && about.unwrap_or_default() != collection.about;
        self.collection(&collection.name)
    }

    pub(crate) fn known_collection(&mut self, name: &str) -> Outcome<Option<i64>> {
        if let Some(id) = self.collections.get(name) {
            return Ok(Some(*id));
        }
        let found = self
            .tx
            .prepare_cached("SELECT id FROM collections WHERE name = ?1")?
            .query_row([name], |row| row.get(0))
            .optional()?;
        if let Some(id) = found {
            self.collections.insert(name.to_owned(), id);
        }
        Ok(found)
    }

    fn collection(&mut self, name: &str) -> Outcome<i64> {
        if let Some(id) = self.known_collection(name)? {
            return Ok(id);
        }
        self.tx.execute("INSERT INTO collections (name, root, cut) VALUES (?1, '', '')", [name])?;
        let id = self.tx.last_insert_rowid();
        self.collections.insert(name.to_owned(), id);
        self.changed = true;
        Ok(id)
    }
}

/// Takes one row of each model; a row serves one passage only.
fn one_of_each_model(held: &mut Vec<(i64, i64)>) -> Vec<(i64, i64)> {
    let mut taken: Vec<(i64, i64)> = Vec::new();
    held.retain(|(model, number)| {
        let is_first = taken.iter().all(|(other, _)| other != model);
        if is_first {
            taken.push((*model, *number));
        }
        !is_first
    });
    taken
}

/// Forgets the oldest tombstones when there are too many; never those of `generation`, whose rows are there still.
fn bound_tombstones(tx: &Transaction<'_>, generation: u64) -> Outcome<()> {
    let count: usize = tx.query_row("SELECT count(*) FROM tombstones", [], |row| row.get(0))?;
    if count <= MAX_TOMBSTONES {
        return Ok(());
    }
    let floor: u64 = tx.query_row(
        "SELECT generation FROM tombstones ORDER BY generation LIMIT 1 OFFSET ?1",
        [count / 2],
        |row| row.get(0),
    )?;
    let floor = floor.min(generation - 1);
    tx.execute("DELETE FROM tombstones WHERE generation <= ?1", [floor])?;
    tx.execute("UPDATE state SET tombstone_floor = ?1", [floor])?;
    Ok(())
}

fn now_ms() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
}
