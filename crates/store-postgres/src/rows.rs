//! Reading rows to plain values. Every function sees what its transaction sees; none of them writes.

mod texts;

use std::sync::Arc;

use docent_index::{Collection, ContentHash, DocumentId, DocumentRecord, Failure, FileStat, PassageHash};
use docent_store_common::{DocumentRow, keys};
use tokio_postgres::Row;

use crate::fault::{Fault, Outcome};

pub(crate) use self::texts::{chunks, chunks_of, text};
pub(crate) use deadpool_postgres::GenericClient;

/// How far the store is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct State {
    pub(crate) uuid: String,
    pub(crate) generation: u64,
    pub(crate) documents_generation: u64,
    pub(crate) floor: u64,
    pub(crate) last_applied_ms: Option<i64>,
    pub(crate) secret: [u8; 32],
}

/// A model that has, or will have, vectors.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ModelRow {
    pub(crate) id: i32,
    pub(crate) name: String,
    pub(crate) dimensions: usize,
}

/// A segment of the lexical index, without what is in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SegmentRow {
    pub(crate) collection: i32,
    pub(crate) id: i64,
    pub(crate) chunks: u64,
    pub(crate) documents: u64,
    pub(crate) chunk_words: u64,
    pub(crate) page_words: u64,
}

pub(crate) async fn state(client: &impl GenericClient) -> Outcome<State> {
    let statement = client
        .prepare_cached(
            "SELECT uuid, generation, documents_generation, floor, last_applied_ms, secret FROM docent.state",
        )
        .await?;
    let row = client.query_opt(&statement, &[]).await?;
    let row = row.ok_or_else(|| Fault::Damaged("there is no state".to_owned()))?;
    Ok(State {
        uuid: row.get(0),
        generation: number(&row, 1),
        documents_generation: number(&row, 2),
        floor: number(&row, 3),
        last_applied_ms: row.get(4),
        secret: fixed(row.get(5))?,
    })
}

/// Batches that came after a generation.
pub(crate) async fn batches_since(client: &impl GenericClient, generation: u64) -> Outcome<Vec<i64>> {
    let statement = client.prepare_cached("SELECT batch FROM docent.batches WHERE generation > $1").await?;
    let rows = client.query(&statement, &[&(generation as i64)]).await?;
    Ok(rows.iter().map(|row| row.get(0)).collect())
}

/// Known collections with their numbers, by name.
pub(crate) async fn collections(client: &impl GenericClient) -> Outcome<Vec<(i32, Collection)>> {
    let statement = client
        .prepare_cached("SELECT id, name, root, cut, about FROM docent.collections WHERE known")
        .await?;
    let rows = client.query(&statement, &[]).await?;
    let mut found: Vec<_> = rows.iter().map(|row| (row.get(0), collection(row))).collect();
    found.sort_by(|a, b| a.1.name.cmp(&b.1.name));
    Ok(found)
}

/// The collection in the columns from the second on.
pub(crate) fn collection(row: &Row) -> Collection {
    Collection { name: row.get(1), root: row.get(2), cut: row.get(3), about: row.get(4) }
}

const DOCUMENT: &str = "SELECT d.id, d.uuid, c.name, d.path, d.title, d.content_hash, d.size, d.mtime_ns, d.ctime_ns,
    d.inode, d.settled, d.headings, d.facets, d.chunk_count, d.char_count, d.passage_count, d.hidden, d.details, d.pages
    FROM docent.documents d JOIN docent.collections c ON c.id = d.collection_id WHERE d.died IS NULL AND c.known";

/// All documents of these collections; `None` for all there are.
pub(crate) async fn documents(
    client: &impl GenericClient,
    only: Option<&[i32]>,
) -> Outcome<Vec<DocumentRow>> {
    let rows = match only {
        None => client.query(DOCUMENT, &[]).await?,
        Some(only) => client.query(&format!("{DOCUMENT} AND d.collection_id = ANY($1)"), &[&only]).await?,
    };
    rows.iter().map(document).collect()
}

/// Documents that came or were touched in these batches.
pub(crate) async fn documents_of(client: &impl GenericClient, batches: &[i64]) -> Outcome<Vec<DocumentRow>> {
    let statement = client.prepare_cached(&format!("{DOCUMENT} AND d.changed = ANY($1)")).await?;
    let rows = client.query(&statement, &[&batches]).await?;
    rows.iter().map(document).collect()
}

/// Documents that went in these batches.
pub(crate) async fn removed_in(client: &impl GenericClient, batches: &[i64]) -> Outcome<Vec<u64>> {
    let statement =
        client.prepare_cached("SELECT document FROM docent.removed WHERE batch = ANY($1)").await?;
    let rows = client.query(&statement, &[&batches]).await?;
    Ok(rows.iter().map(|row| number(row, 0)).collect())
}

fn document(row: &Row) -> Outcome<DocumentRow> {
    let hash: &[u8] = row.get(5);
    let record = DocumentRecord {
        id: DocumentId(number(row, 0)),
        uuid: row.get(1),
        collection: row.get(2),
        path: row.get(3),
        title: row.get(4),
        content_hash: ContentHash(fixed(hash)?),
        stat: stat(row, 6),
        headings: serde_json::from_str(row.get(11))?,
        facets: serde_json::from_str(row.get(12))?,
        chunk_count: count(row, 13, keys::CHUNK_BITS)?,
        char_count: number(row, 14),
        details: row.get(17),
        pages: serde_json::from_str(row.get(18))?,
    };
    Ok(DocumentRow {
        record: Arc::new(record),
        passage_count: count(row, 15, keys::DOCUMENT_SHIFT)?,
        hidden: serde_json::from_str(row.get(16))?,
    })
}

