//! One address, asked for through all redirects; every hop is checked like the first.

use std::time::{Duration, Instant, SystemTime};

use ureq::http::HeaderMap;

use super::PageValidators;
use super::address::{PageAddress, not_public};
use super::client::{Answer, PageClient, Request};
use crate::SourceError;
use crate::web::{MOST_HOPS, Trouble, header};

/// What is asked for.
pub(super) struct Wanted<'a> {
    pub(super) address: &'a PageAddress,
    /// `Accept`.
    pub(super) accept: &'static str,
    /// What was had before. It is told to the address it came from and to no other.
    pub(super) known: &'a PageValidators,
    pub(super) most: u64,
    /// Whether of a larger file the beginning is enough.
    pub(super) may_cut: bool,
    pub(super) deadline: Instant,
    /// Whether to follow to an address; asked before each request.
    pub(super) admit: &'a dyn Fn(&PageAddress) -> Result<(), SourceError>,
}

/// What came of it.
#[derive(Debug)]
pub(super) enum Came {
    NotModified,
    Content(Box<Content>),
}

/// A file, and where it was in the end.
#[derive(Debug)]
pub(super) struct Content {
    /// The address that was asked for, as the server spells it for good.
    pub(super) named: PageAddress,
    pub(super) answered: PageAddress,
    pub(super) headers: HeaderMap,
    pub(super) bytes: Vec<u8>,
}

/// Why nothing came.
#[derive(Debug)]
pub(super) struct NotCome {
    pub(super) trouble: Trouble,
    /// What the server answered, if it did.
    pub(super) status: Option<u16>,
    /// How long the server asks to wait.
    pub(super) retry_after: Option<Duration>,
}

impl From<Trouble> for NotCome {
    fn from(trouble: Trouble) -> Self {
        Self { trouble, status: None, retry_after: None }
    }
}

impl From<SourceError> for NotCome {
    fn from(error: SourceError) -> Self {
        Trouble { error, may_pass: false }.into()
    }
}

/// Asks for an address and follows where it redirects to.
pub(super) fn ask(
    client: &PageClient,
    wanted: &Wanted<'_>,
    is_cancelled: &dyn Fn() -> bool,
) -> Result<Came, NotCome> {
    let mut current = wanted.address.clone();
    let mut named = wanted.address.clone();
    for hop in 0..=MOST_HOPS {
        (wanted.admit)(&current)?;
        let asks_again = hop == 0 && *wanted.known != PageValidators::default();
        let request = Request {
            address: &current,
            headers: headers(wanted, asks_again),
            most: wanted.most,
            may_cut: wanted.may_cut,
            deadline: wanted.deadline,
        };
        let answer = client.ask(&request, is_cancelled).map_err(|trouble| match trouble.error {
            // In words that do not depend on the hop.
            error if error == not_public(&current) => {
                Trouble { error: not_public(wanted.address), may_pass: false }
            }
            error => Trouble { error, ..trouble },
        });
        let Answer { status, headers, bytes } = answer?;
        match status {
            200 | 203 => {
                return Ok(Came::Content(Box::new(Content { named, answered: current, headers, bytes })));
            }
            304 if asks_again => return Ok(Came::NotModified),
            304 => {
                let message = format!("{current} answered 304, that nothing changed, and nobody had asked");
                return Err(Trouble::lasting(message, "tell whoever runs the server").into());
            }
            301 | 302 | 303 | 307 | 308 => {
                let to = follow(&current, &headers)?;
                if matches!(status, 301 | 308) && named == current && to.respells(&current) {
                    named = to.clone();
                }
                current = to;
            }
            _ => {
                let retry_after = header(&headers, "retry-after").and_then(|text| wait_for(&text));
                let trouble = Trouble::refused(&current, status);
                return Err(NotCome { trouble, status: Some(status), retry_after });
            }
        }
    }
    let message = format!("{} redirects more than {MOST_HOPS} times", wanted.address);
    Err(Trouble::lasting(message, "check the address in a browser, and use the one where it ends").into())
}

fn headers(wanted: &Wanted<'_>, asks_again: bool) -> Vec<(&'static str, String)> {
    let mut headers = vec![("Accept", wanted.accept.to_owned())];
    // A validator says something of one address only: told to another, it could be answered with a page that is not the same.
    if asks_again {
        let PageValidators { etag, last_modified } = wanted.known;
        headers.extend(etag.iter().map(|etag| ("If-None-Match", etag.clone())));
        headers.extend(last_modified.iter().map(|date| ("If-Modified-Since", date.clone())));
        headers.retain(|(_, value)| value.bytes().all(|byte| byte == b'\t' || (b' '..0x7f).contains(&byte)));
    }
    headers
}

/// Where a redirect leads. Whether it may be asked is checked when it is.
fn follow(from: &PageAddress, headers: &HeaderMap) -> Result<PageAddress, Trouble> {
    let hint = "use the address where the page really is, if you trust it";
    let location = headers.get("location").and_then(|value| std::str::from_utf8(value.as_bytes()).ok());
    let Some(location) = location else {
        return Err(Trouble::lasting(format!("{from} redirects to nowhere"), "try again later"));
    };
    let to = from.join(location.trim_ascii()).map_err(|error| {
        let message = format!("{from} redirects to an address that is not used: {}", error.message);
        Trouble::lasting(message, hint)
    })?;
    if from.is_https() && !to.is_https() {
        return Err(Trouble::lasting(format!("{from} redirects from https to http"), hint));
    }
    Ok(to)
}

/// `Retry-After`, in seconds or as a date.
fn wait_for(text: &str) -> Option<Duration> {
    let seconds = || text.trim().parse().ok().map(Duration::from_secs);
    let until = || {
        let date = httpdate::parse_http_date(text.trim()).ok()?;
        Some(date.duration_since(SystemTime::now()).unwrap_or_default())
    };
    seconds().or_else(until)
}
