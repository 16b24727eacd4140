//! Sets of documents, archives and bundles from a web server.

use std::io::Write;
use std::sync::{Arc, Mutex};

use docent_sources::Outcome;

use crate::archive::Tar;
use crate::server::{Request, Server, not_found, ok, reply};
use crate::support::{Desk, files, names};

/// Path and text of what is served.
type Pages = Arc<Mutex<Vec<(String, String)>>>;

/// Files that can be changed while they are served, with an ETag each.
fn site(files: &[(&str, &str)]) -> (Server, Pages) {
    let files: Vec<_> = files.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned())).collect();
    let files = Arc::new(Mutex::new(files));
    let served = Arc::clone(&files);
    let server = Server::start(move |request| {
        let files = served.lock().unwrap();
        let Some((_, text)) = files.iter().find(|(path, _)| *path == request.path) else {
            return not_found();
        };
        let etag = format!("\"{}\"", &blake3::hash(text.as_bytes()).to_hex()[..8]);
        if request.header("if-none-match") == Some(&etag) {
            return reply("304 Not Modified", "", b"");
        }
        reply("200 OK", &format!("ETag: {etag}"), text.as_bytes())
    });
    (server, files)
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn refused(answer: impl Fn(&Request) -> Vec<u8> + Send + Sync + 'static, part: &str) {
    let server = Server::start(answer);
    let said = Desk::new().refusal(&server.url("/d/manifest.json"));
    assert!(said.contains(part), "{part}: {said}");
}

/// A manifest with these words, and `a.md` beside it.
fn manifest_refused(manifest: &str, part: &str) {
    let manifest = manifest.to_owned();
    let answer = move |request: &Request| match request.path.as_str() {
        "/d/manifest.json" => ok(manifest.as_bytes()),
        "/d/a.md" => ok(b"a"),
        _ => not_found(),
    };
    refused(answer, part);
}

const MANIFEST: &str = r#"{"name":"guide","version":"1","sources":{"files":["a.md","x/b c.md"]}}"#;

#[test]
fn a_listed_set_is_fetched() {
    let (server, _) = site(&[("/d/manifest.json", MANIFEST), ("/d/a.md", "a"), ("/d/x/b%20c.md", "b")]);
    let desk = Desk::new();
    let fetched = desk.fetch(&server.url("/d/manifest.json"));
    assert_eq!(names(&fetched.root), ["a.md", "x/b c.md"]);
    assert_eq!((fetched.name.as_deref(), fetched.version.as_deref()), (Some("guide"), Some("1")));
    assert_eq!(fetched.include, ["a.md", "x/b c.md"]);
}

#[test]
fn the_second_time_only_what_changed_is_sent() {
    let (server, site) = site(&[("/d/manifest.json", MANIFEST), ("/d/a.md", "a"), ("/d/x/b%20c.md", "b")]);
    let desk = Desk::new();
    let url = server.url("/d/manifest.json");
    let first = desk.fetch(&url).revision.unwrap();
    server.requests();
    assert!(matches!(desk.try_fetch(&url, Some(&first)).unwrap(), Outcome::Unchanged));
    let requests = server.requests();
    assert_eq!(requests.len(), 3);
    assert!(requests.iter().all(|request| request.header("if-none-match").is_some()));
    site.lock().unwrap()[1].1 = "changed".to_owned();
    let Outcome::Fetched(second) = desk.try_fetch(&url, Some(&first)).unwrap() else { panic!("unchanged") };
    assert_eq!(files(&second.root)["a.md"], "changed");
    assert_eq!(files(&second.root)["x/b c.md"], "b");
    assert_ne!(second.revision, Some(first));
}