/// A file's state in the five columns from `first` on. The server has no unsigned numbers: they are the same bits.
pub(crate) fn stat(row: &Row, first: usize) -> FileStat {
    FileStat {
        size: number(row, first),
        mtime_ns: row.get(first + 1),
        ctime_ns: row.get(first + 2),
        inode: number(row, first + 3),
        settled: row.get(first + 4),
    }
}

/// How many parts a document has, which are numbered with so many bits.
fn count(row: &Row, at: usize, bits: u32) -> Outcome<u32> {
    let count: i32 = row.try_get(at)?;
    let count = u32::try_from(count).ok().filter(|count| u64::from(*count) <= 1 << bits);
    count.ok_or_else(|| Fault::Damaged("a document has an impossible number of parts".to_owned()))
}

pub(crate) fn number(row: &Row, at: usize) -> u64 {
    row.get::<_, i64>(at) as u64
}

pub(crate) fn fixed<const N: usize>(bytes: &[u8]) -> Outcome<[u8; N]> {
    bytes.try_into().map_err(|_| Fault::Damaged(format!("a hash has {} bytes, not {N}", bytes.len())))
}

pub(crate) async fn failures(client: &impl GenericClient) -> Outcome<Vec<Failure>> {
    let statement = client
        .prepare_cached(
            "SELECT c.name, f.path, f.reason, f.size, f.mtime_ns, f.ctime_ns, f.inode, f.settled
             FROM docent.failures f JOIN docent.collections c ON c.id = f.collection_id WHERE c.known",
        )
        .await?;
    let rows = client.query(&statement, &[]).await?;
    let failure = |row: &Row| Failure {
        collection: row.get(0),
        path: row.get(1),
        reason: row.get(2),
        stat: stat(row, 3),
    };
    let mut failures: Vec<Failure> = rows.iter().map(failure).collect();
    failures.sort_by(|a, b| (&a.collection, &a.path).cmp(&(&b.collection, &b.path)));
    Ok(failures)
}

/// Models in the order in which they came.
pub(crate) async fn models(client: &impl GenericClient) -> Outcome<Vec<ModelRow>> {
    let statement = client
        .prepare_cached("SELECT id, name, dimensions FROM docent.models WHERE died IS NULL ORDER BY id")
        .await?;
    let rows = client.query(&statement, &[]).await?;
    let model =
        |row: &Row| ModelRow { id: row.get(0), name: row.get(1), dimensions: row.get::<_, i32>(2) as usize };
    Ok(rows.iter().map(model).collect())
}

/// Segments of these collections that are searched, oldest first; `None` for all there are.
pub(crate) async fn segments(client: &impl GenericClient, only: Option<&[i32]>) -> Outcome<Vec<SegmentRow>> {
    let statement = client
        .prepare_cached(
            "SELECT collection_id, id, chunks, documents, chunk_words, page_words FROM docent.segments
             WHERE died IS NULL ORDER BY id",
        )
        .await?;
    let rows = client.query(&statement, &[]).await?;
    let segment = |row: &Row| SegmentRow {
        collection: row.get(0),
        id: row.get(1),
        chunks: row.get::<_, i32>(2) as u64,
        documents: row.get::<_, i32>(3) as u64,
        chunk_words: number(row, 4),
        page_words: number(row, 5),
    };
    let is_wanted = |row: &SegmentRow| only.is_none_or(|only| only.contains(&row.collection));
    Ok(rows.iter().map(segment).filter(is_wanted).collect())
}

/// How many passages of each document have a vector, as (model, document, passages): of these batches, or of all.
pub(crate) async fn embedded(
    client: &impl GenericClient,
    batches: Option<&[i64]>,
) -> Outcome<Vec<(i32, u64, u32)>> {
    let sql =
        "SELECT e.model, e.document, e.passages FROM docent.embedded e JOIN docent.models m ON m.id = e.model
               WHERE m.died IS NULL";
    let rows = match batches {
        None => client.query(sql, &[]).await?,
        Some(batches) => {
            let statement = client.prepare_cached(&format!("{sql} AND e.batch = ANY($1)")).await?;
            client.query(&statement, &[&batches]).await?
        }
    };
    Ok(rows.iter().map(|row| (row.get(0), number(row, 1), row.get::<_, i32>(2) as u32)).collect())
}

/// Passage hashes of a document in order, with their numbers.
pub(crate) async fn passages_of(
    client: &impl GenericClient,
    collection: i32,
    document: u64,
) -> Outcome<Vec<(u64, PassageHash)>> {
    let statement = client
        .prepare_cached(
            "SELECT id, hash FROM docent.passages WHERE collection_id = $1 AND id BETWEEN $2 AND $3 ORDER BY id",
        )
        .await?;
    let range = keys::passages_of(document);
    let rows = client.query(&statement, &[&collection, range.start(), range.end()]).await?;
    rows.iter().map(|row| Ok((number(row, 0), PassageHash(fixed(row.get(1))?)))).collect()
}
