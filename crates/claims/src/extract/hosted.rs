//! Files of a repository by the addresses at its host: `https://github.com/owner/name/blob/main/src/lib.rs`.
//!
//! They stand anywhere: in links, in commands that download a script, in front matter. The claim names the path alone, with
//! the slash in front of it, so that a suggestion replaces just that.

use super::page::Blocks;
use super::paths::percent_decoded;
use super::placeholders::is_placeholder;
use super::sink::Sink;
use crate::{ClaimType, Subject};

/// What an address starts with, and what stands between the repository and the branch.
const HOSTS: &[(&str, &[&str])] = &[
    ("github.com/", &["blob/", "tree/", "raw/", "edit/"]),
    ("raw.githubusercontent.com/", &["", "refs/heads/"]),
    ("gitlab.com/", &["-/blob/", "-/tree/", "-/raw/", "-/edit/"]),
    ("codeberg.org/", &["src/branch/", "raw/branch/"]),
];

/// What the line of work is called that documents are written for.
const BRANCHES: &[&str] = &["main", "master", "HEAD", "develop", "dev", "trunk", "next", "canary"];

/// Nothing longer is an address of a file.
const LONGEST: usize = 600;

pub(super) fn find(sink: &mut Sink<'_, '_>) {
    let page = sink.page;
    if !HOSTS.iter().any(|(host, _)| page.text.contains(host)) {
        return;
    }
    let blocks = Blocks::of(page);
    for (host, ways) in HOSTS {
        for (at, _) in page.text.match_indices(host) {
            let start = at + host.len();
            let is_address = page.text.get(..at).is_some_and(|before| before.ends_with("://"));
            if !is_address || is_commented(page.text, at) {
                continue;
            }
            let most = (start..page.text.len().min(start + LONGEST)).rev();
            let end = most.into_iter().find(|end| page.text.is_char_boundary(*end)).unwrap_or(start);
            let address = page.text.get(start..end).unwrap_or_default();
            let end = address.find(|c: char| c.is_whitespace() || "\"'`<>()[]{}|\\^*#?,;".contains(c));
            let address = address.get(..end.unwrap_or(address.len())).unwrap_or_default();
            let address = address.trim_end_matches(['.', ':', '!']);
            if let Some((repository, branch, path)) = ways.iter().find_map(|way| parts(address, way))
                && let Some(block) = page.piece_at(at).map(|piece| piece.block).or_else(|| blocks.holding(at))
            {
                let span = start + address.len() - path.len()..start + address.len();
                let path = percent_decoded(path.trim_matches('/'));
                let subject = Subject::Hosted { repository, branch, path };
                sink.add(span, block, ClaimType::PathReference, "url", subject);
            }
        }
    }
}

/// Whether a comment of HTML is open at a byte. Only the text right before it is looked at.
fn is_commented(text: &str, at: usize) -> bool {
    let from = (at.saturating_sub(LONGEST)..=at).find(|from| text.is_char_boundary(*from)).unwrap_or(at);
    let before = text.get(from..at).unwrap_or_default();
    before.rfind("<!--").is_some_and(|open| !before.get(open..).unwrap_or_default().contains("-->"))
}

/// The repository, the branch, and the path with the slash in front of it.
fn parts<'a>(address: &'a str, way: &str) -> Option<(String, String, &'a str)> {
    let mut slashes = address.match_indices('/').map(|(at, _)| at);
    let owner = slashes.next()?;
    let name = slashes.next()?;
    let rest = address.get(name + 1..)?.strip_prefix(way)?;
    let (branch, path) = rest.split_at(rest.find('/')?);
    let is_path = path.len() > 1 && path.len() < 300 && !is_placeholder(path.trim_matches('/'));
    let is_named = owner > 0 && name > owner + 1;
    (is_named && is_path && BRANCHES.contains(&branch))
        .then(|| (address[..name].to_owned(), branch.to_owned(), path))
}

#[cfg(test)]
mod tests {
    use crate::{Subject, extract};

    fn check(text: &str, expected: &[(&str, &str, &str)]) {
        let claims = extract("docs/a.md", text);
        let mut found = Vec::new();
        for claim in claims.iter().filter(|claim| claim.kind == "url") {
            assert_eq!(text.get(claim.span.clone()), Some(claim.named.as_str()));
            let Subject::Hosted { repository, path, .. } = &claim.subject else { panic!("{claim:?}") };
            found.push((repository.as_str(), path.as_str(), claim.named.as_str()));
        }
        assert_eq!(found, expected, "{text}");
    }

    #[test]
    fn files_by_their_addresses_at_the_host() {
        check("See [it](https://github.com/o/n/blob/main/src/a.rs#L3).", &[("o/n", "src/a.rs", "/src/a.rs")]);
        check("<https://github.com/o/n/tree/master/docs/>.", &[("o/n", "docs", "/docs/")]);
        check(
            "```sh\ncurl -fsSL https://raw.githubusercontent.com/o/n/main/install.sh | sh\n```\n",
            &[("o/n", "install.sh", "/install.sh")],
        );
        check("At https://gitlab.com/o/n/-/blob/main/a%20b.md, or", &[("o/n", "a b.md", "/a%20b.md")]);
    }

    #[test]
    fn other_addresses_are_no_files_of_a_branch() {
        for address in [
            "https://github.com/o/n",
            "https://github.com/o/n/blob/main",
            "https://github.com/o/n/blob/v1.2.0/src/a.rs",
            "https://github.com/o/n/blob/0123456789abcdef/src/a.rs",
            "https://github.com/o/n/issues/12",
            "https://github.com/o/n/blob/main/<path>",
            "https://github.com/o/n/blob/main/path/to/x.rs",
            "mygithub.com/o/n/blob/main/src/a.rs",
            "<!-- https://github.com/o/n/blob/main/src/a.rs -->",
        ] {
            check(&format!("See {address} there."), &[]);
        }
    }
}
