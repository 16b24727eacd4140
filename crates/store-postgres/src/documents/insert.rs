//! The rows of new documents.

use docent_index::PassageId;
use docent_store_common::{DocumentTokens, PIECE, keys};
use tokio_postgres::types::Type;

use super::{Added, Insert};
use crate::batch::Batch;
use crate::copy::{Rows, clean};
use crate::fault::Outcome;
use crate::lexical::DocumentWords;
use crate::rows::GenericClient;
use crate::vectors;

/// Gives new documents their rows: themselves, their text, chunks, passages and words.
pub(super) async fn insert(batch: &mut Batch<'_>, inserts: Vec<Insert<'_>>) -> Outcome<Vec<Added>> {
    if inserts.is_empty() {
        return Ok(Vec::new());
    }
    let statement = batch
        .tx
        .prepare_cached("SELECT nextval('docent.document_numbers') FROM generate_series(1, $1)")
        .await?;
    let numbers = batch.tx.query(&statement, &[&(inserts.len() as i32)]).await?;
    let mut ids: Vec<i64> = numbers.iter().map(|row| row.get(0)).collect();
    ids.sort_unstable();

    let mut documents = Rows::new(
        "documents",
        "collection_id, id, changed, size, mtime_ns, ctime_ns, inode, settled, char_count, chunk_count, passage_count,
         uuid, path, title, content_hash, text_hash, fingerprint, headings, facets, hidden, details, pages",
        document_types(),
    );
    let mut texts = Rows::new("texts", "collection_id, id, bytes", [Type::INT4, Type::INT8, Type::BYTEA]);
    let mut chunks = Rows::new(
        "chunks",
        "collection_id, id, start_line, end_line, char_count, start_byte, end_byte, heading_level, searchable, chunk_id,
         heading_path",
        chunk_types(),
    );
    let mut passages = Rows::new(
        "passages",
        "collection_id, id, hash, text",
        [Type::INT4, Type::INT8, Type::BYTEA, Type::TEXT],
    );
    let mut added = Vec::with_capacity(inserts.len());
    let mut replaced = Vec::new();
    for (new, id) in inserts.iter().zip(ids) {
        let (document, of, stat) = (new.document, new.collection, &new.document.stat);
        let searchable = || document.chunks.iter().filter(|chunk| chunk.searchable);
        let hidden: Vec<usize> =
            (0..document.chunks.len()).filter(|at| !document.chunks[*at].searchable).collect();
        documents.push([
            Box::new(of),
            Box::new(id),
            Box::new(batch.number),
            Box::new(stat.size as i64),
            Box::new(stat.mtime_ns),
            Box::new(stat.ctime_ns),
            Box::new(stat.inode as i64),
            Box::new(stat.settled),
            Box::new(document.chunks.iter().map(|chunk| i64::from(chunk.char_count)).sum::<i64>()),
            Box::new(document.chunks.len() as i32),
            Box::new(searchable().map(|chunk| chunk.passages.len()).sum::<usize>() as i32),
            Box::new(&new.uuid),
            Box::new(&document.path),
            Box::new(clean(&document.title)),
            Box::new(document.content_hash.0.to_vec()),
            Box::new(blake3::hash(document.text.as_bytes()).as_bytes().to_vec()),
            Box::new(&new.fingerprint),
            Box::new(clean(&serde_json::to_string(&document.headings)?)),
            Box::new(clean(&serde_json::to_string(&document.facets)?)),
            Box::new(serde_json::to_string(&hidden)?),
            Box::new(clean(&document.details)),
            Box::new(serde_json::to_string(&document.pages)?),
        ]);
        let row = id as u64;
        let mut own = Vec::new();
        for (number, piece) in document.text.as_bytes().chunks(PIECE).enumerate() {
            texts.push([Box::new(of), Box::new(keys::chunk_key(row, number) as i64), Box::new(piece)]);
        }
        for (ordinal, chunk) in document.chunks.iter().enumerate() {
            let key = keys::chunk_key(row, ordinal);
            chunks.push([
                Box::new(of),
                Box::new(key as i64),
                Box::new(chunk.start_line as i32),
                Box::new(chunk.end_line as i32),
                Box::new(chunk.char_count as i32),
                Box::new(chunk.bytes.start as i32),
                Box::new(chunk.bytes.end as i32),
                Box::new(i16::from(chunk.heading_level)),
                Box::new(chunk.searchable),
                Box::new(clean(&chunk.chunk_id)),
                Box::new(clean(&chunk.heading_path)),
            ]);
            for (number, passage) in chunk.passages.iter().enumerate().filter(|_| chunk.searchable) {
                let key = keys::passage_key(key, number) as i64;
                own.push((PassageId(key as u64), passage.hash));
                let hash = passage.hash.0.to_vec();
                passages.push([Box::new(of), Box::new(key), Box::new(hash), Box::new(clean(&passage.text))]);
            }
        }
        let words = DocumentWords::new(row, &DocumentTokens::given(row, document));
        batch.words.entry(of).or_default().push(words);
        replaced.extend(new.before.map(|before| (of, before, id)));
        added.push(Added { collection: of, id: row, passages: own });
    }
    documents.send(&batch.tx).await?;
    texts.send(&batch.tx).await?;
    chunks.send(&batch.tx).await?;
    passages.send(&batch.tx).await?;
    vectors::carry_over(batch, &replaced).await?;
    batch.changed = true;
    batch.documents_changed = true;
    Ok(added)
}

fn document_types() -> [Type; 22] {
    [
        Type::INT4,
        Type::INT8,
        Type::INT8,
        Type::INT8,
        Type::INT8,
        Type::INT8,
        Type::INT8,
        Type::BOOL,
        Type::INT8,
        Type::INT4,
        Type::INT4,
        Type::TEXT,
        Type::TEXT,
        Type::TEXT,
        Type::BYTEA,
        Type::BYTEA,
        Type::BYTEA,
        Type::TEXT,
        Type::TEXT,
        Type::TEXT,
        Type::TEXT,
        Type::TEXT,
    ]
}

fn chunk_types() -> [Type; 11] {
    [
        Type::INT4,
        Type::INT8,
        Type::INT4,
        Type::INT4,
        Type::INT4,
        Type::INT4,
        Type::INT4,
        Type::INT2,
        Type::BOOL,
        Type::TEXT,
        Type::TEXT,
    ]
}
