//! Files, folders, anchors and lines that a document names.
//!
//! A name is looked up from the document's folder, from the root, as a page of a site, and, outside of links, as the end of
//! a path. Only what has the shape of this repository's own files can be missing; the rest (what is built, what git
//! ignores, what every project has) is not ours to judge.

mod anchors;
mod ignored;
mod query;
mod served;
mod site;
mod suggest;

use query::Query;

use crate::{Claim, Entry, Link, Outcome, Place, Subject, Suggestion, World};

pub(super) fn check(claim: &Claim, file: &str, world: &World) -> Outcome {
    let Subject::Path { target, anchor, lines, link } = &claim.subject else { return Outcome::NotOurs };
    let query = Query { target, link: *link, file, world };
    if target.is_empty() {
        return match anchor {
            Some(anchor) => anchors::check(anchor, file, world),
            None => Outcome::NotOurs,
        };
    }
    let found = query.find().or_else(|| below_another(claim, &query));
    match (found, anchor, lines) {
        (Some(found), None, None) => Outcome::valid(Place::of(found)),
        (Some(found), Some(anchor), _) => anchors::check(anchor, &found, world),
        (Some(found), None, Some(lines)) => query.in_range(&found, *lines),
        // The claim about the file itself says that it is gone.
        (None, Some(anchor), _) => match query.served_otherwise() {
            Some(served::Other::Page(page)) => anchors::check(anchor, &page, world),
            Some(served::Other::Made) | None => Outcome::NotOurs,
        },
        (None, _, Some(_)) => Outcome::NotOurs,
        (None, None, None) if is_somebodys(claim, target) => Outcome::NotOurs,
        (None, None, None) => match query.served_otherwise() {
            Some(served::Other::Page(page)) => Outcome::valid(Place::of(page)),
            None if query.is_ours() => Outcome::missing(query.looked()),
            Some(served::Other::Made) | None => Outcome::NotOurs,
        },
    }
}

pub(super) fn needles(claim: &Claim) -> Vec<String> {
    match &claim.subject {
        Subject::Path { anchor: Some(anchor), .. } => anchors::needles(anchor),
        _ => Vec::new(),
    }
}

pub(super) use ignored::is_ignored;
pub(super) use suggest::same_content;

pub(super) fn suggest(claim: &Claim, file: &str, now: &World, then: &World) -> Option<Suggestion> {
    suggest::suggest(claim, file, now, then)
}

/// Whether a link leads to where pages are made from data, so that nobody can tell which there are.
pub(super) fn is_made_from_data(claim: &Claim, file: &str, world: &World) -> bool {
    let Subject::Path { target, link, .. } = &claim.subject else { return false };
    let query = Query { target, link: *link, file, world };
    query.find().is_none() && matches!(query.served_otherwise(), Some(served::Other::Made))
}

/// A name without a folder that the reader is told to make, or that stands for any such file.
fn is_somebodys(claim: &Claim, target: &str) -> bool {
    let is_told = claim.cues.is_created || claim.cues.is_example;
    is_told
        && !target.trim_matches('/').contains('/')
        && matches!(&claim.subject, Subject::Path { link: Link::Span, .. })
}

/// What a path leads to from a folder that the same sentence names: `lib/a.ts` in `packages/core`.
fn below_another(claim: &Claim, query: &Query<'_>) -> Option<String> {
    if !matches!(query.link, Link::Span) || !query.target.contains('/') {
        return None;
    }
    let words =
        claim.text.split(|c: char| c.is_whitespace() || matches!(c, '`' | '(' | ')' | '[' | ']' | ','));
    let folders =
        words.filter(|word| word.contains('/')).filter_map(|word| join("", word.trim_matches(['/', ':'])));
    let is_folder = |folder: &String| query.world.entry(folder) == Some(Entry::Folder);
    folders
        .filter(is_folder)
        .filter_map(|folder| join(&folder, query.target.trim_end_matches('/')))
        .find(|path| query.world.entry(path).is_some())
}

/// Whether a folder on a path holds what is only looked at by tests, or copied by readers.
fn is_aside(path: &str) -> bool {
    let is_such = |word: &str| {
        matches!(
            word,
            "demo"
                | "demos"
                | "e2e"
                | "example"
                | "examples"
                | "fixture"
                | "fixtures"
                | "mock"
                | "mocks"
                | "playground"
                | "playgrounds"
                | "sample"
                | "samples"
                | "snapshot"
                | "snapshots"
                | "template"
                | "templates"
                | "test"
                | "testdata"
                | "testing"
                | "tests"
                | "vendor"
        )
    };
    path.split(['/', '-', '_', '.']).any(is_such)
}

/// The folder of a path; empty at the root.
pub(super) fn folder(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

/// A path from a folder, without `.` and `..`; `None` when it leaves the repository.
pub(super) fn join(folder: &str, target: &str) -> Option<String> {
    let mut parts: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
    for part in target.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop()?;
            }
            part => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

/// How many components two paths share at their start.
pub(super) fn shared(one: &str, other: &str) -> usize {
    one.split('/').zip(other.split('/')).take_while(|(a, b)| a == b).count()
}

fn capitalised(name: &str) -> String {
    let mut chars = name.chars();
    chars.next().map_or_else(String::new, |first| first.to_uppercase().chain(chars).collect())
}
