//! The tables, their format number, and what the server can do beyond plain SQL.
//!
//! Migrations run under an advisory lock, so that processes that start together do not meet. Only `CREATE EXTENSION` may
//! need more rights than the tables' owner has, and without it the store goes on and says what is missing.

use deadpool_postgres::{Client, GenericClient, Transaction};
use tokio_postgres::error::SqlState;

use crate::fault::{Fault, Outcome, words};
use crate::vectors;

/// The format that this program writes.
pub(crate) const FORMAT: u32 = MIGRATIONS.len() as u32;
/// One step for each format, in order.
const MIGRATIONS: [&str; 4] = [
    include_str!("../migrations/0001.sql"),
    include_str!("../migrations/0002.sql"),
    include_str!("../migrations/0003.sql"),
    include_str!("../migrations/0004.sql"),
];
/// "dcnt": what migrations of all processes lock.
const LOCK: i64 = 0x6463_6e74;
/// What is told of a database without pgvector.
const LACKING: &str = "the database has no pgvector 0.8 or newer: up to 200,000 passages are compared in this process, and more \
    are searched by words alone. Where the server has it, a superuser runs CREATE EXTENSION vector in this database once";
/// What is told of one where nobody has written since it came.
const UNUSED: &str =
    "pgvector is there and not used yet: run `docent index` once with a role that may write to the tables";

/// What there is.
pub(crate) struct Found {
    /// The schema of pgvector, quoted; `None` where it cannot be used.
    pub(crate) vector: Option<String>,
    /// What is missing, for people.
    pub(crate) notices: Vec<String>,
}

/// Brings the tables to the newest format.
pub(crate) async fn migrate(client: &mut Client) -> Outcome<Found> {
    let encoding: String = client.query_one("SHOW server_encoding", &[]).await?.get(0);
    if encoding != "UTF8" {
        return Err(Fault::Unfit(format!("it is encoded in {encoding}, and has to be in UTF8")));
    }
    let mut notices = Vec::new();
    let found = format(client).await.map_err(Fault::while_reading)?;
    let (mut vector, has_column) = extension(client).await?;
    if found < FORMAT || vector.is_some() != has_column {
        vector = match make(client, &mut notices).await {
            Ok(made) => made,
            Err(fault) if !fault.is_not_allowed() => return Err(fault),
            Err(fault) if found == 0 => return Err(Fault::Unprepared(fault.detail())),
            Err(_) if found < FORMAT => return Err(Fault::Older(found)),
            // pgvector came after the tables, and its column comes with the next process that may write.
            Err(_) => {
                notices.push(UNUSED.to_owned());
                return Ok(Found { vector: vector.filter(|_| has_column), notices });
            }
        };
    }
    if vector.is_none() {
        notices.push(LACKING.to_owned());
    }
    Ok(Found { vector, notices })
}

/// Makes what is missing.
async fn make(client: &mut Client, notices: &mut Vec<String>) -> Outcome<Option<String>> {
    let tx = client.transaction().await?;
    tx.batch_execute(&format!("SET LOCAL statement_timeout = 0; SELECT pg_advisory_xact_lock({LOCK})"))
        .await?;
    // Somebody else may have done it meanwhile.
    make_tables(&tx, format(&tx).await?).await?;
    make_vectors(tx, notices).await
}

/// The format of the tables: 0 when there are none.
async fn format(client: &impl GenericClient) -> Outcome<u32> {
    let known = client.query_one("SELECT to_regclass('docent.migrations') IS NOT NULL", &[]).await?;
    if !known.get::<_, bool>(0) {
        return Ok(0);
    }
    let asked = client.query_one("SELECT coalesce(max(format), 0) FROM docent.migrations", &[]).await;
    let row = asked.map_err(in_the_way)?;
    let found = row.get::<_, i32>(0) as u32;
    if found > FORMAT { Err(Fault::Newer(found)) } else { Ok(found) }
}

