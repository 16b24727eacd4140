//! Findings as SARIF 2.1.0. A rule is a type of claim; waived findings are there as suppressed.

use docent_claims::{ClaimType, Judged, Severity, Verdict};
use docent_health::Reason;
use serde_json::{Value, json};

use super::Report;
use crate::commands::validate::{fingerprint, sarif_log, uri};

pub(super) fn log(report: &Report) -> Value {
    let rules: Vec<Value> = ClaimType::ALL
        .iter()
        .map(|kind| {
            let text = format!("A claim no longer holds: {}", kind.name().replace('_', " "));
            json!({
                "id": format!("docent/{}", kind.name()),
                "name": kind.name(),
                "shortDescription": { "text": text },
                "properties": { "tags": ["documentation"], "precision": "high" },
            })
        })
        .collect();
    let results = report.findings.iter().chain(&report.waived).map(result).collect();
    sarif_log(rules, results)
}

fn result(judged: &Judged) -> Value {
    let claim = &judged.claim;
    let level = match (judged.verdict, judged.severity) {
        (Verdict::Drifted, Severity::Low) => "warning",
        (Verdict::Drifted, _) => "error",
        _ => "note",
    };
    let id = format!("docent/{}", claim.claim_type.name());
    let index = ClaimType::ALL.iter().position(|kind| *kind == claim.claim_type);
    let mut result = json!({
        "ruleId": id,
        "ruleIndex": index,
        "level": level,
        "message": { "text": format!("{}.", Reason::of(judged).sentence()) },
        "locations": [{
            "physicalLocation": {
                "artifactLocation": { "uri": uri(&claim.file), "uriBaseId": "%SRCROOT%" },
                "region": { "startLine": claim.line, "endLine": claim.end_line },
            }
        }],
        "partialFingerprints": { "docent/v1": fingerprint(&id, &claim.file, &claim.named) },
        "properties": { "class": judged.class.name(), "confidence": judged.confidence, "evidence": judged.evidence },
    });
    if let (Some(reason), Some(object)) = (&judged.suppressed, result.as_object_mut()) {
        let kind = if reason == docent_claims::BASELINE { "external" } else { "inSource" };
        object.insert("suppressions".to_owned(), json!([{ "kind": kind, "justification": reason }]));
    }
    result
}
