//! A run as one page for a browser: no script, no request, nothing outside the file.
//!
//! Plots are drawn without text, so that they can be stretched to any width; everything that is read stands in HTML beside
//! them and stays readable on a phone. Every plot has its figures in a table as well. What comes from documents or queries
//! passes through [`escape`] and nothing else puts it into the page.

mod changes;
mod escape;
mod latency;
mod quality;
mod worst;

use std::fmt::Write;
use std::io::Read;
use std::path::Path;

use crate::comparison::Comparison;
use crate::outcome::Run;
use escape::escape;

const STYLE: &str = include_str!("style.css");

/// How every page begins, so that a later one may replace it.
const OPENING: &str = "<!doctype html>\n<!-- docent eval report -->\n";

/// Whether a file is a page of ours.
pub fn is_report(path: &Path) -> bool {
    let mut start = Vec::new();
    let read = crate::regular::open(path)
        .and_then(|(file, _)| file.take(OPENING.len() as u64).read_to_end(&mut start));
    read.is_ok() && start == OPENING.as_bytes()
}

/// The page.
pub fn report(run: &Run, comparison: Option<&Comparison>) -> String {
    let title = format!("Search quality: {}", run.facts.cases);
    let mut page = format!(
        "{OPENING}<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n\
         <title>{}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n<main>\n",
        escape(&title)
    );
    let _ = write!(
        page,
        "<header><h1>Search quality</h1>\n<p class=\"sub\">{} · {} questions on {} documents · {}</p></header>\n",
        escape(&run.facts.cases),
        run.overall.queries,
        run.facts.documents,
        escape(&run.facts.date)
    );
    page.push_str(&quality::tiles(run));
    if let Some(comparison) = comparison {
        page.push_str(&changes::section(comparison));
    }
    page.push_str(&quality::section(run));
    page.push_str(&latency::section(run));
    page.push_str(&worst::section(run));
    page.push_str(&problems(run));
    page.push_str(&facts(run));
    page.push_str("</main>\n</body>\n</html>\n");
    page
}

fn problems(run: &Run) -> String {
    let lists = [("Expected, but not in the index", &run.problems), ("URLs that no page has", &run.unmapped)];
    let mut html = String::new();
    for (title, problems) in lists.into_iter().filter(|(_, problems)| !problems.is_empty()) {
        let _ = write!(html, "<section>\n<h2>{title}: {}</h2>\n<ul class=\"plain\">\n", problems.len());
        for problem in problems.iter().take(200) {
            let _ = writeln!(
                html,
                "<li><code>{}</code> <span class=\"dim\">{} · {}</span></li>",
                escape(&problem.target),
                escape(&problem.case),
                escape(&problem.reason)
            );
        }
        html.push_str("</ul>\n</section>\n");
    }
    html
}

/// The modes that were used, most often one.
fn modes(run: &Run) -> String {
    let modes: std::collections::BTreeSet<&str> = run.cases.iter().map(|case| case.mode.as_str()).collect();
    modes.into_iter().collect::<Vec<_>>().join(", ")
}

fn facts(run: &Run) -> String {
    let facts = &run.facts;
    let none = || "none".to_owned();
    let megabytes = |bytes: u64| format!("{:.1} MB", bytes as f64 / 1024.0 / 1024.0);
    let rows = [
        ("Command", facts.command.clone()),
        ("Date", facts.date.clone()),
        ("docent", facts.docent.clone()),
        ("Questions", format!("{} ({} format)", facts.cases, facts.cases_format)),
        ("Model", facts.model.clone().unwrap_or_else(none)),
        ("Mode", modes(run)),
        ("Fusion", facts.fusion.clone()),
        ("Documents", facts.documents.to_string()),
        ("Chunks", facts.chunks.to_string()),
        ("Index size", megabytes(facts.index_bytes)),
        (
            "Time to build",
            facts.build_seconds.map_or_else(
                || "not measured: the index was there (use --fresh)".to_owned(),
                |seconds| format!("{seconds:.1} s"),
            ),
        ),
        ("Peak memory", facts.peak_rss_bytes.map_or_else(|| "not known".to_owned(), megabytes)),
    ];
    let mut html = "<section>\n<h2>This run</h2>\n<dl>\n".to_owned();
    for (name, value) in rows {
        let _ = writeln!(html, "<dt>{name}</dt><dd>{}</dd>", escape(&value));
    }
    html.push_str("</dl>\n<p class=\"dim\">Intervals are 95 %: bootstrap from ten questions on, Wilson below and for shares of yes and no.</p>\n</section>\n");
    html
}
