//! Folders of documents, a real index over them, and the server.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Condvar, LazyLock, Mutex};
use std::time::{Duration, Instant};

use docent_embed::{HashEmbedder, MiniLm};
use docent_engine::{
    Cancel, Card, ChunkOptions, Engine, EngineParts, Freshness, Silent, Source, SourceRules,
};
use docent_health::{Health, Identity};
use docent_index::{
    Change, CheckReport, Collection, Embedder, EmbeddingCache, Generation, Lease, Model, PassageHash,
    PassageId, Pending, PendingPassage, Purged, QuantisedVector, Replaced, Replacement, Role, Snapshot,
    Store, StoreError, StoreStats,
};
use docent_library::{Convert, InProcess, Library, Options};
use docent_mcp::{DocsServer, ServerOptions};
use docent_store_embedded::{EmbeddedHealth, EmbeddedStore, OpenOptions};
use rmcp::ServerHandler;
use tokio::runtime::Runtime;

use crate::client::{Client, Era};

/// How long anything may take on a busy machine.
pub(crate) const PATIENCE: Duration = Duration::from_secs(30);

/// What makes vectors.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Vectors {
    Hash,
    MiniLm,
    None,
}

/// How docs health is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Keeping {
    /// Beside the index.
    Default,
    /// Every query ends at once.
    Impatient,
    /// Not at all.
    Off,
}

/// The time in every test of docs health.
pub(crate) const NOW: i64 = 1_770_000_000;

/// What a world is made of.
pub(crate) struct Setup {
    /// Collections by name, each a folder of its own with these files.
    pub(crate) folders: Vec<(String, Vec<(String, String)>)>,
    /// What is said of a collection.
    pub(crate) cards: HashMap<String, Card>,
    /// Other names of collections.
    pub(crate) aliases: Vec<(&'static str, &'static str)>,
    /// Collections that should be here.
    pub(crate) expected: Vec<&'static str>,
    pub(crate) vectors: Vectors,
    pub(crate) options: ServerOptions,
    /// Whether everything is indexed before the server starts.
    pub(crate) indexed: bool,
    /// Whether changes are also applied in the background. Without that every call finds them by itself, for certain.
    pub(crate) background: bool,
    /// What converts documents that are taken in; without it none are.
    pub(crate) converter: Option<Arc<dyn Convert>>,
    /// Whether pages may come from this machine.
    pub(crate) private_networks: bool,
    /// How docs health is kept.
    pub(crate) health: Keeping,
    /// Whether large writes to the index wait for [`World::gate`] once the server has started.
    pub(crate) gated: bool,
    /// Where the index is kept, when it is no folder.
    pub(crate) store: Option<Arc<dyn Store>>,
}

impl Setup {
    /// The usual collection `docs` with these files.
    pub(crate) fn new(files: &[(&str, &str)]) -> Self {
        let setup = Self {
            folders: Vec::new(),
            cards: HashMap::new(),
            aliases: Vec::new(),
            expected: Vec::new(),
            vectors: Vectors::Hash,
            options: ServerOptions::default(),
            indexed: true,
            background: true,
            converter: None,
            private_networks: false,
            health: Keeping::Default,
            gated: false,
            store: None,
        };
        setup.folder("docs", files)
    }

    /// Another collection.
    pub(crate) fn folder(mut self, name: &str, files: &[(&str, &str)]) -> Self {
        let files = files.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned()));
        self.folders.push((name.to_owned(), files.collect()));
        self
    }

    /// Documents can be taken in from the folder `files`.
    pub(crate) fn writable(mut self) -> Self {
        self.converter = Some(Arc::new(InProcess));
        self
    }

    pub(crate) fn start(self) -> World {
        World::start(self)
    }
}

/// Documents and the server over them.
pub(crate) struct World {
    /// The folder of the collection `docs`.
    pub(crate) docs: PathBuf,
    pub(crate) index: PathBuf,
    /// The folder that files may be taken in from.
    pub(crate) files: PathBuf,
    pub(crate) gate: Arc<Gate>,
    pub(crate) health: Option<Arc<Health>>,
    pub(crate) server: Option<DocsServer>,
    runtime: Option<Runtime>,
    _dir: tempfile::TempDir,
}

impl World {
    /// A server over these files, all of them indexed, vectors included.
    pub(crate) fn new(files: &[(&str, &str)]) -> Self {
        Setup::new(files).start()
    }

