//! Puts blocks together: paragraphs, headings, list items, code.

use std::collections::HashSet;

use super::spans::{Span, Style, escape_start, markdown, plain, term_markdown};
use crate::markdown::{end_paragraph, heading_line};

/// Text is filled to lines of about this width.
const LINE: usize = 100;
/// Lists inside of each other that are shown as such.
const MAX_INDENT: usize = 12;

/// Where text goes.
#[derive(Debug, Default)]
pub(super) struct Writer {
    /// What stands below NAME.
    name: String,
    out: String,
    is_name: bool,
    /// The paragraph that is being filled, line by line.
    lines: Vec<Vec<Span>>,
    /// Lines that end where the source says so.
    breaks: HashSet<usize>,
    /// What the next line is joined to.
    is_continued: bool,
    /// Lines of a display.
    code: Option<Vec<String>>,
    level: Level,
    levels: Vec<Level>,
    /// What stands before the next paragraph: a bullet or a number.
    marker: Option<String>,
}

/// How far text is indented.
#[derive(Debug, Default, Clone, Copy)]
struct Level {
    base: usize,
    /// Inside of an item: how wide its marker is.
    item: usize,
}

impl Writer {
    /// Adds a line of text; `continued` says that the next one is joined to it.
    pub(super) fn text(&mut self, spans: Vec<Span>, continued: bool) {
        if let Some(code) = &mut self.code {
            let line = plain(&spans);
            match code.last_mut().filter(|_| self.is_continued) {
                Some(last) => last.push_str(&line),
                None => code.push(line),
            }
        } else {
            match self.lines.last_mut().filter(|_| self.is_continued) {
                Some(last) => last.extend(spans),
                None => self.lines.push(spans),
            }
        }
        self.is_continued = continued;
    }

    /// Ends the line, not the paragraph.
    pub(super) fn line_break(&mut self) {
        self.is_continued = false;
        if self.code.is_none() && !self.lines.is_empty() {
            self.breaks.insert(self.lines.len() - 1);
        }
    }

    /// Ends the paragraph; in a display this is an empty line.
    pub(super) fn end_paragraph(&mut self) {
        self.is_continued = false;
        match &mut self.code {
            Some(code) => code.push(String::new()),
            None => self.flush(),
        }
    }

    /// A paragraph at the level of the surrounding text.
    pub(super) fn paragraph(&mut self) {
        self.end_paragraph();
        if self.code.is_none() {
            self.level.item = 0;
            self.marker = None;
        }
    }

    /// Begins a section.
    pub(super) fn heading(&mut self, level: usize, text: &str) {
        self.end_code();
        self.flush();
        (self.level, self.marker) = (Level::default(), None);
        self.levels.clear();
        self.is_name = level == 2 && text.eq_ignore_ascii_case("name");
        if !self.is_name && !text.is_empty() {
            end_paragraph(&mut self.out);
            self.out.push_str(&heading_line(level, text));
            self.out.push_str("\n\n");
        }
    }

    /// Begins an item with a bullet or a number.
    pub(super) fn item(&mut self, marker: &str) {
        self.end_code();
        self.flush();
        self.level.item = marker.chars().count() + 1;
        self.marker = Some(marker.to_owned());
    }

    /// Begins an item with a term.
    pub(super) fn term(&mut self, spans: &[Span]) {
        self.end_code();
        self.flush();
        let text = term_markdown(spans);
        if text.is_empty() {
            return;
        }
        self.level.item = 0;
        let line = format!("{}- {text}\n\n", self.indent());
        end_paragraph(&mut self.out);
        self.out.push_str(&line);
        self.level.item = 2;
    }

    /// Another term of the item that was just begun.
    pub(super) fn same_term(&mut self, spans: &[Span]) {
        let text = term_markdown(spans);
        match self.out.strip_suffix("\n\n").map(str::len) {
            Some(length) if self.lines.is_empty() && self.code.is_none() && self.level.item > 0 => {
                self.out.truncate(length);
                self.out.push_str(&format!(", {text}\n\n"));
            }
            _ => self.term(spans),
        }
    }

    /// The paragraph so far becomes the term of what is indented next, if it looks like one.
    pub(super) fn indent_more(&mut self) {
        let is_term = self.code.is_none() && self.marker.is_none() && self.level.item == 0 && {
            let styled = |line: &Vec<Span>| {
                line.iter()
                    .find(|span| !span.text.trim().is_empty())
                    .is_some_and(|span| span.style != Style::Roman || span.text.trim_start().starts_with('-'))
            };
            (1..=4).contains(&self.lines.len()) && self.lines.iter().all(styled)
        };
        if is_term {
            let mut terms = std::mem::take(&mut self.lines).into_iter();
            self.breaks.clear();
            if let Some(first) = terms.next() {
                self.term(&first);
            }
            for term in terms {
                self.same_term(&term);
            }
        } else if self.code.is_none() {
            self.flush();
        }
        self.levels.push(self.level);
        let base = self.level.base + self.level.item;
        self.level = Level { base: base.min(MAX_INDENT), item: 0 };
    }

