//! What the first lines of a page say about the page: that it is generated, outdated, or for one version; and what it is
//! called.

use super::hyphenated;

/// Whether a program is said to write the page.
pub(super) fn says_generated(head: &str) -> bool {
    let head = head.to_lowercase();
    let is_comment = head.find("generated").is_some_and(|at| head[..at].rfind("<!--").is_some());
    head.contains("@generated")
        || (is_comment && (head.contains("do not edit") || head.contains("do not modify")))
}

/// "This document is for v1 only": it says so in its first lines.
pub(super) fn is_of_version(head: &str) -> bool {
    head.lines().take(15).any(|line| {
        let mut words = line.split(|c: char| c.is_whitespace() || matches!(c, '*' | '_' | '.'));
        let is_number = |word: &str| {
            word.strip_prefix('v')
                .is_some_and(|rest| !rest.is_empty() && rest.bytes().all(|b| b.is_ascii_digit()))
        };
        words.any(|word| word == "for") && words.any(is_number) && words.next() == Some("only")
    })
}

/// "Snapshot: 2026-04-30", "derived from commit 499283a": it was taken once, and is about that day.
pub(super) fn is_taken_once(head: &str) -> bool {
    head.lines().take(15).any(|line| {
        let line = line.to_lowercase().replace(['*', '_', '`'], "");
        let line = line.trim_start_matches(['>', '-', ' ']);
        let is_dated =
            |rest: &str| rest.trim_start_matches([':', ' ']).get(..10).is_some_and(super::is_dated);
        let of_commit = ["derived from commit", "generated from commit", "written against commit"];
        let is_commit = |rest: &str| {
            let id = rest.trim_start_matches([':', ' ']);
            id.bytes().take_while(u8::is_ascii_hexdigit).count() >= 7
        };
        ["snapshot", "snapshot date", "snapshot taken"]
            .iter()
            .any(|word| line.strip_prefix(word).is_some_and(is_dated))
            || of_commit.iter().any(|says| line.split_once(says).is_some_and(|(_, rest)| is_commit(rest)))
    })
}

/// Whether the first words below the title say that all of it is deprecated, or that it is kept up elsewhere.
pub(super) fn is_deprecated(head: &str) -> bool {
    const SAYS: &[&str] = &[
        "historical design",
        "historical document",
        "is outdated",
        "is out of date",
        "no longer describes",
        "no longer maintained",
        "superseded",
        "up-to-date version",
        "up to date version",
    ];
    let mut lines = head.lines().skip_while(|line| !line.starts_with("# ")).skip(1);
    let first = lines.clone().find(|line| line.chars().any(char::is_alphanumeric)).unwrap_or_default();
    let first = first.trim_start_matches(|c: char| !c.is_alphabetic()).to_lowercase();
    let is_marked = lines.clone().take(6).any(|line| line.starts_with(['>', ':', '!']))
        && lines.by_ref().take(6).any(|line| SAYS.iter().any(|says| line.to_lowercase().contains(says)));
    let title = head.lines().find_map(|line| line.strip_prefix("# ")).unwrap_or_default().to_lowercase();
    let is_titled = ["out of date", "out-of-date", "outdated"];
    let is_legacy = |title: &String| {
        ["(archived", "(deprecated", "(legacy", "(obsolete", "(outdated"]
            .iter()
            .any(|says| title.contains(says))
    };
    is_marked
        || titles(head).iter().any(is_legacy)
        || is_titled.iter().any(|says| title.contains(says))
        || ["deprecated ", "deprecated:", "deprecated*"].iter().any(|start| first.starts_with(start))
}

/// The front matter of a page, as keys and values, and the lines below it. In TOML (`+++`) as in YAML (`---`).
fn matter(head: &str) -> (Vec<(&str, &str)>, impl Iterator<Item = &str>) {
    let mut lines = head.trim_start_matches('\u{feff}').lines().map(str::trim_end).peekable();
    let mut keys = Vec::new();
    if let Some(mark) = lines.next_if(|line| matches!(*line, "---" | "+++")) {
        let separator = if mark == "+++" { '=' } else { ':' };
        keys.extend(
            lines
                .by_ref()
                .take_while(|line| *line != mark)
                .filter_map(|line| line.split_once(separator))
                // What starts with `#` there is a comment.
                .filter(|(key, _)| !key.starts_with('#'))
                .map(|(key, value)| (key.trim_end(), value.trim().trim_matches(['"', '\'']))),
        );
    }
    (keys, lines)
}

/// Whether the front matter says that the page is not published yet.
pub(super) fn is_draft(head: &str) -> bool {
    matter(head).0.iter().any(|it| matches!(it, ("draft", "true") | ("published", "false")))
}

/// Whether the front matter describes the page as the notes on a release.
pub(super) fn is_release(head: &str) -> bool {
    let is_such = |(key, value): &(&str, &str)| {
        *key == "description" && value.trim_end_matches('.').to_lowercase().ends_with("release notes")
    };
    matter(head).0.iter().any(is_such)
}

/// Whether a generator of clients wrote the page: it is made anew, and often thrown together with what it links to.
pub(super) fn is_of_client(head: &str) -> bool {
    const GENERATORS: &[&str] =
        &["OpenAPI Generator](", "OpenAPI-Generator](", "Swagger Codegen](", "Kiota]("];
    head.contains("enerated by") && GENERATORS.iter().any(|name| head.contains(name))
}

/// The title in the front matter and the first heading, as names would be written.
pub(super) fn titles(head: &str) -> Vec<String> {
    let (keys, mut lines) = matter(head);
    let mut titles: Vec<&str> =
        keys.into_iter().filter(|(key, _)| *key == "title").map(|(_, title)| title).collect();
    let mut is_fence = false;
    titles.extend(lines.find_map(|line| {
        is_fence ^= line.trim_start().starts_with("```") || line.trim_start().starts_with("~~~");
        line.strip_prefix("# ").filter(|_| !is_fence)
    }));
    let name = |title: &&str| hyphenated(&title.trim().to_lowercase().replace(['\'', '’', '"'], ""));
    titles.iter().map(name).collect()
}
