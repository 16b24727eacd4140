//! The two lexical indexes, one of chunks and one of whole pages, and how they follow the record.
//!
//! They are apart because BM25 weighs a word by how many entries contain it, and an entry is a chunk in one and a page
//! in the other. Title and headings are part of the same field as the text: a field of their own, whatever its weight,
//! helped some kinds of documents and hurt others. Each commit carries the record's id and generation; an index that is behind takes in what came since,
//! and one that does not belong to the record, is ahead of it or cannot be read is filled anew. A commit switches
//! readers from the old state to the new one at once, also when everything is new.

use std::collections::{HashMap, HashSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use docent_index::NewDocument;
use docent_store_common::{DocumentTokens, keys};
use rusqlite::Connection;
use tantivy::indexer::{IndexWriterOptions, NoMergePolicy};
use tantivy::schema::{
    FAST, Field, INDEXED, IndexRecordOption, NumericOptions, Schema, TextFieldIndexing, TextOptions,
};
use tantivy::{Index, IndexReader, IndexSettings, IndexWriter, ReloadPolicy, Searcher, TantivyDocument};

use crate::fault::{Fault, Outcome};
use crate::filling::{self, Filling};
use crate::guard::guarded;
use crate::places::PlaceCache;
use crate::rows::{self, State};
use crate::{directory, merge, tokens};

/// Name of the folder that holds both indexes.
pub(crate) const FOLDER: &str = "lexical";

/// Names of the two folders in it.
const CHUNKS: &str = "chunks";
const PAGES: &str = "pages";

/// How the folder of an index that is not wanted any more is named until it is deleted.
const DISCARDED: &str = "discarded-";

/// The fields, the same in both indexes.
#[derive(Clone, Copy)]
pub(crate) struct Fields {
    pub(crate) words: Field,
    pub(crate) document: Field,
    pub(crate) key: Field,
}

/// Name of the fast field that holds the chunk's, or the page's document's, number.
pub(crate) const KEY: &str = "key";

/// Both indexes at one state.
#[derive(Clone)]
pub(crate) struct Searchers {
    pub(crate) chunks: Searcher,
    pub(crate) pages: Searcher,
    pub(crate) fields: Fields,
}

/// The indexes on disk.
pub(crate) struct Lexical {
    pub(crate) places: PlaceCache,
    dir: PathBuf,
    parts: Mutex<Option<(Part, Part)>>,
    is_immutable: bool,
}

/// One of the two.
#[derive(Clone)]
pub(crate) struct Part {
    pub(crate) index: Index,
    reader: IndexReader,
    pub(crate) fields: Fields,
}

impl Lexical {
    pub(crate) fn new(dir: &Path) -> Self {
        let dir = dir.join(FOLDER);
        Self { places: PlaceCache::default(), dir, parts: Mutex::new(None), is_immutable: false }
    }

    /// Indexes that are only read, and not changed by that.
    pub(crate) fn immutable(dir: &Path) -> Self {
        Self { is_immutable: true, ..Self::new(dir) }
    }

    /// Searchers that reflect the record at `state`; `None` while the indexes are behind it or ahead. Never writes.
    pub(crate) fn searchers(&self, state: &State) -> Outcome<Option<Searchers>> {
        guarded(|| self.reflecting(state))
    }

    fn reflecting(&self, state: &State) -> Outcome<Option<Searchers>> {
        let Some((chunks, pages)) = self.opened()? else { return Ok(None) };
        let reflects = || -> Outcome<bool> {
            let goal = Some(state.documents_generation);
            Ok(position(&chunks, &state.uuid)? == goal && position(&pages, &state.uuid)? == goal)
        };
        if !reflects()? {
            return Ok(None);
        }
        chunks.reader.reload()?;
        pages.reader.reload()?;
        // A commit may have come between looking at the generation and loading the segments.
        if !reflects()? {
            return Ok(None);
        }
        let (chunk_searcher, page_searcher) = (chunks.reader.searcher(), pages.reader.searcher());
        self.places.keep_only([&chunk_searcher, &page_searcher]);
        Ok(Some(Searchers { chunks: chunk_searcher, pages: page_searcher, fields: chunks.fields }))
    }

    /// Takes in what the record has and the indexes have not. The caller holds the write lock. `fresh` holds documents
    /// whose tokens are at hand; all others are read from the record.
    pub(crate) fn catch_up(
        &self,
        conn: &Connection,
        state: &State,
        fresh: &HashMap<u64, &NewDocument>,
    ) -> Outcome<()> {
        let (chunks, pages) = self.ready_to_write(state)?;
        let at = (position(&chunks, &state.uuid)?, position(&pages, &state.uuid)?);
        let goal = Some(state.documents_generation);
        if at == (goal, goal) {
            return Ok(());
        }
        let usable = |at: Option<u64>| {
            at.filter(|at| *at <= state.documents_generation && *at >= state.tombstone_floor)
        };
        let from = match (usable(at.0), usable(at.1)) {
            (Some(chunks), Some(pages)) => chunks.min(pages),
            _ => 0,
        };
        let added = rows::added_since(conn, from)?;
        let is_one_ahead = at.0 != at.1;
        let mut filling = Filling::begin(chunks, pages, added.len())?;
        if from == 0 {
            filling.clear()?;
        } else {
            let mut stale = rows::removed_since(conn, from)?;
            if is_one_ahead {
                // One index has some of them already.
                stale.extend(added.iter().map(|(id, _)| *id));
            }
            stale.into_iter().for_each(|id| filling.remove(id));
        }
        for (id, title) in &added {
            let tokens = match fresh.get(id) {
                Some(document) => DocumentTokens::given(*id, document),
                None => tokens::from_record(conn, *id, title)?,
            };
            filling.add(*id, &tokens)?;
        }
        filling.commit(state)
    }

    /// Writers for what is about to come into the record, which the indexes reflect at `state`.
    pub(crate) fn fill(&self, state: &State, documents: usize) -> Outcome<Filling> {
        // Looked at anew, see `ready_to_write`.
        *self.parts() = None;
        let (chunks, pages) = self.ready_to_write(state)?;
        Filling::begin(chunks, pages, documents)
    }

    /// Deletes both indexes; the next [`Lexical::catch_up`] fills new ones. The caller holds the write lock.
    pub(crate) fn discard(&self) -> Outcome<()> {
        *self.parts() = None;
        // Moved away first: whoever still writes into the old folder, because the index was deleted under it, would
        // put files back while they are deleted.
        static TURN: AtomicU64 = AtomicU64::new(0);
        let turn = TURN.fetch_add(1, Ordering::Relaxed);
        let aside = self.dir.with_file_name(format!("{DISCARDED}{}-{turn}", std::process::id()));
        match fs::rename(&self.dir, &aside) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(error.into()),
            _ => {}
        }
        self.sweep();
        Ok(())
    }

    /// Deletes what was discarded, now or by a process that was killed meanwhile. What cannot be deleted yet is tried
    /// again the next time.
    fn sweep(&self) {
        let Some(Ok(entries)) = self.dir.parent().map(fs::read_dir) else { return };
        for entry in entries.filter_map(Result::ok) {
            if entry.file_name().to_string_lossy().starts_with(DISCARDED) {
                let _ = fs::remove_dir_all(entry.path());
            }
        }
    }

    /// Writes segments anew that hold entries of removed documents, and deletes every file that no segment has. The caller
    /// holds the write lock, and the indexes reflect the record at `state`.
    pub(crate) fn purge(&self, state: &State) -> Outcome<()> {
        guarded(|| {
            *self.parts() = None;
            let (chunks, pages) = self.ready_to_write(state)?;
            for (part, name) in [(chunks, CHUNKS), (pages, PAGES)] {
                let mut writer = part.writer(filling::SMALL_ARENA)?;
                for segment in part.index.searchable_segment_metas()? {
                    if segment.has_deletes() {
                        writer.merge(&[segment.id()]).wait()?;
                    }
                }
                writer.garbage_collect_files().wait()?;
                writer.wait_merging_threads()?;
                remove_strays(&part.index, &self.dir.join(name))?;
            }
            // What is open from here on knows the new segments.
            *self.parts() = None;
            self.sweep();
            Ok(())
        })
    }

    fn opened(&self) -> Outcome<Option<(Part, Part)>> {
        let mut parts = self.parts();
        if parts.is_none() {
            let (chunks, pages) = (self.dir.join(CHUNKS), self.dir.join(PAGES));
            if !chunks.join("meta.json").exists() || !pages.join("meta.json").exists() {
                return Ok(None);
            }
            let open = if self.is_immutable { Part::open_immutable } else { Part::open };
            *parts = Some((open(&chunks)?, open(&pages)?));
        }
        Ok(parts.clone())
    }

    /// Both indexes as they are on disk now, or new ones. Another process may have written since they were opened, and
    /// only a fresh look knows its files; unknown files would stay behind for ever.
    fn ready_to_write(&self, state: &State) -> Outcome<(Part, Part)> {
        let held = self.parts().take();
        let is_current = |parts: &(Part, Part)| {
            [&parts.0, &parts.1].iter().all(|part| {
                position(part, &state.uuid).is_ok_and(|at| at == Some(state.documents_generation))
            })
        };
        match held {
            // Nothing to write, then nothing to look at.
            Some(parts) if is_current(&parts) => *self.parts() = Some(parts),
            _ => {}
        }
        if !matches!(self.opened(), Ok(Some(_))) {
            self.discard()?;
            fs::create_dir_all(&self.dir)?;
            let parts = (Part::create(&self.dir.join(CHUNKS))?, Part::create(&self.dir.join(PAGES))?);
            *self.parts() = Some(parts);
        }
        directory::note_start(&self.dir)?;
        self.opened()?.ok_or_else(|| Fault::Internal("the lexical index vanished".to_owned()))
    }

    /// Whether a power loss may have spoilt files since they were written.
    pub(crate) fn is_doubtful(&self) -> bool {
        directory::was_restarted(&self.dir)
    }

    fn parts(&self) -> MutexGuard<'_, Option<(Part, Part)>> {
        self.parts.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Every entry, as (chunk numbers, document numbers of pages), for a check.
    pub(crate) fn entries(searchers: &Searchers) -> Outcome<(Vec<u64>, Vec<u64>)> {
        Ok((keys_of(&searchers.chunks)?, keys_of(&searchers.pages)?))
    }

    /// Files whose checksum is wrong. What was found sound is not looked at again until the next restart.
    pub(crate) fn broken_files(&self) -> Outcome<Vec<PathBuf>> {
        guarded(|| self.with_wrong_checksum())
    }

    fn with_wrong_checksum(&self) -> Outcome<Vec<PathBuf>> {
        let Some((chunks, pages)) = self.opened()? else { return Ok(Vec::new()) };
        let mut broken = Vec::new();
        for part in [chunks, pages] {
            broken.extend(part.index.validate_checksum()?);
        }
        if broken.is_empty() && !self.is_immutable {
            directory::note_start(&self.dir)?;
        }
        Ok(broken)
    }
}

