//! Sections: a heading and the text up to the next one.
//!
//! A section has two names. Its id, `retries/backoff-strategy`, is built from slugs and stays unique by
//! `-2`; its breadcrumb, `Retries > Backoff strategy`, is built from the headings and stays unique by
//! ` [2]`. Both follow the real hierarchy: the parent is the nearest earlier heading of a lower level.

use std::collections::HashMap;
use std::ops::Range;

use crate::document::{Warning, WarningKind};
use crate::headings::Heading;
use crate::lines::{LineIndex, LineRange};
use crate::plain;
use crate::slug::SlugScopes;

/// More headings than this in one file stay text: each costs its whole breadcrumb in memory.
pub(crate) const MAX_SECTIONS: usize = 100_000;

/// The breadcrumb of text that no heading stands above.
pub(crate) const ROOT: &str = "(root)";

/// What one heading owns.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Section {
    /// The heading's plain text; empty for the text before the first heading.
    pub heading: String,
    /// 1-6; 0 for the text before the first heading.
    pub level: u8,
    /// `A > B > C`, unique in the file; `(root)` at level 0.
    pub breadcrumb: String,
    /// The headings from the outermost to this one; empty at level 0.
    pub path: Vec<String>,
    /// The part of a chunk id after `#`; empty in a document without headings.
    pub id: String,
    /// The id that the author gave the heading, as in `## Title {#id}`.
    pub anchor: Option<String>,
    /// The section that this one is in.
    pub parent: Option<usize>,
    /// Its own text: from the heading's line to the next heading of any level.
    pub bytes: Range<usize>,
    /// Where the text below the heading starts.
    pub body_start: usize,
    /// Where its last subsection ends.
    pub subtree_end: usize,
    /// The lines of `bytes`.
    pub lines: LineRange,
    /// Whether there is anything to read below the heading, markup aside.
    pub has_body: bool,
}

/// Cuts the body at its headings. There is always at least one section.
pub(crate) fn build(
    text: &str,
    body_start: usize,
    headings: &[Heading],
    max_sections: usize,
    lines: &LineIndex,
    warnings: &mut Vec<Warning>,
) -> Vec<Section> {
    let headings = limit(headings, max_sections, lines, warnings);
    let mut sections = Vec::with_capacity(headings.len() + 1);
    let first = headings.first().map_or(text.len(), |heading| heading.bytes.start);
    let root_start = skip_blank_lines(text, body_start, first);
    if headings.is_empty() || root_start < first {
        let id = if headings.is_empty() { "" } else { "_preamble" };
        sections.push(root(text, root_start..first, id, lines));
    }
    let offset = sections.len();

    let mut scopes = SlugScopes::default();
    let mut open: Vec<usize> = Vec::new();
    for (index, heading) in headings.iter().enumerate() {
        let end = headings.get(index + 1).map_or(text.len(), |next| next.bytes.start);
        while let Some(&last) = open.last() {
            if sections[last].level < heading.level {
                break;
            }
            sections[last].subtree_end = heading.bytes.start;
            open.pop();
        }
        let parent = open.last().copied();
        let own = scopes.take(parent, &heading.text);
        let (path, id) = match parent {
            Some(parent) => {
                let mut path = sections[parent].path.clone();
                path.push(heading.text.clone());
                (path, format!("{}/{own}", sections[parent].id))
            }
            None => (vec![heading.text.clone()], own),
        };
        let bytes = heading.bytes.start..end;
        let body_start = heading.bytes.end.clamp(bytes.start, bytes.end);
        sections.push(Section {
            heading: heading.text.clone(),
            level: heading.level,
            breadcrumb: path.join(" > "),
            path,
            id,
            anchor: heading.anchor.clone(),
            parent,
            lines: lines.range(&bytes),
            has_body: plain::has_words(&text[body_start..end]),
            body_start,
            subtree_end: text.len(),
            bytes,
        });
        open.push(offset + index);
    }
    number_breadcrumbs(&mut sections);
    sections
}

fn root(text: &str, bytes: Range<usize>, id: &str, lines: &LineIndex) -> Section {
    Section {
        heading: String::new(),
        level: 0,
        breadcrumb: ROOT.to_owned(),
        path: Vec::new(),
        id: id.to_owned(),
        anchor: None,
        parent: None,
        body_start: bytes.start,
        subtree_end: bytes.end,
        lines: lines.range(&bytes),
        has_body: plain::has_words(&text[bytes.clone()]),
        bytes,
    }
}

fn limit<'h>(
    headings: &'h [Heading],
    max_sections: usize,
    lines: &LineIndex,
    warnings: &mut Vec<Warning>,
) -> &'h [Heading] {
    if let Some(extra) = headings.get(max_sections) {
        let line = lines.line(extra.bytes.start);
        let message = format!("more than {max_sections} headings; from here on they are part of the text");
        warnings.push(Warning { line, kind: WarningKind::ManyHeadings, message });
    }
    headings.get(..max_sections).unwrap_or(headings)
}

/// The start of the first line in `from..to` that is not blank, or `to`.
fn skip_blank_lines(text: &str, from: usize, to: usize) -> usize {
    let body = &text[from..to];
    let Some(word) = body.find(|c: char| !c.is_whitespace()) else { return to };
    from + body[..word].rfind(['\n', '\r']).map_or(0, |newline| newline + 1)
}

