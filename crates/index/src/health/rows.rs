//! What travels to and from a [`HealthStore`](super::HealthStore): plain values, times in seconds since 1970.

/// How a claim stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Status {
    /// It holds.
    Verified,
    /// Nobody has looked yet.
    Pending,
    /// Nobody can tell.
    Uncertain,
    /// It does not hold any more.
    Drifted,
}

impl Status {
    /// All of them, the best first: the order is that of how much a reader has to worry.
    pub const ALL: [Self; 4] = [Self::Verified, Self::Pending, Self::Uncertain, Self::Drifted];

    /// Its name in tables and answers.
    pub fn name(self) -> &'static str {
        match self {
            Self::Verified => "verified",
            Self::Pending => "pending",
            Self::Uncertain => "uncertain",
            Self::Drifted => "drifted",
        }
    }

    /// The status of that name; another program's word for it is none of ours and means that nobody can tell.
    pub fn parse(name: &str) -> Self {
        Self::ALL.into_iter().find(|status| status.name() == name).unwrap_or(Self::Uncertain)
    }
}

/// A repository.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RepoRow {
    /// Its id.
    pub id: String,
    /// Whose it is; empty when nobody says.
    pub github_owner: String,
    /// Its name.
    pub github_repo: String,
    /// The commit that was verified last.
    pub last_scanned_commit: Option<String>,
    /// When it was verified last.
    pub updated_at: i64,
}

/// A claim to keep. What names it within its document is its type, what it names, and how often that came before.
#[derive(Debug, Clone, PartialEq)]
pub struct NewClaim {
    /// First line, from 1.
    pub line_number: u32,
    /// Last line.
    pub end_line: u32,
    /// The nearest heading; `None` above the first one.
    pub section_heading: Option<String>,
    /// The sentence or line.
    pub claim_text: String,
    /// What it is about, such as `path_reference`.
    pub claim_type: String,
    /// A finer word for it.
    pub kind: String,
    /// What the document writes, exactly.
    pub named: String,
    /// Words to find it by.
    pub keywords: Vec<String>,
    /// The verdict.
    pub verification_status: Status,
    /// Why, such as `broke_at`.
    pub class: String,
    /// How sure, 0 to 1.
    pub confidence: f64,
    /// `low`, `medium` or `high`.
    pub severity: String,
    /// What the verdict rests on, as JSON.
    pub evidence: String,
    /// The commit that last wrote the line.
    pub blame_commit: Option<String>,
    /// The commit that broke it.
    pub broke_commit: Option<String>,
    /// Why it is not to be told, when somebody waived it.
    pub suppressed: Option<String>,
}

/// A claim as it is kept.
#[derive(Debug, Clone, PartialEq)]
pub struct ClaimRow {
    /// Its id, which stays when the document around it changes.
    pub id: String,
    /// The document, by its path in the repository.
    pub source_file: String,
    /// What is known of it.
    pub claim: NewClaim,
    /// When it was last looked at; `None` for never.
    pub last_verified_at: Option<i64>,
}

/// What a verification found.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Recorded {
    /// When.
    pub verified_at: i64,
    /// The commit that it looked at.
    pub commit: Option<String>,
    /// Documents whose claims are replaced.
    pub documents: Vec<RecordedDocument>,
    /// Documents that were looked at, and of which everything stays as it is.
    pub confirmed: Vec<String>,
    /// Whether these are all documents that there are; others go.
    pub is_complete: bool,
}

/// One document and all its claims, in the order of its lines.
#[derive(Debug, Clone, PartialEq)]
pub struct RecordedDocument {
    /// Its path in the repository.
    pub source_file: String,
    /// BLAKE3 of its bytes, as hex: tells whether lines are still those of the document that is read.
    pub content_hash: String,
    /// Its claims; none for a document that is gone or claims nothing.
    pub claims: Vec<NewClaim>,
}

/// How many claims of a file have a type and a status.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HealthCount {
    /// The file.
    pub source_file: String,
    /// The type.
    pub claim_type: String,
    /// The status.
    pub status: Status,
    /// Whether somebody waived them.
    pub is_suppressed: bool,
    /// How many.
    pub count: u64,
    /// When one of them was last looked at.
    pub last_verified_at: Option<i64>,
}

/// What somebody found to be wrong.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct NewReport {
    /// The claim that is meant, when one was found.
    pub claim_id: Option<String>,
    /// The document.
    pub doc_file: String,
    /// About which line.
    pub line_number: Option<u32>,
    /// What the document says.
    pub claim_text: String,
    /// What is so instead.
    pub actual_behavior: String,
    /// Files that show it.
    pub evidence_files: Vec<String>,
    /// Who says so.
    pub agent_type: String,
    /// When.
    pub created_at: i64,
}

/// A report as it is kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReportRow {
    /// Its id.
    pub id: String,
    /// What it says.
    pub report: NewReport,
    /// What came of it.
    pub verification_status: Decision,
    /// When that was decided.
    pub decided_at: Option<i64>,
}

/// What came of a report.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Decision {
    /// Nothing yet.
    Pending,
    /// A person agreed.
    Accepted,
    /// A person did not.
    Rejected,
}

impl Decision {
    /// All there are.
    pub const ALL: [Self; 3] = [Self::Pending, Self::Accepted, Self::Rejected];

    /// Its name in tables and answers.
    pub fn name(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::Accepted => "accepted",
            Self::Rejected => "rejected",
        }
    }

    /// The decision of that name; a word that is not ours leaves it open.
    pub fn parse(name: &str) -> Self {
        Self::ALL.into_iter().find(|decision| decision.name() == name).unwrap_or(Self::Pending)
    }
}
