//! Documents out of a git repository.
//!
//! A bare repository in the cache holds one commit of each remote, without history, and of its files only those that were
//! wanted: commit and folders come first, then the contents of the documents, where the server can do that. There is never a
//! checkout; [`tree`] reads the object database.

mod command;
mod refs;
mod tree;
mod trouble;

use std::path::Path;
use std::time::{Duration, SystemTime};

use command::{Failure, Git, Patience, packs};
use refs::{Remote, Target, looks_like_commit};
use tree::{Content, Contents, TreeEntry};

use crate::intake::Intake;
use crate::landing::{LARGEST_FILE, MOST_FILES};
use crate::lock::{Turn, cache_failed};
use crate::manifest::{self, Manifest};
use crate::selection::Selection;
use crate::{Context, Outcome, SourceError};

/// The commit that was fetched last.
const FETCHED: &str = "refs/docent/fetched";
/// A copy that has grown by so many fetches is thrown away.
const MOST_PACKS: usize = 60;

/// What to fetch.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Request<'r> {
    pub(crate) url: &'r str,
    pub(crate) reference: Option<&'r str>,
    pub(crate) folder: Option<&'r str>,
}

/// Writes the documents of a commit into the empty folder `into`.
pub(crate) fn fetch(
    request: Request<'_>,
    context: &Context<'_>,
    into: &Path,
) -> Result<Outcome, SourceError> {
    fetch_with(request, context, into, Patience::default())
}

fn fetch_with(
    request: Request<'_>,
    context: &Context<'_>,
    into: &Path,
    patience: Patience,
) -> Result<Outcome, SourceError> {
    // A commit never changes.
    if let (Some(reference), Some(known)) = (request.reference, context.known_revision)
        && looks_like_commit(reference)
        && known.starts_with(&reference.to_ascii_lowercase())
        && looks_like_commit(known)
    {
        return Ok(Outcome::Unchanged);
    }
    let cache = context.cache.join("git");
    std::fs::create_dir_all(&cache).map_err(|error| cache_failed(&cache, &error))?;
    let name = blake3::hash(request.url.as_bytes()).to_hex();
    let name = name.get(..32).unwrap_or(&name);
    let _turn = Turn::wait(&cache.join(format!("{name}.lock")), context)?;
    let repository = cache.join(format!("{name}.git"));
    let git = Git { repository, url: request.url, patience, context };
    let mut notes = Vec::new();
    let explain = |failure| trouble::explain(failure, request.url);
    prepare(&git).map_err(explain)?;
    let remote = Remote::ask(&git, request.reference).map_err(explain)?;
    let target = remote.resolve(request.reference);
    if let Target::Named { commit, .. } = &target
        && context.known_revision == Some(commit)
    {
        return Ok(Outcome::Unchanged);
    }
    let version = match &target {
        Target::Named { name, .. } => name.strip_prefix("refs/tags/").map(version_in),
        _ => None,
    };
    let commit = match target {
        Target::Named { name, .. } => {
            take(&git, &name).map_err(explain)?;
            resolved(&git, FETCHED).map_err(explain)?
        }
        Target::Commit(commit) => find_commit(&git, &commit, &mut notes)
            .map_err(explain)?
            .ok_or_else(|| unknown(&git, &remote, &commit))?,
        Target::Unknown => return Err(unknown(&git, &remote, request.reference.unwrap_or("HEAD"))),
    };
    if context.known_revision == Some(&commit) {
        return Ok(Outcome::Unchanged);
    }
    let mut fetched = write(&git, request, &commit, into)?;
    fetched.version = fetched.version.or(version);
    fetched.revision = Some(commit);
    fetched.notes.append(&mut notes);
    Ok(Outcome::Fetched(Box::new(fetched)))
}

/// Makes the repository in the cache, anew if it has become large or is not one.
fn prepare(git: &Git<'_>) -> Result<(), Failure> {
    let is_usable = git.repository.join("HEAD").exists()
        && packs(&git.repository) <= MOST_PACKS
        && git.local(&["rev-parse", "--is-bare-repository"]).is_ok();
    if is_usable {
        return Ok(());
    }
    start_again(git)
}

fn start_again(git: &Git<'_>) -> Result<(), Failure> {
    match std::fs::remove_dir_all(&git.repository) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(Failure::Io(error)),
        _ => {}
    }
    git.init()
}

