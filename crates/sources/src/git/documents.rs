//! The documents of a commit: which files they are, their contents fetched in one go, and written.

use std::path::Path;
use std::time::{Duration, SystemTime};

use super::command::{Failure, Git};
use super::tree::{self, Content, Contents, TreeEntry};
use super::{Request, trouble};
use crate::intake::Intake;
use crate::landing::{LARGEST_FILE, shown};
use crate::manifest::{self, Manifest};
use crate::selection::Selection;
use crate::{Fetched, SourceError};

/// What is written of a commit; the contents are here.
#[derive(Debug)]
pub(super) struct Plan {
    files: Vec<TreeEntry>,
    manifest: Option<Manifest>,
}

/// Why there is no plan.
#[derive(Debug)]
pub(super) enum Stop {
    /// The server did not send contents that it left out before.
    Incomplete(Failure),
    /// Git failed otherwise.
    Failed(Failure),
    /// The commit is not what it should be.
    Refused(SourceError),
}

impl Stop {
    pub(super) fn into_error(self, url: &str) -> SourceError {
        match self {
            Self::Incomplete(failure) | Self::Failed(failure) => trouble::explain(failure, url),
            Self::Refused(error) => error,
        }
    }
}

impl From<SourceError> for Stop {
    fn from(error: SourceError) -> Self {
        Self::Refused(error)
    }
}

impl Plan {
    /// Lists the files of a commit, and fetches what is wanted of them.
    pub(super) fn make(git: &Git<'_>, request: Request<'_>, commit: &str) -> Result<Self, Stop> {
        let root = match request.folder {
            Some(folder) => format!("{commit}:{folder}"),
            None => commit.to_owned(),
        };
        let listed = tree::file(git, &root, manifest::FILE);
        let own_manifest = match (listed, request.folder) {
            (Ok(found), _) => found.filter(|file| file.obstacle.is_none()),
            (Err(Failure::Failed(_)), Some(folder)) => {
                return Err(no_folder(git, request.url, commit, folder).into());
            }
            (Err(failure), _) => return Err(Stop::Failed(failure)),
        };
        // It decides which of the many files are kept, so it is read first.
        let manifest = match own_manifest {
            Some(file) => {
                bring(git, std::slice::from_ref(&file))?;
                let content =
                    Contents::open(git).and_then(|mut all| all.get(&file.object, manifest::LARGEST));
                match content.map_err(Stop::Failed)? {
                    Content::Bytes(bytes) => Manifest::in_set(&bytes)?,
                    Content::Large | Content::Missing => None,
                }
            }
            None => None,
        };
        let selection = Selection::of(manifest.as_ref())?;
        let files = tree::files(git, &root, selection).map_err(Stop::Failed)?;
        bring(git, &files)?;
        Ok(Self { files, manifest })
    }

    /// Writes the documents into the empty folder `into`.
    pub(super) fn write(
        self,
        git: &Git<'_>,
        request: Request<'_>,
        commit: &str,
        into: &Path,
    ) -> Result<Fetched, SourceError> {
        let explain = |failure| trouble::explain(failure, request.url);
        let modified = committed(git, commit);
        let mut intake = Intake::new(into, self.manifest)?;
        let mut contents = Contents::open(git).map_err(explain)?;
        for file in &self.files {
            git.context.go_on()?;
            let Some(path) = intake.admit(&file.path, 0, file.obstacle) else { continue };
            match contents.get(&file.object, LARGEST_FILE).map_err(explain)? {
                Content::Bytes(bytes) => intake.take(path, &bytes, modified)?,
                Content::Large => intake.pass_over(path, &format!("larger than {} MiB", LARGEST_FILE >> 20)),
                Content::Missing => {
                    let message = format!("{} did not send {path}", request.url);
                    let hint = "try again; if it stays so, the repository is damaged";
                    return Err(SourceError::failed(message, hint));
                }
            }
        }
        intake.finish(&match request.folder {
            Some(folder) => format!("the folder {folder} of {}", request.url),
            None => request.url.to_owned(),
        })
    }
}

/// Fetches the contents that are not here yet, in one go.
fn bring(git: &Git<'_>, files: &[TreeEntry]) -> Result<(), Stop> {
    let regular = files.iter().filter(|file| file.obstacle.is_none());
    let mut objects: Vec<&str> = regular.map(|file| file.object.as_str()).collect();
    objects.sort_unstable();
    objects.dedup();
    if objects.is_empty() {
        return Ok(());
    }
    let asked: String = objects.iter().map(|object| format!("{object}\n")).collect();
    let known = git.local_with(&["cat-file", "--batch-check"], asked).map_err(Stop::Failed)?;
    let known = String::from_utf8_lossy(&known);
    let missing = known.lines().filter_map(|line| line.strip_suffix(" missing"));
    let missing: String = missing.map(|object| format!("{object}\n")).collect();
    if missing.is_empty() {
        return Ok(());
    }
    // As git itself does it for objects that it left out before.
    let fetch = [
        "-c",
        "fetch.negotiationAlgorithm=noop",
        "fetch",
        "--no-tags",
        "--no-write-fetch-head",
        "--no-recurse-submodules",
        "--no-auto-maintenance",
        "--filter=blob:none",
        "--progress",
        "--stdin",
        "source",
    ];
    git.remote(&fetch, Some(missing)).map(drop).map_err(Stop::Incomplete)
}

fn no_folder(git: &Git<'_>, url: &str, commit: &str, folder: &str) -> SourceError {
    let listed = git.local(&["ls-tree", "-d", "-z", "--name-only", commit]).unwrap_or_default();
    let names = listed.split(|byte| *byte == 0).filter(|name| !name.is_empty()).take(12);
    let names: Vec<String> = names.map(shown).collect();
    let hint = match names.as_slice() {
        [] => "it has no folders".to_owned(),
        names => format!("it has {}", names.join(", ")),
    };
    SourceError::failed(format!("{url} has no folder {folder}"), hint)
}

/// When the commit was made.
fn committed(git: &Git<'_>, commit: &str) -> Option<SystemTime> {
    let show = ["show", "--no-patch", "--no-notes", "--no-show-signature", "--format=%ct", commit];
    let seconds = String::from_utf8_lossy(&git.local(&show).ok()?).trim().parse().ok()?;
    SystemTime::UNIX_EPOCH.checked_add(Duration::from_secs(seconds))
}
