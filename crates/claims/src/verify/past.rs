//! What failing claims looked like when their lines were last written.
//!
//! Each document is blamed once for all of its failing lines, and each past state is made once for all claims of all
//! documents that it decides.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

use super::lately::{self, Lately};
use super::read::{Case, Reading};
use super::rewritten::{self, Before};
use super::samples::{Sample, Samples, held, may_have_held};
use super::{RULES, Run, manifests};
use crate::history::candidates;
use crate::judge::Then;
use crate::repo::{BlamedLine, RepoError};
use crate::world::is_document;
use crate::{Blame, Claim, Link, Outcome, Subject, checks};

/// A failing claim with its past. Documents and claims are named by their numbers.
#[derive(Clone)]
pub(super) struct Failing {
    pub(super) document: usize,
    pub(super) claim: usize,
    /// Who last wrote its lines; `None` when they are not committed.
    pub(super) blame: Option<Blame>,
    pub(super) then: Then,
    /// A later commit at which it held, for a line that was written before what it names.
    pub(super) held_at: Option<String>,
    /// Whether what it names came after its line.
    pub(super) is_early: bool,
    /// Who wrote its line before, for one that was written again when it held no more.
    pub(super) before: Option<Before>,
    /// In which state of late it held.
    pub(super) lately: Option<Lately>,
}

/// The number of a document, and that of a claim in it.
pub(super) type At = (usize, usize);

/// What fails, and what of it held lately.
pub(super) struct Fails {
    all: Vec<At>,
    lately: HashMap<At, Lately>,
}

impl Failing {
    /// The same where what held lately counts, which is later than what held when its line was written. What did not hold
    /// then was written before what it names.
    pub(super) fn held_since(&self, claim: &Claim) -> Self {
        let mut since = self.clone();
        let is_known = matches!(&self.then, Then::Known(then) if then.is_valid()) || !checks::is_weak(claim);
        if let (Some(lately), Some(blame)) = (&self.lately, &self.blame)
            && is_known
            && lately.time > blame.time
        {
            since.is_early = matches!(&self.then, Then::Known(then) if !then.is_valid());
            since.then = Then::Known(lately.outcome.clone());
            since.held_at = Some(lately.commit.clone());
        }
        since
    }

    /// The claim, and what is seen of it now.
    pub(super) fn case<'r>(&self, readings: &'r [Reading]) -> Option<&'r Case> {
        readings.get(self.document)?.cases.get(self.claim)
    }

    /// Whether it is about code and did not hold when its line was last written, in a commit. Paths that once existed are
    /// known without that.
    pub(super) fn is_missed(&self, readings: &[Reading]) -> bool {
        self.blame.is_some() && self.may_be_rewritten(readings)
    }

    /// The same for a line that need not be committed.
    pub(super) fn may_be_rewritten(&self, readings: &[Reading]) -> bool {
        let is_about_code = self.case(readings).is_some_and(|case| match &case.claim.subject {
            Subject::Path { anchor, .. } => anchor.is_some(),
            Subject::Hosted { .. } | Subject::Snippet { .. } => false,
            // Of other values many are equal by chance.
            Subject::Value { of, .. } => matches!(of.as_str(), "minimum" | "runtime"),
            _ => true,
        });
        is_about_code && matches!(&self.then, Then::Known(then) if !then.is_valid())
    }
}

