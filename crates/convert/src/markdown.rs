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
