//! What all converters need to know about Markdown: fences, headings, indentation.

use std::borrow::Cow;

/// A fence that is open: its character and how many of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Fence {
    mark: u8,
    length: usize,
}

impl Fence {
    /// The fence that a line opens, with its info string.
    pub(crate) fn opened_by(line: &str) -> Option<(Fence, &str)> {
        let trimmed = line.trim_start();
        let mark = *trimmed.as_bytes().first()?;
        if !matches!(mark, b'`' | b'~') {
            return None;
        }
        let length = trimmed.bytes().take_while(|&byte| byte == mark).count();
        let info = trimmed.get(length..).unwrap_or_default().trim();
        (length >= 3 && !(mark == b'`' && info.contains('`'))).then_some((Fence { mark, length }, info))
    }

    /// The line that closes it.
    pub(crate) fn mark_line(self) -> String {
        char::from(self.mark).to_string().repeat(self.length)
    }

    /// Whether a line closes this fence.
    pub(crate) fn is_closed_by(self, line: &str) -> bool {
        let trimmed = line.trim();
        trimmed.len() >= self.length && trimmed.bytes().all(|byte| byte == self.mark)
    }
}

/// Level and text of an ATX heading.
pub(crate) fn heading(line: &str) -> Option<(usize, &str)> {
    if line.starts_with("    ") {
        return None;
    }
    let trimmed = line.trim_start();
    let level = trimmed.bytes().take_while(|&byte| byte == b'#').count();
    let text = trimmed.get(level..)?;
    ((1..=6).contains(&level) && (text.is_empty() || text.starts_with([' ', '\t'])))
        .then_some((level, text.trim()))
}

/// A heading line of a level that is at most six.
pub(crate) fn heading_line(level: usize, text: &str) -> String {
    format!("{} {}", "#".repeat(level.clamp(1, 6)), text)
}

/// Writes a fenced block whose fence is longer than any inside.
pub(crate) fn push_code(out: &mut String, language: &str, code: &str) {
    let inner = code.lines().map(|line| line.trim_start().bytes().take_while(|&b| b == b'`').count()).max();
    let fence = "`".repeat(inner.unwrap_or(0).saturating_add(1).max(3));
    end_paragraph(out);
    out.push_str(&fence);
    out.push_str(language);
    out.push('\n');
    out.push_str(code.trim_end_matches('\n'));
    out.push('\n');
    out.push_str(&fence);
    out.push_str("\n\n");
}

/// Makes sure that what follows starts a new block.
pub(crate) fn end_paragraph(out: &mut String) {
    if out.is_empty() || out.ends_with("\n\n") {
        return;
    }
    out.push_str(if out.ends_with('\n') { "\n" } else { "\n\n" });
}

/// Takes the indentation away that all lines share; a tab counts as one character.
pub(crate) fn dedent(text: &str) -> Cow<'_, str> {
    dedent_after(text, 0)
}

/// Takes the indentation away that all lines share, not asking the first `skipped` ones, whose own is dropped.
pub(crate) fn dedent_after(text: &str, skipped: usize) -> Cow<'_, str> {
    let indent = |line: &str| line.bytes().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
    let shared = text.lines().skip(skipped).filter(|line| !line.trim().is_empty()).map(indent).min();
    let shared = shared.unwrap_or(0);
    if shared == 0 && skipped == 0 {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    for (number, line) in text.lines().enumerate() {
        let cut = if number < skipped { indent(line) } else { shared.min(indent(line)) };
        out.push_str(line.get(cut..).unwrap_or_default());
        out.push('\n');
    }
    Cow::Owned(out)
}

/// A text in a code span, whatever back-ticks it holds.
pub(crate) fn code_span(text: &str) -> String {
    let text = text.trim();
    if text.is_empty() {
        String::new()
    } else if text.contains('`') {
        format!("`` {text} ``")
    } else {
        format!("`{text}`")
    }
}

/// What stands in a heading, without a meaning for Markdown.
pub(crate) fn escape_heading(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for char in text.chars() {
        if matches!(char, '*' | '`' | '<' | '\\') {
            out.push('\\');
        }
        out.push(char);
    }
    out
}

/// A line of text that must not become a heading.
pub(crate) fn without_heading(line: &str) -> Cow<'_, str> {
    if heading(line).is_some() { Cow::Owned(format!("\\{line}")) } else { Cow::Borrowed(line) }
}

/// The text of the first heading outside of code.
pub(crate) fn first_heading(markdown: &str) -> Option<String> {
    let mut open: Option<Fence> = None;
    for line in markdown.lines() {
        match open {
            Some(fence) if fence.is_closed_by(line) => open = None,
            Some(_) => {}
            None => {
                open = Fence::opened_by(line).map(|(fence, _)| fence);
                if let Some((_, text)) = heading(line).filter(|(_, text)| !text.is_empty()) {
                    return Some(plain(text));
                }
            }
        }
    }
    None
}

