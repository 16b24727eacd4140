//! Markdown to readable plain text, for embedding and for the lexical index.
//!
//! What a reader would see stays: prose, code, table cells, link texts, image descriptions. Markup,
//! link targets, HTML and template tags go. This is an own scanner and not a CommonMark renderer,
//! because it also reads fragments that start inside of a block, knows Hugo and MDX, and runs over every
//! byte of every corpus. It works paragraph by paragraph in linear time.

mod entities;
mod html;
mod inline;
mod line;
mod shortcodes;

#[cfg(test)]
mod tests;

use crate::structure::with_line_feeds;

pub(crate) use html::attribute;
pub(crate) use shortcodes::without_shortcodes;

/// The text of `raw` without its markup.
pub fn plain(raw: &str) -> String {
    let raw = with_line_feeds(raw);
    let mut out = Output::with_capacity(raw.len());
    write(&raw, &mut out);
    out.finish()
}

/// Whether anything would be left to read: a letter or digit outside of markup.
pub(crate) fn has_words(raw: &str) -> bool {
    // Most text starts with a word; only the rest is worth a closer look.
    let start = raw.trim_start();
    if start.starts_with(char::is_alphanumeric) {
        return true;
    }
    // A bounded look decides nearly always, and keeps the check cheap on long text.
    let head = first_paragraphs(start, 2048);
    has_alphanumeric(&plain(head)) || (head.len() < start.len() && has_alphanumeric(&plain(start)))
}

fn has_alphanumeric(text: &str) -> bool {
    text.chars().any(char::is_alphanumeric)
}

fn first_paragraphs(text: &str, at_least: usize) -> &str {
    if text.len() <= at_least {
        return text;
    }
    match text.as_bytes()[at_least..].windows(2).position(|pair| pair == b"\n\n") {
        Some(blank) => &text[..at_least + blank + 1],
        None => text,
    }
}

fn write(raw: &str, out: &mut Output) {
    // Where an unclosed comment was looked for, so that it is looked for only once.
    let mut html = html::Closers::default();
    let mut pos = 0;
    while pos < raw.len() {
        let end = line_end(raw, pos);
        let text = &raw[pos..end];
        if is_blank(text) {
            out.newline();
            pos = end + 1;
        } else if let Some(fence) = line::Fence::open(text) {
            pos = write_fence(raw, end + 1, &fence, out);
        } else {
            let (paragraph_end, table) = paragraph(raw, pos);
            pos = inline::write(raw, pos..paragraph_end, table, &mut html, out);
            out.newline();
        }
    }
}

/// Copies the lines of a code block and returns the position after its closing fence.
fn write_fence(raw: &str, start: usize, fence: &line::Fence, out: &mut Output) -> usize {
    let mut pos = start.min(raw.len());
    while pos < raw.len() {
        let end = line_end(raw, pos);
        // A fragment may start inside of a block; then the first bare fence is its end, and the next one
        // that opens tells.
        if fence.bare && line::Fence::open(&raw[pos..end]).is_some_and(|next| fence.is_followed_by(&next)) {
            return start;
        }
        if fence.closes(&raw[pos..end]) {
            out.verbatim(&raw[start..pos]);
            return end + 1;
        }
        pos = end + 1;
    }
    if fence.bare {
        return start;
    }
    out.verbatim(raw.get(start..).unwrap_or_default());
    raw.len()
}

/// Where the run of lines from `start` ends that belong together, and whether it is a table.
fn paragraph(raw: &str, start: usize) -> (usize, bool) {
    let mut pos = start;
    let mut table = false;
    while pos < raw.len() {
        let end = line_end(raw, pos);
        let text = &raw[pos..end];
        if is_blank(text) || (pos > start && line::Fence::open(text).is_some()) {
            break;
        }
        table |= line::is_table_rule(text);
        pos = end + 1;
    }
    (pos.min(raw.len()), table)
}

fn line_end(raw: &str, from: usize) -> usize {
    raw[from..].find('\n').map_or(raw.len(), |newline| from + newline)
}

fn is_blank(line: &str) -> bool {
    line.bytes().all(|byte| byte.is_ascii_whitespace())
}

/// Collects text; breaks never double.
pub(crate) struct Output {
    text: String,
}

impl Output {
    fn with_capacity(bytes: usize) -> Output {
        Output { text: String::with_capacity(bytes) }
    }

    fn push(&mut self, c: char) {
        self.text.push(c);
    }

    fn push_str(&mut self, text: &str) {
        self.text.push_str(text);
    }

    fn space(&mut self) {
        if !self.is_at_break() {
            self.text.push(' ');
        }
    }

    fn is_at_break(&self) -> bool {
        self.text.is_empty() || self.text.ends_with([' ', '\n'])
    }

    fn newline(&mut self) {
        let kept = self.text.trim_end_matches([' ', '\t', '\r']).len();
        self.text.truncate(kept);
        if !self.text.is_empty() && !self.text.ends_with('\n') {
            self.text.push('\n');
        }
    }

    /// Whole lines of code as they are.
    fn verbatim(&mut self, lines: &str) {
        self.newline();
        self.text.push_str(lines);
        self.newline();
    }

    fn finish(mut self) -> String {
        let kept = self.text.trim_end().len();
        self.text.truncate(kept);
        self.text
    }
}
