//! One collection of an index as an index of its own, in a form that depends on nothing but the content.
//!
//! Rows are numbered anew in the order of their paths, names and numbers that are random elsewhere are made from the
//! content, and what the file system said of the files stays behind. So the same documents give the same bytes, whoever
//! indexed them, in whatever order, as often as they like. What is written can be read with
//! [`BuiltStore`](crate::BuiltStore) once the marker is beside it.

use std::collections::{BTreeMap, HashMap};
use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::ops::Range;
use std::path::Path;

use docent_index::{Model, StoreError};
use docent_store_common::keys;
use rusqlite::types::ToSqlOutput;
use rusqlite::{Connection, Row, Statement, ToSql, params};

use crate::damage::RECORD;
use crate::fault::{Fault, Outcome};
use crate::rows::{self, ModelRow};
use crate::store::EmbeddedStore;
use crate::vectors::{self, RowMap};
use crate::{canonical, schema};

const DRAFT: &str = "draft.sqlite";
/// The generation of every row: all of them came at once.
const GENERATION: u64 = 1;
/// Numbers that every reader of JSON keeps exactly.
const ID_BITS: u32 = 48;

/// What to export.
#[derive(Debug, Clone, Copy)]
pub struct Export<'a> {
    /// Name of the collection.
    pub collection: &'a str,
    /// The model whose vectors go along; every passage must have one.
    pub model: Option<&'a Model>,
}

/// What was exported.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Exported {
    /// Format of the index.
    pub format: u32,
    /// Made from the content.
    pub id: String,
    /// Documents.
    pub documents: usize,
    /// Chunks.
    pub chunks: usize,
    /// Passages.
    pub passages: usize,
    /// Milliseconds since 1970 of each file's last change, by path. They are not part of what was written.
    pub modified_ms: BTreeMap<String, i64>,
}

impl EmbeddedStore {
    /// Writes one collection into the empty folder `target`.
    pub fn export(&self, what: &Export<'_>, target: &Path) -> Result<Exported, StoreError> {
        let files = self.files()?;
        let outcome = files.reading(|from| {
            let draft = Connection::open(target.join(DRAFT))?;
            let exported = Exporter::new(from, &draft, what, &files.dir, target)?.run()?;
            // Written once more, table by table and without a gap.
            draft.execute("VACUUM INTO ?1", [path_text(&target.join(RECORD))?])?;
            drop(draft);
            fs::remove_file(target.join(DRAFT))?;
            let record = schema::open_immutable(&target.join(RECORD))?;
            canonical::write_lexical(&record, target)?;
            Ok(exported)
        });
        outcome.map_err(|fault| fault.at(target))
    }
}

struct Exporter<'a> {
    from: &'a Connection,
    to: &'a Connection,
    collection: &'a str,
    vectors: Option<VectorCopy>,
    hash: blake3::Hasher,
    exported: Exported,
}

/// Rows of a model's vector file on their way into another.
struct VectorCopy {
    model: ModelRow,
    /// None when nothing was ever embedded.
    rows: Option<RowMap>,
    numbers: HashMap<u64, usize>,
    file: BufWriter<File>,
    written: usize,
}

impl<'a> Exporter<'a> {
    fn new(
        from: &'a Connection,
        to: &'a Connection,
        what: &Export<'a>,
        dir: &Path,
        target: &Path,
    ) -> Outcome<Self> {
        // Nobody reads the draft, and a draft that was not finished is thrown away.
        to.pragma_update(None, "journal_mode", "OFF")?;
        to.pragma_update(None, "synchronous", "OFF")?;
        // Vectors come before the row of their model, which counts them.
        to.pragma_update(None, "foreign_keys", false)?;
        let vectors = what.model.map(|model| VectorCopy::begin(from, model, dir, target)).transpose()?;
        let hash = blake3::Hasher::new();
        Ok(Self { from, to, collection: what.collection, vectors, hash, exported: Exported::default() })
    }

    fn run(mut self) -> Outcome<Exported> {
        let tx = self.to.unchecked_transaction()?;
        schema::make_tables(&tx, 0)?;
        self.collection_row()?;
        for (number, old) in self.documents()?.into_iter().enumerate() {
            let new = number as u64 + 1;
            self.document(old, new)?;
            self.texts(old, new)?;
            self.chunks(old, new)?;
            self.passages(old, new)?;
        }
        if let Some(vectors) = self.vectors.take() {
            self.model(vectors)?;
        }
        self.state()?;
        tx.commit()?;
        Ok(self.exported)
    }

    /// Adds to the hash of the content.
    fn note(&mut self, part: &[u8]) {
        self.hash.update(&(part.len() as u64).to_le_bytes());
        self.hash.update(part);
    }

