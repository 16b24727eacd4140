//! Many pages, few rules: one strategy for most of a folder, and exceptions for whole subfolders where that is enough.
//!
//! The level that is the best for most pages becomes the folder's. A page accepts every level that suits it, so an
//! exception is only needed where the rule above it does not suit. A subfolder gets a rule of its own when that spares at
//! least two exceptions, and is the best for at least half as many pages as the rule above it.

use std::collections::BTreeMap;
use std::fmt;

use docent_text::ChunkBy;

use super::suggest::{CRUMB, Shape};

/// A minimum size is proposed when at least one page in this many crumbles.
const FEW: usize = 20;

/// A strategy for some pages of a manifest's folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Proposal {
    /// Folder of the manifest, relative to the documents.
    pub folder: String,
    /// Which pages; `None` for the manifest's own strategy.
    pub pattern: Option<String>,
    /// Where they are cut.
    pub chunk_by: ChunkBy,
    /// Shorter chunks join the one before, if that is proposed too.
    pub min_chunk_size: Option<usize>,
    /// How many pages there are.
    pub files: usize,
    /// Why, in words.
    pub reason: String,
}

impl fmt::Display for Proposal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let what = self.pattern.as_deref().unwrap_or("all files");
        write!(f, "{what} by {}: {}", self.chunk_by, self.reason)
    }
}

/// The rules for pages, by path relative to the manifest's folder: the strategy of the folder, then exceptions in the
/// order in which they must stand.
pub(super) fn fold(folder: &str, pages: &BTreeMap<String, Shape>) -> Vec<Proposal> {
    let all: Vec<(&str, &Shape)> = pages.iter().map(|(path, shape)| (path.as_str(), shape)).collect();
    let Some(common) = best_for_most(&all) else { return Vec::new() };
    let crumbling = all.iter().filter(|(_, shape)| shape.crumbles.contains(&common)).count();
    let min_chunk_size = (crumbling * FEW >= all.len() && crumbling > 0).then_some(CRUMB);
    let accepted = all.iter().filter(|(_, shape)| shape.suits.contains(&common)).count();
    let reason = format!("it suits {accepted} of {} files", all.len());
    let rule = Proposal {
        folder: folder.to_owned(),
        pattern: None,
        chunk_by: common,
        min_chunk_size,
        files: all.len(),
        reason,
    };
    let mut rules = vec![rule];
    descend(folder, "", &all, common, &mut rules);
    for rule in &mut rules {
        rule.min_chunk_size = min_chunk_size;
    }
    rules
}

fn descend(
    folder: &str,
    inside: &str,
    pages: &[(&str, &Shape)],
    inherited: ChunkBy,
    rules: &mut Vec<Proposal>,
) {
    let mut below: BTreeMap<&str, Vec<(&str, &Shape)>> = BTreeMap::new();
    let mut own = Vec::new();
    for (path, shape) in pages {
        match path.get(inside.len()..).and_then(|rest| rest.find('/')) {
            Some(slash) => below.entry(&path[..inside.len() + slash]).or_default().push((path, shape)),
            None => own.push((*path, *shape)),
        }
    }
    for (subfolder, pages) in below {
        let unsuited =
            |level: ChunkBy| pages.iter().filter(|(_, shape)| !shape.suits.contains(&level)).count();
        let better = ChunkBy::ALL.into_iter().min_by_key(|level| (unsuited(*level), *level));
        // A rule that spares few exceptions is not worth cutting many other pages finer than they need.
        let better = better.filter(|level| {
            unsuited(*level) + 2 <= unsuited(inherited)
                && 2 * votes(&pages, *level) >= votes(&pages, inherited)
        });
        let pattern = pattern_below(subfolder);
        let next = format!("{subfolder}/");
        match (better, pattern) {
            (Some(level), Some(pattern)) => {
                let spared = unsuited(inherited);
                rules.push(Proposal {
                    folder: folder.to_owned(),
                    pattern: Some(pattern),
                    chunk_by: level,
                    min_chunk_size: None,
                    files: pages.len(),
                    reason: format!("{inherited} does not suit {spared} of {} files", pages.len()),
                });
                descend(folder, &next, &pages, level, rules);
            }
            _ => descend(folder, &next, &pages, inherited, rules),
        }
    }
    for (path, shape) in own.into_iter().filter(|(_, shape)| !shape.suits.contains(&inherited)) {
        if let Some(pattern) = pattern(path) {
            rules.push(Proposal {
                folder: folder.to_owned(),
                pattern: Some(pattern),
                chunk_by: shape.best,
                min_chunk_size: None,
                files: 1,
                reason: format!("sections at {inherited} are too long; {}", shape.reason),
            });
        }
    }
}