impl Part {
    fn create(dir: &Path) -> Outcome<Self> {
        fs::create_dir_all(dir)?;
        let (schema, _) = schema();
        Self::wrap(Index::create(directory::open(dir)?, schema, IndexSettings::default())?)
    }

    fn open(dir: &Path) -> Outcome<Self> {
        Self::wrap(Index::open(directory::open(dir)?)?)
    }

    fn open_immutable(dir: &Path) -> Outcome<Self> {
        Self::wrap(Index::open(directory::open_immutable(dir)?)?)
    }

    fn wrap(index: Index) -> Outcome<Self> {
        let (schema, fields) = schema();
        if index.schema() != schema {
            return Err(Fault::Damaged("the lexical index has other fields".to_owned()));
        }
        let reader = index.reader_builder().reload_policy(ReloadPolicy::Manual).try_into()?;
        Ok(Self { index, reader, fields })
    }

    pub(crate) fn writer(&self, arena: usize) -> Outcome<IndexWriter> {
        let options = IndexWriterOptions::builder()
            .memory_budget_per_thread(arena)
            .num_worker_threads(1)
            .num_merge_threads(1)
            .build();
        let writer = self.index.writer_with_options(options)?;
        writer.set_merge_policy(Box::new(NoMergePolicy));
        Ok(writer)
    }
}

