//! Telling clients that something changed: the tools (facets in their schemas), the list of documents, a document.
//!
//! Changes come from files, from this process and from others that share the index, so the index itself is asked, a few times a
//! second and only while somebody listens. Newer clients listen with `subscriptions/listen`; older ones are told when they have
//! said hello, and of single documents when they have subscribed.

use std::collections::{BTreeSet, HashMap};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use docent_engine::Engine;
use rmcp::model::ResourceUpdatedNotificationParam;
use rmcp::service::{Peer, SubscriptionContext};
use rmcp::{ErrorData, RoleServer};
use tokio::sync::broadcast;

use crate::facets::Facets;
use crate::reach::reach;
use crate::uri;

/// How often the index is asked.
const POLL: Duration = Duration::from_millis(250);
/// How long a client may take to read a notice.
const PATIENCE: Duration = Duration::from_secs(10);
/// Notices that a slow listener may be behind.
const QUEUE: usize = 64;
/// Longest address that can be subscribed to.
const MAX_URI_BYTES: usize = 8 * 1024;
/// `subscriptions/listen` requests at once.
const MAX_LISTENERS: usize = 512;
/// Subscriptions of one client.
const MAX_SUBSCRIPTIONS: usize = 1_000;

/// What changed between two looks.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Change {
    tools: bool,
    documents: bool,
    updated: BTreeSet<String>,
}

/// Everybody who wants to be told.
pub(crate) struct Notices {
    changes: broadcast::Sender<Arc<Change>>,
    older: Mutex<Vec<Older>>,
}

/// A client of the handshake era.
struct Older {
    peer: Peer<RoleServer>,
    subscribed: BTreeSet<String>,
}

/// What the index looked like.
#[derive(Default)]
struct Seen {
    generation: u64,
    facets: Facets,
    documents: HashMap<String, String>,
}

impl Notices {
    pub(crate) fn new() -> Self {
        Self { changes: broadcast::channel(QUEUE).0, older: Mutex::new(Vec::new()) }
    }

    /// From now on this client is told of changed lists.
    pub(crate) fn add(&self, peer: Peer<RoleServer>) {
        let mut older = self.lock();
        older.retain(|older| !older.peer.is_transport_closed());
        older.push(Older { peer, subscribed: BTreeSet::new() });
    }

    /// From now on, or no longer, this client is told of a document's changes.
    pub(crate) fn subscribe(
        &self,
        peer: &Peer<RoleServer>,
        uri: &str,
        wanted: bool,
    ) -> Result<(), ErrorData> {
        let mut older = self.lock();
        older.retain(|older| !older.peer.is_transport_closed());
        let at = match older.iter().position(|older| same(&older.peer, peer)) {
            Some(at) => at,
            None => {
                older.push(Older { peer: peer.clone(), subscribed: BTreeSet::new() });
                older.len() - 1
            }
        };
        let subscribed = &mut older[at].subscribed;
        if !wanted {
            subscribed.remove(uri);
        } else if uri.len() > MAX_URI_BYTES {
            return Err(ErrorData::invalid_params(
                format!("the address has {} bytes and the limit is {MAX_URI_BYTES}", uri.len()),
                None,
            ));
        } else if subscribed.len() >= MAX_SUBSCRIPTIONS {
            return Err(ErrorData::invalid_params(
                format!("there are {MAX_SUBSCRIPTIONS} subscriptions already; unsubscribe from some first"),
                None,
            ));
        } else {
            subscribed.insert(uri.to_owned());
        }
        Ok(())
    }

    /// Serves one `subscriptions/listen` until it ends.
    pub(crate) async fn listen(&self, context: SubscriptionContext) {
        if self.changes.receiver_count() >= MAX_LISTENERS {
            return;
        }
        let mut changes = self.changes.subscribe();
        loop {
            let change = tokio::select! {
                () = context.cancelled() => return,
                change = changes.recv() => change,
            };
            let change = match change {
                Ok(change) => change,
                // Too slow: it can no longer know what it missed, so it is told that the lists changed.
                Err(broadcast::error::RecvError::Lagged(_)) => {
                    Arc::new(Change { tools: true, documents: true, updated: BTreeSet::new() })
                }
                Err(broadcast::error::RecvError::Closed) => return,
            };
            let sink = context.sink();
            // What the client did not ask for is refused by the sink; a closed stream ends the loop above.
            if change.tools {
                let _ = sink.notify_tool_list_changed().await;
            }
            if change.documents {
                let _ = sink.notify_resource_list_changed().await;
            }
            for uri in wanted(context.accepted().resource_subscriptions.iter().flatten(), &change) {
                let _ = sink.notify_resource_updated(uri).await;
            }
        }
    }

