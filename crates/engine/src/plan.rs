//! What has to be done so that the index says what the folder says. A pure function: decided here, done in `ingest`.

use std::collections::BTreeMap;

use docent_index::FileStat;

/// The work, by path. Everything not named is up to date.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Plan {
    /// New or possibly changed: read them.
    pub read: Vec<String>,
    /// Known and no longer there.
    pub delete: Vec<String>,
}

impl Plan {
    /// Whether there is nothing to do.
    pub fn is_empty(&self) -> bool {
        self.read.is_empty() && self.delete.is_empty()
    }

    /// Number of files concerned.
    pub fn len(&self) -> usize {
        self.read.len() + self.delete.len()
    }
}

/// Compares what the index knows of a source (documents and failures alike) with what the folder has.
pub fn plan(known: &BTreeMap<String, FileStat>, found: &BTreeMap<String, FileStat>) -> Plan {
    let read = found
        .iter()
        .filter(|(path, now)| known.get(*path).is_none_or(|then| !then.proves_unchanged(now)))
        .map(|(path, _)| path.clone())
        .collect();
    let delete = known.keys().filter(|path| !found.contains_key(*path)).cloned().collect();
    Plan { read, delete }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn files(entries: &[(&str, u64)]) -> BTreeMap<String, FileStat> {
        let stat = |size| FileStat { size, mtime_ns: 1, ctime_ns: 1, inode: 1, settled: true };
        entries.iter().map(|&(path, size)| (path.to_owned(), stat(size))).collect()
    }

    fn check(known: &[(&str, u64)], found: &[(&str, u64)], read: &[&str], delete: &[&str]) {
        let plan = plan(&files(known), &files(found));
        assert_eq!(plan.read, read);
        assert_eq!(plan.delete, delete);
    }

    #[test]
    fn new_files_are_read() {
        check(&[], &[("a.md", 1)], &["a.md"], &[]);
    }

    #[test]
    fn changed_files_are_read() {
        check(&[("a.md", 1), ("b.md", 1)], &[("a.md", 2), ("b.md", 1)], &["a.md"], &[]);
    }

    #[test]
    fn missing_files_are_deleted() {
        check(&[("a.md", 1)], &[], &[], &["a.md"]);
    }

    #[test]
    fn a_file_read_right_after_its_change_is_read_again() {
        let mut known = files(&[("a.md", 1)]);
        known.get_mut("a.md").unwrap().settled = false;
        assert_eq!(plan(&known, &files(&[("a.md", 1)])).read, ["a.md"]);
    }
}
