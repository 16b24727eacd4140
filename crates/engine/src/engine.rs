//! The façade: everything a surface can ask, in plain types, synchronous.
//!
//! An [`Engine`] joins a store, perhaps an embedder, and the sources. How fresh its answers are is decided in
//! `freshness`; this file wires the parts and keeps the little state that lives as long as the process.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Condvar, Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use docent_authoring::Manifests;
use docent_index::{
    Access, Change, CheckReport, Collection, ContentHash, Embedder, EmbeddingCache, FileStat, Filter,
    LimitedStore, Role, Snapshot, Store, StoreError,
};
use docent_text::ChunkOptions;

use crate::about::About;
use crate::background::Background;
use crate::elsewhere::{Elsewhere, Folder};
use crate::embedding::{self, Outcome};
use crate::first_pass::Pass;
use crate::freshness::FEW;
use crate::ingest::{self, IngestReport, Problem};
use crate::library::{Objects, Recovery, Sha256s};
use crate::prepare::{self, Reading};
use crate::progress::{Cancel, Event, Observer};
use crate::query_vectors::QueryVectors;
use crate::watch::Watch;
use crate::{EngineError, ErrorKind, Source};

/// What an engine is made of.
pub struct EngineParts {
    /// Where everything is kept.
    pub store: Arc<dyn Store>,
    /// Who makes vectors; `None` means lexical search only.
    pub embedder: Option<Arc<dyn Embedder>>,
    /// Why there is no embedder although one was asked for.
    pub embedder_problem: Option<String>,
    /// Vectors computed before.
    pub cache: Option<Arc<dyn EmbeddingCache>>,
    /// The folders.
    pub sources: Vec<Source>,
    /// Other names of collections: alias and the name that it stands for.
    pub aliases: BTreeMap<String, String>,
    /// Ids of the collections that should be here; answers say which are not.
    pub expected: Vec<String>,
    /// How documents are cut.
    pub chunking: ChunkOptions,
    /// Folder of our own for the watcher's barrier files.
    pub cookies: PathBuf,
    /// Folder of our own in which everything that is handed over is kept; `None` where nothing can be.
    pub library: Option<PathBuf>,
}

/// How an engine finds out about changed files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Freshness {
    /// The caller has just called [`Engine::sync`]; only the hits themselves are checked.
    Synced,
    /// Each call looks for changes first.
    EachCall,
}

/// Indexes, searches and reads documents.
pub struct Engine {
    pub(crate) inner: Arc<Inner>,
    background: Mutex<Option<Background>>,
    /// Folders of collections that others read in.
    elsewhere: Option<Elsewhere>,
}

/// All there is, and what may be seen of it.
pub(crate) struct Part {
    pub(crate) of: Arc<Inner>,
    pub(crate) access: Access,
}

