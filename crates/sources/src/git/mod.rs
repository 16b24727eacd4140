//! Documents out of a git repository.
//!
//! A bare repository in the cache holds one commit of each remote, without history, and of its files only those that were
//! wanted: commit and folders come first, then the contents of the documents, where the server can do that. There is never a
//! checkout; [`tree`] reads the object database.

mod command;
mod documents;
mod listening;
mod refs;
mod tree;
mod trouble;

use std::path::Path;

use command::{Failure, Git, Patience, packs};
use documents::{Plan, Stop};
use refs::{Remote, Target, looks_like_commit};

use crate::lock::{Turn, cache_failed};
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
    let (name, mut commit) = match target {
        Target::Named { name, .. } => {
            take(&git, &name, Files::Later).map_err(explain)?;
            (name, resolved(&git, FETCHED).map_err(explain)?)
        }
        Target::Commit(commit) => {
            let found = find_commit(&git, &commit, &mut notes).map_err(explain)?;
            let commit = found.ok_or_else(|| unknown(&git, &remote, &commit))?;
            (commit.clone(), commit)
        }
        Target::Unknown => return Err(unknown(&git, &remote, request.reference.unwrap_or("HEAD"))),
    };
    if context.known_revision == Some(&commit) {
        return Ok(Outcome::Unchanged);
    }
    let plan = match Plan::make(&git, request, &commit) {
        // A server that can leave files out but does not hand them out later, or a damaged copy.
        Err(Stop::Incomplete(Failure::Failed(_)) | Stop::Failed(Failure::Failed(_))) => {
            start_again(&git).and_then(|()| take(&git, &name, Files::Now)).map_err(explain)?;
            commit = resolved(&git, FETCHED).map_err(explain)?;
            Plan::make(&git, request, &commit)
        }
        other => other,
    };
    let plan = plan.map_err(|stop| stop.into_error(request.url))?;
    let mut fetched = plan.write(&git, request, &commit, into)?;
    fetched.version = fetched.version.or(version);
    fetched.revision = Some(commit);
    fetched.notes.append(&mut notes);
    Ok(Outcome::Fetched(Box::new(fetched)))
}

/// When the contents of files come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Files {
    /// When it is known which are wanted.
    Later,
    /// With the commit, all of them.
    Now,
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

/// Fetches the commit that `name` stands for, and its folders.
fn take(git: &Git<'_>, name: &str, files: Files) -> Result<(), Failure> {
    let place = format!("+{name}:{FETCHED}");
    let fetch =
        ["fetch", "--depth=1", "--no-tags", "--no-recurse-submodules", "--no-auto-maintenance", "--force"];
    let attempt = |filter: &[&str]| {
        let rest = ["--progress", "--", "source", &place];
        git.remote(&[&fetch, filter, &rest].concat(), None).map(drop)
    };
    if files == Files::Now {
        return attempt(&[]);
    }
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
        match take(git, &whole, Files::Later) {
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

/// `v1.2` is version 1.2.
fn version_in(tag: &str) -> String {
    match tag.strip_prefix('v') {
        Some(rest) if rest.starts_with(|c: char| c.is_ascii_digit()) => rest.to_owned(),
        _ => tag.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    /// Fetches from a server that takes the connection and says nothing, until the connection is closed again: whatever git
    /// had started to talk to the server is gone then.
    fn silence(patience: Patience, is_cancelled: &dyn Fn() -> bool) -> String {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}/repository", listener.local_addr().unwrap());
        let folder = tempfile::tempdir().unwrap();
        let context = Context {
            cache: folder.path(),
            project: None,
            known_revision: None,
            expected_hash: None,
            is_cancelled,
        };
        let request = Request { url: &url, reference: None, folder: None };
        let error = fetch_with(request, &context, &folder.path().join("into"), patience).unwrap_err();
        listener.set_nonblocking(true).unwrap();
        if let Ok((mut stream, _)) = listener.accept() {
            stream.set_nonblocking(false).unwrap();
            stream.set_read_timeout(Some(Duration::from_secs(10))).unwrap();
            std::io::Read::read_to_end(&mut stream, &mut Vec::new()).unwrap();
        }
        error.message
    }

    #[test]
    fn a_silent_server_is_given_up() {
        let patience = Patience { stall: Duration::from_millis(500), whole: Duration::from_secs(60) };
        let said = silence(patience, &|| false);
        assert!(said.contains("sent nothing"), "{said}");
        let patience = Patience { stall: Duration::from_secs(60), whole: Duration::from_millis(500) };
        let said = silence(patience, &|| false);
        assert!(said.contains("not fetched within"), "{said}");
    }

    #[test]
    fn whoever_stops_does_not_wait_for_the_server() {
        let start = std::time::Instant::now();
        let said = silence(Patience::default(), &|| start.elapsed() > Duration::from_millis(500));
        assert!(said.contains("cancelled"), "{said}");
        assert!(start.elapsed() < Duration::from_secs(30));
    }
}
