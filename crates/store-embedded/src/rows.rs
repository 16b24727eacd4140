//! Reading the record: rows of SQLite to plain values.
//!
//! Every function takes a connection and sees what that connection's transaction sees; none of them writes.

use std::sync::Arc;

use docent_index::{
    ChunkId, ChunkRecord, Collection, ContentHash, DocumentId, DocumentRecord, Failure, FileStat, PassageHash,
};
use docent_store_common::{DocumentRow, PIECE, keys};
use rusqlite::{Connection, OptionalExtension, Row, params};

use crate::fault::{Fault, Outcome};
use crate::schema;

/// How far the record is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct State {
    pub(crate) uuid: String,
    pub(crate) generation: u64,
    pub(crate) documents_generation: u64,
    pub(crate) tombstone_floor: u64,
    pub(crate) last_applied_ms: Option<i64>,
}

/// A model that has, or will have, vectors.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ModelRow {
    pub(crate) id: i64,
    pub(crate) name: String,
    pub(crate) dimensions: usize,
    pub(crate) file: u64,
    pub(crate) row_count: usize,
    pub(crate) pending_from: i64,
}

/// A chunk's place in its document.
pub(crate) struct ChunkPlace {
    pub(crate) id: u64,
    pub(crate) heading_path: String,
    pub(crate) start: usize,
    pub(crate) end: usize,
    pub(crate) searchable: bool,
}

pub(crate) fn generation(conn: &Connection) -> Outcome<u64> {
    Ok(conn.prepare_cached("SELECT generation FROM state")?.query_row([], |row| row.get(0))?)
}

pub(crate) fn state(conn: &Connection) -> Outcome<State> {
    let state = conn
        .prepare_cached(
            "SELECT uuid, generation, documents_generation, tombstone_floor, last_applied_ms FROM state",
        )?
        .query_row([], |row| {
            Ok(State {
                uuid: row.get(0)?,
                generation: row.get(1)?,
                documents_generation: row.get(2)?,
                tombstone_floor: row.get(3)?,
                last_applied_ms: row.get(4)?,
            })
        })
        .optional()?;
    state.ok_or_else(|| Fault::Damaged("the record has no state".to_owned()))
}

pub(crate) fn secret(conn: &Connection) -> Outcome<[u8; 32]> {
    Ok(conn.prepare_cached("SELECT secret FROM state")?.query_row([], |row| row.get(0))?)
}

pub(crate) fn collections(conn: &Connection) -> Outcome<Vec<Collection>> {
    let mut statement =
        conn.prepare_cached("SELECT name, root, cut, about FROM collections ORDER BY name")?;
    let collection = |row: &Row<'_>| {
        Ok(Collection { name: row.get(0)?, root: row.get(1)?, cut: row.get(2)?, about: row.get(3)? })
    };
    let rows = statement.query_map([], collection)?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// Documents that were added or touched after `generation`.
pub(crate) fn documents_since(conn: &Connection, generation: u64) -> Outcome<Vec<DocumentRow>> {
    // A built index is read in the format that it was written in.
    let columns = if schema::format(conn)? < 3 { "'', '[]'" } else { "d.details, d.pages" };
    let mut statement = conn.prepare_cached(&format!(
        "SELECT d.id, d.uuid, c.name, d.path, d.title, d.content_hash, d.size, d.mtime_ns, d.ctime_ns, d.inode,
                d.settled, d.headings, d.facets, d.chunk_count, d.char_count, d.passage_count, d.hidden, {columns}
         FROM documents d INDEXED BY documents_by_touched CROSS JOIN collections c ON c.id = d.collection_id
         WHERE d.touched > ?1",
    ))?;
    let mut rows = statement.query([generation])?;
    let mut documents = Vec::new();
    while let Some(row) = rows.next()? {
        documents.push(document(row)?);
    }
    Ok(documents)
}

fn document(row: &Row<'_>) -> Outcome<DocumentRow> {
    let headings: String = row.get(11)?;
    let facets: String = row.get(12)?;
    let hidden: String = row.get(16)?;
    let pages: String = row.get(18)?;
    let record = DocumentRecord {
        id: DocumentId(row.get(0)?),
        uuid: row.get(1)?,
        collection: row.get(2)?,
        path: row.get(3)?,
        title: row.get(4)?,
        content_hash: ContentHash(row.get(5)?),
        stat: stat(row, 6)?,
        headings: serde_json::from_str(&headings)?,
        facets: serde_json::from_str(&facets)?,
        chunk_count: row.get(13)?,
        char_count: row.get(14)?,
        details: row.get(17)?,
        pages: serde_json::from_str(&pages)?,
    };
    Ok(DocumentRow {
        record: Arc::new(record),
        passage_count: row.get(15)?,
        hidden: serde_json::from_str(&hidden)?,
    })
}

fn stat(row: &Row<'_>, first: usize) -> rusqlite::Result<FileStat> {
    Ok(FileStat {
        size: row.get(first)?,
        mtime_ns: row.get(first + 1)?,
        ctime_ns: row.get(first + 2)?,
        // Stored as the same bits with a sign: SQLite has no unsigned numbers.
        inode: row.get::<_, i64>(first + 3)? as u64,
        settled: row.get(first + 4)?,
    })
}

