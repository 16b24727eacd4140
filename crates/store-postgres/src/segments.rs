//! Segments of the lexical index in the database: written, read, merged.

use std::collections::{HashMap, HashSet};

use deadpool_postgres::Transaction;
use tokio_postgres::types::Type;

use crate::copy::Rows;
use crate::fault::{Fault, Outcome};
use crate::lexical::{Candidate, DocumentWords, Entries, Merged, PackedTerm, SegmentDraft, merge, plan};
use crate::rows::GenericClient;

/// Chunks whose words become one segment at a time.
pub(crate) const MOST: usize = 20_000;

/// Writes the words of new documents of a collection.
pub(crate) async fn write(
    tx: &Transaction<'_>,
    batch: i64,
    collection: i32,
    words: Vec<DocumentWords>,
) -> Outcome<()> {
    let mut part = Vec::new();
    let mut chunks = 0;
    for document in words {
        chunks += document.chunk_count();
        part.push(document);
        if chunks >= MOST {
            put(tx, batch, collection, SegmentDraft::of(std::mem::take(&mut part)).into()).await?;
            chunks = 0;
        }
    }
    if !part.is_empty() {
        put(tx, batch, collection, SegmentDraft::of(part).into()).await?;
    }
    Ok(())
}

/// Merges a collection's segments where it is time.
pub(crate) async fn tidy(tx: &Transaction<'_>, batch: i64, collection: i32) -> Outcome<()> {
    let statement = tx
        .prepare_cached("SELECT id, chunks FROM docent.segments WHERE collection_id = $1 AND died IS NULL")
        .await?;
    let rows = tx.query(&statement, &[&collection]).await?;
    let segments: Vec<Candidate> =
        rows.iter().map(|row| Candidate { id: row.get(0), chunks: row.get::<_, i32>(1) as usize }).collect();
    let chosen = plan(&segments);
    if !chosen.is_empty() {
        rewrite(tx, batch, collection, &chosen).await?;
        clear_hollow(tx, batch, collection).await?;
    }
    Ok(())
}

/// Rewrites segments that are mostly documents that went, when there are many of those.
async fn clear_hollow(tx: &Transaction<'_>, batch: i64, collection: i32) -> Outcome<()> {
    let row = tx
        .query_one(
            "SELECT (SELECT coalesce(sum(documents), 0)::bigint FROM docent.segments
                     WHERE collection_id = $1 AND died IS NULL),
                    (SELECT count(*) FROM docent.documents WHERE collection_id = $1 AND died IS NULL)",
            &[&collection],
        )
        .await?;
    let (indexed, alive): (i64, i64) = (row.get(0), row.get(1));
    if indexed <= alive + alive / 2 + 100 {
        return Ok(());
    }
    let hollow = hollow(tx, collection, |dead, all| dead * 2 > all).await?;
    for segment in hollow {
        rewrite(tx, batch, collection, &[segment]).await?;
    }
    Ok(())
}

/// Segments of a collection of whose documents so many are gone that `is_hollow` says so.
pub(crate) async fn hollow(
    tx: &Transaction<'_>,
    collection: i32,
    is_hollow: impl Fn(usize, usize) -> bool,
) -> Outcome<Vec<i64>> {
    let rows = tx
        .query("SELECT id FROM docent.segments WHERE collection_id = $1 AND died IS NULL", &[&collection])
        .await?;
    let ids: Vec<i64> = rows.iter().map(|row| row.get(0)).collect();
    let alive = alive(tx, collection).await?;
    let mut hollow = Vec::new();
    for (id, entries) in entries(tx, &ids).await? {
        let dead = entries.documents.iter().filter(|document| !alive.contains(document)).count();
        if is_hollow(dead, entries.documents.len()) {
            hollow.push(id);
        }
    }
    Ok(hollow)
}

async fn alive(tx: &Transaction<'_>, collection: i32) -> Outcome<HashSet<u64>> {
    let rows = tx
        .query("SELECT id FROM docent.documents WHERE collection_id = $1 AND died IS NULL", &[&collection])
        .await?;
    Ok(rows.iter().map(|row| row.get::<_, i64>(0) as u64).collect())
}

