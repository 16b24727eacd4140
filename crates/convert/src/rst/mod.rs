//! reStructuredText becomes Markdown, as far as descriptions of packages use it.
//!
//! Sections, literal blocks, code, links, notes, tables. Lists and paragraphs look the same in both and stay as they are.
//! Directives become a label with their text; tables with cells over several rows or columns are kept as text; what a
//! directive would include is never read.

mod inline;
mod table;

use std::collections::HashMap;

use crate::markdown::{dedent, end_paragraph, heading_line, push_code};

/// Directives that only show a picture, or what has no text of its own.
const SILENT: [&str; 9] =
    ["image", "figure", "contents", "raw", "highlight", "default-role", "role", "meta", "sectnum"];
/// Directives whose content is code.
const CODE: [&str; 6] = ["code-block", "code", "sourcecode", "parsed-literal", "prompt", "doctest"];

/// Directives inside of directives that are read.
const DEPTH: usize = 8;

/// Converts a document.
pub fn to_markdown(source: &str) -> String {
    let source = source.replace('\t', "        ");
    let lines: Vec<&str> = source.lines().map(str::trim_end).collect();
    let targets = targets(&lines);
    let mut converter = Converter {
        lines: &lines,
        at: 0,
        out: String::new(),
        styles: Vec::new(),
        targets: &targets,
        depth: DEPTH,
    };
    converter.run();
    let text = converter.out.trim();
    if text.is_empty() { String::new() } else { format!("{text}\n") }
}

struct Converter<'a> {
    lines: &'a [&'a str],
    at: usize,
    out: String,
    /// Marks of sections in the order of their levels, and whether they stand above the title too.
    styles: Vec<(u8, bool)>,
    /// Addresses of links by their names.
    targets: &'a HashMap<String, String>,
    /// How much deeper directives are read.
    depth: usize,
}

