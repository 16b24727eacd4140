//! Notices changed files while a process runs.
//!
//! Events are hints: they only say where to look. What makes them trustworthy is the barrier: it writes to a cookie file
//! in a watched folder and waits for its event. The system delivers events in order, so once the cookie's event is
//! here, those of every write that finished before are here too, and a call that follows a finished write cannot miss
//! it. Where a barrier does not come back in time the caller walks the folder instead.

use std::collections::{BTreeSet, HashMap};
use std::fs::File;
use std::io::{Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use notify::event::{EventKind, ModifyKind};
use notify::{RecommendedWatcher, RecursiveMode, Watcher};

use crate::Source;
use crate::scan::relative;

/// How long a barrier may take before the caller has to look for itself.
const BARRIER_LIMIT: Duration = Duration::from_millis(50);

/// Watches the folders of all sources.
pub(crate) struct Watch {
    watcher: Mutex<RecommendedWatcher>,
    state: Arc<State>,
    cookie: Mutex<Cookie>,
    rounds: Mutex<Rounds>,
    round_over: Condvar,
    /// Which folder is watched for each source; a folder that took its place has to be watched anew.
    roots: Mutex<Vec<Option<Identity>>>,
}

/// What tells one folder from another that later has its name.
type Identity = (u64, u64);

/// Barriers that were begun and ended, and whether the last one came back. At most one is under way.
#[derive(Default)]
struct Rounds {
    started: u64,
    finished: u64,
    arrived: bool,
}

/// The file whose change is the barrier. One caller at a time writes to it, so the next event on it is that caller's.
struct Cookie {
    folder: PathBuf,
    name: String,
    file: File,
}

impl Cookie {
    fn new(folder: &Path) -> std::io::Result<Self> {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let name = format!("{}-{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
        let file = File::create(folder.join(&name))?;
        Ok(Self { folder: folder.to_owned(), name, file })
    }
}

impl Drop for Cookie {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(self.folder.join(&self.name));
    }
}

/// Where to look, per source.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Dirty {
    /// Sources that need a whole walk.
    pub walk: BTreeSet<usize>,
    /// Single files: source and path.
    pub files: BTreeSet<(usize, String)>,
}

impl Dirty {
    /// Whether nothing is to be looked at.
    pub(crate) fn is_empty(&self) -> bool {
        self.walk.is_empty() && self.files.is_empty()
    }
}

#[derive(Default)]
struct State {
    seen: Mutex<Seen>,
    changed: Condvar,
}

#[derive(Default)]
struct Seen {
    dirty: Dirty,
    /// Events on cookie files so far, by name.
    cookies: HashMap<String, u64>,
    stopped: bool,
}

impl Watch {
    /// Starts watching. `cookies` is a folder of our own that exists only for barriers.
    pub(crate) fn start(sources: &[Source], cookies: &Path) -> notify::Result<Self> {
        std::fs::create_dir_all(cookies)?;
        let cookies = std::fs::canonicalize(cookies)?;
        remove_leftovers(&cookies);
        let state = Arc::new(State::default());
        let handler =
            Handler { sources: sources.to_vec(), cookies: cookies.clone(), state: Arc::clone(&state) };
        let mut watcher = notify::recommended_watcher(move |event| handler.handle(event))?;
        watcher.watch(&cookies, RecursiveMode::NonRecursive)?;
        for source in sources {
            watcher.watch(&source.root, RecursiveMode::Recursive)?;
        }
        let roots = sources.iter().map(|source| identity(&source.root)).collect();
        let cookie = Mutex::new(Cookie::new(&cookies)?);
        Ok(Self {
            watcher: Mutex::new(watcher),
            state,
            cookie,
            rounds: Mutex::default(),
            round_over: Condvar::new(),
            roots: Mutex::new(roots),
        })
    }

