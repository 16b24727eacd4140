//! From a text to rows: parses it, cuts it, and computes the tokens and passages.
//!
//! A file that cannot be a document becomes a reason in words, never an error that stops a run (`reading`). What was handed over
//! is cut by rules of its own (`handed`).

mod handed;
mod reading;

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use docent_authoring::{FALLBACK, Manifests, Resolved};
use docent_index::{ContentHash, Facets, NewChunk, NewDocument, NewPassage, PassageHash};
use docent_text::ChunkOptions;

use crate::Source;

pub(crate) use handed::{Paged, handed};
pub(crate) use reading::{Reading, Unread, read};

/// Larger texts are parsed one at a time.
const LARGE_BYTES: usize = 1_000_000;

/// Longer facet keys and values are cut.
const MAX_FACET_CHARS: usize = 200;
/// More facets than this on one page are left out.
const MAX_FACETS: usize = 32;
/// Longer titles are cut.
const MAX_TITLE_CHARS: usize = 200;

/// Raised whenever the same text gives other chunks, passages or tokens than before.
const CUT_VERSION: u32 = 4;

/// Names how documents are read and cut, so that an index made otherwise is noticed.
pub(crate) fn cut(options: &ChunkOptions, source: Option<&Source>) -> String {
    let limit = source.map_or(0, |source| source.max_file_bytes);
    let manifests = source.map(|source| source.manifests().fingerprint()).unwrap_or_default();
    named_cut(options, limit, &manifests)
}

/// The same for documents that are all read whenever they are fetched, so that no limit has to be remembered.
pub(crate) fn cut_fetched(options: &ChunkOptions, manifests: &Manifests) -> String {
    named_cut(options, 0, &manifests.fingerprint())
}

fn named_cut(options: &ChunkOptions, limit: u64, manifests: &str) -> String {
    let manifests = ContentHash::of(manifests.as_bytes()).to_hex();
    let ChunkOptions { chunk_by, max_chars, min_chars, passage_chars } = options;
    format!("{CUT_VERSION}:{chunk_by}:{max_chars}:{min_chars}:{passage_chars}:{limit}:{manifests}")
}

/// What the authors say of a page, where they leave off what the settings say.
fn options_for(path: &str, manifests: &Manifests, said: &Resolved, settings: &ChunkOptions) -> ChunkOptions {
    let Some(strategy) = said.strategy else {
        let chunk_by = if manifests.governs(path) { FALLBACK } else { settings.chunk_by };
        return ChunkOptions { chunk_by, ..*settings };
    };
    ChunkOptions {
        chunk_by: strategy.chunk_by,
        max_chars: strategy.max_chunk_size.unwrap_or(settings.max_chars),
        min_chars: strategy.min_chunk_size.unwrap_or(settings.min_chars),
        ..*settings
    }
}

/// Makes the rows of a document.
pub(crate) fn document(
    collection: &str,
    path: &str,
    given_title: Option<&str>,
    reading: Reading,
    manifests: &Manifests,
    options: &ChunkOptions,
) -> NewDocument {
    let _turn = turn_to_parse(&reading.text);
    let parsed = docent_text::parse(path, &reading.text);
    let said = manifests.resolve(path, &parsed);
    let options = options_for(path, manifests, &said, options);
    let facets: Facets = clean_facets(&said.metadata);
    let chunks = docent_text::chunks(path, &reading.text, &parsed, &options);
    let document = rows(collection, path, given_title, reading, &parsed, chunks);
    NewDocument { facets, ..document }
}

/// Parsing takes many times the size of a text, so large ones take turns.
fn turn_to_parse(text: &str) -> Option<MutexGuard<'static, ()>> {
    static LARGE: Mutex<()> = Mutex::new(());
    let is_large = text.len() > LARGE_BYTES;
    is_large.then(|| LARGE.lock().unwrap_or_else(PoisonError::into_inner))
}

fn rows(
    collection: &str,
    path: &str,
    given_title: Option<&str>,
    reading: Reading,
    parsed: &docent_text::Document,
    chunks: Vec<docent_text::Chunk>,
) -> NewDocument {
    let title = docent_text::visible_line(given_title.unwrap_or(&parsed.title), MAX_TITLE_CHARS);
    let chunks =
        chunks.into_iter().map(|chunk| new_chunk(&title, path, &reading.text, parsed, chunk)).collect();
    let headings = parsed
        .sections
        .iter()
        .filter(|section| matches!(section.level, 1 | 2))
        .map(|section| section.heading.clone())
        .collect();
    NewDocument {
        collection: collection.to_owned(),
        path: path.to_owned(),
        title,
        text: reading.text,
        content_hash: reading.hash,
        stat: reading.stat,
        headings,
        facets: Facets::new(),
        chunks,
        uuid: None,
        details: String::new(),
        pages: Vec::new(),
    }
}

/// Facets reach tool schemas and terminals: short, and without characters that are not seen.
fn clean_facets(metadata: &BTreeMap<String, String>) -> Facets {
    let clean = |text: &str| docent_text::visible_line(text, MAX_FACET_CHARS);
    let pairs = metadata.iter().map(|(key, value)| (clean(key), clean(value)));
    pairs.filter(|(key, value)| !key.is_empty() && !value.is_empty()).take(MAX_FACETS).collect()
}

fn new_chunk(
    title: &str,
    path: &str,
    text: &str,
    parsed: &docent_text::Document,
    chunk: docent_text::Chunk,
) -> NewChunk {
    let content = &text[chunk.bytes.clone()];
    let breadcrumb = docent_text::strip_part(&chunk.heading_path);
    let fields = docent_text::lexical_fields(breadcrumb, content);
    let passages = chunk
        .passages
        .iter()
        .map(|passage| {
            // Where the passage stands, not where its chunk starts: coarse chunks are found as well as fine ones.
            let breadcrumb = &parsed.sections[passage.section].breadcrumb;
            let context = docent_text::context_line(title, breadcrumb, path);
            let text = docent_text::passage_text(&context, &text[passage.bytes.clone()]);
            NewPassage { hash: PassageHash::of(&text), text }
        })
        .collect();
    NewChunk {
        chunk_id: chunk.chunk_id,
        heading_path: chunk.heading_path,
        heading_level: chunk.heading_level,
        start_line: line(chunk.lines.start),
        end_line: line(chunk.lines.end),
        char_count: line(chunk.char_count),
        bytes: chunk.bytes,
        searchable: chunk.searchable,
        body_tokens: fields.body,
        heading_tokens: fields.heading,
        passages,
    }
}

fn line(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}
