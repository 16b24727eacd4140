//! Two runs of the same questions, question by question: is the new one worse, and could that be chance?
//!
//! Pairing takes out what makes questions differ from each other, so small changes show with few questions. Whether a
//! change could be chance is asked by flipping the signs of the differences (a paired randomisation test).

use std::collections::BTreeMap;

use docent_engine::EngineError;

use crate::comparison::{
    CategoryDifference, Change, Comparison, Difference, Gate, LatencyRatio, Metric, SIGNIFICANT,
};
use crate::intervals::{Mean, average};
use crate::outcome::{CaseOutcome, Run, by_category};
use crate::randomisation::p_value;

/// Differences smaller than this are rounding.
const TIE: f64 = 1e-9;

/// Compares `new` with `old`.
pub fn compare(old: &Run, new: &Run, gate: Gate) -> Result<Comparison, EngineError> {
    let mut before: BTreeMap<&str, &CaseOutcome> =
        old.cases.iter().map(|case| (case.id.as_str(), case)).collect();
    let (mut pairs, mut only_new, mut rejudged) = (Vec::new(), Vec::new(), Vec::new());
    for case in &new.cases {
        match before.remove(case.id.as_str()) {
            Some(old) if is_same_question(old, case) => pairs.push((old, case)),
            Some(_) => rejudged.push(case.id.clone()),
            None => only_new.push(case.id.clone()),
        }
    }
    let only_old: Vec<String> = old
        .cases
        .iter()
        .filter(|case| before.contains_key(case.id.as_str()))
        .map(|case| case.id.clone())
        .collect();
    if pairs.is_empty() {
        return Err(EngineError::usage(
            "the two runs have no question in common",
            "compare runs of the same cases; questions are joined by their id, or by the query where there is none",
        ));
    }
    let mut metrics = vec![gate.metric];
    metrics.extend(
        [Metric::Ndcg10, Metric::Mrr, Metric::Recall10].into_iter().filter(|metric| *metric != gate.metric),
    );
    let differences: Vec<Difference> =
        metrics.into_iter().filter_map(|metric| difference(metric, &pairs)).collect();
    let fell = |difference: &Difference| {
        difference.difference.mean < -gate.threshold
            && (!gate.require_significance || difference.p_value < SIGNIFICANT)
    };
    let failed = differences.first().is_some_and(fell);
    let (regressions, improvements) = changes(gate.metric, &pairs);
    let ratio = |new: f64, old: f64| if old > 0.0 { new / old } else { 1.0 };
    let (fast, slow) = (&old.overall.latency_ms, &new.overall.latency_ms);
    Ok(Comparison {
        joined: pairs.len(),
        only_old,
        only_new,
        rejudged,
        categories: categories(gate.metric, &pairs),
        differences,
        regressions,
        improvements,
        latency: LatencyRatio { p50: ratio(slow.p50, fast.p50), p95: ratio(slow.p95, fast.p95) },
        metric: gate.metric,
        threshold: gate.threshold,
        require_significance: gate.require_significance,
        failed,
    })
}

type Pair<'a> = (&'a CaseOutcome, &'a CaseOutcome);

fn is_same_question(old: &CaseOutcome, new: &CaseOutcome) -> bool {
    let judged = |case: &CaseOutcome| -> BTreeMap<String, u64> {
        case.expected.iter().map(|target| (target.target.clone(), target.gain.to_bits())).collect()
    };
    old.query == new.query && judged(old) == judged(new)
}

