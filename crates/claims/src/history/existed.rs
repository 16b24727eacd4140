//! Whether a path that is not there, and was not there when its line was written, existed before that.

use super::History;
use crate::{Claim, Link, Outcome, Place, Subject, checks};

/// So many deletions are looked at for one claim.
const MOST_TRIES: usize = 4;
/// What the generators of sites put behind a link.
const ENDINGS: [&str; 6] = ["", ".md", ".mdx", "/index.md", "/README.md", "/index.mdx"];

/// When a claim held last.
#[derive(Debug, Clone)]
pub(crate) struct Existed {
    /// The commit that took away what it names.
    pub(crate) commit: String,
    /// The commit before that.
    pub(crate) before: String,
    /// Where it was found there.
    pub(crate) found: Vec<Place>,
}

impl History {
    /// When a path claim held last, if it ever did.
    pub(crate) fn existed(&self, claim: &Claim, file: &str) -> Option<Existed> {
        for commit in self.deletions_of(claim, file).into_iter().take(MOST_TRIES) {
            let before = self.repository.commit(&commit)?.parents.first().cloned();
            let Some((before, world)) =
                before.and_then(|before| Some((before.clone(), self.world(&before).ok()?)))
            else {
                continue;
            };
            if let Outcome::Valid { found } = checks::check(claim, file, &world) {
                return Some(Existed { commit, before, found });
            }
        }
        None
    }

    /// Whether what a path names may have been deleted, with its whole folder or its kind, so that nothing here can tell
    /// any more whether it was ours.
    pub(crate) fn may_have_lost(&self, claim: &Claim, file: &str) -> bool {
        let Subject::Path { target, anchor: None, lines: None, link } = &claim.subject else { return false };
        let deletions = self.deletions();
        let bare = target.trim_matches('/');
        match link {
            Link::Link | Link::Image => {
                let tail = bare.trim_start_matches("./").trim_start_matches("../");
                let is_distinct = tail.contains('/') || crate::extract::has_known_ending(tail);
                let exact = || candidates(target, file).into_iter().any(|path| self.has_lost(&path));
                let anywhere =
                    || ENDINGS.iter().any(|end| !deletions.ending(&format!("{tail}{end}")).is_empty());
                exact() || (target.starts_with('/') && is_distinct && anywhere())
            }
            // A page in capitals (`README.md`) describes the folder that it stands in.
            Link::Span if !bare.contains('/') => {
                let (folder, name) = file.rsplit_once('/').unwrap_or(("", file));
                let stem = name.split('.').next().unwrap_or(name);
                let is_entrance =
                    !stem.is_empty() && stem.bytes().all(|b| b.is_ascii_uppercase() || b == b'_');
                let beside = crate::world::joined(folder, bare);
                is_entrance
                    && !claim.cues.is_created
                    && !claim.cues.is_example
                    && beside.is_some_and(|path| deletions.of_file(&path).next().is_some())
            }
            Link::Span | Link::Argument => {
                bare.contains('/')
                    && candidates(target, file).iter().any(|path| match bare.matches('/').count() {
                        1 => deletions.of_file(path).next().is_some(),
                        _ => deletions.knows(path),
                    })
            }
            Link::Tree => false,
        }
    }

    fn has_lost(&self, path: &str) -> bool {
        ENDINGS.iter().any(|end| self.deletions().knows(&format!("{path}{end}")))
    }

    fn deletions_of(&self, claim: &Claim, file: &str) -> Vec<String> {
        let Subject::Path { target, link, .. } = &claim.subject else { return Vec::new() };
        let deletions = self.deletions();
        let mut commits = Vec::new();
        let mut add = |path: &str| {
            let of_file = deletions.of_file(path).next();
            let of_folder = deletions.below_folder(path).map(|(commit, _)| commit);
            for commit in of_file.into_iter().chain(of_folder) {
                if !commits.iter().any(|known| known == commit) {
                    commits.push(commit.to_owned());
                }
            }
        };
        // A link leads on from its page; only what is no link may be meant from the root.
        let is_relative = matches!(link, Link::Link | Link::Image) && !target.starts_with('/');
        let count = if is_relative { 1 } else { usize::MAX };
        for path in candidates(target, file).into_iter().take(count) {
            for ending in ENDINGS {
                add(&format!("{path}{ending}"));
            }
        }
        // Many projects have had a `server/index.js` somewhere.
        let tail = target.trim_start_matches("./").trim_matches('/');
        if *link != Link::Link && *link != Link::Image && tail.matches('/').count() >= 2 {
            let top = |path: &str| path.split('/').next().map(str::to_owned);
            // A page that came from elsewhere may be about what lies there.
            let near = deletions.ending(tail).into_iter().filter(|path| top(path) == top(file));
            near.for_each(add);
        }
        // It held last where the newest of them took it away: a page may have stayed when a folder of its name went.
        commits.sort_by_key(|commit| deletions.rank(commit));
        commits
    }
}

/// What a path in a document may mean: relative to the document, and to the root.
pub(crate) fn candidates(target: &str, file: &str) -> Vec<String> {
    let folder = file.rsplit_once('/').map_or("", |(folder, _)| folder);
    let is_absolute = target.starts_with('/');
    let target = target.trim_matches('/');
    let relative = if is_absolute { None } else { crate::world::joined(folder, target) };
    let mut found: Vec<String> = relative.into_iter().chain(crate::world::joined("", target)).collect();
    found.retain(|path| !path.is_empty());
    found.dedup();
    found
}
