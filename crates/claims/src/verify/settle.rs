//! Verdicts, and what they rest on.

use std::collections::HashMap;

use super::excused::{found_in, has_left, is_excused};
use super::explain::explain;
use super::foreign::{foreign_trees, foreign_types};
use super::past::Failing;
use super::read::{Case, Reading};
use super::{DocumentState, Judgement, Looked, Run, lately};
use crate::calibration::{confidence, is_bare, is_stand_in, severity};
use crate::history::{Existed, candidates};
use crate::judge::{Earlier, Then, judge};
use crate::repo::RepoError;
use crate::{Claim, Class, Evidence, Genre, Link, Outcome, Place, Subject, Verdict, checks};

/// The verdicts on all claims of these documents.
pub(super) fn settle(
    run: &Run<'_>,
    readings: Vec<Reading>,
    failing: &[Failing],
) -> Result<Vec<(String, DocumentState)>, RepoError> {
    // What broke a claim is asked for each on its own: a few claims need most of the time.
    let settled = run.each("finding what broke", failing, |failing| {
        let reading = readings.get(failing.document)?;
        decide(run, reading, reading.cases.get(failing.claim)?, failing)
    })?;
    let mut verdicts: HashMap<(usize, usize), Decided> = HashMap::new();
    for (failing, decided) in failing.iter().zip(settled) {
        let decided = decided.unwrap_or(Decided::default());
        verdicts.insert((failing.document, failing.claim), decided);
    }
    let mut documents = Vec::new();
    for (number, reading) in readings.into_iter().enumerate() {
        let is_committed = !run.state.changes.contains_key(&reading.path);
        let foreign = foreign_types(number, &reading.cases, &verdicts);
        let drawn = foreign_trees(number, &reading.cases, &verdicts);
        let mut told_unavailable = false;
        let mut claims = Vec::new();
        for (at, case) in reading.cases.into_iter().enumerate() {
            let decided = verdicts.remove(&(number, at));
            let is_sure = decided.as_ref().is_some_and(|decided| decided.is_sure);
            let is_gone = decided.as_ref().is_some_and(|decided| decided.is_gone);
            let mut judgement = match &case.now {
                Outcome::Valid { found } => Some(verified(&case.claim, found, reading.genre)),
                _ => decided.and_then(|decided| decided.judgement),
            };
            if foreign.contains(&case.claim.claim_type) && !is_sure || drawn.contains(&at) {
                // What was here until lately was meant for now, whatever else the page is about.
                judgement = judgement
                    .filter(|_| is_gone && !drawn.contains(&at))
                    .map(|judgement| Judgement { is_fresh: true, later: None, ..judgement });
            }
            // Once for each document: it is the document that cannot be judged.
            if judgement.as_ref().is_some_and(|it| it.class == Class::HistoryUnavailable)
                && std::mem::replace(&mut told_unavailable, true)
            {
                judgement = None;
            }
            claims.push(Looked { claim: case.claim, now: case.now, judgement, suppressed: None });
        }
        let document = DocumentState {
            content: reading.content,
            is_committed,
            genre: reading.genre,
            waivers: reading.waivers,
            claims,
        };
        documents.push((reading.path, document));
    }
    Ok(documents)
}

/// A verdict on a failing claim.
#[derive(Default)]
pub(super) struct Decided {
    /// Whether it held when its line was written, or before.
    pub(super) is_good: bool,
    /// Whether it was about this repository, whatever the rest of its page is about.
    is_sure: bool,
    /// Whether what it names was taken away lately.
    is_gone: bool,
    pub(super) judgement: Option<Judgement>,
}

fn verified(claim: &Claim, found: &[Place], genre: Genre) -> Judgement {
    Judgement {
        verdict: Verdict::Verified,
        class: Class::Holds,
        confidence: confidence(claim, &Class::Holds),
        severity: severity(claim, genre),
        evidence: Evidence { found_now: found.to_vec(), ..Evidence::default() },
        is_folded: false,
        is_fresh: false,
        later: None,
    }
}

