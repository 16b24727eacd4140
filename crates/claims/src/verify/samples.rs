//! A few states of the past in which everything is looked at that the present cannot decide.
//!
//! Blame says when a line was written, and asking for each line would mean a past state for each. Two kinds of claims need
//! less: those that nothing here could decide any more (the program was renamed, the last flag of that name is gone), which
//! are worth a blame only when they held once; and those whose line was written before the code was. The states are at
//! round numbers of the main line, so that they stay the same while commits come, and what was seen there is kept.

use super::past::at_commit;
use super::{Run, lately};
use crate::judge::Then;
use crate::repo::RepoError;
use crate::{Claim, Link, Outcome, Subject, checks};

/// The last commit before the newest whose number on the main line is a multiple of these; close ones for what broke lately.
const STEPS: [usize; 6] = [4, 16, 64, 256, 1024, 4096];

/// A state of the past.
pub(super) struct Sample {
    pub(super) commit: String,
    pub(super) time: i64,
}

/// The states, the newest first, and those of late.
pub(super) struct Samples {
    pub(super) steps: Vec<Sample>,
    pub(super) lately: Vec<Sample>,
}

/// All states that are looked at.
pub(super) fn samples(run: &Run<'_>) -> Samples {
    let line = run.repository.main_line().unwrap_or_default();
    let lately = lately::states(&line, !run.state.changes.is_empty());
    Samples { steps: steps(&line), lately }
}

fn steps(line: &[(String, i64)]) -> Vec<Sample> {
    let newest = line.len();
    let last = newest.saturating_sub(1);
    let mut numbers: Vec<usize> = STEPS.iter().map(|step| last - last % step).collect();
    numbers.retain(|number| *number > 0);
    numbers.dedup();
    let sample = |number: usize| {
        let (commit, time) = line.get(newest - number)?;
        Some(Sample { commit: commit.clone(), time: *time })
    };
    numbers.into_iter().filter_map(sample).collect()
}

/// Whether a claim that nothing can decide now may have been decided once.
pub(super) fn may_have_held(claim: &Claim) -> bool {
    let is_told = claim.cues.is_past || claim.cues.is_example || claim.cues.is_created;
    match &claim.subject {
        // Words about making things are about the files around a command or a variable.
        Subject::Defined { .. } | Subject::OwnCli { .. } => !claim.cues.is_past,
        Subject::Variable { .. } => !claim.cues.is_past && !checks::is_foreign_variable(claim),
        _ if is_told => false,
        // Of values the check says itself which ones are nobody's; snippets are like code by chance.
        Subject::Value { .. } | Subject::Snippet { .. } => false,
        Subject::Path { anchor, lines, link, .. } => {
            let is_named = match link {
                Link::Link | Link::Image => true,
                Link::Span | Link::Tree | Link::Argument => false,
            };
            is_named && anchor.is_none() && lines.is_none()
        }
        _ => true,
    }
}

/// For each claim, in a document of that path, the newest state (later than a time) in which it held.
pub(super) fn held(
    run: &Run<'_>,
    samples: &[Sample],
    claims: &[(&Claim, &str, i64)],
) -> Result<Vec<Option<(String, Outcome)>>, RepoError> {
    let mut found: Vec<Option<(String, Outcome)>> = vec![None; claims.len()];
    if claims.is_empty() {
        return Ok(found);
    }
    let seen = run.each("looking back", samples, |sample| {
        let later = |(_, (_, _, after)): &(usize, &(&Claim, &str, i64))| sample.time > *after;
        let asked: Vec<(usize, &(&Claim, &str, i64))> = claims.iter().enumerate().filter(later).collect();
        let only: Vec<(&Claim, &str)> = asked.iter().map(|(_, (claim, path, _))| (*claim, *path)).collect();
        let outcomes = if only.is_empty() { Vec::new() } else { at_commit(run, &sample.commit, &only) };
        asked.into_iter().map(|(at, _)| at).zip(outcomes).collect::<Vec<_>>()
    })?;
    for (sample, outcomes) in samples.iter().zip(seen) {
        for (at, then) in outcomes {
            if let (Then::Known(outcome @ Outcome::Valid { .. }), Some(found @ None)) =
                (then, found.get_mut(at))
            {
                *found = Some((sample.commit.clone(), outcome));
            }
        }
    }
    Ok(found)
}
