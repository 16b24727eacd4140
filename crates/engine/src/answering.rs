//! From what a search found to what its answer says: the hits, what was searched, and what to try when there is nothing.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;
use std::time::Instant;

use docent_index::{DocumentId, DocumentRecord, FacetExpr, Filter, Snapshot};

use crate::engine::Inner;
use crate::freshness::Verdict;
use crate::seal::seal;
use crate::search::cursor::{self, IndexState};
use crate::search::{
    Explanation, FacetHint, Found, Hint, HitMetadata, Job, Mode, Page, Ranking, SearchAnswer, SearchHit,
    SearchRequest, Searched, SearchedCollection, VectorState, find,
};
use crate::times::iso;
use crate::{EngineError, git};

/// What all answers of one run share.
pub(crate) struct Run<'a> {
    pub(crate) inner: &'a Inner,
    pub(crate) snapshot: &'a dyn Snapshot,
    pub(crate) state: IndexState,
    /// Signs cursors.
    pub(crate) key: &'a [u8; 32],
    /// What the look at the files behind the hits said.
    pub(crate) verdicts: HashMap<DocumentId, Verdict>,
    /// What makes every answer less than it could be.
    pub(crate) troubles: Vec<String>,
    pub(crate) begun: Instant,
}

impl Run<'_> {
    /// The answer to one of the searches.
    pub(crate) fn answer(&self, job: &Job, page: Page) -> Result<SearchAnswer, EngineError> {
        let Page { found, more, ranking } = page;
        let request = &job.request;
        let mut searched = self.searched(&ranking, request);
        searched.degraded.extend(self.troubles.iter().cloned());
        let results = self.hits(&found, request, &mut searched);
        let hint = if results.is_empty() { Some(self.hint(job)?) } else { None };
        let total_chunks = searched.collections.iter().map(|collection| collection.chunks).sum();
        let place = [(request.offset + request.top_k) as u64, 0];
        let next_cursor = more.then(|| seal(self.key, &cursor::asked(request), &self.state.bound(), place));
        if !more && ranking.is_cut && request.offset + results.len() < total_chunks {
            let reason =
                format!("only the best {} chunks were ranked; ask more narrowly", ranking.considered);
            searched.degraded.push(reason);
        }
        Ok(SearchAnswer {
            results,
            total_chunks,
            query_ms: (self.begun.elapsed().as_secs_f64() * 1e6).round() / 1000.0,
            next_cursor,
            hint,
            searched,
            state: self.state,
            inside: job.inside,
        })
    }

    fn hits(&self, found: &[Found], request: &SearchRequest, searched: &mut Searched) -> Vec<SearchHit> {
        let mut commits: BTreeMap<&str, Option<String>> = BTreeMap::new();
        let mut hits = Vec::with_capacity(found.len());
        for (at, hit) in found.iter().enumerate() {
            let verdict = self.verdicts[&hit.document.id];
            if verdict == Verdict::Gone {
                continue;
            }
            if verdict == Verdict::Unknown {
                let reason = format!("the documents folder of `{}` is missing", hit.document.collection);
                if !searched.degraded.contains(&reason) {
                    searched.degraded.push(reason);
                }
            }
            let collection = hit.document.collection.as_str();
            let fetched = || self.inner.fetched_commit(self.snapshot, collection);
            let commit = || self.inner.commit(&hit.document).or_else(fetched);
            let commit = commits.entry(collection).or_insert_with(commit).clone();
            let place = request.offset + at;
            hits.push(shape(hit, place, commit, verdict != Verdict::Current, request.explain));
        }
        hits
    }

    fn searched(&self, ranking: &Ranking, request: &SearchRequest) -> Searched {
        let (inner, snapshot) = (self.inner, self.snapshot);
        let model = inner.embedder.as_deref().map(|embedder| embedder.model());
        let all = snapshot.counts(model, &request.filter);
        let mut collections = Vec::new();
        let mut degraded = inner.absent(snapshot, &request.filter);
        for collection in snapshot.collections() {
            let asked =
                request.filter.collections.as_ref().is_none_or(|names| names.contains(&collection.name));
            if !asked {
                continue;
            }
            let only = Filter { collections: Some(vec![collection.name.clone()]), ..request.filter.clone() };
            let counts = snapshot.counts(None, &only);
            collections.push(SearchedCollection {
                name: collection.name,
                documents: counts.documents,
                chunks: counts.chunks,
            });
        }
        // One that is empty beside others lacks nothing.
        let is_whole = request.filter.is_open();
        if is_whole && collections.iter().all(|collection| collection.documents == 0) {
            let tell = |it: &SearchedCollection| format!("collection `{}` has no documents", it.name);
            degraded.extend(collections.iter().map(tell));
        }
        let needs_vectors = request.mode != Mode::Lexical || request.max_distance.is_some();
        if let Some(problem) = inner.embedder_problem.as_ref().or(ranking.vector_problem.as_ref()) {
            degraded.push(format!("words only: {problem}"));
        } else if needs_vectors && all.embedded < all.passages {
            let percent = 100 * all.embedded / all.passages.max(1);
            degraded.push(format!("vectors are still being built: {percent} % of the passages have one"));
        }
        Searched {
            generation: snapshot.generation().0,
            collections,
            mode: request.mode,
            lexical: ranking.used_lexical,
            vector: VectorState {
                used: ranking.used_vectors,
                embedded: all.embedded,
                total: all.passages,
                model: model.map(|model| model.name.clone()),
            },
            degraded,
        }
    }

    /// What to try when nothing was found: the facet values under which there would have been something.
    fn hint(&self, job: &Job) -> Result<Hint, EngineError> {
        let (snapshot, request) = (self.snapshot, &job.request);
        let plain = |message: &str| Hint { message: message.to_owned(), suggested_filters: Vec::new() };
        let scope = Filter { collections: request.filter.collections.clone(), ..Filter::default() };
        if snapshot.counts(None, &scope).documents == 0 {
            return Ok(plain("Nothing is indexed yet. Check the documents folder and run `docent index`."));
        }
        if request.filter.chosen.is_some() {
            return Ok(plain(
                "No passage whose every checked claim holds has these words. Search without asking for verified ones.",
            ));
        }
        if let Some(distance) = request.max_distance {
            return Ok(plain(&format!("No chunk is within distance {distance}. Allow a larger distance.")));
        }
        if !request.conditions.is_empty() {
            let passing = snapshot.counts(None, &request.filter);
            return Ok(plain(&match passing.chunks {
                0 => "No chunk of any document meets the filter. Check its values, or search without it."
                    .to_owned(),
                some => format!("{some} chunks meet the filter, and none has these words. Try other words."),
            }));
        }
        let Some(expr) = &request.filter.facets else {
            return Ok(match &request.filter.path {
                Some(glob) => plain(&format!(
                    "No chunk under {} matches. Search without the path filter.",
                    glob.as_str()
                )),
                None => plain("No chunk has these words. Try fewer or other words."),
            });
        };
        let mut wider = job.clone();
        wider.request.filter.facets = None;
        wider.request.top_k = 50;
        let found = find(snapshot, self.inner.embedder.as_deref(), &wider)?.found;
        let mut suggested_filters = Vec::new();
        for key in facet_keys(expr) {
            let values: BTreeSet<String> =
                found.iter().filter_map(|hit| hit.document.facets.get(&key).cloned()).collect();
            if !values.is_empty() {
                suggested_filters.push(FacetHint { key, values: values.into_iter().collect() });
            }
        }
        let message = match suggested_filters.is_empty() {
            false => "No chunk with these facet values matches. Try one of the suggested values.".to_owned(),
            true => {
                let known: Vec<String> = snapshot.facets(&scope).into_keys().collect();
                let known = if known.is_empty() { "none".to_owned() } else { known.join(", ") };
                format!("No page that matches has these facets. Facets of the index: {known}.")
            }
        };
        Ok(Hint { message, suggested_filters })
    }
}

