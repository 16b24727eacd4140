//! A run as a table for the terminal.

use std::fmt::Write;

use docent_eval::{CaseOutcome, CaseProblem, Mean, Run, Summary};
use owo_colors::OwoColorize;

use crate::numbers::{bytes, count, counted};
use crate::printer::clean;

/// Questions and problems that are named; the rest is counted.
const NAMED: usize = 10;

pub(super) fn view(run: &Run) -> String {
    let (facts, all) = (&run.facts, &run.overall);
    let mut text = String::new();
    let _ = writeln!(
        text,
        "{}: {} on {}, {}\n",
        clean(&facts.cases).bold(),
        counted(all.queries, "query").replace("querys", "queries"),
        counted(facts.documents, "document"),
        counted(facts.chunks, "chunk")
    );
    figures(&mut text, all, &hit_name(&run.cases));
    let _ =
        writeln!(text, "latency          p50 {:.1} ms, p95 {:.1} ms", all.latency_ms.p50, all.latency_ms.p95);
    let built = facts.build_seconds.map_or_else(String::new, |seconds| format!(", built in {seconds:.1} s"));
    let memory =
        facts.peak_rss_bytes.map_or_else(String::new, |peak| format!(", peak memory {}", bytes(peak)));
    let _ = writeln!(text, "index            {}{built}{memory}", bytes(facts.index_bytes));
    categories(&mut text, run);
    misses(&mut text, &run.cases);
    text
}

fn figures(text: &mut String, all: &Summary, hit: &str) {
    let rows = [
        ("nDCG@10", all.ndcg_at_10),
        ("nDCG@5", all.ndcg_at_5),
        ("MRR", all.mrr),
        ("recall@1", all.recall_at_1),
        ("recall@5", all.recall_at_5),
        ("recall@10", all.recall_at_10),
        (hit, all.hit_at_k),
        ("facet precision", all.facet_precision),
    ];
    for (name, mean) in rows {
        if let Some(mean) = mean {
            let interval = format!("95 % {:.3} to {:.3}", mean.low, mean.high);
            let _ = writeln!(
                text,
                "{name:<16} {}   {}",
                format_args!("{:.3}", mean.mean).bold(),
                interval.dimmed()
            );
        }
    }
    if let Some(rounds) = all.rounds {
        let interval = format!("95 % {:.2} to {:.2}", rounds.low, rounds.high);
        let _ = writeln!(
            text,
            "rounds           {}    {}",
            format_args!("{:.2}", rounds.mean).bold(),
            format_args!("{interval}, pages of results until a target shows").dimmed()
        );
    }
    if all.never_found > 0 {
        let _ = writeln!(text, "never found      {}", count(all.never_found));
    }
}

/// `hit@5` when every question has the same k.
pub(super) fn hit_name(cases: &[CaseOutcome]) -> String {
    let first = cases.first().map(|case| case.k);
    match first.filter(|k| cases.iter().all(|case| case.k == *k)) {
        Some(k) => format!("hit@{k}"),
        None => "hit@k".to_owned(),
    }
}

fn categories(text: &mut String, run: &Run) {
    if run.categories.is_empty() {
        return;
    }
    let longest = run.categories.iter().map(|category| category.name.chars().count()).max().unwrap_or(0);
    let width = longest.clamp(8, 28);
    let _ = writeln!(
        text,
        "\n{:<width$} {:>5}  {:<22} {:<22} {:<22}",
        "category",
        "n",
        "nDCG@10",
        "MRR",
        hit_name(&run.cases)
    );
    let cell = |mean: Option<Mean>| {
        mean.map_or_else(String::new, |mean| {
            format!("{:.3} [{:.2} to {:.2}]", mean.mean, mean.low, mean.high)
        })
    };
    for category in &run.categories {
        let summary = &category.summary;
        let _ = writeln!(
            text,
            "{:<width$} {:>5}  {:<22} {:<22} {:<22}",
            shortened(&category.name, width),
            summary.queries,
            cell(summary.ndcg_at_10),
            cell(summary.mrr),
            cell(summary.hit_at_k)
        );
    }
}

/// Questions without a target among the first ten.
fn misses(text: &mut String, cases: &[CaseOutcome]) {
    let missed: Vec<&CaseOutcome> =
        cases.iter().filter(|case| case.rank.is_none_or(|rank| rank > 10)).collect();
    if missed.is_empty() {
        return;
    }
    let _ = writeln!(text, "\nnot among the first ten: {}", count(missed.len()));
    for case in missed.iter().take(NAMED) {
        let wanted: Vec<&str> = case.expected.iter().map(|expected| expected.target.as_str()).collect();
        let rank = case.rank.map_or_else(|| "not found".to_owned(), |rank| format!("place {rank}"));
        let line = format!("{} → {} ({rank})", shortened(&case.query, 60), shortened(&wanted.join(", "), 60));
        let _ = writeln!(text, "  {line}");
    }
    if missed.len() > NAMED {
        let _ = writeln!(text, "  and {} more; --json or --report has them", count(missed.len() - NAMED));
    }
}

/// What could not be used, one a line after a heading.
pub(super) fn problems(heading: &str, problems: &[CaseProblem]) -> String {
    let mut text = format!("{} {}", "problem:".yellow().bold(), heading);
    for problem in problems.iter().take(3 * NAMED) {
        let _ = write!(
            text,
            "\n  {}: {}: {}",
            clean(&problem.place),
            clean(&problem.target),
            clean(&problem.reason)
        );
    }
    if problems.len() > 3 * NAMED {
        let _ = write!(text, "\n  and {} more; --json has them", count(problems.len() - 3 * NAMED));
    }
    text
}

/// One line of foreign text, cut to fit.
pub(super) fn shortened(text: &str, width: usize) -> String {
    let text = clean(text);
    match text.char_indices().nth(width) {
        Some((end, _)) => format!("{}…", text[..end].trim_end()),
        None => text,
    }
}