    /// Waits until every event of the past is in; false when that could not be made sure of.
    ///
    /// Callers share barriers: whoever comes while one is under way needs one that starts later, and all who wait for
    /// that one are served by it together.
    pub(crate) fn barrier(&self) -> bool {
        let mut rounds = self.rounds.lock().unwrap_or_else(PoisonError::into_inner);
        let needed = rounds.started + 1;
        loop {
            if rounds.finished >= needed {
                return rounds.arrived;
            }
            if rounds.started == rounds.finished {
                break;
            }
            rounds = self.round_over.wait(rounds).unwrap_or_else(PoisonError::into_inner);
        }
        rounds.started += 1;
        drop(rounds);
        let arrived = self.round();
        let mut rounds = self.rounds.lock().unwrap_or_else(PoisonError::into_inner);
        (rounds.finished, rounds.arrived) = (rounds.started, arrived);
        drop(rounds);
        self.round_over.notify_all();
        arrived
    }

    /// One barrier.
    fn round(&self) -> bool {
        let mut cookie = self.cookie.lock().unwrap_or_else(PoisonError::into_inner);
        let count = |seen: &Seen, name: &str| seen.cookies.get(name).copied().unwrap_or(0);
        let before = count(&self.lock(), &cookie.name);
        // Only the event counts, not what is written; a file of one byte does not grow.
        let written = cookie.file.seek(SeekFrom::Start(0)).and_then(|_| cookie.file.write_all(b"."));
        let waiting = |seen: &mut Seen| count(seen, &cookie.name) == before;
        let arrived = written.is_ok() && {
            let waited = self.state.changed.wait_timeout_while(self.lock(), BARRIER_LIMIT, waiting);
            !waited.unwrap_or_else(PoisonError::into_inner).1.timed_out()
        };
        if !arrived {
            self.watch_cookies_again(&cookie.folder);
        }
        if !arrived && let Ok(fresh) = Cookie::new(&cookie.folder) {
            // A late event must not be taken for that of the next barrier.
            self.lock().cookies.remove(&cookie.name);
            *cookie = fresh;
        }
        arrived
    }

    /// Watches folders that have taken the place of those that were watched; the sources that need a walk for it.
    pub(crate) fn follow_roots(&self, sources: &[Source]) -> BTreeSet<usize> {
        let mut roots = self.roots.lock().unwrap_or_else(PoisonError::into_inner);
        let mut moved = BTreeSet::new();
        for (index, (source, watched)) in sources.iter().zip(roots.iter_mut()).enumerate() {
            let now = identity(&source.root);
            if now == *watched {
                continue;
            }
            moved.insert(index);
            let mut watcher = self.watcher.lock().unwrap_or_else(PoisonError::into_inner);
            let _ = watcher.unwatch(&source.root);
            let is_watched = now.is_some() && watcher.watch(&source.root, RecursiveMode::Recursive).is_ok();
            // What could not be watched is tried again by the next call, which walks until then.
            *watched = now.filter(|_| is_watched);
        }
        moved
    }

    /// The folder of the cookies is part of the index, which may have been deleted; a watch does not outlive its folder.
    fn watch_cookies_again(&self, folder: &Path) {
        let mut watcher = self.watcher.lock().unwrap_or_else(PoisonError::into_inner);
        if std::fs::create_dir_all(folder).is_ok() {
            let _ = watcher.watch(folder, RecursiveMode::NonRecursive);
        }
    }

    /// Takes everything that is to be looked at.
    pub(crate) fn take(&self) -> Dirty {
        std::mem::take(&mut self.lock().dirty)
    }

    /// Puts back what could not be dealt with.
    pub(crate) fn put_back(&self, dirty: Dirty) {
        let mut seen = self.lock();
        seen.dirty.walk.extend(dirty.walk);
        seen.dirty.files.extend(dirty.files);
        self.state.changed.notify_all();
    }

    /// How many places are to be looked at.
    pub(crate) fn backlog(&self) -> usize {
        let seen = self.lock();
        seen.dirty.walk.len() + seen.dirty.files.len()
    }

