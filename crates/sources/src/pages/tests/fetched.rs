//! Pages as they come: redirects, Markdown in place of HTML, asking again.

use super::server::{Request, Server, not_found, ok, reply};
use super::{PUBLIC, World, port};
use crate::pages::address::PageAddress;
use crate::pages::{PageReply, PageValidators};

const HTML: &str = "Content-Type: text/html; charset=ISO-8859-1";

#[test]
fn a_page_comes_with_what_the_server_says_of_it() {
    let headers = "Content-Type: Text/HTML; charset=\"Shift_JIS\"\nETag: \"1\"\nLast-Modified: Sun, 06 Nov 1994 08:49:37 GMT";
    let server = Server::start(move |_| reply("200 OK", headers, b"<p>a"));
    let page = World::public(&server).page("http://public.test/a#part");
    assert_eq!(
        (page.source.as_str(), page.answered.as_str()),
        ("http://public.test/a", "http://public.test/a")
    );
    assert_eq!(page.bytes, b"<p>a");
    assert_eq!(
        (page.content_type.as_deref(), page.charset.as_deref()),
        (Some("text/html"), Some("shift_jis"))
    );
    assert_eq!(page.validators.etag.as_deref(), Some("\"1\""));
    assert_eq!(page.last_modified_ms, Some(784_111_777_000));
    let requests = server.requests();
    assert_eq!(requests.len(), 1);
    assert!(requests[0].header("accept").unwrap().starts_with("text/markdown, "));
    assert_eq!(requests[0].header("accept-encoding"), Some("gzip"));
    assert_eq!(requests[0].header("host"), Some("public.test"));
    for name in ["cookie", "authorization", "referer", "if-none-match"] {
        assert_eq!(requests[0].header(name), None, "{name}");
    }
}

#[test]
fn a_server_that_names_no_such_charset_or_date_is_taken_at_its_word() {
    let headers = "Content-Type: text/html; charset=utf-7\nLast-Modified: yesterday";
    let server = Server::start(move |_| reply("200 OK", headers, b"a"));
    let page = World::public(&server).page("http://public.test/");
    assert_eq!((page.charset.as_deref(), page.last_modified_ms), (Some("utf-7"), None));
    let server = Server::start(|_| reply("200 OK", "Content-Type: nonsense", b"a"));
    assert_eq!(World::public(&server).page("http://public.test/").content_type, None);
}

#[test]
fn asking_again_tells_that_nothing_changed() {
    let server = Server::start(|request| match request.header("if-none-match") {
        Some("\"1\"") => reply("304 Not Modified", "", b""),
        _ => reply("200 OK", "ETag: \"1\"", b"a"),
    });
    let world = World::public(&server);
    let known = world.page("http://public.test/").validators;
    assert!(matches!(world.ask("http://public.test/", &known), Ok(PageReply::NotModified)));
    let old = PageValidators { etag: Some("\"0\"".to_owned()), last_modified: None };
    assert!(matches!(world.ask("http://public.test/", &old), Ok(PageReply::Page(_))));
    let odd = PageValidators { etag: Some("\"1\"\r\nX: 1".to_owned()), last_modified: None };
    assert!(matches!(world.ask("http://public.test/", &odd), Ok(PageReply::Page(_))));
    let server = Server::start(|_| reply("304 Not Modified", "", b""));
    let said = World::public(&server).refusal("http://public.test/");
    assert!(said.message.contains("answered 304"), "{said}");
}

