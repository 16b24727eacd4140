//! Keys of a configuration, their defaults, and ports.

use std::ops::Range;

use super::page::{Kind, Page, Piece, Table};
use super::placeholders::{has_known_ending, is_placeholder};
use super::sink::{Sink, pieces};
use super::words::{Word, words};
use crate::{ClaimType, Subject};

pub(super) fn find(sink: &mut Sink<'_, '_>) {
    let page = sink.page;
    for piece in pieces(page, |kind| matches!(kind, Kind::Span)) {
        if let Some(path) = dotted(page.source(&piece.bytes)) {
            sink.add_in(piece, piece.bytes.clone(), ClaimType::Config, "key", Subject::Key { path });
        }
    }
    for table in &page.tables {
        options(sink, table);
    }
    for (number, block) in page.blocks.iter().enumerate().filter(|(_, block)| block.is_prose) {
        let words = words(page.text, &block.bytes);
        defaults(sink, number, &block.bytes, &words);
        ports(sink, number, &words);
    }
}

/// First parts of dotted names that are code or prose.
#[rustfmt::skip]
const NO_KEYS: &[&str] = &[
    "args", "console", "ctx", "document", "e", "err", "event", "exports", "fs", "i", "import", "io", "json",
    "math", "module", "np", "os", "path", "pd", "process", "req", "res", "self", "sys", "this", "www",
    "window",
];

/// `server.port`: lower case, two to six parts, no file.
fn dotted(source: &str) -> Option<Vec<String>> {
    let is_part = |part: &str| {
        part.starts_with(|c: char| c.is_ascii_lowercase())
            && part.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-'))
    };
    let parts: Vec<&str> = source.split('.').collect();
    let is_key = source.len() <= 100
        && (2..=6).contains(&parts.len())
        && parts.iter().all(|part| is_part(part))
        && !has_known_ending(source)
        && !parts.first().is_some_and(|first| NO_KEYS.contains(first))
        && !parts.last().is_some_and(|last| {
            matches!(
                *last,
                "com"
                    | "org"
                    | "io"
                    | "net"
                    | "dev"
                    | "ai"
                    | "app"
                    | "sh"
                    | "zip"
                    | "gz"
                    | "tar"
                    | "exe"
                    | "log"
                    | "bin"
                    | "db"
            )
        })
        && !is_placeholder(source);
    is_key.then(|| parts.into_iter().map(str::to_owned).collect())
}

/// A table of options: a key in the first column, and perhaps a column with defaults.
fn options(sink: &mut Sink<'_, '_>, table: &Table) {
    let page = sink.page;
    let title = |at: usize| {
        table
            .head
            .get(at)
            .map(|cell| page.source(cell).trim_matches(['|', ' ', '*', '`']).to_ascii_lowercase())
    };
    let is_options = title(0).is_some_and(|title| {
        [
            "option",
            "setting",
            "key",
            "field",
            "property",
            "parameter",
            "config",
            "name",
            "attribute",
            "flag",
            "variable",
        ]
        .iter()
        .any(|word| title.starts_with(word))
    });
    if !is_options {
        return;
    }
    let default =
        (1..table.head.len()).find(|&at| title(at).is_some_and(|title| title.starts_with("default")));
    let has_types = (1..table.head.len()).any(|at| title(at).is_some_and(|title| title.starts_with("type")));
    for (row, &block) in table.rows.iter().zip(&table.blocks) {
        // Generators of pages for charts write keys without marks; only a key has dots, or a type and a default.
        let plain = || {
            let key = row.first().map(|cell| plain_in(page, cell))?;
            let name = page.source(&key);
            let is_key = name.contains('.') || has_types && name.chars().any(char::is_uppercase);
            let is_word = name.starts_with(|c: char| c.is_ascii_alphabetic());
            (default.is_some() && is_key && is_word).then_some(key)
        };
        let Some(key) = row.first().and_then(|cell| span_in(page, cell)).or_else(plain) else { continue };
        let name = page.source(&key);
        let is_key = name.len() <= 100
            && name.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b'.'))
            && !is_placeholder(name);
        let is_setting =
            is_key && name.starts_with(|c: char| c.is_ascii_lowercase()) && !has_known_ending(name);
        if is_setting {
            let path = name.split('.').map(str::to_owned).collect();
            sink.add(key.clone(), block, ClaimType::Config, "option", Subject::Key { path });
        }
        if let Some(value) =
            default.and_then(|at| row.get(at)).and_then(|cell| span_in(page, cell)).filter(|_| is_key)
        {
            add_default(sink, block, name, value);
        }
    }
}