pub(crate) struct Inner {
    pub(crate) store: Arc<dyn Store>,
    /// What this is a part of; `None` for the whole.
    pub(crate) part: Option<Part>,
    pub(crate) embedder: Option<Arc<dyn Embedder>>,
    pub(crate) embedder_problem: Option<String>,
    pub(crate) cache: Option<Arc<dyn EmbeddingCache>>,
    pub(crate) sources: Vec<Source>,
    /// Other names of collections.
    pub(crate) names: BTreeMap<String, String>,
    /// Collections that should be here.
    expected: Vec<String>,
    pub(crate) chunking: ChunkOptions,
    pub(crate) freshness: Freshness,
    pub(crate) watch: OnceLock<Watch>,
    pub(crate) stop: Cancel,
    pub(crate) started: Instant,
    /// Held while changes are applied, so that a call does not repeat what the background is doing.
    pub(crate) applying: Mutex<()>,
    /// Whether changes were taken from the watcher and could not be applied: then only a walk finds them again.
    pub(crate) has_missed: AtomicBool,
    /// Per source: documents whose file can be written to under another name, as of the last walk.
    pub(crate) aliases: Mutex<Vec<BTreeSet<String>>>,
    /// What is said of collections: the store's text and what it says, by name.
    pub(crate) abouts: Mutex<BTreeMap<String, (String, Arc<About>)>>,
    /// The first look at all files.
    pub(crate) pass: Pass,
    /// Held by the thread that keeps or deletes what was handed over.
    pub(crate) handing: Mutex<()>,
    /// Where everything that is handed over is kept.
    pub(crate) objects: Option<Objects>,
    /// SHA-256 of documents that were not handed over.
    pub(crate) sha256s: Mutex<Sha256s>,
    /// What came back of documents that the index had lost, and what did not.
    pub(crate) recovery: Mutex<Recovery>,
    cookies: PathBuf,
    /// Last problem of each kind of background work, until it succeeds again.
    trouble: Mutex<Vec<(&'static str, EngineError)>>,
    passages: (Mutex<bool>, Condvar),
}

impl Engine {
    /// Puts the parts together and makes the collections known.
    pub fn new(parts: EngineParts, freshness: Freshness) -> Result<Self, EngineError> {
        let mut inner = Inner {
            store: parts.store,
            part: None,
            embedder: parts
                .embedder
                .map(|embedder| Arc::new(QueryVectors::new(embedder)) as Arc<dyn Embedder>),
            embedder_problem: parts.embedder_problem,
            cache: parts.cache,
            sources: Vec::new(),
            names: parts.aliases,
            expected: parts.expected,
            chunking: parts.chunking,
            freshness,
            watch: OnceLock::new(),
            stop: Cancel::default(),
            started: Instant::now(),
            applying: Mutex::new(()),
            has_missed: AtomicBool::new(false),
            aliases: Mutex::default(),
            abouts: Mutex::default(),
            pass: Pass::default(),
            handing: Mutex::default(),
            objects: parts.library.map(Objects::new),
            sha256s: Mutex::default(),
            recovery: Mutex::default(),
            cookies: parts.cookies,
            trouble: Mutex::new(Vec::new()),
            passages: (Mutex::new(false), Condvar::new()),
        };
        // Libraries come first: a folder must not take the name of one that is still to come back.
        inner.restore_libraries();
        inner.sources = inner.without_libraries(parts.sources)?;
        inner.make_known()?;
        Ok(Self { inner: Arc::new(inner), background: Mutex::new(None), elsewhere: None })
    }

    /// The same documents for somebody who may know of some collections only: for this engine the others are not there. It
    /// has no background of its own and writes through the whole.
    #[must_use]
    pub fn limited(&self, access: &Access) -> Self {
        let whole = &self.inner;
        let mut sources = whole.sources.clone();
        sources.retain(|source| access.allows(&source.collection));
        let inner = Inner {
            store: Arc::new(LimitedStore::new(Arc::clone(&whole.store), access.clone())),
            part: Some(Part { of: Arc::clone(whole), access: access.clone() }),
            embedder: whole.embedder.clone(),
            embedder_problem: whole.embedder_problem.clone(),
            cache: whole.cache.clone(),
            sources,
            names: whole.names.clone(),
            expected: whole.expected.iter().filter(|name| access.allows(name)).cloned().collect(),
            chunking: whole.chunking,
            freshness: whole.freshness,
            watch: OnceLock::new(),
            stop: whole.stop.clone(),
            started: whole.started,
            applying: Mutex::new(()),
            has_missed: AtomicBool::new(false),
            aliases: Mutex::default(),
            abouts: Mutex::default(),
            pass: Pass::default(),
            handing: Mutex::default(),
            objects: None,
            sha256s: Mutex::default(),
            recovery: Mutex::default(),
            cookies: whole.cookies.clone(),
            trouble: Mutex::new(Vec::new()),
            passages: (Mutex::new(false), Condvar::new()),
        };
        let elsewhere = self.elsewhere.as_ref().map(Elsewhere::again);
        Self { inner: Arc::new(inner), background: Mutex::new(None), elsewhere }
    }

    /// Brings the index in line with every source, and what was fetched in line with how documents are cut. One process at a time does a large run; others wait for it, at most
    /// for `patience`. Who runs out of it goes on with what is indexed, and answers say so.
    pub fn sync(
        &self,
        patience: Option<Duration>,
        observer: &dyn Observer,
        cancel: &Cancel,
    ) -> Result<Vec<IngestReport>, EngineError> {
        let recut = self.inner.recut_fetched(&[], patience, observer, cancel);
        self.inner.note_outcome("cutting fetched documents anew", recut);
        let sync = |source| self.sync_source(source, patience, observer, cancel);
        let mut reports = self.inner.sources.iter().map(sync).collect::<Result<Vec<_>, _>>()?;
        for (index, report) in reports.iter_mut().enumerate() {
            self.inner.note_aliases(index, std::mem::take(&mut report.aliases));
        }
        let unseen: usize = reports.iter().map(|report| report.unseen).sum();
        let outcome = match unseen {
            0 => Ok(()),
            unseen => Err(EngineError::environment(
                format!("{unseen} folders or files could not be looked at"),
                "`docent index` names them",
            )),
        };
        self.inner.note_outcome("looking at the folder", outcome);
        Ok(reports)
    }

