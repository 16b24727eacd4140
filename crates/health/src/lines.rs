//! How some lines of a document stand: what goes with every hit of a search.

use std::ops::RangeInclusive;

use docent_index::health::Status;

use serde::Serialize;
use serde::ser::{SerializeStruct, Serializer};

use crate::book::{Book, Known};
use crate::iso;
use crate::problem::Problem;

/// How the claims in some lines stand, together.
#[derive(Debug, Clone, PartialEq)]
pub struct LinesHealth {
    /// The worst of them.
    pub status: Status,
    /// Claims that hold.
    pub verified: u64,
    /// Claims that do not hold any more.
    pub drifted: u64,
    /// Claims that nobody can tell of.
    pub uncertain: u64,
    /// When one of them was last looked at.
    pub last_verified: Option<i64>,
    /// What is wrong, by line.
    pub problems: Vec<Problem>,
    /// Whether the document has changed since: what is said may be about other lines.
    pub is_outdated: bool,
}

impl LinesHealth {
    /// How these lines stand; `None` where they claim nothing. `content_hash` is that of the document that the lines were
    /// counted in; an empty one is not compared.
    pub(crate) fn of(
        book: &Book,
        file: &str,
        lines: &RangeInclusive<u32>,
        content_hash: &str,
    ) -> Option<Self> {
        let claims = book.within(file, lines);
        let status = worst(claims)?;
        let count =
            |wanted: Status| claims.iter().filter(|known| known.status() == Some(wanted)).count() as u64;
        let judged = book.hashes.get(file).map_or("", String::as_str);
        Some(Self {
            status,
            verified: count(Status::Verified),
            drifted: count(Status::Drifted),
            uncertain: count(Status::Uncertain),
            last_verified: claims.iter().filter_map(|known| known.last_verified).max(),
            problems: claims.iter().filter_map(Problem::of).collect(),
            is_outdated: !judged.is_empty() && !content_hash.is_empty() && judged != content_hash,
        })
    }
}

/// Reasons that go with a hit; the rest is asked for.
const MAX_REASONS: usize = 3;

/// As it goes with a hit.
impl Serialize for LinesHealth {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let reason = |problem: &Problem| format!("line {}: {}", problem.line, problem.reason);
        let mut drifted_first: Vec<&Problem> = self.problems.iter().collect();
        drifted_first.sort_by_key(|problem| problem.status != Status::Drifted.name());
        let reasons: Vec<String> = drifted_first.into_iter().take(MAX_REASONS).map(reason).collect();
        let mut shown = serializer.serialize_struct("verification", 7)?;
        shown.serialize_field("status", self.status.name())?;
        shown.serialize_field("verified", &self.verified)?;
        shown.serialize_field("drifted", &self.drifted)?;
        if self.uncertain > 0 {
            shown.serialize_field("uncertain", &self.uncertain)?;
        }
        shown.serialize_field("last_verified", &self.last_verified.map(iso))?;
        if !reasons.is_empty() {
            shown.serialize_field("reasons", &reasons)?;
        }
        if self.is_outdated {
            shown.serialize_field("outdated", &true)?;
        }
        shown.end()
    }
}

/// The worst status of claims: drifted, then uncertain, then pending, then verified. What somebody waived does not count,
/// unless there is nothing else: then nobody can tell.
pub(crate) fn worst(claims: &[Known]) -> Option<Status> {
    let counted = claims.iter().filter_map(Known::status).max();
    counted.or_else(|| (!claims.is_empty()).then_some(Status::Uncertain))
}
