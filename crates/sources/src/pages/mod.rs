//! Single pages and files of the web that an agent or a user names, and the pages below one.
//!
//! Here nobody vouches for the address: an agent may have read it in a hostile document. So it must be public, on every hop, on
//! the very IP addresses that are then connected to, unless the settings allow private networks. `address` reads an address
//! once, `guard` looks its host up once, `client` makes one request under limits, `surplus` watches for what comes after it, `hops` follows redirects, `fetch` puts a page
//! together and `crawl` goes from one to the next. Nothing is kept between two calls, and no cookie, credential or proxy is
//! ever used.

mod address;
mod client;
mod crawl;
mod fetch;
mod guard;
mod hops;
mod links;
mod surplus;
mod tags;
#[cfg(test)]
mod tests;

use address::PageAddress;
use client::PageClient;
use fetch::{Errand, Got};

use crate::SourceError;

/// How far a fetch may reach, and how much it may bring.
#[derive(Debug, Clone)]
pub struct FetchRules {
    /// Whether addresses, names and ports inside private networks may be asked, and this machine; on every hop.
    pub allow_private_networks: bool,
    /// Most bytes of one page, after unpacking.
    pub max_bytes: u64,
}

/// What a server gave along with a page, to ask later whether it is still the same. Empty where the page was redirected: what
/// the last server gave says nothing to the first.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PageValidators {
    /// `ETag`.
    pub etag: Option<String>,
    /// `Last-Modified`, as sent.
    pub last_modified: Option<String>,
}

/// A page that came.
#[derive(Debug, Clone)]
pub struct FetchedPage {
    /// The address that was asked for, in its canonical form without a fragment: the page's name in a library. Where the server
    /// says for good that it lacks a slash at its end, or that it is https, the address with that.
    pub source: String,
    /// The address that the bytes came from, at the end of all redirects: relative links start here. Where Markdown took the
    /// place of an HTML page, its own.
    pub answered: String,
    /// The bytes.
    pub bytes: Vec<u8>,
    /// The media type that the server named, without parameters, in lower case. Not to be relied on.
    pub content_type: Option<String>,
    /// The character set that the server named, in lower case, whether there is one of this name or not.
    pub charset: Option<String>,
    /// To ask again with.
    pub validators: PageValidators,
    /// `Last-Modified` in milliseconds since 1970.
    pub last_modified_ms: Option<i64>,
}

/// What came of asking.
#[derive(Debug, Clone)]
pub enum PageReply {
    /// It is as it was when the validators came.
    NotModified,
    /// It came.
    Page(Box<FetchedPage>),
}

/// The canonical form of an address that may be asked for: http or https, without a fragment; an error says what is wrong with it.
/// Nothing is looked up: a name that leads inside is found out when it is fetched.
pub fn page_address(url: &str, rules: &FetchRules) -> Result<String, SourceError> {
    let address = PageAddress::parse(url)?;
    address.check(rules)?;
    Ok(address.to_string())
}

/// Fetches one page or file. Markdown is preferred where a server offers it, also where an HTML page names it as its alternate.
///
/// Takes at most a minute. `known` is what came with the page the last time, and makes [`PageReply::NotModified`] possible.
pub fn fetch_page(
    url: &str,
    known: &PageValidators,
    rules: &FetchRules,
    is_cancelled: &dyn Fn() -> bool,
) -> Result<PageReply, SourceError> {
    fetch_with(&PageClient::new(rules), url, known, is_cancelled)
}

fn fetch_with(
    client: &PageClient,
    url: &str,
    known: &PageValidators,
    is_cancelled: &dyn Fn() -> bool,
) -> Result<PageReply, SourceError> {
    let address = PageAddress::parse(url)?;
    let errand = Errand { client, address: &address, known, admit: &|_| Ok(()), is_cancelled };
    match errand.run() {
        Ok(Got::NotModified) => Ok(PageReply::NotModified),
        Ok(Got::Page(got)) => Ok(PageReply::Page(Box::new(got.page))),
        Err(not_come) => Err(not_come.trouble.error),
    }
}

/// Which pages of a site are fetched.
#[derive(Debug, Clone)]
pub struct CrawlLimits {
    /// Most pages that are handed out, those that did not come included. The first one always is.
    pub max_pages: usize,
    /// Most steps from the first page; with 0 it is the only one. What `llms.txt` and a sitemap list is one step away.
    pub max_depth: usize,
    /// Requests in a second, at most; a `Crawl-delay` of the site makes it slower.
    pub per_second: f64,
}

/// Fetches the pages below an address, one after the other: `llms.txt` and `sitemap.xml` say which there are, links the rest,
/// and `robots.txt` which not.
///
/// Below means: on the same server and in the same folder as the first page, where that one answered after redirects. Each page is
/// handed to `take` under the address where it answered, or why it did not come; the same page comes once, on
/// whatever ways it is reached. The crawl ends when `take` says `false`. `known` says what was had of a page before, if it is here; a server is only asked
/// whether it changed where its links are not needed to find others, because a page that did not change does not show its links.
/// A link to a page that is not there is noted at the end, unless the page is here: then it is handed out as an error.
///
/// Returns notes for a person: limits that were reached, what was left out and why. A first page that does not come, or a
/// `robots.txt` that cannot be had, is an error.
pub fn crawl(
    start: &str,
    limits: &CrawlLimits,
    rules: &FetchRules,
    known: &dyn Fn(&str) -> Option<PageValidators>,
    take: &mut dyn FnMut(&str, Result<PageReply, SourceError>) -> bool,
    is_cancelled: &dyn Fn() -> bool,
) -> Result<Vec<String>, SourceError> {
    crawl::crawl_with(&PageClient::new(rules), start, limits, known, take, is_cancelled)
}
