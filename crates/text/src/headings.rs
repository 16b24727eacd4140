//! Headings as plain text.
//!
//! Inline markup goes, its text stays. A trailing `{#custom-id}` becomes the anchor; this is done here
//! and not by the parser, which would also swallow the `{id}` of `## PUT /users/{id}`. A heading without
//! any text names nothing and is not a section boundary.

use std::ops::Range;

use pulldown_cmark::Event;

use crate::plain;
use crate::visible::is_invisible;

/// Longer headings are cut: breadcrumbs repeat them in every subsection.
const MAX_CHARS: usize = 200;

/// A top-level heading.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Heading {
    pub(crate) level: u8,
    pub(crate) text: String,
    pub(crate) anchor: Option<String>,
    /// From the start of its first line to the end of its last.
    pub(crate) bytes: Range<usize>,
}

/// Collects a heading's text from parser events.
#[derive(Debug, Default)]
pub(crate) struct HeadingText {
    text: String,
    /// Code spans, in order: braces inside of them are neither attributes nor shortcodes.
    code: Vec<Range<usize>>,
    /// What images in HTML say, for headings that are only a logo.
    alt: String,
}

impl HeadingText {
    pub(crate) fn push(&mut self, event: &Event<'_>) {
        match event {
            Event::Text(text) => self.text.push_str(text),
            Event::Code(code) => {
                let start = self.text.len();
                self.text.push_str(code);
                self.code.push(start..self.text.len());
            }
            Event::SoftBreak | Event::HardBreak => self.text.push(' '),
            // `{{<note>}}` looks like HTML to a CommonMark parser.
            Event::InlineHtml(html) if self.text.ends_with("{{") => self.text.push_str(html),
            Event::InlineHtml(html) => {
                if let Some(alt) = plain::attribute(html, "alt") {
                    self.alt.push_str(alt);
                }
            }
            _ => {}
        }
    }

    /// Takes the closing `#` of the heading in `source` off, where a tab is beside them: the parser sees them only between
    /// spaces, CommonMark between tabs too.
    pub(crate) fn drop_closing(&mut self, source: &str) {
        let line = source.trim_end_matches([' ', '\t', '\r', '\n']);
        let title = line.trim_end_matches('#');
        let has_tab_behind = source.get(line.len()..).is_some_and(|end| end.contains('\t'));
        let is_missed = title.ends_with('\t') || (title.ends_with(' ') && has_tab_behind);
        if source.starts_with('#') && title.len() < line.len() && is_missed {
            let kept = self.text.trim_end().trim_end_matches('#').len();
            self.text.truncate(kept);
        }
    }

    /// The heading, or `None` when no text is left.
    pub(crate) fn finish(self, level: u8, bytes: Range<usize>) -> Option<Heading> {
        let code_end = self.code.last().map_or(0, |span| span.end);
        let (title, anchor) = split_attributes(&self.text, code_end);
        let mut text = collapse(&plain::without_shortcodes(title, &self.code));
        if text.is_empty() {
            text = collapse(&self.alt);
        }
        (!text.is_empty()).then_some(Heading { level, text, anchor, bytes })
    }
}

/// Cuts `{#id .class}`, `{: #id}` and `{/* #id */}` off the end of a heading.
fn split_attributes(text: &str, code_end: usize) -> (&str, Option<String>) {
    let trimmed = text.trim_end();
    let unchanged = (text, None);
    let Some(inner_end) = trimmed.strip_suffix('}') else { return unchanged };
    let Some(open) = inner_end.rfind('{').filter(|&open| open >= code_end) else { return unchanged };
    let title = &trimmed[..open];
    let inner = inner_end[open + 1..].trim();
    let (inner, comment) = match inner.strip_prefix("/*").and_then(|inner| inner.strip_suffix("*/")) {
        Some(inner) => (inner, true),
        None => (inner.strip_prefix(':').unwrap_or(inner), false),
    };
    let is_attribute = |word: &str| {
        let name = word.strip_prefix(['#', '.']).unwrap_or_default();
        name.starts_with(|c: char| c.is_alphanumeric() || c == '_' || c == '-') || word.contains('=')
    };
    let mut words = inner.split_whitespace().peekable();
    if title.trim().is_empty() || words.peek().is_none() || !(comment || words.all(is_attribute)) {
        return unchanged;
    }
    let anchor = inner.split_whitespace().find_map(|word| word.strip_prefix('#'));
    (title, anchor.filter(|anchor| !anchor.is_empty()).map(str::to_owned))
}

/// One space between words, no control characters, at most [`MAX_CHARS`] characters.
fn collapse(text: &str) -> String {
    let mut collapsed = String::with_capacity(text.len().min(MAX_CHARS * 4));
    let mut count = 0;
    for word in text.split(|c: char| c.is_whitespace() || c.is_control()).filter(|word| !word.is_empty()) {
        if !collapsed.is_empty() {
            collapsed.push(' ');
            count += 1;
        }
        for c in word.chars().filter(|c| !is_invisible(*c)) {
            if count >= MAX_CHARS {
                collapsed.push('…');
                return collapsed;
            }
            collapsed.push(c);
            count += 1;
        }
    }
    collapsed
}

