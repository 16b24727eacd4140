//! Findings for people: those that one commit broke stand together, because they are mended together.

use std::collections::BTreeMap;
use std::fmt::Write;

use docent_claims::{Class, Judged, Verdict};
use docent_health::{Reason, commit};
use owo_colors::OwoColorize;

use super::Report;
use crate::numbers::duration;
use crate::printer::clean;

/// `prefix` stands before paths so that they can be opened from here.
pub(super) fn view(report: &Report, prefix: &str) -> String {
    let mut text = String::new();
    for (title, findings) in groups(&report.findings) {
        let _ = writeln!(text, "{}", clean(&title).bold());
        for judged in findings {
            finding(&mut text, judged, prefix);
        }
        text.push('\n');
    }
    text.push_str(&summary(report));
    text
}

/// Findings by what broke them: the newest commit first, then what no commit is known for, then what nobody can tell.
pub(super) fn groups(findings: &[Judged]) -> Vec<(String, Vec<&Judged>)> {
    let mut groups: BTreeMap<(u8, i64, String), Vec<&Judged>> = BTreeMap::new();
    for judged in findings {
        let key = match (&judged.evidence.breaking, judged.verdict) {
            (Some(breaking), _) if breaking.commit.is_none() => {
                (0, 0, "Broken by a change that is not committed".to_owned())
            }
            (Some(breaking), _) => (1, -breaking.time, format!("Broken by {}", commit(breaking))),
            (None, Verdict::Uncertain) => (3, 0, "Uncertain".to_owned()),
            (None, _) => (2, 0, "Broken by an unknown commit".to_owned()),
        };
        groups.entry(key).or_default().push(judged);
    }
    groups.into_iter().map(|((_, _, title), findings)| (title, findings)).collect()
}

fn finding(text: &mut String, judged: &Judged, prefix: &str) {
    let claim = &judged.claim;
    let place = format!("{prefix}{}:{}", claim.file, claim.line);
    let told = Reason::of(judged);
    let named = format!("`{}`", told.named());
    let named = clean(&named);
    let named = match judged.verdict {
        Verdict::Drifted => named.red().to_string(),
        _ => named.yellow().to_string(),
    };
    // What stands among what a commit broke, and is not sure.
    let is_doubted = judged.verdict == Verdict::Uncertain && judged.evidence.breaking.is_some();
    let mark = if is_doubted { "uncertain: " } else { "" };
    let _ = writeln!(text, "  {}: {mark}{named} {}", clean(&place).bold(), clean(&told.story()));
    let moved = judged.evidence.breaking.as_ref().and_then(|breaking| breaking.renamed_to.as_ref());
    let reason = match moved {
        Some(target) if judged.class != Class::NeverExisted => format!(" (moved to `{target}`)"),
        _ => String::new(),
    };
    if let Some(advice) = told.advice() {
        let label = if judged.evidence.doubt.is_some() { "doubt:" } else { "hint:" };
        let _ = writeln!(text, "      {} {}", label.cyan(), clean(&format!("{advice}{reason}")));
    } else if !reason.is_empty() {
        let _ = writeln!(text, "      {}", clean(reason.trim()).dimmed());
    } else if !judged.evidence.looked_at.is_empty() {
        let _ =
            writeln!(text, "      {}", clean(&format!("looked at {}", judged.evidence.looked_at)).dimmed());
    }
}

fn summary(report: &Report) -> String {
    let (drifted, uncertain) = (report.count(Verdict::Drifted), report.count(Verdict::Uncertain));
    let holds = report.holds();
    let mut waived =
        if report.waived.is_empty() { String::new() } else { format!(", {} waived", report.waived.len()) };
    if report.older > 0 {
        waived += &format!(", {} older not told", report.older);
    }
    let took = duration(report.took);
    let mut text = if report.documents == 0 && waived.is_empty() {
        format!("nothing to verify: no documents were read ({took})\n")
    } else if drifted + uncertain == 0 {
        format!("{} {holds}{waived} ({took})\n", "fine:".green().bold())
    } else {
        let drifted = format!("{drifted} drifted");
        let drifted =
            if report.count(Verdict::Drifted) > 0 { drifted.red().bold().to_string() } else { drifted };
        format!("{drifted}, {uncertain} uncertain{waived}; {holds} ({took})\n")
    };
    if let Some(first) = report.unread.first() {
        let more = match report.unread.len() {
            1 => String::new(),
            count => format!(" and {} more", count - 1),
        };
        let _ = writeln!(
            text,
            "note: not read, because it is absent or larger than 2 MiB: {}{more}",
            clean(first)
        );
    }
    if report.unreadable_paths > 0 {
        let _ = writeln!(
            text,
            "note: {} not looked at, because their names are not UTF-8",
            crate::numbers::counted(report.unreadable_paths, "file")
        );
    }
    if !report.has_history {
        text.push_str("note: this folder is not in a git repository; without a history nothing can be said of what fails\n");
    }
    if report.is_shallow {
        text.push_str("note: the history is not complete; `git fetch --unshallow` gets the rest\n");
    }
    text
}