/// Makes one segment of these, without documents that are gone.
pub(crate) async fn rewrite(
    tx: &Transaction<'_>,
    batch: i64,
    collection: i32,
    segments: &[i64],
) -> Outcome<()> {
    let mut held = entries(tx, segments).await?;
    held.sort_by_key(|(id, _)| *id);
    let numbers: HashMap<i64, usize> = held.iter().enumerate().map(|(at, (id, _))| (*id, at)).collect();
    let entries: Vec<Entries> = held.into_iter().map(|(_, entries)| entries).collect();
    let alive = alive(tx, collection).await?;
    let rows = tx
        .query(
            "SELECT term, segment, chunks, pages, list FROM docent.postings
             WHERE collection_id = $1 AND segment = ANY($2) ORDER BY term",
            &[&collection, &segments],
        )
        .await?;
    let terms = rows.iter().filter_map(|row| {
        let number = *numbers.get(&row.get::<_, i64>(1))?;
        Some((row.get::<_, i64>(0), number, packed(row, 2)))
    });
    let merged = merge(&entries, &alive, terms);
    drop(rows);
    if !merged.entries.documents.is_empty() {
        put(tx, batch, collection, merged).await?;
    }
    tx.execute(
        "UPDATE docent.segments SET died = $1 WHERE collection_id = $2 AND id = ANY($3)",
        &[&batch, &collection, &segments],
    )
    .await?;
    Ok(())
}

/// The entries of these segments, of those that are there.
pub(crate) async fn entries(client: &impl GenericClient, segments: &[i64]) -> Outcome<Vec<(i64, Entries)>> {
    let statement =
        client.prepare_cached("SELECT id, entries FROM docent.segments WHERE id = ANY($1)").await?;
    let rows = client.query(&statement, &[&segments]).await?;
    let unpacked = |row: &tokio_postgres::Row| {
        let id: i64 = row.get(0);
        let entries = Entries::unpack(row.get(1));
        Ok((id, entries.ok_or_else(|| Fault::Damaged(format!("segment {id} does not unpack")))?))
    };
    rows.iter().map(unpacked).collect()
}

/// A word's row in three columns from `first` on.
pub(crate) fn packed(row: &tokio_postgres::Row, first: usize) -> PackedTerm {
    PackedTerm {
        chunks: row.get::<_, i32>(first) as u32,
        pages: row.get::<_, i32>(first + 1) as u32,
        list: row.get::<_, Option<Vec<u8>>>(first + 2).unwrap_or_default().into(),
    }
}

async fn put(tx: &Transaction<'_>, batch: i64, collection: i32, segment: Merged) -> Outcome<()> {
    let statement = tx
        .prepare_cached(
            "INSERT INTO docent.segments (collection_id, id, chunks, documents, chunk_words, page_words, batch, entries)
             VALUES ($1, nextval('docent.segment_numbers'), $2, $3, $4, $5, $6, $7) RETURNING id",
        )
        .await?;
    let row = tx
        .query_one(
            &statement,
            &[
                &collection,
                &(segment.entries.chunks.len() as i32),
                &(segment.entries.documents.len() as i32),
                &(segment.chunk_words as i64),
                &(segment.page_words as i64),
                &batch,
                &segment.entries.pack(),
            ],
        )
        .await?;
    let id: i64 = row.get(0);
    let types = [Type::INT8, Type::INT8, Type::INT4, Type::INT4, Type::INT4, Type::BYTEA];
    let mut rows = Rows::new("postings", "segment, term, collection_id, chunks, pages, list", types);
    for (term, packed) in &segment.terms {
        rows.push([
            Box::new(id),
            Box::new(*term),
            Box::new(collection),
            Box::new(packed.chunks as i32),
            Box::new(packed.pages as i32),
            Box::new(&packed.list[..]),
        ]);
    }
    rows.send(tx).await?;
    Ok(())
}
