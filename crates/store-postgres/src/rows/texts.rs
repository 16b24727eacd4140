//! Texts, and the chunks that are cut out of them.

use std::collections::HashMap;

use docent_index::{ChunkId, ChunkRecord, DocumentId};
use docent_store_common::{PIECE, keys};
use tokio_postgres::Row;

use super::{GenericClient, number};
use crate::fault::{Fault, Outcome};

/// The document's whole text, or `None` when that version is gone.
pub(crate) async fn text(
    client: &impl GenericClient,
    collection: i32,
    document: u64,
) -> Outcome<Option<String>> {
    let statement = client
        .prepare_cached(
            "SELECT coalesce((SELECT string_agg(bytes, ''::bytea ORDER BY id) FROM docent.texts
                              WHERE collection_id = $1 AND id BETWEEN $3 AND $4), ''::bytea)
             FROM docent.documents WHERE collection_id = $1 AND id = $2",
        )
        .await?;
    let range = keys::chunks_of(document);
    let row =
        client.query_opt(&statement, &[&collection, &(document as i64), range.start(), range.end()]).await?;
    let Some(row) = row else { return Ok(None) };
    String::from_utf8(row.get(0)).map(Some).map_err(|_| wrong_text(document))
}

fn wrong_text(document: u64) -> Fault {
    Fault::Damaged(format!("the text of document {document} is not what was stored"))
}

/// A chunk with its text, which is cut out of the pieces that it lies in.
fn chunk_columns() -> String {
    format!(
        "c.id, c.chunk_id, c.heading_path, c.heading_level, c.start_line, c.end_line, c.char_count,
         c.end_byte - c.start_byte,
         coalesce(substr((SELECT string_agg(t.bytes, ''::bytea ORDER BY t.id) FROM docent.texts t
                 WHERE t.collection_id = c.collection_id
                   AND t.id BETWEEN (c.id >> {bits} << {bits}) + c.start_byte / {PIECE}
                                AND (c.id >> {bits} << {bits}) + greatest(c.end_byte - 1, 0) / {PIECE}),
             c.start_byte % {PIECE} + 1, c.end_byte - c.start_byte), ''::bytea)",
        bits = keys::CHUNK_BITS
    )
}

/// The document's chunks in order, with their text.
pub(crate) async fn chunks_of(
    client: &impl GenericClient,
    collection: i32,
    document: u64,
) -> Outcome<Vec<ChunkRecord>> {
    // Not one by one out of the pieces: the whole text is wanted.
    let Some(text) = text(client, collection, document).await? else { return Ok(Vec::new()) };
    let statement = client
        .prepare_cached(
            "SELECT id, chunk_id, heading_path, heading_level, start_line, end_line, char_count, start_byte, end_byte
             FROM docent.chunks WHERE collection_id = $1 AND id BETWEEN $2 AND $3 ORDER BY id",
        )
        .await?;
    let range = keys::chunks_of(document);
    let rows = client.query(&statement, &[&collection, range.start(), range.end()]).await?;
    let with_text = |row: &Row| {
        let [start, end] = [7, 8].map(|at| row.get::<_, i32>(at) as usize);
        let content = text.get(start..end).ok_or_else(|| wrong_text(document))?.to_owned();
        Ok(ChunkRecord { content, ..chunk(row) })
    };
    rows.iter().map(with_text).collect()
}

/// These chunks, as far as they are there, by number.
pub(crate) async fn chunks(
    client: &impl GenericClient,
    collections: &[i32],
    ids: &[i64],
) -> Outcome<HashMap<u64, ChunkRecord>> {
    let statement = client
        .prepare_cached(&format!(
            "SELECT {} FROM unnest($1::integer[], $2::bigint[]) AS asked(collection_id, id)
             CROSS JOIN LATERAL (
                 SELECT * FROM docent.chunks WHERE collection_id = asked.collection_id AND id = asked.id OFFSET 0) c",
            chunk_columns()
        ))
        .await?;
    let rows = client.query(&statement, &[&collections, &ids]).await?;
    let mut chunks = HashMap::with_capacity(rows.len());
    for row in &rows {
        let mut chunk = chunk(row);
        let bytes: Vec<u8> = row.get(8);
        // The pieces go in the same moment as the chunk, and an empty chunk has none.
        if bytes.len() != row.get::<_, i32>(7) as usize {
            return Err(wrong_text(chunk.document.0));
        }
        chunk.content = String::from_utf8(bytes).map_err(|_| wrong_text(chunk.document.0))?;
        chunks.insert(chunk.id.0, chunk);
    }
    Ok(chunks)
}

fn chunk(row: &Row) -> ChunkRecord {
    let id = number(row, 0);
    ChunkRecord {
        id: ChunkId(id),
        document: DocumentId(keys::document_of_chunk(id)),
        ordinal: keys::ordinal_of_chunk(id),
        chunk_id: row.get(1),
        heading_path: row.get(2),
        heading_level: row.get::<_, i16>(3) as u8,
        start_line: row.get::<_, i32>(4) as u32,
        end_line: row.get::<_, i32>(5) as u32,
        char_count: row.get::<_, i32>(6) as u32,
        content: String::new(),
    }
}
