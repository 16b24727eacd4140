//! Pages that nobody gave a strategy get one: in a new manifest of the folder, or in the one that governs them.

use std::collections::BTreeMap;

use super::edit;
use super::fold::{Proposal, fold};
use super::suggest::{Shape, shape};
use crate::manifests::{Origin, relative};
use crate::validate::{Checked, Folder};

/// Changes the folder's manifests and says how. Settings that speak for a manifest are the author's own and stay.
pub(super) fn propose(folder: &mut Folder, checked: &Checked) -> Vec<Proposal> {
    let mut by_manifest: BTreeMap<String, BTreeMap<String, Shape>> = BTreeMap::new();
    for (path, page) in &checked.pages {
        if page.resolved.origin != Origin::Default {
            continue;
        }
        let parent = checked.manifests.nearest(path).map(|(parent, _)| parent);
        if parent.is_none() && !folder.base.is_empty() {
            continue;
        }
        let Some(text) = folder.documents.get(path) else { continue };
        let parent = parent.unwrap_or_default();
        let shape = shape(text, &docent_text::parse(path, text), folder.max_chars);
        by_manifest.entry(parent.to_owned()).or_default().insert(relative(path, parent).to_owned(), shape);
    }
    let mut proposals = Vec::new();
    let unreadable = folder.unreadable.clone();
    for (parent, pages) in by_manifest.into_iter().filter(|(parent, _)| !unreadable.contains(parent)) {
        let rules = fold(&parent, &pages);
        let new = match folder.manifests.get(&parent) {
            None => Some(edit::new_manifest(&rules)),
            Some(text) => edit::with_rules(text, &rules),
        };
        if let Some(new) = new {
            folder.manifests.insert(parent, new);
            proposals.extend(rules);
        }
    }
    proposals
}
