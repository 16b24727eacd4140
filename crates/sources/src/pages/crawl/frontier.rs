//! The addresses that are still to be asked, each once, in the order in which they were found, and not without end.

use std::collections::{HashMap, HashSet, VecDeque};

use super::scope::is_document;
use crate::pages::address::PageAddress;

/// Addresses that differ only in their query. More are a calendar or a search.
const MOST_VARIANTS: u32 = 50;
/// Bytes of all addresses together.
const MOST_BYTES: usize = 16 << 20;

/// A page to ask for.
#[derive(Debug)]
pub(super) struct Next {
    pub(super) address: PageAddress,
    /// Steps from the first page.
    pub(super) depth: usize,
    /// Whether a sitemap lists it, so that its own links are not needed to find the others.
    pub(super) is_mapped: bool,
}

/// What is to be asked.
#[derive(Debug)]
pub(super) struct Frontier {
    queue: VecDeque<Next>,
    seen: HashSet<String>,
    variants: HashMap<String, u32>,
    bytes: usize,
    most: usize,
    /// Whether addresses were left out because there were too many.
    pub(super) is_full: bool,
    /// Whether addresses were left out that differ only in their query.
    pub(super) has_variants: bool,
}

impl Frontier {
    /// Room for at most so many addresses.
    pub(super) fn new(most: usize) -> Self {
        Self {
            queue: VecDeque::new(),
            seen: HashSet::new(),
            variants: HashMap::new(),
            bytes: 0,
            most,
            is_full: false,
            has_variants: false,
        }
    }

    /// Whether an address came up.
    pub(super) fn has_seen(&self, address: &str) -> bool {
        self.seen.contains(address)
    }

    /// Whether an address has not come up yet and may be a page.
    pub(super) fn is_new(&self, address: &PageAddress) -> bool {
        !self.seen.contains(address.as_str()) && is_document(address)
    }

    /// Puts an address at the end, if it is new; says whether it was taken.
    pub(super) fn offer(&mut self, address: PageAddress, depth: usize, is_mapped: bool) -> bool {
        if !self.is_new(&address) {
            return false;
        }
        let text = address.as_str();
        if self.seen.len() >= self.most || self.bytes + text.len() > MOST_BYTES {
            self.is_full = true;
            return false;
        }
        if text.contains('?') {
            let variants = self.variants.entry(address.path().to_owned()).or_default();
            *variants += 1;
            if *variants > MOST_VARIANTS {
                self.has_variants = true;
                return false;
            }
        }
        self.mark(&address);
        self.queue.push_back(Next { address, depth, is_mapped });
        true
    }

    /// Remembers an address as one that needs not be asked any more.
    pub(super) fn mark(&mut self, address: &PageAddress) {
        if self.seen.insert(address.as_str().to_owned()) {
            self.bytes += address.as_str().len();
        }
    }

    pub(super) fn next(&mut self) -> Option<Next> {
        self.queue.pop_front()
    }

    /// Addresses that wait.
    pub(super) fn len(&self) -> usize {
        self.queue.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn offer(frontier: &mut Frontier, path: &str) -> bool {
        frontier.offer(PageAddress::parse(&format!("https://x.org/{path}")).unwrap(), 1, false)
    }

    #[test]
    fn addresses_come_once_and_in_order() {
        let mut frontier = Frontier::new(100);
        assert!(offer(&mut frontier, "a"));
        assert!(!offer(&mut frontier, "a#b"));
        assert!(!offer(&mut frontier, "a.png"));
        assert!(offer(&mut frontier, "b"));
        assert_eq!(frontier.next().unwrap().address.path(), "/a");
        assert!(!offer(&mut frontier, "a"));
        assert_eq!(frontier.next().unwrap().address.path(), "/b");
        assert!(frontier.next().is_none());
    }

    #[test]
    fn there_is_no_end_of_room() {
        let mut frontier = Frontier::new(100);
        let taken = (0..1000).filter(|number| offer(&mut frontier, &format!("p?{number}"))).count();
        assert_eq!(taken, 50);
        assert!(frontier.has_variants);
        let taken = (0..1000).filter(|number| offer(&mut frontier, &number.to_string())).count();
        assert_eq!(taken, 50);
        assert!(frontier.is_full);
        let mut frontier = Frontier::new(100_000);
        let long = "a".repeat(4000);
        let taken = (0..10_000).filter(|number| offer(&mut frontier, &format!("{long}{number}"))).count();
        assert!((1000..5000).contains(&taken), "{taken}");
    }
}
