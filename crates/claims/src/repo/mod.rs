//! A git repository, looked at safely.
//!
//! Everything comes from the `git` program with fixed arguments over a folder of our own ([`Shadow`]), so that nothing in
//! the repository can make it start something, and nothing of the repository is written. Paths that are not UTF-8 are
//! left out and counted: no document can name them.

mod blame;
mod changes;
mod deletions;
mod graph;
mod ignored;
mod log;
mod objects;
mod status;

use std::collections::{BTreeMap, HashSet};
use std::path::Path;
use std::process::Command;
use std::sync::{Arc, RwLock};

pub use blame::BlamedLine;
pub(crate) use changes::{Changed, ChangedFile};
pub use deletions::Deletions;
pub use docent_git::RepoError;
pub use log::Commit;
pub use status::Change;
pub(crate) use status::GONE;

use docent_git::{self as command, Place, Shadow, is_id, read_small};

use crate::Entry;
use crate::world::{SharedFacts, WordBook};
use graph::Graph;
use objects::Objects;

/// A repository. Clones share everything.
#[derive(Debug, Clone)]
pub struct Repository {
    inner: Arc<Inner>,
    head: Option<String>,
}

#[derive(Debug)]
struct Inner {
    place: Place,
    shadow: Shadow,
    shallow: HashSet<String>,
    objects: Objects,
    words: RwLock<WordBook>,
    facts: Arc<SharedFacts>,
    graph: Graph,
}

/// The files of one commit.
#[derive(Debug, Default)]
pub struct Listing {
    /// Path → what it is and the name of its content.
    pub entries: BTreeMap<String, (Entry, String)>,
    /// How many paths are not UTF-8, and not here.
    pub unreadable_paths: usize,
}

impl Repository {
    /// The repository that a path is in: a work tree, a folder of it, a linked work tree, or a bare repository.
    pub fn open(path: &Path) -> Result<Self, RepoError> {
        Self::of_place(Place::around(path)?)
    }

    /// The repository that a path is in, or else the folder itself: it has files and no past.
    pub fn open_or_plain(path: &Path) -> Result<Self, RepoError> {
        match Place::around(path) {
            Err(RepoError::NotARepository(_)) => Self::of_place(Place::plain(path)?),
            place => Self::of_place(place?),
        }
    }

    fn of_place(place: Place) -> Result<Self, RepoError> {
        let head = if place.is_plain {
            None
        } else if place.has_tables() {
            head_of_tables(&place)?
        } else {
            place.head()?
        };
        let shadow = Shadow::new(&place, head.as_deref())?;
        let shallow = read_small(&shadow.path("shallow"))?.unwrap_or_default();
        let shallow = shallow.lines().map(str::to_owned).collect();
        let (objects, words, facts) = (Objects::default(), RwLock::default(), Arc::default());
        let inner = Inner { place, shadow, shallow, objects, words, facts, graph: Graph::default() };
        Ok(Self { inner: Arc::new(inner), head })
    }

    /// The same repository as it was when `commit` was checked out, and nothing was changed since. What was read of it
    /// already is shared.
    pub(crate) fn at(&self, commit: &str) -> Self {
        Self { inner: Arc::clone(&self.inner), head: Some(commit.to_owned()) }
    }

    /// The commit that is checked out; `None` in a repository without commits.
    pub fn head(&self) -> Option<&str> {
        self.head.as_deref()
    }

    /// The name of the main branch, or else of the one that is checked out.
    pub(crate) fn main_branch(&self) -> Option<String> {
        self.inner.place.main_branch()
    }

    /// Where files are checked out; `None` for a bare repository.
    pub fn work_tree(&self) -> Option<&Path> {
        self.inner.shadow.work_tree()
    }

    /// Whether there is a history at all; a folder without a repository has none.
    pub fn has_history(&self) -> bool {
        !self.inner.place.is_plain
    }

    /// Whether the history ends before its beginning.
    pub fn is_shallow(&self) -> bool {
        !self.inner.shallow.is_empty()
    }

    /// Whether the history ends at this commit because the rest was not fetched.
    pub fn is_boundary(&self, commit: &str) -> bool {
        self.inner.shallow.contains(commit)
    }

