//! Sites as they are crawled: which pages come, in which order, and which are never asked for.

use std::io::Write;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use super::server::{Request, Server, not_found, ok, reply};
use super::{World, port};
use crate::SourceError;
use crate::pages::crawl::crawl_with;
use crate::pages::{CrawlLimits, PageReply, PageValidators};

const LIMITS: CrawlLimits = CrawlLimits { max_pages: 100, max_depth: 5, per_second: 10_000.0 };

/// What a crawl brought: path and first word of each page, or `!` and the error.
struct Crawled {
    pages: Vec<String>,
    notes: Vec<String>,
}

fn crawl(world: &World, start: &str, limits: &CrawlLimits) -> Result<Crawled, SourceError> {
    let mut pages = Vec::new();
    let start = format!("http://public.test{start}");
    let old = PageValidators { etag: Some("\"old\"".to_owned()), last_modified: None };
    let known = |address: &str| (!address.contains("dead")).then(|| old.clone());
    let mut take = |address: &str, reply: Result<PageReply, SourceError>| {
        let path = address.strip_prefix("http://public.test").unwrap_or(address);
        pages.push(match reply {
            Ok(PageReply::Page(page)) => {
                assert_eq!(page.source, address);
                path.to_owned()
            }
            Ok(PageReply::NotModified) => format!("= {path}"),
            Err(error) => format!("! {path}: {error}"),
        });
        true
    };
    let notes = crawl_with(&world.client(), &start, limits, &known, &mut take, &|| false)?;
    Ok(Crawled { pages, notes })
}

/// A site with these pages; what ends in `.md`, `.txt` and `.xml` is served as such, everything else as HTML.
fn site(pages: &'static [(&'static str, &'static str)]) -> Server {
    Server::start(move |request| served(pages, request))
}

fn served(pages: &[(&str, &str)], request: &Request) -> Vec<u8> {
    let Some((path, text)) = pages.iter().find(|(path, _)| *path == request.path) else { return not_found() };
    let kind = match path.rsplit_once('.').map_or("", |(_, ending)| ending) {
        "md" => "text/markdown",
        "txt" => "text/plain",
        "xml" => "application/xml",
        _ => "text/html",
    };
    // The text makes pages differ that link to the same.
    let text = if kind == "text/html" { format!("{text}<p>{path}") } else { (*text).to_owned() };
    reply("200 OK", &format!("Content-Type: {kind}"), text.as_bytes())
}

fn check(pages: &'static [(&'static str, &'static str)], start: &str, expected: &[&str], note: &str) {
    let server = site(pages);
    let crawled = crawl(&World::public(&server), start, &LIMITS).unwrap();
    assert_eq!(crawled.pages, expected);
    assert!(
        note.is_empty() || crawled.notes.iter().any(|said| said.contains(note)),
        "{note}: {:?}",
        crawled.notes
    );
}

fn paths(server: &Server) -> Vec<String> {
    server.requests().into_iter().map(|request| request.path).collect()
}

#[test]
fn links_are_followed_within_the_folder_breadth_first() {
    let pages = &[
        ("/docs/", "<a href=a>a</a> <a href=/docs/b#x>b</a> <a href=../blog>x</a> <a href=i.png>i</a>"),
        (
            "/docs/a",
            "<a href=c>c</a> <a href=b>b</a> <a href=/docs/>d</a> <a href=http://other.test/docs/>o</a>",
        ),
        ("/docs/b", "<a href=d.md>d</a> <a href=https://public.test/docs/e>e</a>"),
        ("/docs/c", ""),
        ("/docs/d.md", "[f](f.md) [e](<e>)"),
        ("/docs/f.md", ""),
        ("/docs/e", ""),
    ];
    let expected = ["/docs/", "/docs/a", "/docs/b", "/docs/c", "/docs/d.md", "/docs/f.md", "/docs/e"];
    check(pages, "/docs/", &expected, "");
    check(
        &[("/docs/intro", "<a href=/docs/a>"), ("/docs/a", "")],
        "/docs/intro",
        &["/docs/intro", "/docs/a"],
        "",
    );
}

