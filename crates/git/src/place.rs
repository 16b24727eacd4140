//! Where a repository keeps its things, found without git.
//!
//! These are the only files of the repository that are read by anything but git over our own folder: `.git`,
//! `commondir`, `HEAD`, references, and one word of `config`. All of them are small, plain files; anything else at their
//! place (a pipe, a device, a gigabyte) is damage.

use std::io::{ErrorKind, Read};
use std::path::{Path, PathBuf};

use crate::RepoError;

/// A reference or a pointer is a line; a list of packed references can be long.
const LARGEST: u64 = 64 << 20;
/// So many references may point at each other.
const MOST_HOPS: usize = 5;

/// Where a repository keeps its things.
#[derive(Debug, Clone)]
pub struct Place {
    /// Where `HEAD` and the index are: for a linked worktree a folder of its own.
    pub own: PathBuf,
    /// Where objects and references are.
    pub common: PathBuf,
    /// Where files are checked out; `None` for a bare repository and for one without an index.
    pub work_tree: Option<PathBuf>,
    /// Whether this is a folder that no repository is around.
    pub is_plain: bool,
}

impl Place {
    /// The repository that a path is in.
    pub fn around(path: &Path) -> Result<Self, RepoError> {
        let path = path.canonicalize().map_err(RepoError::file(path))?;
        for folder in path.ancestors() {
            let dot_git = folder.join(".git");
            if dot_git.exists() {
                return Self::of(&dot_git, Some(folder));
            }
            if is_git_folder(folder) {
                let around = folder.parent().filter(|_| folder.ends_with(".git"));
                return Self::of(folder, around);
            }
        }
        Err(RepoError::NotARepository(path))
    }

    /// A folder without a repository: it has files and no past.
    pub fn plain(folder: &Path) -> Result<Self, RepoError> {
        let folder = folder.canonicalize().map_err(RepoError::file(folder))?;
        if !folder.is_dir() {
            return Err(RepoError::NotARepository(folder));
        }
        let place = Self { own: folder.clone(), common: folder.clone(), work_tree: None, is_plain: true };
        Ok(Self { work_tree: Some(folder), ..place })
    }

    fn of(dot_git: &Path, work_tree: Option<&Path>) -> Result<Self, RepoError> {
        let own = if dot_git.is_dir() { dot_git.to_owned() } else { pointed_to(dot_git)? };
        let common = match read_small(&own.join("commondir"))? {
            Some(path) => own.join(path.trim_end_matches(['\n', '\r'])),
            None => own.clone(),
        };
        if !common.join("objects").is_dir() {
            let problem = "there are no objects of a repository".to_owned();
            return Err(RepoError::Damaged { path: common, problem });
        }
        let mut place = Self { own, common, work_tree: None, is_plain: false };
        // Without an index nothing is checked out, whatever else lies in the folder, unless nothing was ever committed.
        let is_used =
            place.own.join("index").is_file() || (!place.has_tables() && matches!(place.head(), Ok(None)));
        place.work_tree = work_tree.filter(|_| is_used).map(Path::to_owned);
        Ok(place)
    }

    /// The commit that `HEAD` names; `None` when there is none yet.
    pub fn head(&self) -> Result<Option<String>, RepoError> {
        let path = self.own.join("HEAD");
        let damaged = |problem: &str| RepoError::Damaged { path: path.clone(), problem: problem.to_owned() };
        let text = read_small(&path)?.ok_or_else(|| damaged("the file is missing"))?;
        self.follow(&path, text)
    }

    /// The branch that a clone got first, or else the one that is checked out; `None` where neither is known.
    pub fn main_branch(&self) -> Option<String> {
        let named = |path: PathBuf, below: &str| {
            let text = read_small(&path).ok().flatten()?;
            let name = text.trim().strip_prefix("ref:")?.trim().strip_prefix(below)?.to_owned();
            Some(name)
        };
        named(self.common.join("refs/remotes/origin/HEAD"), "refs/remotes/origin/")
            .or_else(|| named(self.own.join("HEAD"), "refs/heads/"))
    }

