//! The façade: everything that is asked about the health of one repository's documents.

use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Instant;

use docent_index::health::{HealthError, HealthStore, RepoRow};
use serde_json::Value;

use crate::book::Book;
use crate::cache::Cache;
use crate::chosen::Choices;
use crate::findings::Findings;
use crate::identity::Identity;
use crate::limited::{LimitedHealth, Sees};
use crate::path::normal;
use crate::score::HealthScore;
use crate::tally::{StaleFile, Tally};
use crate::verifier::FirstCheck;
use crate::view::View;

/// Days after which a document that nobody has looked at counts as stale.
const STALE_DAYS: i64 = 30;
const DAY: i64 = 86_400;

/// What is known of the documents of one repository.
pub struct Health {
    pub(crate) store: Arc<dyn HealthStore>,
    identity: Identity,
    repo: OnceLock<String>,
    clock: fn() -> i64,
    takes_reports: bool,
    book: Mutex<Option<Arc<Book>>>,
    tally: Mutex<Option<Arc<Tally>>>,
    answers: Mutex<Cache<Value>>,
    pub(crate) choices: Mutex<Choices>,
    pub(crate) asked: Arc<Mutex<Option<std::sync::mpsc::Sender<()>>>>,
    pub(crate) first: Arc<FirstCheck>,
    /// Why the last check in the background came to nothing.
    pub(crate) failed: Arc<Mutex<Option<String>>>,
    /// Which files may be known of; `None` for all.
    sees: Option<Sees>,
    /// Other repositories whose documents are served beside.
    others: Arc<[Health]>,
}

impl Health {
    /// What `store` knows of a repository.
    pub fn new(store: Arc<dyn HealthStore>, identity: Identity) -> Self {
        Self {
            store,
            identity,
            repo: OnceLock::new(),
            clock: || jiff::Timestamp::now().as_second(),
            takes_reports: true,
            book: Mutex::default(),
            tally: Mutex::default(),
            answers: Mutex::default(),
            choices: Mutex::default(),
            asked: Arc::default(),
            first: Arc::default(),
            failed: Arc::default(),
            sees: None,
            others: Arc::default(),
        }
    }

    /// With other repositories of the same store, whose documents are found by searches, too.
    #[must_use]
    pub fn beside(mut self, others: impl IntoIterator<Item = Identity>) -> Self {
        let other = |identity| Self { clock: self.clock, ..Self::new(Arc::clone(&self.store), identity) };
        self.others = others.into_iter().map(other).collect();
        self
    }

    /// The repository that a folder of documents belongs to: this one, or one of those beside.
    pub fn around(&self, folder: &Path) -> Option<&Self> {
        let is_of = |health: &&Self| {
            let root = &health.identity.root;
            folder.starts_with(root) || root.starts_with(folder)
        };
        std::iter::once(self).chain(self.others()).find(is_of)
    }

    /// The repositories beside.
    pub(crate) fn others(&self) -> impl Iterator<Item = &Self> {
        self.others.iter()
    }

    /// The same for somebody who may know of those files only that `sees` lets through. It is verified by the whole.
    #[must_use]
    pub fn limited(&self, sees: Sees) -> Self {
        let store = LimitedHealth::new(Arc::clone(&self.store), Arc::clone(&sees));
        Self {
            clock: self.clock,
            takes_reports: self.takes_reports,
            asked: Arc::clone(&self.asked),
            first: Arc::clone(&self.first),
            failed: Arc::clone(&self.failed),
            sees: Some(sees),
            others: Arc::clone(&self.others),
            ..Self::new(Arc::new(store), self.identity.clone())
        }
    }

    /// Why what is known may be of an earlier state, or nothing: the last check failed. Who may see only a part is not told
    /// what stood in the way.
    pub fn degraded(&self) -> Option<String> {
        let reason = lock(&self.failed).clone()?;
        Some(match self.sees {
            Some(_) => "the documents could not be checked against the code".to_owned(),
            None => format!("the documents could not be checked against the code: {reason}"),
        })
    }

    /// Whether a file may be known of, be there one or not.
    pub fn may_see(&self, given: &str) -> bool {
        let Some(sees) = &self.sees else { return true };
        self.path_of(given).is_some_and(|file| sees(&file))
    }

    /// With another clock: seconds since 1970.
    #[must_use]
    pub fn with_clock(mut self, clock: fn() -> i64) -> Self {
        self.clock = clock;
        self
    }

    /// Takes no reports.
    #[must_use]
    pub fn read_only(mut self) -> Self {
        self.takes_reports = false;
        self
    }

    /// Whether what a verification finds is kept; not where another program does that.
    pub fn takes_records(&self) -> Result<bool, HealthError> {
        if !self.takes_reports || !self.store.is_shared() {
            return Ok(self.takes_reports);
        }
        Ok(self.repo()?.is_none_or(|repo| self.store.takes_records(&repo)))
    }

    /// Whether anything was ever kept of the repository.
    pub fn is_known(&self) -> Result<bool, HealthError> {
        Ok(self.repo()?.is_some())
    }

    /// Whether reports of drift are taken.
    pub fn takes_reports(&self) -> bool {
        self.takes_reports
    }

    /// The repository.
    pub fn identity(&self) -> &Identity {
        &self.identity
    }

    /// The time.
    pub fn now(&self) -> i64 {
        (self.clock)()
    }