/// Documents that went after `generation`.
pub(crate) fn removed_since(conn: &Connection, generation: u64) -> Outcome<Vec<u64>> {
    let mut statement = conn.prepare_cached("SELECT document_id FROM tombstones WHERE generation > ?1")?;
    let rows = statement.query_map([generation], |row| row.get(0))?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// Numbers of the documents whose content came after `generation`, oldest first, with their titles.
pub(crate) fn added_since(conn: &Connection, generation: u64) -> Outcome<Vec<(u64, String)>> {
    let mut statement =
        conn.prepare_cached("SELECT id, title FROM documents WHERE generation > ?1 ORDER BY id")?;
    let rows = statement.query_map([generation], |row| Ok((row.get(0)?, row.get(1)?)))?;
    Ok(rows.collect::<Result<_, _>>()?)
}

pub(crate) fn failures(conn: &Connection) -> Outcome<Vec<Failure>> {
    let mut statement = conn.prepare_cached(
        "SELECT c.name, f.path, f.reason, f.size, f.mtime_ns, f.ctime_ns, f.inode, f.settled
         FROM failures f JOIN collections c ON c.id = f.collection_id ORDER BY c.name, f.path",
    )?;
    let rows = statement.query_map([], |row| {
        Ok(Failure { collection: row.get(0)?, path: row.get(1)?, reason: row.get(2)?, stat: stat(row, 3)? })
    })?;
    Ok(rows.collect::<Result<_, _>>()?)
}

pub(crate) fn models(conn: &Connection) -> Outcome<Vec<ModelRow>> {
    let mut statement = conn.prepare_cached(
        "SELECT id, name, dimensions, file, row_count, pending_from FROM models ORDER BY id",
    )?;
    let rows = statement.query_map([], |row| {
        Ok(ModelRow {
            id: row.get(0)?,
            name: row.get(1)?,
            dimensions: row.get(2)?,
            file: row.get(3)?,
            row_count: row.get(4)?,
            pending_from: row.get(5)?,
        })
    })?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// The document's whole text, or `None` when that version is gone.
pub(crate) fn text(conn: &Connection, document: u64) -> Outcome<Option<String>> {
    let range = keys::chunks_of(document);
    let mut statement =
        conn.prepare_cached("SELECT bytes FROM texts WHERE id BETWEEN ?1 AND ?2 ORDER BY id")?;
    let mut rows = statement.query([range.start(), range.end()])?;
    let mut bytes = Vec::new();
    while let Some(row) = rows.next()? {
        bytes.extend_from_slice(row.get_ref(0)?.as_blob().map_err(|_| wrong_text(document))?);
    }
    // An empty text has no pieces.
    if bytes.is_empty()
        && !conn.prepare_cached("SELECT 1 FROM documents WHERE id = ?1")?.exists([document])?
    {
        return Ok(None);
    }
    String::from_utf8(bytes).map(Some).map_err(|_| wrong_text(document))
}

fn wrong_text(document: u64) -> Fault {
    Fault::Damaged(format!("the text of document {document} is not what was stored"))
}

/// Where the document's chunks are, in order.
pub(crate) fn places(conn: &Connection, document: u64) -> Outcome<Vec<ChunkPlace>> {
    let range = keys::chunks_of(document);
    let mut statement = conn.prepare_cached(
        "SELECT id, heading_path, start_byte, end_byte, searchable FROM chunks
         WHERE id BETWEEN ?1 AND ?2 ORDER BY id",
    )?;
    let rows = statement.query_map([range.start(), range.end()], |row| {
        Ok(ChunkPlace {
            id: row.get(0)?,
            heading_path: row.get(1)?,
            start: row.get(2)?,
            end: row.get(3)?,
            searchable: row.get(4)?,
        })
    })?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// The document's chunks in order, with their text.
pub(crate) fn chunks_of(conn: &Connection, document: u64) -> Outcome<Vec<ChunkRecord>> {
    let Some(text) = text(conn, document)? else { return Ok(Vec::new()) };
    let range = keys::chunks_of(document);
    let mut statement = conn.prepare_cached(
        "SELECT id, chunk_id, heading_path, heading_level, start_line, end_line, char_count, start_byte, end_byte
         FROM chunks WHERE id BETWEEN ?1 AND ?2 ORDER BY id",
    )?;
    let mut rows = statement.query([range.start(), range.end()])?;
    let mut chunks = Vec::new();
    while let Some(row) = rows.next()? {
        let (mut chunk, start, end) = chunk(row)?;
        chunk.content = text.get(start..end).ok_or_else(|| wrong_text(document))?.to_owned();
        chunks.push(chunk);
    }
    Ok(chunks)
}

/// Reads single chunks; neighbours of one document share the piece of text that was read last.
pub(crate) struct ChunkReader<'a> {
    conn: &'a Connection,
    piece: Option<(u64, Vec<u8>)>,
}

impl<'a> ChunkReader<'a> {
    pub(crate) fn new(conn: &'a Connection) -> Self {
        Self { conn, piece: None }
    }

    /// The chunk, or `None` when that version of its document is gone.
    pub(crate) fn read(&mut self, id: u64) -> Outcome<Option<ChunkRecord>> {
        let mut statement = self.conn.prepare_cached(
            "SELECT id, chunk_id, heading_path, heading_level, start_line, end_line, char_count, start_byte,
                    end_byte FROM chunks WHERE id = ?1",
        )?;
        let Some((mut chunk, start, end)) = statement.query_row([id], chunk).optional()? else {
            return Ok(None);
        };
        let document = keys::document_of_chunk(id);
        let mut bytes = Vec::with_capacity(end.saturating_sub(start));
        let mut at = start;
        while at < end {
            let Some(piece) = self.piece(document, at / PIECE)? else { return Ok(None) };
            let from = at % PIECE;
            let part = piece.get(from..piece.len().min(from + end - at)).unwrap_or_default();
            if part.is_empty() {
                return Err(wrong_text(document));
            }
            bytes.extend_from_slice(part);
            at += part.len();
        }
        chunk.content = String::from_utf8(bytes).map_err(|_| wrong_text(document))?;
        Ok(Some(chunk))
    }

    fn piece(&mut self, document: u64, number: usize) -> Outcome<Option<&[u8]>> {
        let key = keys::chunk_key(document, number);
        if self.piece.as_ref().is_none_or(|(held, _)| *held != key) {
            let mut statement = self.conn.prepare_cached("SELECT bytes FROM texts WHERE id = ?1")?;
            let found = statement.query_row([key], |row| row.get::<_, Vec<u8>>(0)).optional()?;
            self.piece = found.map(|bytes| (key, bytes));
        }
        Ok(self.piece.as_ref().map(|(_, bytes)| bytes.as_slice()))
    }
}

fn chunk(row: &Row<'_>) -> rusqlite::Result<(ChunkRecord, usize, usize)> {
    let id = row.get(0)?;
    let chunk = ChunkRecord {
        id: ChunkId(id),
        document: DocumentId(keys::document_of_chunk(id)),
        ordinal: keys::ordinal_of_chunk(id),
        chunk_id: row.get(1)?,
        heading_path: row.get(2)?,
        heading_level: row.get(3)?,
        start_line: row.get(4)?,
        end_line: row.get(5)?,
        char_count: row.get(6)?,
        content: String::new(),
    };
    Ok((chunk, row.get(7)?, row.get(8)?))
}

/// Rows of a model's vector file from `first` on, with the passage each belongs to.
pub(crate) fn vectors_from(
    conn: &Connection,
    model: i64,
    first: usize,
    mut each: impl FnMut(usize, u64),
) -> Outcome<()> {
    let mut statement =
        conn.prepare_cached("SELECT number, passage FROM vectors WHERE model = ?1 AND number >= ?2")?;
    let mut rows = statement.query(params![model, first as i64])?;
    while let Some(row) = rows.next()? {
        each(row.get(0)?, row.get(1)?);
    }
    Ok(())
}

/// The number of the document that is at a path.
pub(crate) fn document_at(conn: &Connection, collection: &str, path: &str) -> Outcome<Option<u64>> {
    let mut statement = conn.prepare_cached(
        "SELECT id FROM documents
         WHERE collection_id = (SELECT id FROM collections WHERE name = ?1) AND path = ?2",
    )?;
    Ok(statement.query_row([collection, path], |row| row.get(0)).optional()?)
}

/// The document's passages in order: their hashes, and their rows in the model's vector file.
pub(crate) fn passages_of(
    conn: &Connection,
    model: i64,
    document: u64,
) -> Outcome<Vec<(PassageHash, Option<usize>)>> {
    let range = keys::passages_of(document);
    let mut statement = conn.prepare_cached(
        "SELECT p.hash, v.number FROM passages p
         LEFT JOIN vectors v INDEXED BY vectors_by_passage ON v.passage = p.id AND v.model = ?3
         WHERE p.id BETWEEN ?1 AND ?2 ORDER BY p.id",
    )?;
    let rows = statement.query_map(params![range.start(), range.end(), model], |row| {
        Ok((PassageHash(row.get(0)?), row.get(1)?))
    })?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// Rows of a model's vector file that belong to one document.
pub(crate) fn vectors_of_document(
    conn: &Connection,
    model: i64,
    document: u64,
    mut each: impl FnMut(usize, u64),
) -> Outcome<()> {
    let range = keys::passages_of(document);
    let mut statement = conn.prepare_cached(
        "SELECT number, passage FROM vectors INDEXED BY vectors_by_passage
         WHERE passage BETWEEN ?1 AND ?2 AND model = ?3",
    )?;
    let mut rows = statement.query(params![range.start(), range.end(), model])?;
    while let Some(row) = rows.next()? {
        each(row.get(0)?, row.get(1)?);
    }
    Ok(())
}
