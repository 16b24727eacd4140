//! Files, folders, anchors and lines in spans, links and images.
//!
//! One reference can make two claims: the file, and the anchor or line in it. So the file that is gone is told once, and
//! an anchor is only judged where its file is found.

use std::ops::Range;

use super::page::{Blocks, Kind, Piece};
use super::placeholders::{has_known_ending, is_pattern, is_placeholder};
use super::sentence::line_around;
use super::sink::{Sink, pieces};
use super::words::{Word, unmarked};
use crate::{ClaimType, Link, Subject};

pub(super) fn find(sink: &mut Sink<'_, '_>) {
    let page = sink.page;
    for piece in pieces(page, |kind| !matches!(kind, Kind::Fence(_))) {
        match &piece.kind {
            Kind::Span => span(sink, piece),
            Kind::Link(target) => link(sink, piece, target, Link::Link),
            Kind::Image(target) => link(sink, piece, target, Link::Image),
            Kind::Fence(_) => {}
        }
    }
    if page.is_mdx {
        imports(sink);
    }
    for (number, block) in page.blocks.iter().enumerate().filter(|(_, block)| block.is_prose) {
        for word in unmarked(page, block) {
            plain(sink, number, &word);
        }
    }
}

/// `import Note from "../include/note.mdx"`, which brings another page in.
fn imports(sink: &mut Sink<'_, '_>) {
    let page = sink.page;
    let blocks = Blocks::of(page);
    let mut at = 0;
    for line in page.text.split_inclusive('\n') {
        let start = at;
        at += line.len();
        let Some(quoted) = line.strip_prefix("import ").filter(|_| line.len() < 400) else { continue };
        let Some(quote) = quoted.find(['"', '\'']) else { continue };
        let from = quote + 1;
        let Some(length) = quoted.get(from..).and_then(|rest| rest.find(['"', '\''])) else { continue };
        let target = quoted.get(from..from + length).unwrap_or_default();
        let is_file = target.starts_with(['.', '/']) && has_known_ending(target) && !is_pattern(target);
        let from = start + "import ".len() + from;
        // What a fence holds is somebody's code.
        let block = blocks.holding(from).filter(|_| page.piece_at(from).is_none());
        if let (Some(block), true) = (block, is_file) {
            let subject =
                Subject::Path { target: target.to_owned(), anchor: None, lines: None, link: Link::Link };
            sink.add(from..from + length, block, ClaimType::PathReference, "link", subject);
        }
    }
}

/// A file in a sentence that nobody has marked as code: only one with a folder and an ending.
fn plain(sink: &mut Sink<'_, '_>, block: usize, word: &Word<'_>) {
    let folders = word.text.trim_start_matches("./").trim_start_matches("../");
    if !folders.contains('/') || !has_known_ending(word.text) || !is_path(word.text, Link::Span) {
        return;
    }
    let behind = sink.page.text.get(word.bytes.end..).unwrap_or_default();
    // The label of a link is judged by where the link leads, and imports are read as such.
    let is_label = behind.starts_with("](") || behind.starts_with("][");
    let line = line_around(sink.page.text, &(word.bytes.start..word.bytes.start));
    if is_label || sink.page.is_mdx && sink.page.source(&line).starts_with("import ") {
        return;
    }
    let target = word.text.to_owned();
    let subject = Subject::Path { target, anchor: None, lines: None, link: Link::Span };
    sink.add(word.bytes.clone(), block, ClaimType::PathReference, "plain_path", subject);
}

fn span(sink: &mut Sink<'_, '_>, piece: &Piece) {
    let source = sink.page.source(&piece.bytes);
    let word = source.trim_end_matches([',', ';', ':']);
    // The label of a link is judged by where the link leads, unless that is a file of the same name elsewhere.
    if piece.is_label && !leads_elsewhere(sink, piece, word) {
        return;
    }
    let bytes = piece.bytes.start..piece.bytes.start + word.len();
    named_path(sink, piece.block, bytes, Link::Span, None);
}

/// `` [`scripts/run.sh`](../tools/run.sh) ``: the link was mended, and its label forgotten.
fn leads_elsewhere(sink: &Sink<'_, '_>, label: &Piece, word: &str) -> bool {
    let behind = sink.page.text.get(label.bytes.end..).unwrap_or_default();
    let Some(target) = behind.trim_start_matches('`').strip_prefix("](") else { return false };
    let target = target.split([')', '#', '?', ' ', '\n']).next().unwrap_or_default();
    let name = |path: &str| path.rsplit('/').next().filter(|name| name.contains('.')).map(str::to_owned);
    let plain = target.trim_start_matches("../").trim_start_matches("./");
    is_relative(target)
        && word.contains('/')
        && plain.contains('/')
        && name(word).is_some()
        && name(word) == name(plain)
        && !plain.ends_with(word)
        && !word.ends_with(plain)
}

