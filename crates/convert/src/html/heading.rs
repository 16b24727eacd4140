//! What a page is called: the one heading that stands above its content, else the title of the window without the name of the site.

use super::content::is_noise;
use super::tree::{Node, Tree};

/// How many headings are looked at; pages have one or two of the first rank.
const MOST_HEADINGS: usize = 20;

/// Words that the name of a site has at most, if the page does not tell it and its title is not longer.
const SITE_WORDS: usize = 3;

/// What stands between the title of a page and the name of its site.
const SEPARATORS: [&str; 6] = [" - ", " | ", " — ", " – ", " · ", " :: "];

/// The heading of a page that stands outside of its content, if there is exactly one and the content has none of that rank.
pub(super) fn above<'a>(page: &'a Tree, content: Node<'a>) -> Option<Node<'a>> {
    if has_own(content) {
        return None;
    }
    let mut found = headings(page.root());
    found.next().filter(|_| found.next().is_none())
}

/// Whether the content has a heading of the first rank.
pub(super) fn has_own(content: Node<'_>) -> bool {
    headings(content).next().is_some()
}

/// Headings of the first rank that a reader sees as part of the page.
fn headings(node: Node<'_>) -> impl Iterator<Item = Node<'_>> {
    let found = node.descendants().filter(|node| node.is("h1")).take(MOST_HEADINGS);
    found.filter(|heading| {
        !heading.text_below().trim().is_empty() && !is_noise(*heading) && !heading.is_below(is_noise)
    })
}

/// The title of the window, without the name of the site.
pub(super) fn of_window(page: &Tree) -> Option<String> {
    let title = page.find("title")?.text_below();
    let title = title.split_whitespace().collect::<Vec<_>>().join(" ");
    let title = without_site(&title, site(page));
    (!title.is_empty()).then(|| title.to_owned())
}

/// What the page says its site is called.
fn site(page: &Tree) -> Option<&str> {
    let metas = page.root().descendants().filter(|node| node.is("meta"));
    let mut named = metas.filter(|meta| {
        meta.attribute("property") == Some("og:site_name")
            || meta.attribute("name") == Some("application-name")
    });
    named.find_map(|meta| meta.attribute("content")).map(str::trim).filter(|site| !site.is_empty())
}

/// A title without its last part, if that is the name of the site: as the page says, or because it is
/// as short as such names are.
fn without_site<'a>(title: &'a str, site: Option<&str>) -> &'a str {
    let last = SEPARATORS.iter().filter_map(|separator| title.rsplit_once(separator));
    let Some((rest, end)) = last.min_by_key(|(_, end)| end.len()) else { return title };
    let is_site = match site {
        Some(site) => end.trim().eq_ignore_ascii_case(site),
        None => end.split(' ').count() <= SITE_WORDS || end.len() < rest.len(),
    };
    if is_site && !rest.trim().is_empty() { rest.trim() } else { title }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_of_the_site_is_no_part_of_the_title() {
        let check = |title: &str, site: Option<&str>, expected: &str| {
            assert_eq!(without_site(title, site), expected);
        };
        for separator in SEPARATORS {
            check(&format!("Whales and dolphins{separator}Sea"), None, "Whales and dolphins");
            check(&format!("Whales{separator}The open sea"), Some("The Open Sea"), "Whales");
            check(&format!("Whales{separator}part 2"), Some("Sea"), &format!("Whales{separator}part 2"));
        }
        check("Whales - part 2 - Sea", None, "Whales - part 2");
        check("Whales | part 2 - Sea", None, "Whales | part 2");
        check("RFC 2119 - Key words for use", None, "RFC 2119 - Key words for use");
        check("Whale - The free encyclopedia", None, "Whale");
        check("Whales", Some("Whales"), "Whales");
        check("well-known", None, "well-known");
        check("", None, "");
    }
}
