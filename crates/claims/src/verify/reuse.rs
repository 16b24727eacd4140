//! What of an earlier verification still holds.
//!
//! A document is looked at anew when its content has changed, or when one of its claims is seen differently now. Which
//! claims could be? Those that paths alone decide are checked again, because that costs nothing; the others when a file
//! in which they were found has changed, or one that holds one of their words. The same goes for claims of a document that
//! has changed: most of them are as they were.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use super::moment::Moment;
use super::{DocumentState, Looked, RULES, Run, Verification, touched};
use crate::genre::{SKILLS_LOCK, is_paper, skill_of, version_of};
use crate::repo::RepoError;
use crate::world::{WordBook, is_evidence};
use crate::{Claim, Outcome, Subject, checks};

/// An earlier verification, and what may make its claims hold no more.
pub(super) struct Earlier<'a> {
    previous: &'a Verification,
    changed: HashSet<String>,
    words: HashSet<String>,
    /// Whether other packages and programs are this repository's now: anything may be seen differently.
    is_all: bool,
}

impl Earlier<'_> {
    /// What the check of the same claim in an earlier version of the document said, where it says the same now.
    pub(super) fn outcome(&self, claim: &Claim) -> Option<&Outcome> {
        let is_same = |looked: &&Looked| {
            let known = &looked.claim;
            known.named == claim.named
                && known.kind == claim.kind
                && known.claim_type == claim.claim_type
                && known.subject == claim.subject
                && known.cues == claim.cues
        };
        let looked = self.previous.documents.get(&claim.file)?.claims.iter().find(is_same)?;
        (!self.is_concerned(looked)).then_some(&looked.now)
    }

    fn is_concerned(&self, looked: &Looked) -> bool {
        let needles = checks::needles(&looked.claim);
        let found = match &looked.now {
            Outcome::Valid { found } | Outcome::Differs { found, .. } => found.as_slice(),
            Outcome::Missing { .. } | Outcome::NotOurs => &[],
        };
        let then =
            looked.judgement.as_ref().map_or(&[][..], |judgement| judgement.evidence.found_then.as_slice());
        self.is_all
            || needles.is_empty()
            || needles.iter().any(|needle| self.words.contains(needle))
            || found.iter().chain(then).any(|place| self.changed.contains(&place.path))
            || is_of_page(&looked.claim, &self.changed)
    }
}

/// Documents that need not be looked at anew, by path, and what spares work on the others.
pub(super) fn reuse<'a>(
    run: &Run<'_>,
    previous: &'a Verification,
    documents: &[(String, String)],
) -> Result<(BTreeMap<String, DocumentState>, Option<Earlier<'a>>), RepoError> {
    let mut kept = BTreeMap::new();
    let Some(changed) = changed(run, previous)? else { return Ok((kept, None)) };
    // A plan that came or went says something about all pages beside it.
    let papers = changed.iter().filter(|path| is_paper(path) && path.contains('/'));
    let mut works: Vec<&str> = papers.filter_map(|path| path.get(..=path.rfind('/')?)).collect();
    // So does the first page of another version.
    let is_now = |path: &str| documents.iter().any(|(known, _)| known == path);
    let versions = changed.iter().filter_map(|path| Some((path, version_of(path)?.0)));
    let came = versions.filter(|(path, _)| previous.documents.contains_key(*path) != is_now(path));
    works.extend(came.map(|(_, root)| root));
    works.sort_unstable();
    works.dedup();
    let has_other_skills = changed.iter().any(|path| path == SKILLS_LOCK);
    for (path, content) in documents {
        let is_committed = !run.state.changes.contains_key(path);
        let Some(known) = previous.documents.get(path) else { continue };
        let is_of_work = works.iter().any(|folder| path.starts_with(folder))
            || has_other_skills && skill_of(path).is_some();
        if known.content == *content && known.is_committed == is_committed && !is_of_work {
            kept.insert(path.clone(), known.clone());
        }
    }
    if changed.is_empty() && previous.head.as_deref() == run.repository.head() {
        return Ok((kept, None));
    }
    let words = words_in(run, &changed, previous);
    let is_all = checks::packages(run.now) != previous.packages;
    let earlier = Earlier { previous, changed, words, is_all };
    let concerned = kept.values().flat_map(|it| &it.claims).filter(|it| earlier.is_concerned(it));
    let mut needles: Vec<String> = concerned.flat_map(|it| checks::needles(&it.claim)).collect();
    needles.sort_unstable();
    needles.dedup();
    run.now.look_for(&needles);
    let again: Vec<(String, DocumentState)> = kept.into_iter().collect();
    let moment = Moment::of(run, previous, &earlier.changed);
    let again = run.each("checking", &again, |(path, document)| {
        let is_over = document.claims.iter().any(|looked| moment.is_over(run, looked));
        (!is_over).then_some(())?;
        Some((path.clone(), recheck(run, path, document, &earlier)?))
    })?;
    Ok((again.into_iter().flatten().collect(), Some(earlier)))
}