fn decide(run: &Run<'_>, reading: &Reading, case: &Case, failing: &Failing) -> Option<Decided> {
    let claim = &case.claim;
    // Who writes a line after something was gone may mean another.
    let is_older = |lately: &lately::Lately| {
        let held = matches!(&failing.then, Then::Known(then) if then.is_valid());
        held || failing.blame.as_ref().is_some_and(|blame| blame.time <= lately.time)
    };
    let is_gone = failing.lately.as_ref().is_some_and(|lately| {
        is_older(lately) && lately::is_gone(run, claim, &reading.path, &case.now, lately)
    });
    let is_only_lately = failing.lately.as_ref().is_some_and(|lately| lately.is_only);
    let mut decided = decide_as(run, reading, case, failing, false);
    decided.judgement.take_if(|_| is_only_lately);
    let has_drifted = |it: &Option<Judgement>| it.as_ref().is_some_and(|it| it.verdict == Verdict::Drifted);
    if is_gone && !has_drifted(&decided.judgement) {
        let fresh = decide_as(run, reading, case, &failing.held_since(claim), true);
        if let Some(judgement) = fresh.judgement.filter(|judgement| judgement.verdict == Verdict::Drifted) {
            let later = decided.judgement.take().map(Box::new);
            decided.judgement = Some(Judgement { is_fresh: true, later, ..judgement });
        }
    }
    Some(Decided { is_sure: is_sure(claim, failing), is_gone, ..decided })
}

/// The verdict on what was taken away lately, or may have been gone for long.
fn decide_as(run: &Run<'_>, reading: &Reading, case: &Case, failing: &Failing, is_gone: bool) -> Decided {
    let claim = &case.claim;
    let mut existed: Option<Existed> = None;
    let names = |file: &str| names_file(reading, file);
    let verdict = judge(claim, &case.now, &failing.then, is_gone, names, || {
        // A drawing that did not hold when it was drawn shows a plan, or anybody's project.
        let is_drawn = matches!(claim.subject, Subject::Path { link: Link::Tree, .. });
        // A page that says who makes a file does not miss it.
        let is_made = claim.text.to_lowercase().contains("generated");
        let is_anybodys = is_bare(claim) || checks::is_weak(claim) || is_stand_in(claim);
        existed =
            if is_anybodys || is_drawn || is_made { None } else { run.history.existed(claim, &reading.path) };
        // Who deletes something and writes about it in one commit knows that it is gone.
        let by_author =
            |it: &mut Existed| failing.blame.as_ref().is_some_and(|blame| blame.commit == it.commit);
        if existed.take_if(by_author).is_some() {
            return Earlier::Never;
        }
        match &existed {
            Some(existed) if is_later(run, existed, failing) => Earlier::Since,
            Some(_) => Earlier::Existed,
            None if is_plausible(run, claim) => Earlier::Plausible,
            None => Earlier::Never,
        }
    });
    let is_told = |verdict: Verdict| {
        let then = found_in(&failing.then);
        let ever = existed.as_ref().map_or(then, |existed| &existed.found);
        verdict != Verdict::Drifted
            || !(!is_gone && is_shorthand(reading, claim)
                || is_excused(run, claim, &reading.path, &case.now, then, ever, is_gone))
    };
    let verdict = verdict.filter(|(verdict, _)| is_told(*verdict));
    let is_good = existed.is_some() || matches!(&failing.then, Then::Known(then) if then.is_valid());
    let judgement = verdict.and_then(|(verdict, class)| {
        let mut evidence = Evidence { blame: failing.blame.clone(), ..Evidence::default() };
        match &case.now {
            Outcome::Missing { looked } => evidence.looked_at = looked.clone(),
            Outcome::Differs { found, .. } => {
                evidence.found_now = found.clone();
                if let Subject::Value { of, name, .. } = &claim.subject
                    && of == "default"
                {
                    evidence.looked_at = format!("`{name}`");
                }
            }
            Outcome::Valid { .. } | Outcome::NotOurs => {}
        }
        if verdict == Verdict::Drifted && (run.is_wanted)(claim) {
            evidence.is_early =
                failing.is_early || existed.as_ref().is_some_and(|existed| is_later(run, existed, failing));
            explain(run, claim, failing, existed, &mut evidence);
        }
        let breaking = evidence.breaking.as_ref().and_then(|breaking| breaking.commit.as_ref());
        let is_elsewhere =
            || breaking.is_some_and(|breaking| has_left(run, claim, breaking, &reading.path, is_gone));
        // A name that once was ours and was written later may well be somebody else's.
        let is_name = match &claim.subject {
            Subject::Symbol { .. } | Subject::Key { .. } => true,
            Subject::Variable { name } => !checks::has_own_prefix(name, run.now),
            _ => false,
        };
        let (verdict, class) = match verdict {
            Verdict::Drifted if is_elsewhere() => (Verdict::Uncertain, Class::Left),
            Verdict::Drifted if is_name && (class == Class::StaleAtBirth || failing.before.is_some()) => {
                (Verdict::Uncertain, class)
            }
            verdict => (verdict, class),
        };
        let class = match &failing.before {
            // Who takes something away and writes the line again in one commit knows that it is gone.
            Some(before) if before.written_again.contains(breaking.unwrap_or(&String::new())) => {
                return None;
            }
            Some(_) if class == Class::BrokeAt => Class::StaleAtBirth,
            _ => class,
        };
        Some(Judgement {
            verdict,
            confidence: confidence(claim, &class),
            class,
            severity: severity(claim, reading.genre),
            evidence,
            is_folded: false,
            is_fresh: false,
            later: None,
        })
    });
    Decided { is_good, judgement, ..Decided::default() }
}

