//! Fences that may repeat a region of a source file.

use super::page::Kind;
use super::sink::{Sink, pieces};
use crate::{ClaimType, Subject};

const MIN_LINES: usize = 4;
const MAX_LINES: usize = 120;
const MAX_BYTES: usize = 8 << 10;

/// Languages of code; not of data, which pages show in endless variation.
#[rustfmt::skip]
const LANGUAGES: &[&str] = &[
    "c", "c++", "cpp", "cs", "csharp", "dart", "elixir", "go", "golang", "java", "javascript", "js", "jsx",
    "kotlin", "lua", "php", "proto", "protobuf", "py", "python", "rb", "rs", "ruby", "rust", "scala", "sql",
    "swift", "ts", "tsx", "typescript", "zig",
];

pub(super) fn is_code(language: &str) -> bool {
    LANGUAGES.binary_search(&language).is_ok()
}

pub(super) fn find(sink: &mut Sink<'_, '_>) {
    let page = sink.page;
    for piece in pieces(page, |kind| matches!(kind, Kind::Fence(language) if is_code(language))) {
        let Kind::Fence(language) = &piece.kind else { continue };
        let source = page.source(&piece.bytes);
        let text = source.trim_end();
        let lines = text.lines().filter(|line| !line.trim().is_empty()).count();
        if (MIN_LINES..=MAX_LINES).contains(&lines)
            && text.len() <= MAX_BYTES
            && !text.contains("...")
            && !text.contains('…')
        {
            let subject = Subject::Snippet { language: language.clone(), text: text.to_owned() };
            let bytes = piece.bytes.start..piece.bytes.start + text.len();
            sink.add_in(piece, bytes, ClaimType::CodeExample, "snippet", subject);
        }
    }
}