#[test]
fn validators_stay_with_the_address_they_came_from() {
    let other = Server::start(|request: &Request| match request.header("if-none-match") {
        Some(_) => reply("304 Not Modified", "", b""),
        None => reply("200 OK", "ETag: \"other\"", b"b"),
    });
    let server = Server::start(|request| match request.path.as_str() {
        "/away" => reply("302 Found", "Location: https://other.test/\nSet-Cookie: a=b", b""),
        "/near" => reply("302 Found", "Location: /b\nSet-Cookie: a=b", b""),
        _ => reply("200 OK", "ETag: \"b\"", b"b"),
    });
    let world = World::public(&server).name("other.test", &[&["1.1.1.1"]]).at("1.1.1.1", port(&other));
    let known = PageValidators { etag: Some("\"b\"".to_owned()), last_modified: Some("x".to_owned()) };
    let Ok(PageReply::Page(page)) = world.ask("http://public.test/near", &known) else { panic!() };
    assert_eq!(
        (page.source.as_str(), page.answered.as_str()),
        ("http://public.test/near", "http://public.test/b")
    );
    assert_eq!(page.validators, PageValidators::default());
    let requests = server.requests();
    assert_eq!(requests[0].header("if-none-match"), Some("\"b\""));
    assert_eq!(requests[1].header("if-none-match"), None);
    assert_eq!(requests[1].header("if-modified-since"), None);
    assert_eq!(requests[1].header("cookie"), None);
    // The other server speaks no TLS; that it was asked nothing in the clear is what counts.
    world.refusal("http://public.test/away");
    assert!(other.requests().iter().all(|request| request.header("if-none-match").is_none()));
}

#[test]
fn a_page_is_called_as_its_server_spells_it_for_good() {
    let check = |status: &'static str, to: &'static str, source: &str| {
        let server = Server::start(move |request| match request.path.as_str() {
            "/docs" => reply(status, &format!("Location: {to}"), b""),
            _ => reply("200 OK", "ETag: \"1\"", b"x"),
        });
        let page = World::public(&server).page("http://public.test/docs");
        assert_eq!(page.source, format!("http://public.test{source}"), "{status} {to}");
        assert_eq!(
            page.validators.etag.is_some(),
            source == page.answered.trim_start_matches("http://public.test")
        );
    };
    check("301 Moved", "/docs/", "/docs/");
    check("308 Moved", "docs/", "/docs/");
    check("302 Found", "/docs/", "/docs");
    check("301 Moved", "/docs/intro", "/docs");
    check("301 Moved", "/docs/?a", "/docs");
    let respells = |from: &str, to: &str| {
        let address = |text: &str| PageAddress::parse(text).unwrap();
        address(to).respells(&address(from))
    };
    assert!(respells("http://a.test/d", "https://a.test/d/"));
    for other in ["https://b.test/d", "https://a.test:8443/d", "http://a.test/d", "http://a.test/d//"] {
        assert!(!respells("http://a.test/d", other), "{other}");
    }
}

#[test]
fn redirects_are_followed_five_times() {
    let answer = |request: &Request| {
        let left: u32 = request.path.trim_start_matches('/').parse().unwrap();
        match left {
            0 => ok(b"end"),
            _ => reply("301 Moved", &format!("Location: {}", left - 1), b""),
        }
    };
    let server = Server::start(answer);
    let world = World::public(&server);
    assert_eq!(world.page("http://public.test/5").bytes, b"end");
    assert!(world.refusal("http://public.test/6").message.contains("more than 5 times"));
    server.requests();
    assert!(world.refusal("http://public.test/20").message.contains("more than 5 times"));
    assert_eq!(server.requests().len(), 6);
    let server = Server::start(|_| reply("302 Found", "Location: /", b""));
    let said = World::public(&server).refusal("http://public.test/");
    assert!(said.message.contains("more than 5 times"), "{said}");
    let server = Server::start(|_| reply("302 Found", "", b""));
    assert!(World::public(&server).refusal("http://public.test/").message.contains("to nowhere"));
}

