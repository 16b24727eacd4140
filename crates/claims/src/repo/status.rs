//! What in the work tree is not as it was committed.

use std::hash::{Hash, Hasher};
use std::io::Read;
use std::sync::Arc;

use super::objects::LARGEST;
use super::{RepoError, Repository, command};
use crate::Entry;

/// The name for the content of what is gone.
pub(crate) const GONE: &str = "gone";

/// More changes than this are not looked at one by one (a forgotten `node_modules`).
const MOST_CHANGES: usize = 200_000;
/// So many bytes of changed files are kept.
const MOST_BYTES: usize = 64 << 20;

/// A file that is not as it was committed.
#[derive(Debug, Clone)]
pub struct Change {
    /// Its path.
    pub path: String,
    /// What it is now; `None` when it is gone.
    pub entry: Option<Entry>,
    /// A name for its content, never that of a committed one.
    pub id: String,
    /// Its bytes, unless it is too large.
    pub bytes: Option<Arc<[u8]>>,
}

impl Repository {
    /// Files that are not as they were committed: changed, added, deleted, or new and not ignored. Empty for a bare
    /// repository.
    pub fn changes(&self) -> Result<Vec<Change>, RepoError> {
        let Some(work_tree) = self.work_tree() else { return Ok(Vec::new()) };
        let mut left = MOST_BYTES;
        Ok(self.changed_paths()?.into_iter().map(|path| change(work_tree, path, &mut left)).collect())
    }

    /// The same in short, by sizes and times: whether anything has changed since it was last asked.
    pub fn uncommitted(&self) -> Result<u64, RepoError> {
        let mut stamp = std::hash::DefaultHasher::new();
        for path in self.changed_paths()? {
            let place = self.work_tree().map(|work_tree| work_tree.join(&path));
            let about = place.and_then(|place| std::fs::symlink_metadata(place).ok());
            (path, about.map(|about| (about.len(), about.modified().ok()))).hash(&mut stamp);
        }
        Ok(stamp.finish())
    }

    fn changed_paths(&self) -> Result<Vec<String>, RepoError> {
        let Some(work_tree) = self.work_tree() else { return Ok(Vec::new()) };
        let mut command = self.inner.shadow.command_in(work_tree, work_tree);
        command.args(["status", "--porcelain=v2", "-z", "--untracked-files=all", "--ignore-submodules=all"]);
        command.args(["--no-renames", "--no-ahead-behind"]);
        let mut paths = Vec::new();
        command::pieces(command, None, |piece| {
            paths.extend(path_of(piece));
            paths.len() < MOST_CHANGES
        })?;
        paths.sort_unstable();
        paths.dedup();
        Ok(paths)
    }
}

/// The path is behind the eighth blank of a changed file, the tenth of a conflict, the first of a new file.
fn path_of(piece: &[u8]) -> Option<String> {
    let text = std::str::from_utf8(piece).ok()?;
    let fields = match text.as_bytes().first()? {
        b'1' => 9,
        b'u' => 11,
        b'?' => 2,
        _ => return None,
    };
    text.splitn(fields, ' ').nth(fields - 1).map(str::to_owned)
}

impl Repository {
    /// A file of the work tree that was not kept; `None` when it is no plain file or too large.
    pub(crate) fn file(&self, path: &str) -> Option<Arc<[u8]>> {
        let work_tree = self.work_tree()?;
        let place = work_tree.join(path);
        if is_behind_link(work_tree, path) {
            return None;
        }
        std::fs::symlink_metadata(&place).ok().filter(std::fs::Metadata::is_file)?;
        read_plain(&place).map(Arc::from)
    }
}

/// Whether a folder on the way to a file is a link: to git the file is gone then, and the link may lead anywhere.
fn is_behind_link(work_tree: &std::path::Path, path: &str) -> bool {
    let mut folders = path.match_indices('/').filter_map(|(end, _)| path.get(..end));
    let is_link = |folder: &str| std::fs::symlink_metadata(work_tree.join(folder));
    folders.any(|folder| is_link(folder).is_ok_and(|metadata| metadata.is_symlink()))
}

/// The bytes of a file, as long as it is small when it is read.
fn read_plain(place: &std::path::Path) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    std::fs::File::open(place).ok()?.take(LARGEST + 1).read_to_end(&mut bytes).ok()?;
    (bytes.len() as u64 <= LARGEST).then_some(bytes)
}

fn change(work_tree: &std::path::Path, path: String, left: &mut usize) -> Change {
    // A folder that is a repository of its own is named with a slash at its end.
    let (path, is_repository) = match path.strip_suffix('/') {
        Some(folder) => (folder.to_owned(), true),
        None => (path, false),
    };
    let place = work_tree.join(&path);
    let gone = |path: String| Change { path, entry: None, id: GONE.to_owned(), bytes: None };
    if is_behind_link(work_tree, &path) {
        return gone(path);
    }
    let Ok(metadata) = std::fs::symlink_metadata(&place) else { return gone(path) };
    let (entry, bytes) = if metadata.is_symlink() {
        let target = std::fs::read_link(&place).ok();
        (Entry::Link, target.map(|target| target.to_string_lossy().into_owned().into_bytes()))
    } else if metadata.is_file() {
        let is_small = metadata.len() <= LARGEST && metadata.len() <= *left as u64;
        (Entry::File, is_small.then(|| read_plain(&place)).flatten())
    } else if metadata.is_dir() && is_repository {
        (Entry::Submodule, None)
    } else {
        return gone(path);
    };
    *left = left.saturating_sub(bytes.as_ref().map_or(0, Vec::len));
    let id = match &bytes {
        Some(bytes) => format!("work-{}", blake3::hash(bytes).to_hex()),
        None => format!("work-{}-{:?}", metadata.len(), metadata.modified().ok()),
    };
    Change { path, entry: Some(entry), id, bytes: bytes.map(Arc::from) }
}
