//! A search from the call to the answer: gate, find, look again, shape.
//!
//! One search is several with one request: all of them share the gate, the snapshot and the look at files.

use std::collections::{BTreeSet, HashMap};
use std::time::Instant;

use docent_index::{DocumentId, Filter, Snapshot};

use crate::EngineError;
use crate::answering::{Run, facet_keys};
use crate::engine::{Engine, Inner};
use crate::freshness::Verdict;
use crate::seal::{seal, unseal};
use crate::search::cursor::IndexState;
use crate::search::{Found, Job, Page, SearchAnswer, SearchRequest, cursor, find_all, rank_only};

/// How often a search starts over because a file behind a hit has changed.
const RETRIES: usize = 2;

impl Engine {
    /// Searches.
    pub fn search(&self, asked: &SearchRequest) -> Result<SearchAnswer, EngineError> {
        self.search_many(std::slice::from_ref(asked))?.swap_remove(0)
    }

    /// Several searches at once, answered in order from one state of the index; each answer is what [`Engine::search`]
    /// would have given. A request that is refused is an error in its place only.
    pub fn search_many(
        &self,
        asked: &[SearchRequest],
    ) -> Result<Vec<Result<SearchAnswer, EngineError>>, EngineError> {
        let begun = Instant::now();
        let inner = &*self.inner;
        let is_any_sound = asked.iter().any(|asked| asked.check().is_ok());
        let behind = if is_any_sound { inner.freshen() } else { None };
        let key = inner.store.secret()?;
        let job = |snapshot: &dyn Snapshot, state: &IndexState, asked: &SearchRequest| {
            asked.check()?;
            let mut job = Job::new(asked.clone(), collapse_keys(inner, snapshot, &asked.filter));
            job.request.filter = inner.filter_of(snapshot, &asked.filter, &asked.conditions)?;
            if let Some(cursor) = &asked.cursor {
                let [offset, inside] = unseal(&key, &cursor::asked(asked), &state.bound(), cursor)?;
                job.inside = usize::try_from(inside).unwrap_or(usize::MAX);
                job.request.offset = usize::try_from(offset).unwrap_or(usize::MAX);
            }
            Ok(job)
        };
        inner.run(begun, behind, |snapshot, state| {
            asked.iter().map(|asked| job(snapshot, state, asked)).collect()
        })
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
        let mut job = Job::new(request.clone(), collapse_keys(&self.inner, &*snapshot, &request.filter));
        job.request.filter = self.inner.filter_of(&*snapshot, &request.filter, &request.conditions)?;
        let ranking = rank_only(&*snapshot, self.inner.embedder.as_deref(), &job)?;
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
    /// Runs searches on one snapshot, and starts all of them over when a file behind one of the hits has changed. What
    /// `plan` makes of the requests depends on the snapshot, so it is asked anew each time.
    pub(crate) fn run(
        &self,
        begun: Instant,
        mut behind: Option<String>,
        plan: impl Fn(&dyn Snapshot, &IndexState) -> Vec<Result<Job, EngineError>>,
    ) -> Result<Vec<Result<SearchAnswer, EngineError>>, EngineError> {
        let key = self.store.secret()?;
        let mut attempt = 0;
        loop {
            let snapshot = self.store.snapshot()?;
            let model = self.embedder.as_deref().map(|embedder| embedder.model());
            let state = IndexState {
                content: snapshot.content_generation(),
                embedded: snapshot.counts(model, &Filter::default()).embedded,
            };
            let planned = plan(&*snapshot, &state);
            let jobs: Vec<&Job> = planned.iter().filter_map(|job| job.as_ref().ok()).collect();
            let found = find_all(&*snapshot, self.embedder.as_deref(), &jobs, |found| self.verdicts(found))?;
            let (pages, verdicts): (Vec<Page>, Vec<_>) = found.into_iter().unzip();
            let is_short = pages.iter().zip(&jobs).any(|(page, job)| page.is_short(&job.request));
            if is_short && attempt < RETRIES {
                // Another process replaced a document between ranking and reading; a newer snapshot has it whole.
                attempt += 1;
                continue;
            }
            let verdicts: HashMap<DocumentId, Verdict> = verdicts.into_iter().flatten().collect();
            let outdated = self.outdated(&pages, &verdicts);
            if !outdated.is_empty() && attempt < RETRIES {
                attempt += 1;
                if let Err(error) = self.refresh(&outdated) {
                    // What cannot be read again now is marked in the answer.
                    behind = behind.or(Some(error.message));
                    attempt = RETRIES;
                }
                continue;
            }
            let run = Run {
                inner: self,
                snapshot: &*snapshot,
                state,
                key: &key,
                verdicts,
                troubles: self.troubles(&*snapshot, behind),
                begun,
            };
            let mut pages = pages.into_iter();
            let mut answer = |job: Job| run.answer(&job, pages.next().unwrap_or_default());
            return Ok(planned.into_iter().map(|job| answer(job?)).collect());
        }
    }

    fn verdicts(&self, found: &[Found]) -> HashMap<DocumentId, Verdict> {
        let mut verdicts = HashMap::new();
        for hit in found {
            verdicts.entry(hit.document.id).or_insert_with(|| self.verdict(&hit.document));
        }
        verdicts
    }

    fn outdated(&self, pages: &[Page], verdicts: &HashMap<DocumentId, Verdict>) -> BTreeSet<(usize, String)> {
        let outdated = |hit: &&Found| matches!(verdicts[&hit.document.id], Verdict::Changed | Verdict::Gone);
        let place = |hit: &Found| Some((self.source(&hit.document.collection)?.0, hit.document.path.clone()));
        pages.iter().flat_map(|page| &page.found).filter(outdated).filter_map(place).collect()
    }
}

/// The facets over which siblings are folded. Who filters by one has chosen.
pub(crate) fn collapse_keys(inner: &Inner, snapshot: &dyn Snapshot, filter: &Filter) -> Vec<String> {
    let chosen = filter.facets.as_ref().map(facet_keys).unwrap_or_default();
    let asked = |name: &String| filter.collections.as_ref().is_none_or(|names| names.contains(name));
    let collections = snapshot.collections().into_iter().filter(|collection| asked(&collection.name));
    let mut folds = BTreeSet::new();
    for collection in collections {
        let about = inner.about_of(&collection);
        folds.extend(about.facets.iter().filter(|(_, facet)| facet.collapse).map(|(key, _)| key.clone()));
    }
    folds.difference(&chosen).cloned().collect()
}