    /// Embeds what has no vector yet, until done, `deadline` or `cancel`. Without an embedder there is nothing to do.
    pub fn embed(
        &self,
        deadline: Option<Instant>,
        observer: &dyn Observer,
        cancel: &Cancel,
    ) -> Result<Outcome, EngineError> {
        self.embed_in(&[], deadline, observer, cancel)
    }

    /// As [`Engine::embed`], for these collections alone; none means all. What is told counts only their passages.
    pub fn embed_in(
        &self,
        collections: &[String],
        deadline: Option<Instant>,
        observer: &dyn Observer,
        cancel: &Cancel,
    ) -> Result<Outcome, EngineError> {
        let inner = &*self.inner;
        let Some(embedder) = inner.embedder.as_deref() else { return Ok(Outcome::Complete) };
        let work = embedding::Work {
            store: &*inner.store,
            embedder,
            cache: inner.cache.as_deref(),
            collections: Some(collections).filter(|names| !names.is_empty()),
        };
        let mut waits = false;
        loop {
            let mut outcome = embedding::embed_pending(&work, deadline, observer, cancel)?;
            if outcome == Outcome::Elsewhere {
                if !waits {
                    observer.event(Event::Waiting);
                    waits = true;
                }
                outcome = embedding::wait_elsewhere(&work, deadline, observer, cancel)?;
            }
            if outcome != Outcome::Elsewhere {
                return Ok(outcome);
            }
        }
    }

    /// Adds texts that have no file behind them. They are searchable when this returns.
    pub fn put_texts<'a>(
        &self,
        collection: &str,
        texts: impl IntoIterator<Item = (&'a str, Option<&'a str>, &'a str)>,
    ) -> Result<(), EngineError> {
        let inner = &*self.inner;
        let (name, cut) = (collection.to_owned(), prepare::cut(&inner.chunking, None));
        let known = inner.store.snapshot()?.collections().into_iter().find(|known| known.name == name);
        let about = known.map(|known| known.about).unwrap_or_default();
        inner.store.put_collection(&Collection { name, root: String::new(), cut, about })?;
        let texts: Vec<_> = texts.into_iter().collect();
        let manifests = Manifests::default();
        let make = |(path, title, text): &(&str, Option<&str>, &str)| {
            let hash = ContentHash::of(text.as_bytes());
            let stat = FileStat { settled: true, ..FileStat::default() };
            let reading = Reading { text: (*text).to_owned(), hash, stat };
            let document = prepare::document(collection, path, *title, reading, &manifests, &inner.chunking);
            Change::Put(Box::new(document))
        };
        let share = texts.len().div_ceil(std::thread::available_parallelism().map_or(1, usize::from)).max(1);
        let changes: Vec<Change> = std::thread::scope(|scope| {
            let workers: Vec<_> = texts
                .chunks(share)
                .map(|part| scope.spawn(|| part.iter().map(make).collect::<Vec<_>>()))
                .collect();
            workers.into_iter().flat_map(|worker| worker.join().unwrap_or_default()).collect()
        });
        inner.store.apply(&changes)?;
        Ok(())
    }

    /// Starts watching and working in the background. Says why, when watching is not possible.
    pub fn start_background(&self) -> Result<(), EngineError> {
        let inner = &self.inner;
        let watched = Watch::start(&inner.sources, &inner.cookies);
        let documents = inner.store.snapshot()?.counts(None, &Filter::default()).documents;
        inner.pass.begin(documents == 0);
        let mut background = self.background.lock().unwrap_or_else(PoisonError::into_inner);
        if let Ok(watch) = watched {
            let _ = inner.watch.set(watch);
            *background = Some(Background::start(inner));
            return Ok(());
        }
        *background = Some(Background::start(inner));
        let reason = watched.err().map(|error| error.to_string()).unwrap_or_default();
        Err(EngineError::environment(
            format!("cannot watch the documents folder: {reason}"),
            "every call walks the folder instead; on Linux, raise fs.inotify.max_user_watches",
        ))
    }

    /// Reads everything back and compares the parts with each other.
    pub fn check(&self) -> Result<CheckReport, EngineError> {
        Ok(self.inner.store.check()?)
    }

