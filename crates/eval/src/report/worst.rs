//! The questions that went worst: what was expected, and what came back instead.

use std::fmt::Write;

use super::escape::escape;
use crate::outcome::{CaseOutcome, Run};

/// Questions that are shown.
const SHOWN: usize = 30;

/// The worst questions, worst first; nothing when every first hit was right.
pub(super) fn section(run: &Run) -> String {
    let mut worst: Vec<&CaseOutcome> = run.cases.iter().filter(|case| case.scores.ndcg_at_10 < 1.0).collect();
    let imperfect = worst.len();
    worst.sort_by(|a, b| {
        let by_score = a.scores.ndcg_at_10.total_cmp(&b.scores.ndcg_at_10);
        let rank = |case: &CaseOutcome| std::cmp::Reverse(case.rank.unwrap_or(usize::MAX));
        by_score.then_with(|| rank(a).cmp(&rank(b))).then_with(|| a.id.cmp(&b.id))
    });
    let mut html = "<section>\n<h2>Worst questions</h2>\n".to_owned();
    if worst.is_empty() {
        html.push_str("<p>Every question got its best possible answer.</p>\n</section>\n");
        return html;
    }
    let _ = writeln!(
        html,
        "<p class=\"dim\">{} of {} questions fall short of the best possible order; the worst {} with what came back.</p>",
        imperfect,
        run.overall.queries,
        worst.len().min(SHOWN)
    );
    for case in worst.iter().take(SHOWN) {
        html.push_str(&question(case));
    }
    html.push_str("</section>\n");
    html
}

fn question(case: &CaseOutcome) -> String {
    let rank = case.rank.map_or_else(|| "not found".to_owned(), |rank| format!("place {rank}"));
    let category = case.category.as_deref().map_or_else(String::new, |name| format!(" · {}", escape(name)));
    let mut html = format!(
        "<details class=\"case\"><summary><span class=\"query\">{}</span> <span class=\"dim\">nDCG@10 {:.2} · {rank}{category}</span></summary>\n<p class=\"small\">Expected, counted on {}:</p>\n<ul class=\"plain\">\n",
        escape(&case.query),
        case.scores.ndcg_at_10,
        escape(&case.scored_on)
    );
    for expected in &case.expected {
        let gain = if expected.gain == 1.0 {
            String::new()
        } else {
            format!(" <span class=\"dim\">gain {}</span>", expected.gain)
        };
        let _ = writeln!(html, "<li><code>{}</code>{gain}</li>", escape(&expected.found_as));
    }
    html.push_str("</ul>\n<p class=\"small\">Came back:</p>\n<ol>\n");
    for hit in &case.returned {
        let mark = if hit.expected { " <strong class=\"good\">expected</strong>" } else { "" };
        let _ = writeln!(
            html,
            "<li>{}{mark}<br><code>{}</code> <span class=\"dim\">{:.2}</span></li>",
            escape(&hit.title),
            escape(&hit.chunk_id),
            hit.score
        );
    }
    if case.returned.is_empty() {
        html.push_str("<li class=\"dim\">nothing</li>\n");
    }
    html.push_str("</ol>\n</details>\n");
    html
}
