//! One commit in three states: undone, as it is, and before.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::Bench;
use super::cases::{Case, Replayed};
use super::fate::Fates;
use super::mine::Candidate;
use super::report::{Alarm, BenchVerdict, Fate, Spot};
use crate::repo::{RepoError, Repository};
use crate::verify::{DocumentState, Looked, Options, Replay, Watch, replay as verify};
use crate::world::WorkState;
use crate::{Claim, ClaimType, Outcome, Verdict, World, checks};

/// What a commit showed.
pub(super) struct Shown {
    pub(super) cases: Vec<BenchVerdict>,
    /// Alarms before the commit.
    pub(super) alarms: Vec<Alarm>,
    /// Claims that the commit wrote, by type: how many, and alarms on them.
    pub(super) written: BTreeMap<ClaimType, Written>,
    /// Alarms on what the commit wrote.
    pub(super) false_alarms: Vec<Alarm>,
    /// Claims that were looked at, and how long that took.
    pub(super) claims: usize,
    pub(super) took: Duration,
}

/// Claims on lines that their author had just written.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Written {
    pub(super) claims: usize,
    pub(super) alarms: usize,
    pub(super) naive: usize,
}

type Documents = BTreeMap<String, DocumentState>;

pub(super) fn replay(bench: &Bench<'_>, replayed: &Replayed<'_>, fates: &Fates) -> Result<Shown, RepoError> {
    let start = Instant::now();
    let candidate = replayed.candidate;
    let paths: Vec<String> = candidate.documents.iter().map(|document| document.path.clone()).collect();
    let options = Options { paths, threads: 1, ..Options::default() };
    let (at, parent) = (bench.repository.at(&candidate.commit), bench.repository.at(&candidate.parent));
    let look = |repository: &Repository,
                blamed: &Repository,
                state: &WorkState,
                world: &World,
                only: &[Case]| {
        let history = bench.history.at(repository.head().unwrap_or_default(), candidate.time);
        let is_wanted = |claim: &Claim| only.iter().any(|case| case.is_about(&claim.file, claim));
        let store = Arc::clone(&bench.store);
        let state =
            Replay { repository, blamed, state, now: world, history: &history, store, is_wanted: &is_wanted };
        verify(&state, &options, Watch::SILENT)
    };
    let undone = look(&at, &parent, &replayed.undone, &replayed.world, &replayed.cases)?;
    let state = WorkState::read_commit(&parent)?;
    let before_world = bench.history.world(&candidate.parent)?;
    let before = look(&parent, &parent, &state, &before_world, &[])?;
    let state = WorkState::read_commit(&at)?;
    let after_world = bench.history.world(&candidate.commit)?;
    let after = look(&at, &at, &state, &after_world, &[])?;
    let count = |documents: &Documents| documents.values().map(|it| it.claims.len()).sum::<usize>();
    let claims = count(&undone) + count(&before) + count(&after);
    let took = start.elapsed();
    let mut shown = Shown {
        cases: replayed
            .cases
            .iter()
            .map(|case| verdict(bench, case, &undone, candidate))
            // What holds once everything was looked for (a redirect, say) was not removed.
            .filter(|shown| shown.is_found || !shown.now.as_ref().is_some_and(Outcome::is_valid))
            .collect(),
        alarms: Vec::new(),
        written: BTreeMap::new(),
        false_alarms: Vec::new(),
        claims,
        took,
    };
    for (path, document) in &before {
        let bytes = before_world.read(path).unwrap_or_default();
        let text = String::from_utf8_lossy(&bytes);
        for looked in &document.claims {
            let (is_drifted, is_naive) = (is_drifted(looked), is_naive(looked));
            let is_verified = looked.now.is_valid();
            if is_drifted || is_naive || is_verified {
                let fate = fates.of(&looked.claim, &text, candidate.newer);
                shown.alarms.push(alarm(looked, &candidate.parent, fate));
            }
        }
    }
    for document in &candidate.documents {
        for looked in after.get(&document.path).into_iter().flat_map(|it| &it.claims) {
            if !document.written.contains(&looked.claim.line) {
                continue;
            }
            let (is_drifted, is_naive) = (is_drifted(looked), is_naive(looked));
            let row = shown.written.entry(looked.claim.claim_type).or_default();
            row.claims += usize::from(looked.judgement.is_some() || is_naive);
            row.alarms += usize::from(is_drifted);
            row.naive += usize::from(is_naive);
            if is_drifted || is_naive {
                shown.false_alarms.push(alarm(looked, &candidate.commit, Fate::Unconfirmed));
            }
        }
    }
    Ok(shown)
}

