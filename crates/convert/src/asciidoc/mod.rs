//! AsciiDoc: sections, lists, blocks, tables and admonitions become Markdown.
//!
//! A line scanner, as for reStructuredText: `blocks` knows delimiters and lists, `table` rows, `inline` marks. Attributes that
//! the document sets are replaced; what an `include::` names is never read and stays as text.

mod blocks;
mod inline;
mod table;

use std::collections::HashMap;

use crate::document::Draft;
use crate::{ConvertError, Converted, Format, Source, text};

/// Converts a document.
pub(crate) fn convert(file: Source<'_>) -> Result<Converted, ConvertError> {
    let source = text::printable(&file.text());
    let lines: Vec<&str> = source.lines().map(str::trim_end).collect();
    let mut draft = Draft::default();
    let mut attributes = Attributes::default();
    let mut scanner = blocks::Scanner::new(&lines, &mut draft, &mut attributes);
    scanner.run();
    draft.finish(Format::AsciiDoc, file.limits)
}

/// What `:name: value` lines set.
#[derive(Default)]
struct Attributes(HashMap<String, String>);

/// No value may grow a line beyond this, however often it is used.
const LONGEST_LINE: usize = 20_000;

impl Attributes {
    /// Reads `:name: value`; whether the line was one.
    fn set(&mut self, line: &str) -> bool {
        let Some((name, value)) = line.strip_prefix(':').and_then(|rest| rest.split_once(':')) else {
            return false;
        };
        let is_name = |char: char| char.is_alphanumeric() || matches!(char, '-' | '_' | '!');
        if name.is_empty() || !name.chars().all(is_name) || !(value.is_empty() || value.starts_with(' ')) {
            return false;
        }
        let value = self.replaced(value.trim()).chars().take(1000).collect();
        self.0.insert(name.trim_matches('!').to_lowercase(), value);
        true
    }

    fn get(&self, name: &str) -> Option<&str> {
        self.0.get(name).map(String::as_str)
    }

    /// A line with known `{name}` references replaced.
    fn replaced(&self, line: &str) -> String {
        let mut out = String::with_capacity(line.len());
        let mut rest = line;
        while let Some((before, after)) = rest.split_once('{') {
            out.push_str(before);
            // A name is short; the bound keeps the search linear.
            let near = after.get(..after.floor_char_boundary(80)).unwrap_or(after);
            let value = near.find('}').and_then(|end| {
                let (name, tail) = (after.get(..end)?, after.get(end + 1..)?);
                let known = match name {
                    "nbsp" | "sp" => Some(" "),
                    "empty" | "blank" | "zwsp" => Some(""),
                    _ => self.get(&name.to_lowercase()),
                };
                Some((known?, tail))
            });
            match value.filter(|_| out.len() < LONGEST_LINE) {
                Some((value, tail)) => {
                    out.push_str(value);
                    rest = tail;
                }
                None => {
                    out.push('{');
                    rest = after;
                }
            }
        }
        out.push_str(rest);
        out
    }
}