/// Fetches the commit that `name` stands for, and its folders; the files too if the server cannot leave them out.
fn take(git: &Git<'_>, name: &str) -> Result<(), Failure> {
    let place = format!("+{name}:{FETCHED}");
    let fetch =
        ["fetch", "--depth=1", "--no-tags", "--no-recurse-submodules", "--no-auto-maintenance", "--force"];
    let attempt = |filter: &[&str]| {
        let rest = ["--progress", "--", "source", &place];
        git.remote(&[&fetch, filter, &rest].concat(), None).map(drop)
    };
    match attempt(&["--filter=blob:none"]) {
        // An older server may trip over the filter, and a damaged copy over anything.
        Err(Failure::Failed(_)) => {
            start_again(git)?;
            attempt(&[])
        }
        other => other,
    }
}

fn resolved(git: &Git<'_>, name: &str) -> Result<String, Failure> {
    let commit =
        git.local(&["rev-parse", "--verify", "--quiet", "--end-of-options", &format!("{name}^{{commit}}")])?;
    Ok(String::from_utf8_lossy(&commit).trim().to_owned())
}

/// Fetches a commit by its name. Servers hand out the tips of branches and tags, and some any commit; for the others, and for
/// the beginning of a name, the whole history is needed.
fn find_commit(git: &Git<'_>, commit: &str, notes: &mut Vec<String>) -> Result<Option<String>, Failure> {
    let whole = match commit.len() {
        40 | 64 => Some(commit.to_owned()),
        _ => Remote::ask_all(git)?.with_prefix(commit),
    };
    if let Some(whole) = whole {
        match take(git, &whole) {
            Ok(()) => return resolved(git, FETCHED).map(Some),
            Err(Failure::Failed(_)) => {}
            Err(other) => return Err(other),
        }
    }
    let spec = ["--", "source", "+refs/heads/*:refs/docent/heads/*", "+refs/tags/*:refs/docent/tags/*"];
    let fetch =
        ["fetch", "--no-tags", "--no-recurse-submodules", "--no-auto-maintenance", "--force", "--progress"];
    start_again(git)?;
    git.remote(&[&fetch[..], &spec].concat(), None)?;
    notes.push(format!(
        "the whole history was fetched, because the server does not hand out {commit} by itself"
    ));
    match resolved(git, commit) {
        Ok(commit) => Ok(Some(commit)),
        Err(Failure::Failed(_)) => Ok(None),
        Err(other) => Err(other),
    }
}

/// The error for a name that the remote does not have.
fn unknown(git: &Git<'_>, remote: &Remote, reference: &str) -> SourceError {
    let all = Remote::ask_all(git).unwrap_or_default();
    if remote.is_empty() && all.is_empty() {
        let message = format!("the repository {} is empty", git.url);
        return SourceError::failed(message, "push a commit, and try again");
    }
    let close = all.close_to(reference);
    let hint = match (close.as_slice(), &remote.default_branch) {
        ([], Some(branch)) => format!("its default branch is {branch}"),
        ([], None) => "look which branches and tags it has with git ls-remote".to_owned(),
        (close, _) => format!("it has {}", close.join(", ")),
    };
    SourceError::failed(format!("{} has no branch, tag or commit {reference}", git.url), hint)
}

fn write(
    git: &Git<'_>,
    request: Request<'_>,
    commit: &str,
    into: &Path,
) -> Result<crate::Fetched, SourceError> {
    let explain = |failure| trouble::explain(failure, request.url);
    let root = match request.folder {
        Some(folder) => format!("{commit}:{folder}"),
        None => commit.to_owned(),
    };
    let files = match (tree::files(git, &root), request.folder) {
        (Ok(files), _) => files,
        (Err(Failure::Failed(_)), Some(folder)) => return Err(no_folder(git, request.url, commit, folder)),
        (Err(failure), _) => return Err(explain(failure)),
    };
    let own_manifest =
        files.iter().find(|file| file.path == manifest::FILE.as_bytes() && file.obstacle.is_none());
    let usual = |file: &&TreeEntry| file.obstacle.is_none() && Selection::Usual.takes(&lossy(file));
    bring(git, own_manifest.into_iter().chain(files.iter().filter(usual))).map_err(explain)?;
    let manifest = match own_manifest {
        Some(file) => {
            match Contents::open(git).and_then(|mut all| all.get(&file.object, manifest::LARGEST)) {
                Ok(Content::Bytes(bytes)) => Manifest::in_set(&bytes)?,
                Ok(_) => None,
                Err(failure) => return Err(explain(failure)),
            }
        }
        None => None,
    };
    if manifest.is_some() {
        let selection = Selection::of(manifest.as_ref())?;
        let listed = |file: &&TreeEntry| file.obstacle.is_none() && selection.takes(&lossy(file));
        bring(git, files.iter().filter(listed)).map_err(explain)?;
    }
    let modified = committed(git, commit);
    let mut intake = Intake::new(into, manifest)?;
    let mut contents = Contents::open(git).map_err(explain)?;
    for file in &files {
        git.context.go_on()?;
        let Some(path) = intake.admit(&file.path, 0, file.obstacle) else { continue };
        match contents.get(&file.object, LARGEST_FILE).map_err(explain)? {
            Content::Bytes(bytes) => intake.take(path, &bytes, modified)?,
            Content::Large => intake.pass_over(path, &format!("larger than {} MiB", LARGEST_FILE >> 20)),
            Content::Missing => {
                let message = format!("{} did not send {path}", request.url);
                return Err(SourceError::failed(
                    message,
                    "try again; if it stays so, the repository is damaged",
                ));
            }
        }
    }
    intake.finish(&match request.folder {
        Some(folder) => format!("the folder {folder} of {}", request.url),
        None => request.url.to_owned(),
    })
}

