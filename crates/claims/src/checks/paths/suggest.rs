//! What to write instead of a path or an anchor that is gone.

use std::collections::HashSet;

use super::{Query, anchors, folder};
use crate::history::{from_site_root, in_its_place, is_telling};
use crate::{Claim, Entry, Link, Subject, Suggestion, World};

pub(super) fn suggest(claim: &Claim, file: &str, now: &World, then: &World) -> Option<Suggestion> {
    let Subject::Path { target, anchor, lines, link } = &claim.subject else { return None };
    match (anchor, lines) {
        (Some(anchor), _) => another_anchor(claim, target, anchor, *link, file, [now, then]),
        (None, Some(_)) => None,
        (None, None) => another_path(claim, target, *link, file, now, then),
    }
}

/// The same content somewhere else, or the only file of that name.
fn another_path(
    claim: &Claim,
    target: &str,
    link: Link,
    file: &str,
    now: &World,
    then: &World,
) -> Option<Suggestion> {
    let old = Query { target, link, file, world: then }.find();
    let name = target.trim_end_matches('/').rsplit('/').next()?;
    let moved = old.as_deref().and_then(|old| same_content(now, then, old));
    let namesake = || match now.named(name) {
        // One that stood beside it is not what it became.
        [only] if then.entry(only).is_none() && has_some_of(only, old.as_deref(), now, then) => {
            Some(only.as_str())
        }
        _ => None,
    };
    let (found, is_certain, reason) = match moved {
        Some(path) => (path, true, "the same content is there now".to_owned()),
        None => match namesake() {
            Some(path) => (path.to_owned(), false, format!("the only `{name}` in the repository")),
            None => {
                let path = of_another_ending(old.as_deref()?, now, then)?;
                (path, false, "the same name with another ending".to_owned())
            }
        },
    };
    let replacement = match in_its_place(claim, old.as_deref().unwrap_or_default(), &found) {
        Some(replacement) => replacement?,
        None => written_as(&claim.named, &found, old.as_deref(), link, file)?,
    };
    (replacement != claim.named).then_some(Suggestion { replacement, is_certain, reason })
}

/// Whether a folder has one of the files that another one had; of files nothing is asked.
fn has_some_of(new: &str, old: Option<&str>, now: &World, then: &World) -> bool {
    let Some(old) = old.filter(|old| then.entry(old) == Some(Entry::Folder)) else { return true };
    let inside = format!("{old}/");
    then.files()
        .filter_map(|file| file.strip_prefix(&inside))
        .any(|rest| now.entry(&format!("{new}/{rest}")).is_some())
}

/// What a file became whose language changed: `guide.md` → `guide.mdx`, `eslint.config.js` → `eslint.config.mjs`.
fn of_another_ending(old: &str, now: &World, then: &World) -> Option<String> {
    const KINDS: [&[&str]; 4] = [
        &["adoc", "markdown", "md", "mdx", "rst"],
        &["cjs", "cts", "js", "jsx", "mjs", "mts", "ts", "tsx"],
        &["json", "json5", "jsonc", "toml", "yaml", "yml"],
        &["htm", "html"],
    ];
    let (stem, ending) = old.rsplit_once('.')?;
    let kind = KINDS.into_iter().find(|kind| kind.contains(&ending))?;
    let mut found = kind
        .iter()
        .map(|ending| format!("{stem}.{ending}"))
        .filter(|path| now.entry(path).is_some() && then.entry(path).is_none());
    found.next().filter(|_| found.next().is_none())
}

/// The only new path with the content that a path had. Two empty or tiny files are alike by chance, and which of several with
/// one content went where, nobody can tell.
pub(in crate::checks) fn same_content(now: &World, then: &World, old: &str) -> Option<String> {
    let id = then.content(old)?;
    let mut found =
        now.files().filter(|path| now.content(path) == Some(id) && then.content(path) != Some(id));
    let first = found.next()?.to_owned();
    if then.files().any(|path| path != old && then.content(path) == Some(id)) {
        return None;
    }
    let is_empty = then.read(old).is_none_or(|bytes| bytes.is_empty());
    (found.next().is_none() && !is_empty && is_telling(then, old, &first)).then_some(first)
}

/// A path in the style of the one that it replaces.
fn written_as(named: &str, found: &str, old: Option<&str>, link: Link, file: &str) -> Option<String> {
    let is_folder = named.ends_with('/');
    let from_page = !named.starts_with('/')
        && (matches!(link, Link::Link | Link::Image) || named.starts_with('.'))
        && old != Some(named.trim_start_matches("./"));
    let path = if named.starts_with('/') {
        from_site_root(named, old?, found)?
    } else if from_page && !folder(file).is_empty() {
        relative(folder(file), found)
    } else if named.starts_with("./") {
        format!("./{found}")
    } else {
        found.to_owned()
    };
    let path = if matches!(link, Link::Link | Link::Image) { path.replace(' ', "%20") } else { path };
    Some(if is_folder { format!("{path}/") } else { path })
}

/// The way from a folder to a path.
fn relative(from: &str, to: &str) -> String {
    let from: Vec<&str> = from.split('/').collect();
    let to: Vec<&str> = to.split('/').collect();
    let shared = from.iter().zip(&to).take_while(|(a, b)| a == b).count();
    let up = std::iter::repeat_n("..", from.len() - shared);
    up.chain(to[shared..].iter().copied()).collect::<Vec<_>>().join("/")
}

/// The heading that shares most words with the one that is gone.
fn another_anchor(
    claim: &Claim,
    target: &str,
    anchor: &str,
    link: Link,
    file: &str,
    [now, then]: [&World; 2],
) -> Option<Suggestion> {
    let page = |world: &World| {
        let path =
            if target.is_empty() { file.to_owned() } else { Query { target, link, file, world }.find()? };
        world.facts::<anchors::PageFacts>(&anchors::page_of(&path, world)?)
    };
    let (facts, before) = (page(now)?, page(then));
    // A heading that stood beside it is not what it became.
    let is_new = |slug: &&String| before.as_ref().is_none_or(|before| !before.slugs.contains(slug));
    let wanted = words(anchor);
    let mut best: Option<(usize, &String)> = None;
    let mut is_tied = false;
    for slug in facts.slugs.iter().filter(is_new) {
        let known = words(slug);
        let shared = known.intersection(&wanted).count();
        // Parts in hundred that both have.
        let score = 200 * shared / (known.len() + wanted.len()).max(1);
        if score < 50 {
            continue;
        }
        match best {
            Some((known, _)) if known == score => is_tied = true,
            Some((known, _)) if known > score => {}
            _ => {
                best = Some((score, slug));
                is_tied = false;
            }
        }
    }
    let (_, slug) = best.filter(|_| !is_tied)?;
    let (before, _) = claim.named.split_once('#')?;
    let replacement = format!("{before}#{slug}");
    Some(Suggestion { replacement, is_certain: false, reason: "the heading that is closest".to_owned() })
}

fn words(anchor: &str) -> HashSet<String> {
    anchor
        .to_lowercase()
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(str::to_owned)
        .collect()
}