    /// Ends what `indent_more` began.
    pub(super) fn indent_less(&mut self) {
        self.flush_outside_code();
        if let Some(level) = self.levels.pop() {
            self.level = level;
        }
    }

    fn flush_outside_code(&mut self) {
        if self.code.is_none() {
            self.flush();
        }
    }

    /// Begins a display.
    pub(super) fn begin_code(&mut self) {
        if self.code.is_none() {
            self.flush();
            self.code = Some(Vec::new());
        }
    }

    /// Ends a display.
    pub(super) fn end_code(&mut self) {
        let Some(lines) = self.code.take() else { return };
        self.is_continued = false;
        let text = lines.join("\n");
        let text = text.trim_matches('\n');
        if text.trim().is_empty() {
            return;
        }
        self.flush();
        let mut block = String::new();
        crate::markdown::push_code(&mut block, "", text);
        self.push_block(block.trim_end());
    }

    pub(super) fn is_code(&self) -> bool {
        self.code.is_some()
    }

    /// Writes a block of Markdown as it is, at the current level.
    pub(super) fn push_block(&mut self, block: &str) {
        self.flush();
        let indent = self.indent();
        let mut marker = self.marker.take();
        let mut text = String::new();
        for line in block.lines() {
            if !line.is_empty() {
                match marker.take() {
                    Some(marker) => text.push_str(&format!("{}{marker} ", " ".repeat(self.level.base))),
                    None => text.push_str(&indent),
                }
            }
            text.push_str(line);
            text.push('\n');
        }
        text.push('\n');
        let out = self.target();
        end_paragraph(out);
        out.push_str(&text);
    }

    /// All that was written: what stands below NAME, and the rest.
    pub(super) fn finish(mut self) -> (String, String) {
        self.end_code();
        self.flush();
        (self.name, self.out)
    }

    fn indent(&self) -> String {
        " ".repeat(self.level.base + self.level.item)
    }

    fn target(&mut self) -> &mut String {
        if self.is_name { &mut self.name } else { &mut self.out }
    }

    /// Writes the paragraph.
    fn flush(&mut self) {
        self.is_continued = false;
        let lines = std::mem::take(&mut self.lines);
        let breaks = std::mem::take(&mut self.breaks);
        let mut text = String::new();
        let mut filled: Vec<Span> = Vec::new();
        for (number, line) in lines.into_iter().enumerate() {
            if !filled.is_empty() {
                filled.push(Span::new(Style::Roman, " "));
            }
            filled.extend(line);
            if breaks.contains(&number) {
                push_filled(&mut text, &std::mem::take(&mut filled));
            }
        }
        push_filled(&mut text, &filled);
        // Some pages draw their bullets themselves.
        if let Some(rest) = text.strip_prefix('•') {
            self.level.item = 2;
            self.marker = Some("-".to_owned());
            text = rest.trim_start().to_owned();
        }
        if !text.is_empty() {
            self.push_block(text.trim_end_matches('\n'));
        }
    }
}

/// Adds lines of one width, a hard break after what is there.
fn push_filled(text: &mut String, spans: &[Span]) {
    let filled = markdown(spans);
    if filled.is_empty() {
        return;
    }
    if !text.is_empty() {
        text.truncate(text.trim_end().len());
        text.push_str("  \n");
    }
    let mut width = 0;
    for (number, word) in filled.split(' ').enumerate() {
        let length = word.chars().count();
        // What means something at the beginning of a line is not put there.
        let is_marked = word.len() > 2 && word.starts_with(['(', '`', '"', '“', '[', '*', '‘']);
        let may_start = (is_marked && !word.starts_with("```")) || word.starts_with(char::is_alphabetic);
        let is_first = number == 0;
        if !is_first && may_start && width + length >= LINE {
            text.push('\n');
            width = 0;
        } else if !is_first {
            text.push(' ');
        }
        match is_first {
            true => text.push_str(&escape_start_of(word, &filled)),
            false => text.push_str(word),
        }
        width += length + 1;
    }
    text.push('\n');
}

/// The first word of a line, escaped where the line begins with something special.
fn escape_start_of(word: &str, line: &str) -> String {
    let is_special = escape_start(line).len() > line.len();
    if is_special { format!("\\{word}") } else { word.to_owned() }
}