    /// Waits until something is to be looked at, at most `limit`.
    pub(crate) fn wait(&self, limit: Duration) -> bool {
        let seen = self.lock();
        let idle = |seen: &mut Seen| seen.dirty.is_empty() && !seen.stopped;
        let (seen, _) =
            self.state.changed.wait_timeout_while(seen, limit, idle).unwrap_or_else(PoisonError::into_inner);
        !seen.dirty.is_empty()
    }

    /// Ends all waiting, now and later.
    pub(crate) fn stop(&self) {
        self.lock().stopped = true;
        self.state.changed.notify_all();
    }

    fn lock(&self) -> MutexGuard<'_, Seen> {
        self.state.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn identity(folder: &Path) -> Option<Identity> {
    let metadata = std::fs::metadata(folder).ok()?;
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        Some((metadata.dev(), metadata.ino()))
    }
    #[cfg(not(unix))]
    {
        metadata.is_dir().then_some((0, 0))
    }
}

/// Cookies of processes that were killed stay behind. Those of a running process are written to all the time.
fn remove_leftovers(cookies: &Path) {
    const AGE: Duration = Duration::from_secs(24 * 60 * 60);
    let entries = std::fs::read_dir(cookies).into_iter().flatten().flatten();
    for entry in entries {
        let modified = entry.metadata().and_then(|metadata| metadata.modified());
        if modified.is_ok_and(|time| time.elapsed().is_ok_and(|age| age > AGE)) {
            let _ = std::fs::remove_file(entry.path());
        }
    }
}

struct Handler {
    sources: Vec<Source>,
    cookies: PathBuf,
    state: Arc<State>,
}

impl Handler {
    fn handle(&self, event: notify::Result<notify::Event>) {
        let mut seen = self.state.seen.lock().unwrap_or_else(PoisonError::into_inner);
        match event {
            Ok(event) if event.need_rescan() => seen.dirty.walk.extend(0..self.sources.len()),
            Ok(event) if matches!(event.kind, EventKind::Access(_)) => return,
            Ok(event) => {
                for path in &event.paths {
                    self.note(&mut seen, event.kind, path);
                }
            }
            Err(_) => seen.dirty.walk.extend(0..self.sources.len()),
        }
        drop(seen);
        self.state.changed.notify_all();
    }

    fn note(&self, seen: &mut Seen, kind: EventKind, full: &Path) {
        if full.starts_with(&self.cookies) {
            let is_write = matches!(kind, EventKind::Modify(_));
            if let Some(name) = full.file_name().and_then(|name| name.to_str()).filter(|_| is_write) {
                *seen.cookies.entry(name.to_owned()).or_default() += 1;
            }
            return;
        }
        for (index, source) in self.sources.iter().enumerate() {
            let Some(path) = relative(source, full) else { continue };
            // A walk leaves hidden files and folders out, and our own index may be one of them.
            if is_hidden(&path) && !is_rule_file(&path) {
                continue;
            }
            let content_only =
                matches!(kind, EventKind::Modify(ModifyKind::Data(_) | ModifyKind::Metadata(_)));
            if content_only && source.wants(&path) {
                seen.dirty.files.insert((index, path));
            } else if source.wants(&path) || is_rule_file(&path) || may_be_folder(full) {
                // Created, renamed or removed: ignore rules decide whether it counts, and only a walk knows them.
                seen.dirty.walk.insert(index);
            }
        }
    }
}

fn is_hidden(path: &str) -> bool {
    path.split('/').any(|part| part.starts_with('.'))
}

fn is_rule_file(path: &str) -> bool {
    matches!(path.rsplit('/').next(), Some(".gitignore" | ".ignore" | docent_authoring::MANIFEST_FILE))
}

/// True for folders and for what is gone, which may have been one.
fn may_be_folder(full: &Path) -> bool {
    std::fs::symlink_metadata(full).map_or(true, |metadata| metadata.is_dir())
}
