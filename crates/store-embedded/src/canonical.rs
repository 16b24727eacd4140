//! The lexical indexes of an export: one segment each, whose name is made from what is in it.
//!
//! tantivy names segments at random. Here the entries are added by one thread in the order of the record, the files are
//! renamed after the hash of their bytes, and what names the segment is written anew. The list of files is left out: it is
//! made again when the folder is opened.

use std::fs;
use std::path::Path;

use rusqlite::Connection;
use serde_json::Value;
use tantivy::directory::MmapDirectory;
use tantivy::{Index, TantivyDocument};

use crate::fault::{Fault, Outcome};
use crate::lexical::{self, FOLDER, Fields};
use crate::{rows, tokens};

const META: &str = "meta.json";
const ARENA: usize = 64_000_000;

/// Fills the lexical indexes of the record in `target`, which has none yet.
pub(crate) fn write_lexical(record: &Connection, target: &Path) -> Outcome<()> {
    let state = rows::state(record)?;
    let payload = lexical::payload(&state.uuid, state.documents_generation);
    let (chunks, pages) = (target.join(FOLDER).join("chunks"), target.join(FOLDER).join("pages"));
    let mut chunk_writer = Writer::begin(&chunks)?;
    let mut page_writer = Writer::begin(&pages)?;
    for (id, title) in rows::added_since(record, 0)? {
        let tokens = tokens::from_record(record, id, &title)?;
        for entry in lexical::chunk_entries(chunk_writer.fields, &tokens) {
            chunk_writer.add(entry)?;
        }
        page_writer.add(lexical::page_entry(page_writer.fields, id, &tokens))?;
    }
    chunk_writer.finish()?;
    page_writer.finish()?;
    settle(&chunks, &payload)?;
    settle(&pages, &payload)
}

struct Writer {
    writer: tantivy::SingleSegmentIndexWriter,
    fields: Fields,
}

impl Writer {
    fn begin(dir: &Path) -> Outcome<Self> {
        fs::create_dir_all(dir)?;
        let (schema, fields) = lexical::schema();
        let directory = MmapDirectory::open(dir)?;
        let writer = Index::builder().schema(schema).single_segment_index_writer(directory, ARENA)?;
        Ok(Self { writer, fields })
    }

    fn add(&mut self, entry: TantivyDocument) -> Outcome<()> {
        Ok(self.writer.add_document(entry)?)
    }

    fn finish(self) -> Outcome<()> {
        self.writer.finalize()?;
        Ok(())
    }
}

/// Renames the segment and says so.
fn settle(dir: &Path, payload: &str) -> Outcome<()> {
    let mut files = Vec::new();
    for entry in fs::read_dir(dir)? {
        let path = entry?.path();
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default().to_owned();
        if name == META {
            continue;
        }
        // What begins with a dot is a lock, or the list of files.
        match name.split_once('.') {
            Some((segment, kind)) if !segment.is_empty() => files.push((kind.to_owned(), path)),
            _ => fs::remove_file(path)?,
        }
    }
    files.sort();
    let mut hasher = blake3::Hasher::new();
    for (kind, path) in &files {
        hasher.update(kind.as_bytes());
        hasher.update_reader(fs::File::open(path)?)?;
    }
    let mut bytes = [0; 16];
    bytes.copy_from_slice(&hasher.finalize().as_bytes()[..16]);
    let segment = uuid::Builder::from_custom_bytes(bytes).into_uuid();
    for (kind, path) in files {
        fs::rename(path, dir.join(format!("{}.{kind}", segment.simple())))?;
    }
    let mut meta: Value = serde_json::from_slice(&fs::read(dir.join(META))?)?;
    match meta.get_mut("segments").and_then(Value::as_array_mut).map(Vec::as_mut_slice) {
        Some([only]) => only["segment_id"] = segment.to_string().into(),
        _ => return Err(Fault::Internal("the lexical index is not one segment".to_owned())),
    }
    meta["payload"] = payload.into();
    // tantivy keeps it from other users; an index that is shipped is read by whoever it is shipped to.
    fs::remove_file(dir.join(META))?;
    fs::write(dir.join(META), format!("{meta:#}\n"))?;
    Ok(())
}