#[test]
fn limits_hold() {
    let endless = |request: &Request| {
        let links: String = (0..9).map(|number| format!("<a href='{}{number}'>", request.path)).collect();
        reply("200 OK", "Content-Type: text/html", format!("{links}{}", request.path).as_bytes())
    };
    let server = Server::start(endless);
    let limits = CrawlLimits { max_pages: 7, ..LIMITS };
    let crawled = crawl(&World::public(&server), "/docs/1", &limits).unwrap();
    assert_eq!(crawled.pages.len(), 7);
    assert!(
        crawled.notes.iter().any(|note| note.contains("the limit of 7 pages is reached")),
        "{:?}",
        crawled.notes
    );
    let limits = CrawlLimits { max_depth: 1, ..LIMITS };
    let crawled = crawl(&World::public(&server), "/docs/1", &limits).unwrap();
    assert_eq!(crawled.pages.len(), 10);
    assert!(crawled.notes.iter().any(|note| note.contains("more steps away than 1")), "{:?}", crawled.notes);
    server.requests();
    let crawled = crawl(&World::public(&server), "/docs/1", &CrawlLimits { max_depth: 0, ..LIMITS }).unwrap();
    assert_eq!(crawled.pages, ["/docs/1"]);
    assert_eq!(paths(&server), ["/robots.txt", "/docs/1"]);
}

#[test]
fn a_page_with_a_million_links_is_one_page() {
    let links: String = (0..1_000_000).map(|number| format!("<a href={number}>")).collect();
    let server = Server::start(move |request| match request.path.as_str() {
        "/docs/" => reply("200 OK", "Content-Type: text/html", links.as_bytes()),
        path => reply("200 OK", "Content-Type: text/html", path.as_bytes()),
    });
    let mut world = World::public(&server);
    world.rules.max_bytes = 100 << 20;
    let crawled = crawl(&world, "/docs/", &CrawlLimits { max_pages: 5, ..LIMITS }).unwrap();
    assert_eq!(crawled.pages, ["/docs/", "/docs/0", "/docs/1", "/docs/2", "/docs/3"]);
    assert!(crawled.notes.iter().any(|note| note.contains("very many links")), "{:?}", crawled.notes);
    assert!(crawled.notes.iter().any(|note| note.contains("more addresses than")), "{:?}", crawled.notes);
}

#[test]
fn pages_that_differ_in_their_query_have_an_end() {
    let server = Server::start(|request| {
        let links: String = (0..200).map(|number| format!("<a href='?{number}'>")).collect();
        reply("200 OK", "Content-Type: text/html", format!("{links}{}", request.path).as_bytes())
    });
    let crawled = crawl(&World::public(&server), "/docs/", &LIMITS).unwrap();
    assert_eq!(crawled.pages.len(), 51);
    assert!(crawled.notes.iter().any(|note| note.contains("query")), "{:?}", crawled.notes);
}

#[test]
fn llms_txt_comes_first_then_the_sitemap_then_links() {
    let pages = &[
        ("/docs/", "<a href=link>"),
        (
            "/docs/llms.txt",
            "# Docs\n- [one](/docs/one.md): first\n- [out](/blog/x.md)\n[full](llms-full.txt)",
        ),
        ("/llms.txt", "- [two](http://public.test/docs/two.md)"),
        (
            "/sitemap.xml",
            "<urlset><url><loc>http://public.test/docs/map</loc></url><url><loc>/blog/</loc></url></urlset>",
        ),
        ("/docs/one.md", "# One"),
        ("/docs/two.md", "# Two"),
        ("/docs/map", ""),
        ("/docs/link", ""),
    ];
    let expected = ["/docs/", "/docs/one.md", "/docs/two.md", "/docs/map", "/docs/link"];
    check(pages, "/docs/", &expected, "found through llms.txt: 2");
    check(pages, "/docs/", &expected, "found through the sitemap: 1");
    // A page in place of the list is none.
    check(&[("/", ""), ("/llms.txt", "<html>[x](/x)"), ("/x", "")], "/", &["/"], "");
}

