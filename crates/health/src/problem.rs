//! What is wrong with a claim, so that a reader can act on it: what broke, in which commit, and what to write instead.

use docent_claims::{Class, Evidence};
use docent_index::health::Status;
use serde::{Deserialize, Serialize};

use crate::book::Known;
use crate::reason::{Reason, Reported};

/// A claim that does not hold, or of which nobody can tell.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Problem {
    /// The claim.
    pub claim_id: String,
    /// Its line in the document.
    pub line: u32,
    /// `drifted` or `uncertain`.
    pub status: &'static str,
    /// What it is about.
    pub claim_type: String,
    /// What the document writes.
    pub named: String,
    /// Why, such as `broke_at`.
    pub class: String,
    /// `low`, `medium` or `high`.
    pub severity: String,
    /// Why, as a sentence.
    pub reason: String,
    /// The commit that broke it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub broke_commit: Option<String>,
    /// What to write in place of `named`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub suggested_fix: Option<String>,
}

/// What stands in the evidence besides what the checks put there.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Beside {
    from: String,
    to: String,
    reported: Option<Reported>,
}

impl Problem {
    /// What is wrong with a claim; `None` when nothing is, or when somebody waived it.
    pub(crate) fn of(known: &Known) -> Option<Self> {
        let status = known.status();
        if !matches!(status, Some(Status::Drifted | Status::Uncertain)) {
            return None;
        }
        let evidence: Evidence = serde_json::from_str(&known.evidence).unwrap_or_default();
        let beside: Beside = serde_json::from_str(&known.evidence).unwrap_or_default();
        let class = class(&known.class, beside.from, beside.to);
        let reason = Reason { named: &known.named, class, evidence: &evidence, reported: beside.reported };
        Some(Self {
            claim_id: known.id.clone(),
            line: known.line,
            status: known.status.name(),
            claim_type: known.claim_type.clone(),
            named: known.named.clone(),
            class: known.class.clone(),
            severity: known.severity.clone(),
            reason: reason.sentence(),
            broke_commit: evidence.breaking.as_ref().and_then(|breaking| breaking.commit.clone()),
            suggested_fix: evidence.suggestion.map(|suggestion| suggestion.replacement),
        })
    }
}

/// The class of that name; `None` for a word of another program.
fn class(name: &str, from: String, to: String) -> Option<Class> {
    let all = [
        Class::Holds,
        Class::BrokeAt,
        Class::StaleAtBirth,
        Class::ValueChanged { from, to },
        Class::Left,
        Class::NeverExisted,
        Class::HistoryUnavailable,
        Class::Reported,
    ];
    all.into_iter().find(|class| class.name() == name)
}