    /// As [`World::new`], for what has to be seen by the next call however busy the machine is.
    pub(crate) fn quiet(files: &[(&str, &str)]) -> Self {
        Setup { background: false, ..Setup::new(files) }.start()
    }

    fn start(setup: Setup) -> Self {
        let dir = tempfile::tempdir().unwrap();
        // The system's temporary folder may be reached through a link; sources resolve theirs.
        let base = std::fs::canonicalize(dir.path()).unwrap();
        for (name, files) in &setup.folders {
            std::fs::create_dir_all(base.join(name)).unwrap();
            for (path, text) in files {
                write(&base.join(name).join(path), text);
            }
        }
        let index = base.join("index");
        let gate = Arc::new(Gate::default());
        let engine = engine(&base, &index, &setup, Arc::clone(&gate));
        if setup.indexed {
            engine.sync(None, &Silent, &Cancel::default()).unwrap();
            engine.embed(None, &Silent, &Cancel::default()).unwrap();
        }
        if setup.gated {
            gate.close();
        }
        let (docs, files) = (base.join("docs"), base.join("files"));
        std::fs::create_dir_all(&files).unwrap();
        // Docs health is kept there, whatever keeps the index.
        std::fs::create_dir_all(&index).unwrap();
        let mut world =
            Self { docs, index, files, gate, health: None, server: None, runtime: None, _dir: dir };
        world.serve(engine, setup);
        world
    }

    fn serve(&mut self, engine: Engine, mut setup: Setup) {
        if setup.background {
            engine.start_background().unwrap();
        }
        if setup.indexed && !setup.gated {
            assert_eq!(engine.wait_for_first_pass(PATIENCE), None);
        }
        let runtime =
            tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
        let engine = Arc::new(engine);
        setup.options.library = setup.converter.map(|converter| {
            let options = Options {
                roots: vec![self.files.clone()],
                base: self.files.clone(),
                allow_private_networks: setup.private_networks,
                max_bytes: 1 << 20,
            };
            Arc::new(Library::new(Arc::clone(&engine), converter, options))
        });
        self.health = self.keep_health(setup.health);
        setup.options.health = self.health.clone();
        let server = runtime.block_on(async { DocsServer::new(engine, setup.options).unwrap() });
        (self.server, self.runtime) = (Some(server), Some(runtime));
    }

    /// Docs health of the folder that all collections are in, as if it were a repository.
    fn keep_health(&self, keeping: Keeping) -> Option<Arc<Health>> {
        let root = self.docs.parent().unwrap().to_owned();
        let identity = Identity {
            root,
            owner: "acme".to_owned(),
            name: "shop".to_owned(),
            others: Vec::new(),
            origin: None,
            is_git: true,
        };
        let store = EmbeddedHealth::new(&self.index);
        let store = match keeping {
            Keeping::Off => return None,
            Keeping::Default => store,
            Keeping::Impatient => store.with_limit(Duration::ZERO),
        };
        Some(Arc::new(Health::new(Arc::new(store), identity).with_clock(|| NOW)))
    }

    /// A client of the handshake era that has said hello.
    pub(crate) fn client(&self) -> Client {
        let mut client = self.connect(Era::Legacy);
        client.initialize();
        client
    }

    /// A client of the revision 2026-07-28.
    pub(crate) fn modern(&self) -> Client {
        self.connect(Era::Modern)
    }

    /// A client that has not said anything yet.
    pub(crate) fn connect(&self, era: Era) -> Client {
        self.connect_to(self.server.clone().unwrap(), era)
    }

    pub(crate) fn connect_to<H: ServerHandler>(&self, handler: H, era: Era) -> Client {
        Client::connect(self.runtime.as_ref().unwrap().handle().clone(), handler, era)
    }

    pub(crate) fn write(&self, path: &str, text: &str) {
        write(&self.docs.join(path), text);
    }

    /// Writes a file of any collection.
    pub(crate) fn write_in(&self, collection: &str, path: &str, text: &str) {
        write(&self.docs.with_file_name(collection).join(path), text);
    }