/// Gives the second section with the same breadcrumb ` [2]`, the third ` [3]`.
fn number_breadcrumbs(sections: &mut [Section]) {
    let mut next: HashMap<String, u32> = HashMap::with_capacity(sections.len());
    for section in sections {
        let Some(&first) = next.get(&section.breadcrumb) else {
            next.insert(section.breadcrumb.clone(), 2);
            continue;
        };
        let mut number = first;
        loop {
            let candidate = format!("{} [{number}]", section.breadcrumb);
            number += 1;
            if !next.contains_key(&candidate) {
                next.insert(std::mem::replace(&mut section.breadcrumb, candidate.clone()), number);
                next.insert(candidate, 2);
                break;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::{Section, parse};

    fn sections(markdown: &str) -> Vec<Section> {
        parse("x.md", markdown).sections
    }

    fn check_ids(markdown: &str, expected: &[&str]) {
        let ids: Vec<_> = sections(markdown).into_iter().map(|section| section.id).collect();
        assert_eq!(ids, expected, "{markdown:?}");
    }

    fn check_breadcrumbs(markdown: &str, expected: &[&str]) {
        let breadcrumbs: Vec<_> = sections(markdown).into_iter().map(|section| section.breadcrumb).collect();
        assert_eq!(breadcrumbs, expected, "{markdown:?}");
    }

    fn check_text(markdown: &str, expected: &[&str]) {
        let texts: Vec<_> = sections(markdown).into_iter().map(|section| &markdown[section.bytes]).collect();
        assert_eq!(texts, expected, "{markdown:?}");
    }

    #[test]
    fn nested_ids_follow_the_hierarchy() {
        check_ids("# A\n## B\n### C\n## D\n# E\n", &["a", "a/b", "a/b/c", "a/d", "e"]);
    }

    #[test]
    fn skipped_levels_have_the_nearest_lower_level_as_parent() {
        check_ids("# A\n### B\n## C\n#### D\n", &["a", "a/b", "a/c", "a/c/d"]);
        check_ids("### A\n# B\n", &["a", "b"]);
    }

    #[test]
    fn duplicates_are_numbered_within_their_parent() {
        check_ids("# A\n## X\n## X\n# B\n## X\n", &["a", "a/x", "a/x-2", "b", "b/x"]);
        check_ids("# A\n## X\n# A\n## X\n", &["a", "a/x", "a-2", "a-2/x"]);
    }

    #[test]
    fn a_preamble_needs_text() {
        check_ids("text\n# A\n", &["_preamble", "a"]);
        check_ids(" \n\n# A\n", &["a"]);
        check_ids("---\ntitle: x\n---\n\n# A\n", &["a"]);
    }

    #[test]
    fn a_document_without_headings_is_one_section() {
        check_ids("text\n", &[""]);
        check_ids("", &[""]);
        check_breadcrumbs("text\n", &["(root)"]);
    }

    #[test]
    fn breadcrumbs_join_headings() {
        check_breadcrumbs("t\n# A\n## B `c`\n# D\n", &["(root)", "A", "A > B c", "D"]);
    }

    #[test]
    fn the_second_identical_breadcrumb_is_numbered() {
        check_breadcrumbs("# A\n## B\n## B\n# A\n## B\n", &["A", "A > B", "A > B [2]", "A [2]", "A > B [3]"]);
        check_breadcrumbs("# A [2]\n# A\n# A\n", &["A [2]", "A", "A [3]"]);
        check_breadcrumbs("t\n# (root)\n", &["(root)", "(root) [2]"]);
    }

    #[test]
    fn own_text_ends_at_the_next_heading_of_any_level() {
        check_text("\n\nt\n\n# A\na\n## B\nb\n", &["t\n\n", "# A\na\n", "## B\nb\n"]);
        check_text("A\n=\nB\nb\n-\nc", &["A\n=\n", "B\nb\n-\nc"]);
        check_text("a\r\n# A\r\nb\r\n# B", &["a\r\n", "# A\r\nb\r\n", "# B"]);
        check_text("a\r# A\rb\r## B\r", &["a\r", "# A\rb\r", "## B\r"]);
    }

    #[test]
    fn subtrees_end_with_their_last_subsection() {
        let ends: Vec<_> =
            sections("# A\n## B\n# C\n## D\n").into_iter().map(|section| section.subtree_end).collect();
        assert_eq!(ends, [9, 9, 18, 18]);
    }

    #[test]
    fn lines_are_counted_from_the_top_of_the_file() {
        let lines: Vec<_> = sections("---\na: b\n---\nt\n\n# A\na\n# B")
            .into_iter()
            .map(|section| (section.lines.start, section.lines.end))
            .collect();
        assert_eq!(lines, [(4, 5), (6, 7), (8, 8)]);
    }

    #[test]
    fn parents_are_indexes() {
        let parents: Vec<_> =
            sections("t\n# A\n## B\n### C\n## D\n").into_iter().map(|section| section.parent).collect();
        assert_eq!(parents, [None, None, Some(1), Some(2), Some(1)]);
    }

    #[test]
    fn a_body_of_markup_is_no_body() {
        let bodies: Vec<_> = sections("# A\n<!-- steps -->\n\n---\n# B\ntext\n# C\n![alt](x)\n")
            .into_iter()
            .map(|section| section.has_body)
            .collect();
        assert_eq!(bodies, [false, true, true]);
    }

    #[test]
    fn a_byte_order_mark_is_not_text() {
        check_ids("\u{feff}# A\n", &["a"]);
        check_ids("\u{feff}", &[""]);
    }
}
