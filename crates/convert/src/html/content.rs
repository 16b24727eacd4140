//! Which element of a page holds its text, and what in it is only decoration.

use dom_query::{Document, NodeRef};

/// Elements that hold the text, most telling first: documentation generators, then the general ones.
const MAIN: [&str; 18] = [
    "[itemprop=articleBody]",
    "article.md-content__inner",
    ".theme-doc-markdown",
    ".vp-doc",
    ".sl-markdown-content",
    "#main-content article",
    "div.body[role=main]",
    "[role=main] .document",
    "#mdbook-content main",
    ".rustdoc #main-content",
    ".markdown-body",
    "#mw-content-text",
    "main article",
    "[role=main]",
    "main",
    "article",
    "#content",
    ".content",
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
pub(super) fn main(document: &Document) -> NodeRef<'_> {
    let body = body(document);
    let all = body.normalized_char_count();
    for selector in MAIN {
        let Some(found) = document.try_select(selector) else { continue };
        let best = found.nodes().iter().take(MOST_CANDIDATES).filter(|node| !is_noise(node));
        let best = best.max_by_key(|node| node.normalized_char_count());
        if let Some(node) = best.filter(|node| node.normalized_char_count() * 100 >= all * LEAST_SHARE) {
            return *node;
        }
    }
    body
}

/// The whole body.
pub(super) fn body(document: &Document) -> NodeRef<'_> {
    document.body().unwrap_or_else(|| document.root())
}

/// The title of the window.
pub(super) fn title(document: &Document) -> Option<String> {
    let title = document.try_select("title")?.nodes().first()?.text();
    let title = title.split_whitespace().collect::<Vec<_>>().join(" ");
    (!title.is_empty()).then_some(title)
}

/// The address that relative links start from.
pub(super) fn base(document: &Document, name: &str) -> Option<String> {
    let own = document.base_uri().map(|base| base.to_string()).filter(|base| base.contains("://"));
    own.or_else(|| name.contains("://").then(|| name.to_owned()))
}

/// Whether a page may only be empty because its scripts did not run.
pub(super) fn has_scripts(document: &Document) -> bool {
    document.try_select("script").is_some()
}

/// Whether nobody who looks at the page sees an element: what a reader does not see must not speak to a machine.
fn is_hidden(node: &NodeRef<'_>) -> bool {
    if node.has_attr("hidden") || node.attr("aria-hidden").is_some_and(|value| value.as_ref() == "true") {
        return true;
    }
    let Some(style) = node.attr("style") else { return false };
    style.split(';').filter_map(|rule| rule.split_once(':')).any(|(name, value)| {
        let value = value.trim().trim_end_matches("!important").trim_end().to_ascii_lowercase();
        let is_nothing = || value.trim_end_matches(|char: char| char.is_ascii_alphabetic() || char == '%');
        let is_zero = || !value.is_empty() && is_nothing().parse::<f32>() == Ok(0.0);
        match name.trim().to_ascii_lowercase().as_str() {
            "display" => value == "none",
            "visibility" => matches!(value.as_str(), "hidden" | "collapse"),
            // A box of size zero whose children have sizes of their own is a trick of layout.
            "font-size" => is_zero() && node.first_element_child().is_none(),
            _ => false,
        }
    })
}

/// Whether an element is decoration.
pub(super) fn is_noise(node: &NodeRef<'_>) -> bool {
    let Some(name) = node.node_name() else { return false };
    if NOISE_TAGS.contains(&name.as_ref()) {
        return true;
    }
    // A page header holds the site's menu; the header of an article holds its title.
    if name.as_ref() == "header" && node.parent().is_some_and(|parent| parent.has_name("body")) {
        return true;
    }
    if is_hidden(node) {
        return true;
    }
    let role = node.attr("role");
    if role.is_some_and(|role| {
        matches!(role.as_ref(), "navigation" | "banner" | "contentinfo" | "search" | "dialog")
    }) {
        return true;
    }
    let has_word = |value: &str| {
        value.split_whitespace().any(|word| {
            let word = word.to_ascii_lowercase();
            NOISE_WORDS.contains(&word.as_str()) || word.contains("cookie-") || word.starts_with("cookie")
        })
    };
    // `body` and `main` may carry layout classes such as `has-sidebar toc`.
    let is_frame = matches!(name.as_ref(), "body" | "main" | "article" | "html" | "section");
    !is_frame
        && (node.class().is_some_and(|class| has_word(&class))
            || node.id_attr().is_some_and(|id| has_word(&id)))
}
