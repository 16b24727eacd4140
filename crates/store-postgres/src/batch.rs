//! Writing: one batch is one transaction and one generation.
//!
//! A batch locks its collections, in the order of their numbers, so that writers of one collection take turns and those of
//! different ones do not meet. Rows name the batch that wrote them. Only at the very end, when all is written, is the
//! state's row locked and the batch given its generation: generations are in the order of commits, and nobody waits for
//! somebody else's long batch. Numbers of collections are made before, in a statement of their own, so that every row that
//! is locked exists.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use deadpool_postgres::{Client, Transaction};
use docent_index::{Collection, Generation};

use crate::attend::{attended, works_for_us};
use crate::fault::{Fault, Outcome};
use crate::lexical::DocumentWords;
use crate::rows::{self, GenericClient};
use crate::segments;
use crate::shared::Shared;

/// A transaction on its way to be a generation.
pub(crate) struct Batch<'a> {
    pub(crate) tx: Transaction<'a>,
    pub(crate) shared: &'a Shared,
    pub(crate) number: i64,
    /// The server's process.
    backend: i32,
    pub(crate) collections: HashMap<String, Held>,
    pub(crate) changed: bool,
    /// Whether something changed that callers are told.
    pub(crate) documents_changed: bool,
    /// Words of new documents by collection.
    pub(crate) words: BTreeMap<i32, Vec<DocumentWords>>,
}

/// A collection whose row is locked.
#[derive(Debug, Clone)]
pub(crate) struct Held {
    pub(crate) id: i32,
    pub(crate) is_known: bool,
    pub(crate) said: Collection,
}

/// How collections are locked: writers of documents against each other, and writers of vectors only against those.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Lock {
    Alone,
    Shared,
}

impl<'a> Batch<'a> {
    /// Begins a batch on these collections. Those in `made` get a number when they have none.
    pub(crate) async fn begin(
        client: &'a mut Client,
        shared: &'a Shared,
        names: &BTreeSet<&str>,
        made: &BTreeSet<&str>,
        lock: Lock,
    ) -> Outcome<Self> {
        let made: Vec<&str> = made.iter().copied().collect();
        let statement =
            client.prepare_cached("SELECT count(*) FROM docent.collections WHERE name = ANY($1)").await?;
        let there: i64 = client.query_one(&statement, &[&made]).await?.get(0);
        if (there as usize) < made.len() {
            client
                .execute(
                    "INSERT INTO docent.collections (name) SELECT unnest($1::text[]) ON CONFLICT DO NOTHING",
                    &[&made],
                )
                .await?;
        }
        let tx = client.transaction().await?;
        let patience = shared.options.patience.as_millis();
        tx.batch_execute(&format!("SET LOCAL statement_timeout = 0; SET LOCAL lock_timeout = {patience}"))
            .await?;
        let sql = format!(
            "SELECT id, name, root, cut, about, known FROM docent.collections WHERE name = ANY($1) ORDER BY id FOR {}",
            if lock == Lock::Alone { "UPDATE" } else { "SHARE" }
        );
        let statement = tx.prepare_cached(&sql).await?;
        let names: Vec<&str> = names.iter().copied().collect();
        let rows = tx.query(&statement, &[&names]).await?;
        let collections: HashMap<String, Held> = rows
            .iter()
            .map(|row| {
                let held = Held { id: row.get(0), is_known: row.get(5), said: rows::collection(row) };
                (held.said.name.clone(), held)
            })
            .collect();
        if made.iter().any(|name| !collections.contains_key(*name)) {
            // Somebody renamed it in this moment.
            return Err(Fault::Busy);
        }
        let statement = tx.prepare_cached("SELECT nextval('docent.batch_numbers'), pg_backend_pid()").await?;
        let row = tx.query_one(&statement, &[]).await?;
        let number = row.get(0);
        let backend = row.get(1);
        works_for_us(backend);
        Ok(Self {
            tx,
            shared,
            number,
            backend,
            collections,
            changed: false,
            documents_changed: false,
            words: BTreeMap::new(),
        })
    }

    /// A collection that is known, or being made.
    pub(crate) fn held(&self, name: &str) -> Option<&Held> {
        self.collections.get(name)
    }

