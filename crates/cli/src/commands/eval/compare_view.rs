//! A comparison as a table for the terminal, and as Markdown for a pull request.

use std::fmt::Write;

use docent_eval::{Change, Comparison, Difference, Metric, SIGNIFICANT};
use owo_colors::OwoColorize;

use crate::numbers::{count, counted};

use super::run_view::shortened;

/// Changed questions that are named; the rest is counted.
const NAMED: usize = 20;

pub(super) fn view(comparison: &Comparison) -> String {
    let mut text = String::new();
    let _ = writeln!(
        text,
        "{:<11} {:>6} {:>6}  {:<28} {:>7}  better / same / worse",
        "compared", "old", "new", "difference, 95 %", "p"
    );
    for row in &comparison.differences {
        let _ = writeln!(text, "{}", line(row.metric.name(), row));
    }
    if !comparison.categories.is_empty() {
        let _ = writeln!(text, "\n{} by category", comparison.metric.name());
        for category in &comparison.categories {
            let _ = writeln!(text, "{}", line(&shortened(&category.name, 11), &category.difference));
        }
    }
    changes(&mut text, "worse", &comparison.regressions, comparison.metric);
    changes(&mut text, "better", &comparison.improvements, comparison.metric);
    for (what, ids) in unmatched(comparison) {
        let _ = writeln!(text, "\n{what}: {}", ids.len());
        for id in ids.iter().take(NAMED) {
            let _ = writeln!(text, "  {}", shortened(id, 90));
        }
        and_more(&mut text, ids.len());
    }
    let _ = writeln!(
        text,
        "\nlatency: p50 {:.2} times, p95 {:.2} times that of the old run",
        comparison.latency.p50, comparison.latency.p95
    );
    let verdict = verdict(comparison);
    let _ = match comparison.failed {
        true => writeln!(text, "{}", verdict.red().bold()),
        false => writeln!(text, "{}", verdict.green()),
    };
    text
}

/// For a comment on a pull request.
pub(super) fn markdown(comparison: &Comparison) -> String {
    let mut text = format!("### Retrieval: {}\n\n", verdict(comparison));
    text.push_str(
        "| | old | new | difference (95 %) | p | better / same / worse |\n|---|---|---|---|---|---|\n",
    );
    let row = |text: &mut String, name: &str, row: &Difference| {
        let mean = &row.difference;
        let _ = writeln!(
            text,
            "| {name} | {:.3} | {:.3} | {:+.3} ({:+.3} to {:+.3}) | {} | {} / {} / {} |",
            row.old,
            row.new,
            mean.mean,
            mean.low,
            mean.high,
            row.p_text(),
            row.wins,
            row.ties,
            row.losses
        );
    };
    for difference in &comparison.differences {
        row(&mut text, difference.metric.name(), difference);
    }
    for category in &comparison.categories {
        let name = format!("{}, {}", comparison.metric.name(), cell(&category.name));
        row(&mut text, &name, &category.difference);
    }
    for (title, changes) in [("Worse", &comparison.regressions), ("Better", &comparison.improvements)] {
        if changes.is_empty() {
            continue;
        }
        let _ = writeln!(text, "\n<details><summary>{title}: {}</summary>\n", changes.len());
        text.push_str("| query | category | change |\n|---|---|---|\n");
        for change in changes.iter().take(NAMED) {
            let category = change.category.as_deref().unwrap_or_default();
            let _ = writeln!(
                text,
                "| {} | {} | {} |",
                cell(&change.query),
                cell(category),
                change.moved(comparison.metric)
            );
        }
        if changes.len() > NAMED {
            let _ = writeln!(text, "| and {} more | | |", changes.len() - NAMED);
        }
        text.push_str("\n</details>\n");
    }
    for (what, ids) in unmatched(comparison) {
        let shown: Vec<String> = ids.iter().take(NAMED).map(|id| cell(id)).collect();
        let _ = writeln!(text, "\n{}: {} ({})", capitalised(what), ids.len(), shown.join("; "));
    }
    let _ = writeln!(
        text,
        "\n{} compared; latency p50 × {:.2}, p95 × {:.2}.",
        counted(comparison.joined, "question"),
        comparison.latency.p50,
        comparison.latency.p95
    );
    text
}

/// What the comparison comes to, in a sentence.
fn verdict(comparison: &Comparison) -> String {
    let Some(first) = comparison.differences.first() else { return String::new() };
    let (name, change) = (comparison.metric.name(), first.difference.mean);
    let moved = match change {
        change if change < 0.0 => format!("{name} fell by {:.3}", -change),
        change if change > 0.0 => format!("{name} rose by {change:.3}"),
        _ => format!("{name} is the same"),
    };
    let significance = match first.p_value < SIGNIFICANT {
        true => format!("p {}", first.p_text()),
        false => format!("not significant, p {}", first.p_text()),
    };
    let limit = comparison.threshold;
    match comparison.failed {
        true => format!("FAILED: {moved} ({significance}), more than {limit}"),
        false => format!("passed: {moved} ({significance}); a fall of more than {limit} fails"),
    }
}

fn line(name: &str, row: &Difference) -> String {
    let mean = &row.difference;
    let difference = match row.wins + row.losses {
        0 => "unchanged".to_owned(),
        _ => format!("{:+.3} [{:+.3} to {:+.3}]", mean.mean, mean.low, mean.high),
    };
    format!(
        "{name:<11} {:>6.3} {:>6.3}  {difference:<28} {:>7}  {} / {} / {}",
        row.old,
        row.new,
        row.p_text(),
        row.wins,
        row.ties,
        row.losses
    )
}

fn changes(text: &mut String, title: &str, changes: &[Change], metric: Metric) {
    if changes.is_empty() {
        return;
    }
    let _ = writeln!(text, "\n{title}: {}", count(changes.len()));
    let shown = changes.iter().take(NAMED);
    let width = shown.clone().map(|change| change.moved(metric).chars().count()).max().unwrap_or(0).max(9);
    for change in shown {
        let category =
            change.category.as_ref().map_or_else(String::new, |name| format!("  {}", shortened(name, 20)));
        let _ = writeln!(
            text,
            "  {:>width$}  {}{}",
            change.moved(metric),
            shortened(&change.query, 70),
            category.dimmed()
        );
    }
    and_more(text, changes.len());
}

fn and_more(text: &mut String, all: usize) {
    if all > NAMED {
        let _ = writeln!(text, "  and {} more; --json has them", count(all - NAMED));
    }
}

fn unmatched(comparison: &Comparison) -> Vec<(&'static str, &[String])> {
    let all: [(&str, &[String]); 3] = [
        ("only in the old run", &comparison.only_old),
        ("only in the new run", &comparison.only_new),
        ("worded or judged differently, left out", &comparison.rejudged),
    ];
    all.into_iter().filter(|(_, ids)| !ids.is_empty()).collect()
}

fn capitalised(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

/// Foreign text inside a table of a comment: no markup, no mentions, no breaks.
fn cell(text: &str) -> String {
    let mut out = String::new();
    for letter in shortened(text, 100).chars() {
        if r"\`*_{}[]()<>#+!|~@$&".contains(letter) {
            let _ = write!(out, "&#{};", u32::from(letter));
        } else {
            out.push(letter);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::cell;

    #[test]
    fn queries_cannot_mark_up_a_comment() {
        assert_eq!(cell("a|b\n<img> @you [x](y)"), "a&#124;b &#60;img&#62; &#64;you &#91;x&#93;&#40;y&#41;");
    }
}
