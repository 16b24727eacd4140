//! Holds the arrows of ARCHITECTURE.md: which crate may use which, and that unsafe code stays in one crate.
#![allow(clippy::unwrap_used, reason = "tests")]

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// Crate folder → crates of ours that it may depend on. `testkit` is for tests alone.
const ARROWS: &[(&str, &[&str])] = &[
    ("text", &[]),
    ("authoring", &["text"]),
    ("kernels", &[]),
    ("index", &[]),
    ("embed", &["index", "kernels"]),
    ("store-common", &["index", "kernels", "text"]),
    ("store-embedded", &["index", "kernels", "store-common", "text"]),
    ("store-postgres", &["index", "kernels", "store-common", "text"]),
    ("convert", &[]),
    ("sources", &["convert", "index"]),
    ("git", &[]),
    ("claims", &["git", "text"]),
    ("health", &["claims", "index", "text"]),
    ("engine", &["authoring", "git", "index", "text"]),
    ("library", &["convert", "engine", "sources"]),
    ("eval", &["engine"]),
    ("mcp", &["engine", "health", "library", "text"]),
    ("web", &["mcp"]),
    (
        "cli",
        &[
            "text",
            "authoring",
            "index",
            "embed",
            "store-embedded",
            "store-postgres",
            "convert",
            "sources",
            "claims",
            "health",
            "engine",
            "library",
            "eval",
            "mcp",
            "web",
        ],
    ),
    ("testkit", &["index", "text"]),
    ("conformance", &["embed", "engine", "index", "mcp", "store-embedded", "web"]),
];

#[test]
fn crates_use_only_what_their_arrows_allow() {
    let allowed: BTreeMap<&str, &[&str]> = ARROWS.iter().copied().collect();
    for folder in crate_folders() {
        let name = folder.file_name().unwrap().to_str().unwrap();
        let may_use = allowed.get(name).unwrap_or_else(|| panic!("crates/{name} has no row in ARROWS"));
        for used in own_dependencies(&folder) {
            assert!(may_use.contains(&used.as_str()), "crates/{name} must not depend on crates/{used}");
        }
    }
}

#[test]
fn every_crate_is_named_in_the_architecture() {
    let text = std::fs::read_to_string(root().join("ARCHITECTURE.md")).unwrap();
    for folder in crate_folders() {
        let name = folder.file_name().unwrap().to_str().unwrap();
        assert!(text.contains(&format!("  {name}/")), "ARCHITECTURE.md does not list crates/{name}");
    }
}

#[test]
fn unsafe_code_is_forbidden_everywhere_but_in_kernels() {
    for folder in crate_folders() {
        let entry = ["src/lib.rs", "src/main.rs"]
            .map(|file| folder.join(file))
            .into_iter()
            .find(|path| path.exists());
        let text = std::fs::read_to_string(entry.unwrap()).unwrap();
        let forbids = text.contains("#![forbid(unsafe_code)]");
        assert_eq!(forbids, !folder.ends_with("kernels"), "{}", folder.display());
    }
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn crate_folders() -> Vec<PathBuf> {
    let entries = std::fs::read_dir(root().join("crates")).unwrap().map(|entry| entry.unwrap().path());
    entries.filter(|path| path.join("Cargo.toml").exists()).collect()
}

/// Names under `[dependencies]` that are ours, as folder names.
fn own_dependencies(folder: &Path) -> BTreeSet<String> {
    let text = std::fs::read_to_string(folder.join("Cargo.toml")).unwrap();
    let mut inside = false;
    let mut found = BTreeSet::new();
    for line in text.lines() {
        if line.starts_with('[') {
            inside = line.starts_with("[dependencies") || line.contains(".dependencies");
        } else if inside && let Some(name) = line.strip_prefix("docent-") {
            let end = name.find(['.', ' ', '=']).unwrap_or(name.len());
            found.insert(name[..end].to_owned());
        }
    }
    found
}