/// Failing claims, those of paths that git ignores left out: a build makes such files.
pub(super) fn failing(run: &Run<'_>, readings: &[Reading], samples: &Samples) -> Result<Fails, RepoError> {
    let mut failing = Vec::new();
    let mut undecided = Vec::new();
    for (document, reading) in readings.iter().enumerate() {
        for (claim, case) in reading.cases.iter().enumerate() {
            let fails = matches!(case.now, Outcome::Missing { .. } | Outcome::Differs { .. });
            let is_undecided = case.now == Outcome::NotOurs;
            let is_lost = || {
                manifests::is_lost(run, &case.claim)
                    || checks::is_own_flag(&case.claim, run.now)
                    || run.history.may_have_lost(&case.claim, &reading.path)
            };
            if is_undecided && checks::is_made_from_data(&case.claim, &reading.path, run.now)
                || (fails || is_undecided) && manifests::is_unread(run, &case.claim)
            {
                continue;
            }
            if (fails || (is_undecided && is_lost())) && !case.claim.cues.is_past {
                failing.push((document, claim));
            } else if is_undecided {
                undecided.push((document, claim));
            }
        }
    }
    let asked: Vec<At> = failing.iter().chain(&undecided).copied().collect();
    let mut lately = lately::held(run, readings, &samples.lately, &asked)?;
    let held_lately: Vec<At> = undecided.iter().copied().filter(|at| lately.contains_key(at)).collect();
    failing.extend(once_decided(run, readings, &samples.steps, undecided)?);
    let known: HashSet<At> = failing.iter().copied().collect();
    failing.extend(held_lately.into_iter().filter(|at| !known.contains(at)));
    failing.sort_unstable();
    let paths = |claim: &Claim| match &claim.subject {
        Subject::Path { target, .. } => candidates(target, &claim.file),
        _ => Vec::new(),
    };
    let case = |&(document, claim): &(usize, usize)| readings.get(document)?.cases.get(claim);
    let asked: HashSet<String> =
        failing.iter().filter_map(case).flat_map(|case| paths(&case.claim)).collect();
    let asked: Vec<String> = asked.into_iter().collect();
    let rules =
        run.now.named(".gitignore").iter().filter_map(|path| Some((path.clone(), run.now.read(path)?)));
    let rules: Vec<(String, Arc<[u8]>)> = rules.collect();
    // A question that git does not understand must not lose all answers; nothing counts as ignored then.
    let ignored = run.repository.ignored(&rules, &asked).unwrap_or_default();
    let is_ignored = |claim: &Claim| {
        paths(claim).iter().any(|path| ignored.contains(path)) || is_ignored_below(claim, &rules)
    };
    failing.retain(|at| {
        let Some(case) = case(at) else { return false };
        let is_ignored = is_ignored(&case.claim);
        let Some(lately) = lately.get_mut(at) else { return !is_ignored };
        lately.is_only = is_ignored || !known.contains(at);
        // Whoever looks at the page where it is kept finds a link broken.
        !is_ignored || leads_to_file(&case.claim)
    });
    Ok(Fails { all: failing, lately })
}

/// Whether it is a link to a file that is no page; pages may be made when a site is.
fn leads_to_file(claim: &Claim) -> bool {
    let Subject::Path { target, link: Link::Link | Link::Image, .. } = &claim.subject else { return false };
    let name = target.rsplit('/').next().unwrap_or(target);
    let ending = name.rsplit_once('.').map_or("", |(_, ending)| ending);
    !target.starts_with('/') && !matches!(ending, "" | "htm" | "html" | "md" | "mdx")
}

/// Whether a path through two folders is ignored below a third: `src/shared/proto` where `apps/code/src/shared/proto/` is.
fn is_ignored_below(claim: &Claim, rules: &[(String, Arc<[u8]>)]) -> bool {
    let Subject::Path { target, .. } = &claim.subject else { return false };
    let path = target.trim_start_matches("./").trim_matches('/');
    let is_end = |line: &str| {
        line.trim().trim_matches('/').strip_suffix(path).is_some_and(|before| before.ends_with('/'))
    };
    path.matches('/').count() >= 2
        && rules.iter().any(|(_, text)| String::from_utf8_lossy(text).lines().any(is_end))
}

/// Those claims that nothing can decide now and that held in a state of the past.
fn once_decided(
    run: &Run<'_>,
    readings: &[Reading],
    samples: &[Sample],
    undecided: Vec<At>,
) -> Result<Vec<At>, RepoError> {
    let claim_at = |&(document, claim): &At| Some(&readings.get(document)?.cases.get(claim)?.claim);
    let undecided: Vec<At> =
        undecided.into_iter().filter(|at| claim_at(at).is_some_and(may_have_held)).collect();
    let case = |&(document, claim): &(usize, usize)| {
        let reading = readings.get(document)?;
        Some((&reading.cases.get(claim)?.claim, reading.path.as_str(), i64::MIN))
    };
    let claims: Vec<(&Claim, &str, i64)> = undecided.iter().filter_map(case).collect();
    let held = held(run, samples, &claims)?;
    Ok(undecided.into_iter().zip(held).filter(|(_, held)| held.is_some()).map(|(at, _)| at).collect())
}