pub(crate) fn schema() -> (Schema, Fields) {
    let words = TextFieldIndexing::default()
        .set_tokenizer("whitespace")
        .set_index_option(IndexRecordOption::WithFreqs)
        .set_fieldnorms(true);
    let words = TextOptions::default().set_indexing_options(words);
    let mut schema = Schema::builder();
    let fields = Fields {
        words: schema.add_text_field("words", words),
        document: schema.add_u64_field("document", NumericOptions::from(INDEXED)),
        key: schema.add_u64_field(KEY, NumericOptions::from(FAST)),
    };
    (schema.build(), fields)
}

/// What a commit says about the record that it reflects.
pub(crate) fn payload(uuid: &str, generation: u64) -> String {
    format!("{uuid}:{generation}")
}

/// The generation of the record `uuid` that this index reflects; 0 for a new index.
fn position(part: &Part, uuid: &str) -> Outcome<Option<u64>> {
    let Some(payload) = part.index.load_metas()?.payload else { return Ok(Some(0)) };
    let at = payload.rsplit_once(':').filter(|(of, _)| *of == uuid);
    Ok(at.and_then(|(_, generation)| generation.parse().ok()))
}

pub(crate) fn chunk_entries(
    fields: Fields,
    tokens: &DocumentTokens<'_>,
) -> impl Iterator<Item = TantivyDocument> {
    tokens.chunks.iter().map(move |chunk| {
        let mut entry = TantivyDocument::default();
        entry.add_text(fields.words, &chunk.heading);
        entry.add_text(fields.words, &chunk.body);
        entry.add_u64(fields.document, keys::document_of_chunk(chunk.key));
        entry.add_u64(fields.key, chunk.key);
        entry
    })
}

