//! The places of a page that a link may lead to.
//!
//! Every site generator makes its own anchor out of a heading, so anchors are compared by their letters and digits
//! alone: `#what-s-new`, `#whats-new` and `#whats_new` lead to the same heading. Ids that stand anywhere in the text
//! count too. A page that takes headings from elsewhere is open: nobody can tell which anchors it has.

use std::collections::HashMap;

use docent_text::Document;

/// Marks in a text by which a page includes another, or makes headings in a template.
const INCLUDES: &[&str] = &[
    "{{< include",
    "{{% include",
    "{{<include",
    "{{%include",
    "{% include",
    "{%include",
    "{{< readfile",
    "{{% readfile",
    "{{< tab",
    "{{% tab",
    "{{< partial",
    "{{% partial",
    "{{< snippet",
    "{{% snippet",
    "--8<--",
    "{!",
    "[!INCLUDE",
    "<Include",
    "<include",
];

/// Places after these are not looked at for ids.
const MAX_IDS: usize = 20_000;

/// The anchors of a page.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Anchors {
    /// How often each folded anchor is there.
    folded: HashMap<String, u32>,
    /// Whether there may be more.
    open: bool,
}

impl Anchors {
    /// `headings` are those that stand inside of quotes and lists, which are no sections.
    pub(crate) fn of(text: &str, document: &Document, headings: &[String]) -> Anchors {
        let mut anchors = Anchors::default();
        for section in document.sections.iter().filter(|section| section.level > 0) {
            anchors.add(&section.heading);
            section.anchor.iter().for_each(|anchor| anchors.add(anchor));
            if section.parent.is_some() {
                anchors.add(&section.id);
            }
        }
        headings.iter().for_each(|heading| anchors.add(heading));
        written(text).iter().for_each(|id| anchors.add(id));
        let body = text.get(document.body_start..).unwrap_or_default();
        anchors.open = INCLUDES.iter().any(|mark| body.contains(mark))
            || body.lines().any(|line| line.starts_with('#') && (line.contains("{{") || line.contains("{%")))
            || body.lines().any(|line| line.starts_with("import ") && line.contains(" from "));
        anchors
    }

    /// Whether a link to `fragment` may lead somewhere.
    pub(crate) fn has(&self, fragment: &str) -> bool {
        let fragment = fold(fragment);
        let numbered = || {
            let base = fragment.trim_end_matches(|c: char| c.is_ascii_digit());
            self.folded.get(base).is_some_and(|count| *count > 1)
        };
        self.open
            || fragment.is_empty()
            || fragment == "top"
            || self.folded.contains_key(&fragment)
            || numbered()
    }

    fn add(&mut self, name: &str) {
        let folded = fold(name);
        // Some generators leave a number at the start out.
        let bare = folded.trim_start_matches(|c: char| c.is_ascii_digit()).to_owned();
        if bare != folded && !bare.is_empty() {
            *self.folded.entry(bare).or_default() += 1;
        }
        *self.folded.entry(folded).or_default() += 1;
    }
}

/// Letters and digits in lower case.
fn fold(name: &str) -> String {
    name.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

/// Ids that are written out: `id="x"`, `name='x'`, `{#x}` and `{: #x}`.
fn written(text: &str) -> Vec<String> {
    let mut ids = Vec::new();
    for mark in ["id=", "name=", "id:"] {
        for (at, _) in text.match_indices(mark).take(MAX_IDS) {
            let rest = head(text, at + mark.len()).trim_start_matches([' ', '{']);
            let id = match rest.chars().next() {
                Some(quote @ ('"' | '\'' | '`')) => rest.get(1..).unwrap_or_default().split(quote).next(),
                _ => rest.split(|c: char| c.is_whitespace() || matches!(c, '>' | '/' | '}')).next(),
            };
            ids.extend(id.filter(|id| !id.is_empty()).map(str::to_owned));
        }
    }
    for (at, _) in text.match_indices("{").take(MAX_IDS) {
        let inner = head(text, at + 1).trim_start_matches([':', ' ']);
        if let Some(inner) = inner.strip_prefix('#') {
            let id = inner.split(|c: char| c.is_whitespace() || c == '}').next().unwrap_or_default();
            if !id.is_empty() {
                ids.push(id.to_owned());
            }
        }
    }
    ids
}

/// As much of a text as an id can take; reading on would take a hostile page's square of time.
fn head(text: &str, at: usize) -> &str {
    const LONGEST: usize = 200;
    let end = (at + LONGEST..=at + LONGEST + 3).find(|end| text.is_char_boundary(*end)).unwrap_or(text.len());
    text.get(at..end).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::Anchors;

    fn check(text: &str, has: &[&str], has_not: &[&str]) {
        let anchors = Anchors::of(text, &docent_text::parse("a.md", text), &[]);
        for fragment in has {
            assert!(anchors.has(fragment), "{text:?} #{fragment}");
        }
        for fragment in has_not {
            assert!(!anchors.has(fragment), "{text:?} #{fragment}");
        }
    }

    #[test]
    fn headings_in_every_generators_way() {
        check(
            "# What's new in 1.2?\n",
            &["whats-new-in-12", "what-s-new-in-1-2", "Whats_new_in_1.2"],
            &["whats-new"],
        );
        check("# 1. Install\n", &["1-install", "install"], &["instal"]);
        check("# A\n## B\n", &["a", "b", "a/b", "", "top"], &["c"]);
    }

    #[test]
    fn numbers_need_duplicates() {
        check("# A\n## X\n# B\n## X\n", &["x-1", "x_1", "x-2"], &["a-1"]);
    }

    #[test]
    fn written_ids() {
        check(
            "# A {#own}\n<a name='one'></a> <div id=two> {: #three }\n",
            &["own", "one", "two", "three", "a"],
            &["four"],
        );
    }

    #[test]
    fn a_page_that_includes_others_is_open() {
        check("# A\n{{< include \"x.md\" >}}\n", &["anything"], &[]);
        check("## {{% heading \"whatsnext\" %}}\n", &["whats-next"], &[]);
    }
}
