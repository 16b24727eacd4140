//! Vectors that were computed before: those of the user, and behind them those of the team.

use std::sync::Arc;

use docent_index::{EmbeddingCache, Model, PassageHash, QuantisedVector};

/// The user's cache before the team's, as far as there are any.
pub(crate) fn layered(
    user: Option<Arc<dyn EmbeddingCache>>,
    team: Option<Arc<dyn EmbeddingCache>>,
) -> Option<Arc<dyn EmbeddingCache>> {
    match (user, team) {
        (Some(user), Some(team)) => Some(Arc::new(Layered { user, team })),
        (user, team) => user.or(team),
    }
}

struct Layered {
    user: Arc<dyn EmbeddingCache>,
    team: Arc<dyn EmbeddingCache>,
}

impl EmbeddingCache for Layered {
    fn get(&self, model: &Model, hashes: &[PassageHash]) -> Vec<Option<QuantisedVector>> {
        let mut found = self.user.get(model, hashes);
        let missing: Vec<usize> = (0..hashes.len()).filter(|at| found[*at].is_none()).collect();
        if !missing.is_empty() {
            let asked: Vec<PassageHash> = missing.iter().map(|at| hashes[*at]).collect();
            for (at, vector) in missing.into_iter().zip(self.team.get(model, &asked)) {
                found[at] = vector;
            }
        }
        found
    }

    fn put(&self, model: &Model, vectors: &[(PassageHash, QuantisedVector)]) {
        self.user.put(model, vectors);
        self.team.put(model, vectors);
    }

    fn forget(&self, passages: &[PassageHash]) -> Result<(), String> {
        self.user.forget(passages).and(self.team.forget(passages))
    }
}