    /// Writes a file that can be taken in; gives its path back.
    pub(crate) fn file(&self, path: &str, bytes: impl AsRef<[u8]>) -> String {
        let path = self.files.join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, bytes).unwrap();
        path.to_str().unwrap().to_owned()
    }

    /// Fetches a collection into the index, as another process does; the folder is gone afterwards.
    pub(crate) fn fetch(&self, name: &str, card: Card, files: &[(&str, &str)]) {
        let folder = tempfile::tempdir().unwrap();
        for (path, text) in files {
            write(&folder.path().join(path), text);
        }
        let gate = Arc::new(Gate::default());
        let setup = Setup { folders: Vec::new(), ..Setup::new(&[]) };
        let engine = engine(self.docs.parent().unwrap(), &self.index, &setup, gate);
        let source =
            Source::new(name, folder.path(), &SourceRules { card, ..SourceRules::default() }).unwrap();
        engine.replace(&source, &Silent, &Cancel::default()).unwrap();
        engine.embed(None, &Silent, &Cancel::default()).unwrap();
    }

    pub(crate) fn remove(&self, path: &str) {
        std::fs::remove_file(self.docs.join(path)).unwrap();
    }

    pub(crate) fn text(&self, path: &str) -> String {
        std::fs::read_to_string(self.docs.join(path)).unwrap()
    }

    /// Ends the server and keeps the folders.
    pub(crate) fn stop(&mut self) {
        self.gate.open();
        self.server = None;
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_timeout(PATIENCE);
        }
    }

    /// The same folders and index under a new server, as after a restart.
    pub(crate) fn restart(mut self, setup: Setup) -> Self {
        self.stop();
        let base = self.docs.parent().unwrap().to_owned();
        let engine = engine(&base, &self.index, &setup, Arc::clone(&self.gate));
        self.serve(engine, setup);
        self
    }
}

impl Drop for World {
    fn drop(&mut self) {
        self.stop();
    }
}

fn engine(base: &Path, index: &Path, setup: &Setup, gate: Arc<Gate>) -> Engine {
    let store: Arc<dyn Store> = match &setup.store {
        Some(store) => Arc::clone(store),
        None => Arc::new(EmbeddedStore::open(index, OpenOptions::default()).unwrap()),
    };
    let embedder: Option<Arc<dyn Embedder>> = match setup.vectors {
        Vectors::Hash => Some(Arc::new(HashEmbedder::default())),
        Vectors::MiniLm => Some(Arc::new(MiniLm::new())),
        Vectors::None => None,
    };
    let source = |(name, _): &(String, _)| {
        let card = setup.cards.get(name).cloned().unwrap_or_default();
        Source::new(name, &base.join(name), &SourceRules { card, ..SourceRules::default() })
    };
    let own = |(alias, name): &(&str, &str)| ((*alias).to_owned(), (*name).to_owned());
    let parts = EngineParts {
        aliases: setup.aliases.iter().map(own).collect(),
        expected: setup.expected.iter().map(|name| (*name).to_owned()).collect(),
        store: Arc::new(GatedStore { store, gate }),
        embedder,
        embedder_problem: None,
        cache: (setup.vectors == Vectors::MiniLm).then(|| Arc::new(Kept) as Arc<dyn EmbeddingCache>),
        sources: setup.folders.iter().map(|folder| source(folder).unwrap()).collect(),
        chunking: ChunkOptions::default(),
        cookies: index.join("watch"),
        library: setup.store.is_none().then(|| index.join("library")),
    };
    Engine::new(parts, Freshness::EachCall).unwrap()
}

/// The vectors of the built-in model that were computed by any test so far.
struct Kept;

static KEPT: LazyLock<Mutex<HashMap<PassageHash, QuantisedVector>>> = LazyLock::new(Mutex::default);

impl EmbeddingCache for Kept {
    fn get(&self, _: &Model, hashes: &[PassageHash]) -> Vec<Option<QuantisedVector>> {
        let kept = KEPT.lock().unwrap();
        hashes.iter().map(|hash| kept.get(hash).cloned()).collect()
    }

    fn put(&self, _: &Model, vectors: &[(PassageHash, QuantisedVector)]) {
        KEPT.lock().unwrap().extend(vectors.iter().cloned());
    }

    fn forget(&self, passages: &[PassageHash]) -> Result<(), String> {
        let mut kept = KEPT.lock().unwrap();
        passages.iter().for_each(|hash| drop(kept.remove(hash)));
        Ok(())
    }
}

fn write(path: &Path, text: &str) {
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, text).unwrap();
}

