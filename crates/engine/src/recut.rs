//! Collections without a folder follow a change of how documents are cut, from the texts in the store: the files of what was
//! fetched are gone, and those of what was handed over are not ours.

use std::sync::{Arc, PoisonError};
use std::time::Duration;

use docent_authoring::{MANIFEST_FILE, Manifest, Manifests};
use docent_index::{ChunkRecord, Collection, DocumentRecord, Entry, Filter, NewDocument, Replaced, Snapshot};
use docent_text::ChunkOptions;

use crate::EngineError;
use crate::about::About;
use crate::engine::{Engine, Inner};
use crate::entries::Entries;
use crate::fetched::{ATTEMPTS, changed_meanwhile};
use crate::parallel::in_parallel;
use crate::prepare::{self, Paged, Reading};
use crate::progress::{Cancel, Observer, Silent};

impl Engine {
    /// Cuts those of these collections without a folder anew that were cut by other rules than today's, each at once; of all when
    /// none is named.
    pub fn recut_fetched(
        &self,
        collections: &[String],
        observer: &dyn Observer,
        cancel: &Cancel,
    ) -> Result<(), EngineError> {
        self.inner.recut_fetched(collections, None, observer, cancel)
    }
}

impl Inner {
    /// The same, for those who have other things to do: what another process is busy with is left to the next time.
    pub(crate) fn recut_in_background(&self) {
        // Calls that bring changes in wait for this, and say so, instead of standing before the store's lock.
        let _applying = self.applying.lock().unwrap_or_else(PoisonError::into_inner);
        let outcome = self.recut_fetched(&[], Some(Duration::ZERO), &Silent, &self.stop);
        self.note_outcome("cutting fetched documents anew", outcome);
    }

    pub(crate) fn recut_fetched(
        &self,
        collections: &[String],
        patience: Option<Duration>,
        observer: &dyn Observer,
        cancel: &Cancel,
    ) -> Result<(), EngineError> {
        if self.store.built().is_some() || self.outdated_cuts(collections)?.is_empty() {
            return Ok(());
        }
        let Some(_lease) = self.wait_for_lease(&[], patience, observer, cancel)? else { return Ok(()) };
        let mut was_done = false;
        for name in self.outdated_cuts(collections)? {
            let mut attempts = 0..ATTEMPTS;
            while !self.try_recut(&name, observer, cancel)? {
                attempts.next().ok_or_else(|| changed_meanwhile(&name))?;
            }
            was_done = true;
        }
        if was_done {
            self.signal_passages();
        }
        Ok(())
    }

    /// Collections without a folder that were cut by other rules than today's.
    fn outdated_cuts(&self, asked: &[String]) -> Result<Vec<String>, EngineError> {
        let mut known = self.store.snapshot()?.collections();
        known.retain(|known| {
            let cut = || self.rules_of(known).map(|rules| rules.cut(&self.chunking));
            (asked.is_empty() || asked.contains(&known.name)) && cut().is_some_and(|cut| cut != known.cut)
        });
        Ok(known.into_iter().map(|known| known.name).collect())
    }

    /// By what the documents of a collection are cut whose texts are only in the store; `None` for any other.
    fn rules_of(&self, collection: &Collection) -> Option<Rules> {
        match self.is_library(collection) {
            true => Some(Rules::Library),
            false => self.fetched_manifests(collection).map(Rules::Fetched),
        }
    }

    /// The manifests of a collection that was fetched; `None` for any other.
    fn fetched_manifests(&self, collection: &Collection) -> Option<Manifests> {
        if self.source(&collection.name).is_some() || !collection.root.is_empty() {
            return None;
        }
        let about = self.about_of(collection);
        let mut manifests = Manifests::default();
        for (path, text) in about.manifests.as_ref()? {
            manifests.insert(path.strip_suffix(MANIFEST_FILE).unwrap_or(path), Manifest::parse(text).0);
        }
        Some(manifests)
    }