impl<'a> Converter<'a> {
    fn line(&self, at: usize) -> &'a str {
        self.lines.get(at).copied().unwrap_or_default()
    }

    fn run(&mut self) {
        while self.at < self.lines.len() {
            let line = self.line(self.at);
            if line.is_empty() {
                end_paragraph(&mut self.out);
                self.at += 1;
            } else if let Some((level, title, taken)) = self.section() {
                end_paragraph(&mut self.out);
                let title = inline::markdown(title, self.targets);
                self.out.push_str(&heading_line(level, &title));
                self.out.push_str("\n\n");
                self.at += taken;
            } else if line == ".." || line.starts_with(".. ") {
                self.explicit(line);
            } else if line.starts_with(">>>") {
                let block = self.paragraph();
                push_code(&mut self.out, "python", &block);
            } else if is_table(line) {
                self.table();
            } else {
                self.text(line);
            }
        }
    }

    /// A title with its marks: level, text, and how many lines they take.
    fn section(&mut self) -> Option<(usize, &'a str, usize)> {
        let (first, second, third) = (self.line(self.at), self.line(self.at + 1), self.line(self.at + 2));
        if let Some(mark) = marks(first)
            && marks(third) == Some(mark)
            && !second.trim().is_empty()
        {
            return Some((self.level((mark, true)), second.trim(), 3));
        }
        let mark = marks(second)?;
        let is_title = !first.starts_with(' ') && marks(first).is_none();
        let is_long_enough = second.len() >= 3 && (second.len() >= 4 || second.len() >= first.len());
        (is_title && is_long_enough).then(|| (self.level((mark, false)), first, 2))
    }

    fn level(&mut self, style: (u8, bool)) -> usize {
        let known = self.styles.iter().position(|known| *known == style);
        let at = known.unwrap_or_else(|| {
            self.styles.push(style);
            self.styles.len() - 1
        });
        at + 1
    }

    /// What begins with two dots: a directive, a target or a comment.
    fn explicit(&mut self, line: &'a str) {
        self.at += 1;
        let text = line.trim_start_matches('.').trim();
        let is_apart = self.line(self.at).is_empty();
        let body = self.indented();
        let Some((name, argument)) = text.split_once("::").filter(|(name, _)| is_name(name)) else {
            self.footnote(text, &body);
            return;
        };
        let is_apart = is_apart || body.starts_with(':');
        let body = without_options(&body);
        let argument = argument.trim();
        let name = name.trim();
        if CODE.contains(&name) {
            let language = if name.starts_with("code") || name == "sourcecode" { argument } else { "" };
            push_code(&mut self.out, language, &body);
            return;
        }
        if SILENT.contains(&name) || name.starts_with('|') {
            return;
        }
        if let Some(rows) = table::of_directive(name, &body) {
            self.write_table(argument, rows);
            return;
        }
        end_paragraph(&mut self.out);
        let mut label: String = name.chars().take(1).flat_map(char::to_uppercase).collect();
        label.extend(name.chars().skip(1));
        let argument = inline::markdown(argument, self.targets);
        self.out.push_str(format!("**{label}:** {argument}").trim_end());
        self.out.push_str(if is_apart && !argument.is_empty() { "\n\n" } else { "\n" });
        self.body(&body);
        end_paragraph(&mut self.out);
    }

    /// What stands inside of a directive, with blocks of its own.
    fn body(&mut self, body: &str) {
        if body.trim().is_empty() {
            return;
        }
        let Some(depth) = self.depth.checked_sub(1) else {
            self.out.push_str(body);
            self.out.push('\n');
            return;
        };
        let lines: Vec<&str> = body.lines().map(str::trim_end).collect();
        let styles = std::mem::take(&mut self.styles);
        let mut inner =
            Converter { lines: &lines, at: 0, out: String::new(), styles, targets: self.targets, depth };
        inner.run();
        let (text, styles) = (inner.out, inner.styles);
        self.styles = styles;
        self.out.push_str(text.trim());
        self.out.push('\n');
    }

    /// `.. [1] text` is a footnote; anything else without colons is a comment.
    fn footnote(&mut self, text: &str, body: &str) {
        let Some((name, text)) = text.strip_prefix('[').and_then(|rest| rest.split_once("] ")) else {
            return;
        };
        end_paragraph(&mut self.out);
        let text = format!("{text} {}", body.split_whitespace().collect::<Vec<_>>().join(" "));
        let text = inline::markdown(text.trim(), self.targets);
        self.out.push_str(&format!("[^{}]: {text}\n\n", name.trim_start_matches('#')));
    }

    /// A table that is drawn with lines, as a table when it is simple.
    fn table(&mut self) {
        let start = self.at;
        let is_simple = self.line(start).trim_start().starts_with("==");
        let mut borders = 0;
        // Without another border nearby it is no such table, and must not swallow the rest of the document.
        let near = self.lines.get(start + 1..(start + 400).min(self.lines.len())).unwrap_or_default();
        let is_simple = is_simple && near.iter().any(|line| table::is_border(line));
        while self.at < self.lines.len() {
            let line = self.line(self.at);
            // A simple table may have empty lines inside; after its last border comes one.
            let is_inside =
                is_simple && borders < 3 && !table::is_border(self.line(self.at.saturating_sub(1)));
            if line.is_empty() && !is_inside {
                break;
            }
            borders += usize::from(table::is_border(line));
            self.at += 1;
        }
        let lines = self.lines.get(start..self.at).unwrap_or_default();
        match table::drawn(lines) {
            Some(rows) => self.write_table("", rows),
            None => push_code(&mut self.out, "text", &lines.join("\n")),
        }
    }

    fn write_table(&mut self, title: &str, rows: Vec<Vec<String>>) {
        let cell = |cell: String| inline::markdown(&cell, self.targets);
        let rows: Vec<Vec<String>> =
            rows.into_iter().map(|row| row.into_iter().map(cell).collect()).collect();
        end_paragraph(&mut self.out);
        if !title.is_empty() {
            let title = inline::markdown(title, self.targets);
            self.out.push_str(&format!("**{title}**\n\n"));
        }
        self.out.push_str(&crate::markdown::table(&rows));
        end_paragraph(&mut self.out);
    }

    /// A line of a paragraph or a list; two colons at its end begin a literal block.
    fn text(&mut self, line: &'a str) {
        self.at += 1;
        // Badges: pictures that a name stands for.
        if line.split_whitespace().all(|word| word.len() > 2 && word.starts_with('|') && word.ends_with('|'))
        {
            return;
        }
        let Some(before) = line.strip_suffix("::") else {
            let indent = line.len() - line.trim_start().len();
            // Deeper than this it would be code.
            let text = inline::markdown(line.trim_start(), self.targets);
            self.out.push_str(&" ".repeat(indent.min(3)));
            self.out.push_str(&crate::markdown::without_heading(&text));
            self.out.push('\n');
            return;
        };
        let shown = before.trim();
        if !shown.is_empty() {
            let colon = if before.ends_with(' ') { "" } else { ":" };
            self.out.push_str(&inline::markdown(shown, self.targets));
            self.out.push_str(colon);
            self.out.push('\n');
        }
        let outer = line.len() - line.trim_start().len();
        let block = self.indented_more(outer);
        if !block.trim().is_empty() {
            push_code(&mut self.out, "", &block);
        }
    }

    /// Lines up to an empty one.
    fn paragraph(&mut self) -> String {
        let start = self.at;
        while !self.line(self.at).is_empty() {
            self.at += 1;
        }
        self.lines.get(start..self.at).unwrap_or_default().join("\n")
    }

    fn indented(&mut self) -> String {
        self.indented_more(0)
    }

    /// The lines that follow and are indented by more than this, without their indentation.
    fn indented_more(&mut self, outer: usize) -> String {
        let start = self.at;
        let mut end = self.at;
        let mut at = self.at;
        while at < self.lines.len() {
            let line = self.line(at);
            let indent = line.len() - line.trim_start().len();
            if !line.is_empty() && indent <= outer {
                break;
            }
            at += 1;
            if !line.is_empty() {
                end = at;
            }
        }
        self.at = end;
        let block = self.lines.get(start..end).unwrap_or_default().join("\n");
        dedent(&block).trim_matches('\n').to_owned()
    }
}

