//! Single pages and crawls on the real network of this machine.

use docent_sources::pages::{
    CrawlLimits, FetchRules, PageReply, PageValidators, crawl, fetch_page, page_address,
};

use crate::server::{Server, not_found, ok};

const INSIDE: FetchRules = FetchRules { allow_private_networks: true, max_bytes: 1 << 20 };
const PUBLIC: FetchRules = FetchRules { allow_private_networks: false, max_bytes: 1 << 20 };

fn fetch(url: &str, rules: &FetchRules) -> Result<PageReply, docent_sources::SourceError> {
    fetch_page(url, &PageValidators::default(), rules, &|| false)
}

#[test]
fn this_machine_is_asked_only_if_that_is_allowed() {
    let server = Server::start(|_| ok(b"# inside"));
    let url = server.url("/a.md#part");
    let Ok(PageReply::Page(page)) = fetch(&url, &INSIDE) else { panic!("{url}") };
    assert_eq!(page.bytes, b"# inside");
    assert_eq!(page.source, server.url("/a.md"));
    assert_eq!(page_address(&url, &INSIDE).unwrap(), page.source);
    server.requests();
    let error = fetch(&url, &PUBLIC).unwrap_err();
    assert!(error.hint.contains("library.allow_private_networks"), "{error:?}");
    assert_eq!(page_address(&url, &PUBLIC).unwrap_err(), error);
    assert!(server.requests().is_empty());
}

#[test]
fn pages_below_an_address_are_crawled() {
    let server = Server::start(|request| match request.path.as_str() {
        "/docs/" => ok(b"<a href=a>a</a><a href=/blog>"),
        "/docs/a" => ok(b"a"),
        _ => not_found(),
    });
    let limits = CrawlLimits { max_pages: 10, max_depth: 3, per_second: 1000.0 };
    let mut pages = Vec::new();
    let mut take = |address: &str, reply: Result<PageReply, _>| {
        pages.push((address.to_owned(), reply.is_ok()));
        true
    };
    let known = |_: &str| None;
    let notes = crawl(&server.url("/docs/"), &limits, &INSIDE, &known, &mut take, &|| false).unwrap();
    assert_eq!(notes, ["links to outside of what is crawled, not followed: 1"]);
    assert_eq!(pages, [(server.url("/docs/"), true), (server.url("/docs/a"), true)]);
    assert!(crawl(&server.url("/docs/"), &limits, &PUBLIC, &known, &mut |_, _| true, &|| false).is_err());
}