    /// False when the collection changed meanwhile.
    fn try_recut(&self, name: &str, observer: &dyn Observer, cancel: &Cancel) -> Result<bool, EngineError> {
        // What is handed over while a library is cut anew would be lost with the old cut.
        let is_library = |known: &Collection| known.name == name && self.is_library(known);
        let _turn = match self.store.snapshot()?.collections().iter().any(is_library) {
            true => Some(self.library_turn()?),
            false => None,
        };
        let snapshot = self.store.snapshot()?;
        let Some(before) = snapshot.collections().into_iter().find(|known| known.name == name) else {
            return Ok(true);
        };
        let Some(rules) = self.rules_of(&before) else { return Ok(true) };
        let held = self.about_of(&before);
        let about = match &rules {
            Rules::Library => (*held).clone(),
            Rules::Fetched(manifests) => About {
                card: held.card.clone(),
                manifests: held.manifests.clone(),
                ..About::said_by(manifests)
            },
        };
        let cut = rules.cut(&self.chunking);
        let after = Collection { cut, about: about.text(), ..before.clone() };
        let only = Filter { collections: Some(vec![name.to_owned()]), ..Filter::default() };
        let documents = snapshot.documents(&only);
        if documents.is_empty() {
            self.store.put_collection(&after)?;
            return Ok(true);
        }
        let mut failures = snapshot.failures()?;
        failures.retain(|failure| failure.collection == name);

        let make = |document: &Arc<DocumentRecord>| self.cut_anew(&*snapshot, document, &rules);
        let total = documents.len() + failures.len();
        let outcome = in_parallel(&documents, cancel, make, |made| {
            let mut made = made.chain(failures.into_iter().map(|failure| Ok(Entry::Fail(failure))));
            let (none, progress) = (changed_meanwhile(name), Default::default());
            let tally = &mut |_: &Entry| {};
            let entries = Entries { made: &mut made, total, tally, none, observer, cancel, progress };
            self.put_in_place(Some(&before), &after, entries)
        })?;
        Ok(outcome != Replaced::Outdated)
    }

    fn cut_anew(
        &self,
        snapshot: &dyn Snapshot,
        document: &DocumentRecord,
        rules: &Rules,
    ) -> Result<Entry, EngineError> {
        let text = snapshot.text(document.id)?.ok_or_else(|| changed_meanwhile(&document.collection))?;
        let (collection, path) = (&document.collection, &document.path);
        let made = match rules {
            Rules::Fetched(manifests) => {
                let reading = Reading { text, hash: document.content_hash, stat: document.stat };
                prepare::document(collection, path, None, reading, manifests, &self.chunking)
            }
            Rules::Library => {
                let pages = page_starts(document, &snapshot.chunks_of(document.id)?);
                let text = Paged { text, pages, stat: document.stat };
                let (made, _) =
                    prepare::handed(collection, path, Some(&document.title), text, &self.chunking);
                NewDocument { details: document.details.clone(), ..made }
            }
        };
        Ok(Entry::Put(Box::new(made)))
    }
}

/// By what documents are cut whose texts are only in the store.
enum Rules {
    /// By the manifests that came with them.
    Fetched(Manifests),
    /// By the settings alone.
    Library,
}

impl Rules {
    fn cut(&self, options: &ChunkOptions) -> String {
        match self {
            Self::Fetched(manifests) => prepare::cut_fetched(options, manifests),
            Self::Library => prepare::cut(options, None),
        }
    }
}

/// From which line on which page begins. No chunk reaches over the end of a page, so a chunk begins with each.
pub(crate) fn page_starts(document: &DocumentRecord, chunks: &[ChunkRecord]) -> Vec<(u32, u32)> {
    let mut starts: Vec<(u32, u32)> = Vec::new();
    for chunk in chunks.iter().filter(|_| !document.pages.is_empty()) {
        let page = document.page(chunk.ordinal);
        if starts.last().is_none_or(|(_, last)| *last != page) {
            starts.push((chunk.start_line, page));
        }
    }
    starts
}
