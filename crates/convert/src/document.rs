//! What a conversion yields: Markdown, and which line of it came from where in the file.

use crate::{ConvertError, Format, Limits};

/// A file that became Markdown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Converted {
    /// The text; it ends with one line break, unless the file holds no text at all.
    pub markdown: String,
    /// The title that the file itself states, else its first heading.
    pub title: Option<String>,
    /// Where its lines come from, in the order of the lines; empty for formats without places.
    pub origins: Vec<Origin>,
    /// What the file was.
    pub format: Format,
    /// What a reader should know: what was left out or cut.
    pub notes: Vec<String>,
}

/// From `line` of the Markdown on, the text comes from this place of the file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Origin {
    /// 1-based line of the Markdown.
    pub line: u32,
    /// 1-based page or slide.
    pub page: Option<u32>,
    /// Sheet, slide title, anchor, or the file in an archive.
    pub label: Option<String>,
}

impl Converted {
    /// A file of text in which nothing is written.
    pub(crate) fn empty(format: Format) -> Self {
        let notes = vec!["the file is empty".to_owned()];
        Self { markdown: String::new(), title: None, origins: Vec::new(), format, notes }
    }

    /// The place that a line of the Markdown comes from.
    pub fn origin_of(&self, line: u32) -> Option<&Origin> {
        let after = self.origins.partition_point(|origin| origin.line <= line);
        after.checked_sub(1).and_then(|at| self.origins.get(at))
    }
}

/// A document while it is being written: blocks go in, line numbers are kept along the way.
#[derive(Debug, Default)]
pub(crate) struct Draft {
    text: String,
    origins: Vec<Origin>,
    notes: Vec<String>,
    title: Option<String>,
    /// Line breaks in `text` up to `counted` bytes.
    line_breaks: u32,
    counted: usize,
    /// Whether the last block was an item of a list.
    in_list: bool,
}

impl Draft {
    /// What follows comes from this place.
    pub(crate) fn origin(&mut self, page: Option<u32>, label: Option<&str>) {
        self.break_block();
        let fresh = self.text.get(self.counted..).unwrap_or_default();
        let breaks = fresh.bytes().filter(|&byte| byte == b'\n').count();
        self.line_breaks = self.line_breaks.saturating_add(u32::try_from(breaks).unwrap_or(u32::MAX));
        self.counted = self.text.len();
        let line = self.line_breaks.saturating_add(1);
        let label = label.map(clean_label).filter(|label| !label.is_empty());
        // A place without any text of its own is not worth a line.
        if self.origins.last().is_some_and(|last| last.line == line) {
            self.origins.pop();
        }
        self.origins.push(Origin { line, page, label });
    }

    /// One block of Markdown, with an empty line before and after.
    pub(crate) fn block(&mut self, markdown: &str) {
        let markdown = markdown.trim_matches('\n').trim_end();
        if markdown.trim().is_empty() {
            return;
        }
        self.break_block();
        self.in_list = false;
        self.text.push_str(markdown);
        self.text.push('\n');
    }

    /// One item of a list, below the item before it without an empty line.
    pub(crate) fn item(&mut self, markdown: &str) {
        if markdown.trim().is_empty() {
            return;
        }
        if !self.in_list {
            self.break_block();
        }
        self.in_list = true;
        self.text.push_str(markdown.trim_end());
        self.text.push('\n');
    }

    /// A heading; its text is Markdown already.
    pub(crate) fn heading(&mut self, level: usize, markdown: &str) {
        let text = markdown.split_whitespace().collect::<Vec<_>>().join(" ");
        if !text.is_empty() {
            self.block(&crate::markdown::heading_line(level, &text));
        }
    }

    /// A fenced block.
    pub(crate) fn code(&mut self, language: &str, code: &str) {
        let mut block = String::new();
        crate::markdown::push_code(&mut block, language, code);
        self.block(&block);
    }

    /// Something that a reader should know.
    pub(crate) fn note(&mut self, note: impl Into<String>) {
        let note = note.into();
        if !self.notes.contains(&note) {
            self.notes.push(note);
        }
    }

    /// The title that the file states.
    pub(crate) fn set_title(&mut self, title: &str) {
        let title = title.split_whitespace().collect::<Vec<_>>().join(" ");
        if !title.is_empty() {
            self.title = Some(title);
        }
    }

    pub(crate) fn has_title(&self) -> bool {
        self.title.is_some()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.text.is_empty()
    }

    /// Bytes written so far.
    pub(crate) fn len(&self) -> usize {
        self.text.len()
    }

    /// The text and the notes, for a part that is written into another draft.
    pub(crate) fn into_parts(self) -> (String, Vec<String>) {
        (self.text, self.notes)
    }

    /// Puts a whole document below this one, with its headings `deeper` levels lower and its places kept.
    pub(crate) fn append(&mut self, part: &Converted, deeper: usize, label: &str) {
        self.origin(None, Some(label));
        let first = self.line_breaks;
        self.block(&crate::markdown::shift_headings(&part.markdown, deeper));
        for origin in &part.origins {
            let label = match &origin.label {
                Some(inner) => format!("{label} > {inner}"),
                None => label.to_owned(),
            };
            let line = first.saturating_add(origin.line);
            if self.origins.last().is_some_and(|last| last.line == line) {
                self.origins.pop();
            }
            self.origins.push(Origin { line, page: origin.page, label: Some(label) });
        }
        for note in &part.notes {
            self.note(format!("{label}: {note}"));
        }
    }

    /// The finished document. One without any text is an error, unless it is a file of text in which nothing is written.
    pub(crate) fn finish(mut self, format: Format, limits: &Limits) -> Result<Converted, ConvertError> {
        if self.text.trim().is_empty() && format.is_textual() {
            let mut empty = Converted::empty(format);
            empty.notes.append(&mut self.notes);
            return Ok(empty);
        }
        if self.text.trim().is_empty() {
            return Err(ConvertError::without_text(format));
        }
        if self.text.len() > limits.markdown_bytes {
            let end = self.text.floor_char_boundary(limits.markdown_bytes);
            // At the end of a line, unless that would be far away.
            let line = self.text.get(..end).and_then(|kept| kept.rfind('\n')).map(|at| at + 1);
            let end = line.filter(|line| *line > end / 2).unwrap_or(end);
            self.text.truncate(end);
            self.notes
                .push(format!("the text was cut after {}", crate::limits::size(self.text.len() as u64)));
        }
        let title = crate::titles::of(format, self.title, &self.text);
        Ok(Converted { markdown: self.text, title, origins: self.origins, format, notes: self.notes })
    }

    fn break_block(&mut self) {
        crate::markdown::end_paragraph(&mut self.text);
    }
}

/// A label is one line without control characters, at most 200 characters.
fn clean_label(label: &str) -> String {
    let words = label.split_whitespace().collect::<Vec<_>>().join(" ");
    words.chars().filter(|char| !char.is_control()).take(200).collect()
}