/// Looks at failing claims as they were when their lines were written.
pub(super) fn look_back(
    run: &Run<'_>,
    readings: &[Reading],
    samples: &Samples,
    fails: Fails,
) -> Result<Vec<Failing>, RepoError> {
    let Fails { all: failing, mut lately } = fails;
    let mut by_document: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for (document, claim) in failing {
        by_document.entry(document).or_default().push(claim);
    }
    let by_document: Vec<(usize, Vec<usize>)> = by_document.into_iter().collect();
    run.blamed.prepare_walks(by_document.len());
    let blamed =
        run.each("blaming", &by_document, |(document, claims)| blame(run, readings, *document, claims))?;
    let mut all: Vec<Failing> = blamed.into_iter().flatten().collect();
    let mut by_commit: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    for (at, failing) in all.iter().enumerate() {
        if let Some(blame) = &failing.blame {
            by_commit.entry(blame.commit.clone()).or_default().push(at);
        }
    }
    let by_commit: Vec<(String, Vec<usize>)> = by_commit.into_iter().collect();
    let seen = run.each("looking back", &by_commit, |(commit, numbers)| {
        let claims: Vec<(&Claim, &str)> = numbers
            .iter()
            .filter_map(|at| {
                let failing = all.get(*at)?;
                let case = readings.get(failing.document)?.cases.get(failing.claim)?;
                Some((&case.claim, failing.blame.as_ref()?.path.as_str()))
            })
            .collect();
        at_commit(run, commit, &claims)
    })?;
    for ((_, numbers), outcomes) in by_commit.iter().zip(seen) {
        for (at, then) in numbers.iter().zip(outcomes) {
            if let Some(failing) = all.get_mut(*at) {
                failing.then = then;
            }
        }
    }
    for failing in &mut all {
        failing.lately = lately.remove(&(failing.document, failing.claim));
    }
    written_early(run, readings, &samples.steps, &mut all)?;
    rewritten::follow(run, readings, &samples.steps, &mut all)?;
    Ok(all)
}

/// Half a year.
const LONG: i64 = 182 * 24 * 60 * 60;

/// Documents are written before the code as well: what did not hold when its line was written may have held since.
fn written_early(
    run: &Run<'_>,
    readings: &[Reading],
    samples: &[Sample],
    all: &mut [Failing],
) -> Result<(), RepoError> {
    // What still stands somewhere, and stood there when the line was written, is as it was.
    let fails = |failing: &Failing| {
        let case = readings.get(failing.document).and_then(|it| it.cases.get(failing.claim));
        let is_seen =
            |case: &Case| case.now != Outcome::NotOurs || failing.then != Then::Known(Outcome::NotOurs);
        case.is_some_and(is_seen)
    };
    let mut early: Vec<&mut Failing> =
        all.iter_mut().filter(|failing| failing.is_missed(readings) && fails(failing)).collect();
    let claim = |failing: &&mut Failing| {
        let reading = readings.get(failing.document)?;
        let time = failing.blame.as_ref().map_or(0, |blame| blame.time);
        Some((&reading.cases.get(failing.claim)?.claim, reading.path.as_str(), time))
    };
    let claims: Vec<(&Claim, &str, i64)> = early.iter().filter_map(claim).collect();
    // A word that may be anything does not wait for its code for long.
    let is_awaited = |claim: &Claim, written: i64, held: &str| {
        let time = samples.iter().find(|sample| sample.commit == held).map_or(written, |sample| sample.time);
        !checks::is_weak(claim) || time - written < LONG
    };
    let helds = held(run, samples, &claims)?;
    for ((failing, held), (claim, _, written)) in early.iter_mut().zip(helds).zip(&claims) {
        if let Some((commit, outcome)) = held.filter(|(commit, _)| is_awaited(claim, *written, commit)) {
            failing.then = Then::Known(outcome);
            (failing.held_at, failing.is_early) = (Some(commit), true);
        }
    }
    Ok(())
}

