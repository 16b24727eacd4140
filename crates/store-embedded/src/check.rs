//! Reads everything back and compares the parts with each other.

use std::collections::HashSet;

use docent_index::{CheckReport, ContentHash};
use docent_store_common::{PIECE, Problems, keys};
use rusqlite::Connection;

use crate::fault::Outcome;
use crate::lexical::Lexical;
use crate::rows;
use crate::table::VectorTable;
use crate::view::View;

/// Checks the record, and the view against it. The caller is the only writer.
pub(crate) fn check(conn: &Connection, lexical: &Lexical, view: &View) -> Outcome<CheckReport> {
    let mut report = CheckReport::default();
    record(conn, &mut report)?;
    let chunks = documents(conn, &mut report)?;
    lexical_entries(conn, lexical, view, &chunks, &mut report)?;
    for model in rows::models(conn)? {
        match view.table(&model.name) {
            Some(table) => vector_rows(conn, table, &mut report)?,
            None => report.problems.push(format!("the vectors of {} are not loaded", model.name)),
        }
    }
    Ok(report)
}

fn record(conn: &Connection, report: &mut CheckReport) -> Outcome<()> {
    let mut statement = conn.prepare("PRAGMA integrity_check(20)")?;
    let lines = statement.query_map([], |row| row.get::<_, String>(0))?;
    for line in lines.collect::<Result<Vec<_>, _>>()?.into_iter().filter(|line| line != "ok") {
        report.problems.push(format!("record: {line}"));
    }
    let broken: usize =
        conn.query_row("SELECT count(*) FROM pragma_foreign_key_check", [], |row| row.get(0))?;
    if broken > 0 {
        report.problems.push(format!("record: {broken} rows refer to rows that do not exist"));
    }
    let undead: usize = conn.query_row(
        "SELECT count(*) FROM tombstones t JOIN documents d ON d.id = t.document_id",
        [],
        |row| row.get(0),
    )?;
    if undead > 0 {
        report.problems.push(format!("record: {undead} documents are both there and deleted"));
    }
    report.checked.push("the structure of the record".to_owned());
    Ok(())
}

/// Checks each document's rows and returns the numbers of the chunks that search may return.
fn documents(conn: &Connection, report: &mut CheckReport) -> Outcome<Vec<u64>> {
    let mut searchable = Vec::new();
    let mut problems = Problems::default();
    let (mut chunk_total, mut passage_total, mut piece_total) = (0, 0, 0);
    let documents = rows::documents_since(conn, 0)?;
    for row in &documents {
        let record = &row.record;
        let id = record.id.0;
        let name = format!("{}/{}", record.collection, record.path);
        let text = rows::text(conn, id)?.unwrap_or_default();
        let stored: [u8; 32] = conn
            .prepare_cached("SELECT text_hash FROM documents WHERE id = ?1")?
            .query_row([id], |row| row.get(0))?;
        if ContentHash::of(text.as_bytes()).0 != stored {
            problems.add(format!("{name}: the text is not the one that was stored"));
        }
        let places = rows::places(conn, id)?;
        let contiguous = places.iter().enumerate().all(|(at, place)| place.id == keys::chunk_key(id, at));
        if places.len() != record.chunk_count as usize || !contiguous {
            problems.add(format!("{name}: {} chunks instead of {}", places.len(), record.chunk_count));
        }
        if places.iter().any(|place| text.get(place.start..place.end).is_none()) {
            problems.add(format!("{name}: a chunk lies outside the text"));
        }
        let range = keys::passages_of(id);
        let passages: u32 = conn
            .prepare_cached("SELECT count(*) FROM passages WHERE id BETWEEN ?1 AND ?2")?
            .query_row([range.start(), range.end()], |row| row.get(0))?;
        if passages != row.passage_count {
            problems.add(format!("{name}: {passages} passages instead of {}", row.passage_count));
        }
        chunk_total += places.len();
        passage_total += passages as usize;
        piece_total += text.len().div_ceil(PIECE);
        searchable.extend(places.iter().filter(|place| place.searchable).map(|place| place.id));
    }
    for (table, expected) in [("chunks", chunk_total), ("passages", passage_total), ("texts", piece_total)] {
        let found: usize = conn.query_row(&format!("SELECT count(*) FROM {table}"), [], |row| row.get(0))?;
        if found != expected {
            problems.add(format!("{table} has {found} rows, and the documents have {expected}"));
        }
    }
    problems.tell(report);
    report.checked.push(format!(
        "{} documents with {chunk_total} chunks and {passage_total} passages",
        documents.len()
    ));
    Ok(searchable)
}

