//! Where to go from a page: the links of HTML and of Markdown, and what the page says about following them.

use ureq::http::HeaderMap;

use super::address::PageAddress;
use super::tags::{Tag, Tags};
use crate::web::header;

/// Links of one page that are kept, and their bytes. Pages that a person can read have fewer.
const MOST_LINKS: usize = 20_000;
const MOST_BYTES: usize = 4 << 20;
/// Links of one page that are not followed and yet counted.
const MOST_UNFOLLOWED: usize = 1000;
/// Longer targets of a Markdown link are not looked for.
const LONGEST_TARGET: usize = 4096;

/// What a page says about where to go from it.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct PageLinks {
    /// As they are written.
    links: Vec<String>,
    /// Those that are not to be followed.
    unfollowed: Vec<String>,
    base: Option<String>,
    /// The same page as Markdown.
    pub(super) markdown: Option<String>,
    /// Whether it asks not to be kept.
    pub(super) is_noindex: bool,
    /// Whether it asks that its links are not followed.
    pub(super) is_nofollow: bool,
    /// Whether it had more links than are kept.
    pub(super) is_cut: bool,
    bytes: usize,
}

impl PageLinks {
    /// Reads a page, if it is one that has links. Without a media type the name and the first bytes decide.
    pub(super) fn of(bytes: &[u8], content_type: Option<&str>, path: &str) -> Self {
        let ending = path.rsplit_once('.').map_or("", |(_, ending)| ending).to_ascii_lowercase();
        let is_markdown_name = matches!(ending.as_str(), "md" | "mdx" | "markdown");
        match content_type {
            Some("text/html" | "application/xhtml+xml") => Self::of_html(bytes),
            Some("text/markdown" | "text/x-markdown") => Self::of_markdown(bytes),
            Some("text/plain") | None if is_markdown_name => Self::of_markdown(bytes),
            None if bytes.trim_ascii_start().starts_with(b"<") => Self::of_html(bytes),
            _ => Self::default(),
        }
    }

    /// Reads HTML.
    pub(super) fn of_html(bytes: &[u8]) -> Self {
        let mut found = Self::default();
        for tag in Tags::new(bytes) {
            let href = tag.attribute("href").map(str::trim_ascii).unwrap_or_default();
            match tag.name {
                "base" if found.base.is_none() && !href.is_empty() => found.base = Some(href.to_owned()),
                "link" if found.markdown.is_none() && is_markdown_of(&tag) && !href.is_empty() => {
                    found.markdown = Some(href.to_owned());
                }
                "meta" => found.heed_meta(&tag),
                "a" | "area" if tag.has_word("rel", "nofollow") => found.add_unfollowed(href),
                "a" | "area" if !found.add(href) => break,
                _ => {}
            }
        }
        found
    }

    /// Reads Markdown.
    pub(super) fn of_markdown(bytes: &[u8]) -> Self {
        let mut found = Self::default();
        let text = String::from_utf8_lossy(bytes);
        let mut fence: Option<&str> = None;
        for line in text.lines() {
            let start = line.trim_start();
            let mark = ["```", "~~~"].into_iter().find(|mark| start.starts_with(mark));
            match (fence, mark) {
                (None, Some(mark)) => fence = Some(mark),
                (Some(open), Some(mark)) if open == mark => fence = None,
                (None, None) if !found.add_markdown_line(line) => break,
                _ => {}
            }
        }
        found
    }

    /// Where the links of this page start from.
    pub(super) fn base(&self, page: &PageAddress) -> PageAddress {
        self.base.as_deref().and_then(|base| page.join(base).ok()).unwrap_or_else(|| page.clone())
    }

    /// The links, resolved, in their order; those that are no addresses of pages are left out.
    pub(super) fn resolved(&self, page: &PageAddress) -> impl Iterator<Item = PageAddress> {
        let base = self.base(page);
        self.links.iter().filter_map(move |link| base.join(link).ok())
    }

    /// The links that the page asks not to follow: all of them, or some.
    pub(super) fn unfollowed(&self, page: &PageAddress) -> impl Iterator<Item = PageAddress> {
        let base = self.base(page);
        let all = if self.is_nofollow { self.links.as_slice() } else { &[] };
        self.unfollowed.iter().chain(all).filter_map(move |link| base.join(link).ok())
    }

