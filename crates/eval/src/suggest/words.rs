//! Which words make a question, and small helpers for texts and paths.

/// Headings that every documentation has.
const GENERIC: &str = "a quick example, about, about this page, additional information, additional resources, appendix, background, \
basic usage, before you begin, before you start, best practices, change log, changelog, clean up, cleaning up, \
common issues, conclusion, configuration, contents, description, details, example, example usage, examples, \
faq, features, for more information, frequently asked questions, further reading, get started, getting started, glossary, \
how does it work, how does this work, how it works, how to, installation, introduction, known issues, learn \
more, limitations, more information, motivation, next steps, note, notes, objectives, options, other \
resources, overview, parameters, prerequisites, quick start, read more, references, related pages, related \
topics, release notes, requirements, resources, see also, some more examples, summary, table of contents, \
troubleshooting, try it, usage, usage example, usage examples, use cases, what does it do, what happens next, \
what is it, what is next, what s new, what s next, whats next, why use it";

/// What links say when they say nothing.
const EMPTY_LINKS: &str = "a link, above section, as described here, click here, described here, documentation page, edit this page, full \
list, go here, here, in this document, in this guide, in this section, learn more, more details, more info, \
more information, next page, next section, next step, next steps, official documentation, previous page, \
previous section, previous step, previous steps, published documentation, read more, reference document, \
reference documentation, section above, section below, see below, see here, source code, the above, the doc, \
the docs, the documentation, the example, the following, the guide, the tutorial, this article, this doc, this \
document, this example, this guide, this link, this one, this page, this section, this tutorial, user guide, \
view source";

/// Words that a question has whatever it is about.
const ASKING: &str = "a, all, an, and, any, are, at, be, been, by, can, could, did, do, does, for, from, going, had, has, \
have, how, i, if, in, is, it, its, me, my, need, of, on, one, or, should, so, that, the, them, there, they, this, to, us, was, we, \
were, what, when, where, which, who, why, will, with, would, you, your";

const MAX_CHARS: usize = 120;
const MAX_WORDS: usize = 16;

/// Lower case, letters and digits, single spaces.
pub(super) fn normalised(text: &str) -> String {
    let lower = text.to_lowercase();
    lower.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ")
}

/// Whether a heading or a link text can be asked for.
pub(super) fn says_something(text: &str) -> bool {
    let plain = normalised(text);
    let words =
        plain.split(' ').filter(|word| word.chars().filter(|c| c.is_alphabetic()).count() > 1).count();
    // Scripts without spaces have long words.
    let dense = plain.chars().filter(|c| !c.is_ascii() && c.is_alphabetic()).count() >= 4;
    let is_markup =
        text.contains("{{") || text.contains("}}") || text.contains("://") || text.contains(['<', '`', '|']);
    let fits = text.chars().count() <= MAX_CHARS && plain.split(' ').count() <= MAX_WORDS;
    fits && !is_markup && !is_path(text) && (words >= 2 || dense) && !is_listed(GENERIC, &plain)
}

/// Whether a link's text says where it leads.
pub(super) fn names_its_target(text: &str) -> bool {
    let plain = normalised(text);
    let is_address = !text.trim().contains(char::is_whitespace) && text.contains(['/', '.']);
    says_something(text) && !is_address && !is_listed(EMPTY_LINKS, &plain)
}

/// `reference/setup-tools/README.md` is a place, and nobody asks for one. Scripts without spaces write "or" as a slash.
fn is_path(text: &str) -> bool {
    let text = text.trim().trim_end_matches(['.', ',', ':', '?']);
    let lower = text.to_ascii_lowercase();
    let is_file = [".md", ".html"].iter().any(|ending| lower.ends_with(ending));
    !text.contains(char::is_whitespace) && (is_file || (text.contains('/') && text.is_ascii()))
}

fn is_listed(list: &str, plain: &str) -> bool {
    let without_article = plain.strip_prefix("the ").unwrap_or(plain);
    list.split(", ").any(|listed| listed == plain || listed == without_article)
}

/// A block of text that is one question, without what stands before it in a list of questions.
pub(super) fn as_question(text: &str) -> Option<String> {
    let mut text = text.trim();
    for prefix in ["Q:", "Q.", "Question:"] {
        text = text.strip_prefix(prefix).unwrap_or(text).trim_start();
    }
    let body = text.strip_suffix('?')?;
    let is_one = !body.contains(['?', '!', '\n']) && !body.contains(". ");
    // "Where was it observed" asks for something that only the page knows.
    let plain = normalised(body);
    let asks = plain.split(' ').filter(|word| !is_listed(ASKING, word)).count() >= 2;
    (is_one && asks && says_something(text)).then(|| text.to_owned())
}

/// A link as seen from the page that it stands on.
pub(super) fn joined(page: &str, link: &str) -> String {
    let link = link.split('?').next().unwrap_or_default();
    if let Some(absolute) = link.strip_prefix('/') {
        return absolute.to_owned();
    }
    let mut parts: Vec<&str> = page.split('/').collect();
    parts.pop();
    for part in link.split('/') {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()),
            part => parts.push(part),
        }
    }
    parts.join("/")
}

/// FNV-1a: an order that looks random and is the same everywhere.
pub(super) fn hash(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headings_that_every_page_has_say_nothing() {
        for generic in
            ["Overview", "Example", "What's next", "See also", "1.2.3", "v2", "FAQ", "{{< note >}} a b"]
        {
            assert!(!says_something(generic), "{generic}");
        }
        for path in ["reference/setup-tools/README.md", " setup-tools.html ", "guides/set-up", "docs/set-up?"]
        {
            assert!(!says_something(path), "{path}");
        }
        for good in [
            "Rotate the signing key",
            "Backoff strategy",
            "日本語の設定",
            "日本語の設定/構成",
            "Edit conf/app.md",
        ] {
            assert!(says_something(good), "{good}");
        }
    }

    #[test]
    fn links_must_name_their_target() {
        for empty in [
            "here",
            "this page",
            "the previous section",
            "Read more",
            "guides/a.md",
            "reference/setup-tools/README.md ",
            "setup-tools.yaml ",
            "https://example.com/a b",
        ] {
            assert!(!names_its_target(empty), "{empty}");
        }
        assert!(names_its_target("rotating the key"));
    }

    #[test]
    fn questions_are_whole_blocks() {
        assert_eq!(as_question("Q: How do I rotate keys?").as_deref(), Some("How do I rotate keys?"));
        assert_eq!(as_question("It failed. Why is that so?"), None);
        assert_eq!(as_question("Really?"), None);
        assert_eq!(as_question("To where was it going?"), None);
        assert_eq!(as_question("How do I rotate keys"), None);
    }

    #[test]
    fn links_are_seen_from_their_page() {
        assert_eq!(joined("a/b.md", "../c.md"), "c.md");
        assert_eq!(joined("a/b.md", "c/"), "a/c");
        assert_eq!(joined("a/b.md", "/docs/c"), "docs/c");
        assert_eq!(joined("b.md", "../../c.md"), "c.md");
    }
}
