//! Brings the index in line with a source: scan, plan, read and cut in parallel, apply in batches.
//!
//! Each batch is one generation, so stopping at any moment loses at most the batch in hand, and the next run goes on
//! where this one stopped. Nothing is embedded here: a document is searchable by its words as soon as it is applied.

use std::collections::{BTreeMap, BTreeSet};

use docent_index::{Change, Collection, ContentHash, Failure, FileStat, Filter, Snapshot, Store};
use docent_text::ChunkOptions;

use crate::about::About;
use crate::engine::library_has_the_name;
use crate::parallel::in_parallel;
use crate::plan::{Plan, plan};
use crate::prepare::{self, Unread};
use crate::progress::{Cancel, Event, Observer};
use crate::scan::{Scan, scan};
use crate::{EngineError, Source};

/// A batch is applied when it holds this much text…
pub(crate) const BATCH_BYTES: usize = 32 * 1024 * 1024;
/// … or this many files.
const BATCH_FILES: usize = 4096;

/// What a run did.
#[derive(Debug, Clone, PartialEq, Eq, Default, serde::Serialize)]
pub struct IngestReport {
    /// Documents in the folder.
    pub files: usize,
    /// New documents.
    pub added: usize,
    /// Documents whose content changed.
    pub changed: usize,
    /// Documents that are gone.
    pub deleted: usize,
    /// Documents that needed no work.
    pub unchanged: usize,
    /// What was passed over: path and reason.
    pub problems: Vec<Problem>,
    /// How many of these are folders or names that could not even be looked at.
    #[serde(skip)]
    pub unseen: usize,
    /// Documents whose file can be written to under another name.
    #[serde(skip)]
    pub(crate) aliases: BTreeSet<String>,
    /// Whether the run was stopped early.
    pub cancelled: bool,
}

/// A file or folder that was passed over.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, serde::Serialize)]
pub struct Problem {
    /// Which one.
    pub path: String,
    /// Why.
    pub reason: String,
}

/// What the index knows of a source's files.
pub(crate) struct Known {
    /// State of every document and of every file that failed.
    pub stats: BTreeMap<String, FileStat>,
    /// Content of every document.
    pub hashes: BTreeMap<String, ContentHash>,
    /// Whether the documents were cut by other rules than today's, so that all must be read again.
    pub recut: bool,
    /// The collection as it should be, when its documents were cut otherwise or its authors say something else.
    pub changed: Option<Collection>,
}

/// Reads what a snapshot knows of a source.
pub(crate) fn known(
    snapshot: &dyn Snapshot,
    source: &Source,
    options: &ChunkOptions,
) -> Result<Known, EngineError> {
    let collection = source.collection.as_str();
    let cut = prepare::cut(options, Some(source));
    let about = About::of(source).text();
    let before = snapshot.collections().into_iter().find(|known| known.name == collection);
    if before.as_ref().is_some_and(|known| known.root.is_empty() && About::read(&known.about).library) {
        return Err(library_has_the_name(source));
    }
    let recut = before.as_ref().is_some_and(|known| known.cut != cut);
    let changed = before.filter(|known| known.cut != cut || known.about != about).map(|known| Collection {
        cut,
        about,
        ..known
    });
    let filter = Filter { collections: Some(vec![collection.to_owned()]), ..Filter::default() };
    let mut stats = BTreeMap::new();
    let mut hashes = BTreeMap::new();
    for document in snapshot.documents(&filter) {
        let settled = document.stat.settled && !recut;
        stats.insert(document.path.clone(), FileStat { settled, ..document.stat });
        hashes.insert(document.path.clone(), document.content_hash);
    }
    for failure in snapshot.failures()? {
        if failure.collection == collection {
            let settled = failure.stat.settled && !recut;
            stats.insert(failure.path, FileStat { settled, ..failure.stat });
        }
    }
    Ok(Known { stats, hashes, recut, changed })
}

/// What the index knows of a source, what its folder has, and the work that follows.
pub(crate) struct Survey {
    known: Known,
    pub(crate) found: Scan,
    pub(crate) work: Plan,
}

impl Survey {
    /// Whether the index says all that the folder says.
    pub(crate) fn is_empty(&self) -> bool {
        self.work.is_empty() && self.known.changed.is_none()
    }
}

/// Walks the whole source and compares.
pub(crate) fn survey(
    store: &dyn Store,
    source: &Source,
    options: &ChunkOptions,
) -> Result<Survey, EngineError> {
    // First the walk: the manifests that it reads decide how everything is cut.
    let found = scan(source)?;
    let known = known(&*store.snapshot()?, source, options)?;
    let work = plan(&known.stats, &found.files);
    Ok(Survey { known, found, work })
}

/// Walks the whole source and applies what changed.
pub(crate) fn ingest(
    store: &dyn Store,
    source: &Source,
    options: &ChunkOptions,
    observer: &dyn Observer,
    cancel: &Cancel,
) -> Result<IngestReport, EngineError> {
    carry_out(store, source, survey(store, source, options)?, options, observer, cancel)
}

/// Applies what a survey found.
pub(crate) fn carry_out(
    store: &dyn Store,
    source: &Source,
    survey: Survey,
    options: &ChunkOptions,
    observer: &dyn Observer,
    cancel: &Cancel,
) -> Result<IngestReport, EngineError> {
    let Survey { known, found, work } = survey;
    observer.event(Event::Scanned { files: found.files.len(), changed: work.len() });
    let mut report =
        IngestReport { files: found.files.len(), aliases: found.aliases, ..IngestReport::default() };
    for (path, reason) in found.problems {
        report.unseen += 1;
        note_problem(&mut report, observer, path, reason);
    }
    for problem in source.manifest_problems() {
        note_problem(&mut report, observer, problem.path, problem.reason);
    }
    apply_plan(store, source, &known, &work, options, observer, cancel, &mut report)?;
    if let Some(collection) = known.changed.filter(|_| !report.cancelled) {
        store.put_collection(&collection)?;
    }
    report.unchanged += report.files.saturating_sub(work.read.len());
    report.problems.sort();
    Ok(report)
}

