//! What was deleted in the whole history, and by which commits.

use std::collections::HashMap;
use std::sync::{Arc, OnceLock};

use super::{RepoError, Repository, command};
use crate::facts::FactStore;

/// Which commits deleted which files, renamed ones among them; the newest first.
#[derive(Debug, Clone)]
pub struct Deletions {
    all: Arc<All>,
    /// Later ones do not count.
    until: i64,
}

#[derive(Debug, Default)]
struct All {
    /// With their times.
    commits: Vec<(String, i64)>,
    /// Path → numbers of commits.
    files: HashMap<String, Vec<u32>>,
    /// Folder → commits that deleted something below it, and what.
    folders: HashMap<String, Vec<(u32, String)>>,
    /// Last component → files and folders.
    names: OnceLock<HashMap<String, Vec<String>>>,
    /// Commit → how many are newer.
    ranks: OnceLock<HashMap<String, usize>>,
}

impl Default for Deletions {
    fn default() -> Self {
        Self { all: Arc::default(), until: i64::MAX }
    }
}

impl Deletions {
    /// Commits that deleted a file, the newest first.
    pub fn of_file(&self, path: &str) -> impl Iterator<Item = &str> {
        let numbers = self.all.files.get(path).map_or(&[][..], Vec::as_slice);
        numbers.iter().filter_map(|number| self.commit(*number))
    }

    /// The newest commit that deleted a file below a folder, and that file.
    pub fn below_folder(&self, path: &str) -> Option<(&str, &str)> {
        let mut below = self.all.folders.get(path)?.iter();
        below.find_map(|(number, file)| Some((self.commit(*number)?, file.as_str())))
    }

    /// How many of these commits are newer than one of them.
    pub(crate) fn rank(&self, commit: &str) -> usize {
        let ranks = self.all.ranks.get_or_init(|| {
            self.all.commits.iter().enumerate().map(|(rank, (id, _))| (id.clone(), rank)).collect()
        });
        ranks.get(commit).copied().unwrap_or(usize::MAX)
    }

    /// Whether there ever was such a file or folder.
    pub fn knows(&self, path: &str) -> bool {
        self.of_file(path).next().is_some() || self.below_folder(path).is_some()
    }

    /// Paths of all deleted files.
    pub fn files(&self) -> impl Iterator<Item = &str> {
        self.all.files.keys().map(String::as_str).filter(|path| self.knows(path))
    }

    /// Paths of all folders that a file was deleted from.
    pub fn folders(&self) -> impl Iterator<Item = &str> {
        self.all.folders.keys().map(String::as_str).filter(|path| self.knows(path))
    }

    /// Those up to a time, in seconds since 1970.
    pub(crate) fn until(&self, time: i64) -> Self {
        Self { all: Arc::clone(&self.all), until: time }
    }

    fn commit(&self, number: u32) -> Option<&str> {
        let (commit, time) = self.all.commits.get(number as usize)?;
        (*time <= self.until).then_some(commit)
    }

    /// Deleted files and folders whose last components are those of `tail`.
    pub fn ending(&self, tail: &str) -> Vec<&str> {
        let last = |path: &str| path.rsplit('/').next().unwrap_or(path).to_owned();
        let names = self.all.names.get_or_init(|| {
            let mut names: HashMap<String, Vec<String>> = HashMap::new();
            for path in self.all.files.keys().chain(self.all.folders.keys()) {
                names.entry(last(path)).or_default().push(path.clone());
            }
            names.values_mut().for_each(|paths| paths.sort_unstable());
            names
        });
        let is_end = |path: &&str| {
            path.strip_suffix(tail).is_some_and(|before| before.is_empty() || before.ends_with('/'))
        };
        let found = names.get(&last(tail)).into_iter().flatten().map(String::as_str);
        found.filter(is_end).filter(|path| self.knows(path)).collect()
    }
}

impl All {
    fn add(&mut self, path: &str) {
        let number = self.commits.len().saturating_sub(1) as u32;
        self.files.entry(path.to_owned()).or_default().push(number);
        let mut rest = path;
        while let Some((folder, _)) = rest.rsplit_once('/') {
            let below = self.folders.entry(folder.to_owned()).or_default();
            if below.last().is_some_and(|(known, _)| *known == number) {
                break;
            }
            below.push((number, path.to_owned()));
            rest = folder;
        }
    }
}

impl Repository {
    /// All deletions up to `HEAD`, in one walk. Renames are deletions here: which file was renamed to what costs much more
    /// to find out, and is only asked for commits that matter ([`Repository::renames`]).
    pub fn deletions(&self) -> Result<Deletions, RepoError> {
        self.walk_deletions().map(|walk| read(&walk))
    }

    /// The same from a store; what is not there is walked for and put there.
    pub(crate) fn kept_deletions(&self, store: &dyn FactStore) -> Result<Deletions, RepoError> {
        let Some(head) = self.head() else { return Ok(Deletions::default()) };
        let key = format!("deletions/1/{head}/{}", self.depth());
        if let Some(walk) = store.get(&key) {
            return Ok(read(&walk));
        }
        let walk = self.walk_deletions()?;
        store.put(&key, &walk);
        Ok(read(&walk))
    }

    /// Commits that deleted something, as git tells of them.
    fn walk_deletions(&self) -> Result<Vec<u8>, RepoError> {
        let mut walk = Vec::new();
        let Some(head) = self.head() else { return Ok(walk) };
        let mut command = self.git();
        command.args(["log", "--no-renames", "--diff-filter=D", "--name-only", "-z"]);
        command.args(["--format=%x01%H %ct", head]);
        command::pieces(command, None, |piece| {
            walk.extend_from_slice(piece);
            walk.push(0);
            walk.len() < MOST_BYTES
        })?;
        Ok(walk)
    }
}

/// More of them are not remembered; the newest come first.
const MOST_BYTES: usize = 512 << 20;

/// A commit with files: `\1<id> <time>`, then an empty piece or a line break before the first path.
fn read(walk: &[u8]) -> Deletions {
    let mut deletions = All::default();
    for piece in walk.split(|byte| *byte == 0) {
        let Ok(text) = std::str::from_utf8(piece) else { continue };
        let text = text.strip_prefix('\n').unwrap_or(text);
        match text.strip_prefix('\u{1}') {
            Some(about) => {
                let (id, time) = about.trim().split_once(' ').unwrap_or((about.trim(), ""));
                deletions.commits.push((id.to_owned(), time.parse().unwrap_or(0)));
            }
            None if !text.is_empty() => deletions.add(text),
            None => {}
        }
    }
    Deletions { all: Arc::new(deletions), until: i64::MAX }
}