/// Whether something was taken away after the line was written that did not find it.
fn is_later(run: &Run<'_>, existed: &Existed, failing: &Failing) -> bool {
    let commit = run.repository.commit(&existed.commit);
    failing.blame.as_ref().is_some_and(|blame| commit.is_some_and(|commit| commit.time > blame.time))
}

/// Whether a page names a file, wherever it is kept.
fn names_file(reading: &Reading, file: &str) -> bool {
    let name = file.rsplit('/').next().unwrap_or(file);
    reading.cases.iter().any(|case| match &case.claim.subject {
        Subject::Path { target: path, .. } | Subject::Hosted { path, .. } => {
            path.rsplit('/').next() == Some(name)
        }
        _ => false,
    })
}

/// Whether a page writes a variable out that holds, and leaves its first words away elsewhere: `PORT_MAX` for
/// `APP_PORT_MAX`.
fn is_shorthand(reading: &Reading, claim: &Claim) -> bool {
    let Subject::Variable { name } = &claim.subject else { return false };
    let is_longer = |case: &Case| match &case.claim.subject {
        Subject::Variable { name: other } => {
            case.now.is_valid() && other.strip_suffix(name.as_str()).is_some_and(|rest| rest.ends_with('_'))
        }
        _ => false,
    };
    reading.cases.iter().any(is_longer)
}

/// Whether a claim linked to a file as it lay beside its page, or named one by its whole path, from the root through two
/// folders, or one and a name of several words: hardly another repository has it there.
fn is_sure(claim: &Claim, failing: &Failing) -> bool {
    let Then::Known(Outcome::Valid { found }) = &failing.then else { return false };
    let (target, link) = match &claim.subject {
        Subject::Path { target, link, .. } => (target, link),
        // A version that a manifest stated, too.
        Subject::Value { of, .. } => return matches!(of.as_str(), "minimum" | "runtime"),
        _ => return false,
    };
    let path = target.trim_start_matches("./").trim_matches('/');
    // A link that led to a file from where it stands led to that file.
    let file = failing.blame.as_ref().map_or(&claim.file, |blame| &blame.path);
    let folder = file.rsplit_once('/').map_or("", |(folder, _)| folder);
    let beside = matches!(link, Link::Link | Link::Image).then(|| crate::world::joined(folder, target));
    if beside.flatten().is_some_and(|beside| found.iter().any(|place| place.path == beside)) {
        return true;
    }
    let is_distinct = match path.rsplit_once('/') {
        Some((folders, name)) => folders.contains('/') || name.contains(['-', '_']),
        None => false,
    };
    is_distinct && found.iter().any(|place| place.path == path)
}

/// Whether a path that never was looks as if it should be: its folder is there, and nothing says that it is an example.
pub(super) fn is_plausible(run: &Run<'_>, claim: &Claim) -> bool {
    let Subject::Path { target, link, .. } = &claim.subject else { return false };
    let is_named = matches!(link, Link::Link | Link::Span);
    let is_hidden = target.starts_with('.') && !target.starts_with("./") && !target.starts_with("../");
    let parts = target.trim_start_matches("./").trim_matches('/').split('/').filter(|part| *part != "..");
    let has_folder = |path: &String| {
        let folder = path.rsplit_once('/').map(|(folder, _)| folder);
        folder.is_some_and(|folder| run.now.entry(folder) == Some(crate::Entry::Folder))
            && run.now.entry(path).is_none()
    };
    is_named
        && !is_hidden
        && !claim.cues.is_example
        && !claim.cues.is_created
        && !is_stand_in(claim)
        && !checks::is_weak(claim)
        && parts.count() >= 2
        && candidates(target, &claim.file).iter().any(has_folder)
}
