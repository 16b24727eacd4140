//! A search from the call to the answer: gate, find, look again, shape.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::time::Instant;

use docent_index::{DocumentId, DocumentRecord, FacetExpr, Filter, Snapshot};

use crate::engine::{Engine, Inner};
use crate::freshness::Verdict;
use crate::seal::{seal, unseal};
use crate::search::{
    Explanation, FacetHint, Found, Hint, HitMetadata, Mode, Ranking, SearchAnswer, SearchHit, SearchRequest,
    Searched, SearchedCollection, VectorState, cursor, find,
};
use crate::times::iso;
use crate::{EngineError, git};

/// How often a search starts over because a file behind a hit has changed.
const RETRIES: usize = 2;

impl Engine {
    /// Searches.
    pub fn search(&self, asked: &SearchRequest) -> Result<SearchAnswer, EngineError> {
        asked.check()?;
        let begun = Instant::now();
        let inner = &*self.inner;
        let mut behind = inner.freshen();
        let key = inner.store.secret()?;
        let mut request = asked.clone();
        let (mut attempt, mut inside) = (0, 0);
        loop {
            let snapshot = inner.store.snapshot()?;
            let model = inner.embedder.as_deref().map(|embedder| embedder.model());
            let state = cursor::IndexState {
                content: snapshot.content_generation(),
                embedded: snapshot.counts(model, &Filter::default()).embedded,
            };
            if let Some(cursor) = &asked.cursor {
                let [offset, skipped] = unseal(&key, &cursor::asked(asked), &state.bound(), cursor)?;
                inside = usize::try_from(skipped).unwrap_or(usize::MAX);
                request.offset = usize::try_from(offset).unwrap_or(usize::MAX);
            }
            request.collapse = collapse_keys(inner, &*snapshot, &request.filter);
            let request = &request;
            let (found, more, ranking) = find(&*snapshot, inner.embedder.as_deref(), request)?;
            let expected = ranking.hits.len().saturating_sub(request.offset).min(request.top_k);
            if found.len() < expected && attempt < RETRIES {
                // Another process replaced a document between ranking and reading; a newer snapshot has it whole.
                attempt += 1;
                continue;
            }
            let verdicts = inner.verdicts(&found);
            let outdated = inner.outdated(&found, &verdicts);
            if !outdated.is_empty() && attempt < RETRIES {
                attempt += 1;
                if let Err(error) = inner.refresh(&outdated) {
                    // What cannot be read again now is marked in the answer.
                    behind = behind.or(Some(error.message));
                    attempt = RETRIES;
                }
                continue;
            }
            let mut searched = inner.searched(&*snapshot, &ranking, request);
            searched.degraded.extend(behind);
            let results = inner.hits(&*snapshot, &found, &verdicts, request, &mut searched);
            let hint = if results.is_empty() { Some(inner.hint(&*snapshot, request)?) } else { None };
            let total_chunks = searched.collections.iter().map(|collection| collection.chunks).sum();
            let place = request.offset + request.top_k;
            let next = || seal(&key, &cursor::asked(asked), &state.bound(), [place as u64, 0]);
            let next_cursor = more.then(next);
            if !more && ranking.is_cut && request.offset + results.len() < total_chunks {
                let reason =
                    format!("only the best {} chunks were ranked; ask more narrowly", ranking.hits.len());
                searched.degraded.push(reason);
            }
            let query_ms = (begun.elapsed().as_secs_f64() * 1e6).round() / 1000.0;
            return Ok(SearchAnswer {
                results,
                total_chunks,
                query_ms,
                next_cursor,
                hint,
                searched,
                state,
                inside,
            });
        }
    }

    /// Lets the cursor of an answer go on at its hit number `hit`, `inside` bytes into the content.
    pub fn go_on_at(
        &self,
        request: &SearchRequest,
        answer: &mut SearchAnswer,
        hit: usize,
        inside: usize,
    ) -> Result<(), EngineError> {
        let Some(next) = answer.results.get(hit) else { return Ok(()) };
        let place = [next.place as u64, inside as u64];
        let key = self.inner.store.secret()?;
        answer.next_cursor = Some(seal(&key, &cursor::asked(request), &answer.state.bound(), place));
        Ok(())
    }

    /// The best pages, each by its best chunk, without looking at files. For measuring.
    pub fn rank_pages(&self, request: &SearchRequest, count: usize) -> Result<Vec<String>, EngineError> {
        request.check()?;
        let snapshot = self.inner.store.snapshot()?;
        let mut request = request.clone();
        request.collapse = collapse_keys(&self.inner, &*snapshot, &request.filter);
        let ranking = crate::search::rank(&*snapshot, self.inner.embedder.as_deref(), &request)?;
        let mut seen = BTreeSet::new();
        let mut pages = Vec::new();
        for hit in ranking.hits {
            if pages.len() < count && seen.insert(hit.document) {
                pages.extend(snapshot.document(hit.document).map(|document| document.path.clone()));
            }
        }
        Ok(pages)
    }
}

impl Inner {
    fn verdicts(&self, found: &[Found]) -> HashMap<DocumentId, Verdict> {
        let mut verdicts = HashMap::new();
        for hit in found {
            verdicts.entry(hit.document.id).or_insert_with(|| self.verdict(&hit.document));
        }
        verdicts
    }

