//! What held until lately.
//!
//! Much of what is not found in a repository is not the repository's: a word that stands in code, a file that readers
//! have, a flag of another program. What nobody has missed for weeks is left to these. But a claim that held two weeks ago
//! and does not today was about something that somebody has just taken away, whatever else has its name, and now is the
//! time to say so. Two states are asked: the one before the newest change (and what is committed, while something is
//! not), which is what a check in CI compares with, and the last of the week before the last two, which stays the same
//! for a week, so that what was seen there is kept.

use std::collections::{HashMap, HashSet};

use super::Run;
use super::excused::was_near;
use super::past::{At, at_commit};
use super::read::Reading;
use super::samples::Sample;
use crate::judge::Then;
use crate::repo::RepoError;
use crate::{Claim, Link, Outcome, Place, Subject, checks};

/// After two weeks nobody remembers what was taken away.
pub(super) const LATELY: i64 = 14 * DAY;
/// Letters of code that a page repeats with purpose.
const MIN_COPIED: usize = 100;
const WEEK: i64 = 7 * DAY;
const DAY: i64 = 24 * 60 * 60;

/// The states that are asked, the newest first: what is committed, where something is changed since, the commit before, and
/// the last of the week before the last two.
pub(super) fn states(line: &[(String, i64)], is_changed: bool) -> Vec<Sample> {
    let Some((_, newest)) = line.first() else { return Vec::new() };
    let before = line.iter().skip(usize::from(!is_changed)).take(1 + usize::from(is_changed));
    let until = (newest - LATELY).div_euclid(WEEK) * WEEK;
    // Of a young repository that is its beginning.
    let then = line.iter().find(|(_, time)| *time <= until).or_else(|| line.last());
    let sample = |(commit, time): &(String, i64)| Sample { commit: commit.clone(), time: *time };
    let mut states: Vec<Sample> = before.chain(then).map(sample).collect();
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

/// Those of these claims that held lately, and of which it would be told that they do not any more.
pub(super) fn held(
    run: &Run<'_>,
    readings: &[Reading],
    states: &[Sample],
    asked: &[At],
) -> Result<HashMap<At, Lately>, RepoError> {
    let claim = |at: &At| {
        let reading = readings.get(at.0)?;
        let claim = &reading.cases.get(at.1)?.claim;
        may_be_gone(claim).then_some((*at, claim, reading.path.as_str()))
    };
    let asked: Vec<(At, &Claim, &str)> = asked.iter().filter_map(claim).collect();
    let claims: Vec<(&Claim, &str)> = asked.iter().map(|(_, claim, path)| (*claim, *path)).collect();
    let mut found: HashMap<At, Lately> = HashMap::new();
    if claims.is_empty() {
        return Ok(found);
    }
    let seen = run.each("looking back", states, |state| at_commit(run, &state.commit, &claims))?;
    for (state, outcomes) in states.iter().zip(seen) {
        for ((at, ..), then) in asked.iter().zip(outcomes) {
            if let Then::Known(outcome @ Outcome::Valid { .. }) = then {
                let lately =
                    || Lately { commit: state.commit.clone(), time: state.time, outcome, is_only: false };
                found.entry(*at).or_insert_with(lately);
            }
        }
    }
    // A page that misses something on one line misses it on all of them, whatever the words around it.
    let mut missed: HashSet<(usize, Named<'_>)> = HashSet::new();
    for (at, claim, path) in &asked {
        if let Some(lately) = found.get(at).filter(|lately| may_be_told(claim, &lately.outcome, path)) {
            missed.extend(names(claim, &lately.outcome).map(|named| (at.0, named)));
        }
    }
    let is_missed = |at: &At, claim: &Claim, lately: &Lately| {
        names(claim, &lately.outcome).any(|named| missed.contains(&(at.0, named)))
    };
    let kept: HashSet<At> = asked
        .iter()
        .filter(|(at, claim, _)| found.get(at).is_some_and(|lately| is_missed(at, claim, lately)))
        .map(|(at, ..)| *at)
        .collect();
    found.retain(|at, _| kept.contains(at));
    Ok(found)
}

/// What a claim names: as it is written, and the files that were found for a path.
#[derive(PartialEq, Eq, Hash, Clone)]
enum Named<'c> {
    As(&'c Subject),
    File(String),
}

fn names<'c>(claim: &'c Claim, then: &Outcome) -> impl Iterator<Item = Named<'c>> {
    let found = match (then, &claim.subject) {
        (Outcome::Valid { found }, Subject::Path { anchor: None, lines: None, .. }) => found.as_slice(),
        _ => &[],
    };
    let files: Vec<Named<'c>> = found.iter().map(|place| Named::File(place.path.clone())).collect();
    std::iter::once(Named::As(&claim.subject)).chain(files)
}

