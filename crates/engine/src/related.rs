//! What is near a document, or near a passage of one.
//!
//! A document stands for the mean of its passages' vectors, which the index has; a passage is embedded when it is asked
//! for. Either is then searched for by meaning with all that a search does: filters before ranking, folded siblings, a
//! look at the file behind every hit. Without vectors the words that say most take their place, and the answer says so.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::sync::Arc;
use std::time::Instant;

use docent_index::{ChunkId, DocumentRecord, Filter, Snapshot};
use docent_text::{is_stop_word, plain, tokens};

use crate::EngineError;
use crate::ask::collapse_keys;
use crate::engine::{Engine, Inner};
use crate::read::{Aged, some};
use crate::search::{Job, Meant, Mode, SearchHit, SearchRequest, Searched};

/// Bytes of a passage that are looked at. Models read less than that, and its beginning says what it is about.
const MAX_CHUNK_BYTES: usize = 4096;
/// Words that stand for a text where there are no vectors.
const TELLING_WORDS: usize = 16;
/// How much more a word of the title counts than one of the text.
const TITLE_WEIGHT: usize = 3;

/// A question for what is related.
#[derive(Debug, Clone)]
pub struct RelatedRequest {
    /// Collection of the source document.
    pub collection: String,
    /// Its path, spelt as for [`Engine::page`].
    pub path: String,
    /// A passage of it to go by; without one, all of the document.
    pub chunk: Option<String>,
    /// How many chunks to return.
    pub limit: usize,
    /// Whether chunks of the source document may be among them. The chunk that was asked about is not: a text is always
    /// nearest to itself. The same text in another document is told.
    pub same_document: bool,
    /// Collections to look in; none means all.
    pub within: Vec<String>,
}

impl RelatedRequest {
    /// The five chunks of other documents that are nearest to a whole document.
    pub fn new(collection: impl Into<String>, path: impl Into<String>) -> Self {
        Self {
            collection: collection.into(),
            path: path.into(),
            chunk: None,
            limit: 5,
            same_document: false,
            within: Vec::new(),
        }
    }
}

/// What is related to a document.
#[derive(Debug, Clone, PartialEq)]
pub struct RelatedAnswer {
    /// Collection of the source document.
    pub collection: String,
    /// Its path, as indexed.
    pub path: String,
    /// Its title.
    pub title: String,
    /// BLAKE3 of it as indexed.
    pub content_hash: String,
    /// True when the source's file has changed since and could not be read again in time.
    pub stale: bool,
    /// Nearest first; the score is the cosine, or that of the words where there are no vectors.
    pub related: Vec<SearchHit>,
    /// What was searched; its `degraded` says what makes the answer less than it could be.
    pub searched: Searched,
    /// Time from the call to the answer.
    pub query_ms: f64,
}

impl Engine {
    /// What is related to a document, or to a passage of it. [`crate::ErrorKind::NotFound`] when there is no such document.
    pub fn related(&self, asked: &RelatedRequest) -> Result<RelatedAnswer, EngineError> {
        let begun = Instant::now();
        let inner = &*self.inner;
        if asked.chunk.as_ref().is_some_and(|chunk| chunk.trim().is_empty()) {
            return Err(EngineError::usage(
                "the chunk is empty",
                "give a passage of the document, or leave it out to go by all of it",
            ));
        }
        let behind = inner.freshen();
        let collections = [asked.collection.clone()];
        let origin = inner.current(behind.as_deref(), &asked.path, |inner, snapshot| {
            let document = inner.resolve(snapshot, &collections, &asked.path)?;
            Ok((Origin { document: document.clone(), stale: false }, document))
        })?;
        let (collection, path) = (&origin.document.collection, &origin.document.path);
        let mut answers = inner.run(begun, behind, |snapshot, _| {
            let document = snapshot.document_at(collection, path).unwrap_or_else(|| origin.document.clone());
            vec![inner.related_job(snapshot, asked, &document)]
        })?;
        let mut answer = answers.swap_remove(0)?;
        if answer.results.is_empty() {
            let reason = match answer.total_chunks {
                0 => "nothing else is indexed where to look",
                _ => "nothing has words in common with it",
            };
            answer.searched.degraded.push(reason.to_owned());
        }
        Ok(RelatedAnswer {
            collection: collection.clone(),
            path: path.clone(),
            title: origin.document.title.clone(),
            content_hash: origin.document.content_hash.to_hex(),
            stale: origin.stale,
            related: answer.results,
            searched: answer.searched,
            query_ms: answer.query_ms,
        })
    }
}

