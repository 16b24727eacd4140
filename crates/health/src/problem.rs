//! What is wrong with a claim, so that a reader can act on it: what broke, in which commit, and what to write instead.

use docent_claims::Evidence;
use docent_index::health::Status;
use serde::{Deserialize, Serialize};

use crate::book::Known;
use crate::iso;

/// Letters of a commit that are shown.
const SHORT: usize = 7;

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
    from: Option<String>,
    to: Option<String>,
    reported: Option<Reported>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Reported {
    actual_behavior: String,
    agent_type: String,
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
        Some(Self {
            claim_id: known.id.clone(),
            line: known.line,
            status: known.status.name(),
            claim_type: known.claim_type.clone(),
            named: known.named.clone(),
            class: known.class.clone(),
            severity: known.severity.clone(),
            reason: reason(known, &evidence, &beside),
            broke_commit: evidence.breaking.as_ref().and_then(|breaking| breaking.commit.clone()),
            suggested_fix: evidence.suggestion.map(|suggestion| suggestion.replacement),
        })
    }
}

fn reason(known: &Known, evidence: &Evidence, beside: &Beside) -> String {
    let written =
        evidence.blame.as_ref().map(|blame| format!(" ({}, {})", short(&blame.commit), day(blame.time)));
    let written = written.unwrap_or_default();
    let since = evidence.breaking.as_ref().map(|breaking| {
        let commit = match &breaking.commit {
            Some(commit) => {
                let subject = docent_text::visible_line(&breaking.subject, 72);
                format!("{} \"{subject}\" ({})", short(commit), day(breaking.time))
            }
            None => "a change that is not committed".to_owned(),
        };
        match &breaking.renamed_to {
            Some(to) => format!("{} to `{to}` in {commit}", breaking.kind),
            None => format!("{} in {commit}", breaking.kind),
        }
    });
    let closest =
        evidence.suggestion.as_ref().map(|suggestion| format!("; closest now: `{}`", suggestion.replacement));
    let closest = closest.unwrap_or_default();
    let named = docent_text::visible_line(&known.named, 120);
    match known.class.as_str() {
        "broke_at" => {
            let since = since.unwrap_or_else(|| "gone since".to_owned());
            format!("`{named}` held when this line was written{written}; {since}{closest}")
        }
        "stale_at_birth" => {
            let since = since.map(|since| format!("; {since}")).unwrap_or_default();
            format!(
                "`{named}` was true once, but no more when this line was written{written}{since}{closest}"
            )
        }
        "value_changed" => {
            let (from, to) = (beside.from.as_deref().unwrap_or("?"), beside.to.as_deref().unwrap_or("?"));
            let since = since.map(|since| format!("; {since}")).unwrap_or_default();
            format!(
                "`{named}` says {from}, as the repository did when this line was written{written}; now it is {to}{since}"
            )
        }
        "never_existed" => {
            let looked = match evidence.looked_at.is_empty() {
                true => String::new(),
                false => format!(" (looked at {})", docent_text::visible_line(&evidence.looked_at, 120)),
            };
            format!("`{named}` was never found in this repository{looked}{closest}")
        }
        "history_unavailable" => {
            format!("`{named}` is not there, and the history that could tell why is not here")
        }
        "reported" => {
            let reported = beside.reported.as_ref();
            let who = reported.map_or("somebody", |reported| reported.agent_type.as_str());
            let what = reported.map_or("", |reported| reported.actual_behavior.as_str());
            format!(
                "reported by {} and agreed to: {}",
                docent_text::visible_line(who, 60),
                docent_text::visible_line(what, 300)
            )
        }
        _ => format!("`{named}` does not hold{closest}"),
    }
}

fn short(commit: &str) -> &str {
    commit.get(..SHORT).unwrap_or(commit)
}

fn day(seconds: i64) -> String {
    iso(seconds).chars().take(10).collect()
}
