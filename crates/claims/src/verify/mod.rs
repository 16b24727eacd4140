//! Verification: documents → claims → the present → the past of what fails → verdicts with their evidence.
//!
//! Only what fails now is looked up in the past, and an earlier result spares everything that nothing has happened to.
//! What was seen in a past commit does not change, so it is kept in the store of facts. The steps are in the modules:
//! `reuse`, `read`, `past`, `settle`, `doubt`.

mod doubt;
mod excused;
mod explain;
mod foreign;
mod lately;
mod manifests;
mod memory;
mod moment;
mod past;
mod read;
mod reuse;
mod rewritten;
mod samples;
mod settle;
mod state;
mod touched;

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

pub(crate) use memory::Remembered;
pub use state::{DocumentState, Judgement, Looked, Verification};

use crate::facts::FactStore;
use crate::history::History;
use crate::parallel;
use crate::repo::{RepoError, Repository};
use crate::suppress::{Baseline, Suppressions, Waiver};
use crate::world::WorkState;
use crate::{Verdict, World};

/// Raised when extraction or a check says something else about the same bytes: results of other rules are not reused.
pub(crate) const RULES: u32 = 61;

/// What is wanted.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// Documents and folders, from the root; all without any.
    pub paths: Vec<String>,
    /// Waivers of the configuration.
    pub waivers: Vec<Waiver>,
    /// What was known when checking began.
    pub baseline: Baseline,
    /// The date, as `2026-11-16`: waivers may have expired.
    pub today: String,
    /// On so many threads; 0 means two.
    pub threads: usize,
}

/// How far a verification is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Step {
    /// What is being done: `reading`, `checking`, `blaming`, `looking back`, `finding what broke`.
    pub name: &'static str,
    /// So much of it is done.
    pub done: usize,
    /// Of so much.
    pub total: usize,
}

/// Whoever waits for a verification.
#[derive(Clone, Copy)]
pub struct Watch<'a> {
    /// Is told how far it is.
    pub progress: &'a (dyn Fn(Step) + Sync),
    /// Says whether nobody waits any more.
    pub is_cancelled: &'a (dyn Fn() -> bool + Sync),
}

impl Watch<'_> {
    /// Waits until the end and does not want to be told anything.
    pub const SILENT: Watch<'static> = Watch { progress: &|_| {}, is_cancelled: &|| false };
}

impl std::fmt::Debug for Watch<'_> {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("Watch")
    }
}

/// What a step needs.
struct Run<'a> {
    repository: &'a Repository,
    options: &'a Options,
    state: &'a WorkState,
    now: &'a World,
    history: &'a History,
    store: Arc<dyn FactStore>,
    /// Where lines are blamed: at the commit that holds the documents as they are read.
    blamed: &'a Repository,
    /// Which claims are to be explained; finding out what broke a claim takes most of the time.
    is_wanted: &'a (dyn Fn(&crate::Claim) -> bool + Sync),
    watch: Watch<'a>,
}

/// A state of the past with documents of another one.
pub(crate) struct Replay<'a> {
    /// The repository as of the commit.
    pub(crate) repository: &'a Repository,
    /// The same as of the commit that holds the documents.
    pub(crate) blamed: &'a Repository,
    /// The files.
    pub(crate) state: &'a WorkState,
    /// The state that they make.
    pub(crate) now: &'a World,
    /// The past of the commit.
    pub(crate) history: &'a History,
    /// Where facts are kept.
    pub(crate) store: Arc<dyn FactStore>,
    /// Which claims are to be explained.
    pub(crate) is_wanted: &'a (dyn Fn(&crate::Claim) -> bool + Sync),
}

/// Verifies documents in a state of the past exactly as [`verify`] does in the present.
pub(crate) fn replay(
    replay: &Replay<'_>,
    options: &Options,
    watch: Watch<'_>,
) -> Result<std::collections::BTreeMap<String, DocumentState>, RepoError> {
    let run = Run {
        repository: replay.repository,
        options,
        state: replay.state,
        now: replay.now,
        history: replay.history,
        store: Arc::clone(&replay.store),
        blamed: replay.blamed,
        is_wanted: replay.is_wanted,
        watch,
    };
    let wanted = read::documents(&run);
    Ok(anew(&run, &wanted, None)?.into_iter().collect())
}

/// Of so many documents some will have to be blamed.
const MANY: usize = 50;

/// What has to be known of the history to look back at any claim.
fn walk(run: &Run<'_>, documents: usize) -> samples::Samples {
    run.blamed.prepare_walks(documents);
    let samples = samples::samples(run);
    run.history.deletions();
    samples
}

