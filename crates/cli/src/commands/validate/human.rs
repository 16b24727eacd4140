//! Findings for people: `file:line: error[DM060]: message`, and a hint below.

use std::collections::BTreeMap;
use std::fmt::Write;

use docent_authoring::{Code, Finding, Severity};
use owo_colors::OwoColorize;

use super::Report;
use crate::printer::clean;

/// The report. `prefix` stands before every path.
pub(super) fn view(report: &Report<'_>, prefix: &str) -> String {
    let mut text = String::new();
    for (path, finding) in report.findings.iter().filter(|(_, finding)| finding.code != Code::NoStrategy) {
        line(&mut text, &format!("{prefix}{path}:{}", finding.line), finding, &finding.message);
    }
    for (folder, count, finding) in without_strategy(report) {
        let place = format!("{prefix}{folder}");
        let place = if place.is_empty() { "." } else { place.trim_end_matches('/') };
        let files = if count == 1 { "1 file has" } else { &format!("{count} files have") };
        line(&mut text, place, finding, &format!("{files} no strategy"));
    }
    let _ = writeln!(text, "{}", summary(report));
    text
}

fn line(text: &mut String, place: &str, finding: &Finding, message: &str) {
    let label = format!("{}[{}]", finding.severity(), finding.code);
    let label = match finding.severity() {
        Severity::Error => label.red().bold().to_string(),
        Severity::Warning => label.yellow().bold().to_string(),
    };
    let _ = writeln!(text, "{}: {label}: {}", clean(place).bold(), clean(message));
    let _ = writeln!(text, "  {} {}", "hint:".cyan(), clean(&finding.hint));
}

fn summary(report: &Report<'_>) -> String {
    let count = |number: usize, what: &str| format!("{number} {what}{}", if number == 1 { "" } else { "s" });
    let (errors, warnings) = (count(report.errors, "error"), count(report.warnings, "warning"));
    let files = count(report.documents.len(), "file");
    let mut summary = match (report.errors, report.warnings) {
        (0, 0) => format!("{}: {files}, nothing to say", "fine".green().bold()),
        _ => format!("{errors}, {warnings} in {files}"),
    };
    if report.fixable() > 0 {
        let _ = write!(summary, "; `docent fix` can put {} right", report.fixable());
    }
    summary
}

/// Pages without a strategy, as few folders as possible: the topmost ones in which no page has any.
pub(super) fn without_strategy<'a>(report: &Report<'a>) -> Vec<(&'a str, usize, &'a Finding)> {
    let mut without: BTreeMap<&str, &Finding> = BTreeMap::new();
    let found = report.findings.iter().filter(|(_, finding)| finding.code == Code::NoStrategy);
    without.extend(found.map(|(path, finding)| (*path, *finding)));
    let mut total: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    for path in &report.documents {
        for folder in folders(path) {
            let counts = total.entry(folder).or_default();
            counts.0 += 1;
            counts.1 += usize::from(without.contains_key(path));
        }
    }
    let whole = |folder: &&str| total.get(folder).is_some_and(|(all, without)| all == without);
    let mut groups: BTreeMap<&str, (usize, &Finding)> = BTreeMap::new();
    for (path, finding) in &without {
        // The folders of a path come from the root down; without a whole one the page's own folder stands for it.
        let folder = folders(path).find(whole).or_else(|| folders(path).last()).unwrap_or_default();
        groups.entry(folder).or_insert((0, finding)).0 += 1;
    }
    groups.into_iter().map(|(folder, (count, finding))| (folder, count, finding)).collect()
}

/// The folders around a path, from the root down.
fn folders(path: &str) -> impl Iterator<Item = &str> {
    let inner = path.match_indices('/').filter_map(|(slash, _)| path.get(..slash));
    std::iter::once("").chain(inner)
}
