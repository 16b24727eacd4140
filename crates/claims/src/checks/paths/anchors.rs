//! Anchors of pages, in whatever style a generator makes them.
//!
//! GitHub, GitLab, mdBook, Docusaurus, MkDocs and kramdown disagree about punctuation, case and numbers, and agree about
//! letters and digits. So a heading and an anchor are compared by these alone, and no style has to be known.

use serde::{Deserialize, Serialize};

use crate::{Facts, Outcome, Place, World};

/// What can be linked to within one page.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(super) struct PageFacts {
    /// Letters and digits of headings and explicit anchors, sorted, with the line.
    anchors: Vec<(String, u32)>,
    /// Headings as GitHub would link to them, in order.
    pub(super) slugs: Vec<String>,
    /// Parts of it come from elsewhere: includes, components, templates.
    is_composed: bool,
}

impl Facts for PageFacts {
    const NAME: &'static str = "page";
    const VERSION: u32 = 7;

    fn applies(path: &str) -> bool {
        [".md", ".mdx", ".markdown", ".html", ".htm"].iter().any(|ending| path.ends_with(ending))
    }

    fn read(path: &str, bytes: &[u8]) -> Self {
        let text = String::from_utf8_lossy(bytes);
        let mut facts = Self::default();
        let composed = [
            "{{#include",
            "--8<--",
            "{!",
            "{{<",
            "{{%",
            "{% include",
            "{%",
            "<%",
            "..include",
            "[[toc]]:",
            "<!-- include",
            "<!--include",
            "<!-- @include",
            "{include}",
            "{{ include",
            "::: ",
        ];
        facts.is_composed = composed.iter().any(|mark| text.contains(mark))
            || (path.ends_with(".mdx") && text.contains("import "))
            || imports_pages(&text);
        if !path.ends_with("html") && !path.ends_with(".htm") {
            for (heading, line) in headings(path, &text) {
                facts.add_heading(&heading, line);
            }
        }
        facts.add_title(&text);
        facts.add_explicit(&text);
        facts.add_terms(&text);
        facts.anchors.sort();
        facts.anchors.dedup_by(|a, b| a.0 == b.0);
        facts
    }
}

impl PageFacts {
    fn add_heading(&mut self, heading: &str, line: u32) {
        // `## Title {#id}` and `## Title { #id .x }`
        let title = match heading.split_once('{') {
            Some((title, rest)) if rest.contains('#') => {
                let id = rest.split('#').nth(1).unwrap_or_default();
                let id = id.split(['}', ' ']).next().unwrap_or(id);
                self.anchors.push((letters(id), line));
                title
            }
            _ => heading,
        };
        let plain = docent_text::plain(title);
        for form in [title, plain.as_str()] {
            let form = without_tags(form);
            self.anchors.push((letters(&form), line));
            // kramdown drops what stands in front of the first letter, others drop what is not ASCII or an emoji's name.
            let numberless = form.trim_start_matches(|c: char| !c.is_alphabetic());
            self.anchors.push((letters(numberless), line));
            let ascii: String = form.chars().filter(char::is_ascii).collect();
            self.anchors.push((letters(&ascii), line));
            self.anchors.push((letters(&without_emoji(&form)), line));
        }
        // `5. Builds` is no list here: its number is part of the anchor.
        let number = title.len() - title.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        let number = if plain.starts_with(|c: char| c.is_ascii_digit()) { "" } else { &title[..number] };
        self.slugs.push(slug(format!("{number} {plain}").trim()));
    }

    /// The title that front matter gives a page stands at its top, as a heading would.
    fn add_title(&mut self, text: &str) {
        let mut lines = text.trim_start_matches('\u{feff}').lines();
        if lines.next().is_none_or(|first| first.trim_end() != "---") {
            return;
        }
        let fields = lines.take_while(|line| line.trim_end() != "---").take(100).zip(2..);
        for (line, number) in fields {
            if let Some(title) = line.strip_prefix("title:") {
                self.anchors.push((letters(title), number));
            }
        }
    }

    /// `{ .sh .no-copy #example }`, behind a heading or where a fence opens.
    fn add_attributes(&mut self, line: &str, number: u32) {
        let Some((_, inner)) = line.trim_end().strip_suffix('}').and_then(|line| line.rsplit_once('{'))
        else {
            return;
        };
        let ids = inner.split_whitespace().filter_map(|word| word.strip_prefix('#'));
        let ids = ids.filter(|id| !id.is_empty() && id.len() < 200).take(10);
        self.anchors.extend(ids.map(|id| (letters(id), number)));
    }

    /// `id="…"`, `name='…'`, `id={…}`
    fn add_explicit(&mut self, text: &str) {
        for (number, line) in text.lines().enumerate() {
            let line_number = u32::try_from(number + 1).unwrap_or(u32::MAX);
            self.add_attributes(line, line_number);
            for mark in ["id=", "name=", "{#", "{: #", "{/* #", "slug=", "anchor=", "[#", "id: "] {
                for (at, _) in line.match_indices(mark).take(100) {
                    let rest = line[at + mark.len()..].trim_start_matches(['"', '\'', '{', '`']);
                    let end = rest
                        .find(|c: char| c.is_whitespace() || matches!(c, '"' | '\'' | '}' | '>' | '`' | ']'))
                        .unwrap_or(rest.len());
                    if end > 0 && end < 200 {
                        self.anchors.push((letters(&rest[..end]), line_number));
                    }
                }
            }
        }
    }

