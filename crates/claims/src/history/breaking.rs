//! The commit since which a claim does not hold.
//!
//! What named a file that is gone was broken by the commit that deleted it, and that is known from one walk through the
//! history. Everything else is found by bisection over the main line: first over the commits that changed the files in
//! which the fact was found, then over all. A bisection checks the claim with the same code in a dozen past states.

use std::collections::HashMap;
use std::sync::Arc;

use super::History;
use crate::repo::Commit;
use crate::{Blame, Breaking, Claim, Outcome, Place, Subject, World};

/// A rename is followed through so many further renames.
const MOST_RENAMES: usize = 10;

impl History {
    /// What broke a claim that held at `blame` and does not in `now`, the present state with whatever is not committed.
    pub(crate) fn breaking(
        &self,
        claim: &Claim,
        blame: &Blame,
        found: &[Place],
        now: &World,
        is_changed: bool,
    ) -> Option<Breaking> {
        let head = self.repository.head()?.to_owned();
        let names = self.names(&blame.path, &claim.file);
        let holds =
            |commit: &str| self.check(claim, &names, commit).is_some_and(|outcome| outcome.is_valid());
        let is_file = matches!(claim.subject, Subject::Path { anchor: None, .. } | Subject::Hosted { .. });
        if is_changed && holds(&head) {
            let gone = found.first().filter(|place| now.entry(&place.path).is_none());
            let renamed_to = gone.filter(|_| is_file).and_then(|gone| self.moved_now(&gone.path, now));
            let kind = match (&renamed_to, gone) {
                (Some(_), _) => "renamed",
                (None, Some(_)) => "deleted",
                (None, None) => "changed",
            };
            return Some(Breaking {
                commit: None,
                time: 0,
                subject: "not committed".to_owned(),
                kind: kind.to_owned(),
                renamed_to,
            });
        }
        let gone = found.iter().find(|place| now.entry(&place.path).is_none());
        if let Some(gone) = gone
            && let Some(commit) = self.deletion(&gone.path)
            && !holds(&commit)
        {
            // A file may be deleted, or moved, long after what stood in it was.
            let parent = || self.parent(&commit);
            if is_file {
                return Some(self.deleted(&commit, &gone.path, now));
            } else if parent().is_none_or(|parent| holds(&parent)) {
                // Where a file is now says little about a name that is not in it any more.
                let is_defined = matches!(claim.subject, Subject::Defined { .. });
                return Some(match is_defined {
                    true => self.deleted(&commit, &gone.path, now),
                    false => self.told(&commit, "deleted", None),
                });
            }
        }
        let files: Vec<&str> = found.iter().map(|place| place.path.as_str()).collect();
        // On branches it holds and fails side by side; only on the main line it fails since one commit.
        let on_line = |files: &[&str]| {
            let line = self.repository.main_line_since(&blame.commit, files).unwrap_or_default();
            first_bad(&line, &holds)
        };
        let on_branches = || {
            let all = self.repository.commits_since(&blame.commit, &files).unwrap_or_default();
            first_bad(&all, &holds)
        };
        // What leads from a page to a file breaks where either moves.
        let pages = names.iter().map(String::as_str).filter(|_| is_file);
        let both: Vec<&str> = files.iter().copied().chain(pages).collect();
        let commit = on_line(&both).or_else(|| on_line(&[])).or_else(on_branches)?;
        let commit = self.inside_merge(&commit, blame, &files, &holds).unwrap_or(commit);
        // Page and file may have moved together, and the file went from where they came to.
        let last = || {
            let parent = self.parent(&commit)?;
            let Outcome::Valid { found } = self.check(claim, &names, &parent)? else { return None };
            found.into_iter().find(|place| now.entry(&place.path).is_none())
        };
        Some(match is_file.then(last).flatten() {
            Some(last) => self.deleted(&commit, &last.path, now),
            None => self.told(&commit, "changed", None),
        })
    }

    /// All names that a page had from one to the other.
    fn names(&self, from: &str, to: &str) -> Vec<String> {
        let mut names = vec![from.to_owned()];
        let next = |name: &str| self.renames(&self.deletion(name)?).get(name).cloned();
        while let Some(name) = names.last().filter(|name| *name != to && names.len() < MOST_RENAMES) {
            let Some(next) = next(name).filter(|next| !names.contains(next)) else { break };
            names.push(next);
        }
        if !names.iter().any(|name| name == to) {
            names.push(to.to_owned());
        }
        names
    }

    /// The commit that last deleted a file, or something below a folder.
    fn deletion(&self, path: &str) -> Option<String> {
        let deletions = self.deletions();
        let folder = deletions.below_folder(path).map(|(commit, _)| commit);
        deletions.of_file(path).next().or(folder).map(str::to_owned)
    }

    /// A deletion, told as a rename where it was one.
    pub(crate) fn deleted(&self, commit: &str, path: &str, now: &World) -> Breaking {
        let target = self.renamed_to(commit, path, now);
        let kind = if target.is_some() { "renamed" } else { "deleted" };
        self.told(commit, kind, target)
    }

    /// Where a commit moved a file or folder, and later ones after it; `None` when that is not there today.
    fn renamed_to(&self, commit: &str, path: &str, now: &World) -> Option<String> {
        let (mut commit, mut path) = (commit.to_owned(), path.to_owned());
        for _ in 0..MOST_RENAMES {
            let then = || self.world(&self.parent(&commit)?).ok();
            path = target(&self.renames(&commit), then, &path, now)?;
            if now.entry(&path).is_some() {
                return Some(path);
            }
            match self.deletion(&path) {
                Some(later) => commit = later,
                None => return self.moved_now(&path, now),
            }
        }
        None
    }

