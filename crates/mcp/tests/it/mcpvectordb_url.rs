//! mcpvectordb: `ingest_url`, with a server of this machine.

use std::io::{BufRead, BufReader, Write};
use std::net::TcpListener;
use std::sync::{Arc, Mutex};

use serde_json::json;

use crate::mcpvectordb_world::{results, setup};
use crate::world::{Setup, World};

/// A server that answers every request with this page, whatever it is by then.
struct Page {
    url: String,
    body: Arc<Mutex<String>>,
}

impl Page {
    fn serve(body: &str) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}/guide.html", listener.local_addr().unwrap());
        let body = Arc::new(Mutex::new(body.to_owned()));
        let served = Arc::clone(&body);
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let Ok(mut stream) = stream else { return };
                let mut lines = BufReader::new(stream.try_clone().unwrap()).lines();
                while lines.next().is_some_and(|line| line.is_ok_and(|line| !line.is_empty())) {}
                let body = served.lock().unwrap().clone();
                let head = match body.as_str() {
                    "" => "HTTP/1.1 404 Not Found".to_owned(),
                    _ => "HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8".to_owned(),
                };
                let _ = write!(
                    stream,
                    "{head}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}",
                    body.len()
                );
            }
        });
        Self { url, body }
    }

    fn now(&self, body: &str) {
        body.clone_into(&mut self.body.lock().unwrap());
    }
}

fn world() -> World {
    Setup { private_networks: true, ..setup() }.start()
}

const PAGE: &str = "<html><head><title>Guide</title></head><body><h1>Guide</h1><p>The quokka sleeps by day, and nobody knows for how \
long.</p></body></html>";

#[test]
fn mcpvectordb_a_page_is_fetched_indexed_skipped_and_replaced() {
    let page = Page::serve(PAGE);
    let world = world();
    let mut client = world.client();
    let first = client.call("ingest_url", json!({"url": page.url, "metadata": {"topic": "zoo"}}));
    assert_eq!(first["status"], "indexed", "{first}");
    assert_eq!((&first["source"], &first["library"]), (&json!(page.url), &json!("default")));
    let hit = results(&mut client, json!({"query": "quokka", "filter": {"source": page.url}}))[0].clone();
    assert_eq!((&hit["title"], &hit["file_type"]), (&json!("Guide"), &json!("html")));
    assert_eq!(hit["metadata"], json!({"topic": "zoo"}));
    let again = client.call("ingest_url", json!({"url": page.url}));
    assert_eq!((&again["status"], &again["chunk_count"]), (&json!("skipped"), &first["chunk_count"]));
    page.now(&PAGE.replace("quokka", "wombat"));
    let other = client.call("ingest_url", json!({"url": page.url}));
    assert_eq!((&other["status"], &other["doc_id"]), (&json!("replaced"), &first["doc_id"]));
}

#[test]
fn mcpvectordb_a_fragment_is_not_part_of_the_source() {
    let page = Page::serve(PAGE);
    let world = world();
    let mut client = world.client();
    let first = client.call("ingest_url", json!({"url": format!("{}#part", page.url)}));
    assert_eq!(first["source"], page.url.as_str());
    assert_eq!(client.call("ingest_url", json!({"url": page.url}))["status"], "skipped");
}

#[test]
fn mcpvectordb_a_page_that_is_gone_leaves_what_was_taken_in() {
    let page = Page::serve(PAGE);
    let world = world();
    let mut client = world.client();
    let first = client.call("ingest_url", json!({"url": page.url}));
    page.now("");
    let error = client.fails("ingest_url", json!({"url": page.url}));
    assert!(error.contains("404"), "{error}");
    let document = client.call("get_document", json!({"doc_id": first["doc_id"]}));
    assert!(document["content"].as_str().unwrap().contains("quokka"), "{document}");
}

#[test]
fn mcpvectordb_addresses_that_may_not_be_asked_are_refused() {
    let page = Page::serve(PAGE);
    let world = setup().start();
    let mut client = world.client();
    for url in [
        page.url.as_str(),
        "http://localhost/",
        "http://[::1]/",
        "http://169.254.169.254/latest/meta-data/",
        "http://10.0.0.1/",
        "file:///etc/passwd",
        "ftp://example.org/a",
        "javascript:alert(1)",
        "http://user:secret@example.org/",
        "not an address",
        "http://",
        "//example.org/",
    ] {
        let error = client.fails("ingest_url", json!({"url": url}));
        assert!(!error.contains("secret") && error.chars().count() < 400, "{url}: {error}");
    }
    assert_eq!(client.call("list_documents", json!({}))["total"], 1);
}
