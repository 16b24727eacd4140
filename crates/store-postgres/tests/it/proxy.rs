//! A way to a server that can be blocked, and that can lose what matters most: the answer to a COMMIT.

use std::io::{ErrorKind, Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};
use std::thread;
use std::time::Duration;

use docent_testkit::{Database, Postgres};

/// What happens to the next COMMIT.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Lost {
    /// The server gets it, and the connection ends before the answer.
    Answer = 1,
    /// The connection ends before the server gets it.
    Question = 2,
    /// The server gets it, and the connection falls silent.
    Voice = 3,
}

/// Forwards connections from a port of this machine to the socket of a server.
pub(crate) struct Proxy {
    port: u16,
    way: Arc<Way>,
}

#[derive(Default)]
struct Way {
    /// Nothing is forwarded, and new connections are accepted and get no answer.
    is_blocked: AtomicBool,
    /// A [`Lost`], or 0.
    loses: AtomicU8,
    /// Bytes of answers that were read and not handed on.
    withheld: AtomicUsize,
}

impl Proxy {
    pub(crate) fn to(server: &Postgres) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let (way, socket) = (Arc::new(Way::default()), server.socket());
        let shared = way.clone();
        thread::spawn(move || {
            for client in listener.incoming().flatten() {
                forward(client, &socket, &shared);
            }
        });
        Self { port, way }
    }

    /// How to get to a database by this way.
    pub(crate) fn url(&self, database: &Database) -> String {
        format!("postgresql://postgres@127.0.0.1:{}/{}", self.port, database.name())
    }

    /// Blocks the way for good for all who are on it, and for who comes until [`Proxy::open`].
    pub(crate) fn block(&self) {
        self.way.is_blocked.store(true, Ordering::SeqCst);
        // Whoever forwards looks at least so often.
        thread::sleep(Duration::from_millis(50));
    }

    pub(crate) fn open(&self) {
        self.way.is_blocked.store(false, Ordering::SeqCst);
    }

    pub(crate) fn lose(&self, what: Lost) {
        self.way.loses.store(what as u8, Ordering::SeqCst);
    }

    /// Whether the COMMIT that was to be lost came by.
    pub(crate) fn has_seen_it(&self) -> bool {
        self.way.loses.load(Ordering::SeqCst) == 0
    }

    /// Bytes of answers that the server gave and nobody got, since this was last asked.
    pub(crate) fn withheld(&self) -> usize {
        self.way.withheld.swap(0, Ordering::SeqCst)
    }
}

fn forward(client: TcpStream, socket: &Path, way: &Arc<Way>) {
    let (silent, socket, way): (Arc<AtomicBool>, PathBuf, _) = (Arc::default(), socket.into(), way.clone());
    thread::spawn(move || {
        while way.is_blocked.load(Ordering::SeqCst) {
            thread::sleep(Duration::from_millis(10));
        }
        let Ok(server) = UnixStream::connect(socket) else { return };
        let pause = Some(Duration::from_millis(10));
        client.set_read_timeout(pause).unwrap();
        server.set_read_timeout(pause).unwrap();
        client.set_nodelay(true).unwrap();
        let (from_client, to_client) = (client.try_clone().unwrap(), client);
        let (from_server, to_server) = (server.try_clone().unwrap(), server);
        let ends: Arc<OnceLock<()>> = Arc::default();
        let (other_way, other_silent, other_ends) = (way.clone(), silent.clone(), ends.clone());
        let back = thread::spawn(move || {
            carry(from_server, &to_client, true, &other_way, &other_silent, &other_ends, |_| true);
            let _ = to_client.shutdown(Shutdown::Both);
        });
        carry(from_client, &to_server, false, &way, &silent, &ends.clone(), |bytes| {
            let lost = way.loses.load(Ordering::SeqCst);
            if lost == 0 || !bytes.windows(7).any(|part| part == b"COMMIT\0") {
                return true;
            }
            way.loses.store(0, Ordering::SeqCst);
            match lost {
                1 => {
                    silent.store(true, Ordering::SeqCst);
                    let _ = (&to_server).write_all(bytes);
                    thread::sleep(Duration::from_millis(200));
                    let _ = ends.set(());
                }
                2 => drop(ends.set(())),
                _ => {
                    silent.store(true, Ordering::SeqCst);
                    let _ = (&to_server).write_all(bytes);
                }
            }
            false
        });
        let _ = to_server.shutdown(Shutdown::Both);
        let _ = back.join();
    });
}

/// Carries bytes one way until one side ends. What `keep` refuses is not carried, and nothing once the way is silent: not
/// even that the server has ended the connection.
fn carry(
    mut from: impl Read,
    mut to: impl Write,
    is_answer: bool,
    way: &Way,
    silent: &AtomicBool,
    ends: &OnceLock<()>,
    keep: impl Fn(&[u8]) -> bool,
) {
    let mut bytes = [0; 16384];
    while ends.get().is_none() {
        if way.is_blocked.load(Ordering::SeqCst) {
            silent.store(true, Ordering::SeqCst);
        }
        let read = from.read(&mut bytes);
        // Looked at after reading: an answer may have come while this thread waited for it.
        let is_silent = silent.load(Ordering::SeqCst);
        match read {
            Ok(0) if is_silent && is_answer => thread::sleep(Duration::from_millis(10)),
            Ok(0) => break,
            Ok(count) if is_silent => {
                way.withheld.fetch_add(count * usize::from(is_answer), Ordering::SeqCst);
            }
            Ok(count) if !keep(&bytes[..count]) => {}
            Ok(count) => {
                if to.write_all(&bytes[..count]).is_err() {
                    break;
                }
            }
            Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => {}
            Err(_) => break,
        }
    }
    let _ = ends.set(());
}