/// A file of `fixtures/` at the top of the repository.
pub(crate) fn fixture(path: &str) -> String {
    let path = fixtures().join(path);
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The bytes of a file of `fixtures/`.
pub(crate) fn fixture_bytes(path: &str) -> Vec<u8> {
    std::fs::read(fixtures().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// All Markdown below a folder of `fixtures/`, by path.
pub(crate) fn fixture_folder(folder: &str) -> Vec<(String, String)> {
    let root = fixtures().join(folder);
    let mut folders = vec![root.clone()];
    let mut files = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "md") {
                let name = path.strip_prefix(&root).unwrap().to_str().unwrap().to_owned();
                files.push((name, std::fs::read_to_string(&path).unwrap()));
            }
        }
    }
    files.sort();
    assert!(!files.is_empty(), "{}", root.display());
    files
}

fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures")
}

/// Waits until something is so.
pub(crate) fn wait_until(what: &str, mut check: impl FnMut() -> bool) {
    let deadline = Instant::now() + PATIENCE;
    while !check() {
        assert!(Instant::now() < deadline, "waited too long for {what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// Lets large writes to an index through, or holds them.
#[derive(Default)]
pub(crate) struct Gate {
    state: Mutex<GateState>,
    changed: Condvar,
}

#[derive(Default)]
struct GateState {
    closed: bool,
    passes: usize,
    held: usize,
}

impl Gate {
    pub(crate) fn close(&self) {
        self.state.lock().unwrap().closed = true;
    }

    pub(crate) fn open(&self) {
        self.state.lock().unwrap().closed = false;
        self.changed.notify_all();
    }

    /// Lets one write through.
    pub(crate) fn pass_one(&self) {
        self.state.lock().unwrap().passes += 1;
        self.changed.notify_all();
    }

    /// Waits until a write stands before the gate.
    pub(crate) fn wait_for_writer(&self) {
        wait_until("a write before the gate", || self.state.lock().unwrap().held > 0);
    }

    fn enter(&self) {
        let mut state = self.state.lock().unwrap();
        state.held += 1;
        let held = |state: &mut GateState| state.closed && state.passes == 0;
        let mut state = self.changed.wait_while(state, held).unwrap();
        state.held -= 1;
        state.passes = state.passes.saturating_sub(1);
    }
}

/// Batches of this many files are what the background does; calls themselves apply fewer.
pub(crate) const MANY: usize = 65;

/// The embedded store, whose large writes pass a gate.
struct GatedStore {
    store: Arc<dyn Store>,
    gate: Arc<Gate>,
}

impl Store for GatedStore {
    fn snapshot(&self) -> Result<Arc<dyn Snapshot>, StoreError> {
        self.store.snapshot()
    }

    fn apply(&self, changes: &[Change]) -> Result<Generation, StoreError> {
        if changes.len() >= MANY {
            self.gate.enter();
        }
        self.store.apply(changes)
    }

    fn apply_embedded(
        &self,
        changes: &[Change],
        model: &Model,
        vectors: &HashMap<PassageHash, QuantisedVector>,
    ) -> Result<Generation, StoreError> {
        self.store.apply_embedded(changes, model, vectors)
    }

    fn put_collection(&self, collection: &Collection) -> Result<(), StoreError> {
        self.store.put_collection(collection)
    }

    fn replace_collection(&self, replacement: Replacement<'_>) -> Result<Replaced, StoreError> {
        self.store.replace_collection(replacement)
    }

    fn rename_collection(&self, from: &str, to: &str) -> Result<(), StoreError> {
        self.store.rename_collection(from, to)
    }

    fn remove_collection(&self, name: &str) -> Result<(), StoreError> {
        self.store.remove_collection(name)
    }

    fn purge(&self, passages: &[PassageHash]) -> Result<Purged, StoreError> {
        self.store.purge(passages)
    }

    fn pending_in(
        &self,
        model: &Model,
        asked: Pending<'_>,
        limit: usize,
    ) -> Result<Vec<PendingPassage>, StoreError> {
        self.store.pending_in(model, asked, limit)
    }

    fn put_vectors(
        &self,
        model: &Model,
        vectors: &[(PassageId, QuantisedVector)],
    ) -> Result<Generation, StoreError> {
        self.store.put_vectors(model, vectors)
    }

    fn retire_other_models(&self, model: &Model) -> Result<(), StoreError> {
        self.store.retire_other_models(model)
    }

    fn try_lease(&self, role: Role, of: &[String]) -> Result<Option<Lease>, StoreError> {
        self.store.try_lease(role, of)
    }

    fn secret(&self) -> Result<[u8; 32], StoreError> {
        self.store.secret()
    }

    fn stats(&self) -> Result<StoreStats, StoreError> {
        self.store.stats()
    }

    fn check(&self) -> Result<CheckReport, StoreError> {
        self.store.check()
    }
}
