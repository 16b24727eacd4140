//! How much of what is claimed holds.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::tally::FileTally;

/// Files that are named as the worst.
const HOTSPOTS: usize = 5;

/// How a repository, a folder or a file stands.
#[derive(Debug, Clone, PartialEq, Serialize, Default)]
pub struct HealthScore {
    /// Claims in all.
    pub total_claims: u64,
    /// Claims that hold.
    pub verified: u64,
    /// Claims that do not hold any more.
    pub drifted: u64,
    /// Claims that nobody can tell of.
    pub uncertain: u64,
    /// Claims that nobody has looked at.
    pub pending: u64,
    /// Claims that do not hold and that somebody waived.
    pub suppressed: u64,
    /// `verified / (verified + drifted)`; `None` when both are 0.
    pub score: Option<f64>,
    /// The same for each file.
    pub by_file: BTreeMap<String, FileHealth>,
    /// How many claims there are of each type.
    pub by_type: BTreeMap<String, u64>,
    /// At most five files with drifted claims, the most drifted first.
    pub hotspots: Vec<String>,
}

/// How a file stands.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Default)]
pub struct FileHealth {
    /// Claims in all.
    pub total: u64,
    /// Claims that hold.
    pub verified: u64,
    /// Claims that do not hold any more.
    pub drifted: u64,
    /// Claims that nobody can tell of.
    pub uncertain: u64,
    /// Claims that nobody has looked at.
    pub pending: u64,
    /// Claims that do not hold and that somebody waived.
    pub suppressed: u64,
}

impl HealthScore {
    /// How these files stand together; they come in the order of their paths.
    pub(crate) fn of<'a>(files: impl IntoIterator<Item = (&'a String, &'a FileTally)>) -> Self {
        let mut all = Self::default();
        let mut drifted: Vec<(&String, u64)> = Vec::new();
        for (name, file) in files {
            let health = &file.health;
            all.total_claims += health.total;
            all.verified += health.verified;
            all.drifted += health.drifted;
            all.uncertain += health.uncertain;
            all.pending += health.pending;
            all.suppressed += health.suppressed;
            for (kind, count) in &file.by_type {
                match all.by_type.get_mut(kind) {
                    Some(sum) => *sum += count,
                    None => drop(all.by_type.insert(kind.clone(), *count)),
                }
            }
            if health.drifted > 0 {
                drifted.push((name, health.drifted));
            }
            all.by_file.insert(name.clone(), health.clone());
        }
        let judged = all.verified + all.drifted;
        all.score = (judged > 0).then(|| all.verified as f64 / judged as f64);
        // Stable, so that files with as many stay in the order of their paths.
        drifted.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
        all.hotspots = drifted.into_iter().take(HOTSPOTS).map(|(file, _)| file.clone()).collect();
        all
    }
}

#[cfg(test)]
mod tests {
    use docent_index::health::{HealthCount, Status};

    use super::*;
    use crate::tally::Tally;

    fn score(counts: Vec<HealthCount>) -> HealthScore {
        Tally::new(1, counts).all()
    }

    fn count(file: &str, kind: &str, status: Status, is_suppressed: bool, count: u64) -> HealthCount {
        let (source_file, claim_type) = (file.to_owned(), kind.to_owned());
        HealthCount { source_file, claim_type, status, is_suppressed, count, last_verified_at: None }
    }

    #[test]
    fn the_score_is_the_share_of_what_was_judged() {
        let score = score(vec![
            count("a.md", "command", Status::Verified, false, 9),
            count("a.md", "path_reference", Status::Drifted, false, 2),
            count("a.md", "path_reference", Status::Uncertain, false, 1),
            count("b.md", "command", Status::Pending, false, 4),
            count("b.md", "command", Status::Drifted, true, 3),
        ]);
        assert_eq!(score.score, Some(9.0 / 11.0));
        assert_eq!((score.total_claims, score.pending, score.suppressed), (19, 4, 3));
        assert_eq!((score.by_type["command"], score.by_type["path_reference"]), (16, 3));
        assert_eq!((score.by_file["b.md"].total, score.by_file["b.md"].drifted), (7, 0));
        assert_eq!(score.hotspots, ["a.md"]);
    }

    #[test]
    fn without_anything_judged_there_is_no_score() {
        assert_eq!(score(vec![count("a.md", "command", Status::Pending, false, 3)]).score, None);
        assert_eq!(score(vec![]).score, None);
    }

    #[test]
    fn hotspots_are_five_files_with_drift_by_number_then_by_path() {
        let file = |name: &str, number| count(name, "command", Status::Drifted, false, number);
        let counts = [file("f", 1), file("b", 2), file("a", 2), file("c", 9), file("e", 1), file("d", 1)];
        let fine = count("g", "command", Status::Verified, false, 50);
        let counts: Vec<HealthCount> = counts.into_iter().chain([fine]).collect();
        assert_eq!(score(counts).hotspots, ["c", "a", "b", "d", "e"]);
    }
}
