//! Docstrings as Markdown: text stays text, but it must not look like headings of the page.

use crate::markdown::{Fence, dedent_after, heading};

/// Takes the indentation away, makes underlined titles bold and puts examples into blocks.
pub(super) fn markdown(docs: &str) -> String {
    let docs = dedent_after(docs.trim_end(), 1);
    let lines: Vec<&str> = docs.trim_matches('\n').lines().map(str::trim_end).collect();
    let mut out = String::with_capacity(docs.len());
    let mut fence: Option<Fence> = None;
    // Of an example: how far it is indented.
    let mut example: Option<usize> = None;
    for (at, line) in lines.iter().enumerate() {
        let before = at.checked_sub(1).and_then(|at| lines.get(at)).copied().unwrap_or_default();
        let after = lines.get(at + 1).copied().unwrap_or_default();
        if let Some(open) = fence {
            fence = Some(open).filter(|open| !open.is_closed_by(line));
            push(&mut out, line);
            continue;
        }
        if let Some(indent) = example {
            if line.is_empty() {
                out.push_str("```\n\n");
                example = None;
            } else {
                push(&mut out, line.get(indent..).unwrap_or_else(|| line.trim_start()));
            }
            continue;
        }
        // Tildes are more often the line below a title.
        if let Some((open, _)) = Fence::opened_by(line).filter(|_| line.trim_start().starts_with('`')) {
            fence = Some(open);
            push(&mut out, line);
        } else if line.trim_start().starts_with(">>>") {
            crate::markdown::end_paragraph(&mut out);
            out.push_str("```python\n");
            push(&mut out, line.trim_start());
            example = Some(line.len() - line.trim_start().len());
        } else if is_underline(line) && is_title(before) {
            // The line above has become bold already.
        } else if is_underline(after) && is_title(line) {
            crate::markdown::end_paragraph(&mut out);
            out.push_str(&format!("**{}**\n\n", line.trim()));
        } else if heading(line).is_some() || is_underline(line) {
            push(&mut out, &format!("\\{}", line.trim_start()));
        } else {
            push(&mut out, line);
        }
    }
    if example.is_some() {
        out.push_str("```\n");
    }
    if let Some(open) = fence {
        out.push_str(&open.mark_line());
    }
    out.trim().to_owned()
}

fn push(out: &mut String, line: &str) {
    out.push_str(line);
    out.push('\n');
}

fn is_underline(line: &str) -> bool {
    let line = line.trim();
    let first = line.bytes().next();
    line.len() >= 3
        && first.is_some_and(|first| b"=-~^".contains(&first))
        && line.bytes().all(|byte| Some(byte) == first)
}

fn is_title(line: &str) -> bool {
    let line = line.trim();
    !line.is_empty()
        && line.len() <= 80
        && line.starts_with(|first: char| first.is_alphanumeric() || first == '`')
}