/// A word that may be a path, with a line or an anchor at its end, seen from the folder `within`.
pub(super) fn named_path(
    sink: &mut Sink<'_, '_>,
    block: usize,
    bytes: Range<usize>,
    link: Link,
    within: Option<&str>,
) {
    let word = sink.page.source(&bytes);
    let (path, rest) = split_rest(word);
    // `v#.#` stands for any version.
    let is_pattern = matches!(rest, Rest::Anchor(anchor) if anchor.starts_with(['.', '#']));
    if !is_path(path, link) || is_pattern {
        return;
    }
    let at = bytes.start..bytes.start + path.len();
    let target = match within {
        Some(folder) => format!("{folder}/{}", path.trim_start_matches("./")),
        None => path.to_owned(),
    };
    let kind = if link == Link::Argument { "argument" } else { "path" };
    let subject = Subject::Path { target: target.clone(), anchor: None, lines: None, link };
    sink.add(at, block, ClaimType::PathReference, kind, subject);
    match rest {
        Rest::Nothing => {}
        Rest::Lines(from, to) => {
            let subject = Subject::Path { target, anchor: None, lines: Some((from, to)), link };
            sink.add(bytes, block, ClaimType::PathReference, "line", subject);
        }
        Rest::Anchor(anchor) => {
            let subject = Subject::Path { target, anchor: Some(anchor.to_owned()), lines: None, link };
            sink.add(bytes, block, ClaimType::PathReference, "anchor", subject);
        }
    }
}

#[derive(Debug, PartialEq)]
enum Rest<'t> {
    Nothing,
    Lines(u32, u32),
    Anchor(&'t str),
}

/// `src/a.rs:12`, `src/a.rs:12-20`, `src/a.rs:12:5`, `a.md#b`, `a.rs#L3-L5`.
fn split_rest(word: &str) -> (&str, Rest<'_>) {
    if let Some((path, anchor)) = word.split_once('#') {
        return match line_anchor(anchor) {
            Some((from, to)) => (path, Rest::Lines(from, to)),
            None if anchor.is_empty() => (path, Rest::Nothing),
            None => (path, Rest::Anchor(anchor)),
        };
    }
    if let Some((path, numbers)) = word.split_once(':')
        && let Some(lines) = line_numbers(numbers)
    {
        return (path, Rest::Lines(lines.0, lines.1));
    }
    // `a.py::test_x` names a test in a file.
    if let Some((path, _)) = word.split_once("::")
        && has_known_ending(path)
    {
        return (path, Rest::Nothing);
    }
    (word, Rest::Nothing)
}

/// `L12`, `L12-L20`, `L12-20`, `L12C3`.
fn line_anchor(anchor: &str) -> Option<(u32, u32)> {
    let (from, to) = anchor.split_once('-').unwrap_or((anchor, anchor));
    let number = |part: &str| {
        let part = part.strip_prefix('L').unwrap_or(part);
        part.split('C').next().and_then(|digits| digits.parse().ok())
    };
    anchor.starts_with('L').then(|| Some((number(from)?, number(to)?)))?
}

/// `12`, `12-20`, `12:5`.
fn line_numbers(numbers: &str) -> Option<(u32, u32)> {
    let lines = numbers.split(':').next()?;
    let (from, to) = lines.split_once(['-', '–']).unwrap_or((lines, lines));
    Some((from.parse().ok()?, to.parse().ok()?))
}

