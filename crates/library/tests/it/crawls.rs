//! Crawls of a small site on this machine.

use std::io::{BufRead, BufReader, Write};
use std::net::TcpListener;
use std::sync::Mutex;
use std::thread;

use docent_engine::Cancel;
use docent_library::{CrawlRules, Into, Status};

use crate::world::{World, outcomes};

/// A site of `/a`, which links to `/b`; whoever asks for `/b` is stopped before it comes. Gives the address of `/a`.
fn site(cancel: Cancel) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}/a", listener.local_addr().unwrap());
    thread::spawn(move || {
        let mut held = Vec::new();
        for stream in listener.incoming().flatten() {
            let mut lines =
                BufReader::new(&stream).lines().map_while(Result::ok).take_while(|line| !line.is_empty());
            let path = lines.next().unwrap_or_default().split(' ').nth(1).unwrap_or_default().to_owned();
            lines.for_each(drop);
            if path == "/b" {
                cancel.cancel();
                held.push(stream);
                continue;
            }
            let (status, body) = match path.as_str() {
                "/a" => ("200 OK", "<h1>Whales</h1><p>narwhal</p><a href='/b'>next</a>"),
                _ => ("404 Not Found", ""),
            };
            let head =
                format!("Content-Type: text/html\r\nContent-Length: {}\r\nConnection: close", body.len());
            let _ = write!(&stream, "HTTP/1.1 {status}\r\n{head}\r\n\r\n{body}");
        }
    });
    address
}

#[test]
fn a_crawl_that_is_stopped_tells_what_it_took_in() {
    let world = World::with_private_networks();
    let cancel = Cancel::default();
    let start = site(cancel.clone());
    let rules = CrawlRules { max_pages: 10, max_depth: 3, per_second: 100.0 };
    let told = Mutex::new(Vec::new());
    let tell = |file: &docent_library::FileReport| told.lock().unwrap().push(file.source.clone());
    let report = world.library.crawl(&start, &rules, &Into::default(), &tell, &cancel).unwrap();
    assert!(report.cancelled);
    assert_eq!(outcomes(&report), [("a".to_owned(), Some(Status::Indexed))]);
    assert_eq!(*told.lock().unwrap(), std::slice::from_ref(&start));
    assert_eq!(world.found("narwhal"), [start]);
}
