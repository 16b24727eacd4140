//! Cases: facts that hold before a commit and not after it, while the document that names them is as it was.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use super::Bench;
use super::mine::{Candidate, Mended};
use crate::repo::RepoError;
use crate::world::WorkState;
use crate::{ClaimType, Entry, World, checks};

/// A commit with cases.
pub(super) struct Replayed<'c> {
    pub(super) candidate: &'c Candidate,
    /// The files of the commit with its documents as they were before, for documents with cases.
    pub(super) undone: WorkState,
    /// That state.
    pub(super) world: World,
    pub(super) cases: Vec<Case>,
}

/// A fact that a commit removed. What is named at one place may be several claims (a file and a line of it); it is
/// enough to find one of them.
pub(super) struct Case {
    pub(super) file: String,
    pub(super) line: u32,
    pub(super) span: Range<usize>,
    pub(super) claim_type: ClaimType,
    pub(super) kind: String,
    pub(super) named: String,
    pub(super) text: String,
}

/// The cases of a commit; `None` without any.
pub(super) fn find<'c>(
    bench: &Bench<'_>,
    candidate: &'c Candidate,
) -> Result<Option<Replayed<'c>>, RepoError> {
    let before = bench.history.world(&candidate.parent)?;
    let words: Vec<String> = candidate.words.iter().cloned().collect();
    before.look_for(&words);
    let held: Vec<(&Mended, Vec<&crate::Claim>)> = candidate
        .documents
        .iter()
        .map(|document| {
            let holds = |claim: &&crate::Claim| checks::check(claim, &document.path, &before).is_valid();
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
            let is_same = |case: &&mut Case| {
                case.file == document.path
                    && case.claim_type == claim.claim_type
                    && case.span.start < claim.span.end
                    && claim.span.start < case.span.end
            };
            match cases.iter_mut().find(is_same) {
                Some(case) => {
                    case.span = case.span.start.min(claim.span.start)..case.span.end.max(claim.span.end);
                }
                None => cases.push(Case {
                    file: document.path.clone(),
                    line: claim.line,
                    span: claim.span.clone(),
                    claim_type: claim.claim_type,
                    kind: claim.kind.clone(),
                    named: claim.named.clone(),
                    text: claim.text.clone(),
                }),
            }
        }
    }
    Ok((!cases.is_empty()).then_some(Replayed { candidate, undone, world, cases }))
}
