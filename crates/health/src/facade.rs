//! The façade: everything that is asked about the health of one repository's documents.

use std::ops::RangeInclusive;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Instant;

use docent_index::health::{ClaimFilter, HealthError, HealthStore, StaleRow, Within};
use serde_json::Value;

use crate::book::Book;
use crate::cache::Cache;
use crate::chosen::Choices;
use crate::findings::Findings;
use crate::identity::Identity;
use crate::lines::LinesHealth;
use crate::path::normal;
use crate::score::HealthScore;
use crate::sections::{SectionHealth, section, sections};

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
    answers: Mutex<Cache<Value>>,
    pub(crate) choices: Mutex<Choices>,
    pub(crate) asked: Mutex<Option<std::sync::mpsc::Sender<()>>>,
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
            answers: Mutex::default(),
            choices: Mutex::default(),
            asked: Mutex::default(),
        }
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
        let Some(repo) = self.repo()? else { return Ok(path.is_none().then(HealthScore::default)) };
        let Some(path) = path else {
            return Ok(Some(HealthScore::new(&self.store.counts(&repo, &Within::Repo)?)));
        };
        // A path that leads out of the repository is one that nothing is claimed under.
        let Some(path) = normal(path) else { return Ok(None) };
        let within = |within: Within| self.store.counts(&repo, &within);
        let counts = match path.as_str() {
            "" => within(Within::Repo)?,
            path => match within(Within::File(path.to_owned()))? {
                none if none.is_empty() => within(Within::Folder(path.to_owned()))?,
                some => some,
            },
        };
        Ok((!counts.is_empty()).then(|| HealthScore::new(&counts)))
    }

    /// Files that an agent should be careful with, the worst first.
    pub fn stale(&self, max: usize) -> Result<Vec<StaleRow>, HealthError> {
        match self.repo()? {
            Some(repo) => self.store.stale(&repo, self.now() - STALE_DAYS * DAY, max),
            None => Ok(Vec::new()),
        }
    }

    /// Where the claims stand whose words are those of `query`, best first: file and line.
    pub fn search(&self, query: &str, max: usize) -> Result<Vec<(String, u32)>, HealthError> {
        let Some(repo) = self.repo()? else { return Ok(Vec::new()) };
        self.store.search(&repo, query, max)
    }

    /// All claims as they are known now, to be asked many times.
    pub fn view(&self) -> Result<View, HealthError> {
        Ok(View { book: self.book()? })
    }

    /// The id of the repository; `None` while nothing was ever kept of it.
    pub(crate) fn repo(&self) -> Result<Option<String>, HealthError> {
        if let Some(known) = self.repo.get() {
            return Ok(Some(known.clone()));
        }
        let found = self.store.repo(&self.identity.owner, &self.identity.name)?;
        Ok(found.map(|row| self.repo.get_or_init(|| row.id).clone()))
    }

    /// The id of the repository, which is made known when it is not.
    pub(crate) fn repo_to_write(&self) -> Result<String, HealthError> {
        if let Some(known) = self.repo.get() {
            return Ok(known.clone());
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
            Some(repo) => {
                let rows = self.store.claims(&repo, &ClaimFilter::default())?;
                Book::new(generation, rows, self.store.documents(&repo)?)
            }
        };
        let book = Arc::new(book);
        *kept = Some(Arc::clone(&book));
        Ok(book)
    }
}

/// All claims as they were known at one moment.
#[derive(Debug, Clone)]
pub struct View {
    book: Arc<Book>,
}

impl View {
    /// The sections of these claims, in this order, each once, by their first claim.
    pub fn sections(&self, claims: impl IntoIterator<Item = (String, u32)>) -> Vec<(String, u32)> {
        sections(&self.book, claims)
    }

    /// The section that a claim stands in; `None` where there is no claim.
    pub fn section(&self, claim: (String, u32)) -> Option<SectionHealth> {
        section(&self.book, claim)
    }

    /// Lines of a file in which claims begin, among these.
    pub fn claimed_lines(&self, file: &str, lines: RangeInclusive<u32>) -> Vec<u32> {
        self.book.within(file, &lines).iter().map(|known| known.line).collect()
    }

    /// How some lines of a file stand; `None` where they claim nothing. An empty `content_hash` is not compared.
    pub fn lines(&self, file: &str, lines: RangeInclusive<u32>, content_hash: &str) -> Option<LinesHealth> {
        LinesHealth::of(&self.book, file, &lines, content_hash)
    }

    /// How many documents were verified.
    pub fn documents(&self) -> usize {
        self.book.hashes.len()
    }

    /// What the content of a document was when it was last verified.
    pub fn verified_content(&self, file: &str) -> Option<&str> {
        self.book.hashes.get(file).map(String::as_str)
    }
}

/// What a thread that panicked left is as good as before.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
