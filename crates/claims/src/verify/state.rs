//! The result of a verification, which is also what the next one starts from.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use crate::{
    Claim, Class, Evidence, Genre, InlineWaiver, Judged, Outcome, Repository, Severity, Verdict, WorkState,
};

/// What documents claim, and what became of it.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct Verification {
    /// Results of other rules are not built upon.
    pub(super) rules: u32,
    /// How far the history reached.
    pub(super) depth: String,
    /// The commit; `None` in a repository without commits.
    pub head: Option<String>,
    /// What was not as it was committed: path → name of its content.
    pub(super) changes: BTreeMap<String, String>,
    /// Words of claims in these, which nobody could read again once they are gone.
    #[serde(default)]
    pub(super) uncommitted_words: BTreeMap<String, BTreeSet<String>>,
    /// What this repository's packages and programs were, in short: they decide what is its own.
    #[serde(default)]
    pub(super) packages: String,
    /// Documents by path.
    pub documents: BTreeMap<String, DocumentState>,
    /// Documents that could not be read, because they are absent or larger than 2 MiB.
    #[serde(default)]
    pub unread_documents: Vec<String>,
    /// How many paths are not UTF-8, and were not looked at.
    pub unreadable_paths: usize,
    /// How many documents were looked at anew.
    #[serde(skip)]
    pub fresh: usize,
}

/// A document and its claims.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct DocumentState {
    /// The name of its content.
    pub content: String,
    /// Whether it was as it was committed.
    pub is_committed: bool,
    /// Whether it speaks about the present state of the repository.
    pub genre: Genre,
    /// Waivers in its comments.
    pub waivers: Vec<InlineWaiver>,
    /// Everything that it claims, also what turned out to be no claim.
    pub claims: Vec<Looked>,
}

/// A claim that was looked at.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Looked {
    /// The claim.
    pub claim: Claim,
    /// What the check says now.
    pub now: Outcome,
    /// The verdict; `None` for what is not a claim about this repository as it is.
    pub judgement: Option<Judgement>,
    /// The reason for which it is not to be told, when somebody waived it.
    pub suppressed: Option<String>,
}

impl Looked {
    /// The verdict, when it is one to be told.
    pub(crate) fn told(&self) -> Option<&Judgement> {
        self.judgement.as_ref().filter(|judgement| !judgement.is_folded)
    }
}

/// A verdict with its reasons.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Judgement {
    /// The verdict.
    pub verdict: Verdict,
    /// Why.
    pub class: Class,
    /// How sure, 0 to 1.
    pub confidence: f64,
    /// How much it matters.
    pub severity: Severity,
    /// What it rests on.
    pub evidence: Evidence,
    /// Whether another one of the same document, with the same doubt, stands for it.
    #[serde(default)]
    pub is_folded: bool,
    /// Whether it is told only because what it names was taken away lately.
    #[serde(default)]
    pub is_fresh: bool,
    /// What takes its place then, once it is not fresh any more.
    #[serde(default)]
    pub later: Option<Box<Judgement>>,
}

impl Verification {
    /// All claims with a verdict, by document and line.
    pub fn judged(&self) -> impl Iterator<Item = Judged> {
        self.documents.values().flat_map(DocumentState::judged)
    }

    /// What is to be told: what has drifted or is uncertain, and nobody waived.
    pub fn findings(&self) -> Vec<Judged> {
        let is_told = |judged: &Judged| judged.verdict != Verdict::Verified && judged.suppressed.is_none();
        self.judged().filter(is_told).collect()
    }

    /// How many claims have this verdict; suppressed ones do not count.
    pub fn count(&self, verdict: Verdict) -> usize {
        let counts = |looked: &&Looked| {
            let judgement = looked.told();
            looked.suppressed.is_none() && judgement.is_some_and(|judgement| judgement.verdict == verdict)
        };
        self.documents.values().flat_map(|document| &document.claims).filter(counts).count()
    }

    /// Whether the repository is as it was verified: the same commit, and the same files that are not committed.
    pub fn is_of(&self, repository: &Repository, state: &WorkState) -> bool {
        self.head.as_deref() == repository.head()
            && self.changes.len() == state.changes.len()
            && state.changes.iter().all(|(path, change)| self.changes.get(path) == Some(&change.id))
    }

    /// How many claims that do not hold were waived.
    pub fn suppressed(&self) -> usize {
        self.documents.values().flat_map(|it| &it.claims).filter(|it| it.suppressed.is_some()).count()
    }
}

impl DocumentState {
    /// Claims with a verdict, by line.
    pub fn judged(&self) -> impl Iterator<Item = Judged> {
        self.claims.iter().filter_map(|looked| {
            let judgement = looked.told()?.clone();
            Some(Judged {
                claim: looked.claim.clone(),
                verdict: judgement.verdict,
                class: judgement.class,
                confidence: judgement.confidence,
                severity: judgement.severity,
                evidence: judgement.evidence,
                suppressed: looked.suppressed.clone(),
            })
        })
    }
}
