//! Applies fixes to a text.

use std::ops::Range;

use crate::finding::{Finding, Fix};

/// The text with every fix that does not get into the way of one before it, and the findings whose fixes these are.
pub(super) fn apply<'f>(text: &str, findings: &[&'f Finding]) -> (String, Vec<&'f Finding>) {
    let mut fixes: Vec<(Fix, &Finding)> = findings
        .iter()
        .filter_map(|finding| Some((with_line(text, finding.fix.as_ref()?), *finding)))
        .filter(|(fix, _)| text.get(fix.bytes.clone()).is_some())
        .collect();
    fixes.sort_by_key(|(fix, _)| (fix.bytes.start, fix.bytes.end));
    let mut new = String::with_capacity(text.len());
    let mut at = 0;
    let mut applied = Vec::new();
    let mut last: Option<Fix> = None;
    for (fix, finding) in fixes {
        // Two links by one reference have the same fix.
        if last.as_ref() == Some(&fix) {
            applied.push(finding);
            continue;
        }
        if fix.bytes.start < at || (fix.bytes.start == at && last.is_some()) {
            continue;
        }
        new.push_str(text.get(at..fix.bytes.start).unwrap_or_default());
        new.push_str(&fix.replacement);
        at = fix.bytes.end;
        applied.push(finding);
        last = Some(fix);
    }
    new.push_str(text.get(at..).unwrap_or_default());
    (new, applied)
}

/// A comment that goes takes the line with it that it had for itself. The line stays, empty, where it keeps two
/// paragraphs apart.
fn with_line(text: &str, fix: &Fix) -> Fix {
    let is_comment = text.get(fix.bytes.clone()).is_some_and(|old| old.starts_with("<!--"));
    if !is_comment || !fix.replacement.is_empty() {
        return fix.clone();
    }
    match line_around(text, &fix.bytes) {
        Some(line) => Fix { bytes: line, replacement: String::new() },
        None => fix.clone(),
    }
}

fn line_around(text: &str, bytes: &Range<usize>) -> Option<Range<usize>> {
    let before = text.get(..bytes.start)?;
    let after = text.get(bytes.end..)?;
    let start = before.rfind('\n').map_or(0, |at| at + 1);
    let end = after.find('\n').map_or(text.len(), |at| bytes.end + at + 1);
    let alone =
        text.get(start..bytes.start)?.trim().is_empty() && text.get(bytes.end..end)?.trim().is_empty();
    let line_before = text.get(..start)?.lines().next_back().unwrap_or_default();
    let line_after = text.get(end..)?.lines().next().unwrap_or_default();
    let parts = !line_before.trim().is_empty() && !line_after.trim().is_empty();
    (alone && !parts).then_some(start..end)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::finding::Code;

    fn check(text: &str, cut: &str, expected: &str) {
        let start = text.find(cut).unwrap();
        let fix = Fix { bytes: start..start + cut.len(), replacement: String::new() };
        let finding = Finding::new(Code::DanglingHint, 1, "", "").with_fix(Some(fix));
        assert_eq!(apply(text, &[&finding]).0, expected, "{text:?}");
    }

    #[test]
    fn a_comment_takes_its_line_with_it() {
        check("a\n\n<!-- x -->\n\nb\n", "<!-- x -->", "a\n\n\nb\n");
        check("a\r\n\r\n  <!-- x -->  \r\nb\r\n", "<!-- x -->", "a\r\n\r\nb\r\n");
        check("<!-- x -->", "<!-- x -->", "");
    }

    #[test]
    fn a_line_that_keeps_paragraphs_apart_stays() {
        check("a\n<!-- x -->\nb\n", "<!-- x -->", "a\n\nb\n");
        check("a <!-- x --> b\n", "<!-- x -->", "a  b\n");
    }
}
