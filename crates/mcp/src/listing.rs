//! Answers that are lists: as many items as fit, and where the rest is.

use docent_engine::{Bound, CatalogueEntry};
use serde_json::Value;

use crate::budget::{Budget, Piece};
use crate::call::{Call, Failure};

/// An answer with the items that fitted.
pub(crate) struct Listed {
    pub(crate) answer: Value,
    /// How many of them there are.
    pub(crate) count: usize,
    /// The number of the last one in the whole list, from 0.
    pub(crate) last: Option<usize>,
}

impl Call<'_> {
    /// `answer` with as many of `items` under `name` as fit beside what is in it already. `state` is what the answer depends on:
    /// when that changes, its cursor is void.
    pub(crate) fn list(
        &self,
        mut budget: Budget,
        mut answer: Value,
        name: &str,
        items: Vec<Piece>,
        state: &Bound,
    ) -> Result<Listed, Failure> {
        budget.spend(&answer);
        let fitted = budget.fit(items, self.place(state)?);
        let (count, last) = (fitted.pieces.len(), fitted.pieces.last().map(|(at, _)| *at));
        answer[name] = fitted.pieces.into_iter().map(|(_, item)| item).collect();
        self.go_on_at(&mut answer, state, fitted.rest)?;
        Ok(Listed { answer, count, last })
    }

    /// What is known of every collection that is served, and the state that a list of them depends on.
    pub(crate) fn catalogue(&self) -> Result<(Vec<CatalogueEntry>, Bound), Failure> {
        self.engine.look_for_changes();
        let entries = match self.facets.names.ids() {
            [] => Vec::new(),
            ids => self.engine.catalogue(ids)?,
        };
        let mut state = Bound::default();
        for entry in &entries {
            state.add("collection", &entry.name);
        }
        Ok((entries, state))
    }
}
