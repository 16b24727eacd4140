//! How the files of a repository stand, counted once after each verification: whatever is asked is a sum of these.

use std::collections::BTreeMap;
use std::ops::Bound;

use docent_index::health::{HealthCount, Status};

use crate::score::{FileHealth, HealthScore};

/// How every file of the repository stands at one moment.
#[derive(Debug, Default)]
pub(crate) struct Tally {
    pub(crate) generation: u64,
    files: BTreeMap<String, FileTally>,
}

/// How a file stands.
#[derive(Debug, Default)]
pub(crate) struct FileTally {
    pub(crate) health: FileHealth,
    pub(crate) by_type: BTreeMap<String, u64>,
    last_verified: Option<i64>,
}

/// A file that an agent should be careful with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StaleFile {
    /// The file.
    pub file: String,
    /// Claims that do not hold any more.
    pub drifted_claims: u64,
    /// Claims that nobody can tell of.
    pub uncertain_claims: u64,
    /// When one of its claims was last looked at; `None` for never.
    pub last_verified: Option<i64>,
}

impl Tally {
    pub(crate) fn new(generation: u64, counts: Vec<HealthCount>) -> Self {
        let mut files: BTreeMap<String, FileTally> = BTreeMap::new();
        for row in counts {
            let file = files.entry(row.source_file).or_default();
            let health = &mut file.health;
            let counted = match row.status {
                Status::Verified => &mut health.verified,
                _ if row.is_suppressed => &mut health.suppressed,
                Status::Drifted => &mut health.drifted,
                Status::Uncertain => &mut health.uncertain,
                Status::Pending => &mut health.pending,
            };
            *counted += row.count;
            health.total += row.count;
            *file.by_type.entry(row.claim_type).or_default() += row.count;
            file.last_verified = file.last_verified.max(row.last_verified_at);
        }
        Self { generation, files }
    }

    /// How all files stand together.
    pub(crate) fn all(&self) -> HealthScore {
        HealthScore::of(&self.files)
    }

    /// How a file stands; where there is none of that name, the files below the folder. `None` when there are none.
    pub(crate) fn below(&self, path: &str) -> Option<HealthScore> {
        if let Some(entry) = self.files.get_key_value(path) {
            return Some(HealthScore::of([entry]));
        }
        // Whole components only: `0` comes after `/`.
        let (first, after) = (format!("{path}/"), format!("{path}0"));
        let bounds = (Bound::Excluded(first.as_str()), Bound::Excluded(after.as_str()));
        let mut below = self.files.range::<str, _>(bounds).peekable();
        below.peek().is_some().then(|| HealthScore::of(below))
    }

    /// Files with drifted or uncertain claims, and those last looked at before `before` or never; the worst first.
    pub(crate) fn stale(&self, before: i64, max: usize) -> Vec<StaleFile> {
        let is_stale = |file: &FileTally| {
            file.health.drifted > 0
                || file.health.uncertain > 0
                || file.last_verified.is_none_or(|last| last < before)
        };
        let mut stale: Vec<(&String, &FileTally)> =
            self.files.iter().filter(|(_, file)| is_stale(file)).collect();
        // Stable, so that what is equally bad stays in the order of its path; never comes before any time.
        stale.sort_by_key(|(_, file)| {
            (u64::MAX - file.health.drifted, u64::MAX - file.health.uncertain, file.last_verified)
        });
        let show = |(name, file): (&String, &FileTally)| StaleFile {
            file: name.clone(),
            drifted_claims: file.health.drifted,
            uncertain_claims: file.health.uncertain,
            last_verified: file.last_verified,
        };
        stale.into_iter().take(max).map(show).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BEFORE: i64 = 1000;

    fn tally(rows: &[(&str, Status, bool, u64, Option<i64>)]) -> Tally {
        let count =
            |&(file, status, is_suppressed, count, last_verified_at): &(&str, _, _, _, _)| HealthCount {
                source_file: file.to_owned(),
                claim_type: "command".to_owned(),
                status,
                is_suppressed,
                count,
                last_verified_at,
            };
        Tally::new(1, rows.iter().map(count).collect())
    }

    #[test]
    fn a_folder_is_whole_components_and_a_file_wins() {
        let fine = |file| (file, Status::Verified, false, 1, Some(BEFORE));
        let names =
            ["docs", "docs-old/a.md", "docs/a.md", "docs2/a.md", "x/docs/a.md", "x/doc/b/c.md", "x/doc0"];
        let tally = tally(&names.map(fine));
        let check = |path: &str, expected: Option<&[&str]>| {
            let found = tally.below(path).map(|score| score.by_file.into_keys().collect::<Vec<_>>());
            assert_eq!(
                found.as_deref(),
                expected
                    .map(|names| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>())
                    .as_deref(),
                "{path}"
            );
        };
        check("docs", Some(&["docs"]));
        check("x", Some(&["x/doc/b/c.md", "x/doc0", "x/docs/a.md"]));
        check("x/doc", Some(&["x/doc/b/c.md"]));
        check("docs-old", Some(&["docs-old/a.md"]));
        check("doc", None);
        check("d%", None);
        assert_eq!(tally.all().by_file.len(), 7);
    }

    #[test]
    fn the_worst_files_come_first_and_waived_claims_do_not_count() {
        let now = Some(BEFORE);
        let tally = tally(&[
            ("fine.md", Status::Verified, false, 9, now),
            ("waived.md", Status::Drifted, true, 9, now),
            ("one.md", Status::Drifted, false, 1, now),
            ("three.md", Status::Drifted, false, 3, now),
            ("also-three.md", Status::Drifted, false, 3, now),
            ("unclear.md", Status::Uncertain, false, 7, now),
            ("old.md", Status::Verified, false, 1, Some(BEFORE - 1)),
            ("never.md", Status::Pending, false, 1, None),
            ("half.md", Status::Pending, false, 1, None),
            ("half.md", Status::Verified, false, 1, now),
        ]);
        let names = |max| tally.stale(BEFORE, max).into_iter().map(|row| row.file).collect::<Vec<_>>();
        let expected = ["also-three.md", "three.md", "one.md", "unclear.md", "never.md", "old.md"];
        assert_eq!(names(10), expected);
        assert_eq!(names(2), expected[..2]);
        let first = &tally.stale(BEFORE, 1)[0];
        assert_eq!((first.drifted_claims, first.uncertain_claims, first.last_verified), (3, 0, now));
    }
}
