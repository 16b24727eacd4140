//! Tables in plain text, whatever character separates their fields.

use super::Sheet;
use crate::document::Draft;
use crate::{ConvertError, Converted, Format, Source, format, text};

/// Fields of one row that are read: as many as the widest spreadsheets have.
const MOST_FIELDS: usize = 16_384;

/// Converts a table; its first row is the head.
pub(crate) fn convert(file: Source<'_>) -> Result<Converted, ConvertError> {
    // The rows that are shown stand at the start.
    let most = usize::try_from(file.limits.text_bytes).unwrap_or(usize::MAX);
    let start = Source { bytes: file.bytes.get(..most).unwrap_or(file.bytes), ..file };
    let text = text::printable(&start.text());
    // Excel writes the separator into a line of its own.
    let (stated, text) = match text.split_once('\n') {
        Some((first, rest)) if first.len() <= 6 && first.starts_with("sep=") => (first.chars().nth(4), rest),
        _ => (None, text.as_str()),
    };
    let separator = stated.unwrap_or_else(|| separator(text));
    let mut sheet = Sheet::default();
    for row in Rows::new(text, separator).take(file.limits.rows.saturating_add(2)) {
        let cells = row.into_iter().enumerate().filter(|(_, cell)| !cell.trim().is_empty());
        sheet.push(cells.map(|(column, cell)| (column, cell.trim().to_owned())).collect(), file.limits);
    }
    let mut draft = Draft::default();
    draft.set_title(format::file_name(file.name));
    sheet.write(&mut draft, file.limits, false);
    draft.finish(Format::Csv, file.limits)
}

/// The separator that cuts the first rows into the same number of fields, the more the better.
fn separator(text: &str) -> char {
    let mut best = (0, ',');
    for candidate in [',', '\t', ';', '|'] {
        let widths: Vec<usize> = Rows::new(text, candidate).take(20).map(|row| row.len()).collect();
        let first = widths.first().copied().unwrap_or(0);
        let same = widths.iter().filter(|&&width| width == first).count();
        let score = if first > 1 { same * 100 / widths.len().max(1) * 100 + first.min(99) } else { 0 };
        if score > best.0 {
            best = (score, candidate);
        }
    }
    best.1
}

/// Rows of fields; a quoted field may hold separators, line breaks and doubled quotes.
struct Rows<'a> {
    chars: std::iter::Peekable<std::str::Chars<'a>>,
    separator: char,
}

impl<'a> Rows<'a> {
    fn new(text: &'a str, separator: char) -> Self {
        Self { chars: text.chars().peekable(), separator }
    }
}

impl Iterator for Rows<'_> {
    type Item = Vec<String>;

    fn next(&mut self) -> Option<Vec<String>> {
        self.chars.peek()?;
        let mut row = Vec::new();
        let mut field = String::new();
        let mut is_wide = false;
        let mut is_quoted = false;
        while let Some(char) = self.chars.next() {
            match char {
                '"' if is_quoted && self.chars.peek() == Some(&'"') => field.extend(self.chars.next()),
                '"' if is_quoted => is_quoted = false,
                '"' if field.trim().is_empty() => {
                    field.clear();
                    is_quoted = true;
                }
                '\n' if !is_quoted => break,
                char if char == self.separator && !is_quoted => {
                    let field = std::mem::take(&mut field);
                    is_wide |= row.len() >= MOST_FIELDS;
                    if !is_wide {
                        row.push(field);
                    }
                }
                char => field.push(char),
            }
        }
        if !is_wide {
            row.push(field);
        }
        Some(row)
    }
}
