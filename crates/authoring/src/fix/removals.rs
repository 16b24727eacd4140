//! Which hints can be taken out of a page without changing anything else of it.
//!
//! A comment is a block of its own to Markdown: what stands around it may become front matter, a list, a heading or
//! prose once it is gone. A removal is offered only when the page reads the same without the comment.

use docent_text::Document;
use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};

use super::apply::apply;
use crate::finding::Finding;

/// Removals that are tried one by one; those after them are not offered.
const MAX_TRIED: usize = 32;

/// Takes the fixes from findings that would change more of the page than their comment.
pub(crate) fn keep_safe(path: &str, text: &str, document: &Document, findings: &mut [Finding]) {
    let removes = |finding: &Finding| {
        let fix = finding.fix.as_ref().filter(|fix| fix.replacement.is_empty());
        fix.and_then(|fix| text.get(fix.bytes.clone())).is_some_and(|old| old.starts_with("<!--"))
    };
    let removals: Vec<usize> =
        findings.iter().enumerate().filter(|(_, it)| removes(it)).map(|(index, _)| index).collect();
    let is_safe = |chosen: &[usize]| {
        let chosen: Vec<&Finding> = chosen.iter().filter_map(|index| findings.get(*index)).collect();
        let gone: Vec<&str> =
            chosen.iter().filter_map(|it| text.get(it.fix.as_ref()?.bytes.clone())).collect();
        let new = apply(text, &chosen).0;
        reads_the_same((text, document), (&new, &docent_text::parse(path, &new)), &gone)
    };
    if removals.is_empty() || is_safe(&removals) {
        return;
    }
    let mut safe = Vec::new();
    for index in removals.iter().take(MAX_TRIED) {
        safe.push(*index);
        if !is_safe(&safe) {
            safe.pop();
        }
    }
    for index in removals.into_iter().filter(|index| !safe.contains(index)) {
        if let Some(finding) = findings.get_mut(index) {
            finding.fix = None;
        }
    }
}

/// Whether two texts are the same page but for the comments that are gone.
fn reads_the_same(old: (&str, &Document), new: (&str, &Document), gone: &[&str]) -> bool {
    let sections = |document: &Document| -> Vec<(u8, String, String)> {
        let headed = document.sections.iter().filter(|section| section.level > 0);
        headed.map(|section| (section.level, section.id.clone(), section.heading.clone())).collect()
    };
    let front = |(text, document): (&str, &Document)| text.get(..document.body_start).map(str::to_owned);
    let body = |(text, document): (&str, &Document)| {
        let body = text.get(document.body_start..).filter(|body| !docent_text::nests_too_deep(body));
        body.map(|body| outline(body, gone))
    };
    front(old) == front(new)
        && sections(old.1) == sections(new.1)
        && body(old).is_some_and(|old| body(new) == Some(old))
}

/// What Markdown makes of a body, without some comments, the number of blanks, and the lines of paragraphs.
fn outline(body: &str, gone: &[&str]) -> Vec<String> {
    let options = Options::ENABLE_TABLES
        | Options::ENABLE_STRIKETHROUGH
        | Options::ENABLE_TASKLISTS
        | Options::ENABLE_FOOTNOTES;
    let mut outline = Outline::default();
    let mut html: Option<String> = None;
    let mut in_code = false;
    for event in Parser::new_ext(body, options) {
        match event {
            Event::Start(Tag::HtmlBlock) => html = Some(String::new()),
            Event::End(TagEnd::HtmlBlock) => {
                let left = gone.iter().fold(html.take().unwrap_or_default(), |html, it| html.replace(it, ""));
                let lines: Vec<&str> = left.lines().filter(|line| !line.trim().is_empty()).collect();
                if !lines.is_empty() {
                    outline.step(format!("html {}", lines.join("\n")));
                }
            }
            Event::Html(text) | Event::Text(text) if html.is_some() => {
                html.get_or_insert_default().push_str(&text);
            }
            Event::InlineHtml(text) if gone.contains(&&*text) => {}
            Event::Text(text) if in_code => outline.step(text.into_string()),
            Event::Text(text) => outline.words.push_str(&text),
            Event::SoftBreak => outline.words.push(' '),
            event => {
                match event {
                    Event::Start(Tag::CodeBlock(_)) => in_code = true,
                    Event::End(TagEnd::CodeBlock) => in_code = false,
                    _ => {}
                }
                outline.at_end = matches!(event, Event::End(_));
                outline.step(format!("{event:?}"));
                outline.at_start = matches!(event, Event::Start(_));
            }
        }
    }
    outline.steps
}

/// Steps with the words between them.
#[derive(Default)]
struct Outline {
    steps: Vec<String>,
    words: String,
    /// Blanks at the start and at the end of a block do not count.
    at_start: bool,
    at_end: bool,
}

impl Outline {
    fn step(&mut self, step: String) {
        let mut words = String::new();
        for c in self.words.drain(..) {
            if !c.is_whitespace() {
                words.push(c);
            } else if !words.ends_with(' ') {
                words.push(' ');
            }
        }
        let words = if self.at_start { words.trim_start() } else { &words };
        let words = if self.at_end { words.trim_end() } else { words };
        if !words.is_empty() {
            self.steps.push(format!("words {words}"));
        }
        self.steps.push(step);
        (self.at_start, self.at_end) = (false, false);
    }
}