    /// A path from the top of the repository, also where somebody gives the whole path on this machine; `None` when it leads
    /// out.
    pub fn path_of(&self, given: &str) -> Option<String> {
        let whole = Path::new(given.trim()).strip_prefix(&self.identity.root);
        normal(whole.ok().and_then(Path::to_str).unwrap_or(given))
    }

    /// What the repository calls a page of a collection that is read from `folder`; `None` when it is not in the repository.
    pub fn file_of(&self, folder: &Path, page: &str) -> Option<String> {
        let (root, page) = (&self.identity.root, normal(page)?);
        if let Ok(inside) = folder.strip_prefix(root) {
            return normal(&format!("{}/{page}", inside.to_str()?));
        }
        // The documents may be a folder around the repository.
        let before = root.strip_prefix(folder).ok()?.to_str()?;
        page.strip_prefix(before)?.strip_prefix('/').map(str::to_owned)
    }

    /// Keeps what a verification found.
    pub fn record(&self, verification: &Findings) -> Result<u64, HealthError> {
        self.store.record(&self.repo_to_write()?, &verification.rows())
    }

    /// A number that grows with everything that answers depend on.
    pub fn generation(&self) -> Result<u64, HealthError> {
        match self.repo()? {
            Some(repo) => self.store.generation(&repo),
            None => Ok(0),
        }
    }

    /// The answer to a question as it was made less than a minute ago from what is known now, or a new one.
    pub fn cached<E: From<HealthError>>(
        &self,
        key: &str,
        make: impl FnOnce() -> Result<Value, E>,
    ) -> Result<Value, E> {
        let (generation, now) = (self.generation()?, Instant::now());
        if let Some(kept) = lock(&self.answers).get(key, generation, now) {
            return Ok(kept);
        }
        let made = make()?;
        lock(&self.answers).put(key.to_owned(), generation, now, made.clone());
        Ok(made)
    }

    /// How the repository stands, or what is below a path of it; `None` when nothing is claimed there. A file wins over a
    /// folder of the same name.
    pub fn score(&self, path: Option<&str>) -> Result<Option<HealthScore>, HealthError> {
        let tally = self.tally()?;
        let Some(path) = path else { return Ok(Some(tally.all())) };
        // A path that leads out of the repository is one that nothing is claimed under.
        let Some(path) = self.path_of(path) else { return Ok(None) };
        if path.is_empty() {
            return Ok(Some(tally.all()).filter(|score| score.total_claims > 0));
        }
        Ok(tally.below(&path))
    }

    /// Files that an agent should be careful with, the worst first.
    pub fn stale(&self, max: usize) -> Result<Vec<StaleFile>, HealthError> {
        Ok(self.tally()?.stale(self.now() - STALE_DAYS * DAY, max))
    }

    /// All claims as they are known now, to be asked many times.
    pub fn view(&self) -> Result<View, HealthError> {
        Ok(View::new(self.book()?))
    }

    /// Reads everything once, so that whoever asks next need not wait for it.
    pub(crate) fn warm(&self) {
        // What cannot be read is told to whoever asks.
        let _ = (self.book(), self.tally());
    }

    /// The id of the repository; `None` while nothing was ever kept of it.
    pub(crate) fn repo(&self) -> Result<Option<String>, HealthError> {
        if let Some(known) = self.repo.get() {
            return Ok(Some(known.clone()));
        }
        let found = match self.store.repo(&self.identity.owner, &self.identity.name)? {
            Some(row) => Some(row),
            None => self.known_by_another_remote()?,
        };
        Ok(found.map(|row| self.repo.get_or_init(|| row.id).clone()))
    }

    /// The repository under the name of another remote, where it is only read. What is written must not go to the repository
    /// that a fork was made from.
    fn known_by_another_remote(&self) -> Result<Option<RepoRow>, HealthError> {
        for (owner, name) in &self.identity.others {
            let found = self.store.repo(owner, name)?;
            if let Some(row) = found.filter(|row| !self.store.takes_records(&row.id)) {
                return Ok(Some(row));
            }
        }
        Ok(None)
    }

    /// The id of the repository, which is made known when it is not.
    pub(crate) fn repo_to_write(&self) -> Result<String, HealthError> {
        if let Some(known) = self.repo()? {
            return Ok(known);
        }
        let row = self.store.put_repo(&self.identity.owner, &self.identity.name, self.now())?;
        Ok(self.repo.get_or_init(|| row.id).clone())
    }

    /// All claims as they are known now.
    pub(crate) fn book(&self) -> Result<Arc<Book>, HealthError> {
        let generation = self.generation()?;
        let mut kept = lock(&self.book);
        if let Some(book) = kept.as_ref().filter(|book| book.generation == generation) {
            return Ok(Arc::clone(book));
        }
        let book = match self.repo()? {
            None => Book::default(),
            Some(repo) => Book::new(generation, self.store.claims(&repo)?, self.store.documents(&repo)?),
        };
        Ok(Arc::clone(kept.insert(Arc::new(book))))
    }

    /// How all files stand now.
    fn tally(&self) -> Result<Arc<Tally>, HealthError> {
        let generation = self.generation()?;
        let mut kept = lock(&self.tally);
        if let Some(tally) = kept.as_ref().filter(|tally| tally.generation == generation) {
            return Ok(Arc::clone(tally));
        }
        let tally = match self.repo()? {
            None => Tally::default(),
            Some(repo) => Tally::new(generation, self.store.counts(&repo)?),
        };
        Ok(Arc::clone(kept.insert(Arc::new(tally))))
    }
}

/// What a thread that panicked left is as good as before.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