/// A document with every heading `deeper` levels lower; the number of lines stays.
pub(crate) fn shift_headings(markdown: &str, deeper: usize) -> Cow<'_, str> {
    if deeper == 0 {
        return Cow::Borrowed(markdown);
    }
    let mut open: Option<Fence> = None;
    let mut out = String::with_capacity(markdown.len() + 64);
    for line in markdown.lines() {
        let was_open = open.is_some();
        match open {
            Some(fence) if fence.is_closed_by(line) => open = None,
            Some(_) => {}
            None => open = Fence::opened_by(line).map(|(fence, _)| fence),
        }
        match heading(line).filter(|_| !was_open) {
            Some((level, text)) => out.push_str(&heading_line(level + deeper, text)),
            None => out.push_str(line),
        }
        out.push('\n');
    }
    Cow::Owned(out)
}

/// A line of Markdown without its escapes and code marks.
pub(crate) fn plain(markdown: &str) -> String {
    let mut out = String::with_capacity(markdown.len());
    let mut chars = markdown.chars().peekable();
    while let Some(char) = chars.next() {
        match char {
            '\\' if chars.peek().is_some_and(char::is_ascii_punctuation) => out.extend(chars.next()),
            '`' => {}
            _ => out.push(char),
        }
    }
    out.replace("**", "")
}

/// Text that must stay text: what Markdown would read as a mark gets a backslash.
///
/// Only what can have a meaning is escaped, so that prose stays readable: `snake_case` and `1 < 2` stay.
pub(crate) fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut before = ' ';
    let is_link_like = text.contains("](") || text.contains("][") || text.contains("]:");
    let mut chars = text.chars().peekable();
    while let Some(char) = chars.next() {
        let next = chars.peek().copied().unwrap_or(' ');
        let marks = match char {
            '*' => !(before.is_whitespace() && next.is_whitespace()),
            '_' => !(before.is_alphanumeric() && next.is_alphanumeric()),
            '<' => next.is_alphabetic() || matches!(next, '/' | '!' | '?'),
            '`' | '\\' => true,
            '[' => is_link_like,
            '&' => next.is_alphabetic() || next == '#',
            '~' => next == '~' || before == '~',
            _ => false,
        };
        if marks {
            out.push('\\');
        }
        out.push(char);
        before = char;
    }
    out
}

/// A paragraph whose first characters must not begin a heading, a list, a quote or a table.
pub(crate) fn escape_start(line: &str) -> Cow<'_, str> {
    let trimmed = line.trim_start();
    let first = trimmed.chars().next().unwrap_or(' ');
    let second = trimmed.chars().nth(1).unwrap_or(' ');
    let digits = trimmed.bytes().take_while(u8::is_ascii_digit).count();
    let after_digits = trimmed.get(digits..).unwrap_or_default();
    let is_number = (1..=9).contains(&digits)
        && (after_digits.starts_with(['.', ')']))
        && after_digits.get(1..).is_some_and(|rest| rest.is_empty() || rest.starts_with(' '));
    if is_number {
        let (number, rest) = trimmed.split_at(digits);
        return Cow::Owned(format!("{number}\\{rest}"));
    }
    let is_marked = match first {
        '#' => heading(trimmed).is_some(),
        '-' | '+' => second.is_whitespace() || trimmed.bytes().all(|byte| byte == b'-' || byte == b' '),
        '=' => trimmed.bytes().all(|byte| byte == b'='),
        '>' | '|' => true,
        '~' => trimmed.starts_with("~~~"),
        _ => false,
    };
    if is_marked { Cow::Owned(format!("\\{trimmed}")) } else { Cow::Borrowed(trimmed) }
}

/// A table in Markdown; the first row is the head. Cells are Markdown without line breaks.
pub(crate) fn table(rows: &[Vec<String>]) -> String {
    let width = rows.iter().map(Vec::len).max().unwrap_or(0);
    let mut out = String::new();
    if width == 0 {
        return out;
    }
    for (number, row) in rows.iter().enumerate() {
        out.push('|');
        for column in 0..width {
            let cell = row.get(column).map_or("", String::as_str);
            out.push(' ');
            out.push_str(&table_cell(cell));
            out.push_str(" |");
        }
        out.push('\n');
        if number == 0 {
            out.push('|');
            out.push_str(&" --- |".repeat(width));
            out.push('\n');
        }
    }
    out
}

/// What stands in a cell: one line, bars escaped, paragraphs as `<br>`.
fn table_cell(markdown: &str) -> String {
    let lines = markdown.lines().map(str::trim).filter(|line| !line.is_empty());
    let line = lines.collect::<Vec<_>>().join("<br>");
    let mut out = String::with_capacity(line.len());
    let mut escaped = false;
    for char in line.chars() {
        if char == '|' && !escaped {
            out.push('\\');
        }
        escaped = char == '\\' && !escaped;
        out.push(char);
    }
    out
}

/// Text with a mark before its first line and another before the rest.
pub(crate) fn indented(text: &str, first: &str, next: &str) -> String {
    let mut out = String::with_capacity(text.len() + 16);
    for (number, line) in text.lines().enumerate() {
        if number > 0 {
            out.push('\n');
        }
        let mark = if number == 0 { first } else { next };
        out.push_str(if line.is_empty() { mark.trim_end() } else { mark });
        out.push_str(line);
    }
    out
}