    /// `X-Robots-Tag` says the same as `<meta name="robots">`.
    pub(super) fn heed_header(&mut self, headers: &HeaderMap) {
        if let Some(said) = header(headers, "x-robots-tag") {
            let (agent, words) = said.split_once(':').unwrap_or(("*", &said));
            if agent == "*" || agent.trim().eq_ignore_ascii_case("docent") {
                self.heed(words);
            }
        }
    }

    fn heed_meta(&mut self, tag: &Tag) {
        let name = tag.attribute("name").unwrap_or_default();
        if name.eq_ignore_ascii_case("robots") || name.eq_ignore_ascii_case("docent") {
            self.heed(tag.attribute("content").unwrap_or_default());
        }
    }

    fn heed(&mut self, words: &str) {
        for word in words.split([',', ' ']) {
            self.is_noindex |= ["noindex", "none"].iter().any(|known| word.eq_ignore_ascii_case(known));
            self.is_nofollow |= ["nofollow", "none"].iter().any(|known| word.eq_ignore_ascii_case(known));
        }
    }

    fn add_unfollowed(&mut self, href: &str) {
        if self.unfollowed.len() < MOST_UNFOLLOWED && !href.is_empty() {
            self.unfollowed.push(href.to_owned());
        }
    }

    /// Keeps a link; `false` when there is no more room.
    fn add(&mut self, href: &str) -> bool {
        let other_scheme = ["mailto:", "javascript:", "tel:", "data:"];
        let is_other = other_scheme
            .iter()
            .any(|scheme| href.get(..scheme.len()).is_some_and(|start| start.eq_ignore_ascii_case(scheme)));
        if href.is_empty() || href.starts_with('#') || is_other {
            return true;
        }
        if self.links.len() >= MOST_LINKS || self.bytes + href.len() > MOST_BYTES {
            self.is_cut = true;
            return false;
        }
        self.bytes += href.len();
        self.links.push(href.to_owned());
        true
    }

    /// `[text](target "title")`, `[label]: target` and `<https://…>`; not images.
    fn add_markdown_line(&mut self, line: &str) -> bool {
        let definition = line.trim_start().split_once("]: ");
        if let Some((label, target)) = definition.filter(|(label, _)| label.starts_with('['))
            && !label.contains("](")
        {
            return markdown_target(target.trim_start()).is_none_or(|(target, _)| self.add(target));
        }
        let mut rest = line;
        while let Some(at) = rest.find(['<', ']']) {
            let (before, from) = rest.split_at_checked(at).unwrap_or_default();
            let found = if let Some(from) = from.strip_prefix("](") {
                markdown_target(from.trim_start())
            } else if from.starts_with("<http") {
                markdown_target(from)
            } else {
                rest = from.get(1..).unwrap_or_default();
                continue;
            };
            let is_image = before.rsplit_once('[').is_some_and(|(before, _)| before.ends_with('!'));
            // What does not end soon is no address, and nothing behind it is either.
            let Some((target, behind)) = found else { return true };
            if !is_image && !self.add(target) {
                return false;
            }
            rest = behind;
        }
        true
    }
}

fn is_markdown_of(tag: &Tag) -> bool {
    let kind = tag.attribute("type").unwrap_or_default();
    let kind = kind.split(';').next().unwrap_or_default().trim();
    tag.has_word("rel", "alternate") && kind.eq_ignore_ascii_case("text/markdown")
}

