//! What held until lately.
//!
//! Much of what is not found in a repository is not the repository's: a word that stands in code, a file that readers
//! have, a flag of another program. What nobody has missed for weeks is left to these. But a claim that held two weeks ago
//! and does not today was about something that somebody has just taken away, whatever else has its name, and now is the
//! time to say so. Two states are asked: the one before the newest change, which is what a check in CI compares with, and
//! the last of the week before the last two, which stays the same for a week, so that what was seen there is kept.

use std::collections::HashMap;

use super::Run;
use super::excused::was_near;
use super::past::{At, at_commit};
use super::read::Reading;
use super::samples::Sample;
use crate::judge::Then;
use crate::repo::RepoError;
use crate::{Claim, Link, Outcome, Subject, checks};

/// After two weeks nobody remembers what was taken away.
pub(super) const LATELY: i64 = 14 * DAY;
const WEEK: i64 = 7 * DAY;
const DAY: i64 = 24 * 60 * 60;

/// The states that are asked, the newest first; the first of them is left out of `line` when nothing is changed.
pub(super) fn states(line: &[(String, i64)], is_changed: bool) -> Vec<Sample> {
    let Some((_, newest)) = line.first() else { return Vec::new() };
    let before = line.get(usize::from(!is_changed));
    let until = (newest - LATELY).div_euclid(WEEK) * WEEK;
    let then = line.iter().find(|(_, time)| *time <= until);
    let sample = |(commit, time): &(String, i64)| Sample { commit: commit.clone(), time: *time };
    let mut states: Vec<Sample> = before.into_iter().chain(then).map(sample).collect();
    states.dedup_by(|next, last| next.commit == last.commit);
    states
}

/// In which state of late a claim held, and what was seen there.
#[derive(Debug, Clone)]
pub(super) struct Lately {
    pub(super) commit: String,
    pub(super) time: i64,
    pub(super) outcome: Outcome,
    /// Whether it is looked at only because it held then.
    pub(super) is_only: bool,
}

/// Those of these claims that held lately.
pub(super) fn held(
    run: &Run<'_>,
    readings: &[Reading],
    states: &[Sample],
    asked: &[At],
) -> Result<HashMap<At, Lately>, RepoError> {
    let claim = |at: &At| {
        let reading = readings.get(at.0)?;
        let claim = &reading.cases.get(at.1)?.claim;
        may_be_told(claim).then_some((*at, claim, reading.path.as_str()))
    };
    let asked: Vec<(At, &Claim, &str)> = asked.iter().filter_map(claim).collect();
    let claims: Vec<(&Claim, &str)> = asked.iter().map(|(_, claim, path)| (*claim, *path)).collect();
    let mut found = HashMap::new();
    if claims.is_empty() {
        return Ok(found);
    }
    let seen = run.each("looking back", states, |state| at_commit(run, &state.commit, &claims))?;
    for (state, outcomes) in states.iter().zip(seen) {
        for ((at, claim, path), then) in asked.iter().zip(outcomes) {
            if let Then::Known(outcome @ Outcome::Valid { .. }) = then
                && !is_only_example(claim, &outcome, path)
            {
                let lately =
                    || Lately { commit: state.commit.clone(), time: state.time, outcome, is_only: false };
                found.entry(*at).or_insert_with(lately);
            }
        }
    }
    Ok(found)
}

/// Whether it would be told that a claim does not hold any more.
fn may_be_told(claim: &Claim) -> bool {
    let is_told = claim.cues.is_past || claim.cues.is_example || claim.cues.is_created;
    match &claim.subject {
        // Words about making things are about the files around a command or a variable.
        Subject::Defined { .. } | Subject::OwnCli { .. } | Subject::Variable { .. } => !claim.cues.is_past,
        // A repository that is called otherwise now, code that is like ours by chance, a word in prose.
        Subject::Hosted { .. } | Subject::Snippet { .. } => false,
        // An example may well be a file that is here.
        Subject::Path { .. } => !claim.cues.is_past && !claim.cues.is_created,
        Subject::Value { of, .. } => !is_told && matches!(of.as_str(), "default" | "package_name"),
        _ => !is_told,
    }
}

/// Whether a page gives a path as an example that lay elsewhere: it need not be the one that was here.
fn is_only_example(claim: &Claim, then: &Outcome, document: &str) -> bool {
    let Outcome::Valid { found } = then else { return true };
    matches!(claim.subject, Subject::Path { .. }) && claim.cues.is_example && !was_near(found, document)
}

/// Whether what a claim names was taken away lately, although something else may still have its name: no code uses it, and
/// nothing has taken its place.
pub(super) fn is_gone(run: &Run<'_>, claim: &Claim, document: &str, now: &Outcome, lately: &Lately) -> bool {
    if *now != Outcome::NotOurs {
        return true;
    }
    let Ok(before) = run.history.world(&lately.commit) else { return false };
    match &claim.subject {
        // A route may be made up of texts that are still there.
        Subject::Route { .. } => false,
        // Headings may be in what a page takes in; a page that is gone is a claim of its own.
        Subject::Path { anchor: Some(_), .. } | Subject::Path { lines: Some(_), .. } => false,
        Subject::Path { link, .. } => {
            *link != Link::Link || !checks::is_made_from_data(claim, document, run.now)
        }
        Subject::OwnCli { .. } => !checks::is_defined_elsewhere(claim, run.now, &before),
        Subject::Variable { name } => {
            !checks::is_used(claim, run.now)
                && (!checks::may_be_composed(name, run.now) || checks::may_be_composed(name, &before))
        }
        _ => !checks::is_used(claim, run.now),
    }
}
