//! The pages below an address, one after the other.
//!
//! Breadth first: the first page, what `llms.txt` lists, what the sitemap lists, then what the pages link to. [`scope`] says
//! what belongs to it, [`robots`] what the site does not want to be fetched, [`frontier`] what is still to be asked; all of them are
//! bounded, so a site without end costs no more than a large one.

mod frontier;
mod lists;
mod pace;
mod robots;
mod scope;
mod site;
mod sitemap;

use std::cell::Cell;
use std::collections::{HashMap, HashSet};

use frontier::{Frontier, Next};
use pace::Pace;
#[cfg(test)]
pub(super) use robots::Robots;
use scope::{Scope, twin_key};
use site::Site;
#[cfg(test)]
pub(super) use sitemap::Sitemap;

use super::address::PageAddress;
use super::client::PageClient;
use super::fetch::{Errand, Got, GotPage};
use super::hops::NotCome;
use super::{CrawlLimits, PageReply, PageValidators};
use crate::SourceError;

/// After so many pages in a row on which the server failed, the rest is not asked for.
const MOST_FAILURES: usize = 10;

/// Takes a page, or why it did not come; `false` ends the crawl.
type Take<'a> = dyn FnMut(&str, Result<PageReply, SourceError>) -> bool + 'a;

/// Crawls with a client; see [`super::crawl`].
pub(super) fn crawl_with(
    client: &PageClient,
    start: &str,
    limits: &CrawlLimits,
    known: &dyn Fn(&str) -> PageValidators,
    take: &mut Take<'_>,
    is_cancelled: &dyn Fn() -> bool,
) -> Result<Vec<String>, SourceError> {
    let start = PageAddress::parse(start)?;
    start.check(&client.rules)?;
    let room = limits.max_pages.saturating_mul(20).clamp(1_000, 100_000);
    let mut crawl = Crawl {
        site: Site::new(client, Pace::new(limits.per_second), is_cancelled),
        limits,
        known,
        take,
        frontier: Frontier::new(room),
        had: Had::default(),
        tally: Tally::default(),
        notes: Vec::new(),
    };
    crawl.run(start)?;
    let Crawl { tally, mut notes, .. } = crawl;
    notes.extend(tally.notes(limits));
    Ok(notes)
}

struct Crawl<'a> {
    site: Site<'a>,
    limits: &'a CrawlLimits,
    known: &'a dyn Fn(&str) -> PageValidators,
    take: &'a mut Take<'a>,
    frontier: Frontier,
    had: Had,
    tally: Tally,
    notes: Vec<String>,
}

/// Pages that came, in all ways in which the same page can come again.
#[derive(Default)]
struct Had {
    answered: HashSet<String>,
    contents: HashSet<blake3::Hash>,
    twins: HashMap<String, bool>,
}

/// What happened, for the notes.
#[derive(Default)]
struct Tally {
    handed: usize,
    by_robots: usize,
    by_page: usize,
    outside: usize,
    same: usize,
    others: usize,
    waiting: usize,
    is_too_deep: bool,
    is_full: bool,
    has_variants: bool,
    has_cut: bool,
}

/// Why a page was not followed to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum LeftOut {
    Robots,
    Outside,
}