    fn outdated(
        &self,
        found: &[Found],
        verdicts: &HashMap<DocumentId, Verdict>,
    ) -> BTreeSet<(usize, String)> {
        let outdated = |hit: &&Found| matches!(verdicts[&hit.document.id], Verdict::Changed | Verdict::Gone);
        let place = |hit: &Found| Some((self.source(&hit.document.collection)?.0, hit.document.path.clone()));
        found.iter().filter(outdated).filter_map(place).collect()
    }

    fn hits(
        &self,
        snapshot: &dyn Snapshot,
        found: &[Found],
        verdicts: &HashMap<DocumentId, Verdict>,
        request: &SearchRequest,
        searched: &mut Searched,
    ) -> Vec<SearchHit> {
        let mut commits: BTreeMap<&str, Option<String>> = BTreeMap::new();
        let mut hits = Vec::with_capacity(found.len());
        for (at, hit) in found.iter().enumerate() {
            let verdict = verdicts[&hit.document.id];
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
            let commit = || self.commit(&hit.document).or_else(|| self.fetched_commit(snapshot, collection));
            let commit = commits.entry(collection).or_insert_with(commit).clone();
            let place = request.offset + at;
            hits.push(shape(hit, place, commit, verdict != Verdict::Current, request.explain));
        }
        hits
    }

    pub(crate) fn commit(&self, document: &DocumentRecord) -> Option<String> {
        match self.source(&document.collection) {
            Some((_, source)) => git::head(&source.root),
            None => self.store.built()?.commit,
        }
    }

    fn searched(&self, snapshot: &dyn Snapshot, ranking: &Ranking, request: &SearchRequest) -> Searched {
        let model = self.embedder.as_deref().map(|embedder| embedder.model());
        let all = snapshot.counts(model, &request.filter);
        let mut collections = Vec::new();
        let mut degraded = Vec::new();
        for collection in snapshot.collections() {
            let asked =
                request.filter.collections.as_ref().is_none_or(|names| names.contains(&collection.name));
            if !asked {
                continue;
            }
            let only = Filter { collections: Some(vec![collection.name.clone()]), ..request.filter.clone() };
            let counts = snapshot.counts(None, &only);
            if counts.documents == 0 && request.filter.path.is_none() && request.filter.facets.is_none() {
                degraded.push(format!("collection `{}` has no documents", collection.name));
            }
            collections.push(SearchedCollection {
                name: collection.name,
                documents: counts.documents,
                chunks: counts.chunks,
            });
        }
        if let Some(problem) = self.embedder_problem.as_ref().or(ranking.vector_problem.as_ref()) {
            degraded.push(format!("words only: {problem}"));
        } else if request.mode != Mode::Lexical && all.embedded < all.passages {
            let percent = 100 * all.embedded / all.passages.max(1);
            degraded.push(format!("vectors are still being built: {percent} % of the passages have one"));
        }
        let failed = snapshot.failures().map_or(0, |failures| failures.len());
        if failed > 0 {
            degraded.push(format!("{failed} files could not be indexed; the status names them"));
        }
        let faults = self.manifest_problems().len();
        if faults > 0 {
            degraded.push(format!("{faults} manifests have faults; the status names them"));
        }
        degraded.extend(self.trouble());
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
    fn hint(&self, snapshot: &dyn Snapshot, request: &SearchRequest) -> Result<Hint, EngineError> {
        let plain = |message: &str| Hint { message: message.to_owned(), suggested_filters: Vec::new() };
        let scope = Filter { collections: request.filter.collections.clone(), ..Filter::default() };
        if snapshot.counts(None, &scope).documents == 0 {
            return Ok(plain("Nothing is indexed yet. Check the documents folder and run `docent index`."));
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
        let mut wider = request.clone();
        wider.filter.facets = None;
        wider.top_k = 50;
        let (found, ..) = find(snapshot, self.embedder.as_deref(), &wider)?;
        let mut suggested_filters = Vec::new();
        for key in keys(expr) {
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

/// The facets over which siblings are folded. Who filters by one has chosen.
fn collapse_keys(inner: &Inner, snapshot: &dyn Snapshot, filter: &Filter) -> Vec<String> {
    let chosen = filter.facets.as_ref().map(keys).unwrap_or_default();
    let asked = |name: &String| filter.collections.as_ref().is_none_or(|names| names.contains(name));
    let collections = snapshot.collections().into_iter().filter(|collection| asked(&collection.name));
    let mut folds = BTreeSet::new();
    for collection in collections {
        let about = inner.about_of(&collection);
        folds.extend(about.facets.iter().filter(|(_, facet)| facet.collapse).map(|(key, _)| key.clone()));
    }
    folds.difference(&chosen).cloned().collect()
}

fn keys(expr: &FacetExpr) -> BTreeSet<String> {
    match expr {
        FacetExpr::Is { key, .. } => BTreeSet::from([key.clone()]),
        FacetExpr::All(parts) | FacetExpr::Any(parts) => parts.iter().flat_map(keys).collect(),
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
            title: document.title.clone(),
            collection: document.collection.clone(),
            content_hash: document.content_hash.to_hex(),
            commit,
            facets: shown_facets(document),
        },
        variants: hit.variants.clone(),
        stale,
        truncated: false,
        explanation: explain.then_some(Explanation {
            chunk_bm25: ranked.chunk_bm25,
            page_bm25: ranked.page_bm25,
            lexical: ranked.lexical_part,
            vector: ranked.vector_part,
        }),
        place,
    }
}
