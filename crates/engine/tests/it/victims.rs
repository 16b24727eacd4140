//! Processes that are killed in the middle of their work: this test binary, told to run one of its ignored tests.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use docent_engine::{ChunkOptions, Engine, EngineParts, Freshness};
use docent_index::Embedder;
use docent_store_embedded::{EmbeddedStore, OpenOptions};

/// Names the folder to the process that is going to be killed.
const PLACE: &str = "DOCENT_TEST_VICTIM_IN";

/// The folder that a victim works in; `None` in every other process.
pub(crate) fn place() -> Option<PathBuf> {
    std::env::var_os(PLACE).map(PathBuf::from)
}

/// Runs `test` in a process of its own, kills it after a while, and does so again; `check` looks at what is left each time.
/// `DOCENT_TEST_KILLS=50` is the long version.
pub(crate) fn kill_again_and_again(test: &str, place: &Path, check: impl Fn()) {
    let kills = std::env::var("DOCENT_TEST_KILLS").ok().and_then(|text| text.parse().ok());
    for kill in 0..kills.unwrap_or(6_u64) {
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["--ignored", "--exact", test])
            .env(PLACE, place)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        thread::sleep(Duration::from_millis(150 + kill * 97 % 900));
        child.kill().unwrap();
        child.wait().unwrap();
        check();
    }
}

/// An engine over the index in that folder, without sources.
pub(crate) fn engine(place: &Path, embedder: Option<Arc<dyn Embedder>>) -> Engine {
    let parts = EngineParts {
        expected: Vec::new(),
        aliases: Default::default(),
        store: Arc::new(EmbeddedStore::open(&place.join("index"), OpenOptions::default()).unwrap()),
        embedder,
        embedder_problem: None,
        cache: None,
        sources: Vec::new(),
        chunking: ChunkOptions::default(),
        cookies: place.join("cookies"),
        library: Some(place.join("index/library")),
    };
    Engine::new(parts, Freshness::Synced).unwrap()
}