/// Whether a claim may be about something that was taken away, by its words and its kind.
fn may_be_gone(claim: &Claim) -> bool {
    let is_such = match &claim.subject {
        // A repository that is called otherwise now.
        Subject::Hosted { .. } => false,
        // A few words of code are like ours by chance.
        Subject::Snippet { text, .. } => text.chars().filter(|c| !c.is_whitespace()).count() >= MIN_COPIED,
        Subject::Value { of, .. } => {
            matches!(of.as_str(), "default" | "minimum" | "package_name" | "port" | "runtime")
        }
        _ => true,
    };
    is_such && !claim.cues.is_past
}

/// Whether it would be told of one that held that it does not any more.
fn may_be_told(claim: &Claim, then: &Outcome, document: &str) -> bool {
    let Outcome::Valid { found } = then else { return false };
    let folder = document.rsplit_once('/').map_or("", |(folder, _)| folder);
    let is_beside = |place: &Place| place.path.rsplit_once('/').map_or("", |(folder, _)| folder) == folder;
    match &claim.subject {
        // Words about making things are about the files around a command or a variable.
        Subject::Defined { .. } | Subject::OwnCli { .. } => true,
        // What makes a site reads variables of its own.
        Subject::Variable { .. } => !found.iter().all(|place| checks::is_of_site(&place.path)),
        // Examples and tests change while what they show stays.
        Subject::Snippet { .. } => {
            !claim.cues.is_example && !found.iter().any(|place| checks::is_aside(&place.path))
        }
        // An example may well be a file that is here, and who adds something to a file beside the page makes none.
        Subject::Path { .. } => {
            (!claim.cues.is_example || was_near(found, document))
                && (!claim.cues.is_created || found.iter().any(is_beside))
        }
        // A name that is written as code was ours; a word is anybody's where it is made up or made.
        _ => !checks::is_weak(claim) || !claim.cues.is_example && !claim.cues.is_created,
    }
}

/// Whether what a claim names was taken away lately, although something else may still have its name: no code uses it, and
/// nothing has taken its place.
pub(super) fn is_gone(run: &Run<'_>, claim: &Claim, document: &str, now: &Outcome, lately: &Lately) -> bool {
    if let Subject::Value { of, .. } = &claim.subject
        && matches!(of.as_str(), "minimum" | "runtime")
    {
        // Many manifests state a version of something; the one that stated this one states another.
        return match (&lately.outcome, now) {
            (Outcome::Valid { found: then }, Outcome::Differs { found, .. }) => {
                found.iter().any(|place| then.iter().any(|before| before.path == place.path))
            }
            _ => false,
        };
    }
    if *now != Outcome::NotOurs {
        return true;
    }
    // A port that is anywhere may be the one that is meant.
    if matches!(&claim.subject, Subject::Value { of, .. } if of == "port") {
        return false;
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
        // Its lines stand together nowhere any more, whatever their words do.
        Subject::Snippet { .. } => true,
        Subject::OwnCli { .. } => !checks::is_defined_elsewhere(claim, run.now, &before),
        Subject::Variable { name } => {
            // What our code read is not read by whatever still sets it.
            let is_code = |place: &Place| checks::is_code(&place.path) && !checks::is_aside(&place.path);
            let was_read = matches!(&lately.outcome, Outcome::Valid { found } if found.iter().any(is_code));
            let is_used = match was_read && checks::has_own_prefix(name, run.now) {
                true => checks::is_read(claim, run.now, &before),
                false => checks::is_used(claim, run.now, &before),
            };
            !is_used && (!checks::may_be_composed(name, run.now) || checks::may_be_composed(name, &before))
        }
        // A value of a chart is what its whole key says.
        Subject::Key { path } if checks::has_lost(&path.join("."), document, &before, run.now) => true,
        Subject::Value { of, name, .. }
            if of == "default" && checks::has_lost(name, document, &before, run.now) =>
        {
            true
        }
        _ => !checks::is_used(claim, run.now, &before),
    }
}
