//! Reads everything back and compares the parts with each other.

use std::collections::{HashMap, HashSet};
use std::pin::pin;

use deadpool_postgres::Transaction;
use docent_index::{CheckReport, ContentHash};
use docent_store_common::{Problems, keys};
use futures::TryStreamExt;
use tokio_postgres::IsolationLevel;
use tokio_postgres::types::ToSql;

use crate::fault::Outcome;
use crate::lexical::{Kind, decode};
use crate::rows::{self, GenericClient};
use crate::segments;
use crate::shared::Shared;
use crate::view::View;

/// Documents that are read at a time.
const AT_A_TIME: usize = 200;

/// Checks what one moment's state is.
pub(crate) async fn check(shared: &Shared) -> Outcome<CheckReport> {
    let mut report = CheckReport::default();
    let mut client = shared.link.client().await?;
    let tx = client
        .build_transaction()
        .isolation_level(IsolationLevel::RepeatableRead)
        .read_only(true)
        .start()
        .await?;
    tx.batch_execute("SET LOCAL statement_timeout = 0").await?;
    let view = View::read(&tx, None, None).await?;
    documents(&tx, &view, &mut report).await?;
    lexical_entries(&tx, &view, &mut report).await?;
    vectors(&tx, &view, &mut report).await?;
    tx.commit().await?;
    Ok(report)
}

async fn documents(tx: &Transaction<'_>, view: &View, report: &mut CheckReport) -> Outcome<()> {
    let mut problems = Problems::default();
    let (mut chunk_total, mut passage_total) = (0, 0);
    for part in view.catalog.rows().chunks(AT_A_TIME) {
        let places = part
            .iter()
            .filter_map(|row| Some((view.collection_of(row.record.id.0)?, row.record.id.0 as i64)));
        let (collections, ids): (Vec<i32>, Vec<i64>) = places.unzip();
        let hashes = tx
            .query(
                "SELECT d.id, d.text_hash FROM unnest($1::integer[], $2::bigint[]) AS a(collection_id, id)
                 JOIN docent.documents d ON d.collection_id = a.collection_id AND d.id = a.id",
                &[&collections, &ids],
            )
            .await?;
        let hashes: HashMap<u64, Vec<u8>> =
            hashes.iter().map(|row| (rows::number(row, 0), row.get(1))).collect();
        let chunks = counts(tx, "chunks", keys::CHUNK_BITS, ", max(t.end_byte)", &collections, &ids).await?;
        let passages = counts(tx, "passages", keys::DOCUMENT_SHIFT, ", 0", &collections, &ids).await?;
        for (row, collection) in part.iter().zip(&collections) {
            let (record, id) = (&row.record, row.record.id.0);
            let name = format!("{}/{}", record.collection, record.path);
            let text = rows::text(tx, *collection, id).await?.unwrap_or_default();
            if hashes
                .get(&id)
                .is_none_or(|hash| ContentHash::of(text.as_bytes()).0.as_slice() != hash.as_slice())
            {
                problems.add(format!("{name}: the text is not the one that was stored"));
            }
            let (there, end) = chunks.get(&id).copied().unwrap_or_default();
            if there != i64::from(record.chunk_count) {
                problems.add(format!("{name}: {there} chunks instead of {}", record.chunk_count));
            }
            if end as usize > text.len() {
                problems.add(format!("{name}: a chunk lies outside the text"));
            }
            let (there, _) = passages.get(&id).copied().unwrap_or_default();
            if there != i64::from(row.passage_count) {
                problems.add(format!("{name}: {there} passages instead of {}", row.passage_count));
            }
            chunk_total += record.chunk_count;
            passage_total += row.passage_count;
        }
    }
    strays(tx, &mut problems).await?;
    problems.tell(report);
    let documents = view.catalog.rows().len();
    report
        .checked
        .push(format!("{documents} documents with {chunk_total} chunks and {passage_total} passages"));
    Ok(())
}

/// How many rows of a table each document has, and something else about them.
async fn counts(
    tx: &Transaction<'_>,
    table: &str,
    shift: u32,
    also: &str,
    collections: &[i32],
    ids: &[i64],
) -> Outcome<HashMap<u64, (i64, i32)>> {
    let rows = tx
        .query(
            &format!(
                "SELECT d.id, count(*){also} FROM unnest($1::integer[], $2::bigint[]) AS d(collection_id, id)
                 CROSS JOIN LATERAL (
                     SELECT * FROM docent.{table} WHERE collection_id = d.collection_id
                         AND id BETWEEN d.id << {shift} AND ((d.id + 1) << {shift}) - 1 OFFSET 0) t GROUP BY d.id"
            ),
            &[&collections, &ids],
        )
        .await?;
    Ok(rows.iter().map(|row| (rows::number(row, 0), (row.get(1), row.get(2)))).collect())
}

/// Rows whose document does not exist, dead or alive.
async fn strays(tx: &Transaction<'_>, problems: &mut Problems) -> Outcome<()> {
    let tables = [
        ("texts", "id", keys::CHUNK_BITS),
        ("chunks", "id", keys::CHUNK_BITS),
        ("passages", "id", keys::DOCUMENT_SHIFT),
        ("vectors", "passage", keys::DOCUMENT_SHIFT),
        ("embedded", "document", 0),
    ];
    for (table, column, shift) in tables {
        let row = tx
            .query_one(
                &format!(
                    "SELECT count(*) FROM docent.{table} t WHERE NOT EXISTS (
                         SELECT FROM docent.documents d
                         WHERE d.collection_id = t.collection_id AND d.id = t.{column} >> {shift})"
                ),
                &[],
            )
            .await?;
        let count: i64 = row.get(0);
        if count > 0 {
            problems.add(format!("{count} rows of {table} belong to no document"));
        }
    }
    let row = tx
        .query_one(
            "SELECT count(*) FROM (SELECT DISTINCT segment FROM docent.postings) p
             WHERE NOT EXISTS (SELECT FROM docent.segments s WHERE s.id = p.segment)",
            &[],
        )
        .await?;
    if row.get::<_, i64>(0) > 0 {
        problems.add("postings belong to no segment".to_owned());
    }
    Ok(())
}