impl Inner {
    fn related_job(
        &self,
        snapshot: &dyn Snapshot,
        asked: &RelatedRequest,
        document: &DocumentRecord,
    ) -> Result<Job, EngineError> {
        let chunk = asked.chunk.as_deref().map(beginning);
        let mut request = SearchRequest::new("");
        request.mode = Mode::Semantic;
        request.top_k = asked.limit;
        request.filter = Filter {
            collections: some(&asked.within),
            except: (!asked.same_document).then_some(document.id),
            ..Filter::default()
        };
        let meaning = self.meant(snapshot, &request.filter, document, chunk)?;
        if let Meant::Nothing(_) = &meaning {
            let text = match chunk {
                Some(chunk) => chunk.to_owned(),
                None => snapshot.text(document.id)?.unwrap_or_default(),
            };
            let title = if chunk.is_some() { "" } else { &document.title };
            request.query = telling_words(title, &plain(&text));
        }
        let collapse = collapse_keys(snapshot, &request.filter);
        let mut job = Job::new(request, collapse);
        if let Some(chunk) = asked.chunk.as_deref().filter(|_| asked.same_document) {
            job.without = own_chunks(snapshot, document, chunk)?;
        }
        Ok(Job { meaning, ..job })
    }

    /// What stands for the source on the vector side.
    fn meant(
        &self,
        snapshot: &dyn Snapshot,
        filter: &Filter,
        document: &DocumentRecord,
        chunk: Option<&str>,
    ) -> Result<Meant, EngineError> {
        let nothing = |problem: &str| Ok(Meant::Nothing(problem.to_owned()));
        let Some(embedder) = self.embedder.as_deref() else {
            return nothing("no embedding model is configured");
        };
        if snapshot.counts(Some(embedder.model()), filter).embedded == 0 {
            return nothing("there are no vectors yet where to look");
        }
        let Some(chunk) = chunk else {
            let passages = snapshot.vectors_of(embedder.model(), document.id)?;
            let vectors = passages.into_iter().filter_map(|(_, vector)| Some(vector?.to_f32()));
            let mean = mean(vectors, embedder.model().dimensions);
            return mean
                .map_or_else(|| nothing("the document has no vectors yet"), |mean| Ok(Meant::Vector(mean)));
        };
        // A passage is compared with passages, so it is embedded as one.
        match embedder.embed_documents(&[chunk]) {
            Ok(mut vectors) if vectors.len() == 1 => Ok(Meant::Vector(vectors.swap_remove(0))),
            Ok(_) => nothing("the embedding model gave no vector"),
            Err(error) => nothing(&error.message),
        }
    }
}

/// The source document.
struct Origin {
    document: Arc<DocumentRecord>,
    stale: bool,
}

impl Aged for Origin {
    fn set_stale(&mut self) {
        self.stale = true;
    }
}

/// Chunks of the document that say exactly `text`.
fn own_chunks(
    snapshot: &dyn Snapshot,
    document: &DocumentRecord,
    text: &str,
) -> Result<Vec<ChunkId>, EngineError> {
    let chunks = snapshot.chunks_of(document.id)?.into_iter();
    Ok(chunks.filter(|chunk| chunk.content.trim() == text.trim()).map(|chunk| chunk.id).collect())
}

/// The mean of vectors at unit length; `None` when there are none, or when they point in all directions.
fn mean(vectors: impl Iterator<Item = Vec<f32>>, dimensions: usize) -> Option<Vec<f32>> {
    let mut sum = vec![0.0; dimensions];
    for vector in vectors {
        for (sum, value) in sum.iter_mut().zip(vector) {
            *sum += value;
        }
    }
    let length = sum.iter().map(|value| value * value).sum::<f32>().sqrt();
    (length > f32::EPSILON).then(|| sum.iter().map(|value| value / length).collect())
}

/// The words that a text has most often, most frequent first. How rare they are elsewhere is weighed by the search.
fn telling_words(title: &str, text: &str) -> String {
    let words = |text: &'_ str, weight: usize| -> Vec<(String, usize)> {
        let words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
        words.map(|word| (word.to_owned(), weight)).collect()
    };
    let mut counts: HashMap<String, (usize, usize, String)> = HashMap::new();
    for (place, (word, weight)) in words(title, TITLE_WEIGHT).into_iter().chain(words(text, 1)).enumerate() {
        for token in tokens(&word).into_iter().filter(|token| !is_stop_word(token)) {
            counts.entry(token).or_insert_with(|| (0, place, word.clone())).0 += weight;
        }
    }
    let mut counted: Vec<(usize, usize, String)> = counts.into_values().collect();
    counted.sort_by_key(|(count, place, _)| (Reverse(*count), *place));
    let telling = counted.into_iter().take(TELLING_WORDS).map(|(_, _, word)| word);
    telling.collect::<Vec<_>>().join(" ")
}

fn beginning(text: &str) -> &str {
    &text[..text.floor_char_boundary(MAX_CHUNK_BYTES)]
}
