//! Where a repository keeps its things, found without git.
//!
//! These are the only files of the repository that are read by anything but git over our own folder: `.git`,
//! `commondir`, `HEAD`, references, and one word of `config`. All of them are small, plain files; anything else at their
//! place (a pipe, a device, a gigabyte) is damage.

use std::io::Read;
use std::path::{Path, PathBuf};

use super::RepoError;

/// A reference or a pointer is a line; a list of packed references can be long.
const LARGEST: u64 = 64 << 20;
/// So many references may point at each other.
const MOST_HOPS: usize = 5;

/// Where a repository keeps its things.
#[derive(Debug, Clone)]
pub(super) struct Place {
    /// Where `HEAD` and the index are: for a linked worktree a folder of its own.
    pub(super) own: PathBuf,
    /// Where objects and references are.
    pub(super) common: PathBuf,
    /// Where files are checked out; `None` for a bare repository and for one without an index.
    pub(super) work_tree: Option<PathBuf>,
}

impl Place {
    /// The repository that a path is in.
    pub(super) fn around(path: &Path) -> Result<Self, RepoError> {
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
        // Without an index nothing is checked out, whatever else lies in the folder.
        let work_tree = work_tree.filter(|_| own.join("index").is_file()).map(Path::to_owned);
        Ok(Self { own, common, work_tree })
    }

    /// The commit that `HEAD` names; `None` when there is none yet.
    pub(super) fn head(&self) -> Result<Option<String>, RepoError> {
        let path = self.own.join("HEAD");
        let damaged = |problem: &str| RepoError::Damaged { path: path.clone(), problem: problem.to_owned() };
        let mut text = read_small(&path)?.ok_or_else(|| damaged("the file is missing"))?;
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
            if path.is_file() {
                return read_small(&path);
            }
        }
        let packed = read_small(&self.common.join("packed-refs"))?.unwrap_or_default();
        let id = |line: &str| Some(line.strip_suffix(name)?.strip_suffix(' ')?.to_owned());
        Ok(packed.lines().find_map(id))
    }

    /// Whether references are kept in tables that only git reads.
    pub(super) fn has_tables(&self) -> bool {
        self.common.join("reftable").is_dir()
    }

    /// Whether objects are named by SHA-256.
    pub(super) fn is_sha256(&self, head: Option<&str>) -> bool {
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
pub(super) fn read_small(path: &Path) -> Result<Option<String>, RepoError> {
    let metadata = match std::fs::metadata(path) {
        Ok(metadata) => metadata,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
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
pub(super) fn is_id(text: &str) -> bool {
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
