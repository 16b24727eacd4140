//! A table of all commits for git, kept between runs.
//!
//! To find the commits that changed one document, git compares the trees of every commit with those before it. A table of
//! commits that also says which paths each may have changed spares nearly all of that: blaming a document takes a tenth of
//! the time. Making it costs one walk through the history, about as much as blaming half a dozen documents. It lies in our
//! own folder, like everything that is written.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, OnceLock, PoisonError};

use super::{Repository, command};

/// Where git looks for the table.
const TABLE: &str = "objects/info/commit-graph";

/// The table of a repository.
#[derive(Debug, Default)]
pub(super) struct Graph {
    /// Where it is kept between runs, without an ending.
    kept: OnceLock<PathBuf>,
    /// The commit up to which it reaches; made by one at a time.
    reaches: Mutex<Option<String>>,
}

impl Repository {
    /// Keeps a table of commits in a folder, so that later runs are spared making it, and takes what is there already.
    pub fn keep_in(&self, folder: &Path) {
        let format = if self.head().is_some_and(|head| head.len() == 64) { "sha256" } else { "sha1" };
        let kept = folder.join(format!("commits-{format}"));
        let mut reaches = self.inner.graph.reaches.lock().unwrap_or_else(PoisonError::into_inner);
        // Git takes no notice of such a table in a shallow clone.
        if self.is_shallow() || reaches.is_some() || self.inner.graph.kept.set(kept.clone()).is_err() {
            return;
        }
        let head = std::fs::read_to_string(kept.with_extension("head")).ok();
        if head.is_some()
            && std::fs::copy(kept.with_extension("graph"), self.inner.shadow.path(TABLE)).is_ok()
        {
            *reaches = head;
        }
    }

    /// Makes walks for single paths fast, when so many of them are coming that it pays.
    pub(crate) fn prepare_walks(&self, coming: usize) {
        let Some(head) = self.head() else { return };
        let mut reaches = self.inner.graph.reaches.lock().unwrap_or_else(PoisonError::into_inner);
        let is_done = reaches.as_deref() == Some(head);
        // With a table for most commits the rest is cheap.
        let pays = coming >= if reaches.is_some() { 1 } else { MANY };
        if is_done || !pays || self.is_shallow() {
            return;
        }
        let mut command = self.git();
        command.args(["commit-graph", "write", "--stdin-commits", "--changed-paths", "--no-progress"]);
        // Without it everything works as well, only slower: trees may be absent, or the disk full.
        let is_written = command::run(command, Some(format!("{head}\n").into_bytes())).is_ok();
        *reaches = Some(head.to_owned());
        if let (true, Some(kept)) = (is_written, self.inner.graph.kept.get()) {
            let _ = keep(&self.inner.shadow.path(TABLE), kept, head);
        }
    }
}

/// So many documents cost as much to blame as the table does.
const MANY: usize = 6;

/// The table first and what it is for last, each in one move, so that another process never sees half of it.
fn keep(table: &Path, kept: &Path, head: &str) -> std::io::Result<()> {
    let beside = kept.with_extension(format!("{}", std::process::id()));
    let moved = std::fs::copy(table, &beside)
        .and_then(|_| std::fs::rename(&beside, kept.with_extension("graph")))
        .and_then(|()| std::fs::write(&beside, head))
        .and_then(|()| std::fs::rename(&beside, kept.with_extension("head")));
    if moved.is_err() {
        let _ = std::fs::remove_file(&beside);
    }
    moved
}