    /// The newest generation.
    pub fn snapshot(&self) -> Result<Arc<dyn Snapshot>, EngineError> {
        Ok(self.inner.store.snapshot()?)
    }

    /// The embedder in use.
    pub fn embedder(&self) -> Option<&dyn Embedder> {
        self.inner.embedder.as_deref()
    }

    /// Says how to tell where the documents of collections lie that other processes read in: in a clone of the same repository,
    /// or in one that is not here.
    #[must_use]
    pub fn with_folders(
        mut self,
        tell: impl Fn(&[Collection]) -> Vec<Folder> + Send + Sync + 'static,
    ) -> Self {
        self.elsewhere = Some(Elsewhere::new(tell));
        self
    }

    /// Collections whose documents lie in a folder, whoever reads them in, with these folders.
    pub fn folders(&self) -> Vec<Folder> {
        let source = |source: &Source| (source.collection.clone(), source.root.clone());
        let mut folders: Vec<Folder> = self.sources().iter().map(source).collect();
        if let Some(elsewhere) = &self.elsewhere
            && let Ok(snapshot) = self.inner.store.snapshot()
        {
            folders.extend(elsewhere.folders(&*snapshot));
        }
        if let Some(part) = &self.inner.part {
            folders.retain(|(name, _)| part.access.allows(name));
        }
        folders
    }

    /// The sources in use.
    pub fn sources(&self) -> &[Source] {
        &self.inner.sources
    }

    fn sync_source(
        &self,
        source: &Source,
        patience: Option<Duration>,
        observer: &dyn Observer,
        cancel: &Cancel,
    ) -> Result<IngestReport, EngineError> {
        let inner = &*self.inner;
        let begun = Instant::now();
        let mut told = false;
        loop {
            let survey = ingest::survey(&*inner.store, source, &inner.chunking)?;
            let many = survey.work.len() > FEW;
            let of = std::slice::from_ref(&source.collection);
            let lease = if many { inner.store.try_lease(Role::Ingest, of)? } else { None };
            if !many || lease.is_some() {
                let done =
                    ingest::carry_out(&*inner.store, source, survey, &inner.chunking, observer, cancel);
                return match done {
                    Err(error) if error.kind == ErrorKind::Busy && patience.is_some() => {
                        inner.note_outcome("indexing", Err(error));
                        Ok(IngestReport::default())
                    }
                    outcome => outcome,
                };
            }
            if cancel.is_cancelled() || patience.is_some_and(|patience| begun.elapsed() >= patience) {
                let error = EngineError::environment(
                    format!("another process is indexing {} changed files", survey.work.len()),
                    "wait for it to finish",
                );
                inner.note_outcome("indexing", Err(error));
                return Ok(IngestReport { cancelled: cancel.is_cancelled(), ..IngestReport::default() });
            }
            if !told {
                observer.event(Event::Waiting);
                told = true;
            }
            std::thread::sleep(Duration::from_millis(200));
        }
    }
}

impl Inner {
    /// Makes the collections known to the store; true when one was not. A process that only reads must not wait for one
    /// that writes, so nothing is written when nothing is new.
    pub(crate) fn make_known(&self) -> Result<bool, EngineError> {
        let known = self.store.snapshot()?.collections();
        let mut any_new = false;
        for source in &self.sources {
            let root = source.root.display().to_string();
            let before = known.iter().find(|collection| collection.name == source.collection);
            // Somebody has made a library of this name since; reading the folder says so.
            if before.is_some_and(|before| self.is_library(before)) {
                continue;
            }
            if before.is_none_or(|before| before.root != root) {
                let cut = before
                    .map_or_else(|| prepare::cut(&self.chunking, Some(source)), |before| before.cut.clone());
                let about = before.map(|before| before.about.clone()).unwrap_or_default();
                let name = source.collection.clone();
                self.store.put_collection(&Collection { name, root, cut, about })?;
                any_new = true;
            }
        }
        Ok(any_new)
    }

    /// Those folders whose name is not that of a library. The others are told with every answer, and not read: what was
    /// handed over cannot be had again.
    fn without_libraries(&self, mut sources: Vec<Source>) -> Result<Vec<Source>, EngineError> {
        let known = self.store.snapshot()?.collections();
        let mut outcome = Ok(());
        sources.retain(|source| {
            let is_taken = |known: &Collection| known.name == source.collection && self.is_library(known);
            let is_free = !known.iter().any(is_taken);
            if !is_free {
                outcome = Err(library_has_the_name(source));
            }
            is_free
        });
        self.note_outcome("reading folders", outcome);
        Ok(sources)
    }