    /// Where a file or folder of the last commit was moved since.
    fn moved_now(&self, path: &str, now: &World) -> Option<String> {
        let head = self.repository.head()?;
        target(self.pending(head, now), || self.world(head).ok(), path, now)
            .filter(|path| now.entry(path).is_some())
    }

    /// A merge brings many commits; which of them did it? Those before the line was written did not.
    fn inside_merge(
        &self,
        commit: &str,
        blame: &Blame,
        files: &[&str],
        holds: &dyn Fn(&str) -> bool,
    ) -> Option<String> {
        let Commit { parents, .. } = self.repository.commit(commit)?;
        let [first, other, ..] = parents.as_slice() else { return None };
        let mut inside = self.repository.commits_between(first, other, files).ok()?;
        let is_later =
            |id: &String| self.repository.commit(id).is_some_and(|commit| commit.time >= blame.time);
        inside.retain(is_later);
        first_bad(&inside, holds)
    }

    pub(super) fn told(&self, commit: &str, kind: &str, renamed_to: Option<String>) -> Breaking {
        let (time, subject) =
            self.repository.commit(commit).map(|commit| (commit.time, commit.subject)).unwrap_or_default();
        Breaking { commit: Some(commit.to_owned()), time, subject, kind: kind.to_owned(), renamed_to }
    }
}

/// Where a file or folder of `then` went, by what was renamed after it.
fn target(
    renames: &HashMap<String, String>,
    then: impl FnOnce() -> Option<Arc<World>>,
    path: &str,
    now: &World,
) -> Option<String> {
    if let Some(target) = renames.get(path) {
        let is_it =
            |then: Arc<World>| is_telling(&then, path, target) && !is_mixed_up(&then, path, target, renames);
        return then().is_none_or(is_it).then(|| target.clone());
    }
    // A folder has moved when all of its files have, to one place, and are still there, or went on from there.
    let moved = || {
        renames.iter().filter(|(from, _)| from.strip_prefix(path).is_some_and(|rest| rest.starts_with('/')))
    };
    let mut targets = moved().map(|(from, to)| to.strip_suffix(from.strip_prefix(path)?).map(str::to_owned));
    let first = targets.next()??;
    let is_one = targets.all(|target| target.as_ref() == Some(&first));
    let is_left = now.entry(&first).is_none() || moved().any(|(_, to)| now.entry(to).is_some());
    Some(first).filter(|first| is_one && is_left && !first.is_empty())
}

/// Contents that are shorter are alike by chance.
const TELLING: usize = 24;

/// Whether a file with the content that a path had in `then` can be what it became: it has its name, or the content is
/// more than a few words.
pub(crate) fn is_telling(then: &World, path: &str, target: &str) -> bool {
    let name = |path: &str| path.rsplit('/').next().map(str::to_owned);
    name(path) == name(target) || then.read(path).is_some_and(|bytes| bytes.len() >= TELLING)
}

/// Whether git took one of several files with the same content for another: those beside it went elsewhere, together.
fn is_mixed_up(then: &World, path: &str, target: &str, renames: &HashMap<String, String>) -> bool {
    let folder = |path: &str| path.rsplit_once('/').map_or(String::new(), |(folder, _)| folder.to_owned());
    let name = path.rsplit('/').next().unwrap_or(path);
    let content = then.content(path);
    let has_twin = || then.named(name).iter().any(|other| other != path && then.content(other) == content);
    let mut others = renames
        .iter()
        .filter(|(from, _)| from.as_str() != path && folder(from) == folder(path))
        .map(|(_, to)| folder(to))
        .peekable();
    let Some(first) = others.peek().cloned() else { return false };
    first != folder(target) && others.all(|other| other == first) && content.is_some() && has_twin()
}

/// The oldest of the commits (the newest first) since which something does not hold; `None` when it holds at the newest, or
/// there are none.
fn first_bad(commits: &[String], holds: &dyn Fn(&str) -> bool) -> Option<String> {
    if holds(commits.first()?) {
        return None;
    }
    // It does not hold at `bad`; it holds at `good`, which is beyond the end at first.
    let (mut bad, mut good) = (0, commits.len());
    while good - bad > 1 {
        let middle = bad + (good - bad) / 2;
        if commits.get(middle).is_some_and(|commit| holds(commit)) { good = middle } else { bad = middle }
    }
    commits.get(bad).cloned()
}

#[cfg(test)]
mod tests {
    use super::first_bad;

    fn check(good: &[bool], expected: Option<usize>) {
        let commits: Vec<String> = (0..good.len()).map(|number| number.to_string()).collect();
        let holds = |commit: &str| good[commit.parse::<usize>().unwrap()];
        assert_eq!(first_bad(&commits, &holds), expected.map(|number| number.to_string()), "{good:?}");
    }

    #[test]
    fn the_oldest_commit_of_the_newest_bad_ones_is_found() {
        check(&[], None);
        check(&[true, false], None);
        check(&[false], Some(0));
        check(&[false, true], Some(0));
        check(&[false, false, false], Some(2));
        check(&[false, false, true, true, true], Some(1));
        check(&[false, false, false, true, true, true, true, true], Some(2));
    }
}
