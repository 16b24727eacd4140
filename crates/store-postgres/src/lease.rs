//! Being the one process that does something: locks of a session, on a connection of its own.
//!
//! Not of a transaction, because one that is open for hours would keep the server from clearing up. Whoever works on some
//! collections shares the lock on everything, so that only who wants everything has to wait for all of them. A pooler that
//! hands out connections for single transactions has to be passed by.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use docent_index::{Lease, Role, StoreError};
use tokio_postgres::Client;

use crate::fault::Outcome;
use crate::shared::Shared;

/// "leas"; the number of the role is added.
const LEASES: i32 = 0x6c65_6173;
/// The second number of the lock on everything.
const EVERYTHING: i32 = 0;

/// Takes the lease if nobody has it.
pub(crate) fn take(shared: &Arc<Shared>, role: Role, of: &[String]) -> Result<Option<Lease>, StoreError> {
    let embeds = role == Role::Embed;
    let role = LEASES
        + match role {
            Role::Ingest => 1,
            Role::Embed => 2,
            Role::Library => 3,
            Role::Verify => 4,
        };
    let client = shared.told(shared.link.wait_for(shared.link.trifle(), async {
        let client = shared.link.own_client().await?;
        // Any number may embed: each claims what it works on, and its claims end with this connection.
        let number: i32 = client.query_one("SELECT pg_backend_pid()", &[]).await?.get(0);
        if embeds {
            shared.embeds.store(number, Ordering::Release);
        } else if !lock(&client, role, of).await? {
            give_back(&client).await?;
            return Ok(None);
        }
        // Whoever had it before has written, and who has it now builds on that.
        if let Some(replica) = &shared.replica {
            replica.remember(&client, 0).await?;
        }
        Ok(Some((client, number)))
    }))?;
    Ok(client
        .map(|(client, number)| Lease::new(Held { client: Some(client), number, shared: shared.clone() })))
}

async fn lock(client: &Client, role: i32, of: &[String]) -> Outcome<bool> {
    let try_one = async |function: &str, number: i32| -> Outcome<bool> {
        let row = client.query_one(&format!("SELECT {function}($1, $2)"), &[&role, &number]).await?;
        Ok(row.get(0))
    };
    if of.is_empty() {
        return try_one("pg_try_advisory_lock", EVERYTHING).await;
    }
    if !try_one("pg_try_advisory_lock_shared", EVERYTHING).await? {
        return Ok(false);
    }
    for name in of {
        if !try_one("pg_try_advisory_lock", number(name)).await? {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Before the connection ends, so that who asks next gets at once what is free, be it all or what was locked before one that
/// is taken.
async fn give_back(client: &Client) -> Outcome<()> {
    client.execute("SELECT pg_advisory_unlock_all()", &[]).await?;
    Ok(())
}

/// Two names of one number would only wait for each other.
fn number(name: &str) -> i32 {
    let [a, b, c, d, ..] = *blake3::hash(name.as_bytes()).as_bytes();
    i32::from_le_bytes([a, b, c, d]).max(i32::MIN + 1).abs().max(1)
}

/// A connection that has locks. The server frees them when the connection ends, in whatever way.
struct Held {
    client: Option<Client>,
    /// The server's process for it.
    number: i32,
    shared: Arc<Shared>,
}

impl Drop for Held {
    fn drop(&mut self) {
        let _ = self.shared.embeds.compare_exchange(self.number, 0, Ordering::AcqRel, Ordering::Relaxed);
        if let Some(client) = self.client.take() {
            let _ = self.shared.link.wait_for(self.shared.link.trifle(), give_back(&client));
        }
    }
}