/// Whether a word names a file or a folder of a repository.
fn is_path(word: &str, link: Link) -> bool {
    if is_placeholder(word)
        || word.starts_with(['/', '-', '@', '#', '+', ':', '&'])
        || word.contains(['=', '(', ')', '&', ':', '@', '%', '#'])
        || word.contains("//")
        || word.bytes().all(|byte| !byte.is_ascii_alphabetic())
    {
        return false;
    }
    if !word.contains('/') {
        // `.rs` is an ending, and `Node.js` a product.
        return matches!(link, Link::Argument) && word.contains('.')
            || has_known_ending(word)
                && !word.starts_with('.')
                && !(word.ends_with(".js") && word.starts_with(|c: char| c.is_ascii_uppercase()));
    }
    if matches!(link, Link::Argument) || word.starts_with("./") || word.starts_with("../") {
        return word.bytes().any(|byte| byte.is_ascii_alphanumeric());
    }
    let first = word.split('/').next().unwrap_or(word);
    let is_odd = |part: &str| part.is_empty() || part.bytes().all(|byte| !byte.is_ascii_alphabetic());
    let parts = word.trim_end_matches('/').split('/');
    // `CODEX_HOME/x` starts with a variable.
    let is_variable = first.contains('_') && first.bytes().all(|b| b.is_ascii_uppercase() || b == b'_');
    !is_host(first)
        && !is_variable
        && !NO_FOLDERS.contains(&first.to_ascii_lowercase().as_str())
        && (has_known_ending(word) || !parts.clone().any(is_odd))
        // Prose: `TCP/IP`, `CI/CD`, `I/O`.
        && (has_known_ending(word) || parts.clone().any(|part| part.bytes().any(|b| b.is_ascii_lowercase())))
}

/// Words before a `/` that never name a folder of a repository.
#[rustfmt::skip]
const NO_FOLDERS: &[&str] = &[
    "and", "application", "audio", "dev", "either", "feature", "fix", "font", "head", "image", "multipart",
    "n", "origin", "proc", "refs", "s3", "text", "true", "upstream", "usr", "video", "yes",
];

fn is_host(first: &str) -> bool {
    let ending = first.rsplit_once('.').map(|(before, ending)| (!before.is_empty(), ending));
    matches!(
        ending,
        Some((
            true,
            "com"
                | "org"
                | "io"
                | "net"
                | "dev"
                | "ai"
                | "sh"
                | "co"
                | "app"
                | "edu"
                | "gov"
                | "in"
                | "cc"
                | "so"
                | "land"
                | "rs"
        ))
    ) && first != "build.rs"
}

fn link(sink: &mut Sink<'_, '_>, piece: &Piece, target: &str, link: Link) {
    let (path, anchor) = match target.split_once('#') {
        Some((path, anchor)) => (path, Some(anchor)),
        None => (target, None),
    };
    let path = path.split('?').next().unwrap_or(path);
    if !is_relative(path) || target.contains("{{") || target.contains("{%") || target.contains("<%") {
        return;
    }
    let decoded = percent_decoded(path);
    let bytes = piece.bytes.clone();
    if !path.is_empty() {
        // Whether a link leads somewhere is decided by what is there, and was; not by what it is called.
        if is_pattern(&decoded.replace([' ', ',', '!', '\''], "_")) {
            return;
        }
        let kind = if link == Link::Image { "image" } else { "link" };
        let subject = Subject::Path { target: decoded.clone(), anchor: None, lines: None, link };
        sink.add(bytes.start..bytes.start + path.len(), piece.block, ClaimType::PathReference, kind, subject);
    }
    let Some(anchor) = anchor.filter(|anchor| !anchor.is_empty()) else { return };
    let (kind, anchor, lines) = match line_anchor(anchor) {
        Some(lines) if !path.is_empty() => ("line", None, Some(lines)),
        _ => ("anchor", Some(percent_decoded(anchor)), None),
    };
    // What a page's scripts make of these is not in its text.
    if anchor.as_deref().is_some_and(|anchor| {
        anchor == "top" || anchor.starts_with([':', '/', '!', '?']) || anchor.contains(['/', '=', '<', '{'])
    }) {
        return;
    }
    let subject = Subject::Path { target: decoded, anchor, lines, link };
    sink.add(bytes, piece.block, ClaimType::PathReference, kind, subject);
}

/// Not a URL, an address, or another scheme.
pub(super) fn is_relative(path: &str) -> bool {
    let has_scheme = path.split_once(':').is_some_and(|(scheme, _)| {
        !scheme.is_empty()
            && scheme.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.'))
    });
    !has_scheme
        && !path.starts_with("//")
        && !path.starts_with(['@', '<', '~', '\\'])
        && !path.contains("://")
        && !path.starts_with("www.")
}

/// Without percent signs; as it is when it was not encoded properly.
pub(super) fn percent_decoded(text: &str) -> String {
    if !text.contains('%') {
        return text.to_owned();
    }
    let bytes = text.as_bytes();
    let mut decoded = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        let code = (byte == b'%').then(|| text.get(at + 1..at + 3)).flatten();
        match code.and_then(|code| u8::from_str_radix(code, 16).ok()) {
            Some(byte) => {
                decoded.push(byte);
                at += 3;
            }
            None => {
                decoded.push(byte);
                at += 1;
            }
        }
    }
    String::from_utf8(decoded).unwrap_or_else(|_| text.to_owned())
}
