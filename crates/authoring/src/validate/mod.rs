//! The check: everything that can be wrong with a folder of documents, found without an index.
//!
//! [`Folder::check`] is the whole of it: [`check_manifest`] and [`check_page`] look at one file each, [`check_site`] at
//! what only all files together can tell: links, patterns, names. Documents are never changed here.

mod anchors;
mod facets;
mod folder;
mod front_lines;
mod links;
mod markdown;
mod overrides;
mod page;
mod targets;

use std::collections::BTreeMap;

use crate::finding::{Code, Finding};
use crate::manifest_path;
use crate::manifests::Manifests;

pub use self::facets::check_manifest;
pub use self::folder::{Checked, Folder};
pub use self::page::{Page, check_page};

/// What is known when every file has been looked at alone.
#[derive(Debug)]
pub struct Site<'a> {
    /// Every document by its path.
    pub pages: &'a BTreeMap<String, Page>,
    /// Every manifest file's text by its folder.
    pub manifest_texts: &'a BTreeMap<String, String>,
    /// The manifests.
    pub manifests: &'a Manifests,
}

/// Checks what only all files together can tell. `exists` is asked about paths relative to the documents that are no
/// document: they may name other files, and may lead out of the folder with `..`. Answers come with the file's path.
pub fn check_site(site: &Site<'_>, exists: &dyn Fn(&str) -> bool) -> Vec<(String, Finding)> {
    let mut findings = links::check(site.pages, exists);
    findings.extend(overrides::check(site));
    findings.extend(case_conflicts(site.pages));
    findings
}

fn case_conflicts(pages: &BTreeMap<String, Page>) -> Vec<(String, Finding)> {
    let mut seen: BTreeMap<String, &str> = BTreeMap::new();
    let mut findings = Vec::new();
    for path in pages.keys() {
        let Some(first) = seen.insert(path.to_lowercase(), path) else { continue };
        let message = format!("the path differs from {first} only in case");
        findings.push((
            path.clone(),
            Finding::new(Code::CaseConflict, 1, message, "rename one of the two files"),
        ));
    }
    findings
}

/// A finding about a folder's manifest, with the manifest's path.
fn about_manifest(folder: &str, finding: Finding) -> (String, Finding) {
    (manifest_path(folder), finding)
}