fn lexical_entries(
    conn: &Connection,
    lexical: &Lexical,
    view: &View,
    expected: &[u64],
    report: &mut CheckReport,
) -> Outcome<()> {
    let state = rows::state(conn)?;
    if view.state != state {
        report.problems.push("the view is not of the record's generation".to_owned());
    }
    let (chunks, pages) = Lexical::entries(&view.searchers)?;
    let mut expected_pages: Vec<u64> =
        rows::documents_since(conn, 0)?.iter().map(|row| row.record.id.0).collect();
    expected_pages.sort_unstable();
    compare("chunks", expected.to_vec(), chunks, report);
    compare("pages", expected_pages, pages, report);
    for file in lexical.broken_files()? {
        report.problems.push(format!("lexical index: {} has a wrong checksum", file.display()));
    }
    report.checked.push(format!("{} entries of the lexical index", expected.len()));
    Ok(())
}

fn compare(what: &str, mut expected: Vec<u64>, mut found: Vec<u64>, report: &mut CheckReport) {
    expected.sort_unstable();
    found.sort_unstable();
    let before = found.len();
    found.dedup();
    let wanted: HashSet<u64> = expected.iter().copied().collect();
    let there: HashSet<u64> = found.iter().copied().collect();
    for (count, how) in [
        (before - found.len(), "are there twice"),
        (wanted.difference(&there).count(), "are missing"),
        (there.difference(&wanted).count(), "should not be there"),
    ] {
        if count > 0 {
            report.problems.push(format!("lexical index: {count} {what} {how}"));
        }
    }
}

fn vector_rows(conn: &Connection, table: &VectorTable, report: &mut CheckReport) -> Outcome<()> {
    let model = table.model();
    let mut problems = Problems::default();
    let mut count = 0;
    rows::vectors_from(conn, model.id, 0, |number, _| {
        count += 1;
        if number >= model.row_count {
            problems.add(format!("{}: row {number} is beyond the file's {}", model.name, model.row_count));
        } else if !table.rows().is_sound(number) {
            problems.add(format!("{}: row {number} has a wrong checksum", model.name));
        }
    })?;
    if count != table.live() {
        problems.add(format!("{}: {count} vectors recorded, {} loaded", model.name, table.live()));
    }
    let orphans: usize = conn.query_row(
        "SELECT count(*) FROM vectors v WHERE v.model = ?1
           AND NOT EXISTS (SELECT 1 FROM passages p WHERE p.id = v.passage)",
        [model.id],
        |row| row.get(0),
    )?;
    if orphans > 0 {
        problems.add(format!("{}: {orphans} vectors belong to no passage", model.name));
    }
    let skipped: usize = conn.query_row(
        "SELECT count(*) FROM passages p WHERE p.id < ?1
           AND NOT EXISTS (SELECT 1 FROM vectors v WHERE v.passage = p.id AND v.model = ?2)",
        [model.pending_from, model.id],
        |row| row.get(0),
    )?;
    if skipped > 0 {
        problems.add(format!("{}: {skipped} passages would never get a vector", model.name));
    }
    problems.tell(report);
    report.checked.push(format!("{count} vectors of {}", model.name));
    Ok(())
}