/// The address at the beginning of the text, in angle brackets or up to a space or the parenthesis that closes it, and what
/// comes behind it; `None` if it does not end within the length of an address.
fn markdown_target(text: &str) -> Option<(&str, &str)> {
    let mut depth = 0usize;
    let (inner, is_bracketed) = text.strip_prefix('<').map_or((text, false), |inner| (inner, true));
    for (at, letter) in inner.char_indices().take_while(|(at, _)| *at <= LONGEST_TARGET) {
        let is_end = match letter {
            '>' => is_bracketed,
            _ if is_bracketed => false,
            '(' => {
                depth += 1;
                false
            }
            ')' if depth > 0 => {
                depth -= 1;
                false
            }
            ')' => true,
            _ => letter.is_whitespace(),
        };
        if is_end {
            return inner.split_at_checked(at);
        }
    }
    (!is_bracketed && inner.len() <= LONGEST_TARGET).then_some((inner, ""))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn html(page: &str, expected: &[&str]) {
        check(&PageLinks::of_html(page.as_bytes()), expected);
    }

    fn markdown(page: &str, expected: &[&str]) {
        check(&PageLinks::of_markdown(page.as_bytes()), expected);
    }

    /// Links as they are resolved on one page.
    fn check(links: &PageLinks, expected: &[&str]) {
        let page = PageAddress::parse("https://x.org/docs/a?q").unwrap();
        let found: Vec<String> = links.resolved(&page).map(|link| link.to_string()).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn links_of_html_are_resolved() {
        html("<a href=b><area href='../c#d'>", &["https://x.org/docs/b", "https://x.org/c"]);
        html("<a href=' /b '><a href='?r'>", &["https://x.org/b", "https://x.org/docs/a?r"]);
        html("<a href=//y.org><a href=#top><a>", &["https://y.org/"]);
        html("<a href=mailto:x@y.org><a href=JavaScript:x()><a href=ftp://x.org/>", &[]);
        html("<a href='https://u:p@x.org/'><a href='a\nb'><a href='a\\b'>", &[]);
        html("<base href='/v2/'><a href=b>", &["https://x.org/v2/b"]);
        html("<a href=b><base href='http://127.0.0.1/'><base href=/c>", &["http://127.0.0.1/b"]);
    }

    #[test]
    fn what_a_page_says_about_its_links_is_heeded() {
        html("<a href=b rel='x NoFollow'><a href=c rel=next>", &["https://x.org/docs/c"]);
        let said = |page: &str| {
            let links = PageLinks::of_html(page.as_bytes());
            (links.is_noindex, links.is_nofollow)
        };
        assert_eq!(said("<meta name=robots content='NoIndex, follow'>"), (true, false));
        assert_eq!(said("<META NAME=docent CONTENT=none>"), (true, true));
        assert_eq!(said("<meta name=googlebot content=none>"), (false, false));
        let mut headers = HeaderMap::new();
        headers.insert("x-robots-tag", "docent: nofollow".parse().unwrap());
        let mut links = PageLinks::default();
        links.heed_header(&headers);
        assert!(links.is_nofollow && !links.is_noindex);
    }

    #[test]
    fn the_markdown_of_a_page_is_found() {
        let found = |page: &str| PageLinks::of_html(page.as_bytes()).markdown;
        let link = "<link rel=alternate type='text/markdown; charset=utf-8' href=/a.md>";
        assert_eq!(found(link).as_deref(), Some("/a.md"));
        assert_eq!(found("<link rel=alternate type=application/rss+xml href=/feed>"), None);
        assert_eq!(found("<link rel=stylesheet type=text/markdown href=/a.md>"), None);
    }

    #[test]
    fn links_of_markdown_are_found() {
        markdown(
            "a [b](b.md) [c](<c d.md>) [e](/e \"title\")",
            &["https://x.org/docs/b.md", "https://x.org/e"],
        );
        markdown(
            "[f](f(1).md), <https://y.org/g> and ![image](i.png)",
            &["https://x.org/docs/f(1).md", "https://y.org/g"],
        );
        markdown("[h]: ../h.md 'title'\n[i]:x", &["https://x.org/h.md"]);
        markdown("```\n[b](b.md)\n```\n~~~\n[c](c.md)\n", &[]);
        markdown("[ü](ü.md)", &["https://x.org/docs/%C3%BC.md"]);
    }

    #[test]
    fn a_page_with_a_million_links_stays_bounded() {
        let page = "<a href=x>".repeat(1_000_000);
        let links = PageLinks::of_html(page.as_bytes());
        assert!(links.is_cut);
        assert_eq!(links.links.len(), MOST_LINKS);
        for unit in ["](<", "](", "<http", "[a]: ", "](("] {
            let links = PageLinks::of_markdown(unit.repeat(1_000_000).as_bytes());
            assert!(links.links.len() <= MOST_LINKS);
        }
    }
}
