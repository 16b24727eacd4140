//! What is said of a claim in the end, with the evidence.

use serde::{Deserialize, Serialize};

use crate::{Claim, Place};

/// The word that every tool uses.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// It holds.
    Verified,
    /// Nobody can tell.
    Uncertain,
    /// It held, or looked like it, and does not any more.
    Drifted,
}

/// Why.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "class")]
pub enum Class {
    /// It holds.
    Holds,
    /// It held when its line was last written; a commit since then broke it.
    BrokeAt,
    /// It was true once, but no more when its line was last written.
    StaleAtBirth,
    /// A value was the same when the line was last written, and is another one now.
    ValueChanged {
        /// What the document says.
        from: String,
        /// What the repository says.
        to: String,
    },
    /// It held, and left with the whole folder that it stood in: it may live on in another repository, or in a dependency.
    Left,
    /// It never was, and looks as if it should be.
    NeverExisted,
    /// The history that could tell is not here.
    HistoryUnavailable,
    /// Somebody reported it, and a person agreed.
    Reported,
}

impl Class {
    /// Its name.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Holds => "holds",
            Self::BrokeAt => "broke_at",
            Self::StaleAtBirth => "stale_at_birth",
            Self::ValueChanged { .. } => "value_changed",
            Self::Left => "left",
            Self::NeverExisted => "never_existed",
            Self::HistoryUnavailable => "history_unavailable",
            Self::Reported => "reported",
        }
    }
}

/// How much it matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    /// An anchor, an image, a line of a file.
    Low,
    /// A path, a symbol.
    Medium,
    /// A command, flag, route or required variable where people start, or where agents read.
    High,
}

/// The commit that last wrote a line of a document.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Blame {
    /// The commit.
    pub commit: String,
    /// Its time, in seconds since 1970.
    pub time: i64,
    /// The path of the document then.
    pub path: String,
    /// The line then.
    pub line: u32,
}

/// The commit since which a claim does not hold.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Breaking {
    /// The commit; `None` for a change that is not committed.
    pub commit: Option<String>,
    /// Its time, in seconds since 1970.
    pub time: i64,
    /// The first line of its message.
    pub subject: String,
    /// What it did: `deleted`, `renamed`, `changed`.
    pub kind: String,
    /// Where it went, for a renamed thing.
    pub renamed_to: Option<String>,
}

/// What to write instead.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Suggestion {
    /// In place of [`Claim::named`], exactly.
    pub replacement: String,
    /// Whether there is nothing else that it could be (a rename, a value that has changed): such a suggestion may be
    /// applied without asking.
    pub is_certain: bool,
    /// Why this one.
    pub reason: String,
}

/// What a verdict rests on.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Evidence {
    /// Who last wrote the line.
    pub blame: Option<Blame>,
    /// Whether the line was written before what it names was there.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_early: bool,
    /// Where the fact was found then.
    pub found_then: Vec<Place>,
    /// Where it is now.
    pub found_now: Vec<Place>,
    /// What was looked at now.
    pub looked_at: String,
    /// The commit that broke it.
    pub breaking: Option<Breaking>,
    /// What to write instead.
    pub suggestion: Option<Suggestion>,
    /// Why it is not believed, although it looks like drift.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub doubt: Option<String>,
}

/// A claim with its verdict.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Judged {
    /// The claim.
    pub claim: Claim,
    /// The verdict.
    pub verdict: Verdict,
    /// Why.
    pub class: Class,
    /// How sure, 0 to 1, as measured for its type and class.
    pub confidence: f64,
    /// How much it matters.
    pub severity: Severity,
    /// What the verdict rests on.
    pub evidence: Evidence,
    /// The reason for which it is not to be told, when somebody waived it.
    pub suppressed: Option<String>,
}
