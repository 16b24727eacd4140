//! Lines that somebody wrote again after what they name was gone.
//!
//! Blame knows only who wrote a line last, and whoever mended a word in it has not looked up everything else. So a claim
//! that did not hold then, and held in some state of the past, is followed to the version of its document before that
//! commit: who wrote it there, and did it hold then?

use super::Run;
use super::past::{Failing, at_commit};
use super::read::Reading;
use super::samples::{Sample, held};
use crate::judge::Then;
use crate::repo::RepoError;
use crate::{Blame, Claim, Outcome, extract};

/// So many commits are few.
const SHORT: usize = 64;
/// A line is followed through so many commits.
const MOST_STEPS: usize = 4;

/// Looks at claims that did not hold when their lines were last written, as they were before.
pub(super) fn follow(
    run: &Run<'_>,
    readings: &[Reading],
    samples: &[Sample],
    all: &mut [Failing],
) -> Result<(), RepoError> {
    let mut missed: Vec<&mut Failing> =
        all.iter_mut().filter(|failing| failing.may_be_rewritten(readings)).collect();
    let claim = |failing: &&mut Failing| {
        let reading = readings.get(failing.document)?;
        Some((&reading.cases.get(failing.claim)?.claim, reading.path.as_str(), i64::MIN))
    };
    let claims: Vec<(&Claim, &str, i64)> = missed.iter().filter_map(claim).collect();
    // A short history is looked at as it is; of a long one a few states say what ever held.
    let is_young = run.repository.is_short(SHORT);
    let once = held(run, samples, &claims)?;
    let mut asked = Vec::new();
    for (at, ((claim, ..), held)) in claims.iter().zip(once).enumerate() {
        let blame = missed.get(at).and_then(|failing| failing.blame.clone());
        if is_young || held.is_some() {
            asked.push((at, *claim, blame));
        }
    }
    let found = run.each("looking back", &asked, |(_, claim, blame)| before(run, claim, blame.clone()))?;
    for ((at, ..), found) in asked.iter().zip(found) {
        if let (Some(failing), Some((before, outcome))) = (missed.get_mut(*at), found) {
            (failing.before, failing.then) = (Some(before), Then::Known(outcome));
        }
    }
    Ok(())
}

/// Who wrote a line when it held.
#[derive(Clone)]
pub(super) struct Before {
    pub(super) blame: Blame,
    /// Commits that wrote it again since; an empty one for a line that is not committed.
    pub(super) written_again: Vec<String>,
}

fn before(run: &Run<'_>, claim: &Claim, blame: Option<Blame>) -> Option<(Before, Outcome)> {
    let mut written_again = Vec::new();
    // A line that is not committed is written again after `HEAD`.
    let uncommitted = Blame { commit: String::new(), time: 0, path: claim.file.clone(), line: claim.line };
    let mut blame = blame.unwrap_or(uncommitted);
    for _ in 0..MOST_STEPS {
        let parent = match blame.commit.as_str() {
            "" => run.repository.head()?.to_owned(),
            commit => run.repository.commit(commit)?.parents.into_iter().next()?,
        };
        let text = run.history.world(&parent).ok()?.read(&blame.path)?;
        let claims = extract(&blame.path, &String::from_utf8_lossy(&text));
        let is_same = |known: &&Claim| known.subject == claim.subject && known.kind == claim.kind;
        let line = claims.iter().filter(is_same).min_by_key(|known| known.line.abs_diff(blame.line))?.line;
        let blamed = run.repository.at(&parent).blame(&blame.path, None, &[line]).ok()?.remove(&line)?;
        written_again.push(blame.commit);
        blame = Blame { commit: blamed.commit?, time: blamed.time, path: blamed.path, line: blamed.line };
        let then = at_commit(run, &blame.commit, &[(claim, &blame.path)]).pop()?;
        if let Then::Known(outcome @ Outcome::Valid { .. }) = then {
            return Some((Before { blame, written_again }, outcome));
        }
    }
    None
}
