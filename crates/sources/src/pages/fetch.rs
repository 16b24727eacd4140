//! One page, and the Markdown that may stand behind it.
//!
//! Many documentation sites offer their pages as Markdown as well: to whoever asks for it by `Accept`, or at an address that
//! the page names. It is what the page was made from, so it is preferred.

use std::time::{Instant, UNIX_EPOCH};

use ureq::http::HeaderMap;

use super::address::PageAddress;
use super::client::PageClient;
use super::hops::{self, Came, Content, NotCome, Wanted};
use super::links::PageLinks;
use super::{FetchedPage, PageValidators};
use crate::SourceError;
use crate::web::header;

const ACCEPT: &str = "text/markdown, text/x-markdown;q=0.95, text/html;q=0.9, application/xhtml+xml;q=0.9, text/plain;q=0.8, */*;q=0.5";
const ACCEPT_MARKDOWN: &str = "text/markdown, text/plain;q=0.8";

/// A page to fetch.
pub(super) struct Errand<'a> {
    pub(super) client: &'a PageClient,
    pub(super) address: &'a PageAddress,
    pub(super) known: &'a PageValidators,
    /// Whether an address may be asked, besides the rules of the client.
    pub(super) admit: &'a dyn Fn(&PageAddress) -> Result<(), SourceError>,
    pub(super) is_cancelled: &'a dyn Fn() -> bool,
}

/// What came.
#[derive(Debug)]
pub(super) enum Got {
    NotModified,
    Page(Box<GotPage>),
}

/// A page with what a crawl wants to know of it.
#[derive(Debug)]
pub(super) struct GotPage {
    pub(super) page: FetchedPage,
    /// Where the page itself answered, also when Markdown took its place.
    pub(super) answered: PageAddress,
    /// Where to go from it.
    pub(super) links: PageLinks,
}

impl Errand<'_> {
    /// Fetches the page.
    pub(super) fn run(&self) -> Result<Got, NotCome> {
        let deadline = Instant::now() + self.client.patience.whole;
        let came = self.ask(self.address, ACCEPT, self.known, self.admit, deadline)?;
        let Came::Content(content) = came else { return Ok(Got::NotModified) };
        let Content { named, answered, headers, bytes } = *content;
        let content_type = media_type(&headers);
        let mut links = PageLinks::of(&bytes, content_type.as_deref(), answered.path());
        links.heed_header(&headers);
        let alternate = links.markdown.as_deref().and_then(|href| links.base(&answered).join(href).ok());
        let alternate = alternate.filter(|address| address.origin() == answered.origin());
        let markdown =
            alternate.and_then(|address| Some((self.markdown(&address, deadline)?, address.to_string())));
        if (self.is_cancelled)() {
            return Err(SourceError::cancelled().into());
        }
        // They say something of the address that they came from; if that is not the page's name, nobody could tell it.
        let validators = match answered == named {
            true => PageValidators {
                etag: header(&headers, "etag"),
                last_modified: header(&headers, "last-modified"),
            },
            false => PageValidators::default(),
        };
        let (bytes, content_type, charset, from) = match markdown {
            Some(((bytes, charset), from)) => (bytes, Some("text/markdown".to_owned()), charset, from),
            None => (bytes, content_type, charset(&headers), answered.to_string()),
        };
        let page = FetchedPage {
            source: named.to_string(),
            answered: from,
            bytes,
            content_type,
            charset,
            validators,
            last_modified_ms: header(&headers, "last-modified").and_then(|date| milliseconds(&date)),
        };
        Ok(Got::Page(Box::new(GotPage { page, answered, links })))
    }

    /// The Markdown of a page. Where there is none after all the page itself is good enough.
    fn markdown(&self, address: &PageAddress, deadline: Instant) -> Option<(Vec<u8>, Option<String>)> {
        let admit = |hop: &PageAddress| match hop.origin() == address.origin() {
            true => (self.admit)(hop),
            false => Err(SourceError::failed(format!("{hop} is on another server"), "use the page itself")),
        };
        let known = PageValidators::default();
        let came = self.ask(address, ACCEPT_MARKDOWN, &known, &admit, deadline).ok()?;
        let Came::Content(content) = came else { return None };
        let Content { headers, bytes, .. } = *content;
        let kind = media_type(&headers);
        let is_text = matches!(kind.as_deref(), Some("text/markdown" | "text/x-markdown" | "text/plain"));
        (is_text && !bytes.trim_ascii().is_empty()).then(|| (bytes, charset(&headers)))
    }

    fn ask(
        &self,
        address: &PageAddress,
        accept: &'static str,
        known: &PageValidators,
        admit: &dyn Fn(&PageAddress) -> Result<(), SourceError>,
        deadline: Instant,
    ) -> Result<Came, NotCome> {
        let most = self.client.rules.max_bytes;
        let wanted = Wanted { address, accept, known, most, may_cut: false, deadline, admit };
        hops::ask(self.client, &wanted, self.is_cancelled)
    }
}

/// The media type that a server names, without parameters, in lower case.
pub(super) fn media_type(headers: &HeaderMap) -> Option<String> {
    let value = header(headers, "content-type")?;
    let kind = value.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    Some(kind).filter(|kind| kind.contains('/') && kind.len() <= 100)
}

fn charset(headers: &HeaderMap) -> Option<String> {
    let value = header(headers, "content-type")?.to_ascii_lowercase();
    let named =
        value.split(';').skip(1).find_map(|part| part.trim().strip_prefix("charset=").map(str::to_owned))?;
    let named = named.trim().trim_matches(['"', '\'']).to_owned();
    Some(named).filter(|name| !name.is_empty() && name.len() <= 40)
}

fn milliseconds(date: &str) -> Option<i64> {
    let date = httpdate::parse_http_date(date.trim()).ok()?;
    i64::try_from(date.duration_since(UNIX_EPOCH).ok()?.as_millis()).ok()
}
