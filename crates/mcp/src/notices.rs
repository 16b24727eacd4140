//! Telling clients that something changed: the tools (facets in their schemas), the list of documents, a document.
//!
//! Changes come from files, from this process and from others that share the index, so the index itself is asked, a few times a
//! second and only while somebody listens. Newer clients listen with `subscriptions/listen`; older ones are told when they have
//! said hello, and of single documents when they have subscribed.

use std::collections::{BTreeSet, HashMap};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use docent_engine::{Access, Engine};
use rmcp::model::ResourceUpdatedNotificationParam;
use rmcp::service::{Peer, SubscriptionContext};
use rmcp::{ErrorData, RoleServer};
use tokio::sync::broadcast;

use crate::calling::caller;
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
    /// Whether the tools changed for who sees everything.
    tools: bool,
    /// Collections that have other documents now.
    listed: BTreeSet<String>,
    /// Collections in which anything is different.
    touched: BTreeSet<String>,
    /// Addresses of documents that are different or gone.
    updated: BTreeSet<String>,
}

/// What of a change somebody hears who may know of some collections.
#[derive(Debug, Clone, Copy)]
struct Heard {
    tools: bool,
    documents: bool,
}

impl Change {
    fn heard_with(&self, access: &Access) -> Heard {
        let is_theirs = |names: &BTreeSet<String>| names.iter().any(|name| access.allows(name));
        let tools = self.tools && (*access == Access::All || is_theirs(&self.touched));
        Heard { tools, documents: is_theirs(&self.listed) }
    }
}

/// Everybody who wants to be told.
pub(crate) struct Notices {
    changes: broadcast::Sender<Arc<Change>>,
    older: Mutex<Vec<Older>>,
}

/// A client of the handshake era.
struct Older {
    peer: Peer<RoleServer>,
    access: Access,
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
    pub(crate) fn add(&self, peer: Peer<RoleServer>, access: Access) {
        let mut older = self.lock();
        older.retain(|older| !older.peer.is_transport_closed());
        older.push(Older { peer, access, subscribed: BTreeSet::new() });
    }

    /// From now on, or no longer, this client is told of a document's changes.
    pub(crate) fn subscribe(
        &self,
        peer: &Peer<RoleServer>,
        access: Access,
        uri: &str,
        wanted: bool,
    ) -> Result<(), ErrorData> {
        let mut older = self.lock();
        older.retain(|older| !older.peer.is_transport_closed());
        let at = match older.iter().position(|older| same(&older.peer, peer)) {
            Some(at) => at,
            None => {
                older.push(Older { peer: peer.clone(), access, subscribed: BTreeSet::new() });
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
        let access = caller(context.request_context()).access;
        loop {
            let change = tokio::select! {
                () = context.cancelled() => return,
                change = changes.recv() => change,
            };
            let (heard, change) = match change {
                Ok(change) => (change.heard_with(&access), change),
                // Too slow: it can no longer know what it missed, so it is told that the lists changed.
                Err(broadcast::error::RecvError::Lagged(_)) => {
                    (Heard { tools: true, documents: true }, Arc::default())
                }
                Err(broadcast::error::RecvError::Closed) => return,
            };
            let sink = context.sink();
            // What the client did not ask for is refused by the sink; a closed stream ends the loop above.
            if heard.tools {
                let _ = sink.notify_tool_list_changed().await;
            }
            if heard.documents {
                let _ = sink.notify_resource_list_changed().await;
            }
            for uri in wanted(context.accepted().resource_subscriptions.iter().flatten(), &access, &change) {
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
        let known = |older: &Older| (older.peer.clone(), older.access.clone(), older.subscribed.clone());
        let older: Vec<_> = self.lock().iter().map(known).collect();
        let change = Arc::new(change);
        for (peer, access, subscribed) in older {
            let change = Arc::clone(&change);
            // A client that does not read must not keep the others from hearing.
            tokio::spawn(tokio::time::timeout(PATIENCE, async move {
                tell(&peer, &access, &subscribed, &change).await
            }));
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

async fn tell(peer: &Peer<RoleServer>, access: &Access, subscribed: &BTreeSet<String>, change: &Change) {
    let heard = change.heard_with(access);
    if heard.tools {
        let _ = peer.notify_tool_list_changed().await;
    }
    if heard.documents {
        let _ = peer.notify_resource_list_changed().await;
    }
    for uri in wanted(subscribed.iter(), access, change) {
        let _ = peer.notify_resource_updated(ResourceUpdatedNotificationParam::new(uri)).await;
    }
}

/// The subscriptions that a change is about; a section changes with its page. Anybody may subscribe to anything, and hears of
/// what they may know of.
fn wanted<'a>(subscribed: impl Iterator<Item = &'a String>, access: &Access, change: &Change) -> Vec<String> {
    let page = |uri: &str| {
        let address = uri::read(uri).filter(|address| access.allows(&address.collection))?;
        Some(uri::of_page(&address.collection, &address.path))
    };
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
    let missing_in = |from: &Seen, to: &Seen| -> BTreeSet<String> {
        from.documents.keys().filter(|uri| !to.documents.contains_key(*uri)).cloned().collect()
    };
    let changed =
        |(uri, hash): &(&String, &String)| before.documents.get(*uri).is_some_and(|old| old != *hash);
    let (gone, new) = (missing_in(before, now), missing_in(now, before));
    let changed = now.documents.iter().filter(changed).map(|(uri, _)| uri.clone());
    let updated: BTreeSet<String> = gone.iter().cloned().chain(changed).collect();
    let listed = collections(gone.iter().chain(&new));
    let touched = collections(updated.iter().chain(&new));
    Change { tools: !before.facets.looks_like(&now.facets), listed, touched, updated }
}

/// The collections that documents belong to, by their addresses.
fn collections<'a>(uris: impl Iterator<Item = &'a String>) -> BTreeSet<String> {
    uris.filter_map(|uri| Some(uri::read(uri)?.collection)).collect()
}

/// Whether both lead to the same client.
fn same(one: &Peer<RoleServer>, other: &Peer<RoleServer>) -> bool {
    match (one.peer_info(), other.peer_info()) {
        (Some(one), Some(other)) => Arc::ptr_eq(&one, &other),
        _ => false,
    }
}