/// Verifies documents that an earlier verification does not spare.
fn anew(
    run: &Run<'_>,
    documents: &[(String, String)],
    earlier: Option<&reuse::Earlier<'_>>,
) -> Result<Vec<(String, DocumentState)>, RepoError> {
    if documents.is_empty() {
        return Ok(Vec::new());
    }
    let (readings, samples) = std::thread::scope(|scope| {
        // Git walks through the whole history on one core, and nothing of that waits for the documents.
        let walks = (documents.len() >= MANY).then(|| scope.spawn(|| walk(run, documents.len())));
        let readings = read::read(run, documents, earlier);
        let samples = walks.and_then(|walks| walks.join().ok()).unwrap_or_else(|| samples::samples(run));
        (readings, samples)
    });
    let readings = readings?;
    let failing = past::failing(run, &readings, &samples)?;
    let failing = past::look_back(run, &readings, &samples, failing)?;
    settle::settle(run, readings, &failing)
}

/// Verifies the documents of a repository, from an earlier result where there is one.
pub fn verify(
    repository: &Repository,
    options: &Options,
    previous: Option<&Verification>,
    store: Arc<dyn FactStore>,
    watch: Watch<'_>,
) -> Result<Verification, RepoError> {
    let store: Arc<dyn FactStore> = Arc::new(memory::Remembered::over(store));
    let state = WorkState::read(repository)?;
    let now = World::of_work_tree(repository, &state, Arc::clone(&store));
    let history = History::new(repository, Arc::clone(&store));
    let run = Run {
        repository,
        options,
        state: &state,
        now: &now,
        history: &history,
        store,
        blamed: repository,
        is_wanted: &|_| true,
        watch,
    };
    let mut wanted = read::documents(&run);
    let asked: Vec<String> = wanted.iter().map(|(path, _)| path.clone()).collect();
    let (mut documents, earlier) = match previous {
        Some(previous) => reuse::reuse(&run, previous, &wanted)?,
        None => Default::default(),
    };
    wanted.retain(|(path, _)| !documents.contains_key(path));
    let fresh = wanted.len();
    documents.extend(anew(&run, &wanted, earlier.as_ref())?);
    let packages = match previous {
        // Nothing has changed that could have been looked at.
        Some(previous) if fresh == 0 && reuse::is_same_state(&run, previous) => previous.packages.clone(),
        _ => crate::checks::packages(&now),
    };
    let unread_documents = asked.into_iter().filter(|path| !documents.contains_key(path)).collect();
    let uncommitted_words = reuse::uncommitted_words(&run, &documents);
    let mut verification = Verification {
        rules: RULES,
        packages,
        uncommitted_words,
        depth: repository.depth(),
        head: repository.head().map(str::to_owned),
        changes: state.changes.iter().map(|(path, change)| (path.clone(), change.id.clone())).collect(),
        documents,
        unread_documents,
        unreadable_paths: state.unreadable_paths,
        fresh,
    };
    let newest = repository.head().and_then(|head| repository.commit(head)).map_or(0, |commit| commit.time);
    doubt::doubt(&mut verification.documents, newest);
    suppress(&mut verification, options);
    Ok(verification)
}

/// Waivers change without the repository, so they are looked at every time.
fn suppress(verification: &mut Verification, options: &Options) {
    let mut suppressions = Suppressions::new(&options.waivers, &options.baseline, &options.today);
    for document in verification.documents.values_mut() {
        let waivers = &document.waivers;
        for looked in &mut document.claims {
            let is_finding = looked.told().is_some_and(|it| it.verdict != Verdict::Verified);
            looked.suppressed = is_finding.then(|| suppressions.reason(&looked.claim, waivers)).flatten();
        }
    }
}

impl Run<'_> {
    /// Does the same for many things, tells how far it is, and ends when nobody waits any more.
    fn each<T: Sync, R: Send>(
        &self,
        name: &'static str,
        items: &[T],
        work: impl Fn(&T) -> R + Sync,
    ) -> Result<Vec<R>, RepoError> {
        let done = AtomicUsize::new(0);
        let threads = if self.options.threads == 0 { 2 } else { self.options.threads };
        let results = parallel::each(threads, items, |item| {
            if (self.watch.is_cancelled)() {
                return None;
            }
            let result = work(item);
            let done = done.fetch_add(1, Ordering::Relaxed) + 1;
            (self.watch.progress)(Step { name, done, total: items.len() });
            Some(result)
        });
        results.into_iter().collect::<Option<Vec<R>>>().ok_or(RepoError::Cancelled)
    }

    /// Whether a path is in the commit that is checked out.
    fn is_in_head(&self, path: &str) -> bool {
        let head = self.repository.head().and_then(|head| self.history.world(head).ok());
        head.is_some_and(|head| head.entry(path).is_some())
    }
}