fn is_drifted(looked: &Looked) -> bool {
    looked.judgement.as_ref().is_some_and(|judgement| judgement.verdict == Verdict::Drifted)
}

/// What a verification without history would call drifted.
fn is_naive(looked: &Looked) -> bool {
    matches!(looked.now, Outcome::Missing { .. } | Outcome::Differs { .. })
}

fn alarm(looked: &Looked, commit: &str, fate: Fate) -> Alarm {
    let class = looked.judgement.as_ref().map(|judgement| judgement.class.name());
    Alarm {
        spot: Spot::of(&looked.claim, commit),
        class: class.unwrap_or("none").to_owned(),
        is_drifted: is_drifted(looked),
        is_naive: is_naive(looked),
        fate,
    }
}

fn verdict(bench: &Bench<'_>, case: &Case, undone: &Documents, candidate: &Candidate) -> BenchVerdict {
    let commit = candidate.commit.as_str();
    let looked: Vec<&Looked> = undone
        .get(&case.spot.file)
        .into_iter()
        .flat_map(|document| &document.claims)
        .filter(|looked| case.is_about(&looked.claim.file, &looked.claim))
        .collect();
    let drifted = looked.iter().find(|looked| is_drifted(looked));
    let told = drifted.or_else(|| looked.iter().find(|looked| looked.judgement.is_some()));
    let told = told.or_else(|| looked.first());
    let judgement = told.and_then(|looked| looked.judgement.as_ref());
    let breaking = drifted.and(judgement).and_then(|judgement| judgement.evidence.breaking.as_ref());
    let named_commit = breaking.and_then(|breaking| breaking.commit.clone());
    let missed = told.filter(|_| drifted.is_none());
    let (blame, then) = missed.map_or((None, None), |looked| then(bench, &looked.claim, &candidate.parent));
    let known_blame = judgement.and_then(|judgement| Some(judgement.evidence.blame.as_ref()?.commit.clone()));
    BenchVerdict {
        spot: case.spot.clone(),
        now: told.map(|looked| looked.now.clone()),
        is_past: told.is_some_and(|looked| looked.claim.cues.is_past),
        class: judgement.map_or("none", |judgement| judgement.class.name()).to_owned(),
        blame: known_blame.or(blame),
        then,
        is_found: drifted.is_some(),
        is_fresh: drifted.is_some_and(|looked| looked.judgement.as_ref().is_some_and(|it| it.is_fresh)),
        is_found_naively: looked.iter().any(|looked| is_naive(looked)),
        is_right: named_commit.as_deref() == Some(commit),
        breaking: named_commit,
    }
}

/// Who wrote the line of a claim, and what the check says there: why it was not found.
fn then(bench: &Bench<'_>, claim: &Claim, parent: &str) -> (Option<String>, Option<Outcome>) {
    let parent = bench.repository.at(parent);
    let Ok(mut blamed) = parent.blame(&claim.file, None, &[claim.line]) else { return (None, None) };
    let Some(line) = blamed.remove(&claim.line) else { return (None, None) };
    let Some(commit) = line.commit else { return (None, None) };
    let world = bench.history.world(&commit).ok();
    let then = world.map(|world| checks::check(claim, &line.path, &world));
    (Some(commit), then)
}
