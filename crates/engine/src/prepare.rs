//! From a file to rows: reads it safely, parses it, cuts it, and computes the tokens and passages.
//!
//! A file that cannot be a document becomes a reason in words, never an error that stops a run. The state is taken from
//! the opened handle before and after reading, so that what is recorded is what was read.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

use docent_authoring::{FALLBACK, Manifests, Resolved};
use docent_index::{ContentHash, Facets, FileStat, NewChunk, NewDocument, NewPassage, PassageHash};
use docent_text::ChunkOptions;

use crate::Source;
use crate::scan::{file_stat, is_inside};
use crate::source::plain_io;

/// Two changes closer together than this may carry the same time stamp.
const CLOCK_GRAIN_NS: i64 = 50_000_000;

/// Larger texts are parsed one at a time.
const LARGE_BYTES: usize = 1_000_000;

/// Longer facet keys and values are cut.
const MAX_FACET_CHARS: usize = 200;
/// More facets than this on one page are left out.
const MAX_FACETS: usize = 32;
/// Longer titles are cut.
const MAX_TITLE_CHARS: usize = 200;

/// More headings than this of a document that was handed over are part of its text: each becomes a vector at least.
const MAX_HANDED_SECTIONS: usize = 20_000;

/// How often a file that changes while it is read is tried again.
const READ_ATTEMPTS: usize = 3;

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

/// The bytes of a file and its state while they were read.
#[derive(Debug)]
pub(crate) struct Reading {
    /// The content.
    pub text: String,
    /// Its hash.
    pub hash: ContentHash,
    /// The file's state.
    pub stat: FileStat,
}

/// Why a file was not read.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Unread {
    /// It is not there (any more).
    Gone,
    /// It is there and cannot be a document.
    Refused {
        /// For a person.
        reason: String,
        /// The file's state, so that it is tried again only when it changes.
        stat: FileStat,
    },
}

/// Reads one file of a source.
pub(crate) fn read(source: &Source, path: &str) -> Result<Reading, Unread> {
    let full = source.root.join(path);
    let mut last = None;
    for _ in 0..READ_ATTEMPTS {
        match read_once(source, &full)? {
            (reading, true) => return Ok(reading),
            (reading, false) => last = Some(reading),
        }
    }
    // Still changing: take what there is, marked so that the next look reads it again.
    last.map(|mut reading| {
        reading.stat.settled = false;
        reading
    })
    .ok_or(Unread::Gone)
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
    let document = rows(collection, path, given_title, reading, &parsed, &options, &[]);
    NewDocument { facets, ..document }
}

/// The text of a document that was handed over.
#[derive(Debug)]
pub(crate) struct Paged {
    /// The content.
    pub text: String,
    /// From which line on which page begins, in order; empty for one without pages.
    pub pages: Vec<(u32, u32)>,
    /// What is known of its source in these terms.
    pub stat: FileStat,
}

