//! Overrides that match nothing.

use std::collections::BTreeMap;

use super::facets::member;
use super::{Site, about_manifest};
use crate::finding::{Code, Finding, Fix};
use crate::jsonc::{self, Kind, Node};
use crate::manifests::relative;
use crate::reader::{Reader, shown};

/// Findings about patterns that match no document which the manifest governs.
pub(super) fn check(site: &Site<'_>) -> Vec<(String, Finding)> {
    let mut used: BTreeMap<&str, Vec<bool>> = BTreeMap::new();
    for (folder, manifest) in site.manifests.all() {
        used.insert(folder, vec![false; manifest.overrides.len()]);
    }
    for path in site.pages.keys() {
        let Some((folder, manifest)) = site.manifests.nearest(path) else { continue };
        let Some(used) = used.get_mut(folder) else { continue };
        manifest.matching_indexes(relative(path, folder)).into_iter().for_each(|index| {
            if let Some(used) = used.get_mut(index) {
                *used = true;
            }
        });
    }
    let mut findings = Vec::new();
    for (folder, manifest) in site.manifests.all() {
        let Some(text) = site.manifest_texts.get(folder) else { continue };
        let Ok(Some(root)) = jsonc::parse(text) else { continue };
        let items = member(&root, "overrides").and_then(|member| match &member.value.kind {
            Kind::Array(items) => Some((&member.value, items)),
            _ => None,
        });
        let Some((list, items)) = items else { continue };
        let reader = Reader::of_text(text);
        let unused = used.remove(folder).unwrap_or_default();
        for (rule, _) in manifest.overrides.iter().zip(unused).filter(|(_, used)| !used) {
            let Some(item) = items.get(rule.index) else { continue };
            let at = member(item, "pattern").map_or(item.span.start, |member| member.start);
            let message = format!("`{}` matches no document of this folder", shown(&rule.pattern));
            let hint = "correct the pattern, or take the override out";
            let finding = Finding::new(Code::UnmatchedPattern, reader.line(at), message, hint);
            findings.push(about_manifest(folder, finding.with_fix(Some(removal(list, items, rule.index)))));
        }
    }
    findings
}

/// Takes one item out of a list, with its comma and the space that led to it.
pub(crate) fn removal(list: &Node, items: &[Node], index: usize) -> Fix {
    let span = |index: usize| items.get(index).map(|item| item.span.clone());
    let bytes = match (span(index), span(index + 1), index.checked_sub(1).and_then(span)) {
        (Some(own), Some(next), _) => own.start..next.start,
        (Some(own), None, Some(previous)) => previous.end..own.end,
        _ => return Fix { bytes: list.span.clone(), replacement: "[]".to_owned() },
    };
    Fix { bytes, replacement: String::new() }
}