#[test]
fn sitemaps_are_found_by_robots_txt_and_by_other_sitemaps() {
    let pages = &[
        (
            "/robots.txt",
            "Sitemap: http://public.test/maps.xml\nSitemap: http://other.test/m.xml\nSitemap: /evil.xml",
        ),
        (
            "/maps.xml",
            "<sitemapindex><sitemap><loc>/map.xml</loc></sitemap><sitemap><loc>http://127.0.0.1/m.xml</loc></sitemap></sitemapindex>",
        ),
        ("/map.xml", "<urlset><url><loc>/docs/a</loc></url></urlset>"),
        (
            "/evil.xml",
            "<!DOCTYPE x [<!ENTITY a SYSTEM 'file:///etc/passwd'>]><urlset><url><loc>/docs/&a;</loc></url></urlset>",
        ),
        ("/docs/", ""),
        ("/docs/a", ""),
    ];
    check(
        pages,
        "/docs/",
        &["/docs/", "/docs/a"],
        "evil.xml is not used: it has a document type declaration",
    );
    let server = site(pages);
    let world = World::public(&server);
    crawl(&world, "/docs/", &LIMITS).unwrap();
    assert!(world.lookups().iter().all(|host| host == "public.test"));
    // A third level is not read.
    let pages = &[
        ("/sitemap.xml", "<sitemapindex><sitemap><loc>/1.xml</loc></sitemap></sitemapindex>"),
        ("/1.xml", "<sitemapindex><sitemap><loc>/2.xml</loc></sitemap></sitemapindex>"),
        ("/2.xml", "<urlset><url><loc>/docs/a</loc></url></urlset>"),
        ("/docs/", ""),
        ("/docs/a", ""),
    ];
    check(pages, "/docs/", &["/docs/"], "");
}

#[test]
fn a_packed_sitemap_is_unpacked() {
    let server = Server::start(|request| match request.path.as_str() {
        "/sitemap.xml" => {
            let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
            encoder.write_all(b"<urlset><url><loc>/a</loc></url></urlset>").unwrap();
            ok(&encoder.finish().unwrap())
        }
        "/" | "/a" => ok(request.path.as_bytes()),
        _ => not_found(),
    });
    assert_eq!(crawl(&World::public(&server), "/", &LIMITS).unwrap().pages, ["/", "/a"]);
}

#[test]
fn robots_txt_is_honoured_on_every_hop() {
    let server = Server::start(|request| match request.path.as_str() {
        "/docs/moved" => reply("302 Found", "Location: /docs/secret/b", b""),
        _ => served(
            &[
                (
                    "/robots.txt",
                    "User-agent: *\nDisallow: /\nUser-agent: docent\nDisallow: /docs/secret\nDisallow: /llms.txt",
                ),
                ("/docs/", "<a href=secret/a><a href=moved><a href=b>"),
                ("/docs/b", ""),
                ("/docs/secret/a", ""),
                ("/docs/secret/b", ""),
                ("/llms.txt", "[c](/docs/c)"),
                ("/docs/c", ""),
            ],
            request,
        ),
    });
    let crawled = crawl(&World::public(&server), "/docs/", &LIMITS).unwrap();
    assert_eq!(crawled.pages, ["/docs/", "/docs/b"]);
    assert!(crawled.notes.contains(&"pages left out by robots.txt: 2".to_owned()), "{:?}", crawled.notes);
    let asked = paths(&server);
    assert!(asked.contains(&"/docs/moved".to_owned()));
    assert!(!asked.iter().any(|path| path.contains("secret") || path == "/llms.txt"), "{asked:?}");
    assert_eq!(asked.iter().filter(|path| *path == "/robots.txt").count(), 1);
    let error = crawl(&World::public(&server), "/docs/secret/a", &LIMITS).err().unwrap();
    assert!(error.message.contains("robots.txt"), "{error}");
}

