//! What the authors of a collection say of it: instructions for agents, and how its facets behave.
//!
//! It is read from manifests when documents are indexed and travels with the collection, so that an index serves it
//! where the manifests are not. The store keeps it as text and does not look inside.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, PoisonError};

use docent_authoring::{Manifests, TaxonomyField};
use docent_index::Collection;
use serde::{Deserialize, Serialize};

use crate::engine::Inner;
use crate::{Card, Engine, EngineError, Source};

/// Instructions and facets of one or more collections.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct About {
    /// What agents should know before they call.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub instructions: Option<String>,
    /// Facet keys that the authors have something to say of.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub facets: BTreeMap<String, AboutFacet>,
    /// Whether it is a library: its documents were handed over.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub library: bool,
    /// What the collection is.
    #[serde(skip_serializing_if = "Card::is_blank")]
    pub card: Card,
    /// The manifests of a collection that was fetched, by path, so that it can be cut anew without its source; `None` for
    /// one that was not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) manifests: Option<BTreeMap<String, String>>,
}

/// How one facet behaves.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct AboutFacet {
    /// What it says of a page.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Whether pages that differ only in its value are folded into the best one.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub collapse: bool,
    /// Values whose pages are offered first as resources.
    #[serde(skip_serializing_if = "BTreeSet::is_empty")]
    pub resources: BTreeSet<String>,
}

impl About {
    /// Whether the authors want a page with these facets among the first resources.
    pub fn is_resource(&self, facets: &BTreeMap<String, String>) -> bool {
        let wanted =
            |key: &String, value| self.facets.get(key).is_some_and(|of| of.resources.contains(value));
        facets.iter().any(|(key, value)| wanted(key, value))
    }

    /// What a source and its manifests say.
    pub(crate) fn of(source: &Source) -> Self {
        Self { card: source.card.clone(), ..Self::said_by(&source.manifests()) }
    }

    pub(crate) fn said_by(manifests: &Manifests) -> Self {
        let facet = |field: TaxonomyField| AboutFacet {
            description: field.description,
            collapse: field.vector_collapse,
            resources: field.resources,
        };
        let said = manifests.taxonomy().0.into_iter().map(|(key, field)| (key, facet(field)));
        let facets = said.filter(|(_, facet)| *facet != AboutFacet::default()).collect();
        Self { instructions: manifests.instructions(), facets, ..Self::default() }
    }

    /// From the text that the store keeps. What cannot be read says nothing.
    pub(crate) fn read(text: &str) -> Self {
        serde_json::from_str(text).unwrap_or_default()
    }

    /// The text that the store keeps; empty when nothing is said.
    pub(crate) fn text(&self) -> String {
        if *self == Self::default() {
            return String::new();
        }
        serde_json::to_string(self).unwrap_or_default()
    }

    /// Adds what another collection says.
    fn join(&mut self, other: Self) {
        self.instructions = match (self.instructions.take(), other.instructions) {
            (Some(own), Some(other)) if own != other => Some(format!("{own}\n\n{other}")),
            (own, other) => own.or(other),
        };
        for (key, facet) in other.facets {
            let own = self.facets.entry(key).or_default();
            own.description = own.description.take().or(facet.description);
            own.collapse |= facet.collapse;
            own.resources.extend(facet.resources);
        }
    }
}

impl Inner {
    /// What is said of a collection. Read once and then held, since every search asks.
    pub(crate) fn about_of(&self, collection: &Collection) -> Arc<About> {
        let mut held = self.abouts.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((text, about)) = held.get(&collection.name)
            && *text == collection.about
        {
            return Arc::clone(about);
        }
        let about = Arc::new(About::read(&collection.about));
        held.insert(collection.name.clone(), (collection.about.clone(), Arc::clone(&about)));
        about
    }
}

impl Engine {
    /// What the authors say of these collections; of all when none is named.
    pub fn about(&self, collections: &[String]) -> Result<About, EngineError> {
        let mut about = About::default();
        for collection in self.inner.store.snapshot()?.collections() {
            if !collections.is_empty() && !collections.contains(&collection.name) {
                continue;
            }
            // The manifests themselves are newer than what was indexed of them.
            about.join(match self.inner.source(&collection.name) {
                Some((_, source)) => About::of(source),
                None => (*self.inner.about_of(&collection)).clone(),
            });
        }
        Ok(about)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn about(json: &str) -> About {
        serde_json::from_str(json).unwrap()
    }

    #[test]
    fn what_is_said_comes_back() {
        let said = about(r#"{"instructions": "Ask.", "facets": {"language": {"collapse": true}}}"#);
        assert_eq!(About::read(&said.text()), said);
        assert_eq!(About::default().text(), "");
    }

    #[test]
    fn broken_text_says_nothing() {
        assert_eq!(About::read("{"), About::default());
        assert_eq!(About::read(""), About::default());
    }

    #[test]
    fn collections_are_joined() {
        let mut one = about(r#"{"instructions": "A", "facets": {"k": {"resources": ["x"]}}}"#);
        one.join(about(r#"{"instructions": "B", "facets": {"k": {"collapse": true, "description": "d"}}}"#));
        assert_eq!(one.instructions.as_deref(), Some("A\n\nB"));
        let facet = &one.facets["k"];
        assert!(facet.collapse && facet.resources.contains("x") && facet.description.is_some());
    }
}