/// Whether the repository is as it was when an earlier verification looked at it.
pub(super) fn is_same_state(run: &Run<'_>, previous: &Verification) -> bool {
    let changes = &run.state.changes;
    let is_same =
        |(path, change): (&String, &crate::repo::Change)| previous.changes.get(path) == Some(&change.id);
    previous.rules == RULES
        && previous.head.as_deref() == run.repository.head()
        && previous.changes.len() == changes.len()
        && changes.iter().all(is_same)
}

/// Paths whose content differs from that of the earlier verification; `None` when the two cannot be compared.
fn changed(run: &Run<'_>, previous: &Verification) -> Result<Option<HashSet<String>>, RepoError> {
    let head = run.repository.head();
    let is_same_head = previous.head.as_deref() == head;
    let is_later = || previous.head.as_deref().is_some_and(|head| run.repository.is_in_history(head));
    let is_same_depth = previous.depth == run.repository.depth();
    if previous.rules != RULES || !is_same_depth || !(is_same_head || is_later()) {
        return Ok(None);
    }
    let mut paths: HashSet<String> = HashSet::new();
    if !is_same_head && let Some(head) = &previous.head {
        let before = run.repository.tree(head)?.entries;
        let now = &run.state.entries;
        paths.extend(
            before.iter().filter(|(path, entry)| now.get(*path) != Some(entry)).map(|(path, _)| path.clone()),
        );
        paths.extend(now.keys().filter(|path| !before.contains_key(*path)).cloned());
    }
    let changes = &run.state.changes;
    let id = |path: &String| changes.get(path).map(|change| &change.id);
    let touched = previous.changes.keys().chain(changes.keys());
    paths.extend(touched.filter(|path| previous.changes.get(*path) != id(path)).cloned());
    Ok(Some(paths))
}

/// Words of claims that stand where files have changed since the commit that they were verified with, or in their paths.
/// What had changed before the earlier verification is known from that one.
fn words_in(run: &Run<'_>, changed: &HashSet<String>, previous: &Verification) -> HashSet<String> {
    let before = previous.head.as_deref().and_then(|head| run.history.world(head).ok());
    let texts = changed.iter().map(|path| {
        let mut text = path.as_bytes().to_vec();
        if is_evidence(path) {
            text.push(b'\n');
            text.extend_from_slice(&touched::text(path, before.as_deref(), run.now));
        }
        (path.as_str(), text)
    });
    let mut words: HashSet<String> = found_in(texts, &previous.documents).into_keys().collect();
    let gone = changed.iter().filter_map(|path| previous.uncommitted_words.get(path));
    words.extend(gone.flatten().cloned());
    words
}

