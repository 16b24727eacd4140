//! Which element of a page holds its text, and what in it is only decoration.

use super::tree::{Node, Tree};

/// Elements that hold the text, most telling first: documentation generators, then the general ones.
const MAIN: [fn(Node<'_>) -> bool; 18] = [
    |node| node.attribute("itemprop") == Some("articleBody"),
    |node| node.is("article") && node.has_class("md-content__inner"),
    |node| node.has_class("theme-doc-markdown"),
    |node| node.has_class("vp-doc"),
    |node| node.has_class("sl-markdown-content"),
    |node| node.is("article") && node.is_below(|above| above.has_id("main-content")),
    |node| node.is("div") && node.has_class("body") && has_main_role(node),
    |node| node.has_class("document") && node.is_below(has_main_role),
    |node| node.is("main") && node.is_below(|above| above.has_id("mdbook-content")),
    |node| node.has_id("main-content") && node.is_below(|above| above.has_class("rustdoc")),
    |node| node.has_class("markdown-body"),
    |node| node.has_id("mw-content-text"),
    |node| node.is("article") && node.is_below(|above| above.is("main")),
    has_main_role,
    |node| node.is("main"),
    |node| node.is("article"),
    |node| node.has_id("content"),
    |node| node.has_class("content"),
];

/// A candidate must hold at least this share of the text of the page, in percent, else it is a teaser or a box.
const LEAST_SHARE: usize = 15;

/// How many elements of a kind are weighed; each weighing reads all text inside.
const MOST_CANDIDATES: usize = 20;

/// Elements that never hold text of the page.
const NOISE_TAGS: [&str; 25] = [
    "script", "style", "noscript", "template", "nav", "footer", "aside", "form", "iframe", "object", "embed",
    "svg", "canvas", "button", "input", "select", "textarea", "dialog", "head", "link", "meta", "audio",
    "video", "menu", "search",
];

/// Words in a class or id that mark what is not text.
const NOISE_WORDS: [&str; 27] = [
    "hideme",
    "cookie",
    "consent",
    "gdpr",
    "navbar",
    "sidebar",
    "breadcrumb",
    "breadcrumbs",
    "pagination",
    "prev-next",
    "toc",
    "table-of-contents",
    "headerlink",
    "anchorjs-link",
    "hash-link",
    "anchor-link",
    "edit-page",
    "editlink",
    "skip-link",
    "skiplink",
    "newsletter",
    "share-buttons",
    "social",
    "related-posts",
    "feedback",
    "copybutton",
    "advertisement",
];

/// The element to convert.
pub(super) fn main(page: &Tree) -> Node<'_> {
    let body = body(page);
    let all = length(body);
    for is_main in MAIN {
        let found = page.root().descendants().filter(|node| is_main(*node)).take(MOST_CANDIDATES);
        let weighed = found.filter(|node| !is_noise(*node)).map(|node| (length(node), node));
        if let Some((length, node)) = weighed.max_by_key(|(length, _)| *length)
            && length * 100 >= all * LEAST_SHARE
        {
            return node;
        }
    }
    body
}

/// The whole body.
pub(super) fn body(page: &Tree) -> Node<'_> {
    page.root().child("html").and_then(|html| html.child("body")).unwrap_or_else(|| page.root())
}

/// The address that relative links start from.
pub(super) fn base<'a>(page: &'a Tree, name: &'a str) -> Option<&'a str> {
    let head = page.root().child("html").and_then(|html| html.child("head"));
    let own = head.and_then(|head| head.child("base")?.attribute("href"));
    own.into_iter().chain([name]).find(|address| address.contains("://"))
}

/// Whether a page may only be empty because its scripts did not run.
pub(super) fn has_scripts(page: &Tree) -> bool {
    page.find("script").is_some()
}

fn has_main_role(node: Node<'_>) -> bool {
    node.attribute("role") == Some("main")
}

/// How many characters stand below a node, with each run of white space as one, and none at the edges.
fn length(node: Node<'_>) -> usize {
    let mut length: usize = 0;
    let mut before_is_space = true;
    for char in node.descendants().filter_map(Node::text).flat_map(str::chars) {
        let is_space = char.is_whitespace();
        length += usize::from(!is_space || !before_is_space);
        before_is_space = is_space;
    }
    length.saturating_sub(usize::from(before_is_space))
}

/// Whether nobody who looks at the page sees an element: what a reader does not see must not speak to a machine.
fn is_hidden(node: Node<'_>) -> bool {
    if node.attribute("hidden").is_some() || node.attribute("aria-hidden") == Some("true") {
        return true;
    }
    let Some(style) = node.attribute("style") else { return false };
    style.split(';').filter_map(|rule| rule.split_once(':')).any(|(name, value)| {
        let value = value.trim().trim_end_matches("!important").trim_end().to_ascii_lowercase();
        let is_nothing = || value.trim_end_matches(|char: char| char.is_ascii_alphabetic() || char == '%');
        let is_zero = || !value.is_empty() && is_nothing().parse::<f32>() == Ok(0.0);
        match name.trim().to_ascii_lowercase().as_str() {
            "display" => value == "none",
            "visibility" => matches!(value.as_str(), "hidden" | "collapse"),
            // A box of size zero whose children have sizes of their own is a trick of layout.
            "font-size" => is_zero() && node.elements().next().is_none(),
            _ => false,
        }
    })
}

/// Whether an element is decoration.
pub(super) fn is_noise(node: Node<'_>) -> bool {
    let Some(name) = node.name() else { return false };
    if NOISE_TAGS.contains(&name) {
        return true;
    }
    // A page header holds the site's menu; the header of an article holds its title.
    if name == "header" && node.parent().is_some_and(|parent| parent.is("body")) {
        return true;
    }
    if is_hidden(node) {
        return true;
    }
    if let Some("navigation" | "banner" | "contentinfo" | "search" | "dialog") = node.attribute("role") {
        return true;
    }
    let has_word = |value: &str| {
        value.split_whitespace().any(|word| {
            let word = word.to_ascii_lowercase();
            NOISE_WORDS.contains(&word.as_str()) || word.contains("cookie-") || word.starts_with("cookie")
        })
    };
    // `body` and `main` may carry layout classes such as `has-sidebar toc`.
    let is_frame = matches!(name, "body" | "main" | "article" | "html" | "section");
    !is_frame && [node.attribute("class"), node.id()].into_iter().flatten().any(has_word)
}
