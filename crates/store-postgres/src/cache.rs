//! Vectors that were computed before, kept in the database for all who use it: nobody embeds the same text twice.
//!
//! The day on which a vector was last asked for is kept, so that those nobody asks for any more can go.

use std::collections::HashMap;
use std::sync::Arc;

use docent_index::{EmbeddingCache, Model, PassageHash, QuantisedVector};

use crate::fault::Outcome;
use crate::rows;
use crate::shared::Shared;

/// The cache of a [`PostgresStore`](crate::PostgresStore).
pub struct PostgresCache {
    shared: Arc<Shared>,
}

impl PostgresCache {
    pub(crate) fn new(shared: Arc<Shared>) -> Self {
        Self { shared }
    }

    async fn read(
        &self,
        model: &Model,
        hashes: &[PassageHash],
    ) -> Outcome<HashMap<PassageHash, QuantisedVector>> {
        let asked: Vec<&[u8]> = hashes.iter().map(|hash| hash.0.as_slice()).collect();
        let client = self.shared.link.client().await?;
        let statement = client
            .prepare_cached(
                "SELECT hash, scale, codes FROM docent.embedding_cache WHERE model = $1 AND hash = ANY($2)",
            )
            .await?;
        let mut found = HashMap::new();
        for row in client.query(&statement, &[&model.id, &asked]).await? {
            let codes: &[u8] = row.get(2);
            let values = codes.iter().map(|code| *code as i8).collect();
            found
                .insert(PassageHash(rows::fixed(row.get(0))?), QuantisedVector { scale: row.get(1), values });
        }
        // Who may only read cannot say that it was used, and that is no reason not to use it.
        let _ = client
            .execute(
                "UPDATE docent.embedding_cache SET used = current_date
                 WHERE model = $1 AND hash = ANY($2) AND used < current_date - 7",
                &[&model.id, &asked],
            )
            .await;
        Ok(found)
    }

    async fn write(&self, model: &Model, vectors: &[(PassageHash, QuantisedVector)]) -> Outcome<()> {
        // In one order for everybody: two who keep the same vectors must not wait for each other.
        let mut vectors: Vec<_> =
            vectors.iter().filter(|(_, vector)| vector.values.len() == model.dimensions).collect();
        vectors.sort_by_key(|(hash, _)| *hash);
        let hashes: Vec<&[u8]> = vectors.iter().map(|(hash, _)| hash.0.as_slice()).collect();
        let scales: Vec<f32> = vectors.iter().map(|(_, vector)| vector.scale).collect();
        let codes: Vec<Vec<u8>> = vectors
            .iter()
            .map(|(_, vector)| vector.values.iter().map(|value| *value as u8).collect())
            .collect();
        let client = self.shared.link.sound_client().await?;
        client
            .execute(
                "INSERT INTO docent.embedding_cache (model, hash, scale, codes)
                 SELECT $1, n.* FROM unnest($2::bytea[], $3::real[], $4::bytea[]) AS n ON CONFLICT DO NOTHING",
                &[&model.id, &hashes, &scales, &codes],
            )
            .await?;
        Ok(())
    }
}

impl EmbeddingCache for PostgresCache {
    fn get(&self, model: &Model, hashes: &[PassageHash]) -> Vec<Option<QuantisedVector>> {
        let found =
            self.shared.link.read(self.shared.link.search(), || self.read(model, hashes)).unwrap_or_default();
        let sound = |hash| found.get(hash).filter(|vector| vector.values.len() == model.dimensions).cloned();
        hashes.iter().map(sound).collect()
    }

    fn put(&self, model: &Model, vectors: &[(PassageHash, QuantisedVector)]) {
        let _ = self.shared.link.wait_for(self.shared.link.search(), self.write(model, vectors));
    }

    fn forget(&self, passages: &[PassageHash]) -> Result<(), String> {
        let hashes: Vec<&[u8]> = passages.iter().map(|hash| hash.0.as_slice()).collect();
        let forgotten = self.shared.link.wait_for(self.shared.link.search(), async {
            let client = self.shared.link.sound_client().await?;
            client.execute("DELETE FROM docent.embedding_cache WHERE hash = ANY($1)", &[&hashes]).await?;
            client.batch_execute("VACUUM docent.embedding_cache").await?;
            Ok(())
        });
        self.shared.told(forgotten).map_err(|error| error.to_string())
    }
}