async fn lexical_entries(tx: &Transaction<'_>, view: &View, report: &mut CheckReport) -> Outcome<()> {
    let ids: Vec<i64> = view.segments.iter().map(|segment| segment.row.id).collect();
    let (mut chunks, mut documents): (HashSet<u64>, HashSet<u64>) = Default::default();
    let mut twice = 0;
    // What nobody finds any more goes with the next merge.
    let mut in_use = HashSet::new();
    for (id, entries) in segments::entries(tx, &ids).await? {
        let is_there = |document: &&u64| view.catalog.contains(**document);
        if entries.documents.iter().any(|document| view.catalog.contains(*document)) {
            in_use.insert(id);
        }
        for document in entries.documents.iter().filter(is_there) {
            twice += usize::from(!documents.insert(*document));
        }
        let is_there = |chunk: &&u64| view.catalog.contains(keys::document_of_chunk(**chunk));
        chunks.extend(entries.chunks.iter().filter(is_there));
    }
    let mut missing = 0;
    for row in view.catalog.rows() {
        let id = row.record.id.0;
        missing += usize::from(!documents.contains(&id));
        missing += view
            .catalog
            .searchable(id)
            .filter(|ordinal| !chunks.remove(&keys::chunk_key(id, *ordinal as usize)))
            .count();
    }
    for (count, how) in
        [(twice, "are there twice"), (missing, "are missing"), (chunks.len(), "should not be there")]
    {
        if count > 0 {
            report.problems.push(format!("lexical index: {count} entries {how}"));
        }
    }
    postings(tx, view, &in_use, report).await?;
    report.checked.push(format!("{} segments of the lexical index", ids.len()));
    Ok(())
}

/// Whether every list of postings unpacks to as many as it should have, of entries that there are.
async fn postings(
    tx: &Transaction<'_>,
    view: &View,
    in_use: &HashSet<i64>,
    report: &mut CheckReport,
) -> Outcome<()> {
    let mut problems = Problems::default();
    for segment in view.segments.iter().map(|segment| &segment.row).filter(|row| in_use.contains(&row.id)) {
        let rows = tx
            .query_raw(
                "SELECT chunks, pages, list FROM docent.postings WHERE collection_id = $1 AND segment = $2",
                [&segment.collection as &(dyn ToSql + Sync), &segment.id],
            )
            .await?;
        let mut rows = pin!(rows);
        let (mut words, mut broken) = (0usize, 0usize);
        while let Some(row) = rows.try_next().await? {
            let packed = segments::packed(&row, 0);
            let is_sound = |kind: Kind, count: u32, entries: u64| {
                let (mut found, mut is_inside) = (0, true);
                decode(&packed.list, kind, |entry, _| {
                    found += 1;
                    is_inside &= u64::from(entry) < entries;
                });
                found == count && is_inside
            };
            words += 1;
            broken += usize::from(
                !is_sound(Kind::Chunks, packed.chunks, segment.chunks)
                    || !is_sound(Kind::Pages, packed.pages, segment.documents),
            );
        }
        if broken > 0 || (words == 0 && segment.chunk_words > 0) {
            problems.add(format!(
                "lexical index: segment {} has {words} words, {broken} of them damaged",
                segment.id
            ));
        }
    }
    problems.tell(report);
    Ok(())
}

async fn vectors(tx: &Transaction<'_>, view: &View, report: &mut CheckReport) -> Outcome<()> {
    for model in &view.models {
        let mut problems = Problems::default();
        let rows = tx
            .query(
                &format!(
                    "SELECT v.passage >> {shift}, count(*), count(*) FILTER (WHERE length(v.codes) <> $2),
                            count(*) FILTER (WHERE p.id IS NULL)
                     FROM docent.vectors v
                     LEFT JOIN docent.passages p ON p.collection_id = v.collection_id AND p.id = v.passage
                     WHERE v.model = $1 GROUP BY 1",
                    shift = keys::DOCUMENT_SHIFT
                ),
                &[&model.id, &(model.dimensions as i32)],
            )
            .await?;
        let mut total = 0;
        let mut found: HashMap<u64, i64> = HashMap::new();
        for row in &rows {
            let document = rows::number(row, 0);
            if row.get::<_, i64>(2) > 0 {
                problems.add(format!("{}: vectors of document {document} have another length", model.name));
            }
            if row.get::<_, i64>(3) > 0 {
                problems.add(format!("{}: vectors of document {document} belong to no passage", model.name));
            }
            if view.catalog.contains(document) {
                total += row.get::<_, i64>(1);
                found.insert(document, row.get(1));
            }
        }
        let counted = view.embedded(model.id).map(|embedded| &embedded.passages);
        for (document, count) in counted.into_iter().flatten() {
            if view.catalog.contains(*document) && found.remove(document).unwrap_or(0) != i64::from(*count) {
                problems.add(format!("{}: document {document} does not have {count} vectors", model.name));
            }
        }
        for document in found.keys() {
            problems.add(format!("{}: vectors of document {document} are not counted", model.name));
        }
        problems.tell(report);
        report.checked.push(format!("{total} vectors of {}", model.name));
    }
    Ok(())
}
