//! Servers that send too much, too slowly or in the wrong way.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use super::server::{Server, reply};
use super::{PUBLIC, World};
use crate::pages::{PageValidators, fetch_with};

/// A server that does what it wants with each connection, after the request came.
fn raw(act: impl Fn(&mut TcpStream) + Send + Sync + 'static) -> World {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            let _ = stream.read(&mut [0; 4096]);
            act(&mut stream);
        }
    });
    World::new().name("public.test", &[&[PUBLIC]]).at(PUBLIC, port)
}

fn refused(world: &World, part: &str) {
    let error = world.refusal("http://public.test/");
    assert!(error.message.contains(part), "{part}: {error}");
}

/// Sends this until the other side has enough.
fn endlessly(stream: &mut TcpStream, head: &str, part: &[u8]) {
    let _ = stream.write_all(head.as_bytes());
    while stream.write_all(part).is_ok() {}
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

#[test]
fn pages_have_a_limit_in_bytes() {
    let exact = vec![b'a'; 1 << 20];
    let served = exact.clone();
    let server = Server::start(move |_| reply("200 OK", "", &served));
    assert_eq!(World::public(&server).page("http://public.test/").bytes, exact);
    let large = vec![b'a'; (1 << 20) + 1];
    let server = Server::start(move |_| reply("200 OK", "", &large));
    refused(&World::public(&server), "is larger than 1 MiB");
    refused(
        &raw(|stream| endlessly(stream, "HTTP/1.1 200 OK\r\n\r\n", &[b'a'; 65536])),
        "is larger than 1 MiB",
    );
    let chunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
    refused(&raw(move |stream| endlessly(stream, chunked, b"4\r\naaaa\r\n")), "is larger than 1 MiB");
    let stated = "HTTP/1.1 200 OK\r\nContent-Length: 99999999999\r\n\r\n";
    refused(&raw(move |stream| endlessly(stream, stated, b"a")), "is larger than 1 MiB");
}

#[test]
fn a_length_that_is_not_true_is_refused() {
    let more = "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n";
    refused(&raw(move |stream| endlessly(stream, more, &[b'a'; 65536])), "sends more than it announces");
    // Also when it pretends to be done.
    let later = raw(move |stream| {
        let _ = stream.write_all(format!("{more}aaaaaaaaaa").as_bytes());
        thread::sleep(Duration::from_millis(10));
        let _ = stream.write_all(&[b'a'; 65536]);
    });
    refused(&later, "sends more than it announces");
    // A server that keeps the connection, or ends with an empty line, does nothing wrong.
    let kept = raw(move |stream| {
        let _ = stream.write_all(format!("{more}aaaaaaaaaa\r\n").as_bytes());
        thread::sleep(Duration::from_millis(500));
    });
    assert_eq!(kept.page("http://public.test/").bytes, b"aaaaaaaaaa");
    let less = b"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nab";
    refused(&raw(move |stream| drop(stream.write_all(less))), "broke off");
}

#[test]
fn the_limit_counts_what_was_unpacked() {
    let bomb = gzip(&vec![0; 64 << 20]);
    assert!(bomb.len() < 1 << 17);
    let server = Server::start(move |_| reply("200 OK", "Content-Encoding: gzip", &bomb));
    refused(&World::public(&server), "is larger than 1 MiB");
    let server = Server::start(|_| reply("200 OK", "Content-Encoding: gzip", &gzip(b"text")));
    assert_eq!(World::public(&server).page("http://public.test/").bytes, b"text");
    let server = Server::start(|_| reply("200 OK", "Content-Encoding: br", b"x"));
    refused(&World::public(&server), "encoding br, which was not asked for");
    let server = Server::start(|_| reply("200 OK", "Content-Encoding: gzip, gzip", b"x"));
    refused(&World::public(&server), "which was not asked for");
    let server = Server::start(|_| reply("200 OK", "Content-Encoding: gzip", b"nonsense"));
    refused(&World::public(&server), "broke off");
}

#[test]
fn slow_servers_are_given_up() {
    let brief = Duration::from_millis(150);
    let mut silent = raw(|_| thread::sleep(Duration::from_secs(5)));
    silent.patience.read = brief;
    refused(&silent, "did not answer");
    // A byte now and then keeps no one waiting for longer than a page may take.
    for head in ["", "HTTP/1.1 200 OK\r\n\r\n"] {
        let mut dripping = raw(move |stream| {
            let _ = stream.write_all(head.as_bytes());
            while stream.write_all(b"a").is_ok() {
                thread::sleep(Duration::from_millis(20));
            }
        });
        dripping.patience.whole = Duration::from_millis(400);
        let start = Instant::now();
        let error = dripping.refusal("http://public.test/");
        assert!(start.elapsed() < Duration::from_secs(2), "{error}");
    }
}

#[test]
fn headers_have_a_limit() {
    let head = "HTTP/1.1 200 OK\r\nX: ";
    refused(&raw(move |stream| endlessly(stream, head, &[b'a'; 65536])), "cannot be reached");
    let head = "HTTP/1.1 200 OK\r\n";
    refused(&raw(move |stream| endlessly(stream, head, b"X: a\r\n")), "cannot be reached");
    refused(&raw(|stream| endlessly(stream, "", b"HTTP/1.1 100 Continue\r\n\r\n")), "public.test");
    refused(&raw(|stream| drop(stream.write_all(b"nonsense\r\n\r\n"))), "cannot be reached");
}

#[test]
fn whoever_stops_does_not_wait() {
    let (asked, was_asked) = mpsc::channel();
    let world = raw(move |_| {
        let _ = asked.send(());
        thread::sleep(Duration::from_secs(5));
    });
    let stopped = std::sync::Mutex::new(None);
    let is_cancelled = || {
        let mut stopped = stopped.lock().unwrap();
        if stopped.is_none() && was_asked.try_recv().is_ok() {
            *stopped = Some(Instant::now());
        }
        stopped.is_some()
    };
    let error = fetch_with(&world.client(), "http://public.test/", &PageValidators::default(), &is_cancelled);
    assert!(error.unwrap_err().message.contains("cancelled"));
    assert!(stopped.lock().unwrap().unwrap().elapsed() < Duration::from_secs(1));
}