    fn collection_row(&mut self) -> Outcome<()> {
        let known = rows::collections(self.from)?.into_iter().find(|known| known.name == self.collection);
        let known =
            known.ok_or_else(|| Fault::Internal(format!("there is no collection {}", self.collection)))?;
        for part in [&known.name, &known.cut, &known.about] {
            self.note(part.as_bytes());
        }
        self.to.execute(
            "INSERT INTO collections (id, name, root, cut, about) VALUES (1, ?1, '', ?2, ?3)",
            [&known.name, &known.cut, &known.about],
        )?;
        Ok(())
    }

    /// Rows of the documents, by path.
    fn documents(&self) -> Outcome<Vec<u64>> {
        let mut statement = self.from.prepare(
            "SELECT d.id FROM documents d JOIN collections c ON c.id = d.collection_id
             WHERE c.name = ?1 ORDER BY d.path",
        )?;
        let ids = statement.query_map([self.collection], |row| row.get(0))?;
        Ok(ids.collect::<Result<_, _>>()?)
    }

    fn document(&mut self, old: u64, new: u64) -> Outcome<()> {
        let mut read = self.from.prepare_cached(
            "SELECT path, fingerprint, mtime_ns, title, content_hash, text_hash, size, headings, facets,
                    chunk_count, passage_count, char_count, hidden, details, pages FROM documents WHERE id = ?1",
        )?;
        let mut rows = read.query([old])?;
        let Some(row) = rows.next()? else { return Ok(()) };
        let (path, fingerprint): (String, Vec<u8>) = (row.get(0)?, row.get(1)?);
        let uuid = uuid_of(&[self.collection.as_bytes(), path.as_bytes()]);
        let mut insert = self.to.prepare_cached(
            "INSERT INTO documents (collection_id, mtime_ns, ctime_ns, inode, settled, touched, id, generation, uuid, path,
                 fingerprint, title, content_hash, text_hash, size, headings, facets, chunk_count, passage_count,
                 char_count, hidden, details, pages)
             VALUES (1, 0, 0, 0, 1, ?2, ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17)",
        )?;
        let own: [&dyn ToSql; 5] = [&new, &GENERATION, &uuid, &path, &fingerprint];
        carry(&mut insert, &own, row, 3..15)?;
        self.note(path.as_bytes());
        self.note(&fingerprint);
        self.exported.documents += 1;
        self.exported.modified_ms.insert(path, row.get::<_, i64>(2)? / 1_000_000);
        Ok(())
    }

    fn texts(&self, old: u64, new: u64) -> Outcome<()> {
        let range = keys::chunks_of(old);
        let mut read =
            self.from.prepare_cached("SELECT bytes FROM texts WHERE id BETWEEN ?1 AND ?2 ORDER BY id")?;
        let mut insert = self.to.prepare_cached("INSERT INTO texts (id, bytes) VALUES (?1, ?2)")?;
        let mut rows = read.query([range.start(), range.end()])?;
        let mut piece = 0;
        while let Some(row) = rows.next()? {
            carry(&mut insert, &[&keys::chunk_key(new, piece)], row, 0..1)?;
            piece += 1;
        }
        Ok(())
    }

    fn chunks(&mut self, old: u64, new: u64) -> Outcome<()> {
        let range = keys::chunks_of(old);
        let mut read = self.from.prepare_cached(
            "SELECT id, chunk_id, heading_path, heading_level, start_line, end_line, char_count, start_byte, end_byte,
                    searchable FROM chunks WHERE id BETWEEN ?1 AND ?2 ORDER BY id",
        )?;
        let mut insert = self.to.prepare_cached(
            "INSERT INTO chunks (id, chunk_id, heading_path, heading_level, start_line, end_line, char_count, start_byte,
                 end_byte, searchable) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)",
        )?;
        let mut rows = read.query([range.start(), range.end()])?;
        while let Some(row) = rows.next()? {
            let key = keys::chunk_key(new, keys::ordinal_of_chunk(row.get(0)?) as usize);
            carry(&mut insert, &[&key], row, 1..10)?;
            self.exported.chunks += 1;
        }
        Ok(())
    }

    fn passages(&mut self, old: u64, new: u64) -> Outcome<()> {
        let range = keys::passages_of(old);
        let mut read = self
            .from
            .prepare_cached("SELECT id, hash, text FROM passages WHERE id BETWEEN ?1 AND ?2 ORDER BY id")?;
        let mut insert =
            self.to.prepare_cached("INSERT INTO passages (id, hash, text) VALUES (?1, ?2, ?3)")?;
        let mut rows = read.query([range.start(), range.end()])?;
        while let Some(row) = rows.next()? {
            let passage: u64 = row.get(0)?;
            let key = keys::moved_passage(passage, new);
            carry(&mut insert, &[&key], row, 1..3)?;
            if let Some(vectors) = &mut self.vectors {
                self.hash.update(vectors.copy(passage)?);
                self.to
                    .prepare_cached("INSERT INTO vectors (model, number, passage) VALUES (1, ?1, ?2)")?
                    .execute(params![vectors.written - 1, key])?;
            }
            self.exported.passages += 1;
        }
        Ok(())
    }

    fn model(&mut self, vectors: VectorCopy) -> Outcome<()> {
        let after: Option<i64> =
            self.to.query_row("SELECT max(id) + 1 FROM passages", [], |row| row.get(0))?;
        self.to.execute(
            "INSERT INTO models (id, name, dimensions, file, row_count, pending_from) VALUES (1, ?1, ?2, 1, ?3, ?4)",
            params![vectors.model.name, vectors.model.dimensions, vectors.written, after.unwrap_or(0)],
        )?;
        self.note(vectors.model.name.as_bytes());
        vectors.file.into_inner().map_err(|error| error.into_error())?.sync_all()?;
        Ok(())
    }

    /// The numbers by which others notice that the content is another one are made from the content.
    fn state(&mut self) -> Outcome<()> {
        let hash = self.hash.finalize();
        self.exported.format = schema::FORMAT;
        self.exported.id = uuid_of(&[hash.as_bytes()]);
        let bytes = hash.as_bytes();
        let number = bytes.iter().take(8).fold(0u64, |sum, byte| sum << 8 | u64::from(*byte));
        let generation = (number >> (u64::BITS - ID_BITS)).max(GENERATION);
        self.to.execute(
            "INSERT INTO state VALUES (1, ?1, x'', ?2, ?2, 0, 2, NULL)",
            params![self.exported.id, generation],
        )?;
        Ok(())
    }
}

