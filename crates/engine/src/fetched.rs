//! Collections whose documents were fetched: from a repository, the web, an archive, a package.
//!
//! They are brought into a folder that is deleted afterwards, so the index holds all there is of them. A new version takes
//! the place of the old one as one generation: whoever searches meanwhile finds the old one, and whatever goes wrong
//! leaves it. Nothing looks at files for such a collection later, and its `root` is empty.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use docent_authoring::Manifests;
use docent_index::{Collection, DocumentRecord, Entry, Failure, FileStat, Filter, Lease, Replaced, Role};

use crate::about::About;
use crate::collections::manifest_texts;
use crate::engine::{Engine, Inner};
use crate::entries::Entries;
use crate::ingest::{IngestReport, note_problem};
use crate::parallel::in_parallel;
use crate::prepare::{self, Unread};
use crate::progress::{Cancel, Event, Observer};
use crate::scan::{Scan, scan_fetched};
use crate::{EngineError, ErrorKind, Source};

/// The manifests of a collection are kept with it, and travel with everything that is said of it.
const MAX_MANIFESTS_BYTES: usize = 1_000_000;
/// How often a replacement starts over because the collection changed meanwhile.
pub(crate) const ATTEMPTS: usize = 3;
const POLL: Duration = Duration::from_millis(200);

impl Engine {
    /// Makes the fetched collection `source.collection` hold what is in the folder `source.root`, at once. Documents that
    /// have not changed keep their vectors. When this is cancelled, ends in an error or finds no documents, the collection
    /// stays what it was.
    pub fn replace(
        &self,
        source: &Source,
        observer: &dyn Observer,
        cancel: &Cancel,
    ) -> Result<IngestReport, EngineError> {
        let inner = &*self.inner;
        // Two that fetch the same take turns, and the second starts from what the first has left.
        let of = std::slice::from_ref(&source.collection);
        let Some(_lease) = inner.wait_for_lease(of, None, observer, cancel)? else {
            return Ok(IngestReport { cancelled: true, ..IngestReport::default() });
        };
        for _ in 0..ATTEMPTS {
            if let Some(report) = inner.try_replace(source, observer, cancel)? {
                inner.signal_passages();
                return Ok(report);
            }
        }
        Err(changed_meanwhile(&source.collection))
    }
}

impl Inner {
    /// `None` when the collection changed meanwhile.
    fn try_replace(
        &self,
        source: &Source,
        observer: &dyn Observer,
        cancel: &Cancel,
    ) -> Result<Option<IngestReport>, EngineError> {
        let mut found = scan_fetched(source)?;
        let paths: Vec<String> = std::mem::take(&mut found.files).into_keys().collect();
        observer.event(Event::Scanned { files: paths.len(), changed: paths.len() });
        let mut report = seen(source, &mut found, paths.len(), observer);
        let manifests = source.manifests();
        let about = About {
            card: source.card.clone(),
            manifests: Some(kept_manifests(source, found)?),
            ..About::said_by(&manifests)
        };
        let snapshot = self.store.snapshot()?;
        let name = source.collection.clone();
        let before = snapshot.collections().into_iter().find(|known| known.name == name);
        self.refuse_live(&name, before.as_ref())?;
        let cut = prepare::cut_fetched(&self.chunking, &manifests);
        let is_cut_alike = before.as_ref().is_some_and(|before| before.cut == cut);
        let only = Filter { collections: Some(vec![name.clone()]), ..Filter::default() };
        let after = Collection { name, root: String::new(), cut, about: about.text() };
        let held: BTreeMap<String, Arc<DocumentRecord>> =
            snapshot.documents(&only).into_iter().map(|document| (document.path.clone(), document)).collect();

        let make = |path: &String| {
            let held = held.get(path).map(Arc::as_ref);
            self.entry(source, path, held, is_cut_alike, &manifests)
        };
        let mut tally = |entry: &Entry| match entry {
            Entry::Put(document) if held.contains_key(&document.path) => report.changed += 1,
            Entry::Put(_) => report.added += 1,
            Entry::Keep { .. } => report.unchanged += 1,
            Entry::Fail(failure) => {
                note_problem(&mut report, observer, failure.path.clone(), failure.reason.clone());
            }
        };
        let outcome = in_parallel(&paths, cancel, make, |made| {
            let (total, none, progress) = (paths.len(), no_documents(source), Default::default());
            let entries = Entries { made, total, tally: &mut tally, none, observer, cancel, progress };
            self.put_in_place(before.as_ref(), &after, entries)
        })?;
        report.problems.sort();
        report.deleted = held.keys().filter(|path| paths.binary_search(path).is_err()).count();
        match outcome {
            Replaced::Done(_) => observer.event(Event::Searchable),
            Replaced::Abandoned => report.cancelled = true,
            Replaced::Outdated => return Ok(None),
        }
        Ok(Some(report))
    }

