//! The text of doc comments, as the Markdown that it is.
//!
//! Comment marks go, blocks without a language become Rust, lines that only the compiler is to see are left out, and
//! headings move down so that they stand below the heading of their item.

use crate::markdown::{Fence, dedent, heading, heading_line};

/// Words behind a fence that say how a Rust example is tested.
const RUST_WORDS: [&str; 8] = [
    "rust",
    "no_run",
    "ignore",
    "should_panic",
    "compile_fail",
    "test_harness",
    "standalone_crate",
    "custom",
];

/// The text of one doc comment, without its marks.
pub(super) fn comment_text(comment: &str) -> String {
    if let Some(line) = comment.strip_prefix("///").or_else(|| comment.strip_prefix("//!")) {
        return line.trim_end().to_owned();
    }
    let inner = comment.get(3..).unwrap_or_default();
    let inner = inner.strip_suffix("*/").unwrap_or(inner);
    let starred = inner.lines().skip(1).filter(|line| !line.trim().is_empty());
    let has_stars =
        inner.lines().count() > 1 && starred.clone().all(|line| line.trim_start().starts_with('*'));
    let mut out = String::with_capacity(inner.len());
    for (number, line) in inner.lines().enumerate() {
        let starless = || line.trim_start().strip_prefix('*').unwrap_or_default();
        let line = if has_stars && number > 0 { starless() } else { line };
        // The first line stands behind the mark; its own indentation says nothing.
        if number == 0 && line.trim().is_empty() {
            continue;
        }
        out.push_str(line.trim_end());
        out.push('\n');
    }
    if out.lines().count() > 1 && !inner.starts_with(['\n', '\r']) {
        return crate::markdown::dedent_after(&out, 1).trim_end().to_owned();
    }
    dedent(&out).trim_end().to_owned()
}

/// The value of a string literal, raw or not.
pub(super) fn literal_text(literal: &str) -> Option<String> {
    if let Some(raw) = literal.strip_prefix('r') {
        let inner = raw.trim_start_matches('#').strip_prefix('"')?;
        return Some(inner.trim_end_matches('#').trim_end_matches('"').to_owned());
    }
    let inner = literal.strip_prefix('"')?;
    let inner = inner.strip_suffix('"').unwrap_or(inner);
    let mut out = String::with_capacity(inner.len());
    let mut chars = inner.chars();
    while let Some(char) = chars.next() {
        if char != '\\' {
            out.push(char);
            continue;
        }
        match chars.next() {
            Some('n') => out.push('\n'),
            Some('t') => out.push('\t'),
            Some('r') => {}
            // A line that goes on: the break and what indents the next line are not part of the text.
            Some('\n') => {
                let rest = chars.as_str().trim_start();
                chars = rest.chars();
            }
            Some(other) => out.push(other),
            None => {}
        }
    }
    Some(out)
}

/// The Markdown of an item's comments, with headings `down` levels lower.
pub(super) fn markdown(docs: &str, down: usize) -> String {
    let docs = dedent(docs);
    let mut out = String::with_capacity(docs.len());
    let mut open: Option<(Fence, bool)> = None;
    for line in docs.lines() {
        if let Some((fence, is_rust)) = open {
            if fence.is_closed_by(line) {
                open = None;
            } else if is_rust {
                let trimmed = line.trim_start();
                if trimmed == "#" || trimmed.starts_with("# ") {
                    continue;
                }
                if trimmed.starts_with("##") {
                    out.push_str(&line.replacen("##", "#", 1));
                    out.push('\n');
                    continue;
                }
            }
            out.push_str(line);
        } else if let Some((fence, info)) = Fence::opened_by(line) {
            let is_rust = is_rust(info);
            open = Some((fence, is_rust));
            match is_rust {
                true => {
                    let marks = line.trim_end().strip_suffix(info).unwrap_or(line).trim_end();
                    out.push_str(marks);
                    out.push_str("rust");
                }
                false => out.push_str(line.trim_end()),
            }
        } else if let Some((level, text)) = heading(line) {
            out.push_str(&heading_line(level + down, text));
        } else if let Some(level) = underlines(line)
            && let Some(title) = setext_title(&out)
        {
            let title = title.to_owned();
            out.truncate(out.len() - title.len() - 1);
            out.push_str(&heading_line(level + down, title.trim()));
        } else {
            out.push_str(line.trim_end());
        }
        out.push('\n');
    }
    if let Some((fence, _)) = open {
        out.push_str(&fence.mark_line());
        out.push('\n');
    }
    out.trim_end().trim_start_matches('\n').to_owned()
}

/// The first paragraph in one line.
pub(super) fn summary(docs: &str) -> String {
    let lines = docs.lines().map(str::trim).skip_while(|line| line.is_empty());
    let first: Vec<&str> = lines.take_while(|line| !line.is_empty() && !line.starts_with("```")).collect();
    let text = first.join(" ");
    match heading(&text) {
        Some((_, title)) => title.to_owned(),
        None => text,
    }
}

fn is_rust(info: &str) -> bool {
    let words = info.trim_matches(['{', '}']).split([',', ' ', '\t']).map(str::trim);
    words.filter(|word| !word.is_empty()).all(|word| {
        RUST_WORDS.contains(&word) || ["edition", "E0", "ignore-"].iter().any(|start| word.starts_with(start))
    })
}

/// The level that a line of `===` or `---` makes of the line above.
fn underlines(line: &str) -> Option<usize> {
    let trimmed = line.trim();
    match trimmed.bytes().next()? {
        b'=' if trimmed.bytes().all(|byte| byte == b'=') => Some(1),
        b'-' if trimmed.len() > 2 && trimmed.bytes().all(|byte| byte == b'-') => Some(2),
        _ => None,
    }
}

/// The last line, if it is a paragraph of its own that can be a title.
fn setext_title(out: &str) -> Option<&str> {
    let body = out.strip_suffix('\n')?;
    let (before, title) = body.rsplit_once('\n').unwrap_or(("", body));
    let stands_alone = before.is_empty() || before.ends_with('\n');
    let is_text = title.trim_start().starts_with(|first: char| first.is_alphanumeric() || first == '`');
    (stands_alone && is_text && !title.contains('|')).then_some(title)
}