    /// Makes a collection known, with what is said of it where that is given.
    pub(crate) async fn know(&mut self, name: &str, said: Option<&Collection>) -> Outcome<i32> {
        let Some(held) = self.collections.get_mut(name) else {
            return Err(Fault::Internal(format!("`{name}` is not part of this batch")));
        };
        let wanted = said.unwrap_or(&held.said).clone();
        if held.is_known && held.said == wanted {
            return Ok(held.id);
        }
        self.tx
            .execute(
                "UPDATE docent.collections SET known = true, root = $2, cut = $3, about = $4 WHERE id = $1",
                &[&held.id, &wanted.root, &wanted.cut, &wanted.about],
            )
            .await?;
        held.is_known = true;
        held.said = wanted;
        self.changed = true;
        Ok(held.id)
    }

    /// Marks documents as gone. Their rows stay for readers of older views, see [`sweep`](crate::sweep).
    pub(crate) async fn remove(&mut self, documents: &[(i32, i64)]) -> Outcome<()> {
        if documents.is_empty() {
            return Ok(());
        }
        let (collections, ids): (Vec<i32>, Vec<i64>) = documents.iter().copied().unzip();
        let statement = self
            .tx
            .prepare_cached(
                "UPDATE docent.documents d SET died = $3 FROM unnest($1::integer[], $2::bigint[]) AS gone(collection_id, id)
                 WHERE d.collection_id = gone.collection_id AND d.id = gone.id",
            )
            .await?;
        self.tx.execute(&statement, &[&collections, &ids, &self.number]).await?;
        let statement = self
            .tx
            .prepare_cached("INSERT INTO docent.removed (batch, document) SELECT $1, unnest($2::bigint[])")
            .await?;
        self.tx.execute(&statement, &[&self.number, &ids]).await?;
        for (collection, id) in documents {
            // A row of this very batch is of no interest to anyone once it is gone again.
            if let Some(words) = self.words.get_mut(collection) {
                words.retain(|words| words.document != *id as u64);
            }
        }
        self.changed = true;
        self.documents_changed = true;
        Ok(())
    }

    /// Writes the segments of new documents, gives the batch its generation and commits; says which generation holds now.
    pub(crate) async fn finish(mut self, is_applied: bool) -> Outcome<Generation> {
        if !self.changed {
            let generation = rows::state(&self.tx).await?.generation;
            self.tx.rollback().await?;
            return Ok(Generation(generation));
        }
        for (collection, words) in std::mem::take(&mut self.words) {
            segments::write(&self.tx, self.number, collection, words).await?;
            segments::tidy(&self.tx, self.number, collection).await?;
        }
        self.commit(is_applied).await
    }

    /// [`Batch::finish`] where all segments are written.
    pub(crate) async fn commit(self, is_applied: bool) -> Outcome<Generation> {
        let statement = self
            .tx
            .prepare_cached(
                "UPDATE docent.state SET generation = generation + 1,
                     documents_generation = CASE WHEN $1 THEN generation + 1 ELSE documents_generation END,
                     last_applied_ms = CASE WHEN $2 THEN (extract(epoch FROM clock_timestamp()) * 1000)::bigint
                                            ELSE last_applied_ms END
                 RETURNING generation",
            )
            .await?;
        let row = self.tx.query_one(&statement, &[&self.documents_changed, &is_applied]).await?;
        let generation: i64 = row.get(0);
        let statement = self
            .tx
            .prepare_cached(
                "INSERT INTO docent.batches (batch, generation) VALUES ($1, $2)
                 RETURNING pg_notify('docent_generation', $2::text)",
            )
            .await?;
        self.tx.query_one(&statement, &[&self.number, &generation]).await?;
        let Self { tx, shared, number, backend, .. } = self;
        // An answer that does not come is looked for here, and whoever waits for the batch waits on.
        works_for_us(0);
        let committed = attended(&shared.link, 2, async {
            works_for_us(backend);
            Ok(tx.commit().await?)
        });
        let generation = match committed.await {
            Err(fault) if fault.is_cut_off() => arrived(shared, number, fault).await?,
            done => done.map(|()| Generation(generation as u64))?,
        };
        shared.wrote(generation).await;
        Ok(generation)
    }
}

/// Whether a batch arrived whose commit got no answer. The server may be on its way up again.
async fn arrived(shared: &Shared, number: i64, fault: Fault) -> Outcome<Generation> {
    for _ in 0..10 {
        tokio::time::sleep(std::time::Duration::from_millis(200)).await;
        let Ok(client) = shared.link.client().await else { continue };
        let found =
            client.query_opt("SELECT generation FROM docent.batches WHERE batch = $1", &[&number]).await;
        match found {
            Ok(Some(row)) => return Ok(Generation(rows::number(&row, 0))),
            Ok(None) => return Err(fault),
            Err(_) => {}
        }
    }
    Err(fault)
}
