//! What changed against the baseline, question by question.

use std::fmt::Write;

use super::escape::{escape, percent};
use crate::comparison::{Change, Comparison, Metric, SIGNIFICANT};

/// Questions that are named on either side.
const NAMED: usize = 50;

/// The verdict, the bars and the tables.
pub(super) fn section(comparison: &Comparison) -> String {
    let mut html = "<section>\n<h2>Against the baseline</h2>\n".to_owned();
    let Some(first) = comparison.differences.first() else { return String::new() };
    let (mark, word) = if comparison.failed { ("bad", "Failed") } else { ("good", "Passed") };
    let significance = if first.p_value < SIGNIFICANT { "significant" } else { "not significant" };
    let _ = writeln!(
        html,
        "<p><strong class=\"{mark}\">{word}</strong>: {} {:+.3} <span class=\"dim\">({:+.3} to {:+.3}, p {}, {significance})</span>. A fall of more than {} fails.</p>",
        comparison.metric.name(),
        first.difference.mean,
        first.difference.low,
        first.difference.high,
        first.p_text().replace('<', "&lt;"),
        comparison.threshold
    );
    html.push_str(&bars(comparison));
    html.push_str("<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"Differences\"><table>\n<thead><tr><th scope=\"col\">Figure</th><th scope=\"col\">Old</th><th scope=\"col\">New</th><th scope=\"col\">Difference</th><th scope=\"col\">p</th><th scope=\"col\">Better / same / worse</th></tr></thead>\n<tbody>\n");
    let categories = comparison
        .categories
        .iter()
        .map(|category| (format!("{}, {}", comparison.metric.name(), category.name), &category.difference));
    let rows = comparison.differences.iter().map(|row| (row.metric.name().to_owned(), row)).chain(categories);
    for (name, row) in rows {
        let _ = writeln!(
            html,
            "<tr><th scope=\"row\">{}</th><td>{:.3}</td><td>{:.3}</td><td>{:+.3} <span class=\"dim\">{:+.3} to {:+.3}</span></td><td>{}</td><td>{} / {} / {}</td></tr>",
            escape(&name),
            row.old,
            row.new,
            row.difference.mean,
            row.difference.low,
            row.difference.high,
            row.p_text().replace('<', "&lt;"),
            row.wins,
            row.ties,
            row.losses
        );
    }
    html.push_str("</tbody></table></div>\n");
    html.push_str(&list("Worse", &comparison.regressions, comparison.metric, true));
    html.push_str(&list("Better", &comparison.improvements, comparison.metric, false));
    let left: usize = comparison.only_old.len() + comparison.only_new.len() + comparison.rejudged.len();
    let _ = write!(
        html,
        "<p class=\"dim\">{} questions compared, {left} without a counterpart. Latency: p50 × {:.2}, p95 × {:.2}.</p>\n</section>\n",
        comparison.joined, comparison.latency.p50, comparison.latency.p95
    );
    html
}

/// One bar for each question that changed, worst first.
fn bars(comparison: &Comparison) -> String {
    let changes: Vec<&Change> =
        comparison.regressions.iter().chain(comparison.improvements.iter().rev()).collect();
    if changes.is_empty() {
        return "<p>No question changed.</p>\n".to_owned();
    }
    let width = 100.0 / changes.len() as f64;
    let mut svg = format!(
        "<div class=\"plot\"><span class=\"y top\">+1</span><span class=\"y bottom\">−1</span><svg class=\"bars\" viewBox=\"0 0 100 100\" preserveAspectRatio=\"none\" role=\"img\"><title>Change of {} for each of the {} questions that changed: {} worse, {} better</title>",
        comparison.metric.name(),
        changes.len(),
        comparison.regressions.len(),
        comparison.improvements.len()
    );
    for (at, change) in changes.iter().enumerate() {
        let by = (change.new - change.old).clamp(-1.0, 1.0);
        let (top, class) = if by < 0.0 { (50.0, "worse") } else { (50.0 - 50.0 * by, "better") };
        let _ = write!(
            svg,
            "<rect class=\"{class}\" x=\"{}\" y=\"{top:.2}\" width=\"{}\" height=\"{:.2}\"><title>{}: {:+.3}</title></rect>",
            percent(at as f64 * width / 100.0),
            percent(width.min(8.0) * 0.8 / 100.0),
            (50.0 * by.abs()).max(0.5),
            escape(&change.query),
            change.new - change.old
        );
    }
    svg.push_str("<line class=\"zero\" x1=\"0\" y1=\"50\" x2=\"100\" y2=\"50\"/></svg>\n<div class=\"ticks\" aria-hidden=\"true\"><i>worst</i><i>questions that changed</i><i>best</i></div></div>\n");
    svg
}

fn list(title: &str, changes: &[Change], metric: Metric, open: bool) -> String {
    if changes.is_empty() {
        return String::new();
    }
    let open = if open { " open" } else { "" };
    let mut html =
        format!("<details{open}><summary>{title}: {}</summary>\n<ul class=\"plain\">\n", changes.len());
    for change in changes.iter().take(NAMED) {
        let category = change.category.as_deref().unwrap_or_default();
        let _ = writeln!(
            html,
            "<li class=\"change\"><span class=\"places\">{}</span> {} <span class=\"dim\">{}</span></li>",
            change.moved(metric),
            escape(&change.query),
            escape(category)
        );
    }
    if changes.len() > NAMED {
        let _ = writeln!(html, "<li class=\"dim\">and {} more</li>", changes.len() - NAMED);
    }
    html.push_str("</ul>\n</details>\n");
    html
}