#[test]
fn answers_that_are_not_the_page_say_what_to_do() {
    for (status, hint) in [
        ("404 Not Found", "check the address"),
        ("401 Unauthorized", "who you are"),
        ("429 Too Many", "wait"),
        ("500 Broken", "later"),
        ("204 No Content", "browser"),
        ("206 Partial", "browser"),
        ("300 Multiple", "browser"),
    ] {
        let server = Server::start(move |_| reply(status, "Retry-After: 1", b"x"));
        let error = World::public(&server).refusal("http://public.test/");
        let code = status.split(' ').next().unwrap();
        assert!(
            error.message.contains(&format!("answered {code}")) && error.hint.contains(hint),
            "{error:?}"
        );
    }
    let error = World::new().refusal("http://unknown.test/");
    assert!(error.message.contains("is not known"), "{error}");
}

/// A page at `/a` with this in its head, and what else there is.
fn with_alternate(head: &'static str, other: fn(&Request) -> Vec<u8>) -> (Server, World) {
    let server = Server::start(move |request| match request.path.as_str() {
        "/d/a" => reply(
            "200 OK",
            &format!("{HTML}\nETag: \"html\""),
            format!("<html><head>{head}</head>html").as_bytes(),
        ),
        _ => other(request),
    });
    let world = World::public(&server);
    (server, world)
}

const LINK: &str = "<link rel=\"alternate\" type=\"text/markdown\" href=\"a.md\">";

#[test]
fn markdown_takes_the_place_of_the_page_that_names_it() {
    let markdown = |_: &Request| reply("200 OK", "Content-Type: text/markdown; charset=utf-8", b"# markdown");
    let (server, world) = with_alternate(LINK, markdown);
    let page = world.page("http://public.test/d/a");
    assert_eq!(page.bytes, b"# markdown");
    assert_eq!(
        (page.content_type.as_deref(), page.charset.as_deref()),
        (Some("text/markdown"), Some("utf-8"))
    );
    assert_eq!(
        (page.source.as_str(), page.answered.as_str()),
        ("http://public.test/d/a", "http://public.test/d/a.md")
    );
    assert_eq!(page.validators.etag.as_deref(), Some("\"html\""));
    assert_eq!(server.requests().len(), 2);
}

#[test]
fn a_page_without_its_markdown_is_good_enough() {
    let away = |_: &Request| reply("302 Found", "Location: http://other.test/a.md", b"");
    for other in [
        (|_: &Request| not_found()) as fn(&Request) -> Vec<u8>,
        |_| reply("200 OK", HTML, b"<h1>not found"),
        |_| reply("200 OK", "Content-Type: text/markdown", b" \n"),
        |_| reply("302 Found", "Location: http://127.0.0.1/", b""),
        away,
    ] {
        let (server, world) = with_alternate(LINK, other);
        let world = world.name("other.test", &[&[PUBLIC]]);
        let page = world.page("http://public.test/d/a");
        assert!(page.bytes.ends_with(b"html"));
        assert_eq!(page.answered, "http://public.test/d/a");
        assert_eq!(page.charset.as_deref(), Some("iso-8859-1"));
        assert_eq!(server.requests().len(), 2);
        assert!(!world.lookups().contains(&"other.test".to_owned()));
    }
}

#[test]
fn markdown_of_another_server_is_not_asked_for() {
    for link in [
        "<link rel=alternate type=text/markdown href=http://127.0.0.1/a.md>",
        "<link rel=alternate type=text/markdown href=https://public.test/a.md>",
        "<link rel=alternate type=text/markdown href=http://other.test/a.md>",
        "<base href=http://127.0.0.1/><link rel=alternate type=text/markdown href=a.md>",
        "<link rel=alternate type=text/markdown href=file:///etc/passwd>",
    ] {
        let markdown = |_: &Request| reply("200 OK", "Content-Type: text/markdown", b"# elsewhere");
        let (server, world) = with_alternate(link, markdown);
        let world = world.name("other.test", &[&[PUBLIC]]);
        assert!(world.page("http://public.test/d/a").bytes.ends_with(b"html"));
        assert_eq!(server.requests().len(), 1, "{link}");
    }
}