/// The text of a cell.
fn plain_in(page: &Page<'_>, cell: &Range<usize>) -> Range<usize> {
    let source = page.source(cell);
    let start = cell.start + (source.len() - source.trim_start_matches(['|', ' ']).len());
    let end = cell.start + source.trim_end_matches(['|', ' ']).len();
    start..end.max(start)
}

/// The only code span of a cell.
fn span_in(page: &Page<'_>, cell: &Range<usize>) -> Option<Range<usize>> {
    let from = page.pieces.partition_point(|piece| piece.bytes.start < cell.start);
    let mut spans = page
        .pieces
        .get(from..)?
        .iter()
        .take_while(|piece| piece.bytes.start < cell.end)
        .filter(|piece| matches!(piece.kind, Kind::Span));
    let first: &Piece = spans.next()?;
    spans.next().is_none().then(|| first.bytes.clone())
}

fn add_default(sink: &mut Sink<'_, '_>, block: usize, name: &str, at: Range<usize>) {
    let source = sink.page.source(&at);
    let value = source.trim_matches(['"', '\'', '`']);
    let is_value = !value.is_empty()
        && value.len() <= 80
        && !value.contains(char::is_whitespace)
        && !is_placeholder(value);
    if is_value && !matches!(value, "-" | "–" | "none" | "None" | "null" | "undefined" | "nil") {
        let subject =
            Subject::Value { of: "default".to_owned(), name: name.to_owned(), value: value.to_owned() };
        sink.add(at, block, ClaimType::Config, "default", subject);
    }
}

/// `port` … defaults to `8080`; `--jobs` (default: `4`).
fn defaults(sink: &mut Sink<'_, '_>, block: usize, bytes: &Range<usize>, words: &[Word<'_>]) {
    let page = sink.page;
    if !words.iter().any(|word| word.text.to_ascii_lowercase().starts_with("default")) {
        return;
    }
    let from = page.pieces.partition_point(|piece| piece.bytes.start < bytes.start);
    let spans: Vec<&Piece> = page.pieces[from..]
        .iter()
        .take_while(|piece| piece.bytes.start < bytes.end)
        .filter(|piece| matches!(piece.kind, Kind::Span))
        .collect();
    for pair in spans.windows(2) {
        let [name, value] = pair else { continue };
        let between = page.text.get(name.bytes.end..value.bytes.start).unwrap_or_default();
        if between.len() > 120 || between.contains(". ") {
            continue;
        }
        let between = between.to_ascii_lowercase();
        let between = between.trim_end_matches(['`', ' ', ':', '"', '*']);
        let tells = [
            "defaults to",
            "default",
            "default is",
            "default value",
            "default value is",
            "default of",
            "default value of",
            "defaulting to",
            "by default",
        ];
        let key = page.source(&name.bytes);
        let is_name = key.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b'.'))
            && !is_placeholder(key);
        if is_name && tells.iter().any(|end| between.ends_with(end)) {
            add_default(sink, block, key, value.bytes.clone());
        }
    }
}

/// `port 8080`, `localhost:8080`.
fn ports(sink: &mut Sink<'_, '_>, block: usize, words: &[Word<'_>]) {
    for (at, word) in words.iter().enumerate() {
        let (number, bytes) = if let Some(start) =
            word.text.find("localhost:").map(|start| start + "localhost:".len())
        {
            let digits = word.text[start..].bytes().take_while(u8::is_ascii_digit).count();
            (&word.text[start..start + digits], word.bytes.start + start..word.bytes.start + start + digits)
        } else if at > 0 && words[at - 1].text.eq_ignore_ascii_case("port") {
            (word.text, word.bytes.clone())
        } else {
            continue;
        };
        let is_port = number.parse::<u16>().is_ok_and(|port| port >= 80) && number.len() >= 2;
        if is_port {
            let subject =
                Subject::Value { of: "port".to_owned(), name: String::new(), value: number.to_owned() };
            sink.add(bytes, block, ClaimType::Config, "port", subject);
        }
    }
}
