//! Cases: facts that hold before a commit and not after it, while the document that names them is as it was.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use super::Bench;
use super::mine::{Candidate, Mended};
use super::report::Spot;
use crate::genre::is_of_work;
use crate::repo::RepoError;
use crate::world::WorkState;
use crate::{Claim, Entry, Link, Subject, World, checks};

/// A commit with cases.
pub(super) struct Replayed<'c> {
    pub(super) candidate: &'c Candidate,
    /// The files of the commit with its documents as they were before, for documents with cases.
    pub(super) undone: WorkState,
    /// That state.
    pub(super) world: World,
    pub(super) cases: Vec<Case>,
}

/// A fact that a commit removed. What is named at one place may be several claims (a file and a line of it), and so may
/// links of one line into one page; it is enough to find one of them.
pub(super) struct Case {
    pub(super) spot: Spot,
    pub(super) span: Range<usize>,
    page: Option<String>,
}

impl Case {
    /// Whether a claim of this document names something at the same place.
    pub(super) fn is_about(&self, file: &str, claim: &Claim) -> bool {
        let is_here = || self.span.start < claim.span.end && claim.span.start < self.span.end;
        let is_same_page =
            || self.spot.line == claim.line && self.page.is_some() && self.page.as_deref() == page(claim);
        self.spot.file == file && self.spot.claim_type == claim.claim_type && (is_here() || is_same_page())
    }
}

/// The page to which a claim leads.
fn page(claim: &Claim) -> Option<&str> {
    match &claim.subject {
        Subject::Path { target, link: Link::Link, .. } => Some(target),
        _ => None,
    }
}

/// The cases of a commit; `None` without any.
pub(super) fn find<'c>(
    bench: &Bench<'_>,
    candidate: &'c Candidate,
) -> Result<Option<Replayed<'c>>, RepoError> {
    let before = bench.history.world(&candidate.parent)?;
    let words: Vec<String> = candidate.words.iter().cloned().collect();
    before.look_for(&words);
    let held: Vec<(&Mended, Vec<&Claim>)> = candidate
        .documents
        .iter()
        .map(|document| {
            let is_read = !is_of_work(&document.path, |path| before.entry(path).is_some());
            let holds =
                |claim: &&crate::Claim| is_read && checks::check(claim, &document.path, &before).is_valid();
            (document, document.claims.iter().filter(holds).collect())
        })
        .collect();
    if held.iter().all(|(_, claims)| claims.is_empty()) {
        return Ok(None);
    }
    let repository = bench.repository.at(&candidate.commit);
    let mut entries: BTreeMap<_, _> = repository.tree(&candidate.commit)?.entries;
    for document in &candidate.documents {
        entries.insert(document.path.clone(), (Entry::File, document.before.clone()));
    }
    let undone = WorkState { entries: Arc::new(entries), changes: Arc::default(), unreadable_paths: 0 };
    let world = World::of_work_tree(&repository, &undone, Arc::clone(&bench.store));
    world.look_for(&words);
    let mut cases: Vec<Case> = Vec::new();
    for (document, claims) in held {
        for claim in claims {
            if checks::check(claim, &document.path, &world).is_valid() {
                continue;
            }
            match cases.iter_mut().find(|case| case.is_about(&document.path, claim)) {
                Some(case) => {
                    case.span = case.span.start.min(claim.span.start)..case.span.end.max(claim.span.end);
                }
                None => cases.push(Case {
                    spot: Spot { file: document.path.clone(), ..Spot::of(claim, &candidate.commit) },
                    span: claim.span.clone(),
                    page: page(claim).map(str::to_owned),
                }),
            }
        }
    }
    Ok((!cases.is_empty()).then_some(Replayed { candidate, undone, world, cases }))
}
