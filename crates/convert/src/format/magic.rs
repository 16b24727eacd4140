//! What the bytes of a file say about its format.

use super::Format;
use crate::{ConvertError, ErrorKind, charset, package};

/// Starts of pictures, which have no text without OCR.
const PICTURES: [(&[u8], &str); 9] = [
    (b"\x89PNG\r\n", "a PNG picture"),
    (b"\xff\xd8\xff", "a JPEG picture"),
    (b"GIF87a", "a GIF picture"),
    (b"GIF89a", "a GIF picture"),
    (b"II*\0", "a TIFF picture"),
    (b"MM\0*", "a TIFF picture"),
    (b"BM", "a BMP picture"),
    (b"\0\0\x01\0", "an icon"),
    (b"AT&TFORM", "a DjVu scan"),
];

/// Starts of files that are something else, and what to do with them.
const OTHERS: [(&[u8], &str, &str); 13] = [
    (b"\x1f\x8b", "a gzip file", "unpack it first"),
    (b"BZh", "a bzip2 file", "unpack it first"),
    (b"\xfd7zXZ\0", "an xz file", "unpack it first"),
    (b"\x28\xb5\x2f\xfd", "a Zstandard file", "unpack it first"),
    (b"7z\xbc\xaf\x27\x1c", "a 7-Zip archive", "unpack it first, or pack it as zip"),
    (b"Rar!\x1a\x07", "a RAR archive", "unpack it first, or pack it as zip"),
    (b"\x7fELF", "a program", "give the documentation of the program instead"),
    (b"MZ\x90\0", "a program", "give the documentation of the program instead"),
    (b"\0asm", "a WebAssembly module", "give its source or documentation instead"),
    (b"SQLite format 3\0", "a SQLite database", "export the tables as CSV"),
    (b"PAR1", "a Parquet file", "export it as CSV"),
    (b"OggS", "a sound or film", "give a transcript instead"),
    (b"ID3", "a sound", "give a transcript instead"),
];

/// The format of a file that is not text, or why it has none; `None` means that it may be text.
pub(super) fn binary(bytes: &[u8]) -> Option<Result<Format, ConvertError>> {
    // Some writers put a few bytes before the mark, and every reader skips them.
    let head = bytes.get(..1024).unwrap_or(bytes);
    if head.windows(5).any(|window| window == b"%PDF-") {
        return Some(Ok(Format::Pdf));
    }
    if bytes.starts_with(b"{\\rtf") {
        return Some(Ok(Format::Rtf));
    }
    if bytes.starts_with(b"PK\x03\x04") || bytes.starts_with(b"PK\x05\x06") {
        return Some(package::format(bytes));
    }
    if bytes.starts_with(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1") {
        return Some(Err(compound(bytes)));
    }
    let is_riff = bytes.starts_with(b"RIFF") && bytes.get(8..12) == Some(b"WEBP");
    let is_heif = bytes.get(4..8) == Some(b"ftyp");
    if is_riff || (is_heif && matches!(bytes.get(8..11), Some(b"hei" | b"mif" | b"avi"))) {
        return Some(Err(ConvertError::no_text("a picture")));
    }
    if is_heif {
        return Some(Err(unsupported("a film or sound", "give a transcript instead")));
    }
    // Two letters are too few to tell a bitmap from a text.
    let is_picture = |mark: &[u8]| bytes.starts_with(mark) && (mark.len() > 2 || !charset::is_text(bytes));
    if let Some((_, what)) = PICTURES.iter().find(|(mark, _)| is_picture(mark)) {
        return Some(Err(ConvertError::no_text(what)));
    }
    let is_other = |mark: &[u8]| bytes.starts_with(mark) && !charset::is_text(bytes);
    let other = OTHERS.iter().find(|(mark, ..)| is_other(mark));
    other.map(|(_, what, hint)| Err(unsupported(what, hint)))
}

fn unsupported(what: &str, hint: &str) -> ConvertError {
    ConvertError::new(ErrorKind::Unsupported, format!("{what} cannot be converted"), hint)
}

/// The container of Office before 2007, and of Office files with a password.
fn compound(bytes: &[u8]) -> ConvertError {
    let name: Vec<u8> = "EncryptedPackage".encode_utf16().flat_map(u16::to_le_bytes).collect();
    if bytes.windows(name.len()).any(|window| window == name) {
        return ConvertError::encrypted();
    }
    let hint = "save it as .docx, .xlsx or .pptx";
    unsupported("a file of Office before 2007 (.doc, .xls, .ppt)", hint)
}

/// The first text of a file.
pub(super) fn text_head(bytes: &[u8]) -> String {
    charset::decode(bytes.get(..64 << 10).unwrap_or(bytes), None)
}

/// Text that says what it is in its first characters, whatever its name.
pub(super) fn marked_up(text: &str, by_name: Option<Format>) -> Option<Format> {
    let start: String = without_comments(text).chars().take(200).collect::<String>().to_ascii_lowercase();
    let is_html = start.starts_with("<!doctype html") || start.starts_with("<html");
    if is_html {
        return Some(Format::Html);
    }
    if start.starts_with("<?xml") && by_name != Some(Format::Html) {
        let head: String = text.chars().take(2000).collect::<String>().to_ascii_lowercase();
        return Some(if head.contains("<html") { Format::Html } else { Format::Xml });
    }
    None
}

/// What a text without a telling name is.
pub(super) fn unnamed(text: &str) -> Format {
    let start = text.trim_start();
    if start.starts_with('{') && start.contains("\"nbformat\"") && start.contains("\"cells\"") {
        Format::Notebook
    } else if start.starts_with('{') && is_open_api_json(text) {
        Format::OpenApiJson
    } else if start.starts_with("{\"") || (start.starts_with('{') && start[1..].trim_start().starts_with('"'))
    {
        Format::Json
    } else if is_open_api_yaml(text) {
        Format::OpenApiYaml
    } else if is_roff(text) {
        Format::Man
    } else if start.starts_with('<')
        && ["<body", "<div", "<p>", "<h1", "<head"].iter().any(|tag| start.contains(tag))
    {
        Format::Html
    } else {
        Format::Text
    }
}

/// Whether a text has the requests that every manual page begins with.
pub(super) fn is_roff(text: &str) -> bool {
    text.lines()
        .take(400)
        .any(|line| line.starts_with(".TH ") || line.starts_with(".Dd ") || line.starts_with(".so "))
}

pub(super) fn is_open_api_json(text: &str) -> bool {
    ["\"openapi\"", "\"swagger\""].iter().any(|key| {
        text.split_once(key).is_some_and(|(before, after)| {
            let value = after.trim_start().strip_prefix(':').map(str::trim_start).unwrap_or_default();
            before.matches('{').count() == 1 + before.matches('}').count() && value.starts_with('"')
        })
    })
}

pub(super) fn is_open_api_yaml(text: &str) -> bool {
    let is_key = |line: &str| ["openapi:", "swagger:"].iter().any(|key| line.starts_with(key));
    text.lines().any(is_key)
}

/// Text behind the white space and comments at its start.
fn without_comments(text: &str) -> &str {
    let mut rest = text.trim_start();
    while let Some((_, after)) = rest.strip_prefix("<!--").and_then(|inside| inside.split_once("-->")) {
        rest = after.trim_start();
    }
    rest
}
