//! The pages below an address, one after the other.
//!
//! Breadth first: the first page, what `llms.txt` lists, what the sitemap lists, then what the pages link to. [`scope`] says
//! what belongs to it, [`robots`] what the site does not want to be fetched, [`frontier`] what is still to be asked; all of them are
//! bounded, so a site without end costs no more than a large one.

mod frontier;
mod had;
mod lists;
mod pace;
mod robots;
mod scope;
mod site;
mod sitemap;
mod tally;

use std::cell::Cell;

use frontier::{Frontier, Next};
use had::Had;
use pace::Pace;
#[cfg(test)]
pub(super) use robots::Robots;
use scope::Scope;
use site::Site;
#[cfg(test)]
pub(super) use sitemap::Sitemap;
use tally::Tally;

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
    known: &dyn Fn(&str) -> Option<PageValidators>,
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
    known: &'a dyn Fn(&str) -> Option<PageValidators>,
    take: &'a mut Take<'a>,
    frontier: Frontier,
    had: Had,
    tally: Tally,
    notes: Vec<String>,
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
            self.take_lists(&answered, &scope)?;
        }
        let mut goes_on = self.receive(*got, 0, &scope)?;
        let (mut asked, mut failures) = (1, 0);
        // Pages that are not handed out do not count, but there is an end to them, too.
        let most_asked = self.limits.max_pages.saturating_mul(3).saturating_add(20);
        while goes_on && self.tally.handed < self.limits.max_pages && asked < most_asked {
            let Some(next) = self.frontier.next() else { break };
            if self.had.has(&next.address) {
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
                Err((_, Some(LeftOut::Robots))) => {
                    // It was not asked for; there is an end to what is remembered.
                    asked -= 1;
                    self.tally.by_robots += 1;
                }
                Err((_, Some(LeftOut::Outside))) => self.tally.outside += 1,
                Err((not_come, None)) => {
                    let error = not_come.trouble.error;
                    if error == SourceError::cancelled() {
                        return Err(error);
                    }
                    // A page that is not there says nothing about the next.
                    let is_missing = not_come.status.is_some_and(|status| status < 500 && status != 429);
                    failures = if is_missing { 0 } else { failures + 1 };
                    // A link that leads nowhere is the fault of the page that has it, unless there was something once.
                    let is_dead = matches!(not_come.status, Some(404 | 410));
                    if is_dead && (self.known)(next.address.as_str()).is_none() {
                        self.tally.dead.insert(&next.address);
                        continue;
                    }
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
        let frontier = &self.frontier;
        self.tally.unfollowed.retain(|address| !frontier.has_seen(address));
        self.tally.is_full = self.frontier.is_full;
        self.tally.has_variants = self.frontier.has_variants;
        Ok(())
    }

    /// What the site says of its pages comes before what they link to.
    fn take_lists(&mut self, start: &PageAddress, scope: &Scope) -> Result<(), SourceError> {
        let (site, frontier, notes) = (&self.site, &mut self.frontier, &mut self.notes);
        let listed = lists::take_llms(site, scope, frontier)?;
        if listed > 0 {
            notes.push(format!("pages found through llms.txt: {listed}"));
        }
        let mapped = lists::take_sitemaps(site, start, scope, frontier, notes)?;
        if mapped > 0 {
            notes.push(format!("pages found through the sitemap: {mapped}"));
        }
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
        let known = if needs_links { None } else { (self.known)(next.address.as_str()) };
        let known = known.unwrap_or_default();
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
            self.tally.no_documents.insert(&answered);
            return Ok(true);
        }
        if !self.had.insert(&answered, &page.answered, &page.bytes) {
            self.tally.same += 1;
            return Ok(true);
        }
        self.tally.has_cut |= links.is_cut;
        for link in links.unfollowed(&answered).filter(|link| scope.contains(link)) {
            self.tally.unfollowed.insert(&link);
        }
        if !links.is_nofollow {
            for link in links.resolved(&answered) {
                if !scope.contains(&link) {
                    self.tally.elsewhere.insert(&link);
                } else if !scope::is_document(&link) {
                    self.tally.no_documents.insert(&link);
                } else if depth < self.limits.max_depth {
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
