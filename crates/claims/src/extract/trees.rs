//! Drawings of folders: lines with `├──`, `└──` or `|--`.
//!
//! Each entry becomes a path below the folders that it stands under. Whether the root of the drawing is the repository, a
//! folder of it or an example is left to the check.

use super::page::{Kind, Piece};
use super::placeholders::is_placeholder;
use super::shell::has_prompts;
use super::sink::{Sink, pieces};
use crate::{ClaimType, Link, Subject};

/// Lines that one drawing may have.
const MAX_LINES: usize = 2000;

pub(super) fn find(sink: &mut Sink<'_, '_>) {
    let page = sink.page;
    for piece in pieces(page, |kind| matches!(kind, Kind::Fence(_))) {
        let source = page.source(&piece.bytes);
        // What a program prints shows how it does, of whatever it was called on.
        if BRANCHES.iter().any(|branch| source.contains(branch)) && !has_prompts(source) {
            tree(sink, piece, source);
        }
    }
}

const BRANCHES: &[&str] = &["├─", "└─", "|-- ", "`-- ", "+-- ", "╰─"];

fn tree(sink: &mut Sink<'_, '_>, piece: &Piece, source: &str) {
    let mut root: Option<String> = None;
    // Folders above the next line: the column of the name, and the name; `None` for a name that hides what is below it.
    let mut above: Vec<(usize, Option<String>)> = Vec::new();
    let mut start = piece.bytes.start;
    for line in source.split_inclusive('\n').take(MAX_LINES) {
        let at = start;
        start += line.len();
        let after = source.get(start - piece.bytes.start..).unwrap_or_default();
        let Some(entry) = Entry::read(line) else {
            let first = line.split_whitespace().next().unwrap_or_default();
            if !first.is_empty() && !line.contains(['│', '|']) {
                root = Some(first.trim_end_matches('/').to_owned());
                above.clear();
            }
            continue;
        };
        while above.last().is_some_and(|(column, _)| *column >= entry.column) {
            above.pop();
        }
        let name = entry.name.trim_end_matches('/');
        let has_below =
            after.lines().next().and_then(Entry::read).is_some_and(|next| next.column > entry.column);
        let is_folder = has_below || entry.name.ends_with('/');
        let is_named = !is_placeholder(name)
            && !name.is_empty()
            && name != "."
            && name != "etc"
            && !name.contains([':', '(', '=', '[', '@']);
        // `project/` is anybody's.
        let root_is_known = root.as_deref().is_none_or(|root| root != "project" && !is_placeholder(root));
        if is_named && !root_is_known && above.is_empty() {
            sink.drawn.insert(name.to_owned());
        }
        if is_named && root_is_known && above.len() < 20 && above.iter().all(|(_, folder)| folder.is_some()) {
            let folders = above.iter().filter_map(|(_, folder)| folder.as_deref());
            // `.` says that the drawing starts where the page or the repository is.
            let start = root.as_deref().unwrap_or(".");
            let parts: Vec<&str> = [start].into_iter().chain(folders).chain([name]).collect();
            // A folder is told by its slash, or by what is below it.
            let slash = if is_folder { "/" } else { "" };
            let target = parts.join("/") + slash;
            let from = at + entry.start;
            let subject = Subject::Path { target, anchor: None, lines: None, link: Link::Tree };
            sink.add_in(piece, from..from + name.len(), ClaimType::PathReference, "tree", subject);
        }
        above.push((entry.column, is_named.then(|| name.to_owned())));
    }
}

struct Entry<'t> {
    name: &'t str,
    /// In characters, because drawings are made of wide ones.
    column: usize,
    /// In bytes.
    start: usize,
}

impl<'t> Entry<'t> {
    fn read(line: &'t str) -> Option<Self> {
        let is_drawing = |c: char| {
            c.is_whitespace()
                || matches!(
                    c,
                    '│' | '├'
                        | '└'
                        | '─'
                        | '╰'
                        | '┬'
                        | '|'
                        | '`'
                        | '+'
                        | '-'
                        | '\u{a0}'
                        | '┣'
                        | '┗'
                        | '━'
                        | '┃'
                )
        };
        let start = line.find(|c: char| !is_drawing(c))?;
        let drawing = &line[..start];
        if !BRANCHES.iter().any(|branch| drawing.contains(branch)) {
            return None;
        }
        // Boxes and arrows are another kind of drawing.
        if line.contains(['┘', '┐', '┌', '▼', '▲', '╮', '╯', '╭', '┤', '►', '▶']) {
            return None;
        }
        let rest = &line[start..];
        let end = rest.find(|c: char| c.is_whitespace()).unwrap_or(rest.len());
        let name = rest[..end].trim_end_matches([',', ':']);
        // A sentence is no file name; a comment may follow one.
        let after = rest[end..].trim_start();
        let is_comment = after.is_empty()
            || after.starts_with(['#', '←', '/', '-', '–', '—', '(', '<', '→', ':', '*', '•', '➜', '⇐'])
            || rest[end..].starts_with("  ")
            || rest[end..].starts_with('\t');
        is_comment.then(|| Self { name, column: drawing.chars().count(), start })
    }
}