    pub(crate) fn source(&self, collection: &str) -> Option<(usize, &Source)> {
        self.sources.iter().enumerate().find(|(_, source)| source.collection == collection)
    }

    /// What is not here although it should be, for those who search everywhere.
    pub(crate) fn absent(&self, snapshot: &dyn Snapshot, filter: &Filter) -> Vec<String> {
        let absent = self.absent_ids(snapshot);
        let is_asked = |name: &String| filter.collections.as_ref().is_none_or(|names| names.contains(name));
        if !self.expected.iter().filter(|name| !absent.contains(name)).all(is_asked) {
            return Vec::new();
        }
        let tell = |name: &String| format!("collection `{name}` is not here yet; `docent sync` fetches it");
        absent.iter().map(tell).collect()
    }

    /// Ids of the collections that should be here and are not.
    pub(crate) fn absent_ids(&self, snapshot: &dyn Snapshot) -> Vec<String> {
        let known = snapshot.collections();
        let is_here = |name: &&String| known.iter().any(|known| known.name == **name);
        self.expected.iter().filter(|name| !is_here(name)).cloned().collect()
    }

    /// What is wrong with manifests.
    pub(crate) fn manifest_problems(&self) -> Vec<Problem> {
        self.sources.iter().flat_map(Source::manifest_problems).collect()
    }

    /// Remembers what the background could not do, or that it can again.
    pub(crate) fn note_outcome(&self, work: &'static str, outcome: Result<(), EngineError>) {
        let mut trouble = self.trouble.lock().unwrap_or_else(PoisonError::into_inner);
        trouble.retain(|(known, _)| *known != work);
        if let Err(error) = outcome {
            trouble.push((work, error));
        }
    }

    /// What the background could not do. Who sees a part is not told what of the rest it was about.
    pub(crate) fn trouble(&self) -> Vec<String> {
        if let Some(part) = &self.part {
            let trouble = part.of.whole().trouble.lock().unwrap_or_else(PoisonError::into_inner);
            let tell =
                |work: &str| format!("{work}: something went wrong, which the server's own status tells");
            return trouble.iter().map(|(work, _)| tell(work)).collect();
        }
        let trouble = self.trouble.lock().unwrap_or_else(PoisonError::into_inner);
        trouble.iter().map(|(work, error)| format!("{work}: {}", error.message)).collect()
    }

    /// All there is, of which this may be a part.
    pub(crate) fn whole(&self) -> &Inner {
        self.part.as_ref().map_or(self, |part| part.of.whole())
    }

    /// The whole, for whoever wants to change a collection that they may know of. The same error for others, be there one
    /// or not.
    pub(crate) fn writer(&self, collection: &str) -> Result<&Inner, EngineError> {
        match &self.part {
            None => Ok(self),
            Some(part) if part.access.allows(collection) => part.of.writer(collection),
            Some(_) => Err(StoreError::OutOfReach { name: collection.to_owned() }.into()),
        }
    }

    /// Tells the embedding thread that there may be new passages.
    pub(crate) fn signal_passages(&self) {
        let passages = &self.whole().passages;
        *passages.0.lock().unwrap_or_else(PoisonError::into_inner) = true;
        passages.1.notify_all();
    }

    pub(crate) fn wait_for_passages(&self, limit: Duration) {
        let waiting = self.passages.0.lock().unwrap_or_else(PoisonError::into_inner);
        let idle = |new: &mut bool| !*new && !self.stop.is_cancelled();
        let (mut new, _) =
            self.passages.1.wait_timeout_while(waiting, limit, idle).unwrap_or_else(PoisonError::into_inner);
        *new = false;
    }

    pub(crate) fn sleep(&self, limit: Duration) {
        let until = Instant::now() + limit;
        while Instant::now() < until && !self.stop.is_cancelled() {
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    pub(crate) fn stop_waiting(&self) {
        if let Some(watch) = self.watch.get() {
            watch.stop();
        }
        self.passages.1.notify_all();
    }
}

/// The error for a folder whose name is that of a library.
pub(crate) fn library_has_the_name(source: &Source) -> EngineError {
    let name = &source.collection;
    EngineError::usage(
        format!("there is a library `{name}` already; the folder {} is not read", source.root.display()),
        format!("give one of the two another name: `docent rename {name} OTHER` renames the library"),
    )
}
