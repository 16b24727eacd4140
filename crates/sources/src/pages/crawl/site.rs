//! Asks a site for things on behalf of a crawl: at its pace, as its `robots.txt` allows, and again when it says that it is busy.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;
use std::time::{Duration, Instant};

use super::pace::{self, Pace};
use super::robots::{self, Robots};
use crate::SourceError;
use crate::pages::PageValidators;
use crate::pages::address::{PageAddress, not_public};
use crate::pages::client::PageClient;
use crate::pages::fetch::media_type;
use crate::pages::hops::{self, Came, Content, NotCome, Wanted};

/// How often a busy server is asked again, and the longest time that it may ask us to wait.
const REPETITIONS: u32 = 2;
const LONGEST_WAIT: Duration = Duration::from_secs(10);

/// Servers that are asked in one crawl.
pub(super) struct Site<'a> {
    pub(super) client: &'a PageClient,
    pub(super) pace: Pace,
    pub(super) is_cancelled: &'a dyn Fn() -> bool,
    robots: RefCell<HashMap<String, Rc<Robots>>>,
}

/// A file that is no page.
pub(super) struct Resource {
    pub(super) answered: PageAddress,
    pub(super) content_type: Option<String>,
    pub(super) bytes: Vec<u8>,
}

impl<'a> Site<'a> {
    pub(super) fn new(client: &'a PageClient, pace: Pace, is_cancelled: &'a dyn Fn() -> bool) -> Self {
        Self { client, pace, is_cancelled, robots: RefCell::default() }
    }

    /// Whether the `robots.txt` of its server lets this page be fetched.
    pub(super) fn allows(&self, page: &PageAddress) -> Result<bool, SourceError> {
        Ok(self.robots(page)?.allows(page.target()))
    }

    /// The `robots.txt` for a page, read once for each server. Where there is none everything is allowed; where there is
    /// one and it cannot be had, nothing is.
    pub(super) fn robots(&self, page: &PageAddress) -> Result<Rc<Robots>, SourceError> {
        if let Some(known) = self.robots.borrow().get(page.origin()) {
            return Ok(Rc::clone(known));
        }
        let address = page.join("/robots.txt")?;
        let robots = match self.ask(&address, robots::MOST_BYTES, true) {
            Ok(resource) => Robots::parse(&resource.bytes),
            Err(NotCome { status: Some(status), .. }) if (400..500).contains(&status) && status != 429 => {
                Robots::default()
            }
            Err(not_come) => {
                let error = not_come.trouble.error;
                if error == SourceError::cancelled() {
                    return Err(error);
                }
                if error == not_public(&address) {
                    return Err(not_public(page));
                }
                let message =
                    format!("nothing on the server is crawled, because its rules are not known: {error}");
                return Err(SourceError::failed(
                    message,
                    "try again later, or ingest single pages by their addresses",
                ));
            }
        };
        self.pace.slow_down(robots.delay);
        let robots = Rc::new(robots);
        self.robots.borrow_mut().insert(page.origin().to_owned(), Rc::clone(&robots));
        Ok(robots)
    }

    /// A file that may be there or not; `None` if it is not, or may not be had.
    pub(super) fn resource(&self, url: &str, most: u64) -> Result<Option<Resource>, SourceError> {
        let Ok(address) = PageAddress::parse(url) else { return Ok(None) };
        if !self.allows(&address)? {
            return Ok(None);
        }
        match self.ask(&address, most, false) {
            Ok(resource) if resource.answered.origin() == address.origin() => Ok(Some(resource)),
            Err(not_come) if not_come.trouble.error == SourceError::cancelled() => {
                Err(not_come.trouble.error)
            }
            _ => Ok(None),
        }
    }

    /// Does something that asks the server, again after a while if the server says that it is busy.
    pub(super) fn patiently<T>(&self, mut ask: impl FnMut() -> Result<T, NotCome>) -> Result<T, NotCome> {
        let mut repetitions = 0;
        loop {
            let not_come = match ask() {
                Err(not_come) if matches!(not_come.status, Some(429 | 503)) => not_come,
                other => return other,
            };
            let wait = not_come.retry_after.unwrap_or(Duration::from_secs(1 << repetitions));
            if repetitions == REPETITIONS || wait > LONGEST_WAIT {
                return Err(not_come);
            }
            pace::sleep(wait, self.is_cancelled)?;
            repetitions += 1;
        }
    }

    fn ask(&self, address: &PageAddress, most: u64, may_cut: bool) -> Result<Resource, NotCome> {
        self.patiently(|| {
            let wanted = Wanted {
                address,
                accept: "text/plain, application/xml;q=0.9, */*;q=0.5",
                known: &PageValidators::default(),
                most,
                may_cut,
                deadline: Instant::now() + self.client.patience.whole,
                admit: &|_| self.pace.wait(self.is_cancelled),
            };
            match hops::ask(self.client, &wanted, self.is_cancelled)? {
                Came::Content(content) => {
                    let Content { answered, headers, bytes, .. } = *content;
                    Ok(Resource { answered, content_type: media_type(&headers), bytes })
                }
                Came::NotModified => {
                    Err(SourceError::failed(format!("{address} did not come"), "try again").into())
                }
            }
        })
    }
}
