//! Which styles of a Word document are headings, code or quotes.

use std::collections::HashMap;

use crate::xml::Element;

/// What a paragraph of a style is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    /// Ordinary text.
    Text,
    /// The title of the document.
    Title,
    /// A heading of this level, counted from 1.
    Heading(usize),
    /// A line of code.
    Code,
    /// A quotation.
    Quote,
    /// A line of a table of contents, which is left out.
    Contents,
}

struct Style {
    name: String,
    parent: Option<String>,
    outline: Option<usize>,
    /// Number and level of the list that the style belongs to.
    list: Option<(String, usize)>,
}

/// The styles of a document by their ids.
#[derive(Default)]
pub(super) struct Styles(HashMap<String, Style>);

/// How many styles may stand above one; a circle ends here.
const MOST_PARENTS: usize = 12;

impl Styles {
    pub(super) fn new(part: Option<&Element>) -> Self {
        let styles = part.into_iter().flat_map(|part| part.all("style")).filter_map(|style| {
            let value = |path: &[&str]| style.at(path).and_then(|found| found.attribute("w:val"));
            let list = style.at(&["pPr", "numPr", "numId"]).and_then(|id| id.attribute("w:val"));
            let level = value(&["pPr", "numPr", "ilvl"]).and_then(|level| level.parse().ok()).unwrap_or(0);
            let outline = value(&["pPr", "outlineLvl"]).and_then(|level| level.parse().ok());
            let read = Style {
                name: value(&["name"]).unwrap_or_default().to_lowercase(),
                parent: value(&["basedOn"]).map(str::to_owned),
                outline,
                list: list.map(|id| (id.to_owned(), level)),
            };
            Some((style.attribute("w:styleId")?.to_owned(), read))
        });
        Self(styles.collect())
    }

    /// What a paragraph of a style is.
    pub(super) fn role(&self, id: &str) -> Role {
        for style in self.chain(id) {
            if let Some(role) = role_of_name(&style.name) {
                return role;
            }
            if let Some(level) = style.outline.filter(|&level| level < 9) {
                return Role::Heading(level + 1);
            }
        }
        // Without a part for styles the ids themselves tell: `Heading1`.
        role_of_name(&spaced(id)).unwrap_or(Role::Text)
    }

    /// Whether a style for characters is one for code.
    pub(super) fn is_code(&self, id: &str) -> bool {
        self.chain(id).any(|style| is_code_name(&style.name)) || is_code_name(&id.to_lowercase())
    }

    /// Number and level of the list that a style belongs to.
    pub(super) fn list(&self, id: &str) -> Option<(String, usize)> {
        let found = self.chain(id).find_map(|style| style.list.clone());
        // `List Bullet 2` is a list of its own, which is only indented.
        let name = self.0.get(id).map_or("", |style| style.name.as_str());
        let depth = name.strip_prefix("list ").and_then(|_| name.rsplit_once(' ')?.1.parse::<usize>().ok());
        found.map(|(list, level)| (list, depth.map_or(level, |depth| depth.saturating_sub(1).min(8))))
    }

    fn chain(&self, id: &str) -> impl Iterator<Item = &Style> {
        let first = self.0.get(id);
        let next = |style: &&Style| style.parent.as_ref().and_then(|parent| self.0.get(parent));
        std::iter::successors(first, next).take(MOST_PARENTS)
    }
}

fn role_of_name(name: &str) -> Option<Role> {
    if let Some(level) = name.strip_prefix("heading ").and_then(|level| level.trim().parse::<usize>().ok()) {
        return Some(Role::Heading(level.clamp(1, 9)));
    }
    if name == "title" {
        return Some(Role::Title);
    }
    if name.starts_with("toc ") && !name.ends_with("heading") {
        return Some(Role::Contents);
    }
    if is_code_name(name) {
        return Some(Role::Code);
    }
    matches!(name, "quote" | "intense quote" | "block text").then_some(Role::Quote)
}

fn is_code_name(name: &str) -> bool {
    let is_whole =
        matches!(name, "macro text" | "html preformatted" | "html code" | "plain text" | "htmlpreformatted");
    let has_word =
        ["code", "source text", "preformatted", "listing", "verbatim"].iter().any(|word| name.contains(word));
    is_whole || (has_word && !name.contains("zip") && !name.contains("postcode"))
}

/// `Heading1` becomes `heading 1`.
fn spaced(id: &str) -> String {
    let lower = id.to_lowercase();
    let letters = lower.trim_end_matches(|char: char| char.is_ascii_digit());
    let digits = lower.get(letters.len()..).unwrap_or_default();
    if digits.is_empty() { lower } else { format!("{} {digits}", letters.trim()) }
}
