//! Walks the blocks of a web page and writes them.

use super::content::is_noise;
use super::tree::Node;
use super::{inline, table};
use crate::Limits;
use crate::document::Draft;
use crate::markdown::{self, escape_start, indented};

/// Elements that stand inside of a line.
const INLINE: [&str; 37] = [
    "a", "abbr", "acronym", "b", "bdi", "bdo", "big", "br", "cite", "code", "data", "del", "dfn", "em",
    "font", "i", "img", "ins", "kbd", "label", "mark", "math", "picture", "q", "s", "samp", "small", "span",
    "strike", "strong", "sub", "sup", "time", "tt", "u", "var", "wbr",
];

/// Elements that are blocks inside of what would be a line: a link around a box.
const BLOCK: [&str; 16] = [
    "p",
    "div",
    "ul",
    "ol",
    "table",
    "pre",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "blockquote",
    "section",
    "article",
    "dl",
];

/// Writes blocks of a page into a draft.
pub(super) struct Walker<'a> {
    draft: &'a mut Draft,
    base: Option<&'a str>,
    limits: &'a Limits,
}

impl<'a> Walker<'a> {
    pub(super) fn new(draft: &'a mut Draft, base: Option<&'a str>, limits: &'a Limits) -> Self {
        Self { draft, base, limits }
    }

    /// Writes what stands inside of an element.
    pub(super) fn run(&mut self, node: Node<'_>) {
        // Each level of HTML takes a few frames here.
        self.flow(node, self.limits.depth);
    }

    /// Writes the heading of the page, which stands outside of what follows.
    pub(super) fn heading_above(&mut self, node: Node<'_>) {
        self.heading(node, 1, self.limits.depth);
    }

    /// Blocks and lines side by side: lines between two blocks form a paragraph.
    fn flow(&mut self, node: Node<'_>, depth: usize) {
        let Some(depth) = depth.checked_sub(1) else {
            self.draft.note("parts of the page that are nested too deeply were left out");
            return;
        };
        if self.draft.len() > self.limits.markdown_bytes {
            return;
        }
        let mut line: Vec<Node<'_>> = Vec::new();
        for child in node.children() {
            if child.text().is_some() || is_inline(child) {
                line.push(child);
            } else if child.is_element() && !is_noise(child) {
                self.paragraph(&line, depth);
                line.clear();
                self.block(child, depth);
            }
        }
        self.paragraph(&line, depth);
    }