    /// The commit that a reference (`refs/heads/main`) names; `None` when there is no such reference.
    pub fn resolve(&self, name: &str) -> Result<Option<String>, RepoError> {
        let text = if is_reference(name) { self.reference(name)? } else { None };
        text.map_or(Ok(None), |text| self.follow(&self.common.join(name), text))
    }

    fn follow(&self, path: &Path, mut text: String) -> Result<Option<String>, RepoError> {
        let damaged =
            |problem: &str| RepoError::Damaged { path: path.to_owned(), problem: problem.to_owned() };
        for _ in 0..MOST_HOPS {
            let line = text.trim();
            let Some(name) = line.strip_prefix("ref:").map(str::trim) else {
                return if is_id(line) {
                    Ok(Some(line.to_owned()))
                } else {
                    Err(damaged("it names no commit"))
                };
            };
            if !is_reference(name) {
                return Err(damaged("it names something outside the repository"));
            }
            match self.reference(name)? {
                Some(next) => text = next,
                None => return Ok(None),
            }
        }
        Err(damaged("its references go round in circles"))
    }

    fn reference(&self, name: &str) -> Result<Option<String>, RepoError> {
        for folder in [&self.own, &self.common] {
            let path = folder.join(name);
            // A folder is that of other references; what is there and cannot be read is not "no commit yet".
            if !path.is_dir()
                && let Some(text) = read_small(&path)?
            {
                return Ok(Some(text));
            }
        }
        let packed = read_small(&self.common.join("packed-refs"))?.unwrap_or_default();
        let id = |line: &str| Some(line.strip_suffix(name)?.strip_suffix(' ')?.to_owned());
        Ok(packed.lines().find_map(id))
    }

    /// Whether references are kept in tables that only git reads.
    pub fn has_tables(&self) -> bool {
        self.common.join("reftable").is_dir()
    }

    /// Whether objects are named by SHA-256.
    pub fn is_sha256(&self, head: Option<&str>) -> bool {
        if let Some(head) = head {
            return head.len() == 64;
        }
        let config = read_small(&self.common.join("config")).ok().flatten().unwrap_or_default();
        config.lines().any(|line| {
            let line: String = line.to_ascii_lowercase().split_whitespace().collect();
            line == "objectformat=sha256"
        })
    }
}

/// A small, plain file as text; `None` when it is not there.
pub fn read_small(path: &Path) -> Result<Option<String>, RepoError> {
    let metadata = match std::fs::metadata(path) {
        Ok(metadata) => metadata,
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
            return Ok(None);
        }
        Err(error) => return Err(RepoError::file(path)(error)),
    };
    if !metadata.is_file() || metadata.len() > LARGEST {
        let problem = "this should be a small file".to_owned();
        return Err(RepoError::Damaged { path: path.to_owned(), problem });
    }
    let mut bytes = Vec::new();
    let file = std::fs::File::open(path).map_err(RepoError::file(path))?;
    file.take(LARGEST).read_to_end(&mut bytes).map_err(RepoError::file(path))?;
    Ok(Some(String::from_utf8_lossy(&bytes).into_owned()))
}

/// Whether this is the full name of an object.
pub fn is_id(text: &str) -> bool {
    matches!(text.len(), 40 | 64) && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

fn pointed_to(dot_git: &Path) -> Result<PathBuf, RepoError> {
    let text = read_small(dot_git)?.unwrap_or_default();
    let target = text.strip_prefix("gitdir:").map(str::trim).filter(|target| !target.is_empty());
    let folder = target.zip(dot_git.parent()).map(|(target, around)| around.join(target));
    folder.filter(|folder| folder.is_dir()).ok_or_else(|| RepoError::Damaged {
        path: dot_git.to_owned(),
        problem: "it points to a repository that is not there".to_owned(),
    })
}

fn is_git_folder(folder: &Path) -> bool {
    folder.join("HEAD").is_file() && folder.join("objects").is_dir() && folder.join("refs").is_dir()
}

/// References are files below `refs`; a name must not lead out of it.
fn is_reference(name: &str) -> bool {
    name.starts_with("refs/") && !name.split('/').any(|part| part.is_empty() || part == "." || part == "..")
}