/// Words of claims that stand where files are not as they were committed.
pub(super) fn uncommitted_words(
    run: &Run<'_>,
    documents: &BTreeMap<String, DocumentState>,
) -> BTreeMap<String, BTreeSet<String>> {
    let paths: Vec<&String> = run.state.changes.keys().filter(|path| is_evidence(path)).collect();
    let committed = run.repository.head().and_then(|head| run.history.world(head).ok());
    let texts = paths.iter().map(|path| (path.as_str(), touched::text(path, committed.as_deref(), run.now)));
    let mut words: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    if !paths.is_empty() {
        for (word, files) in found_in(texts, documents) {
            for file in files {
                words.entry(file).or_default().insert(word.clone());
            }
        }
    }
    words
}

/// Words of claims → those of the texts that hold them.
fn found_in<'t>(
    texts: impl Iterator<Item = (&'t str, Vec<u8>)>,
    documents: &BTreeMap<String, DocumentState>,
) -> HashMap<String, Vec<String>> {
    let claims = documents.values().flat_map(|it| &it.claims);
    let mut words: Vec<String> = claims.flat_map(|it| checks::needles(&it.claim)).collect();
    words.sort_unstable();
    words.dedup();
    let mut book = WordBook::default();
    book.add(&words);
    let mut contents = Vec::new();
    for (path, mut text) in texts {
        // A module is told by the name of its file.
        text.push(b'\n');
        text.extend_from_slice(path.as_bytes());
        let number = book.number(path);
        let found = book.search(number, Some(&text));
        book.note(found);
        contents.push((path, number));
    }
    book.files(&words, contents.into_iter())
}

/// The document with what its checks say now; `None` when one says something else than before.
fn recheck(
    run: &Run<'_>,
    path: &str,
    document: &DocumentState,
    earlier: &Earlier<'_>,
) -> Option<DocumentState> {
    let mut document = document.clone();
    for looked in &mut document.claims {
        if !earlier.is_concerned(looked) {
            continue;
        }
        if has_moved_on(run, looked) {
            return None;
        }
        let now = checks::check(&looked.claim, path, run.now);
        match (&looked.now, &now) {
            (Outcome::Valid { .. }, Outcome::Valid { found }) => {
                if let Some(judgement) = &mut looked.judgement {
                    judgement.evidence.found_now = found.clone();
                }
            }
            // What is closest now, and what was looked at, may be something else.
            (Outcome::Missing { .. }, Outcome::Missing { .. })
                if is_told_by_words(looked) || looked.now != now =>
            {
                return None;
            }
            (Outcome::Missing { .. }, Outcome::Missing { .. }) | (Outcome::NotOurs, Outcome::NotOurs) => {}
            (Outcome::Differs { actual: before, .. }, Outcome::Differs { actual, .. })
                if before == actual => {}
            _ => return None,
        }
        looked.now = now;
    }
    Some(document)
}

/// Whether a page that has changed may be the one to whose heading or line a claim leads.
fn is_of_page(claim: &Claim, changed: &HashSet<String>) -> bool {
    let Subject::Path { target, .. } = &claim.subject else { return false };
    let name = target.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
    let stem = name.split('.').next().unwrap_or_default();
    !stem.is_empty() && changed.iter().any(|path| path.contains(stem))
}

/// Whether something else than paths decides a claim that does not hold.
fn is_told_by_words(looked: &Looked) -> bool {
    looked.judgement.is_some() && !checks::needles(&looked.claim).is_empty()
}

/// Whether the story of how it broke has gone on: what was not committed is now, or what was moved has moved again.
fn has_moved_on(run: &Run<'_>, looked: &Looked) -> bool {
    let breaking = looked.judgement.as_ref().and_then(|judgement| judgement.evidence.breaking.as_ref());
    breaking.is_some_and(|breaking| {
        let is_gone = breaking.renamed_to.as_ref().is_some_and(|target| run.now.entry(target).is_none());
        breaking.commit.is_none() || is_gone
    })
}