#[cfg(test)]
mod tests {
    use crate::parse;

    fn check(markdown: &str, expected: &[&str]) {
        let document = parse("x.md", markdown);
        let headings: Vec<_> = document
            .sections
            .iter()
            .filter(|section| section.level > 0)
            .map(|section| section.heading.as_str())
            .collect();
        assert_eq!(headings, expected, "{markdown:?}");
    }

    fn check_anchor(markdown: &str, heading: &str, anchor: Option<&str>) {
        let document = parse("x.md", markdown);
        let section = &document.sections[0];
        assert_eq!((section.heading.as_str(), section.anchor.as_deref()), (heading, anchor), "{markdown:?}");
    }

    #[test]
    fn atx_and_setext() {
        check("# A\n## B ##\nC\n===\nD\nd\n---\n", &["A", "B", "C", "D d"]);
        check("#no\n\n####### no\n\n   # yes\n", &["yes"]);
    }

    #[test]
    fn inline_markup_is_removed() {
        check("# *a* **b** `c` ~~d~~\n", &["a b c d"]);
        check("# [link](/x \"t\") and ![image](/y)\n", &["link and image"]);
        check("# a <b>c</b> <!-- d -->\n", &["a c"]);
        check("# AT&amp;T &copy; a\\*b\n", &["AT&T © a*b"]);
        check("#  a \t b\u{a0}c \n", &["a b c"]);
        check("# Note[^1]\n\n[^1]: text\n", &["Note"]);
    }

    #[test]
    fn braces_of_a_route_stay() {
        check_anchor("## PUT /users/{id}\n", "PUT /users/{id}", None);
        check_anchor("## `{#if}`\n", "{#if}", None);
        check_anchor("## {#if}\n", "{#if}", None);
    }

    #[test]
    fn a_trailing_id_is_the_anchor() {
        check_anchor("## Title {#my-id}\n", "Title", Some("my-id"));
        check_anchor("## Title {#my_id .class key=value}\n", "Title", Some("my_id"));
        check_anchor("## Title {: #my-id}\n", "Title", Some("my-id"));
        check_anchor("## Title {/* #my-id */}\n", "Title", Some("my-id"));
        check_anchor("## Title {.class}\n", "Title", None);
        check_anchor("## Title ## {#x}\n", "Title ##", Some("x"));
    }

    #[test]
    fn shortcodes_become_their_text() {
        check("## {{% heading \"prerequisites\" %}}\n", &["prerequisites"]);
        check("## Use {{< glossary_tooltip text=\"Pods\" term_id=\"pod\" >}}\n", &["Use Pods"]);
        check("## A {{<note>}}\n", &["A"]);
        check("## A {{< note text=`B` >}}\n", &["A B"]);
    }

    #[test]
    fn shortcodes_in_code_are_code() {
        check("## `{{< x >}}`\n", &["{{< x >}}"]);
        check("## `{{</* x */>}}`\n", &["{{</* x */>}}"]);
        check("## `{% tag %}`\n", &["{% tag %}"]);
        check("## The `{{% x %}}` of {{< glossary_tooltip text=\"Pods\" >}}\n", &["The {{% x %}} of Pods"]);
        check("## `{` and `{{< x >}}` {#id}\n", &["{ and {{< x >}}"]);
    }

    #[test]
    fn closing_marks_may_stand_behind_or_before_a_tab() {
        check("##\tTab two\t#\n", &["Tab two"]);
        check("## Tab\t##\t \r\n## End ##\t\n", &["Tab", "End"]);
        check("## C#\n## a\tC#\n## F#\t\n## a\t\\#\n## `a\t#`\n", &["C#", "a C#", "F#", "a #", "a #"]);
        check("## a\t# ##\n## b # ##\t\n", &["a #", "b #"]);
        check("##\t#\n", &[]);
    }

    #[test]
    fn a_heading_without_text_is_content() {
        check("#\ntext\n## \n", &[]);
        check("# ![](logo.png)\n", &[]);
        check("# <img alt=\"Docent\" src=\"x.svg\">\n", &["Docent"]);
    }

    #[test]
    fn code_html_and_containers_hold_no_headings() {
        check("```sh\n# comment\n```\n~~~\n# c\n~~~\n    # indented\n", &[]);
        check("<div>\n# no\n</div>\n\n<!--\n\n# no\n\n-->\n", &[]);
        check("> # quoted\n\n- # item\n\n  # item too\n\n1. a\n\n   # no\n", &[]);
        check("```\n# unclosed\n", &[]);
    }

    #[test]
    fn long_headings_are_cut() {
        let document = parse("x.md", &format!("# {}", "é".repeat(5000)));
        assert_eq!(document.sections[0].heading.chars().count(), 201);
    }

    #[test]
    fn control_characters_are_spaces() {
        check("# a\u{1}b\0c\n", &["a b c"]);
    }
}