#[test]
fn many_pages_that_may_not_be_fetched_do_not_hide_the_others() {
    let server = Server::start(|request| match request.path.as_str() {
        "/robots.txt" => ok(b"User-agent: *\nDisallow: /no"),
        "/" => {
            let closed: String = (0..100).map(|number| format!("<a href=no{number}>")).collect();
            ok(format!("{closed}<a href=yes>").as_bytes())
        }
        "/yes" => ok(b"yes"),
        _ => not_found(),
    });
    let crawled = crawl(&World::public(&server), "/", &CrawlLimits { max_pages: 2, ..LIMITS }).unwrap();
    assert_eq!(crawled.pages, ["/", "/yes"]);
    assert_eq!(crawled.notes, ["pages left out by robots.txt: 100"]);
}

#[test]
fn a_robots_txt_that_cannot_be_had_forbids_everything() {
    let with = |status: &'static str, headers: &'static str| {
        Server::start(move |request| match request.path.as_str() {
            "/robots.txt" => reply(status, headers, b""),
            _ => ok(b"x"),
        })
    };
    for status in ["500 Broken", "429 Busy"] {
        let server = with(status, "Retry-After: 99");
        let error = crawl(&World::public(&server), "/", &LIMITS).err().unwrap();
        assert!(error.message.contains("its rules are not known"), "{error}");
        assert_eq!(paths(&server), ["/robots.txt"]);
    }
    for status in ["404 Not Found", "403 Forbidden"] {
        assert_eq!(crawl(&World::public(&with(status, "")), "/", &LIMITS).unwrap().pages, ["/"]);
    }
}

#[test]
fn the_delay_that_a_site_asks_for_is_kept() {
    let pages = &[
        ("/robots.txt", "User-agent: *\nCrawl-delay: 0.2"),
        ("/", ""),
        ("/llms.txt", "[a](/a)"),
        ("/a", ""),
    ];
    let start = Instant::now();
    check(pages, "/", &["/", "/a"], "");
    // Between the first page, the two lists and the second page.
    assert!(start.elapsed() >= Duration::from_millis(600));
}

#[test]
fn the_same_page_comes_once() {
    let server = Server::start(|request| match request.path.as_str() {
        "/docs/old" => reply("301 Moved", "Location: /docs/new", b""),
        "/docs/away" => reply("301 Moved", "Location: /blog/", b""),
        _ => served(
            &[
                (
                    "/docs/",
                    "<a href=old><a href=new><a href=same><a href=also><a href=away><a href=twin><a href=twin.md>",
                ),
                ("/docs/new", ""),
                ("/docs/same.md", "same"),
                ("/docs/also.md", "same"),
                ("/docs/same", "<link rel=alternate type=text/markdown href=same.md>"),
                ("/docs/also", "<link rel=alternate type=text/markdown href=also.md>"),
                ("/docs/twin", ""),
                ("/docs/twin.md", "# Twin"),
                ("/blog/", ""),
            ],
            request,
        ),
    });
    let crawled = crawl(&World::public(&server), "/docs/", &LIMITS).unwrap();
    assert_eq!(crawled.pages, ["/docs/", "/docs/new", "/docs/same", "/docs/twin"]);
    assert!(
        crawled.notes.contains(&"pages that redirect to outside of what is crawled: 1".to_owned()),
        "{:?}",
        crawled.notes
    );
    let asked = paths(&server);
    assert!(!asked.contains(&"/blog/".to_owned()));
    assert_eq!(asked.iter().filter(|path| *path == "/docs/new").count(), 1);
}

