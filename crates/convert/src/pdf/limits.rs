//! What a hostile file may cost, and the check for deflate bombs.
//!
//! The PDF reader decodes streams without asking how large they become. So before it sees the file, every deflated stream is
//! inflated once into nothing, up to a cap. That costs little (the counting is faster than the reading) and needs no trust in
//! the cross-reference table. Streams of an encrypted file cannot be counted this way: there the process's own limits hold.

use std::io::Read;

/// Most pages that are converted; what follows is named in a note.
pub(super) const PAGES: usize = 20_000;
/// The longest side of a page in points that is believed; the format's own limit is 14,400.
pub(super) const PAGE_SIDE: f32 = 100_000.0;
/// Most operations of one page, its forms included.
pub(super) const PAGE_OPERATIONS: usize = 4_000_000;
/// Most operations of all pages together: a thousand pages of a book have about six million.
pub(super) const DOCUMENT_OPERATIONS: usize = 60_000_000;
/// Most glyphs of one page.
pub(super) const PAGE_GLYPHS: usize = 400_000;
/// Most ruled lines of one page; charts have more, tables do not.
pub(super) const PAGE_RULES: usize = 6_000;
/// How deep forms may be nested.
pub(super) const FORM_DEPTH: usize = 12;
/// Most bytes of Markdown.
pub(super) const MARKDOWN_BYTES: usize = 64 << 20;
/// Most bytes that one stream may decode to.
const STREAM_BYTES: u64 = 96 << 20;
/// Most bytes that all streams together may decode to, images not counted: they are never decoded.
const ALL_STREAM_BYTES: u64 = 512 << 20;

/// Whether some stream, or all of them together, would decode to more than the caps.
pub(super) fn is_bomb(file: &[u8]) -> bool {
    let mut total = 0_u64;
    let mut at = 0;
    while let Some(found) = find(file.get(at..).unwrap_or_default(), b"stream") {
        let keyword = at + found;
        at = keyword + b"stream".len();
        if file.get(..keyword).is_some_and(|before| before.ends_with(b"end")) {
            continue;
        }
        let dict = dict_before(file, keyword);
        if find(dict, b"/Image").is_some() && find(dict, b"/Subtype").is_some() {
            continue;
        }
        let Some(raw) = file.get(at..) else { continue };
        let raw = raw.strip_prefix(b"\r\n").or_else(|| raw.strip_prefix(b"\n")).unwrap_or(raw);
        let filters = count(dict, b"/FlateDecode") + count(dict, b"/LZWDecode");
        if filters > 2 {
            return true;
        }
        if starts_like_zlib(raw) {
            let size = inflated_size(raw, filters > 1);
            total = total.saturating_add(size);
            if size > STREAM_BYTES || total > ALL_STREAM_BYTES {
                return true;
            }
        }
    }
    false
}

/// The dictionary that stands before a `stream` keyword, or what could be it.
fn dict_before(file: &[u8], keyword: usize) -> &[u8] {
    let window = file.get(keyword.saturating_sub(1024)..keyword).unwrap_or_default();
    let start = window.windows(4).rposition(|four| four == b" obj").unwrap_or(0);
    window.get(start..).unwrap_or_default()
}

/// Whether the first two bytes are the header of a zlib stream, whatever the dictionary says.
fn starts_like_zlib(raw: &[u8]) -> bool {
    matches!(raw, [method, flags, ..] if method & 0x0f == 8 && u16::from_be_bytes([*method, *flags]).is_multiple_of(31))
}

/// How many bytes a zlib stream inflates to, counted up to the cap; a second filter counts as another factor of it.
fn inflated_size(raw: &[u8], twice: bool) -> u64 {
    let mut sink = [0_u8; 16 << 10];
    let mut size = 0_u64;
    let mut decoder = flate2::bufread::ZlibDecoder::new(raw);
    let mut inner = twice.then(|| flate2::write::ZlibDecoder::new(Count(0)));
    while let Ok(read) = decoder.read(&mut sink) {
        if read == 0 {
            break;
        }
        size = size.saturating_add(read as u64);
        if let Some(inner) = &mut inner {
            let chunk = sink.get(..read).unwrap_or_default();
            let failed = std::io::Write::write_all(inner, chunk).is_err();
            size = size.max(inner.get_ref().0);
            if failed {
                break;
            }
        }
        if size > STREAM_BYTES {
            break;
        }
    }
    size
}

/// Counts what is written and stops the writer past the cap.
struct Count(u64);

impl std::io::Write for Count {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0 = self.0.saturating_add(bytes.len() as u64);
        if self.0 > STREAM_BYTES { Err(std::io::Error::other("too much")) } else { Ok(bytes.len()) }
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

fn find(haystack: &[u8], needle: &[u8]) -> Option<usize> {
    let first = *needle.first()?;
    let mut from = 0;
    while let Some(step) = haystack.get(from..)?.iter().position(|&byte| byte == first) {
        let at = from + step;
        if haystack.get(at..)?.starts_with(needle) {
            return Some(at);
        }
        from = at + 1;
    }
    None
}

fn count(haystack: &[u8], needle: &[u8]) -> usize {
    haystack.windows(needle.len()).filter(|window| *window == needle).count()
}
