//! Hints in HTML comments: `<!-- mcp_chunking_hint: {"chunk_by": "h3"} -->`.
//!
//! A hint is a comment whose text starts with a name that begins with `mcp_`. Only comments that the Markdown parser
//! sees as HTML count: one that is shown in a code block is an example, not a hint. What a hint means is not decided
//! here.

use std::ops::Range;

/// More hints than this in one file are not collected.
const MAX_HINTS: usize = 1000;

/// A comment that speaks to docent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HintComment {
    /// Its name, e.g. `mcp_chunking_hint`.
    pub name: String,
    /// What follows the colon, trimmed; empty without a colon.
    pub value: String,
    /// The comment's bytes, from `<!--` to `-->`.
    pub bytes: Range<usize>,
    /// The line that it starts on, from 1.
    pub line: usize,
}

/// Adds the hints in a piece of HTML. `line` tells the line of a byte of the whole text.
pub(crate) fn collect(html: &str, base: usize, line: impl Fn(usize) -> usize, hints: &mut Vec<HintComment>) {
    let mut at = 0;
    while let Some(open) = html[at..].find("<!--").map(|open| at + open) {
        let inner = open + "<!--".len();
        let Some(close) = html[inner..].find("-->").map(|close| inner + close) else { return };
        let end = close + "-->".len();
        if let Some((name, value)) = hint(&html[inner..close])
            && hints.len() < MAX_HINTS
        {
            let bytes = base + open..base + end;
            hints.push(HintComment { name, value, line: line(bytes.start), bytes });
        }
        at = end;
    }
}

/// Name and value of a comment's text, if it is a hint.
fn hint(text: &str) -> Option<(String, String)> {
    let text = text.trim();
    let end = text.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_' || c == '-')).unwrap_or(text.len());
    let (name, rest) = text.split_at(end);
    let is_hint = name.len() > "mcp_".len() && name.get(.."mcp_".len()).is_some_and(|start| start == "mcp_");
    let value = rest.trim_start().strip_prefix(':').unwrap_or_default().trim();
    is_hint.then(|| (name.to_owned(), value.to_owned()))
}

#[cfg(test)]
mod tests {
    use crate::parse;

    fn check(markdown: &str, expected: &[(usize, &str, &str)]) {
        let document = parse("a.md", markdown);
        let hints: Vec<_> =
            document.hints.iter().map(|hint| (hint.line, hint.name.as_str(), hint.value.as_str())).collect();
        assert_eq!(hints, expected, "{markdown:?}");
        for hint in &document.hints {
            let source = &markdown[hint.bytes.clone()];
            assert!(source.starts_with("<!--") && source.ends_with("-->"), "{source:?}");
        }
    }

    #[test]
    fn a_comment_on_its_own_or_inside_a_line() {
        check(
            "<!-- mcp_chunking_hint: {\"chunk_by\": \"h3\"} -->\n# A\n",
            &[(1, "mcp_chunking_hint", "{\"chunk_by\": \"h3\"}")],
        );
        check("# A\n\ntext <!--mcp_metadata:{}--> text\n", &[(3, "mcp_metadata", "{}")]);
    }

    #[test]
    fn several_lines_and_several_comments() {
        check(
            "# A\n<!-- mcp_a:\n{\"x\":\n1} --><!-- mcp_b -->\n",
            &[(2, "mcp_a", "{\"x\":\n1}"), (4, "mcp_b", "")],
        );
    }

    #[test]
    fn after_front_matter() {
        check("---\ntitle: x\n---\n\n<!-- mcp_a: 1 -->\n", &[(5, "mcp_a", "1")]);
    }

    #[test]
    fn other_comments_and_examples_are_no_hints() {
        check("<!-- TODO mcp_a: 1 -->\n", &[]);
        check("```\n<!-- mcp_a: 1 -->\n```\n`<!-- mcp_a: 1 -->`\n\n    <!-- mcp_a: 1 -->\n", &[]);
        check("<!-- mcp_ -->\n<!-- mcpa: 1 -->\n", &[]);
        check("<!-- mcp_a: 1\n", &[]);
    }

    #[test]
    fn in_lists_and_quotes() {
        check(
            "- item\n\n  <!-- mcp_a: 1 -->\n\n> <!-- mcp_b: 2 -->\n",
            &[(3, "mcp_a", "1"), (5, "mcp_b", "2")],
        );
    }
}