/// Fetches the contents that are not here yet, in one go.
fn bring<'f>(git: &Git<'_>, files: impl Iterator<Item = &'f TreeEntry>) -> Result<(), Failure> {
    let mut objects: Vec<&str> = files.map(|file| file.object.as_str()).collect();
    objects.sort_unstable();
    objects.dedup();
    objects.truncate(usize::try_from(MOST_FILES).unwrap_or(usize::MAX) + 1);
    if objects.is_empty() || !git.repository.join("config").exists() {
        return Ok(());
    }
    let asked = objects.iter().map(|object| format!("{object}\n")).collect::<String>();
    let known = git.local_with(&["cat-file", "--batch-check"], asked)?;
    let known = String::from_utf8_lossy(&known);
    let missing: String = known
        .lines()
        .filter_map(|line| line.strip_suffix(" missing"))
        .map(|object| format!("{object}\n"))
        .collect();
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
    git.remote(&fetch, Some(missing)).map(drop)
}

fn no_folder(git: &Git<'_>, url: &str, commit: &str, folder: &str) -> SourceError {
    let listed = git.local(&["ls-tree", "-d", "-z", "--name-only", commit]).unwrap_or_default();
    let names = listed.split(|byte| *byte == 0).filter(|name| !name.is_empty()).take(12);
    let names: Vec<String> = names.map(crate::landing::shown).collect();
    let hint = match names.as_slice() {
        [] => "it has no folders".to_owned(),
        names => format!("it has {}", names.join(", ")),
    };
    SourceError::failed(format!("{url} has no folder {folder}"), hint)
}

/// When the commit was made.
fn committed(git: &Git<'_>, commit: &str) -> Option<SystemTime> {
    let time = git
        .local(&["show", "--no-patch", "--no-notes", "--no-show-signature", "--format=%ct", commit])
        .ok()?;
    let seconds = String::from_utf8_lossy(&time).trim().parse().ok()?;
    SystemTime::UNIX_EPOCH.checked_add(Duration::from_secs(seconds))
}

/// `v1.2` is version 1.2.
fn version_in(tag: &str) -> String {
    match tag.strip_prefix('v') {
        Some(rest) if rest.starts_with(|c: char| c.is_ascii_digit()) => rest.to_owned(),
        _ => tag.to_owned(),
    }
}

fn lossy(file: &TreeEntry) -> std::borrow::Cow<'_, str> {
    String::from_utf8_lossy(&file.path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_silent_server_is_given_up_together_with_everything_that_git_started() {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}/repository", listener.local_addr().unwrap());
        let folder = tempfile::tempdir().unwrap();
        let context = Context {
            cache: folder.path(),
            project: None,
            known_revision: None,
            expected_hash: None,
            is_cancelled: &|| false,
        };
        let request = Request { url: &url, reference: None, folder: None };
        let patience = Patience { stall: Duration::from_millis(500), whole: Duration::from_secs(60) };
        let error = fetch_with(request, &context, &folder.path().join("into"), patience).unwrap_err();
        assert!(error.message.contains("sent nothing"), "{error}");
        // The helper that git had started is gone: its connection is closed.
        let (mut stream, _) = listener.accept().unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(10))).unwrap();
        let mut heard = Vec::new();
        std::io::Read::read_to_end(&mut stream, &mut heard).unwrap();
    }
}
