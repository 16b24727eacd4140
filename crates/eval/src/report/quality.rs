//! Quality: the figures at the top, and nDCG@10 by category with its intervals.

use std::fmt::Write;

use super::escape::{escape, percent};
use crate::intervals::Mean;
use crate::outcome::{Run, Summary};

/// The figures at a glance.
pub(super) fn tiles(run: &Run) -> String {
    let all = &run.overall;
    let mut html = "<section class=\"tiles\" aria-label=\"Overall figures\">\n".to_owned();
    for (name, mean) in figures(run, all) {
        let Some(mean) = mean else { continue };
        let _ = writeln!(
            html,
            "<div class=\"tile\"><span class=\"name\">{name}</span><span class=\"value\">{:.3}</span>\
             <span class=\"dim\">{:.3} to {:.3}</span></div>",
            mean.mean, mean.low, mean.high
        );
    }
    if let Some(rounds) = all.rounds {
        let _ = writeln!(
            html,
            "<div class=\"tile\"><span class=\"name\">Rounds</span><span class=\"value\">{:.2}</span>\
             <span class=\"dim\">{} never found</span></div>",
            rounds.mean, all.never_found
        );
    }
    html.push_str("</section>\n");
    html
}

fn figures(run: &Run, summary: &Summary) -> Vec<(String, Option<Mean>)> {
    let first = run.cases.first().map(|case| case.k);
    let hit = match first.filter(|k| run.cases.iter().all(|case| case.k == *k)) {
        Some(k) => format!("hit@{k}"),
        None => "hit@k".to_owned(),
    };
    vec![
        ("nDCG@10".to_owned(), summary.ndcg_at_10),
        ("nDCG@5".to_owned(), summary.ndcg_at_5),
        ("MRR".to_owned(), summary.mrr),
        ("recall@1".to_owned(), summary.recall_at_1),
        ("recall@5".to_owned(), summary.recall_at_5),
        ("recall@10".to_owned(), summary.recall_at_10),
        (hit, summary.hit_at_k),
        ("Facet precision".to_owned(), summary.facet_precision),
    ]
}

/// One row for all questions and one for each category.
pub(super) fn section(run: &Run) -> String {
    let mut rows: Vec<(&str, &Summary)> = vec![("All questions", &run.overall)];
    rows.extend(run.categories.iter().map(|category| (category.name.as_str(), &category.summary)));
    let mut html = "<section>\n<h2>Quality by category</h2>\n<p class=\"dim\">nDCG@10 with its 95 % interval. Intervals that \
                    overlap do not tell categories apart.</p>\n<div class=\"rows\">\n"
        .to_owned();
    for (name, summary) in &rows {
        let Some(mean) = summary.ndcg_at_10 else { continue };
        let _ = writeln!(
            html,
            "<div class=\"row\"><span class=\"label\">{} <span class=\"dim\">n {}</span></span>{}<span class=\"figure\">{:.3}</span></div>",
            escape(name),
            summary.queries,
            whisker(name, mean),
            mean.mean
        );
    }
    html.push_str("<div class=\"row axis\" aria-hidden=\"true\"><span class=\"label\"></span><span class=\"ticks\"><i>0</i><i>0.5</i><i>1</i></span><span class=\"figure\"></span></div>\n</div>\n");
    html.push_str(&table(run, &rows));
    html.push_str("</section>\n");
    html
}

fn whisker(name: &str, mean: Mean) -> String {
    format!(
        "<svg class=\"whisker\" viewBox=\"0 0 100 20\" preserveAspectRatio=\"none\" role=\"img\"><title>{}: nDCG@10 {:.3}, 95 % from {:.3} to {:.3}</title>\
         <line class=\"grid\" x1=\"0\" y1=\"0\" x2=\"0\" y2=\"20\"/><line class=\"grid\" x1=\"50\" y1=\"0\" x2=\"50\" y2=\"20\"/><line class=\"grid\" x1=\"100\" y1=\"0\" x2=\"100\" y2=\"20\"/>\
         <rect class=\"band\" x=\"{low}\" y=\"6\" width=\"{width}\" height=\"8\"/>\
         <line class=\"mean\" x1=\"{at}\" y1=\"2\" x2=\"{at}\" y2=\"18\"/></svg>",
        escape(name),
        mean.mean,
        mean.low,
        mean.high,
        low = percent(mean.low),
        width = percent((mean.high - mean.low).max(0.004)),
        at = percent(mean.mean),
    )
}

fn table(run: &Run, rows: &[(&str, &Summary)]) -> String {
    let names = figures(run, &run.overall);
    let mut html = "<details><summary>As a table</summary>\n<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"Figures by category\"><table>\n<thead><tr><th scope=\"col\">Category</th><th scope=\"col\">n</th>".to_owned();
    for (name, _) in &names {
        let _ = write!(html, "<th scope=\"col\">{name}</th>");
    }
    html.push_str("</tr></thead>\n<tbody>\n");
    for (name, summary) in rows {
        let _ = write!(html, "<tr><th scope=\"row\">{}</th><td>{}</td>", escape(name), summary.queries);
        for (_, mean) in figures(run, summary) {
            match mean {
                Some(mean) => {
                    let _ = write!(
                        html,
                        "<td>{:.3} <span class=\"dim\">{:.2}–{:.2}</span></td>",
                        mean.mean, mean.low, mean.high
                    );
                }
                None => html.push_str("<td>–</td>"),
            }
        }
        html.push_str("</tr>\n");
    }
    html.push_str("</tbody></table></div>\n</details>\n");
    html
}