#[test]
fn the_first_page_may_be_somewhere_else() {
    let server = Server::start(|request| match request.path.as_str() {
        "/" => reply("302 Found", "Location: /en/latest/", b""),
        _ => served(
            &[("/en/latest/", "<a href=a><a href=/other>"), ("/en/latest/a", ""), ("/other", "")],
            request,
        ),
    });
    let crawled = crawl(&World::public(&server), "/", &LIMITS).unwrap();
    assert_eq!(crawled.pages, ["/en/latest/", "/en/latest/a"]);
    // On another server its own rules count.
    let other = site(&[
        ("/robots.txt", "User-agent: *\nDisallow: /docs/b"),
        ("/docs/", "<a href=a><a href=b>"),
        ("/docs/a", ""),
        ("/docs/b", ""),
    ]);
    let server = Server::start(|request| match request.path.as_str() {
        "/docs/" => reply("302 Found", "Location: http://other.test/docs/", b""),
        _ => not_found(),
    });
    let world = World::public(&server).name("other.test", &[&["1.1.1.1"]]).at("1.1.1.1", port(&other));
    let crawled = crawl(&world, "/docs/", &LIMITS).unwrap();
    assert_eq!(crawled.pages, ["http://other.test/docs/", "http://other.test/docs/a"]);
}

#[test]
fn what_pages_ask_for_is_honoured() {
    let pages = &[
        ("/", "<a href=hidden><a href=last><a rel=nofollow href=never>"),
        ("/hidden", "<meta name=robots content=noindex><a href=behind>"),
        ("/behind", ""),
        ("/last", "<meta name=robots content=nofollow><a href=never>"),
        ("/never", ""),
    ];
    check(pages, "/", &["/", "/last", "/behind"], "not to be kept (noindex): 1");
}

#[test]
fn nothing_outside_is_asked_whatever_pages_link_to() {
    let secret = Server::start(|_| ok(b"secret"));
    let server = Server::start(|request| match request.path.as_str() {
        "/hop" => reply("302 Found", "Location: http://127.0.0.1/", b""),
        _ => served(
            &[
                (
                    "/",
                    "<a href=based><a href=http://127.0.0.1/><a href=//localhost/><a href=file:///etc/passwd><a href=hop>",
                ),
                ("/based", "<base href=http://127.0.0.1/><a href=x><a href=/y>"),
                ("/llms.txt", "[x](http://169.254.169.254/latest/)"),
                ("/sitemap.xml", "<urlset><url><loc>http://10.0.0.1/</loc></url></urlset>"),
            ],
            request,
        ),
    });
    let world = World::public(&server).at("127.0.0.1", port(&secret)).at("10.0.0.1", port(&secret));
    let crawled = crawl(&world, "/", &LIMITS).unwrap();
    assert_eq!(crawled.pages, ["/", "/based"]);
    assert!(world.lookups().iter().all(|host| host == "public.test"));
    assert!(secret.requests().is_empty());
    let inside = World::new().name("public.test", &[&["127.0.0.1"]]).at("127.0.0.1", port(&secret));
    let error = crawl(&inside, "/a", &LIMITS).err().unwrap();
    assert_eq!(error, inside.refusal("http://public.test/a"));
    assert!(crawl(&World::new(), ":22/", &LIMITS).is_err());
    assert!(secret.requests().is_empty());
}

#[test]
fn a_busy_server_is_asked_again() {
    let busy = Mutex::new(2);
    let server = Server::start(move |request| match request.path.as_str() {
        "/" => ok(b"<a href=a><a href=b><a href=c>"),
        "/a" if std::mem::replace(&mut *busy.lock().unwrap(), 0) > 0 => {
            reply("503 Busy", "Retry-After: 0", b"")
        }
        "/b" => reply("429 Busy", "Retry-After: 3600", b""),
        "/a" | "/c" => ok(request.path.as_bytes()),
        _ => not_found(),
    });
    let crawled = crawl(&World::public(&server), "/", &LIMITS).unwrap();
    assert_eq!(crawled.pages, ["/", "/a", "! /b: http://public.test/b answered 429", "/c"]);
    assert_eq!(paths(&server).iter().filter(|path| *path == "/b").count(), 1);
}