    /// Whether one of these contents was asked for and is absent: in a partial clone they come when somebody looks.
    pub(crate) fn is_absent<'a>(&self, ids: impl Iterator<Item = &'a str>) -> bool {
        self.inner.objects.is_absent(ids)
    }

    /// A name for how far the history reaches; empty when all of it is here.
    pub fn depth(&self) -> String {
        if !self.has_history() {
            return "none".to_owned();
        }
        let mut shallow: Vec<&str> = self.inner.shallow.iter().map(String::as_str).collect();
        shallow.sort_unstable();
        let name = || blake3::hash(shallow.join("\n").as_bytes()).to_hex().to_string();
        if shallow.is_empty() { String::new() } else { name() }
    }

    /// The full name of the commit that somebody calls `revision`.
    pub fn resolve(&self, revision: &str) -> Result<String, RepoError> {
        let unknown = || RepoError::NoSuchCommit(revision.to_owned());
        if revision.is_empty() || revision.starts_with('-') || revision.contains(['\n', '\0']) {
            return Err(unknown());
        }
        self.inner.shadow.copy_references(&self.inner.place)?;
        let mut command = self.git();
        command.args(["rev-parse", "--quiet", "--verify", &format!("{revision}^{{commit}}")]);
        let output = command::run(command, None).ok().flatten().unwrap_or_default();
        let id = String::from_utf8_lossy(&output).trim().to_owned();
        if is_id(&id) { Ok(id) } else { Err(unknown()) }
    }

    /// All files of a commit.
    pub fn tree(&self, commit: &str) -> Result<Listing, RepoError> {
        let mut listing = Listing::default();
        let mut command = self.git();
        command.args(["ls-tree", "-r", "-z", "--full-tree", commit]);
        command::pieces(command, None, |piece| {
            match entry_of(piece) {
                Some((path, entry)) => drop(listing.entries.insert(path, entry)),
                None => listing.unreadable_paths += 1,
            }
            true
        })?;
        Ok(listing)
    }

    /// The content of a file by its name; `None` when it is absent or larger than 2 MiB.
    pub fn blob(&self, id: &str) -> Option<Arc<[u8]>> {
        let mut found = self.inner.objects.remembered(id);
        if found.is_none() {
            self.blobs(&[id], |_, bytes| found = Some(bytes)).ok()?;
        }
        found
    }

    /// Keeps a content for whoever asks for it next.
    pub(crate) fn remember(&self, id: &str, bytes: Arc<[u8]>) {
        self.inner.objects.remember(id, bytes);
    }

    /// A content that was kept so.
    pub(crate) fn remembered(&self, id: &str) -> Option<Arc<[u8]>> {
        self.inner.objects.remembered(id)
    }

    /// Contents of many files; see [`Repository::blob`].
    pub fn blobs(&self, ids: &[&str], each: impl FnMut(usize, Arc<[u8]>)) -> Result<(), RepoError> {
        self.inner.objects.read_all(|| self.git(), "blob", ids, each)
    }

    /// Facts of contents that any state has looked at.
    pub(crate) fn facts(&self) -> Arc<SharedFacts> {
        Arc::clone(&self.inner.facts)
    }

    /// These words will be looked for: whoever says so early spares reading files again for each of them.
    pub(crate) fn expect(&self, words: Vec<String>) {
        self.inner.words.write().unwrap_or_else(std::sync::PoisonError::into_inner).add(&words);
    }

    pub(crate) fn words(&self) -> &RwLock<WordBook> {
        &self.inner.words
    }

    fn git(&self) -> Command {
        self.inner.shadow.command()
    }
}

/// `<mode> <type> <id>\t<path>`
fn entry_of(piece: &[u8]) -> Option<(String, (Entry, String))> {
    let (about, path) = std::str::from_utf8(piece).ok()?.split_once('\t')?;
    let mut words = about.split(' ');
    let entry = match words.next()? {
        "120000" => Entry::Link,
        "160000" => Entry::Submodule,
        _ => Entry::File,
    };
    Some((path.to_owned(), (entry, words.nth(1)?.to_owned())))
}

/// Only git reads tables of references. Naming a commit starts nothing, whatever the configuration says.
fn head_of_tables(place: &Place) -> Result<Option<String>, RepoError> {
    let shadow = Shadow::new(&Place { work_tree: None, ..place.clone() }, None)?;
    let mut command = shadow.command();
    command.env("GIT_DIR", &place.own).env_remove("GIT_ATTR_SOURCE");
    command.env_remove("GIT_OBJECT_DIRECTORY").env_remove("GIT_ALTERNATE_OBJECT_DIRECTORIES");
    command.current_dir(&place.own).args(["rev-parse", "--quiet", "--verify", "HEAD^{commit}"]);
    let output = command::run(command, None)?.unwrap_or_default();
    let id = String::from_utf8_lossy(&output).trim().to_owned();
    Ok(is_id(&id).then_some(id))
}