/// The level that is the best for most pages. Short ones have no say; of equals the coarser level counts.
fn best_for_most(pages: &[(&str, &Shape)]) -> Option<ChunkBy> {
    let said = ChunkBy::ALL.into_iter().filter(|level| *level != ChunkBy::File && votes(pages, *level) > 0);
    let most = said.max_by_key(|level| (votes(pages, *level), std::cmp::Reverse(*level)));
    if pages.is_empty() { None } else { Some(most.unwrap_or(ChunkBy::File)) }
}

/// For how many pages a level is the best.
fn votes(pages: &[(&str, &Shape)], level: ChunkBy) -> usize {
    pages.iter().filter(|(_, shape)| shape.best == level).count()
}

/// A pattern that matches this path alone; `None` when none does.
pub(crate) fn pattern(path: &str) -> Option<String> {
    let pattern = escaped(path);
    matches(&pattern, path).then_some(pattern)
}

/// A pattern that matches everything below a folder; `None` when none does.
pub(crate) fn pattern_below(folder: &str) -> Option<String> {
    let pattern = format!("{}/**", escaped(folder));
    matches(&pattern, &format!("{folder}/x")).then_some(pattern)
}

/// Blanks at the ends of a pattern do not count, and `!` and `(…)` are refused, unless they are escaped.
fn escaped(path: &str) -> String {
    let inner = path.trim();
    // A class holds ASCII alone.
    let blank = |blank: char| if blank.is_ascii() { format!("[{blank}]") } else { format!("{{{blank}}}") };
    let blanks = |blanks: &str| blanks.chars().map(blank).collect::<String>();
    let start = path.len() - path.trim_start().len();
    let (before, after) = (path.get(..start), path.get(start + inner.len()..));
    let mut escaped = globset::escape(inner).replace('\\', "\\\\");
    for group in ["@(", "!(", "+("] {
        escaped = escaped.replace(group, &group.replace('(', "\\("));
    }
    if escaped.starts_with('!') {
        escaped.insert(0, '\\');
    }
    format!("{}{escaped}{}", blanks(before.unwrap_or_default()), blanks(after.unwrap_or_default()))
}

/// What is written must do what it is written for.
fn matches(pattern: &str, path: &str) -> bool {
    crate::globs::compile(pattern).is_ok_and(|glob| crate::globs::Globs::new(&[glob]).matches(path) == [0])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_match_the_path_that_they_are_made_from() {
        let check = |path: &str, expected: &str| assert_eq!(pattern(path).as_deref(), Some(expected));
        check("guides/a b.md", "guides/a b.md");
        check("a (1).md", "a (1).md");
        check(" lead.md", "[ ]lead.md");
        check("a/trail.md \u{a0}", "a/trail.md[ ]{\u{a0}}");
        check("a*[1]{x}?.md", "a[*][[]1[]][{]x[}][?].md");
        if !std::path::is_separator('\\') {
            check("back\\slash.md", "back\\\\slash.md");
            check("a\\*.md", "a\\\\[*].md");
            check("!a@(b).md", "\\!a@\\(b).md");
        }
        assert_eq!(pattern(&"x".repeat(2000)), None);
        assert_eq!(pattern_below(" a").as_deref(), Some("[ ]a/**"));
        assert_eq!(pattern_below(&"x".repeat(998)), None);
    }
}