/// Looks at these paths only, and applies what changed. Paths that are no documents of the source are passed over, and so
/// is what a walk would not take.
pub(crate) fn ingest_paths(
    store: &dyn Store,
    source: &Source,
    paths: &[String],
    options: &ChunkOptions,
) -> Result<IngestReport, EngineError> {
    let known = known(&*store.snapshot()?, source, options)?;
    let (mut work, mut new) = (Plan::default(), Vec::new());
    for path in paths.iter().filter(|path| source.wants(path)) {
        let now = crate::scan::stat(source, path);
        match (known.stats.get(path), now) {
            (Some(then), Some(now)) if then.proves_unchanged(&now) => {}
            (Some(_), Some(_)) => work.read.push(path.clone()),
            (None, Some(_)) => new.push(path.clone()),
            (Some(_), None) => work.delete.push(path.clone()),
            (None, None) => {}
        }
    }
    work.read.extend(crate::scan::taken(source, &new));
    let mut report = IngestReport { files: work.len(), ..IngestReport::default() };
    let (observer, cancel) = (&crate::progress::Silent, Cancel::default());
    apply_plan(store, source, &known, &work, options, observer, &cancel, &mut report)?;
    Ok(report)
}

#[expect(clippy::too_many_arguments, reason = "one private step of two callers, each argument its own thing")]
fn apply_plan(
    store: &dyn Store,
    source: &Source,
    known: &Known,
    work: &Plan,
    options: &ChunkOptions,
    observer: &dyn Observer,
    cancel: &Cancel,
    report: &mut IngestReport,
) -> Result<(), EngineError> {
    let mut batch = Batch::default();
    for path in &work.delete {
        batch.push(Change::Delete { collection: source.collection.clone(), path: path.clone() }, 0);
        report.deleted += usize::from(known.hashes.contains_key(path));
    }
    let make = |path: &String| read_change(source, known, path, options);
    in_parallel(&work.read, cancel, make, |changes| {
        let (mut files, mut chunks) = (0, 0);
        for change in changes {
            files += 1;
            match &change {
                Some(Change::Put(document)) => {
                    chunks += document.chunks.len();
                    match known.hashes.contains_key(&document.path) {
                        true => report.changed += 1,
                        false => report.added += 1,
                    }
                }
                Some(Change::Fail(failure)) => {
                    note_problem(report, observer, failure.path.clone(), failure.reason.clone());
                }
                Some(Change::Touch { .. }) => report.unchanged += 1,
                Some(Change::Delete { .. }) | None => report.deleted += 1,
            }
            if let Some(change) = change {
                let bytes = if let Change::Put(document) = &change { document.text.len() } else { 0 };
                batch.push(change, bytes);
            }
            observer.event(Event::Read { files, total: work.read.len(), chunks });
            if batch.is_full() {
                apply(store, source, &batch.take())?;
            }
        }
        Ok::<(), EngineError>(())
    })?;
    report.cancelled = cancel.is_cancelled();
    if !batch.changes.is_empty() {
        apply(store, source, &batch.take())?;
    }
    observer.event(Event::Searchable);
    Ok(())
}

/// Applies a batch. When the whole folder has just gone, that its files are gone too means nothing.
fn apply(store: &dyn Store, source: &Source, changes: &[Change]) -> Result<(), EngineError> {
    if changes.iter().any(|change| matches!(change, Change::Delete { .. })) {
        crate::scan::check_root(source)?;
    }
    store.apply(changes)?;
    Ok(())
}

/// Decides what one file asks for; `None` when it vanished before it was ever known.
fn read_change(source: &Source, known: &Known, path: &str, options: &ChunkOptions) -> Option<Change> {
    let collection = source.collection.clone();
    match prepare::read(source, path) {
        Ok(reading) if !known.recut && known.hashes.get(path) == Some(&reading.hash) => {
            Some(Change::Touch { collection, path: path.to_owned(), stat: reading.stat })
        }
        Ok(reading) => {
            let manifests = source.manifests();
            let document = prepare::document(&collection, path, None, reading, &manifests, options);
            Some(Change::Put(Box::new(document)))
        }
        Err(Unread::Gone) => {
            known.stats.contains_key(path).then(|| Change::Delete { collection, path: path.to_owned() })
        }
        Err(Unread::Refused { reason, stat }) => {
            Some(Change::Fail(Failure { collection, path: path.to_owned(), reason, stat }))
        }
    }
}

pub(crate) fn note_problem(report: &mut IngestReport, observer: &dyn Observer, path: String, reason: String) {
    observer.event(Event::Problem { path: path.clone(), reason: reason.clone() });
    report.problems.push(Problem { path, reason });
}

#[derive(Default)]
struct Batch {
    changes: Vec<Change>,
    bytes: usize,
}

impl Batch {
    fn push(&mut self, change: Change, bytes: usize) {
        self.changes.push(change);
        self.bytes += bytes;
    }

    fn is_full(&self) -> bool {
        self.bytes >= BATCH_BYTES || self.changes.len() >= BATCH_FILES
    }

    fn take(&mut self) -> Vec<Change> {
        self.bytes = 0;
        std::mem::take(&mut self.changes)
    }
}
