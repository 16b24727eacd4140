//! Findings as Markdown, for an issue or a pull request.

use std::fmt::Write;

use docent_claims::Verdict;
use docent_health::Reason;

use super::{Report, human};
use crate::printer::clean;

/// The report: what broke what, and a line for each finding.
pub(super) fn report(report: &Report) -> String {
    let (drifted, uncertain) = (report.count(Verdict::Drifted), report.count(Verdict::Uncertain));
    let mut text = "## Documentation health\n\n".to_owned();
    let older = if report.older > 0 { format!(", {} older not told", report.older) } else { String::new() };
    let _ = writeln!(
        text,
        "{drifted} drifted, {uncertain} uncertain, {} waived{older}; {}.",
        report.waived.len(),
        report.holds()
    );
    for (title, findings) in human::groups(&report.findings) {
        let _ = writeln!(text, "\n### {}\n", escaped(&title));
        for judged in findings {
            let place = format!("{}:{}", judged.claim.file, judged.claim.line);
            let told = Reason::of(judged);
            let advice = told.advice().map(|advice| format!("; {advice}")).unwrap_or_default();
            let named = code(&told.named());
            let is_doubted = judged.verdict == Verdict::Uncertain && judged.evidence.breaking.is_some();
            let mark = if is_doubted { "uncertain: " } else { "" };
            let _ = writeln!(text, "- [ ] {}: {mark}{named} {}{advice}", code(&place), clean(&told.story()));
        }
    }
    text
}

/// Text that must not become markup.
fn escaped(text: &str) -> String {
    let mut escaped = String::new();
    for character in clean(text).chars() {
        if "\\`*_[]<>#|@".contains(character) {
            escaped.push('\\');
        }
        escaped.push(character);
    }
    escaped
}

/// A span, whatever is in it.
fn code(text: &str) -> String {
    let text = clean(text);
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or_default();
    if longest == 0 {
        return format!("`{text}`");
    }
    let fence = "`".repeat(longest + 1);
    format!("{fence} {text} {fence}")
}