impl Crawl<'_> {
    fn run(&mut self, start: PageAddress) -> Result<(), SourceError> {
        let first = Next { address: start, depth: 0, is_mapped: false };
        let got = match self.fetch(&first, None) {
            Ok(Got::Page(got)) => got,
            // Nothing can be known of its links.
            Ok(Got::NotModified) => {
                return self.hand(first.address.as_str(), Ok(PageReply::NotModified)).map(drop);
            }
            Err((not_come, _)) => return Err(not_come.trouble.error),
        };
        let scope = Scope::of(&got.answered);
        let answered = got.answered.clone();
        self.frontier.mark(&first.address);
        self.frontier.mark(&answered);
        if self.limits.max_depth > 0 && self.limits.max_pages > 1 {
            let listed = lists::take_llms(&self.site, &scope, &mut self.frontier)?;
            if listed > 0 {
                self.notes.push(format!("llms.txt lists {listed} pages"));
            }
            let (frontier, notes) = (&mut self.frontier, &mut self.notes);
            let mapped = lists::take_sitemaps(&self.site, &answered, &scope, frontier, notes)?;
            if mapped > 0 {
                self.notes.push(format!("the sitemap lists {mapped} more pages"));
            }
        }
        let mut goes_on = self.receive(*got, 0, &scope)?;
        let (mut asked, mut failures) = (1, 0);
        // Pages that are not handed out do not count, but there is an end to them, too.
        let most_asked = self.limits.max_pages.saturating_mul(3).saturating_add(20);
        while goes_on && self.tally.handed < self.limits.max_pages && asked < most_asked {
            let Some(next) = self.frontier.next() else { break };
            if self.had.has_twin(&next.address) || self.had.answered.contains(next.address.as_str()) {
                self.tally.same += 1;
                continue;
            }
            asked += 1;
            match self.fetch(&next, Some(&scope)) {
                Ok(Got::NotModified) => {
                    failures = 0;
                    goes_on = self.hand(next.address.as_str(), Ok(PageReply::NotModified))?;
                }
                Ok(Got::Page(got)) => {
                    failures = 0;
                    goes_on = self.receive(*got, next.depth, &scope)?;
                }
                Err((_, Some(LeftOut::Robots))) => self.tally.by_robots += 1,
                Err((_, Some(LeftOut::Outside))) => self.tally.outside += 1,
                Err((not_come, None)) => {
                    let error = not_come.trouble.error;
                    if error == SourceError::cancelled() {
                        return Err(error);
                    }
                    // A page that is not there says nothing about the next.
                    let is_missing = not_come.status.is_some_and(|status| status < 500 && status != 429);
                    failures = if is_missing { 0 } else { failures + 1 };
                    goes_on = self.hand(next.address.as_str(), Err(error))?;
                    if failures == MOST_FAILURES {
                        self.notes.push(format!(
                            "ended after {MOST_FAILURES} pages in a row on which the server failed"
                        ));
                        goes_on = false;
                    }
                }
            }
        }
        self.tally.waiting = if goes_on { self.frontier.len() } else { 0 };
        self.tally.is_full = self.frontier.is_full;
        self.tally.has_variants = self.frontier.has_variants;
        Ok(())
    }

    /// Asks for a page; an error may say that it was left out rather than that it failed.
    fn fetch(&self, next: &Next, scope: Option<&Scope>) -> Result<Got, (NotCome, Option<LeftOut>)> {
        let left_out = Cell::new(None);
        let leave_out = |page: &PageAddress, why: LeftOut| {
            left_out.set(Some(why));
            let (message, hint) = match why {
                LeftOut::Robots => (
                    format!("robots.txt of the server asks not to fetch {page}"),
                    "ask whoever runs it, or ingest single pages by their addresses",
                ),
                LeftOut::Outside => (format!("{page} is outside of what is crawled"), "crawl it by itself"),
            };
            Err(SourceError::failed(message, hint))
        };
        let admit = |page: &PageAddress| {
            if scope.is_some_and(|scope| !scope.contains(page)) {
                return leave_out(page, LeftOut::Outside);
            }
            if !self.site.allows(page)? {
                return leave_out(page, LeftOut::Robots);
            }
            self.site.pace.wait(self.site.is_cancelled)
        };
        // Of a page that did not change the links are not known, so it is asked whether it did only if they are not needed.
        let needs_links = next.depth < self.limits.max_depth && !next.is_mapped;
        let known = if needs_links { PageValidators::default() } else { (self.known)(next.address.as_str()) };
        let errand = Errand {
            client: self.site.client,
            address: &next.address,
            known: &known,
            admit: &admit,
            is_cancelled: self.site.is_cancelled,
        };
        let got = self.site.patiently(|| {
            left_out.set(None);
            errand.run()
        });
        got.map_err(|not_come| (not_come, left_out.get()))
    }

    /// Hands a page out and goes on to its links, unless it came before or asks not to.
    fn receive(&mut self, got: GotPage, depth: usize, scope: &Scope) -> Result<bool, SourceError> {
        let GotPage { mut page, answered, links } = got;
        self.frontier.mark(&answered);
        let is_other = ["image/", "video/", "audio/", "font/"]
            .iter()
            .any(|kind| page.content_type.as_deref().is_some_and(|known| known.starts_with(kind)));
        if is_other {
            self.tally.others += 1;
            return Ok(true);
        }
        if !self.had.insert(&answered, &page.answered, &page.bytes) {
            self.tally.same += 1;
            return Ok(true);
        }
        self.tally.has_cut |= links.is_cut;
        if !links.is_nofollow {
            for link in links.resolved(&answered).filter(|link| scope.contains(link)) {
                if depth < self.limits.max_depth {
                    self.frontier.offer(link, depth + 1, false);
                } else {
                    self.tally.is_too_deep |= self.frontier.is_new(&link);
                }
            }
        }
        if links.is_noindex {
            self.tally.by_page += 1;
            return Ok(true);
        }
        // Its name is where it is, not the way that led there: other ways lead to the same name.
        page.source = answered.to_string();
        self.hand(answered.as_str(), Ok(PageReply::Page(Box::new(page))))
    }

    fn hand(&mut self, page: &str, reply: Result<PageReply, SourceError>) -> Result<bool, SourceError> {
        if (self.site.is_cancelled)() {
            return Err(SourceError::cancelled());
        }
        self.tally.handed += 1;
        Ok((self.take)(page, reply))
    }
}

