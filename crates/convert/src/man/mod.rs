//! Manual pages: roff with the man(7) or the mdoc(7) macros becomes Markdown.
//!
//! `roff` reads lines, conditions and macro definitions as far as pages use them; `macros` and `mdoc` know what their
//! macros mean; `spans` turns fonts into emphasis and `writer` puts blocks together. Layout is dropped, structure is kept:
//! sections are headings, tagged paragraphs are list items, displays are code blocks.

mod conditions;
mod control;
mod escapes;
mod glyphs;
mod macros;
mod mdoc;
mod mdoc_inline;
mod numbers;
mod roff;
mod spans;
mod table;
mod writer;

/// A manual page in Markdown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ManualPage {
    /// `git-commit(1)`.
    pub title: String,
    /// What stands behind the name in the section NAME: `Record changes to the repository`.
    pub summary: Option<String>,
    /// The page, which begins with the title as its heading.
    pub text: String,
}

/// Converts a page that is installed under a name and in a section.
pub fn to_markdown(source: &str, name: &str, section: &str) -> ManualPage {
    let title = format!("{name}({section})");
    let mut page = roff::Page::new(source);
    page.run();
    let (name_section, body) = page.finish();
    let first = name_section.split("\n\n").next().unwrap_or_default();
    let line = first.split_whitespace().collect::<Vec<_>>().join(" ");
    let summary = [" - ", " \\- ", " – ", " — "].iter().find_map(|dash| line.split_once(dash));
    let summary = summary.map(|(_, summary)| summary.trim().to_owned()).filter(|summary| !summary.is_empty());
    let mut text = format!("# {title}\n");
    for part in [name_section.trim(), body.trim_end()] {
        if !part.is_empty() {
            text.push('\n');
            text.push_str(part.trim_start_matches('\n'));
            text.push('\n');
        }
    }
    ManualPage { title, summary, text }
}

/// The file that a page which only stands for another one names: `.so man3/printf.3`.
pub fn link_target(source: &str) -> Option<&str> {
    let mut lines = source.lines().filter(|line| {
        let comment = ["'\\\"", ".\\\"", "\\\""].iter().any(|start| line.starts_with(start));
        !comment && !line.trim().is_empty()
    });
    let target = lines.next()?.strip_prefix(".so")?.trim();
    (!target.is_empty() && lines.next().is_none()).then_some(target)
}