fn blame(run: &Run<'_>, readings: &[Reading], document: usize, claims: &[usize]) -> Vec<Failing> {
    let Some(reading) = readings.get(document) else { return Vec::new() };
    let lines = |claim: &usize| reading.cases.get(*claim).map(|case| case.claim.line..=case.claim.end_line);
    let mut wanted: Vec<u32> = claims.iter().filter_map(lines).flatten().collect();
    wanted.sort_unstable();
    wanted.dedup();
    let change = run.state.changes.get(&reading.path);
    let contents = change.and_then(|change| change.bytes.as_deref());
    // A document that is new has no past, unless it is one under another name; one that git cannot blame has one that is
    // not here.
    let is_new = change.is_some() && !run.is_in_head(&reading.path);
    let path = if is_new { contents.and_then(|bytes| renamed_from(run, bytes)) } else { Some(&reading.path) };
    let blamed = path.map_or(Ok(HashMap::new()), |path| run.blamed.blame(path, contents, &wanted));
    let is_blamed = blamed.is_ok() && run.repository.has_history();
    let blamed = blamed.unwrap_or_default();
    claims
        .iter()
        .map(|claim| {
            let case = reading.cases.get(*claim);
            let lines = lines(claim).into_iter().flatten();
            // Of a claim of many lines the line that was written last says until when the author looked at it.
            let line: Option<&BlamedLine> = lines
                .filter_map(|line| blamed.get(&line))
                .max_by_key(|line| (line.commit.is_none(), line.time));
            let blame = line.and_then(|line| {
                let (path, time) = (line.path.clone(), line.time);
                Some(Blame { commit: line.commit.clone()?, time, path, line: line.line })
            });
            let then = match case {
                // A line that is being written is about the present.
                Some(case) if is_blamed => Then::Known(case.now.clone()),
                _ => Then::Unknown,
            };
            let claim = *claim;
            Failing {
                document,
                claim,
                blame,
                then,
                held_at: None,
                is_early: false,
                before: None,
                lately: None,
            }
        })
        .collect()
}

/// So many documents that are gone are compared with a new one.
const MOST_GONE: usize = 200;

/// The document that is gone since the last commit and of which a new one has most lines.
fn renamed_from<'r>(run: &'r Run<'_>, new: &[u8]) -> Option<&'r String> {
    let head = run.repository.head().and_then(|head| run.history.world(head).ok())?;
    let text = String::from_utf8_lossy(new);
    let lines: HashSet<&str> = text.lines().filter(|line| !line.trim().is_empty()).collect();
    let gone =
        run.state.changes.values().filter(|change| change.entry.is_none() && is_document(&change.path));
    let shared = gone.take(MOST_GONE).filter_map(|change| {
        let bytes = head.read(&change.path)?;
        let old = String::from_utf8_lossy(&bytes);
        Some((old.lines().filter(|line| lines.contains(line)).count(), &change.path))
    });
    let (most, path) = shared.max()?;
    (2 * most > lines.len()).then_some(path)
}

/// What checks say about claims at a commit.
pub(super) fn at_commit(run: &Run<'_>, commit: &str, claims: &[(&Claim, &str)]) -> Vec<Then> {
    let keys: Vec<String> = claims.iter().map(|(claim, path)| key(commit, claim, path)).collect();
    let mut outcomes: Vec<Option<Outcome>> =
        keys.iter().map(|key| serde_json::from_slice(&run.store.get(key)?).ok()).collect();
    let mut is_incomplete = false;
    if outcomes.iter().any(Option::is_none) {
        let Ok(world) = run.history.world(commit) else { return vec![Then::Unknown; claims.len()] };
        let words: Vec<String> = claims.iter().flat_map(|(claim, _)| checks::words(claim)).collect();
        world.look_for(&words);
        for ((outcome, key), (claim, path)) in outcomes.iter_mut().zip(&keys).zip(claims) {
            if outcome.is_none() {
                let found = checks::check(claim, path, &world);
                is_incomplete = is_incomplete || world.is_incomplete();
                // What is absent today may be here tomorrow.
                if (found.is_valid() || !is_incomplete)
                    && !(run.watch.is_cancelled)()
                    && let Ok(bytes) = serde_json::to_vec(&found)
                {
                    run.store.put(key, &bytes);
                }
                *outcome = Some(found);
            }
        }
    }
    // Where history ends, or contents were not fetched, "it was not there" is not known.
    let is_end = run.repository.is_boundary(commit);
    let known = |(outcome, (claim, _)): (Option<Outcome>, &(&Claim, &str))| match outcome {
        Some(outcome) if outcome.is_valid() => Then::Known(outcome),
        Some(_) if is_end || (is_incomplete && !checks::needles(claim).is_empty()) => Then::Unknown,
        Some(outcome) => Then::Known(outcome),
        None => Then::Unknown,
    };
    outcomes.into_iter().zip(claims).map(known).collect()
}

/// The past does not change, so what was seen there is kept.
fn key(commit: &str, claim: &Claim, path: &str) -> String {
    let subject =
        serde_json::to_string(&(&claim.subject, &claim.kind, &claim.named, path)).unwrap_or_default();
    let version = env!("CARGO_PKG_VERSION");
    format!("then/{version}-{RULES}/{commit}/{}", blake3::hash(subject.as_bytes()).to_hex())
}
