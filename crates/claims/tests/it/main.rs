//! Checks of claims in repositories that the tests make.
#![allow(clippy::unwrap_used, reason = "tests")]

mod bench;
mod breaking;
mod commands;
mod doubt;
mod excused;
mod found;
mod hosted;
mod incremental;
mod keys;
mod lately;
#[path = "../../examples/support/memory.rs"]
mod memory;
mod odd;
mod outcomes;
mod own_cli;
mod pages;
mod paths;
mod repository;
mod rewritten;
mod routes;
mod support;
mod symbols;
mod values;
mod variables;
mod verification;

use docent_claims::{Entry, World};

#[test]
fn a_world_knows_files_folders_and_words() {
    let world = World::of_files(&[("src/deep/a.rs", "fn alpha_beta() {}"), ("docs/a.md", "alpha_beta")]);
    assert_eq!(world.entry("src"), Some(Entry::Folder));
    assert_eq!(world.entry("src/deep/a.rs"), Some(Entry::File));
    assert_eq!(world.entry("src/deep/b.rs"), None);
    assert_eq!(world.ending("deep/a.rs"), ["src/deep/a.rs"]);
    assert_eq!(world.ending("eep/a.rs"), Vec::<&str>::new());
    assert_eq!(*world.mentioning("alpha_beta"), ["src/deep/a.rs".to_owned()]);
    assert!(world.mentioning("alpha").is_empty());
}
