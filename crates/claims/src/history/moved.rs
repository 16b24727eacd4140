//! What to write for a path that was moved.

use crate::{Claim, Link, Subject, Suggestion};

/// The text in place of a path claim whose target `from` (as it resolved in the document `file_then`) is `to` now, in the
/// manner in which the document names it. `commit` is the subject of the one that moved it.
pub(crate) fn replacement(
    claim: &Claim,
    file_then: &str,
    from: &str,
    to: &str,
    commit: Option<&str>,
) -> Option<Suggestion> {
    let Subject::Path { target, link, .. } = &claim.subject else { return None };
    let reason = match commit {
        Some(subject) => format!("it was moved to `{to}` in \"{subject}\""),
        None => format!("it was moved to `{to}`, which is not committed"),
    };
    if let Some(replacement) = in_its_place(claim, from, to) {
        return replacement.map(|replacement| Suggestion { replacement, is_certain: true, reason });
    }
    let folder = |file: &str| file.rsplit_once('/').map_or(String::new(), |(folder, _)| folder.to_owned());
    let plain = target.trim_end_matches('/');
    let is_from = |path: &str| {
        path == from || from.strip_prefix(path).is_some_and(|rest| matches!(rest, ".md" | ".mdx"))
    };
    let relative = crate::world::joined(&folder(file_then), plain).filter(|path| is_from(path));
    // A name that was written from some folder, and lies there still under another name, is written from it again.
    let within = from.strip_suffix(plain.trim_start_matches("./")).filter(|within| within.ends_with('/'));
    let new = if plain.starts_with('/') {
        from_site_root(plain, from, to)?
    } else if let (None, Some(below)) = (&relative, within.and_then(|within| to.strip_prefix(within))) {
        let dot = if plain.starts_with("./") { "./" } else { "" };
        format!("{dot}{below}")
    } else if relative.is_some() || matches!(link, Link::Link | Link::Image) && plain.starts_with("../") {
        // Also a link that a site resolved in its own way is written from its page.
        let new = relative_path(&folder(&claim.file), to);
        if plain.starts_with('.') && !new.starts_with('.') { format!("./{new}") } else { new }
    } else if plain.starts_with("./") {
        // A shell does not find what stands here without the dot.
        format!("./{to}")
    } else {
        to.to_owned()
    };
    // A link without an ending stays one.
    let has_ending = |path: &str| path.ends_with(".md") || path.ends_with(".mdx");
    let new = match new.strip_suffix(".mdx").or_else(|| new.strip_suffix(".md")) {
        Some(short) if has_ending(from) && !has_ending(plain) => short.to_owned(),
        _ => new,
    };
    let new = match link {
        Link::Link | Link::Image => crate::world::encoded(&new),
        _ => new,
    };
    let mut places = claim.named.match_indices(plain);
    let (at, _) = places.next().filter(|_| places.next().is_none())?;
    let (before, rest) = claim.named.split_at(at);
    let replacement = format!("{before}{new}{}", rest.strip_prefix(plain)?);
    (replacement != claim.named).then_some(Suggestion { replacement, is_certain: true, reason })
}

/// The address of `to` on the site on which `from` has the address `plain`: its pages may begin in any folder. `None` where
/// that folder cannot be told, or does not hold `to`.
pub(crate) fn from_site_root(plain: &str, from: &str, to: &str) -> Option<String> {
    let address = plain.trim_matches('/');
    let stem = from.strip_suffix(".mdx").or_else(|| from.strip_suffix(".md")).unwrap_or(from);
    let root = [from, stem].iter().find_map(|path| path.strip_suffix(address))?;
    let is_whole = root.is_empty() || root.ends_with('/');
    to.strip_prefix(root).filter(|_| is_whole).map(|path| format!("/{path}"))
}

/// What stands for a path whose place allows nothing but a part of it: the name in a drawing, and behind `cd` the way from
/// there. `None` where the whole path may be written; nothing inside where none fits.
pub(crate) fn in_its_place(claim: &Claim, from: &str, to: &str) -> Option<Option<String>> {
    let Subject::Path { target, link, .. } = &claim.subject else { return None };
    let new = match link {
        Link::Tree => {
            let folder = |path: &str| path.rsplit_once('/').map_or(0, |(folder, _)| folder.len());
            let is_beside = from.get(..folder(from)) == to.get(..folder(to));
            is_beside.then(|| to.rsplit('/').next().unwrap_or(to).to_owned())
        }
        Link::Argument => {
            let named = claim.named.trim_start_matches("./");
            let within = target.trim_start_matches("./").strip_suffix(named).filter(|it| !it.is_empty())?;
            let dot = if claim.named.starts_with("./") { "./" } else { "" };
            to.strip_prefix(within).map(|below| format!("{dot}{below}"))
        }
        _ => return None,
    };
    Some(new.filter(|new| *new != claim.named))
}