impl Inner {
    /// What makes every answer from this snapshot less than it could be; `behind` is what is not indexed yet.
    pub(crate) fn troubles(&self, snapshot: &dyn Snapshot, behind: Option<String>) -> Vec<String> {
        let mut troubles = Vec::new();
        let failed = snapshot.failures().map_or(0, |failures| failures.len());
        if failed > 0 {
            troubles.push(format!("{failed} files could not be indexed; the status names them"));
        }
        let faults = self.manifest_problems().len();
        if faults > 0 {
            troubles.push(format!("{faults} manifests have faults; the status names them"));
        }
        troubles.extend(self.trouble());
        troubles.extend(behind);
        troubles
    }

    pub(crate) fn commit(&self, document: &DocumentRecord) -> Option<String> {
        match self.source(&document.collection) {
            Some((_, source)) => git::head(&source.root),
            None => self.store.built()?.commit,
        }
    }
}

pub(crate) fn facet_keys(expr: &FacetExpr) -> BTreeSet<String> {
    match expr {
        FacetExpr::Is { key, .. } => BTreeSet::from([key.clone()]),
        FacetExpr::All(parts) | FacetExpr::Any(parts) => parts.iter().flat_map(facet_keys).collect(),
    }
}

/// Names that a facet may not shadow.
const OWN_FIELDS: &[&str] = &[
    "file_path",
    "heading_path",
    "heading_level",
    "last_modified",
    "char_count",
    "start_line",
    "end_line",
    "page",
    "title",
    "collection",
    "content_hash",
    "commit",
];

/// Facets beside the fields of ours.
pub(crate) fn shown_facets(document: &DocumentRecord) -> BTreeMap<String, String> {
    let own = |key: &String| OWN_FIELDS.contains(&key.as_str());
    document
        .facets
        .iter()
        .filter(|(key, _)| !own(key))
        .map(|(key, value)| (key.clone(), value.clone()))
        .collect()
}

fn shape(hit: &Found, place: usize, commit: Option<String>, stale: bool, explain: bool) -> SearchHit {
    let (chunk, document, ranked) = (&hit.chunk, &hit.document, &hit.ranked);
    SearchHit {
        chunk_id: chunk.chunk_id.clone(),
        content: chunk.content.clone(),
        score: ranked.score,
        similarity: ranked.similarity,
        metadata: HitMetadata {
            file_path: document.path.clone(),
            heading_path: chunk.heading_path.clone(),
            heading_level: chunk.heading_level,
            last_modified: iso(document.stat.mtime_ns),
            char_count: u64::from(chunk.char_count),
            start_line: chunk.start_line,
            end_line: chunk.end_line,
            page: document.page(chunk.ordinal),
            title: document.title.clone(),
            collection: document.collection.clone(),
            content_hash: document.content_hash.to_hex(),
            commit,
            facets: shown_facets(document),
            chunk_index: chunk.ordinal + 1,
            total_chunks: document.chunk_count,
        },
        variants: hit.variants.clone(),
        verification: None,
        stale,
        truncated: false,
        explanation: explain.then_some(Explanation {
            chunk_bm25: ranked.chunk_bm25,
            page_bm25: ranked.page_bm25,
            lexical: ranked.lexical_part,
            vector: ranked.vector_part,
        }),
        place,
        ordinal: chunk.ordinal,
        document: Arc::clone(document),
    }
}