/// Makes the rows of a document that was handed over, and says what of it was read in another way than it was meant. It may come from anywhere, so nothing that it says of itself decides
/// how it is cut or what callers are offered to filter by.
pub(crate) fn handed(
    collection: &str,
    path: &str,
    given_title: Option<&str>,
    handed: Paged,
    options: &ChunkOptions,
) -> (NewDocument, Vec<String>) {
    let Paged { text, pages, stat } = handed;
    let _turn = turn_to_parse(&text);
    let parsed = docent_text::parse_bounded(path, &text, MAX_HANDED_SECTIONS);
    let is_told = |warning: &&docent_text::Warning| warning.kind == docent_text::WarningKind::ManyHeadings;
    let note = |warning: &docent_text::Warning| format!("line {}: {}", warning.line, warning.message);
    let notes = parsed.warnings.iter().filter(is_told).map(note).collect();
    let reading = Reading { hash: ContentHash::of(text.as_bytes()), text, stat };
    let mut document = rows(collection, path, given_title, reading, &parsed, options, &pages);
    if document.text.trim_start_matches('\u{feff}').trim().is_empty() {
        // Nothing to find, and nothing to cite.
        document.chunks.clear();
    }
    let page = |chunk: &NewChunk| {
        let after = pages.partition_point(|(line, _)| *line <= chunk.start_line);
        // What stands before the first mark is on the first page.
        pages.get(after.saturating_sub(1)).map_or(0, |(_, page)| *page)
    };
    let pages = if pages.is_empty() { Vec::new() } else { document.chunks.iter().map(page).collect() };
    (NewDocument { pages, ..document }, notes)
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
    options: &ChunkOptions,
    pages: &[(u32, u32)],
) -> NewDocument {
    let title = docent_text::visible_line(given_title.unwrap_or(&parsed.title), MAX_TITLE_CHARS);
    let page_lines: Vec<usize> = pages.iter().map(|(line, _)| *line as usize).collect();
    let chunks = docent_text::chunks_of_pages(path, &reading.text, parsed, options, &page_lines)
        .into_iter()
        .map(|chunk| new_chunk(&title, path, &reading.text, parsed, chunk))
        .collect();
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

/// Reads the file once; the flag says whether it held still.
fn read_once(source: &Source, full: &Path) -> Result<(Reading, bool), Unread> {
    let began_ns = now_ns();
    refuse_strange(source, full)?;
    let file = open_without_waiting(full).map_err(|error| refuse_io(full, &error))?;
    let before = file.metadata().map_err(|error| refuse_io(full, &error))?;
    let mut stat = file_stat(&before);
    // Asked again now that the file is open: the path may have come to lead elsewhere in between.
    if !before.is_file() || !is_inside(source, full) {
        return Err(Unread::Gone);
    }
    if before.len() > source.max_file_bytes {
        let (size, limit) = (before.len(), source.max_file_bytes);
        let reason = format!("the file has {size} bytes and the limit is {limit} (setting `max_file_bytes`)");
        return Err(Unread::Refused { reason, stat });
    }
    let mut bytes = Vec::with_capacity(usize::try_from(before.len()).unwrap_or(0));
    let taken = (&file).take(source.max_file_bytes + 1).read_to_end(&mut bytes);
    taken.map_err(|error| Unread::Refused { reason: plain_io(&error), stat })?;
    let held_still = file.metadata().map(|after| file_stat(&after) == stat).unwrap_or(false);
    stat.settled = held_still && stat.mtime_ns.max(stat.ctime_ns) < began_ns - CLOCK_GRAIN_NS;
    let hash = ContentHash::of(&bytes);
    let text = decode(bytes).map_err(|reason| Unread::Refused { reason, stat })?;
    Ok((Reading { text, hash, stat }, held_still))
}

/// Opens for reading. A pipe that took the file's place just now must not make us wait for somebody to write to it.
fn open_without_waiting(full: &Path) -> std::io::Result<File> {
    let mut options = File::options();
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::custom_flags(&mut options, libc::O_NONBLOCK);
    options.read(true).open(full)
}

/// Refuses what must not even be opened: links that lead out of the root, pipes and devices.
fn refuse_strange(source: &Source, full: &Path) -> Result<(), Unread> {
    let metadata = std::fs::metadata(full).map_err(|error| refuse_io(full, &error))?;
    if !metadata.is_file() {
        return Err(Unread::Gone);
    }
    if is_inside(source, full) {
        return Ok(());
    }
    let reason = "the link points outside the documents folder".to_owned();
    Err(Unread::Refused { reason, stat: link_stat(full) })
}

/// The state of the path itself, when it cannot be followed.
fn link_stat(full: &Path) -> FileStat {
    std::fs::symlink_metadata(full).map(|metadata| file_stat(&metadata)).unwrap_or_default()
}

/// Bytes to text, or the reason why they are none.
fn decode(bytes: Vec<u8>) -> Result<String, String> {
    if let [0xff, 0xfe, rest @ ..] = bytes.as_slice() {
        return decode_utf16(rest, u16::from_le_bytes);
    }
    if let [0xfe, 0xff, rest @ ..] = bytes.as_slice() {
        return decode_utf16(rest, u16::from_be_bytes);
    }
    if bytes.iter().take(8192).any(|byte| *byte == 0) {
        return Err("the content is binary, not text".to_owned());
    }
    String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        let line = error.as_bytes()[..at].iter().filter(|byte| **byte == b'\n').count() + 1;
        format!("not valid UTF-8 at line {line} (byte {at}); save the file as UTF-8")
    })
}

fn decode_utf16(bytes: &[u8], unit: fn([u8; 2]) -> u16) -> Result<String, String> {
    let units = bytes.chunks_exact(2).map(|pair| unit([pair[0], pair[1]]));
    char::decode_utf16(units).collect::<Result<String, _>>().map_err(|_| "not valid UTF-16".to_owned())
}

fn refuse_io(full: &Path, error: &std::io::Error) -> Unread {
    let is_link = std::fs::symlink_metadata(full).is_ok_and(|metadata| metadata.is_symlink());
    match error.kind() {
        _ if is_link => {
            let reason = format!("the link cannot be followed: {}", plain_io(error));
            Unread::Refused { reason, stat: link_stat(full) }
        }
        std::io::ErrorKind::NotFound => Unread::Gone,
        _ => {
            let stat = std::fs::metadata(full).map(|metadata| file_stat(&metadata)).unwrap_or_default();
            Unread::Refused { reason: format!("cannot be read: {}", plain_io(error)), stat }
        }
    }
}

fn now_ns() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_nanos()).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use super::decode;

    #[test]
    fn binary_content_is_refused() {
        assert_eq!(decode(b"PK\0\x03".to_vec()).unwrap_err(), "the content is binary, not text");
    }

    #[test]
    fn invalid_utf8_names_the_line() {
        assert!(decode(b"a\nb\xff".to_vec()).unwrap_err().contains("line 2"));
    }

    #[test]
    fn utf16_with_a_mark_is_decoded() {
        assert_eq!(decode(vec![0xff, 0xfe, b'h', 0, b'i', 0]).unwrap(), "hi");
    }
}
