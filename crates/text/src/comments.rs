//! Hints in HTML comments: `<!-- mcp_chunking_hint: {"chunk_by": "h3"} -->`.
//!
//! A hint is a comment whose text starts with a name that begins with `mcp_`. Only comments that the Markdown parser
//! sees as HTML count, and of those the ones that stand between words or have their lines for themselves: one that is
//! shown in a code block is an example, and one in a script or an attribute is a part of it. What a hint means is not
//! decided here.

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

/// Elements whose text is not read as HTML, or is shown as it stands.
const RAW: [&str; 4] = ["script", "style", "pre", "textarea"];

/// Adds the hints in a piece of HTML: a block, or what stands between two words. `line` tells the line of a byte of the
/// whole text. What looks like a comment inside a tag, a script or a line of other HTML speaks to others.
pub(crate) fn collect(html: &str, base: usize, line: impl Fn(usize) -> usize, hints: &mut Vec<HintComment>) {
    let mut at = 0;
    // Where the last thing ended that is neither white space nor a comment.
    let mut other = None;
    // How far a line was looked at, and whether only comments and white space are left of it.
    let mut line_end = (0, false);
    while let Some(open) = html[at..].find('<').map(|open| at + open) {
        if !html[at..open].trim().is_empty() {
            other = Some(at + html[at..open].trim_end().len());
        }
        let Some(end) = comment_end(html, open) else {
            let Some(end) = tag_end(html, open) else { return };
            (at, other) = (end, Some(end));
            continue;
        };
        let starts_line = other.is_none_or(|other| html[other..open].contains('\n'));
        if end > line_end.0 {
            line_end = ends_line(html, end);
        }
        if starts_line
            && line_end.1
            && hints.len() < MAX_HINTS
            && let Some(text) = html[open..end].strip_prefix("<!--").and_then(|it| it.strip_suffix("-->"))
            && let Some((name, value)) = hint(text)
        {
            let bytes = base + open..base + end;
            hints.push(HintComment { name, value, line: line(bytes.start), bytes });
        }
        at = end;
    }
}

/// Where the comment at `open` ends; `None` if there is none. One without an end goes to the end of the piece.
fn comment_end(html: &str, open: usize) -> Option<usize> {
    let inner = html[open..].strip_prefix("<!--")?;
    let short = ["-->", "->", ">"].iter().find(|end| inner.starts_with(**end)).map(|end| end.len());
    let length = short.or_else(|| inner.find("-->").map(|at| at + 3)).unwrap_or(inner.len());
    Some(open + 4 + length)
}

/// Whether nothing but white space and comments follows on the line, and how far that was looked at.
fn ends_line(html: &str, mut at: usize) -> (usize, bool) {
    loop {
        let rest = html[at..].trim_start_matches([' ', '\t', '\r']);
        if rest.is_empty() || rest.starts_with('\n') {
            return (at, true);
        }
        match comment_end(html, html.len() - rest.len()) {
            Some(end) => at = end,
            None => return (at, false),
        }
    }
}

/// Where the tag at `open` ends, or the element where its text is raw; `None` if it has no end. A bare `<` is one byte.
fn tag_end(html: &str, open: usize) -> Option<usize> {
    let inner = &html[open + 1..];
    if !inner.starts_with(|c: char| c.is_ascii_alphabetic() || c == '/') {
        return Some(open + 1);
    }
    let mut quote = None;
    let close = inner.find(|c: char| {
        match (quote, c) {
            (Some(open), c) if open == c => quote = None,
            (None, '"' | '\'') => quote = Some(c),
            (None, '>') => return true,
            _ => {}
        }
        false
    })?;
    let end = open + 1 + close + 1;
    let name = inner.split(|c: char| !c.is_ascii_alphanumeric()).next().unwrap_or_default();
    let Some(raw) = RAW.iter().find(|raw| raw.eq_ignore_ascii_case(name)) else { return Some(end) };
    let closing = format!("</{raw}");
    let closes =
        |at: &usize| html.get(*at..at + closing.len()).is_some_and(|it| it.eq_ignore_ascii_case(&closing));
    html[end..].match_indices("</").map(|(at, _)| end + at).find(closes)
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
    fn comments_inside_of_other_html_are_no_hints() {
        check("<div>\n  <!-- mcp_a: 1 -->\n<p>x</p>\n</div>\n", &[(2, "mcp_a", "1")]);
        check("<div>\n<!-- TODO --> <!-- mcp_a: 1 -->\n</div>\n", &[(2, "mcp_a", "1")]);
        for html in [
            "<div><!-- mcp_a: 1 -->\n</div>\n",
            "<div>\n<!-- mcp_a: 1 --> <b>x</b>\n</div>\n",
            "see <a title=\"<!-- mcp_a: 1 -->\">x</a>\n",
            "<div title='\n<!-- mcp_a: 1 -->\n'>\n</div>\n",
            "<script>\nvar x=\"<!-- mcp_a: 1 -->\"\n</script>\n",
            "<script>\n<!-- mcp_a: 1 -->\n</script>\n",
            "<div>\n<PRE class=\"x\">\n<!-- mcp_a: 1 -->\n</Pre>\n</div>\n",
            "<style>\n<!-- mcp_a: 1 -->\n</style>\n",
            "<textarea>\n<!-- mcp_a: 1 -->\n</textarea>\n",
            "<div title=\"\n<!-- mcp_a: 1 -->\n",
            "<!--> <!-- mcp_a: 1 -->b\n",
        ] {
            check(html, &[]);
        }
        let many = format!("{}x\n", "<!-- mcp_a: 1 -->".repeat(50_000));
        check(&many, &[]);
        check("<script>\nx\n</script>\n<!-- mcp_a: 1 -->\n", &[(4, "mcp_a", "1")]);
        check("<div>\n<style>é</style>\n<!-- mcp_a: 1 -->\n", &[(3, "mcp_a", "1")]);
    }

    #[test]
    fn in_lists_and_quotes() {
        check(
            "- item\n\n  <!-- mcp_a: 1 -->\n\n> <!-- mcp_b: 2 -->\n",
            &[(3, "mcp_a", "1"), (5, "mcp_b", "2")],
        );
    }
}
