//! What became of something that a document names.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use super::report::Fate;
use crate::extract::extract;
use crate::repo::Repository;
use crate::{Claim, ClaimType};

/// Documents as they became.
pub(super) struct Fates {
    repository: Repository,
    versions: HashMap<String, Vec<(usize, String)>>,
    read: Mutex<HashMap<String, Arc<Version>>>,
}

struct Version {
    text: String,
    /// What it names.
    named: OnceLock<HashSet<(ClaimType, String)>>,
}

impl Fates {
    pub(super) fn new(repository: &Repository, versions: HashMap<String, Vec<(usize, String)>>) -> Self {
        Self { repository: repository.clone(), versions, read: Mutex::default() }
    }

    /// What became of a claim of a document that had this text, `newer` commits ago.
    pub(super) fn of(&self, claim: &Claim, text: &str, newer: usize) -> Fate {
        let section = section(text, claim.span.start).trim();
        let versions = self.versions.get(&claim.file).map_or(&[][..], Vec::as_slice);
        let later = versions.iter().rev().filter(|(at, _)| *at <= newer).take(MOST_VERSIONS);
        for version in later.filter_map(|(_, id)| self.read(id)) {
            if version.text.contains(section) {
                continue;
            }
            let extracted = || extract(&claim.file, &version.text).into_iter();
            let named = version
                .named
                .get_or_init(|| extracted().map(|claim| (claim.claim_type, claim.named)).collect());
            let is_left = named.contains(&(claim.claim_type, claim.named.clone()));
            return if is_left { Fate::Unconfirmed } else { Fate::Confirmed };
        }
        Fate::Open
    }

    fn read(&self, id: &str) -> Option<Arc<Version>> {
        if let Some(known) = self.read.lock().unwrap_or_else(PoisonError::into_inner).get(id) {
            return Some(Arc::clone(known));
        }
        let text = String::from_utf8_lossy(&self.repository.blob(id)?).into_owned();
        let version = Arc::new(Version { text, named: OnceLock::new() });
        let mut known = self.read.lock().unwrap_or_else(PoisonError::into_inner);
        known.insert(id.to_owned(), Arc::clone(&version));
        Some(version)
    }
}

/// So many versions of a document are looked through for the next edit of a section.
const MOST_VERSIONS: usize = 200;

/// The lines around a place, from a heading to the next.
fn section(text: &str, at: usize) -> &str {
    let is_heading = |start: usize| text.get(start..).is_some_and(|rest| rest.starts_with('#'));
    let starts = || std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1));
    let from = starts().take_while(|start| *start <= at).filter(|start| is_heading(*start)).last();
    let to = starts().find(|start| *start > at && is_heading(*start));
    text.get(from.unwrap_or(0)..to.unwrap_or(text.len())).unwrap_or(text)
}

#[cfg(test)]
mod tests {
    use super::section;

    #[test]
    fn a_section_reaches_from_heading_to_heading() {
        let text = "a\n# B\nc\n## D\ne";
        assert_eq!(section(text, 0), "a\n");
        assert_eq!(section(text, 6), "# B\nc\n");
        assert_eq!(section(text, text.len() - 1), "## D\ne");
        assert_eq!(section("", 0), "");
    }
}
