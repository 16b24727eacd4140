//! What happened in a crawl, told to a person at its end.

use crate::pages::CrawlLimits;

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
    pub(super) others: usize,
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
            ("files that are no documents", self.others),
        ];
        let counted = counts.into_iter().filter(|(_, count)| *count > 0);
        let mut notes: Vec<String> = counted.map(|(what, count)| format!("{what}: {count}")).collect();
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
