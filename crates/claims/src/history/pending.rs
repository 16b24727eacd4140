//! Files that were moved and are not committed.

use std::collections::{HashMap, HashSet};

use super::History;
use crate::World;
use crate::repo::Commit;

/// So many files are read.
const MOST_READ: usize = 2_000;
/// More files than this are compared by their whole contents alone.
const MOST_COMPARED: usize = 100;
/// Larger files are not compared line by line.
const LARGEST: usize = 1 << 20;

impl History {
    /// Old path → new path, for what was moved since a commit and is not committed. Found out once.
    pub(super) fn pending(&self, commit: &str, now: &World) -> &HashMap<String, String> {
        self.pending.get_or_init(|| match self.world(commit) {
            Ok(then) => moves(&then, now),
            Err(_) => HashMap::new(),
        })
    }

    /// The first parent of a commit, whose files it changed.
    pub(super) fn parent(&self, commit: &str) -> Option<String> {
        let Commit { parents, .. } = self.repository.commit(commit)?;
        parents.into_iter().next()
    }
}

/// Files that are gone, each with the new one that has its content, or most of its lines.
fn moves(then: &World, now: &World) -> HashMap<String, String> {
    let gone: Vec<&str> = then.files().filter(|path| now.entry(path).is_none()).collect();
    let new = candidates(&gone, then, now);
    let (before, after) = (by_content(then, &gone), by_content(now, &new));
    let (mut moves, mut settled) = (HashMap::new(), HashSet::new());
    for (content, old) in &before {
        let Some(new) = after.get(content) else { continue };
        settled.extend(old.iter().chain(new).copied());
        for path in old {
            // Of several files with one content each goes to the one that has its name.
            let namesake = new.iter().find(|other| name(other) == name(path));
            let only = new.first().filter(|_| old.len() == 1 && new.len() == 1);
            if let Some(target) = namesake.or(only) {
                moves.insert((*path).to_owned(), (*target).to_owned());
            }
        }
    }
    let left = |paths: Vec<&'_ str>| -> Vec<String> {
        paths.into_iter().filter(|path| !settled.contains(path)).map(str::to_owned).collect()
    };
    let (gone, new) = (left(gone), left(new));
    if gone.len() <= MOST_COMPARED && new.len() <= MOST_COMPARED {
        moves.extend(alike(&gone, then, &new, now));
    }
    moves
}

fn name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

fn ending(path: &str) -> Option<&str> {
    name(path).rsplit_once('.').map(|(_, ending)| ending)
}

/// New files that some may have become which are gone: of one kind with them, and among very many of one name.
fn candidates<'a>(gone: &[&str], then: &World, now: &'a World) -> Vec<&'a str> {
    if gone.is_empty() || gone.len() > MOST_READ {
        return Vec::new();
    }
    let endings: HashSet<Option<&str>> = gone.iter().map(|path| ending(path)).collect();
    let is_new = |path: &&str| then.entry(path).is_none() && endings.contains(&ending(path));
    let mut new: Vec<&str> = now.files().filter(is_new).collect();
    if new.len() > MOST_READ {
        let names: HashSet<&str> = gone.iter().map(|path| name(path)).collect();
        new.retain(|path| names.contains(name(path)));
        new.truncate(MOST_READ);
    }
    new
}

/// Files by their contents, empty ones left out.
fn by_content<'a>(world: &World, paths: &[&'a str]) -> HashMap<blake3::Hash, Vec<&'a str>> {
    let mut found: HashMap<blake3::Hash, Vec<&str>> = HashMap::new();
    for path in paths {
        if let Some(bytes) = world.read(path).filter(|bytes| !bytes.is_empty()) {
            found.entry(blake3::hash(&bytes)).or_default().push(path);
        }
    }
    found
}

/// Pairs of files of one kind that share most of their lines, the most alike first.
fn alike(gone: &[String], then: &World, new: &[String], now: &World) -> HashMap<String, String> {
    let text = |world: &World, path: &str| {
        let bytes = world.read(path).filter(|bytes| bytes.len() <= LARGEST)?;
        String::from_utf8(bytes.to_vec()).ok()
    };
    let texts: Vec<(&str, String)> =
        new.iter().filter_map(|path| Some((path.as_str(), text(now, path)?))).collect();
    let known: Vec<(&str, HashSet<&str>)> = texts.iter().map(|(path, text)| (*path, lines(text))).collect();
    let mut pairs = Vec::new();
    for old in gone {
        let Some(text) = text(then, old) else { continue };
        let before = lines(&text);
        for (path, after) in known.iter().filter(|(path, _)| ending(path) == ending(old)) {
            let shared = before.intersection(after).count();
            // More than half of both.
            if 4 * shared > before.len() + after.len() {
                pairs.push((2000 * shared / (before.len() + after.len()), old.as_str(), *path));
            }
        }
    }
    pairs.sort_unstable_by(|one, other| other.cmp(one));
    let (mut moves, mut taken) = (HashMap::new(), HashSet::new());
    for (_, old, path) in pairs {
        if !moves.contains_key(old) && taken.insert(path) {
            moves.insert(old.to_owned(), path.to_owned());
        }
    }
    moves
}

fn lines(text: &str) -> HashSet<&str> {
    text.lines().map(str::trim).filter(|line| !line.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use super::moves;
    use crate::World;

    fn check(then: &[(&str, &str)], now: &[(&str, &str)], expected: &[(&str, &str)]) {
        let moved = moves(&World::of_files(then), &World::of_files(now));
        let mut moved: Vec<(&str, &str)> =
            moved.iter().map(|(from, to)| (from.as_str(), to.as_str())).collect();
        moved.sort_unstable();
        assert_eq!(moved, expected);
    }

    #[test]
    fn what_moves_keeps_its_content_or_most_of_its_lines() {
        check(&[("a.rs", "one\ntwo\n")], &[("b.rs", "one\ntwo\n")], &[("a.rs", "b.rs")]);
        check(&[("a.rs", "1\n2\n3\n4\n")], &[("b.rs", "1\n2\n3\n5\n")], &[("a.rs", "b.rs")]);
        check(&[("a.rs", "1\n2\n3\n4\n")], &[("b.rs", "1\n6\n7\n5\n")], &[]);
        check(&[("a.rs", "1\n2\n")], &[("a.rs", "1\n"), ("b.rs", "1\n2\n")], &[]);
        check(&[("a.rs", "")], &[("b.rs", "")], &[]);
    }

    #[test]
    fn of_several_with_one_content_each_keeps_its_name() {
        let then = [("x/a.rs", "same\n"), ("x/b.rs", "same\n")];
        check(
            &then,
            &[("y/a.rs", "same\n"), ("y/b.rs", "same\n")],
            &[("x/a.rs", "y/a.rs"), ("x/b.rs", "y/b.rs")],
        );
        check(&then, &[("y/c.rs", "same\n"), ("y/d.rs", "same\n")], &[]);
    }

    #[test]
    fn the_most_alike_are_paired_first() {
        let then = [("a.rs", "1\n2\n3\n4\n"), ("b.rs", "1\n2\n3\n9\n")];
        let now = [("c.rs", "1\n2\n3\n9\n8\n"), ("d.rs", "1\n2\n3\n4\n7\n")];
        check(&then, &now, &[("a.rs", "d.rs"), ("b.rs", "c.rs")]);
    }
}