#[test]
fn a_server_that_stops_answering_is_left_alone() {
    let with = |status: &'static str| {
        Server::start(move |request| match request.path.as_str() {
            "/" => ok((0..50).map(|number| format!("<a href={number}>")).collect::<String>().as_bytes()),
            "/robots.txt" => not_found(),
            _ => reply(status, "", b""),
        })
    };
    let crawled = crawl(&World::public(&with("500 Broken")), "/", &LIMITS).unwrap();
    assert_eq!(crawled.pages.len(), 11);
    assert!(crawled.notes.iter().any(|note| note.contains("in a row")), "{:?}", crawled.notes);
    // Links that lead nowhere are the fault of the page.
    let missing = with("404 Not Found");
    let crawled = crawl(&World::public(&missing), "/", &LIMITS).unwrap();
    assert_eq!(crawled.pages.len(), 51);
    let error = crawl(&World::public(&missing), "/missing", &LIMITS).err().unwrap();
    assert!(error.message.contains("answered 404"), "{error}");
}

#[test]
fn links_that_lead_nowhere_are_noted_unless_there_was_a_page() {
    let pages = &[("/", "<a href=dead1><a href=dead2><a href=here>"), ("/here", "<a href=gone>")];
    let expected = ["/", "/here", "! /gone: http://public.test/gone answered 404"];
    let said = "not there: 2 (http://public.test/dead1, http://public.test/dead2)";
    check(pages, "/", &expected, said);
}

#[test]
fn what_is_left_out_is_counted_once() {
    let pages = &[
        (
            "/d/",
            "<a href=a><a href=/out><a href=http://x.test/><a href=p.png><a rel=nofollow href=a><a rel=nofollow href=b>",
        ),
        ("/d/a", "<a href=/out><a href=p.png><a href=q.zip>"),
    ];
    for note in [
        "outside of what is crawled, not followed: 2",
        "ask not to follow (nofollow): 1",
        "no documents, left out: 2",
    ] {
        check(pages, "/d/", &["/d/", "/d/a"], note);
    }
}

#[test]
fn only_pages_whose_links_are_not_needed_may_be_unchanged() {
    let server = Server::start(|request| match (request.path.as_str(), request.header("if-none-match")) {
        ("/sitemap.xml", _) => ok(b"<urlset><url><loc>/mapped</loc></url></urlset>"),
        ("/" | "/mapped" | "/linked" | "/deep", Some(_)) => reply("304 Not Modified", "", b""),
        ("/", _) => ok(b"<a href=linked>"),
        ("/linked", _) => ok(b"<a href=deep>."),
        ("/deep", _) => ok(b"deep"),
        _ => not_found(),
    });
    let limits = CrawlLimits { max_depth: 2, ..LIMITS };
    let crawled = crawl(&World::public(&server), "/", &limits).unwrap();
    assert_eq!(crawled.pages, ["/", "= /mapped", "/linked", "= /deep"]);
}

#[test]
fn whoever_takes_the_pages_can_stop() {
    let server = site(&[("/", "<a href=a>"), ("/a", "<a href=b>"), ("/b", "")]);
    let client = World::public(&server).client();
    let known = |_: &str| None;
    let mut taken = 0;
    let mut take = |_: &str, _: Result<PageReply, SourceError>| {
        taken += 1;
        taken < 2
    };
    let notes = crawl_with(&client, "http://public.test/", &LIMITS, &known, &mut take, &|| false).unwrap();
    assert_eq!((taken, notes), (2, Vec::<String>::new()));
    // Also in the middle of a pause.
    let slow = CrawlLimits { per_second: 0.01, ..LIMITS };
    let start = Instant::now();
    let is_cancelled = || start.elapsed() > Duration::from_millis(300);
    let error = crawl_with(&client, "http://public.test/", &slow, &known, &mut |_, _| true, &is_cancelled);
    assert!(error.unwrap_err().message.contains("cancelled"));
    assert!(start.elapsed() < Duration::from_secs(2));
}
