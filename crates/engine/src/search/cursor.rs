//! What the cursor of a search is bound to: the question, the caller, and the state that the order of hits depends on.

use docent_index::{FacetExpr, Generation};

use super::SearchRequest;
use crate::seal::Bound;

/// What the order of hits depends on besides the request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct IndexState {
    /// Last change of the documents.
    pub(crate) content: Generation,
    /// Passages that have a vector.
    pub(crate) embedded: usize,
}

impl IndexState {
    pub(crate) fn bound(self) -> Bound {
        let state = Bound::default().with("content", &self.content.0.to_string());
        state.with("embedded", &self.embedded.to_string())
    }
}

/// What makes two requests the same search of the same caller, whatever page of it is asked for.
pub(crate) fn asked(request: &SearchRequest) -> Bound {
    let mut bound = Bound::default().with("caller", &request.caller).with("query", &request.query);
    bound.add("mode", &format!("{:?} {:?}", request.mode, request.fusion));
    for name in request.filter.collections.iter().flatten() {
        bound.add("collection", name);
    }
    if let Some(distance) = request.max_distance {
        bound.add("distance", &distance.to_string());
    }
    if let Some(path) = &request.filter.path {
        bound.add("path", path.as_str());
    }
    if let Some(facets) = &request.filter.facets {
        add_facets(facets, &mut bound);
    }
    let chunks = [("page", request.filter.chunks.page), ("ordinal", request.filter.chunks.ordinal)];
    for (name, wanted) in chunks {
        if let Some(wanted) = wanted {
            bound.add(name, &wanted.to_string());
        }
    }
    if let Some(chosen) = &request.filter.chosen {
        bound.add("chosen", &chosen.name);
    }
    request.conditions.iter().for_each(|condition| condition.bind(&mut bound));
    bound
}

fn add_facets(expr: &FacetExpr, bound: &mut Bound) {
    match expr {
        FacetExpr::Is { key, value } => {
            bound.add("key", key);
            bound.add("value", value);
        }
        FacetExpr::All(parts) | FacetExpr::Any(parts) => {
            bound.add("group", if matches!(expr, FacetExpr::All(_)) { "all" } else { "any" });
            parts.iter().for_each(|part| add_facets(part, bound));
            bound.add("group", "end");
        }
    }
}