    /// The terms of definitions, which some generators give an anchor: a line, and one that begins with `: ` below it.
    fn add_terms(&mut self, text: &str) {
        let below = text.lines().skip(1);
        for (number, (term, definition)) in (1u32..).zip(text.lines().zip(below)) {
            if definition.starts_with(": ") && !term.is_empty() && term.len() < 200 {
                self.anchors.push((letters(&docent_text::plain(term)), number));
            }
        }
    }

    fn line_of(&self, anchor: &str) -> Option<u32> {
        let find = |wanted: &str| {
            let at = self.anchors.binary_search_by(|(known, _)| known.as_str().cmp(wanted)).ok()?;
            self.anchors.get(at).map(|(_, line)| *line)
        };
        let wanted = letters(anchor);
        // Another heading of the same name has a number at its end.
        let base = anchor.trim_end_matches(|c: char| c.is_ascii_digit());
        let is_numbered = base.len() < anchor.len() && base.ends_with(['-', '_']);
        let prefixed = anchor
            .strip_prefix("user-content-")
            .or_else(|| anchor.strip_prefix("id-"))
            .or_else(|| anchor.strip_prefix("section-"));
        find(&wanted)
            .or_else(|| is_numbered.then(|| find(&letters(base))).flatten())
            .or_else(|| prefixed.and_then(|rest| find(&letters(rest))))
    }
}

/// The headings of a page with their lines, as written.
fn headings(path: &str, text: &str) -> Vec<(String, u32)> {
    let page = crate::extract::headings(path, text);
    page.into_iter().filter(|(heading, _)| !heading.is_empty()).collect()
}

/// Whether a page brings others in: `import Note from './_note.mdx'`, outside of fences.
fn imports_pages(text: &str) -> bool {
    let mut is_fence = false;
    text.lines().any(|line| {
        is_fence ^= line.trim_start().starts_with("```");
        let end = line.trim_end().trim_end_matches(';').trim_end_matches(['"', '\'']);
        !is_fence && line.starts_with("import ") && (end.ends_with(".mdx") || end.ends_with(".md"))
    })
}

/// Letters and digits in lower case.
fn letters(text: &str) -> String {
    text.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

fn without_tags(text: &str) -> String {
    let mut inside = false;
    let keep = |c: &char| {
        match c {
            '<' => inside = true,
            '>' => {
                let was = inside;
                inside = false;
                return !was;
            }
            _ => {}
        }
        !inside
    };
    text.chars().filter(keep).collect()
}

/// Without `:rocket:`.
fn without_emoji(text: &str) -> String {
    let is_name = |part: &str| {
        !part.is_empty()
            && part.len() < 40
            && part.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'+' | b'-'))
    };
    let parts: Vec<&str> = text.split(':').collect();
    let last = parts.len().saturating_sub(1);
    let kept = parts
        .iter()
        .enumerate()
        .filter(|(at, part)| !(*at > 0 && *at < last && is_name(part)))
        .map(|(_, part)| *part);
    kept.collect()
}

/// As GitHub would write it.
fn slug(heading: &str) -> String {
    let lower = heading.to_lowercase();
    let kept = lower.chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
    kept.map(|c| if c == ' ' { '-' } else { c }).collect()
}

/// Whether a page, or the page of a folder, has an anchor.
pub(super) fn check(anchor: &str, path: &str, world: &World) -> Outcome {
    let Some(page) = page_of(path, world) else { return Outcome::NotOurs };
    let Some(facts) = world.facts::<PageFacts>(&page) else { return Outcome::NotOurs };
    match facts.line_of(anchor) {
        Some(line) => Outcome::valid(Place::at(page, line)),
        None if facts.is_composed || is_made(anchor) => Outcome::NotOurs,
        None => Outcome::missing(format!("the headings of `{page}`")),
    }
}

/// Anchors that programs make: of footnotes, of API items.
fn is_made(anchor: &str) -> bool {
    anchor.starts_with("fn") || letters(anchor).is_empty() || anchor.contains(['.', '(', '~', ':'])
}

pub(super) fn page_of(path: &str, world: &World) -> Option<String> {
    if PageFacts::applies(path) {
        return Some(path.to_owned());
    }
    let inside = |name: &&str| {
        let page = if path.is_empty() { (*name).to_owned() } else { format!("{path}/{name}") };
        world.content(&page).is_some().then_some(page)
    };
    ["README.md", "index.md", "index.mdx", "_index.md", "readme.md"].iter().find_map(inside)
}

/// The longest word, in the cases in which headings are written.
pub(super) fn needles(anchor: &str) -> Vec<String> {
    let longest =
        anchor.split(|c: char| !c.is_alphanumeric()).max_by_key(|word| word.len()).unwrap_or_default();
    let mut forms =
        vec![longest.to_owned(), longest.to_lowercase(), longest.to_uppercase(), super::capitalised(longest)];
    forms.sort();
    forms.dedup();
    forms.retain(|form| !form.is_empty());
    forms
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headings_are_linked_to_as_github_would() {
        let check = |heading: &str, expected: &str| {
            let facts = PageFacts::read("a.md", format!("# Top\n\n## {heading}\n").as_bytes());
            assert_eq!(facts.slugs.last().map(String::as_str), Some(expected), "{heading}");
        };
        check("Getting *started*", "getting-started");
        check("5. `build.rs` and more", "5-buildrs-and-more");
        check("3 ways", "3-ways");
        check("2024", "2024");
    }
}