impl Had {
    /// Remembers a page; `false` if it is one that came before.
    fn insert(&mut self, page: &PageAddress, from: &str, bytes: &[u8]) -> bool {
        let is_new = self.answered.insert(from.to_owned()) && self.contents.insert(blake3::hash(bytes));
        self.answered.insert(page.to_string());
        let (key, is_markdown) = twin_key(page);
        self.twins.entry(key.to_owned()).or_insert(is_markdown);
        is_new
    }

    /// Whether the same page came as Markdown or, if this is the Markdown, as a page.
    fn has_twin(&self, page: &PageAddress) -> bool {
        let (key, is_markdown) = twin_key(page);
        self.twins.get(key).is_some_and(|twin| *twin != is_markdown)
    }
}

impl Tally {
    fn notes(&self, limits: &CrawlLimits) -> Vec<String> {
        let mut notes = Vec::new();
        let mut note = |applies: bool, text: String| notes.extend(applies.then_some(text));
        let pages = |count: usize| if count == 1 { "1 page".to_owned() } else { format!("{count} pages") };
        note(self.by_robots > 0, format!("robots.txt leaves out {}", pages(self.by_robots)));
        note(self.by_page > 0, format!("{} ask not to be kept (noindex)", pages(self.by_page)));
        note(self.same > 0, format!("{} are the same as others", pages(self.same)));
        note(self.outside > 0, format!("{} redirect to outside of what is crawled", pages(self.outside)));
        note(self.others > 0, format!("{} are no documents", pages(self.others)));
        note(
            self.waiting > 0,
            format!(
                "the limit of {} is reached; at least {} more are known",
                pages(limits.max_pages),
                self.waiting
            ),
        );
        note(self.is_too_deep, format!("pages more than {} steps away are left out", limits.max_depth));
        note(self.is_full, "there are more addresses than are remembered; some are left out".to_owned());
        note(self.has_variants, "of pages that differ only in their query 50 each are asked for".to_owned());
        note(self.has_cut, "of a page with very many links only the first are followed".to_owned());
        notes
    }
}
