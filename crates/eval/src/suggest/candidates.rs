//! What one page offers as questions: its headings, the texts of its links, and the questions written in it.

use docent_engine::Outline;
use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};

use super::words;

/// Something that could be asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Candidate {
    pub(super) query: String,
    pub(super) category: &'static str,
    /// The page that it stands on.
    pub(super) path: String,
    pub(super) destination: Destination,
}

/// Where the answer is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Destination {
    /// On the page itself: a page or a section.
    Here(String),
    /// Where a link leads, as it is written.
    Link(String),
}

/// Everything that a page offers, in document order.
pub(super) fn of(page: &Outline) -> Vec<Candidate> {
    let mut found = headings(page);
    found.extend(written(page));
    found
}

fn headings(page: &Outline) -> Vec<Candidate> {
    let mut found = Vec::new();
    for section in page.sections.iter().filter(|section| section.level > 0 && section.has_body) {
        let question = words::as_question(&section.heading);
        let category = if question.is_some() { "question" } else { "heading" };
        if question.is_none() && !words::says_something(&section.heading) {
            continue;
        }
        let target = match section.level {
            1 if section.heading == page.title => page.file_path.clone(),
            _ => format!("{}#{}", page.file_path, section.id),
        };
        found.push(Candidate {
            query: question.unwrap_or_else(|| section.heading.clone()),
            category,
            path: page.file_path.clone(),
            destination: Destination::Here(target),
        });
    }
    found
}

/// Links and questions in the text.
fn written(page: &Outline) -> Vec<Candidate> {
    let options = Options::ENABLE_TABLES
        | Options::ENABLE_YAML_STYLE_METADATA_BLOCKS
        | Options::ENABLE_PLUSES_DELIMITED_METADATA_BLOCKS;
    let mut found = Vec::new();
    let mut block = String::new();
    let mut link: Option<(String, String)> = None;
    let mut is_text = false;
    for (event, range) in Parser::new_ext(&page.text, options).into_offset_iter() {
        match event {
            Event::Start(Tag::Paragraph | Tag::Item) => {
                block.clear();
                is_text = true;
            }
            Event::End(TagEnd::Paragraph | TagEnd::Item) => {
                if let Some(question) = words::as_question(&block).filter(|_| is_text) {
                    found.push(Candidate {
                        query: question,
                        category: "question",
                        path: page.file_path.clone(),
                        destination: Destination::Here(section_at(page, range.start)),
                    });
                }
                is_text = false;
            }
            Event::Start(Tag::Link { dest_url, .. }) => {
                link = is_internal(&dest_url).then(|| (dest_url.to_string(), String::new()));
            }
            Event::End(TagEnd::Link) => {
                if let Some((address, text)) = link.take().filter(|(_, text)| words::names_its_target(text)) {
                    found.push(Candidate {
                        query: text.split_whitespace().collect::<Vec<_>>().join(" "),
                        category: "link",
                        path: page.file_path.clone(),
                        destination: Destination::Link(address),
                    });
                }
            }
            Event::Start(Tag::Image { .. } | Tag::CodeBlock(_)) => {
                is_text = false;
                link = None;
            }
            Event::Text(text) | Event::Code(text) => {
                block.push_str(&text);
                if let Some((_, shown)) = &mut link {
                    shown.push_str(&text);
                }
            }
            Event::SoftBreak | Event::HardBreak => {
                block.push(' ');
                if let Some((_, shown)) = &mut link {
                    shown.push(' ');
                }
            }
            _ => {}
        }
    }
    found
}

fn is_internal(address: &str) -> bool {
    let before_path = address.split(['/', '?', '#']).next().unwrap_or_default();
    !address.is_empty() && !before_path.contains(':') && !address.starts_with("//") && !address.contains("{{")
}

/// The section that holds a byte of the text.
fn section_at(page: &Outline, offset: usize) -> String {
    let before = page.text.as_bytes().get(..offset).unwrap_or_default();
    let line = before.iter().filter(|&&byte| byte == b'\n').count() + 1;
    let section = page.sections.iter().rfind(|section| section.start_line as usize <= line);
    match section.filter(|section| !section.id.is_empty()) {
        Some(section) => format!("{}#{}", page.file_path, section.id),
        None => page.file_path.clone(),
    }
}

#[cfg(test)]
mod tests {
    use docent_engine::OutlineSection;

    use super::*;

    fn check(text: &str, expected: &[(&str, &str)]) {
        let section = OutlineSection {
            id: "a".to_owned(),
            heading: "Rotate the keys".to_owned(),
            anchor: None,
            level: 2,
            start_line: 1,
            end_line: 9,
            subtree_end_line: 9,
            has_body: true,
        };
        let page = Outline {
            file_path: "x/a.md".to_owned(),
            title: "T".to_owned(),
            sections: vec![section],
            text: text.to_owned(),
        };
        let found = of(&page);
        let found: Vec<(&str, &str)> =
            found.iter().skip(1).map(|one| (one.category, one.query.as_str())).collect();
        assert_eq!(found, expected, "{text:?}");
    }

    #[test]
    fn internal_links_are_taken_by_their_text() {
        check("See [how keys\nrotate](b.md#x) and [here](c.md).", &[("link", "how keys rotate")]);
        check("[two words](https://example.com) [two words](mailto:a@b) [two words](//x/y)", &[]);
        check("[![two words](a.png)](b.md)", &[]);
        check("```\n[two words](b.md)\n```\n", &[]);
    }

    #[test]
    fn questions_stand_alone() {
        check("**How do I rotate `keys`?**\n\nYou do.\n", &[("question", "How do I rotate keys?")]);
        check("- Can I rotate them twice?\n- No.\n", &[("question", "Can I rotate them twice?")]);
        check("---\ntitle: Is this a question at all?\n---\n\nWhy is it so? Because.\n", &[]);
    }
}
