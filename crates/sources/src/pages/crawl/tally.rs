//! What happened in a crawl, told to a person at its end.

use std::collections::BTreeSet;

use crate::pages::CrawlLimits;
use crate::pages::address::PageAddress;

/// Addresses of one kind that are counted, and how many of the dead ones are named.
const MOST_COUNTED: usize = 2_000;
const MOST_NAMED: usize = 5;

/// Addresses, each counted once, up to a number that nobody counts beyond.
#[derive(Default)]
pub(super) struct Addresses(BTreeSet<String>);

impl Addresses {
    pub(super) fn insert(&mut self, address: &PageAddress) {
        if self.0.len() < MOST_COUNTED {
            self.0.insert(address.to_string());
        }
    }

    pub(super) fn retain(&mut self, is_kept: impl Fn(&str) -> bool) {
        self.0.retain(|address| is_kept(address));
    }

    fn count(&self) -> String {
        match self.0.len() {
            MOST_COUNTED => format!("{MOST_COUNTED} or more"),
            count => count.to_string(),
        }
    }
}

/// Counts of pages by what became of them.
#[derive(Default)]
pub(super) struct Tally {
    /// Given to the caller, those that did not come included.
    pub(super) handed: usize,
    pub(super) by_robots: usize,
    /// `noindex`.
    pub(super) by_page: usize,
    pub(super) outside: usize,
    pub(super) same: usize,
    /// Links to outside.
    pub(super) elsewhere: Addresses,
    /// Links that pages ask not to follow.
    pub(super) unfollowed: Addresses,
    /// Pictures, archives and the like.
    pub(super) no_documents: Addresses,
    /// Links to what is not there.
    pub(super) dead: Addresses,
    /// Found and not asked for.
    pub(super) waiting: usize,
    pub(super) is_too_deep: bool,
    pub(super) is_full: bool,
    pub(super) has_variants: bool,
    pub(super) has_cut: bool,
}

impl Tally {
    /// What of it is worth telling.
    pub(super) fn notes(&self, limits: &CrawlLimits) -> Vec<String> {
        let CrawlLimits { max_pages, max_depth, .. } = limits;
        let counts = [
            ("pages left out by robots.txt", self.by_robots),
            ("pages that ask not to be kept (noindex)", self.by_page),
            ("pages that are the same as others", self.same),
            ("pages that redirect to outside of what is crawled", self.outside),
        ];
        let counted = counts.into_iter().filter(|(_, count)| *count > 0);
        let mut notes: Vec<String> = counted.map(|(what, count)| format!("{what}: {count}")).collect();
        let left_out = [
            ("links to outside of what is crawled, not followed", &self.elsewhere),
            ("links that pages ask not to follow (nofollow)", &self.unfollowed),
            ("pictures and other files that are no documents, left out", &self.no_documents),
        ];
        let left_out = left_out.into_iter().filter(|(_, addresses)| !addresses.0.is_empty());
        notes.extend(left_out.map(|(what, addresses)| format!("{what}: {}", addresses.count())));
        if !self.dead.0.is_empty() {
            let named: Vec<&str> = self.dead.0.iter().take(MOST_NAMED).map(String::as_str).collect();
            let more = if self.dead.0.len() > MOST_NAMED { ", …" } else { "" };
            notes.push(format!(
                "links to pages that are not there: {} ({}{more})",
                self.dead.count(),
                named.join(", ")
            ));
        }
        let mut note = |applies: bool, text: String| notes.extend(applies.then_some(text));
        let waiting = self.waiting;
        note(
            waiting > 0,
            format!("the limit of {max_pages} pages is reached; addresses that are left: {waiting}"),
        );
        note(self.is_too_deep, format!("pages that are more steps away than {max_depth} are left out"));
        note(self.is_full, "there are more addresses than are remembered; some are left out".to_owned());
        note(self.has_variants, "of pages that differ only in their query 50 each are asked for".to_owned());
        note(self.has_cut, "of a page with very many links only the first are followed".to_owned());
        notes
    }
}
