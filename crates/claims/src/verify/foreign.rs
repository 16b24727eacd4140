//! What a page says about something else than this repository: most of it never held here.

use std::collections::{HashMap, HashSet};

use super::read::Case;
use super::settle::Decided;
use crate::calibration::{is_bare, is_stand_in};
use crate::{ClaimType, Class, Link, Outcome, Subject, checks};

/// Types of which fewer than half of the claims in a document ever held: for these it speaks of something else.
pub(super) fn foreign_types(
    document: usize,
    cases: &[Case],
    verdicts: &HashMap<(usize, usize), Decided>,
) -> Vec<ClaimType> {
    let mut counts: HashMap<ClaimType, (usize, usize)> = HashMap::new();
    for (at, case) in cases.iter().enumerate() {
        let is_good = match verdicts.get(&(document, at)) {
            Some(decided) => {
                let is_unknown =
                    decided.judgement.as_ref().is_some_and(|it| it.class == Class::HistoryUnavailable);
                let is_foreign = case.now == Outcome::NotOurs && !decided.is_good;
                // A bare name may stand for a file of anybody.
                let is_anybodys = !decided.is_good
                    && (is_bare(&case.claim) || checks::is_weak(&case.claim) || is_stand_in(&case.claim));
                if is_unknown || is_foreign || is_anybodys {
                    continue;
                }
                decided.is_good
            }
            None if case.now.is_valid() => true,
            None => continue,
        };
        let (good, all) = counts.entry(case.claim.claim_type).or_default();
        *good += usize::from(is_good);
        *all += 1;
    }
    counts.into_iter().filter(|(_, (good, all))| good * 2 < *all).map(|(kind, _)| kind).collect()
}

/// Entries of drawings of which fewer than three in four ever held: somebody's project is drawn, and some names are as here.
pub(super) fn foreign_trees(
    document: usize,
    cases: &[Case],
    verdicts: &HashMap<(usize, usize), Decided>,
) -> HashSet<usize> {
    /// Lines that may stand between two entries of one drawing.
    const GAP: u32 = 3;
    let is_drawn = |case: &Case| matches!(case.claim.subject, Subject::Path { link: Link::Tree, .. });
    let mut trees: Vec<Vec<usize>> = Vec::new();
    let mut last = 0;
    for (at, case) in cases.iter().enumerate().filter(|(_, case)| is_drawn(case)) {
        match trees.last_mut() {
            Some(tree) if case.claim.line <= last + GAP => tree.push(at),
            _ => trees.push(vec![at]),
        }
        last = case.claim.line;
    }
    let held = |at: &&usize| {
        cases.get(**at).is_some_and(|case| case.now.is_valid())
            || verdicts.get(&(document, **at)).is_some_and(|decided| decided.is_good)
    };
    let is_foreign = |tree: &Vec<usize>| tree.iter().filter(held).count() * 4 < tree.len() * 3;
    trees.into_iter().filter(is_foreign).flatten().collect()
}