async fn make_tables(tx: &Transaction<'_>, found: u32) -> Outcome<()> {
    if found == FORMAT {
        return Ok(());
    }
    if found == 0 {
        tx.batch_execute(
            "CREATE SCHEMA IF NOT EXISTS docent;
             CREATE TABLE docent.migrations (format integer PRIMARY KEY, at timestamptz NOT NULL DEFAULT now())",
        )
        .await?;
    }
    for (step, number) in MIGRATIONS.iter().zip(1..).skip(found as usize) {
        tx.batch_execute(step).await.map_err(in_the_way)?;
        tx.execute("INSERT INTO docent.migrations (format) VALUES ($1)", &[&number]).await?;
    }
    if found == 0 {
        let uuid = uuid::Uuid::new_v4().to_string();
        tx.execute(
            "INSERT INTO docent.state (uuid, secret, generation, documents_generation, floor) VALUES ($1, $2, 0, 0, 0)",
            &[&uuid, &new_secret().as_slice()],
        )
        .await?;
    }
    Ok(())
}

/// What is called like one of our tables, in a schema that somebody else uses.
fn in_the_way(error: tokio_postgres::Error) -> Fault {
    match error.code() {
        Some(&SqlState::DUPLICATE_TABLE | &SqlState::DUPLICATE_OBJECT | &SqlState::UNDEFINED_COLUMN) => {
            Fault::Unfit(format!(
                "its schema docent has something that docent did not make: {}",
                words(&error)
            ))
        }
        _ => error.into(),
    }
}

/// The schema of pgvector where it is installed and new enough, and whether there is a column for it.
async fn extension(client: &impl GenericClient) -> Outcome<(Option<String>, bool)> {
    let found = client
        .query_opt(
            "SELECT quote_ident(n.nspname), e.extversion FROM pg_extension e
             JOIN pg_namespace n ON n.oid = e.extnamespace WHERE e.extname = 'vector'",
            &[],
        )
        .await?;
    let column = client
        .query_one(
            // Not of information_schema, which hides what this role may not read.
            "SELECT EXISTS (SELECT FROM pg_attribute WHERE attrelid = to_regclass('docent.vectors')
             AND attname = 'embedding' AND NOT attisdropped)",
            &[],
        )
        .await?;
    let schema = found.filter(|row| is_new_enough(row.get(1))).map(|row| row.get(0));
    Ok((schema, column.get(0)))
}

/// Whether a version of pgvector goes on looking when a filter rejects what it found.
fn is_new_enough(version: &str) -> bool {
    let mut parts = version.split('.').map(|part| part.parse::<u32>().unwrap_or(0));
    (parts.next().unwrap_or(0), parts.next().unwrap_or(0)) >= (0, 8)
}

/// Installs pgvector where that is possible, and gives vectors a column for it.
async fn make_vectors(mut tx: Transaction<'_>, notices: &mut Vec<String>) -> Outcome<Option<String>> {
    let (mut schema, has_column) = extension(&tx).await?;
    if schema.is_none() && !has_column {
        let available = tx
            .query_one("SELECT EXISTS (SELECT FROM pg_available_extensions WHERE name = 'vector')", &[])
            .await?;
        if available.get::<_, bool>(0) {
            let inner = tx.transaction().await?;
            match inner.batch_execute("CREATE EXTENSION IF NOT EXISTS vector").await {
                Ok(()) => inner.commit().await?,
                Err(error) => {
                    inner.rollback().await?;
                    notices.push(format!("pgvector could not be installed: {}", words(&error)));
                }
            }
            schema = extension(&tx).await?.0;
        }
    }
    if let Some(schema) = schema.as_ref().filter(|_| !has_column) {
        vectors::add_column(&tx, schema).await?;
    }
    tx.commit().await?;
    Ok(schema)
}

/// 32 random bytes: those of several random uuids, whose fixed bits the hash spreads out.
fn new_secret() -> [u8; 32] {
    let mut hasher = blake3::Hasher::new();
    for _ in 0..4 {
        hasher.update(uuid::Uuid::new_v4().as_bytes());
    }
    *hasher.finalize().as_bytes()
}

#[cfg(test)]
mod tests {
    use super::is_new_enough;

    #[test]
    fn versions_are_compared_as_numbers() {
        for (version, expected) in
            [("0.8.0", true), ("0.10.1", true), ("1.0", true), ("0.7.4", false), ("", false)]
        {
            assert_eq!(is_new_enough(version), expected, "{version}");
        }
    }
}
