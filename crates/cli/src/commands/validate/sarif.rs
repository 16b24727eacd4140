//! Findings as SARIF 2.1.0, as code scanning takes it.

use std::fmt::Write;

use docent_authoring::{RULES, Severity};
use serde_json::{Value, json};

use super::Report;

/// The log. Paths are relative to the repository.
pub(super) fn log(report: &Report<'_>, prefix: &str) -> Value {
    let rules: Vec<Value> = RULES
        .iter()
        .map(|rule| {
            json!({
                "id": rule.id,
                "name": rule.name,
                "shortDescription": { "text": rule.description.replace('`', "") },
                "fullDescription": { "text": format!("{}.", rule.description.replace('`', "")) },
                "help": { "text": rule.help.replace('`', ""), "markdown": rule.help },
                "defaultConfiguration": { "level": level(rule.severity) },
                "properties": { "tags": ["documentation"], "precision": "high" },
            })
        })
        .collect();
    let results: Vec<Value> = report
        .findings
        .iter()
        .map(|(path, finding)| {
            let rule = finding.code.rule();
            json!({
                "ruleId": rule.id,
                "ruleIndex": finding.code as usize,
                "level": level(rule.severity),
                "message": { "text": format!("{}. Hint: {}.", finding.message, finding.hint) },
                "locations": [{
                    "physicalLocation": {
                        "artifactLocation": { "uri": uri(&format!("{prefix}{path}")), "uriBaseId": "%SRCROOT%" },
                        "region": { "startLine": finding.line },
                    }
                }],
                "partialFingerprints": { "docent/v1": fingerprint(rule.id, path, &finding.message) },
            })
        })
        .collect();
    sarif_log(rules, results)
}

/// A log of one run with these rules and results.
pub(in crate::commands) fn sarif_log(rules: Vec<Value>, results: Vec<Value>) -> Value {
    json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": {
                "driver": {
                    "name": "docent",
                    "version": env!("CARGO_PKG_VERSION"),
                    "semanticVersion": env!("CARGO_PKG_VERSION"),
                    "rules": rules,
                }
            },
            "columnKind": "unicodeCodePoints",
            "results": results,
        }],
    })
}

fn level(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
    }
}

/// The same finding keeps its identity when lines move.
pub(in crate::commands) fn fingerprint(id: &str, path: &str, message: &str) -> String {
    blake3::hash(format!("{id}\n{path}\n{message}").as_bytes()).to_hex().as_str()[..32].to_owned()
}

/// A path as a URI reference.
pub(in crate::commands) fn uri(path: &str) -> String {
    let mut uri = String::with_capacity(path.len());
    for byte in path.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'~' | b'/' => {
                uri.push(byte as char)
            }
            byte => {
                let _ = write!(uri, "%{byte:02X}");
            }
        }
    }
    uri
}