pub(crate) fn page_entry(fields: Fields, id: u64, tokens: &DocumentTokens<'_>) -> TantivyDocument {
    let mut entry = TantivyDocument::default();
    entry.add_text(fields.words, tokens.page_headings().join(" "));
    for chunk in &tokens.chunks {
        entry.add_text(fields.words, &chunk.body);
    }
    entry.add_u64(fields.document, id);
    entry.add_u64(fields.key, id);
    entry
}

/// Merges segments where it is time.
pub(crate) fn tidy(index: &Index, writer: &mut IndexWriter, written: usize) -> Outcome<()> {
    let segments = index.searchable_segment_metas()?;
    let sizes: Vec<_> = segments
        .iter()
        .map(|segment| merge::Size {
            id: segment.id(),
            alive: segment.num_docs() as usize,
            deleted: segment.num_deleted_docs() as usize,
        })
        .collect();
    let chosen = merge::plan(&sizes, written);
    if !chosen.is_empty() {
        writer.merge(&chosen).wait()?;
    }
    Ok(())
}

/// Deletes files of segments that are not part of the index: tantivy forgets those of a writer that was killed.
fn remove_strays(index: &Index, dir: &Path) -> Outcome<()> {
    let segments = index.searchable_segment_metas()?;
    let known: HashSet<String> = segments.iter().map(|segment| segment.id().uuid_string()).collect();
    for entry in fs::read_dir(dir)? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        let segment = name.split('.').next().unwrap_or_default();
        let is_segment = segment.len() == 32 && segment.bytes().all(|byte| byte.is_ascii_hexdigit());
        if is_segment && !known.contains(segment) {
            fs::remove_file(entry.path())?;
        }
    }
    Ok(())
}

fn keys_of(searcher: &Searcher) -> Outcome<Vec<u64>> {
    let mut keys = Vec::new();
    for segment in searcher.segment_readers() {
        let column = segment.fast_fields().u64(KEY)?.first_or_default_col(0);
        keys.extend(segment.doc_ids_alive().map(|doc| column.get_val(doc)));
    }
    Ok(keys)
}
