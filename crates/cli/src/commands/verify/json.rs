//! The report for programs.

use docent_claims::{Judged, Verdict};
use docent_health::Reason;
use serde_json::{Value, json};

use super::Report;

/// The report; `failed` says whether the command fails.
pub(super) fn report(report: &Report, failed: bool) -> Value {
    json!({
        "repository": report.root.display().to_string(),
        "head": report.head,
        "documents": report.documents,
        "unread_documents": report.unread,
        "verified": report.verified,
        "drifted": report.count(Verdict::Drifted),
        "uncertain": report.count(Verdict::Uncertain),
        "waived": report.waived.len(),
        "older": report.older,
        "failed": failed,
        "took_ms": report.took.as_millis() as u64,
        "findings": report.findings.iter().map(finding).collect::<Vec<_>>(),
        "waived_findings": report.waived.iter().map(finding).collect::<Vec<_>>(),
    })
}

fn finding(judged: &Judged) -> Value {
    let claim = &judged.claim;
    let mut value = json!({
        "file": claim.file,
        "line": claim.line,
        "end_line": claim.end_line,
        "section": claim.section_heading,
        "claim_type": claim.claim_type,
        "kind": claim.kind,
        "named": claim.named,
        "text": claim.text,
        "verdict": judged.verdict,
    });
    if let (Some(object), Ok(Value::Object(class))) =
        (value.as_object_mut(), serde_json::to_value(&judged.class))
    {
        object.extend(class);
        object.insert("severity".to_owned(), json!(judged.severity));
        object.insert("confidence".to_owned(), json!(judged.confidence));
        object.insert("message".to_owned(), json!(Reason::of(judged).sentence()));
        object.insert("evidence".to_owned(), json!(judged.evidence));
        object.insert("waived".to_owned(), json!(judged.suppressed));
    }
    value
}
