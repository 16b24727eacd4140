//! Findings as commands of a GitHub workflow.

use docent_claims::{Severity, Verdict};
use docent_health::Reason;

use super::Report;
use crate::commands::validate::{data, property};
use crate::printer::clean;

/// One command for each finding.
pub(super) fn commands(report: &Report) -> String {
    let command = |judged: &docent_claims::Judged| {
        let level = match (judged.verdict, judged.severity) {
            (Verdict::Drifted, Severity::Low) => "warning",
            (Verdict::Drifted, _) => "error",
            _ => "notice",
        };
        let claim = &judged.claim;
        let title = property(&format!("{} {}", claim.claim_type.name(), judged.class.name()));
        let (file, line) = (property(&clean(&claim.file)), claim.line);
        format!(
            "::{level} file={file},line={line},title={title}::{}\n",
            data(&clean(&Reason::of(judged).sentence()))
        )
    };
    report.findings.iter().map(command).collect()
}
