//! What a verification hands over to be kept.

use docent_claims::{Class, Judged, Severity, Verdict};
use docent_index::health::{NewClaim, Recorded, RecordedDocument, Status};

/// What a verification found.
#[derive(Debug, Clone, Default)]
pub struct Findings {
    /// When, in seconds since 1970.
    pub verified_at: i64,
    /// The commit that it looked at, with what was not committed on top.
    pub commit: Option<String>,
    /// Documents that were judged anew.
    pub documents: Vec<VerifiedDocument>,
    /// Documents that were looked at, and of which every verdict stays as it was.
    pub confirmed: Vec<String>,
    /// Whether these are all documents of the repository; what is known of others is forgotten then.
    pub is_complete: bool,
}

/// A document with every claim that it makes.
#[derive(Debug, Clone)]
pub struct VerifiedDocument {
    /// Its path in the repository.
    pub file: String,
    /// BLAKE3 of its bytes, as hex; empty when it is not known.
    pub content_hash: String,
    /// Its claims, in the order of its lines.
    pub claims: Vec<Judged>,
}

impl Findings {
    /// As rows.
    pub(crate) fn rows(&self) -> Recorded {
        let document = |document: &VerifiedDocument| RecordedDocument {
            source_file: document.file.clone(),
            content_hash: document.content_hash.clone(),
            claims: document.claims.iter().map(row).collect(),
        };
        Recorded {
            verified_at: self.verified_at,
            commit: self.commit.clone(),
            documents: self.documents.iter().map(document).collect(),
            confirmed: self.confirmed.clone(),
            is_complete: self.is_complete,
        }
    }
}

fn row(judged: &Judged) -> NewClaim {
    let claim = &judged.claim;
    let breaking = judged.evidence.breaking.as_ref();
    NewClaim {
        line_number: claim.line,
        end_line: claim.end_line,
        section_heading: claim.section_heading.clone(),
        claim_text: claim.text.clone(),
        claim_type: claim.claim_type.name().to_owned(),
        kind: claim.kind.clone(),
        named: claim.named.clone(),
        keywords: keywords(&claim.named),
        verification_status: match judged.verdict {
            Verdict::Verified => Status::Verified,
            Verdict::Uncertain => Status::Uncertain,
            Verdict::Drifted => Status::Drifted,
        },
        class: judged.class.name().to_owned(),
        confidence: judged.confidence,
        severity: match judged.severity {
            Severity::Low => "low",
            Severity::Medium => "medium",
            Severity::High => "high",
        }
        .to_owned(),
        evidence: evidence(judged),
        blame_commit: judged.evidence.blame.as_ref().map(|blame| blame.commit.clone()),
        broke_commit: breaking.and_then(|breaking| breaking.commit.clone()),
        suppressed: judged.suppressed.clone(),
    }
}

/// The evidence as JSON; for a value that has changed, with both values.
fn evidence(judged: &Judged) -> String {
    let mut evidence = serde_json::to_value(&judged.evidence).unwrap_or_default();
    if let Class::ValueChanged { from, to } = &judged.class {
        evidence["from"] = from.as_str().into();
        evidence["to"] = to.as_str().into();
    }
    evidence.to_string()
}

/// Words to find a claim by: what it names, and its parts.
fn keywords(named: &str) -> Vec<String> {
    let parts = named.split(|letter: char| !letter.is_alphanumeric()).filter(|part| part.len() > 1);
    let mut words: Vec<String> = std::iter::once(named).chain(parts).map(str::to_lowercase).collect();
    let mut seen = std::collections::HashSet::new();
    words.retain(|word| !word.is_empty() && seen.insert(word.clone()));
    words.truncate(16);
    words
}
