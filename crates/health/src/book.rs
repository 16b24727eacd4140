//! All claims of the repository at one moment, in memory: what stands in which lines is asked for with every hit of every
//! search, and has to cost nothing.

use std::collections::HashMap;
use std::ops::{Range, RangeInclusive};
use std::sync::Arc;

use docent_index::health::{ClaimRow, Status};

use crate::words::Words;

/// All claims at one moment.
#[derive(Debug, Default)]
pub(crate) struct Book {
    pub(crate) generation: u64,
    /// By file and line.
    claims: Vec<Known>,
    files: HashMap<Arc<str>, Range<usize>>,
    /// For each claim, the first one of its section: neighbours under one heading.
    sections: Vec<usize>,
    words: Words,
    /// What the content of each document was when it was judged.
    pub(crate) hashes: HashMap<String, String>,
}

/// What is remembered of a claim.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Known {
    pub(crate) id: String,
    pub(crate) file: Arc<str>,
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
    fn new(row: ClaimRow, file: Arc<str>) -> Self {
        let claim = row.claim;
        let is_fine = claim.verification_status == Status::Verified;
        Self {
            id: row.id,
            file,
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
    /// `rows` come by file and line.
    pub(crate) fn new(generation: u64, rows: Vec<ClaimRow>, hashes: Vec<(String, String)>) -> Self {
        let texts =
            rows.iter().map(|row| format!("{} {}", row.claim.claim_text, row.claim.keywords.join(" ")));
        let words = Words::new(texts);
        let mut claims: Vec<Known> = Vec::with_capacity(rows.len());
        let (mut files, mut sections) = (HashMap::<Arc<str>, Range<usize>>::new(), Vec::new());
        for (number, row) in rows.into_iter().enumerate() {
            let before = claims.last().filter(|before| *before.file == row.source_file);
            let section = match (before, sections.last()) {
                (Some(before), Some(section)) if before.heading == row.claim.section_heading => *section,
                _ => number,
            };
            sections.push(section);
            let file =
                before.map_or_else(|| Arc::from(row.source_file.as_str()), |before| Arc::clone(&before.file));
            files.entry(Arc::clone(&file)).or_insert(number..number).end = number + 1;
            claims.push(Known::new(row, file));
        }
        Self { generation, claims, files, sections, words, hashes: hashes.into_iter().collect() }
    }

    /// Files that claim something.
    pub(crate) fn files(&self) -> impl Iterator<Item = &str> {
        self.files.keys().map(AsRef::as_ref)
    }

    /// Claims of a file, by line.
    pub(crate) fn of(&self, file: &str) -> &[Known] {
        self.files.get(file).and_then(|range| self.claims.get(range.clone())).unwrap_or(&[])
    }

    /// Claims that begin in these lines of a file.
    pub(crate) fn within(&self, file: &str, lines: &RangeInclusive<u32>) -> &[Known] {
        let all = self.of(file);
        let start = all.partition_point(|known| known.line < *lines.start());
        let end = all.partition_point(|known| known.line <= *lines.end());
        all.get(start..end).unwrap_or(&[])
    }

    /// The number of the first claim at a line of a file.
    pub(crate) fn at(&self, file: &str, line: u32) -> Option<usize> {
        let claims = self.of(file);
        let place = claims.partition_point(|known| known.line < line);
        let is_there = claims.get(place).is_some_and(|known| known.line == line);
        is_there.then(|| self.files.get(file).map(|range| range.start + place)).flatten()
    }

    /// The claims that stand in one section with this one.
    pub(crate) fn section_of(&self, number: usize) -> &[Known] {
        let Some(&start) = self.sections.get(number) else { return &[] };
        let from = self.sections.get(start..).unwrap_or(&[]);
        let count = from.partition_point(|section| *section == start);
        self.claims.get(start..start + count).unwrap_or(&[])
    }

    /// Numbers of claims with words of `query`, best first. Where no word is known, those that have it somewhere in their text
    /// or name, the last verified first.
    pub(crate) fn find(&self, query: &str) -> Vec<usize> {
        let found = self.words.find(query);
        if !found.is_empty() {
            return found.into_iter().map(|number| number as usize).collect();
        }
        let sought = query.trim().to_lowercase();
        if sought.is_empty() {
            return Vec::new();
        }
        let has_it = |text: &str| text.to_lowercase().contains(&sought);
        let having =
            self.claims.iter().enumerate().filter(|(_, known)| has_it(&known.text) || has_it(&known.named));
        let mut found: Vec<(usize, Option<i64>)> =
            having.map(|(number, known)| (number, known.last_verified)).collect();
        found.sort_by_key(|(_, last)| std::cmp::Reverse(*last));
        found.into_iter().map(|(number, _)| number).collect()
    }
}