    fn paragraph(&mut self, line: &[Node<'_>], depth: usize) {
        if line.is_empty() {
            return;
        }
        let text = inline::markdown_of(line, self.base, depth);
        let lines = text.lines().map(escape_start).collect::<Vec<_>>();
        self.draft.block(&lines.join("\n"));
    }

    fn block(&mut self, node: Node<'_>, depth: usize) {
        let name = node.name().unwrap_or_default();
        match name {
            "h1" | "h2" | "h3" | "h4" | "h5" | "h6" => {
                let level = name.strip_prefix('h').and_then(|digit| digit.parse().ok()).unwrap_or(1);
                self.heading(node, level, depth);
            }
            "p" | "summary" | "figcaption" | "caption" | "legend" | "address" if !has_blocks(node) => {
                self.paragraph(&node.children().collect::<Vec<_>>(), depth);
            }
            "pre" => self.code(node),
            "hr" => {}
            "ul" | "ol" => self.list(node, depth),
            "dl" => self.definitions(node, depth),
            "blockquote" => self.inner(node, "> ", "> ", depth),
            "table" if table::is_layout(node) => self.flow(node, depth),
            "table" => {
                if let Some(caption) = node.child("caption") {
                    self.paragraph(&caption.children().collect::<Vec<_>>(), depth);
                }
                let rows = table::rows(node, self.base, depth, self.limits.columns);
                self.draft.block(&markdown::table(&rows));
            }
            _ => self.flow(node, depth),
        }
    }

    fn heading(&mut self, node: Node<'_>, level: usize, depth: usize) {
        let text = inline::markdown(node, self.base, depth);
        let text = text.trim_end_matches(['¶', '#', '🔗', ' ', '\u{a0}']);
        if text.is_empty() {
            return;
        }
        if let Some(anchor) = anchor(node) {
            self.draft.origin(None, Some(anchor));
        }
        self.draft.heading(level, text);
    }

    fn code(&mut self, node: Node<'_>) {
        let code = inline::verbatim(node);
        if !code.trim().is_empty() {
            self.draft.code(&language(node).unwrap_or_default(), code.trim_matches('\n'));
        }
    }

    fn list(&mut self, node: Node<'_>, depth: usize) {
        let is_ordered = node.is("ol");
        let start = node.attribute("start").and_then(|start| start.parse::<u32>().ok()).unwrap_or(1);
        let mut items = Vec::new();
        let children = node.elements().filter(|child| !is_noise(*child));
        for (number, item) in (start..).zip(children) {
            let mark = if is_ordered { format!("{number}. ") } else { "- ".to_owned() };
            let text = self.rendered(item, depth);
            if !text.is_empty() {
                items.push(indented(&text, &mark, &" ".repeat(mark.len())));
            }
        }
        let is_loose = items.iter().any(|item| item.contains("\n\n"));
        self.draft.block(&items.join(if is_loose { "\n\n" } else { "\n" }));
    }

    /// Terms are bold lines, what they mean stands below as a list.
    fn definitions(&mut self, node: Node<'_>, depth: usize) {
        let Some(depth) = depth.checked_sub(1) else { return };
        for child in node.elements() {
            if child.is("dt") {
                if let Some(anchor) = child.id() {
                    self.draft.origin(None, Some(anchor));
                }
                let term = inline::markdown(child, self.base, depth).replace('\n', " ");
                let is_marked = term.contains("**") || term.contains('`') || term.contains("](");
                self.draft.block(&if is_marked || term.is_empty() { term } else { format!("**{term}**") });
            } else if child.is("dd") {
                self.inner(child, "- ", "  ", depth);
            } else if !is_noise(child) {
                self.definitions(child, depth);
            }
        }
    }

    /// What stands inside of a list item or a quote, with marks before its lines.
    fn inner(&mut self, node: Node<'_>, first: &str, next: &str, depth: usize) {
        let text = self.rendered(node, depth);
        if !text.is_empty() {
            self.draft.block(&indented(&text, first, next));
        }
    }

    fn rendered(&mut self, node: Node<'_>, depth: usize) -> String {
        let mut draft = Draft::default();
        let mut walker = Walker { draft: &mut draft, base: self.base, limits: self.limits };
        walker.flow(node, depth);
        let (text, notes) = draft.into_parts();
        for note in notes {
            self.draft.note(note);
        }
        // A list right below the text of its item needs no empty line.
        text.trim_end().replacen("\n\n- ", "\n- ", if text.contains("```") { 0 } else { 1 })
    }
}

fn is_inline(node: Node<'_>) -> bool {
    node.name().is_some_and(|name| INLINE.contains(&name)) && !has_blocks(node)
}

fn has_blocks(node: Node<'_>) -> bool {
    node.descendants().filter_map(Node::name).any(|name| BLOCK.contains(&name))
}

/// The name that a link to a heading uses.
fn anchor(node: Node<'_>) -> Option<&str> {
    let own = node.id();
    let inner = || node.children().find_map(|child| child.id().or_else(|| child.attribute("name")));
    // Sphinx puts the name on the section around the heading.
    let outer = || node.parent().filter(|parent| parent.is("section")).and_then(|parent| parent.id());
    own.or_else(inner).or_else(outer).filter(|anchor| !anchor.is_empty())
}

/// The language of code, from the classes that highlighters use, on the block, inside of it or above.
fn language(node: Node<'_>) -> Option<String> {
    let above = node.ancestors().take(3);
    for place in std::iter::once(node).chain(node.elements()).chain(above) {
        for attribute in ["data-lang", "data-language"] {
            if let Some(language) = place.attribute(attribute).filter(|language| is_language(language)) {
                return Some(language.to_string());
            }
        }
        let class = place.attribute("class").unwrap_or_default();
        // The generator of Rust's documentation names the language without a prefix.
        if place == node && place.has_class("rust") {
            return Some("rust".to_owned());
        }
        let found = class.split_whitespace().find_map(|word| {
            ["language-", "lang-", "highlight-source-", "highlight-", "brush:"]
                .iter()
                .find_map(|prefix| word.strip_prefix(prefix))
        });
        if let Some(language) = found.filter(|language| is_language(language)) {
            return Some(language.to_owned());
        }
    }
    None
}

fn is_language(word: &str) -> bool {
    let is_plain = |char: char| char.is_ascii_alphanumeric() || matches!(char, '+' | '#' | '-' | '_' | '.');
    let is_none = matches!(word, "" | "default" | "none" | "plaintext" | "notranslate" | "text" | "plain");
    !is_none && word.len() <= 20 && word.chars().all(is_plain)
}