    /// Reads a file and decides what it asks for.
    fn entry(
        &self,
        source: &Source,
        path: &str,
        held: Option<&DocumentRecord>,
        is_cut_alike: bool,
        manifests: &Manifests,
    ) -> Result<Entry, EngineError> {
        let collection = source.collection.as_str();
        match prepare::read(source, path) {
            Ok(mut reading) => {
                let held = held.filter(|held| held.content_hash == reading.hash);
                reading.stat = lasting(&reading.stat, held);
                if let Some(held) = held.filter(|_| is_cut_alike) {
                    return Ok(Entry::Keep { id: held.id, stat: reading.stat });
                }
                let document = prepare::document(collection, path, None, reading, manifests, &self.chunking);
                Ok(Entry::Put(Box::new(document)))
            }
            Err(Unread::Refused { reason, stat }) => {
                // It is tried again whenever it is fetched, so there is no state to compare with.
                let stat = FileStat { size: stat.size, ..FileStat::default() };
                let (collection, path) = (collection.to_owned(), path.to_owned());
                Ok(Entry::Fail(Failure { collection, path, reason, stat }))
            }
            // Nobody else has business in this folder: it is being cleared away under us.
            Err(Unread::Gone) => Err(EngineError::environment(
                format!("{path} vanished from {} while it was read", source.root.display()),
                "run the command again; what was indexed before is kept",
            )),
        }
    }

    /// A folder that is read where it is must not become what was fetched once.
    fn refuse_live(&self, name: &str, known: Option<&Collection>) -> Result<(), EngineError> {
        let root = known.map(|known| known.root.as_str()).filter(|root| !root.is_empty());
        let own = self.source(name).map(|(_, source)| source.root.display().to_string());
        match own.as_deref().or(root) {
            None if known.is_some_and(|known| self.is_library(known)) => Err(EngineError::usage(
                format!("`{name}` is a library: its documents were handed over"),
                "choose another name, or remove the library first",
            )),
            None => Ok(()),
            Some(root) => Err(EngineError::usage(
                format!("the collection `{name}` is read from the folder {root}"),
                "choose another name, or remove that collection first",
            )),
        }
    }

    /// Waits to be the one process that brings much into these collections. `None` when that is cancelled or takes longer than `patience`.
    pub(crate) fn wait_for_lease(
        &self,
        of: &[String],
        patience: Option<Duration>,
        observer: &dyn Observer,
        cancel: &Cancel,
    ) -> Result<Option<Lease>, EngineError> {
        let begun = Instant::now();
        let mut told = false;
        loop {
            if let Some(lease) = self.store.try_lease(Role::Ingest, of)? {
                return Ok(Some(lease));
            }
            if cancel.is_cancelled() || patience.is_some_and(|patience| begun.elapsed() >= patience) {
                return Ok(None);
            }
            if !told {
                observer.event(Event::Waiting);
                told = true;
            }
            std::thread::sleep(POLL);
        }
    }
}

/// A report that says what the walk saw.
fn seen(source: &Source, found: &mut Scan, files: usize, observer: &dyn Observer) -> IngestReport {
    let mut report = IngestReport { files, ..IngestReport::default() };
    for (path, reason) in std::mem::take(&mut found.problems) {
        report.unseen += 1;
        note_problem(&mut report, observer, path, reason);
    }
    for problem in source.manifest_problems() {
        note_problem(&mut report, observer, problem.path, problem.reason);
    }
    report
}

fn kept_manifests(source: &Source, found: Scan) -> Result<BTreeMap<String, String>, EngineError> {
    let texts = manifest_texts(source, found);
    let bytes: usize = texts.iter().map(|(path, text)| path.len() + text.len()).sum();
    if bytes > MAX_MANIFESTS_BYTES {
        return Err(EngineError::usage(
            format!(
                "the manifests of `{}` have {bytes} bytes in all, and the limit is {MAX_MANIFESTS_BYTES}",
                source.collection
            ),
            "leave folders out with `exclude`, or shorten the manifests",
        ));
    }
    Ok(texts)
}

/// What lasts of a file's state when its folder is gone. While a document says the same, the oldest time that is known for
/// it is right: whoever does not know one leaves that of the download.
fn lasting(now: &FileStat, held: Option<&DocumentRecord>) -> FileStat {
    let times = [Some(now.mtime_ns), held.map(|held| held.stat.mtime_ns)];
    let mtime_ns = times.into_iter().flatten().filter(|time| *time > 0).min().unwrap_or_default();
    FileStat { size: now.size, mtime_ns, settled: true, ..FileStat::default() }
}

fn no_documents(source: &Source) -> EngineError {
    EngineError::environment(
        format!("no documents found in {} for `{}`", source.root.display(), source.collection),
        "what was indexed before is kept; check the path inside the source and the `include` patterns",
    )
}

/// The error for when others keep changing the collection.
pub(crate) fn changed_meanwhile(name: &str) -> EngineError {
    EngineError {
        kind: ErrorKind::Busy,
        message: format!("the collection `{name}` was changed by another process meanwhile"),
        hint: "run the command again when the other process has finished".to_owned(),
    }
}
