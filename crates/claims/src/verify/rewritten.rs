//! Lines that somebody wrote again after what they name was gone.
//!
//! Blame knows only who wrote a line last, and whoever mended a word in it has not looked up everything else. So a claim
//! that did not hold then, and held in some state of the past, is followed to the version of its document before that
//! commit: who wrote it there, and did it hold then? Where an edit touched nothing but other names on the line, as `--fix` does,
//! nobody has written the line again.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use super::Run;
use super::past::{Failing, at_commit};
use super::read::Reading;
use super::samples::{Sample, held};
use crate::judge::Then;
use crate::repo::RepoError;
use crate::{Blame, Claim, Outcome, Subject, extract};

/// So many claims of a page are followed. Where more did not hold when their lines were written, a program wrote them.
const MOST_IN_PAGE: usize = 200;
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
        all.iter_mut().filter(|failing| may_be_rewritten(run, failing, readings)).collect();
    let claim = |failing: &&mut Failing| {
        let reading = readings.get(failing.document)?;
        Some((&reading.cases.get(failing.claim)?.claim, reading.path.as_str(), i64::MIN))
    };
    let claims: Vec<(&Claim, &str, i64)> = missed.iter().filter_map(claim).collect();
    // A short history is looked at as it is; of a long one a few states say what ever held.
    let is_young = run.repository.is_short(SHORT);
    let once = held(run, samples, &claims)?;
    let (mut asked, mut of_pages) = (Vec::new(), HashMap::new());
    for (at, ((claim, ..), held)) in claims.iter().zip(once).enumerate() {
        let blame = missed.get(at).and_then(|failing| failing.blame.clone());
        let of_page = of_pages.entry(claim.file.as_str()).or_insert(0);
        if *of_page < MOST_IN_PAGE && (is_young || held.is_some() || is_file(claim)) {
            *of_page += 1;
            asked.push((at, *claim, blame));
        }
    }
    let pages = Pages::default();
    let found =
        run.each("looking back", &asked, |(_, claim, blame)| before(run, claim, blame.clone(), &pages))?;
    for ((at, ..), found) in asked.iter().zip(found) {
        let (Some(failing), Some(found)) = (missed.get_mut(*at), found) else { continue };
        match found {
            Found { before, outcome, is_mended: true } => {
                (failing.blame, failing.then) = (Some(before.blame), Then::Known(outcome));
            }
            // That a path once existed is known without that.
            _ if failing.case(readings).is_some_and(|case| is_file(&case.claim)) => {}
            Found { before, outcome, .. } => {
                (failing.before, failing.then) = (Some(before), Then::Known(outcome));
            }
        }
    }
    Ok(())
}

fn is_file(claim: &Claim) -> bool {
    matches!(claim.subject, Subject::Path { anchor: None, lines: None, .. })
}

/// Whether somebody may have written the line of a claim again that did not hold then.
fn may_be_rewritten(run: &Run<'_>, failing: &Failing, readings: &[Reading]) -> bool {
    let Some(case) = failing.case(readings) else { return false };
    let fails = matches!(&failing.then, Then::Known(then) if !then.is_valid());
    failing.may_be_rewritten(readings)
        || fails && is_file(&case.claim) && run.history.existed(&case.claim, &case.claim.file).is_some()
}

/// A state in which a line held.
struct Found {
    before: Before,
    outcome: Outcome,
    /// Whether all edits since touched nothing but other names on the line.
    is_mended: bool,
}

/// Who wrote a line when it held.
#[derive(Clone)]
pub(super) struct Before {
    pub(super) blame: Blame,
    /// Commits that wrote it again since; an empty one for a line that is not committed.
    pub(super) written_again: Vec<String>,
}

/// A document of the past, and its claims.
type Page = Arc<(String, Vec<Claim>)>;

/// Documents of the past by commit and path, which many claims of one page ask for.
#[derive(Default)]
struct Pages(Mutex<HashMap<(String, String), Option<Page>>>);

impl Pages {
    fn get(&self, run: &Run<'_>, commit: &str, path: &str) -> Option<Page> {
        let key = (commit.to_owned(), path.to_owned());
        let known = self.0.lock().unwrap_or_else(PoisonError::into_inner).get(&key).cloned();
        known.unwrap_or_else(|| {
            let read = || {
                let bytes = run.history.world(commit).ok()?.read(path)?;
                let text = String::from_utf8_lossy(&bytes).into_owned();
                let claims = extract(path, &text);
                Some(Arc::new((text, claims)))
            };
            let page = read();
            self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(key, page.clone());
            page
        })
    }
}

fn before(run: &Run<'_>, claim: &Claim, blame: Option<Blame>, pages: &Pages) -> Option<Found> {
    let mut written_again = Vec::new();
    let mut is_mended = true;
    // A line that is not committed is written again after `HEAD`.
    let uncommitted = Blame { commit: String::new(), time: 0, path: claim.file.clone(), line: claim.line };
    let mut blame = blame.unwrap_or(uncommitted);
    for _ in 0..MOST_STEPS {
        let parent = match blame.commit.as_str() {
            "" => run.repository.head()?.to_owned(),
            commit => run.repository.commit(commit)?.parents.into_iter().next()?,
        };
        let page = pages.get(run, &parent, &blame.path)?;
        let (text, claims) = &*page;
        let is_same = |known: &&Claim| known.subject == claim.subject && known.kind == claim.kind;
        let line = claims.iter().filter(is_same).min_by_key(|known| known.line.abs_diff(blame.line))?.line;
        let written = match blame.commit.as_str() {
            "" => run.now.read(&blame.path)?,
            commit => run.history.world(commit).ok()?.read(&blame.path)?,
        };
        let written = String::from_utf8_lossy(&written);
        is_mended &= is_alike(line_of(text, line)?, line_of(&written, blame.line)?);
        let blamed = run.repository.at(&parent).blame(&blame.path, None, &[line]).ok()?.remove(&line)?;
        written_again.push(blame.commit);
        blame = Blame { commit: blamed.commit?, time: blamed.time, path: blamed.path, line: blamed.line };
        let then = at_commit(run, &blame.commit, &[(claim, &blame.path)]).pop()?;
        if let Then::Known(outcome @ Outcome::Valid { .. }) = then {
            return Some(Found { before: Before { blame, written_again }, outcome, is_mended });
        }
    }
    None
}

fn line_of(text: &str, line: u32) -> Option<&str> {
    text.lines().nth(usize::try_from(line).ok()?.checked_sub(1)?)
}

/// Whether two lines differ in nothing but what stands in code spans and behind links.
fn is_alike(one: &str, other: &str) -> bool {
    let outside = |line: &str| -> String {
        let (mut is_code, mut is_link, mut last) = (false, false, ' ');
        let is_kept = |c: &char| {
            let was_inside = is_code || is_link;
            is_code ^= *c == '`';
            is_link = if is_link { *c != ')' } else { !is_code && *c == '(' && last == ']' };
            last = *c;
            !was_inside
        };
        line.trim().chars().filter(is_kept).collect()
    };
    outside(one) == outside(other)
}

#[cfg(test)]
mod tests {
    use super::is_alike;

    #[test]
    fn who_mends_a_name_has_not_written_the_line_again() {
        assert!(is_alike("See `a.rs` and [b](b.md), `C`.", "See `x/a.rs` and [b](x/b.md), `C`."));
        assert!(!is_alike("See `a.rs` and `C`.", "Look at `a.rs` and `C`."));
        assert!(!is_alike("See `a.rs`.", "See `a.rs` and `b.rs`."));
        assert!(!is_alike("See [b](b.md).", "See [c](b.md)."));
    }
}
