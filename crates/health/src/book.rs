//! All claims of the repository at one moment, in memory: what stands in which lines is asked for with every hit of every
//! search, and has to cost nothing.

use std::collections::HashMap;
use std::ops::RangeInclusive;

use docent_index::health::{ClaimRow, Status};

/// All claims at one moment.
#[derive(Debug, Default)]
pub(crate) struct Book {
    pub(crate) generation: u64,
    files: HashMap<String, Vec<Known>>,
    /// What the content of each document was when it was judged.
    pub(crate) hashes: HashMap<String, String>,
}

/// What is remembered of a claim.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Known {
    pub(crate) id: String,
    pub(crate) line: u32,
    pub(crate) end_line: u32,
    pub(crate) heading: Option<String>,
    pub(crate) text: String,
    pub(crate) claim_type: String,
    pub(crate) named: String,
    pub(crate) status: Status,
    pub(crate) is_suppressed: bool,
    pub(crate) class: String,
    pub(crate) severity: String,
    /// Of claims that hold, nobody asks for it.
    pub(crate) evidence: String,
    pub(crate) last_verified: Option<i64>,
}

impl Known {
    fn new(row: ClaimRow) -> Self {
        let claim = row.claim;
        let is_fine = claim.verification_status == Status::Verified;
        Self {
            id: row.id,
            line: claim.line_number,
            end_line: claim.end_line,
            heading: claim.section_heading,
            text: claim.claim_text,
            claim_type: claim.claim_type,
            named: claim.named,
            status: claim.verification_status,
            is_suppressed: claim.suppressed.is_some(),
            class: claim.class,
            severity: claim.severity,
            evidence: if is_fine { String::new() } else { claim.evidence },
            last_verified: row.last_verified_at,
        }
    }

    /// How it counts; `None` when it does not, because somebody waived it.
    pub(crate) fn status(&self) -> Option<Status> {
        (self.status == Status::Verified || !self.is_suppressed).then_some(self.status)
    }
}

impl Book {
    pub(crate) fn new(generation: u64, rows: Vec<ClaimRow>, hashes: Vec<(String, String)>) -> Self {
        let mut files: HashMap<String, Vec<Known>> = HashMap::new();
        for row in rows {
            files.entry(row.source_file.clone()).or_default().push(Known::new(row));
        }
        Self { generation, files, hashes: hashes.into_iter().collect() }
    }

    /// Files that claim something.
    pub(crate) fn files(&self) -> impl Iterator<Item = &str> {
        self.files.keys().map(String::as_str)
    }

    /// Claims of a file, by line.
    pub(crate) fn of(&self, file: &str) -> &[Known] {
        self.files.get(file).map_or(&[], Vec::as_slice)
    }

    /// Claims that begin in these lines of a file.
    pub(crate) fn within(&self, file: &str, lines: &RangeInclusive<u32>) -> &[Known] {
        let all = self.of(file);
        let start = all.partition_point(|known| known.line < *lines.start());
        let end = all.partition_point(|known| known.line <= *lines.end());
        all.get(start..end).unwrap_or(&[])
    }
}
