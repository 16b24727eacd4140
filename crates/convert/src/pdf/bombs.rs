//! Finds files that would hurt the PDF reader, before it sees them.
//!
//! The reader decodes streams without asking how large they become. So every stream is decoded once into nothing, up to a
//! cap. That costs little (the counting is faster than the reading) and needs no trust in the cross-reference table. Streams of
//! an encrypted file cannot be counted this way: there the limits of the process hold. The reader also tries to read an object
//! at every bracket when the cross-reference table is damaged, so deep brackets are refused.

use super::filters::{self, Filter};
use super::limits::{ALL_STREAM_BYTES, DICT_DEPTH, PAGES, STREAM_BYTES, TRAILERS};
use crate::ConvertError;

/// Refuses a file that would take too much memory or time.
pub(super) fn refuse(file: &[u8]) -> Result<(), ConvertError> {
    let mut total = 0_usize;
    let mut pages = 0_usize;
    let mut at = 0;
    let mut ends = Ends { file, known: Some(0) };
    while let Some(found) = find(file.get(at..).unwrap_or_default(), b"stream") {
        let keyword = at + found;
        let objects = file.get(at..keyword).unwrap_or_default();
        at = keyword + b"stream".len();
        pages += count_pages(objects);
        refuse_deep(objects)?;
        if objects.ends_with(b"end") {
            continue;
        }
        let dict = dict_before(objects);
        if is_image(dict) {
            continue;
        }
        let raw = raw_stream(file, at, dict, &mut ends);
        let filters = filters::named(dict, raw);
        let Some(size) = filters::decoded_size(&filters, raw, STREAM_BYTES) else {
            return Err(too_large());
        };
        if filters.contains(&Filter::Flate) && find(dict, b"/ObjStm").is_some() {
            pages += filters::inflated(raw, STREAM_BYTES).map_or(0, |objects| count_pages(&objects));
        }
        total = total.saturating_add(size);
        if total > ALL_STREAM_BYTES {
            return Err(too_large());
        }
        if pages > 3 * PAGES {
            return Err(ConvertError::too_large(format_args!("more than {PAGES} pages")));
        }
    }
    let rest = file.get(at..).unwrap_or_default();
    refuse_deep(rest)?;
    if pages + count_pages(rest) > 3 * PAGES {
        return Err(ConvertError::too_large(format_args!("more than {PAGES} pages")));
    }
    if count(file, b"trailer", TRAILERS + 1) > TRAILERS {
        return Err(ConvertError::damaged(format_args!("it has more than {TRAILERS} trailers")));
    }
    Ok(())
}

fn too_large() -> ConvertError {
    let most = STREAM_BYTES >> 20;
    ConvertError::too_large(format_args!(
        "a compressed part of it unpacks to more than {most} MB, or all of them to far more"
    ))
}

/// Whether a stream is a picture and nothing else: the reader never decodes it.
fn is_image(dict: &[u8]) -> bool {
    let has = |key: &[u8]| find(dict, key).is_some();
    // What holds objects or cross-references has these keys, which pictures have not.
    has(b"/Image") && has(b"/Subtype") && !has(b"/First") && !has(b"/Size")
}

/// The bytes of a stream that begins behind its keyword.
fn raw_stream<'f>(file: &'f [u8], at: usize, dict: &[u8], ends: &mut Ends<'f>) -> &'f [u8] {
    let rest = file.get(at..).unwrap_or_default();
    let rest = rest.strip_prefix(b"\r\n").or_else(|| rest.strip_prefix(b"\n")).unwrap_or(rest);
    let stated = find(dict, b"/Length").and_then(|at| number(dict.get(at + 7..)?)).unwrap_or(0);
    let end = ends.after(at).map_or(rest.len(), |end| end.saturating_sub(at)).max(stated);
    rest.get(..end).unwrap_or(rest)
}

/// Where streams end, looked up once.
struct Ends<'f> {
    file: &'f [u8],
    /// The next end; `None` when there is none any more.
    known: Option<usize>,
}

impl Ends<'_> {
    fn after(&mut self, at: usize) -> Option<usize> {
        if self.known? < at {
            let found = find(self.file.get(at..).unwrap_or_default(), b"endstream");
            self.known = found.map(|found| at + found);
        }
        self.known
    }
}

/// The dictionary at the end of some objects, or what could be it.
fn dict_before(objects: &[u8]) -> &[u8] {
    let window = objects.get(objects.len().saturating_sub(1024)..).unwrap_or_default();
    let start = window.windows(4).rposition(|four| four == b" obj").unwrap_or(0);
    window.get(start..).unwrap_or_default()
}

/// Refuses dictionaries that are nested deeper than any program writes them.
fn refuse_deep(objects: &[u8]) -> Result<(), ConvertError> {
    let mut depth = 0_usize;
    for pair in objects.windows(2) {
        match pair {
            b"<<" => depth += 1,
            b">>" => depth = depth.saturating_sub(1),
            b"bj" => depth = 0,
            _ => {}
        }
        // Two brackets overlap with their neighbours, so each is counted up to twice.
        if depth > 2 * DICT_DEPTH {
            return Err(ConvertError::damaged(format_args!(
                "its objects are nested deeper than {DICT_DEPTH}"
            )));
        }
    }
    Ok(())
}

/// How often objects say that they are a page, or a node of the tree of pages.
fn count_pages(objects: &[u8]) -> usize {
    count(objects, b"/Page", usize::MAX)
}

fn number(text: &[u8]) -> Option<usize> {
    let digits: String = text
        .trim_ascii_start()
        .iter()
        .take_while(|byte| byte.is_ascii_digit())
        .map(|&byte| char::from(byte))
        .collect();
    digits.parse().ok()
}

fn count(text: &[u8], word: &[u8], most: usize) -> usize {
    let mut count = 0;
    let mut rest = text;
    while let Some(at) = find(rest, word) {
        count += 1;
        rest = rest.get(at + word.len()..).unwrap_or_default();
        if count >= most {
            break;
        }
    }
    count
}

/// Where a word begins for the first time.
pub(super) fn find(text: &[u8], word: &[u8]) -> Option<usize> {
    let first = *word.first()?;
    let mut from = 0;
    while let Some(at) = text.get(from..)?.iter().position(|byte| *byte == first) {
        if text.get(from + at..)?.starts_with(word) {
            return Some(from + at);
        }
        from += at + 1;
    }
    None
}