/// `.. _name: address` anywhere in the document.
fn targets(lines: &[&str]) -> HashMap<String, String> {
    let mut found = HashMap::new();
    for line in lines {
        let target = line.trim_start().strip_prefix(".. _").and_then(|rest| rest.split_once(": "));
        if let Some((name, address)) = target.filter(|(_, address)| address.contains("://")) {
            found.insert(name.trim_matches('`').to_lowercase(), address.trim().to_owned());
        }
    }
    found
}

/// The mark that a line of marks is made of.
fn marks(line: &str) -> Option<u8> {
    let first = *line.as_bytes().first()?;
    let is_mark = first.is_ascii_punctuation() && line.len() >= 2 && line.bytes().all(|byte| byte == first);
    // A line of two dots or colons is something else.
    (is_mark && !(line.len() == 2 && matches!(first, b'.' | b':'))).then_some(first)
}

fn is_name(name: &str) -> bool {
    let is_plain = |char: char| char.is_alphanumeric() || matches!(char, '-' | '_' | ':' | '+' | '.');
    !name.is_empty() && (name.chars().all(is_plain) || name.starts_with('|'))
}

fn is_table(line: &str) -> bool {
    let line = line.trim_start();
    let is_grid = line.starts_with("+-") || line.starts_with("+=");
    is_grid
        || (line.starts_with("==")
            && line.contains(" =")
            && line.bytes().all(|byte| matches!(byte, b'=' | b' ')))
}

/// The content of a directive, behind its options.
fn without_options(body: &str) -> String {
    let is_option =
        |line: &&str| line.starts_with(':') && line.get(1..).is_some_and(|rest| rest.contains(':'));
    let content: Vec<&str> = body.lines().skip_while(is_option).collect();
    content.join("\n").trim_matches('\n').to_owned()
}