    /// Looks at the index for as long as the server lives.
    pub(crate) async fn watch(self: Arc<Self>, engine: Arc<Engine>, named: Arc<[String]>) {
        let mut seen: Option<Seen> = None;
        loop {
            // The first look is not put off until somebody listens: what changes right after they came would be missed.
            if seen.is_none() || self.has_listeners() {
                let (looking, named) = (Arc::clone(&engine), Arc::clone(&named));
                let before = seen.take();
                let looked = tokio::task::spawn_blocking(move || look(&looking, &named, before)).await;
                let Ok((now, change)) = looked else { return };
                seen = now;
                if change != Change::default() {
                    self.tell(change);
                }
            }
            tokio::time::sleep(POLL).await;
        }
    }

    fn tell(&self, change: Change) {
        let older: Vec<(Peer<RoleServer>, BTreeSet<String>)> =
            self.lock().iter().map(|older| (older.peer.clone(), older.subscribed.clone())).collect();
        let change = Arc::new(change);
        for (peer, subscribed) in older {
            let change = Arc::clone(&change);
            // A client that does not read must not keep the others from hearing.
            tokio::spawn(tokio::time::timeout(
                PATIENCE,
                async move { tell(&peer, &subscribed, &change).await },
            ));
        }
        let _ = self.changes.send(change);
    }

    fn has_listeners(&self) -> bool {
        let mut older = self.lock();
        older.retain(|older| !older.peer.is_transport_closed());
        !older.is_empty() || self.changes.receiver_count() > 0
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Vec<Older>> {
        self.older.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

async fn tell(peer: &Peer<RoleServer>, subscribed: &BTreeSet<String>, change: &Change) {
    if change.tools {
        let _ = peer.notify_tool_list_changed().await;
    }
    if change.documents {
        let _ = peer.notify_resource_list_changed().await;
    }
    for uri in wanted(subscribed.iter(), change) {
        let _ = peer.notify_resource_updated(ResourceUpdatedNotificationParam::new(uri)).await;
    }
}

/// The subscriptions that a change is about; a section changes with its page.
fn wanted<'a>(subscribed: impl Iterator<Item = &'a String>, change: &Change) -> Vec<String> {
    let page = |uri: &str| uri::read(uri).map(|address| uri::of_page(&address.collection, &address.path));
    subscribed.filter(|uri| page(uri).is_some_and(|page| change.updated.contains(&page))).cloned().collect()
}

/// Compares the index with what was seen; nothing counts as changed at the first look.
fn look(engine: &Engine, named: &[String], before: Option<Seen>) -> (Option<Seen>, Change) {
    let unchanged = |before: &Seen| engine.content_generation().is_ok_and(|now| now == before.generation);
    if before.as_ref().is_some_and(unchanged) {
        return (before, Change::default());
    }
    let Some(now) = see(engine, named) else { return (before, Change::default()) };
    let change = before.map(|before| compare(&before, &now)).unwrap_or_default();
    (Some(now), change)
}

fn see(engine: &Engine, named: &[String]) -> Option<Seen> {
    let scope = reach(engine, named).ok()?;
    let facets = Facets::of(engine, &scope).ok()?;
    let entries = engine.indexed_entries(&scope).ok()?;
    let document =
        |entry: docent_engine::Entry| (uri::of_page(&entry.collection, &entry.path), entry.content_hash);
    Some(Seen {
        generation: facets.generation,
        facets,
        documents: entries.into_iter().map(document).collect(),
    })
}

fn compare(before: &Seen, now: &Seen) -> Change {
    let gone = before.documents.keys().filter(|uri| !now.documents.contains_key(*uri));
    let changed =
        |(uri, hash): &(&String, &String)| before.documents.get(*uri).is_some_and(|old| old != *hash);
    let is_new = |uri: &&String| !before.documents.contains_key(*uri);
    let gone: BTreeSet<String> = gone.cloned().collect();
    let documents = !gone.is_empty() || now.documents.keys().any(|uri| is_new(&uri));
    let mut updated = gone;
    updated.extend(now.documents.iter().filter(changed).map(|(uri, _)| uri.clone()));
    Change { tools: !before.facets.looks_like(&now.facets), documents, updated }
}

/// Whether both lead to the same client.
fn same(one: &Peer<RoleServer>, other: &Peer<RoleServer>) -> bool {
    match (one.peer_info(), other.peer_info()) {
        (Some(one), Some(other)) => Arc::ptr_eq(&one, &other),
        _ => false,
    }
}