/// A path from a folder to a file, both from the root.
fn relative_path(folder: &str, to: &str) -> String {
    let folder: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
    let to: Vec<&str> = to.split('/').collect();
    let shared = folder.iter().zip(&to).take_while(|(one, other)| one == other).count().min(to.len() - 1);
    let up = std::iter::repeat_n("..", folder.len() - shared);
    up.chain(to.into_iter().skip(shared)).collect::<Vec<_>>().join("/")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ClaimType, Cues};

    fn check(file: &str, named: &str, target: &str, from: &str, to: &str, expected: Option<&str>) {
        check_as(Link::Link, [file, named, target, from, to], expected);
    }

    fn check_as(link: Link, [file, named, target, from, to]: [&str; 5], expected: Option<&str>) {
        let claim = Claim {
            file: file.to_owned(),
            line: 1,
            end_line: 1,
            span: 0..0,
            section_heading: None,
            claim_type: ClaimType::PathReference,
            kind: "link".to_owned(),
            named: named.to_owned(),
            text: String::new(),
            subject: Subject::Path { target: target.to_owned(), anchor: None, lines: None, link },
            cues: Cues::default(),
            source: None,
            again: Vec::new(),
        };
        let found =
            replacement(&claim, file, from, to, Some("move")).map(|suggestion| suggestion.replacement);
        assert_eq!(found.as_deref(), expected, "{file} {named}");
    }

    #[test]
    fn a_command_names_a_file_from_where_it_runs() {
        let moved = |to| ["a.md", "./run.sh", "tools/run.sh", "tools/run.sh", to];
        check_as(Link::Argument, moved("tools/sub/run.sh"), Some("./sub/run.sh"));
        check_as(Link::Argument, moved("lib/run.sh"), None);
        check_as(
            Link::Argument,
            ["a.md", "./run.sh", "./run.sh", "run.sh", "lib/run.sh"],
            Some("./lib/run.sh"),
        );
    }

    #[test]
    fn what_is_run_from_the_root_keeps_its_dot() {
        let moved = |named| ["docs/a.md", named, named, "run.sh", "start.sh"];
        check_as(Link::Argument, moved("./run.sh"), Some("./start.sh"));
        check_as(Link::Span, moved("./run.sh"), Some("./start.sh"));
        check_as(Link::Span, moved("run.sh"), Some("start.sh"));
        let within = |named, to| ["docs/a.md", named, named, "services/pds/run.js", to];
        check_as(Link::Argument, within("run.js", "services/pds/run.ts"), Some("run.ts"));
        check_as(Link::Span, within("pds/run.js", "services/pds/sub/run.js"), Some("pds/sub/run.js"));
        check_as(Link::Span, within("pds/run.js", "other/run.js"), Some("other/run.js"));
    }

    #[test]
    fn a_moved_path_is_named_as_before() {
        check("docs/a.md", "./b.md", "./b.md", "docs/b.md", "docs/c.md", Some("./c.md"));
        check("docs/a.md", "b.md#x", "b.md", "docs/b.md", "guide/c.md", Some("../guide/c.md#x"));
        check("docs/a.md", "src/x.rs:12", "src/x.rs", "src/x.rs", "lib/x.rs", Some("lib/x.rs:12"));
        check("README.md", "src/", "src/", "src", "crates/core/src", Some("crates/core/src/"));
        check("docs/a.md", "/docs/b.md", "/docs/b.md", "docs/b.md", "docs/c.md", Some("/docs/c.md"));
        check("docs/a.md", "/guide/b", "/guide/b", "docs/guide/b.md", "docs/use/c.md", Some("/use/c"));
        check("docs/a.md", "/guide/b", "/guide/b", "docs/guide/b.md", "other/c.md", None);
        check("docs/a.md", "/v2/guide/b", "/v2/guide/b", "docs/guide/b.md", "docs/guide/c.md", None);
        check("docs/a.md", "./b", "./b", "docs/b.md", "docs/c.md", Some("./c"));
        check("docs/a.md", "x.rs", "x.rs", "src/deep/x.rs", "src/y.rs", Some("src/y.rs"));
        check("docs/deep/a.md", "../b.md", "../b.md", "docs/b.md", "docs/c.md", Some("../c.md"));
        // A component's import needs the dot.
        check("docs/deep/a.mdx", "../b.mdx", "../b.mdx", "docs/b.mdx", "docs/deep/c.mdx", Some("./c.mdx"));
        check("docs/a.md", "b.md", "b.md", "docs/b.md", "docs/c d #1.md", Some("c%20d%20%231.md"));
    }
}
