//! YAML: one section for each key of the outermost mapping, cut out of the source, so that comments and anchors stay.

use super::MOST_SECTIONS;
use crate::document::Draft;
use crate::markdown::escape;
use crate::{ConvertError, Converted, Format, Source, format, text};

/// Converts a file.
pub(crate) fn convert(file: Source<'_>) -> Result<Converted, ConvertError> {
    let source = text::printable(&file.text());
    let mut draft = Draft::default();
    draft.set_title(format::file_name(file.name));
    let parts = parts(&source).unwrap_or_default();
    let sections = parts.iter().filter(|part| part.is_section()).count();
    if sections == 0 || sections > MOST_SECTIONS {
        draft.code("yaml", &source);
        return draft.finish(Format::Yaml, file.limits);
    }
    // Neighbours that are one line each share a block.
    let mut short: Vec<&str> = Vec::new();
    for part in &parts {
        if part.is_section() {
            draft_short(&mut draft, &mut short);
            let key = part.key.unwrap_or_default();
            draft.origin(None, Some(key));
            draft.heading(2, &escape(key));
            draft.code("yaml", &part.lines.join("\n"));
        } else {
            short.extend(&part.lines);
        }
    }
    draft_short(&mut draft, &mut short);
    draft.finish(Format::Yaml, file.limits)
}

fn draft_short(draft: &mut Draft, lines: &mut Vec<&str>) {
    if lines.iter().any(|line| !line.trim().is_empty()) {
        draft.code("yaml", lines.join("\n").trim_matches('\n'));
    }
    lines.clear();
}

/// Lines that belong to one key.
struct Part<'a> {
    key: Option<&'a str>,
    lines: Vec<&'a str>,
}

impl Part<'_> {
    fn is_section(&self) -> bool {
        let written = self.lines.iter().filter(|line| !line.trim().is_empty() && !line.starts_with('#'));
        self.key.is_some() && written.count() > 1
    }
}

/// The parts of a file, unless it has so many that they are no sections.
fn parts(source: &str) -> Option<Vec<Part<'_>>> {
    let mut parts: Vec<Part<'_>> = Vec::new();
    // Comments belong to the key below them.
    let mut comments: Vec<&str> = Vec::new();
    for line in source.lines() {
        if line.starts_with('#') {
            comments.push(line);
            continue;
        }
        let key = key_of(line);
        let is_mark = line.starts_with("---") || line.starts_with("...");
        if parts.len() > 20 * MOST_SECTIONS {
            return None;
        }
        if key.is_some() || is_mark || parts.is_empty() {
            let mut lines = std::mem::take(&mut comments);
            if !is_mark {
                lines.push(line);
            }
            parts.push(Part { key, lines });
        } else if let Some(part) = parts.last_mut() {
            part.lines.append(&mut comments);
            part.lines.push(line);
        }
    }
    parts.push(Part { key: None, lines: comments });
    Some(parts)
}

/// The key of a line that begins one on the top level.
fn key_of(line: &str) -> Option<&str> {
    let first = line.chars().next()?;
    if first.is_whitespace() || matches!(first, '-' | '{' | '}' | '[' | ']' | '?' | '%' | '|' | '>') {
        return None;
    }
    let at = line.find(": ").or_else(|| line.trim_end().strip_suffix(':').map(str::len))?;
    line.get(..at).map(|key| key.trim().trim_matches(['"', '\'']))
}