#[test]
fn files_with_a_known_hash_are_not_asked_for_again() {
    let hash = blake3::hash(b"a").to_hex();
    let manifest = format!(r#"{{"sources":{{"files":[{{"path":"a.md","hash":"blake3:{hash}"}}]}}}}"#);
    let (server, _) = site(&[("/manifest.json", &manifest), ("/a.md", "a")]);
    let desk = Desk::new();
    desk.fetch(&server.url("/manifest.json"));
    server.requests();
    desk.fetch(&server.url("/manifest.json"));
    let paths: Vec<String> = server.requests().into_iter().map(|request| request.path).collect();
    assert_eq!(paths, ["/manifest.json"]);
}

#[test]
fn what_was_kept_and_changed_on_disk_is_fetched_again() {
    let (server, _) = site(&[("/manifest.json", r#"{"sources":{"files":["a.md"]}}"#), ("/a.md", "a")]);
    let desk = Desk::new();
    desk.fetch(&server.url("/manifest.json"));
    for folder in std::fs::read_dir(desk.cache().join("web")).unwrap().flatten().filter(|e| e.path().is_dir())
    {
        for entry in std::fs::read_dir(folder.path()).unwrap().flatten() {
            std::fs::write(entry.path(), "{}").unwrap();
        }
    }
    assert_eq!(files(&desk.fetch(&server.url("/manifest.json")).root)["a.md"], "a");
}

#[test]
fn wrong_hashes_refuse_the_set() {
    let zeros = "00".repeat(32);
    let right = blake3::hash(b"a").to_hex();
    let listed = format!(r#"{{"sources":{{"files":[{{"path":"a.md","hash":"blake3:{zeros}"}}]}}}}"#);
    manifest_refused(&listed, &format!("blake3:{right} instead of blake3:{zeros}"));
    let aside = format!(r#"{{"sources":{{"files":["a.md"]}},"hashes":{{"a.md":"sha256:{zeros}"}}}}"#);
    manifest_refused(&aside, "instead of sha256:00");
}

#[test]
fn manifests_that_make_no_sense_are_refused() {
    manifest_refused("nonsense", "manifest.json is not JSON");
    manifest_refused(r#"{"name":"x"}"#, "\"sources\"");
    manifest_refused(r#"{"sources":{"glob":"*.md"}}"#, "sources.files");
    manifest_refused(r#"{"sources":{"files":["../a.md"]}}"#, "..");
    manifest_refused(r#"{"sources":{"files":["https://evil.org/a.md"]}}"#, "empty part");
    manifest_refused(r#"{"sources":{"files":["//evil.org/a.md"]}}"#, "absolute");
    manifest_refused(r#"{"sources":{"files":["/a.md"]}}"#, "absolute");
    manifest_refused(r#"{"sources":{"files":["a.md","b.md"]}}"#, "b.md answered 404");
    manifest_refused(r#"{"sources":{"files":[]}}"#, "has no documents");
}

#[test]
fn servers_that_misbehave_are_refused() {
    refused(|_| not_found(), "answered 404");
    refused(|_| reply("401 Unauthorized", "", b""), "who you are");
    refused(|_| reply("200 OK", "Content-Encoding: br", b"x"), "encoding br");
    refused(|_| b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{}".to_vec(), "broke off");
    refused(|_| b"nonsense\r\n\r\n".to_vec(), "cannot be reached");
    refused(|_| b"HTTP/1.1 200 OK\r\nContent-Length: 99999999999\r\n\r\n{".to_vec(), "larger than 8 MiB");
    refused(|_| reply("302 Found", "", b""), "redirects to nowhere");
    refused(|_| reply("302 Found", "Location: /d/manifest.json", b""), "more than 5 times");
    let said = Desk::new().refusal("http://127.0.0.1:1/x.json");
    assert!(said.contains("cannot be reached"), "{said}");
}

#[test]
fn compressed_answers_are_unpacked_within_limits() {
    let answer = |request: &Request| match request.path.as_str() {
        "/manifest.json" => {
            assert_eq!(request.header("accept-encoding"), Some("gzip"));
            reply("200 OK", "Content-Encoding: gzip", &gzip(br#"{"sources":{"files":["a.md"]}}"#))
        }
        _ => reply("200 OK", "Content-Encoding: gzip", &gzip(b"text")),
    };
    let server = Server::start(answer);
    assert_eq!(files(&Desk::new().fetch(&server.url("/manifest.json")).root)["a.md"], "text");
    let bomb = gzip(&vec![b' '; 64 << 20]);
    refused(move |_| reply("200 OK", "Content-Encoding: gzip", &bomb), "larger than 8 MiB");
}

#[test]
fn redirects_on_the_same_host_are_followed() {
    let answer = |request: &Request| match request.path.as_str() {
        "/manifest.json" => reply("301 Moved", "Location: /v2/manifest.json", b""),
        "/v2/manifest.json" => ok(br#"{"sources":{"files":["a.md"]}}"#),
        "/a.md" => reply("307 Temporary", "Location: v2/a.md", b""),
        "/v2/a.md" => ok(b"a"),
        _ => not_found(),
    };
    let server = Server::start(answer);
    assert_eq!(names(&Desk::new().fetch(&server.url("/manifest.json")).root), ["a.md"]);
}

#[test]
fn files_are_beside_the_manifest_that_answered() {
    let to = Arc::new(Mutex::new("/v2"));
    let now = Arc::clone(&to);
    let answer = move |request: &Request| match request.path.as_str() {
        "/latest/manifest.json" => {
            reply("302 Found", &format!("Location: {}/manifest.json", now.lock().unwrap()), b"")
        }
        path if path.ends_with("/manifest.json") && request.header("if-none-match").is_some() => {
            reply("304 Not Modified", "", b"")
        }
        path if path.ends_with("/manifest.json") => {
            reply("200 OK", "ETag: \"1\"", br#"{"sources":{"files":["x/a.md"]}}"#)
        }
        "/v2/x/a.md" => ok(b"two"),
        "/v3/x/a.md" => ok(b"three"),
        _ => not_found(),
    };
    let server = Server::start(answer);
    let desk = Desk::new();
    let check = |text: &str| {
        let fetched = desk.fetch(&server.url("/latest/manifest.json"));
        assert_eq!(files(&fetched.root)["x/a.md"], text);
    };
    check("two");
    check("two");
    // The manifest stays what it is, and is somewhere else.
    *to.lock().unwrap() = "/v3";
    check("three");
}

#[test]
fn a_page_in_place_of_a_document_is_refused() {
    let answer = |kind: &'static str, name: &'static str| {
        move |request: &Request| match request.path.as_str() {
            "/d/manifest.json" => ok(format!(r#"{{"sources":{{"files":["{name}"]}}}}"#).as_bytes()),
            _ => reply("200 OK", &format!("Content-Type: {kind}"), b"<h1>Log in</h1>"),
        }
    };
    refused(answer("text/html; charset=utf-8", "a.md"), "a.md answered with a web page");
    refused(answer("TEXT/HTML", "a.MDX"), "may want a login");
    refused(answer("application/xhtml+xml", "a.txt"), "a.txt answered with a web page");
    for (kind, name) in [("text/markdown", "a.md"), ("text/html", "a.html"), ("text/plain", "a.md")] {
        let server = Server::start(answer(kind, name));
        assert_eq!(names(&Desk::new().fetch(&server.url("/d/manifest.json")).root), [name]);
    }
}

#[test]
fn redirects_into_the_inside_are_refused() {
    let secret = Server::start(|_| ok(br#"{"sources":{"files":["secret.md"]}}"#));
    let port = secret.url("").rsplit(':').next().unwrap().to_owned();
    for target in [
        format!("http://localhost:{port}/x.json"),
        format!("https://localhost:{port}/x.json"),
        format!("http://127.0.0.2:{port}/x.json"),
        format!("https://[::1]:{port}/x.json"),
        format!("https://[::ffff:127.0.0.1]:{port}/x.json"),
        format!("https://2130706433:{port}/x.json"),
        "https://169.254.169.254/latest/meta-data/".to_owned(),
        "https://10.0.0.1/x.json".to_owned(),
        "file:///etc/passwd".to_owned(),
        "gopher://127.0.0.1:6379/_FLUSHALL".to_owned(),
    ] {
        let answer = reply("302 Found", &format!("Location: {target}"), b"");
        let server = Server::start(move |_| answer.clone());
        let said = Desk::new().refusal(&server.url("/x.json"));
        assert!(said.contains("public") || said.contains("not used"), "{target}: {said}");
    }
    assert!(secret.requests().is_empty());
}

#[test]
fn trouble_that_passes_is_waited_out() {
    let failures = Mutex::new(1);
    let answer = move |request: &Request| match request.path.as_str() {
        "/manifest.json" => ok(br#"{"sources":{"files":["a.md"]}}"#),
        _ if std::mem::take(&mut *failures.lock().unwrap()) > 0 => reply("503 Unavailable", "", b""),
        _ => ok(b"a"),
    };
    let server = Server::start(answer);
    assert_eq!(names(&Desk::new().fetch(&server.url("/manifest.json")).root), ["a.md"]);
}

#[test]
fn archives_are_downloaded_once() {
    let bytes = Tar::default().file("r/a.md", "a").packed();
    let served = bytes.clone();
    let server = Server::start(move |request| match request.header("if-none-match") {
        Some("\"1\"") => reply("304 Not Modified", "", b""),
        // Some servers say this of every .gz; the file is still the file.
        _ => reply("200 OK", "ETag: \"1\"\nContent-Encoding: x-gzip", &served),
    });
    let desk = Desk::new();
    let url = server.url("/x.tar.gz");
    let fetched = desk.fetch(&url);
    assert_eq!(names(&fetched.root), ["a.md"]);
    let revision = fetched.revision.unwrap();
    assert_eq!(revision, format!("blake3:{}", blake3::hash(&bytes).to_hex()));
    assert!(matches!(desk.try_fetch(&url, Some(&revision)).unwrap(), Outcome::Unchanged));
    assert!(matches!(desk.fetch_with(&url, Some(&revision), Some(&revision)).unwrap(), Outcome::Unchanged));
    let wrong = format!("sha256:{}", "00".repeat(32));
    let error = desk.fetch_with(&url, Some(&revision), Some(&wrong)).unwrap_err();
    assert!(error.message.contains(&wrong), "{error}");
    // Without what is known there is nothing to compare with, and the file comes again.
    assert!(matches!(desk.try_fetch(&url, None).unwrap(), Outcome::Fetched(_)));
    let server = Server::start(move |_| ok(&bytes[..bytes.len() - 5]));
    assert!(desk.refusal(&server.url("/x.tgz")).contains("cannot be read"));
}

#[test]
fn bundles_are_downloaded() {
    let (bytes, summary) = crate::bundle::sample();
    let server = Server::start(move |_| ok(&bytes));
    let desk = Desk::new();
    let fetched = desk.fetch(&server.url("/x.docent"));
    assert_eq!(fetched.revision, Some(summary.hash));
    assert!(fetched.vectors.is_some());
}