fn difference(metric: Metric, pairs: &[Pair<'_>]) -> Option<Difference> {
    let old: Vec<f64> = pairs.iter().map(|(old, _)| metric.of(&old.scores)).collect();
    let new: Vec<f64> = pairs.iter().map(|(_, new)| metric.of(&new.scores)).collect();
    // Figures lose their last bit on the way through a file.
    let snapped = |difference: f64| if difference.abs() < TIE { 0.0 } else { difference };
    let differences: Vec<f64> = new.iter().zip(&old).map(|(new, old)| snapped(new - old)).collect();
    let wins = differences.iter().filter(|value| **value > TIE).count();
    let losses = differences.iter().filter(|value| **value < -TIE).count();
    Some(Difference {
        metric,
        old: average(&old),
        new: average(&new),
        difference: Mean::of_differences(&differences)?,
        p_value: p_value(&differences),
        wins,
        ties: differences.len() - wins - losses,
        losses,
    })
}

fn categories(metric: Metric, pairs: &[Pair<'_>]) -> Vec<CategoryDifference> {
    let groups = by_category(pairs.iter().map(|pair| (pair.1.category.as_deref(), *pair)));
    let of = |(name, pairs): (&str, Vec<Pair<'_>>)| {
        let difference = difference(metric, &pairs)?;
        Some(CategoryDifference { name: name.to_owned(), queries: pairs.len(), difference })
    };
    groups.into_iter().filter_map(of).collect()
}

fn changes(metric: Metric, pairs: &[Pair<'_>]) -> (Vec<Change>, Vec<Change>) {
    let change = |(old, new): &Pair<'_>| Change {
        id: new.id.clone(),
        query: new.query.clone(),
        category: new.category.clone(),
        old_rank: old.rank,
        new_rank: new.rank,
        old: metric.of(&old.scores),
        new: metric.of(&new.scores),
    };
    let mut all: Vec<Change> = pairs.iter().map(change).collect();
    all.retain(|change| (change.new - change.old).abs() > TIE);
    all.sort_by(|a, b| (a.new - a.old).total_cmp(&(b.new - b.old)).then_with(|| a.id.cmp(&b.id)));
    let (worse, mut better): (Vec<_>, Vec<_>) = all.into_iter().partition(|change| change.new < change.old);
    better.reverse();
    (worse, better)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::outcome::{ExpectedTarget, Facts};
    use crate::score::Scores;

    fn run(scores: &[f64]) -> Run {
        let case = |(number, ndcg): (usize, &f64)| CaseOutcome {
            id: format!("case {number}"),
            query: "q".to_owned(),
            category: Some(if number.is_multiple_of(2) { "even" } else { "odd" }.to_owned()),
            expected: vec![ExpectedTarget {
                target: "a.md".to_owned(),
                found_as: "a.md".to_owned(),
                gain: 1.0,
            }],
            scored_on: "pages".to_owned(),
            mode: "hybrid".to_owned(),
            k: 5,
            rank: Some(1),
            rounds: Some(1),
            max_rounds: 5,
            scores: Scores { ndcg_at_10: *ndcg, ..Scores::default() },
            facet_precision: None,
            latency_ms: 2.0,
            returned: Vec::new(),
        };
        Run::new(Facts::default(), scores.iter().enumerate().map(case).collect(), Vec::new(), Vec::new())
    }

    fn check(old: &[f64], new: &[f64], gate: Gate, failed: bool) -> Comparison {
        let comparison = compare(&run(old), &run(new), gate).unwrap();
        assert_eq!(comparison.failed, failed, "{:?}", comparison.differences.first());
        comparison
    }

    #[test]
    fn a_fall_fails_when_it_is_more_than_the_threshold() {
        let gate = Gate { threshold: 0.25, ..Gate::default() };
        check(&[1.0, 1.0], &[0.5, 1.0], gate, false);
        check(&[1.0, 1.0], &[0.5, 0.75], gate, true);
        check(&[0.5, 0.5], &[1.0, 1.0], gate, false);
        check(&[1.0], &[1.0 - 1e-12], Gate { threshold: 0.0, ..Gate::default() }, false);
    }

    #[test]
    fn with_significance_a_few_falls_are_not_enough() {
        let gate = Gate { require_significance: true, ..Gate::default() };
        check(&[1.0; 5], &[0.5; 5], gate, false);
        let many = check(&[1.0; 6], &[0.5; 6], gate, true);
        assert_eq!(many.differences[0].p_value, 2.0 / 64.0);
        assert_eq!(
            (many.differences[0].wins, many.differences[0].ties, many.differences[0].losses),
            (0, 0, 6)
        );
    }

    #[test]
    fn categories_and_changes_are_listed() {
        let compared =
            check(&[1.0, 0.2, 0.5], &[0.4, 0.9, 0.5], Gate { threshold: 1.0, ..Gate::default() }, false);
        let names: Vec<(&str, usize)> =
            compared.categories.iter().map(|category| (category.name.as_str(), category.queries)).collect();
        assert_eq!(names, [("even", 2), ("odd", 1)]);
        assert_eq!(compared.regressions[0].id, "case 0");
        assert_eq!(compared.improvements[0].id, "case 1");
        assert_eq!(compared.latency, LatencyRatio { p50: 1.0, p95: 1.0 });
    }

    #[test]
    fn questions_without_a_category_are_a_group_beside_others() {
        let names = |run: &Run| -> Vec<(String, usize)> {
            let compared = compare(run, run, Gate::default()).unwrap();
            let again = Run::new(Facts::default(), run.cases.clone(), Vec::new(), Vec::new());
            let shown: Vec<_> =
                again.categories.into_iter().map(|group| (group.name, group.summary.queries)).collect();
            let differing: Vec<_> =
                compared.categories.into_iter().map(|group| (group.name, group.queries)).collect();
            assert_eq!(shown, differing);
            shown
        };
        let mut run = run(&[1.0, 1.0, 1.0]);
        run.cases[1].category = None;
        assert_eq!(names(&run), [("even".to_owned(), 2), ("(none)".to_owned(), 1)]);
        run.cases.iter_mut().for_each(|case| case.category = None);
        assert_eq!(names(&run), []);
    }

    #[test]
    fn questions_that_were_judged_anew_are_left_out() {
        let mut new = run(&[1.0, 1.0]);
        new.cases[0].expected[0].gain = 2.0;
        let compared = compare(&run(&[1.0, 1.0, 1.0]), &new, Gate::default()).unwrap();
        assert_eq!((compared.joined, compared.rejudged.len()), (1, 1));
        assert_eq!(compared.only_old, ["case 2"]);
        new.cases.clear();
        assert!(compare(&run(&[1.0]), &new, Gate::default()).is_err());
    }
}
