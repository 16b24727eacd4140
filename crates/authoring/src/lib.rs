//! What authors say about their documents: where pages are cut, which facets they carry, and which values facets have.
//!
//! [`Manifest`] is one `.docs-mcp.json`, [`Manifests`] are all of a folder, and [`Manifests::resolve`] tells what holds
//! for one page. Whatever is broken becomes a [`Finding`] with its line, and the rest still counts. Nothing here reads
//! files, fails or panics: texts are handed in, and findings come out.

#![forbid(unsafe_code)]

mod exempt;
mod finding;
mod fix;
mod globs;
mod hints;
pub mod jsonc;
mod manifest;
mod manifest_text;
mod manifests;
mod names;
mod propose;
mod reader;
mod schema;
mod validate;

pub use exempt::Exemptions;
pub use finding::{Code, Finding, Fix, RULES, Rule, Severity};
pub use fix::{Change, Proposal, Repair, add_overrides, add_taxonomy, repair};
pub use manifest::{MANIFEST_FILE, MAX_MANIFEST_BYTES, Manifest, Override, Taxonomy, TaxonomyField};
pub use manifests::{FALLBACK, Manifests, Origin, Resolved};
pub use names::{distance, nearest};
pub use propose::{EXCERPT_CHARS, PageFacets, Taken, excerpt, fold_facets, read_pages, read_taxonomy};
pub use schema::SCHEMA;
pub use validate::{Checked, Folder, Page, Site, check_manifest, check_page, check_site};

/// The path of a folder's manifest. The folder is relative to the documents; empty for their own.
pub fn manifest_path(folder: &str) -> String {
    if folder.is_empty() { MANIFEST_FILE.to_owned() } else { format!("{folder}/{MANIFEST_FILE}") }
}
