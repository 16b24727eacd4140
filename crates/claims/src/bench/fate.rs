//! What became of something that a document names.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use super::report::Fate;
use crate::extract::extract;
use crate::repo::Repository;
use crate::{Claim, ClaimType};

/// Documents as they are today.
pub(super) struct Fates {
    repository: Repository,
    entries: HashMap<String, String>,
    today: Mutex<HashMap<String, Arc<Today>>>,
}

struct Today {
    text: String,
    /// What it names.
    named: Vec<(ClaimType, String)>,
}

impl Fates {
    pub(super) fn new(repository: &Repository) -> Self {
        let listing = repository.head().and_then(|head| repository.tree(head).ok()).unwrap_or_default();
        let entries = listing.entries.into_iter().map(|(path, (_, id))| (path, id)).collect();
        Self { repository: repository.clone(), entries, today: Mutex::default() }
    }

    /// What became of a claim of a document that had this text.
    pub(super) fn of(&self, claim: &Claim, text: &str) -> Fate {
        let Some(today) = self.today(&claim.file) else { return Fate::Open };
        let is_named =
            today.named.iter().any(|(kind, named)| *kind == claim.claim_type && *named == claim.named);
        if !is_named {
            return Fate::Confirmed;
        }
        let section = section(text, claim.span.start);
        if today.text.contains(section.trim()) { Fate::Open } else { Fate::Unconfirmed }
    }

    fn today(&self, path: &str) -> Option<Arc<Today>> {
        if let Some(known) = self.today.lock().unwrap_or_else(PoisonError::into_inner).get(path) {
            return Some(Arc::clone(known));
        }
        let bytes = self.repository.blob(self.entries.get(path)?)?;
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let named = extract(path, &text).into_iter().map(|claim| (claim.claim_type, claim.named)).collect();
        let today = Arc::new(Today { text, named });
        let mut known = self.today.lock().unwrap_or_else(PoisonError::into_inner);
        known.insert(path.to_owned(), Arc::clone(&today));
        Some(today)
    }
}

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