impl VectorCopy {
    fn begin(from: &Connection, model: &Model, dir: &Path, target: &Path) -> Outcome<Self> {
        let held = rows::models(from)?.into_iter().find(|held| held.name == model.id);
        let mut numbers = HashMap::new();
        if let Some(held) = &held {
            rows::vectors_from(from, held.id, 0, |number, passage| {
                numbers.insert(passage, number);
            })?;
        }
        let rows = held.as_ref().map(|held| RowMap::open(dir, held)).transpose()?;
        let (id, name, dimensions) = (1, model.id.clone(), model.dimensions);
        let model = ModelRow { id, name, dimensions, file: 1, row_count: 0, pending_from: 0 };
        vectors::create(target, &model)?;
        let file = fs::OpenOptions::new().append(true).open(vectors::path(target, model.file))?;
        Ok(Self { model, rows, numbers, file: BufWriter::new(file), written: 0 })
    }

    /// Copies the row of a passage.
    fn copy(&mut self, passage: u64) -> Outcome<&[u8]> {
        let number = self.numbers.get(&passage);
        let row = number.zip(self.rows.as_ref()).and_then(|(number, rows)| rows.raw(*number));
        let row = row.ok_or_else(|| Fault::Internal("a passage has no vector".to_owned()))?;
        self.file.write_all(row)?;
        self.written += 1;
        Ok(row)
    }
}

/// Runs `insert` with values of its own, and then these columns of `row` as they are.
fn carry(
    insert: &mut Statement<'_>,
    own: &[&dyn ToSql],
    row: &Row<'_>,
    columns: Range<usize>,
) -> Outcome<()> {
    for (at, value) in own.iter().enumerate() {
        insert.raw_bind_parameter(at + 1, value)?;
    }
    for (at, column) in columns.enumerate() {
        let value = ToSqlOutput::Borrowed(row.get_ref(column)?);
        insert.raw_bind_parameter(own.len() + at + 1, value)?;
    }
    insert.raw_execute()?;
    Ok(())
}

/// A uuid that depends on these parts only.
fn uuid_of(parts: &[&[u8]]) -> String {
    let mut hasher = blake3::Hasher::new();
    for part in parts {
        hasher.update(&(part.len() as u64).to_le_bytes());
        hasher.update(part);
    }
    let mut bytes = [0; 16];
    bytes.copy_from_slice(&hasher.finalize().as_bytes()[..16]);
    uuid::Builder::from_custom_bytes(bytes).into_uuid().to_string()
}

fn path_text(path: &Path) -> Outcome<&str> {
    path.to_str().ok_or_else(|| Fault::Internal("the path of the output must be Unicode".to_owned()))
}
