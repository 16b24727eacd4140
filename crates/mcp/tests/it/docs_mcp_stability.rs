//! docs-mcp §3, "Stability guarantee": ids change only when a heading is renamed, reordered or moved, or a path changes.

use std::collections::BTreeSet;

use crate::authored::{MANIFEST, cut_at, manifest, page_ids};
use crate::client::Client;
use crate::world::World;

const PAGE: &str = "words\n\n# Guide\n\ntop\n\n## Auth\n\nauth\n\n### Token\n\ntoken\n\n## Errors\n\nerrors\n\n## Errors\n\nmore\n";

const IDS: [&str; 6] =
    ["_preamble", "guide", "guide/auth", "guide/auth/token", "guide/errors", "guide/errors-2"];

fn world() -> (World, Client) {
    let world = World::quiet(&[("a.md", PAGE), ("b.md", "# B\n\nb\n")]);
    let client = world.client();
    (world, client)
}

fn ids(client: &mut Client, path: &str) -> Vec<String> {
    let ids = page_ids(client, path);
    ids.iter().map(|id| id.strip_prefix(&format!("{path}#")).unwrap_or(id).to_owned()).collect()
}

/// The page is edited while a client is connected.
fn check_edit(from: &str, to: &str, expected: &[&str]) {
    let (world, mut client) = world();
    assert_eq!(ids(&mut client, "a.md"), IDS);
    assert!(PAGE.contains(from));
    world.write("a.md", &PAGE.replacen(from, to, 1));
    assert_eq!(ids(&mut client, "a.md"), expected, "{from:?} → {to:?}");
}

#[test]
fn ids_stay_when_text_is_edited() {
    check_edit("auth\n", "other words altogether\n", &IDS);
    check_edit("words\n", "another preamble\n", &IDS);
}

#[test]
fn ids_stay_when_blocks_are_added() {
    check_edit(
        "auth\n",
        "auth\n\nmore\n\n- a\n- b\n\n```sh\n# no heading\n```\n\n| a |\n|---|\n| 1 |\n",
        &IDS,
    );
}

#[test]
fn ids_stay_when_text_is_removed() {
    check_edit("token\n", "", &IDS);
}

#[test]
fn ids_stay_when_front_matter_is_added() {
    check_edit("words\n", "---\ntitle: Other\nmetadata:\n  tier: gold\n---\nwords\n", &IDS);
}

#[test]
fn front_matter_alone_is_no_preamble() {
    let (world, mut client) = world();
    assert_eq!(ids(&mut client, "b.md"), ["b"]);
    world.write("b.md", "---\ntitle: Other\n---\n# B\n\nb\n");
    assert_eq!(ids(&mut client, "b.md"), ["b"]);
}

#[test]
fn ids_stay_when_another_file_changes_comes_or_goes() {
    let (world, mut client) = world();
    world.write("b.md", "# Guide\n\n## Auth\n\nthe same names\n");
    world.write("c/a.md", PAGE);
    assert_eq!(ids(&mut client, "a.md"), IDS);
    world.remove("b.md");
    assert_eq!(ids(&mut client, "a.md"), IDS);
}

#[test]
fn ids_stay_when_a_section_is_added_elsewhere() {
    let (world, mut client) = world();
    world.write("a.md", &PAGE.replacen("## Auth", "## New\n\nnew\n\n## Auth", 1));
    let after: BTreeSet<String> = ids(&mut client, "a.md").into_iter().collect();
    let missing: Vec<&str> = IDS.into_iter().filter(|id| !after.contains(*id)).collect();
    assert_eq!(missing, Vec::<&str>::new());
    assert_eq!(after.len(), IDS.len() + 1);
}

#[test]
fn ids_stay_when_line_ends_or_heading_style_change() {
    let (world, mut client) = world();
    world.write("a.md", &PAGE.replace('\n', "\r\n"));
    assert_eq!(ids(&mut client, "a.md"), IDS);
    world.write("a.md", &PAGE.replacen("# Guide", "Guide\n=====", 1).replacen("## Auth", "Auth\n----", 1));
    assert_eq!(ids(&mut client, "a.md"), IDS);
}

#[test]
fn ids_stay_when_only_labels_change() {
    let (world, mut client) = world();
    let strategy = serde_json::json!({"chunk_by": "heading"});
    world.write(MANIFEST, &manifest(serde_json::json!({"strategy": strategy, "metadata": {"tier": "gold"}})));
    assert_eq!(ids(&mut client, "a.md"), IDS);
}

#[test]
fn chunks_that_two_strategies_share_have_the_same_ids() {
    let (world, mut client) = world();
    let mut wider: Option<BTreeSet<String>> = None;
    for chunk_by in ["heading", "h3", "h2", "h1"] {
        world.write(MANIFEST, &cut_at(chunk_by));
        let now: BTreeSet<String> = ids(&mut client, "a.md").into_iter().collect();
        if let Some(wider) = wider {
            assert!(now.is_subset(&wider), "{chunk_by}: {now:?} is not within {wider:?}");
        }
        wider = Some(now);
    }
}

#[test]
fn ids_are_the_same_after_a_restart_and_in_a_new_index() {
    let (world, mut client) = world();
    let before = page_ids(&mut client, "a.md");
    drop(client);
    let setup = crate::world::Setup { background: false, ..crate::world::Setup::new(&[]) };
    assert_eq!(page_ids(&mut world.restart(setup).client(), "a.md"), before);
    assert_eq!(page_ids(&mut self::world().1, "a.md"), before);
}

#[test]
fn a_renamed_heading_changes_its_id_and_those_below() {
    check_edit(
        "## Auth",
        "## Login",
        &["_preamble", "guide", "guide/login", "guide/login/token", "guide/errors", "guide/errors-2"],
    );
}

#[test]
fn a_renamed_duplicate_gives_its_name_to_the_next() {
    check_edit(
        "## Errors",
        "## Failures",
        &["_preamble", "guide", "guide/auth", "guide/auth/token", "guide/failures", "guide/errors"],
    );
}

#[test]
fn reordered_duplicates_change_their_ids() {
    let (world, mut client) = world();
    world.write("a.md", "# Guide\n\n## Errors\n\nmore\n\n## Errors\n\nerrors\n");
    let read = |client: &mut Client, id: &str| {
        client.call("get_doc", serde_json::json!({"chunk_id": id}))["content"].as_str().unwrap().to_owned()
    };
    assert_eq!(read(&mut client, "a.md#guide/errors"), "## Errors\n\nmore\n\n");
    assert_eq!(read(&mut client, "a.md#guide/errors-2"), "## Errors\n\nerrors\n");
}

#[test]
fn a_heading_that_moves_below_another_changes_its_id() {
    check_edit(
        "### Token",
        "## Token",
        &["_preamble", "guide", "guide/auth", "guide/token", "guide/errors", "guide/errors-2"],
    );
}

#[test]
fn a_new_path_changes_every_id() {
    let (world, mut client) = world();
    std::fs::create_dir(world.docs.join("sub")).unwrap();
    std::fs::rename(world.docs.join("a.md"), world.docs.join("sub/a.md")).unwrap();
    let expected: Vec<String> = IDS.iter().map(|id| format!("sub/a.md#{id}")).collect();
    assert_eq!(page_ids(&mut client, "sub/a.md"), expected);
    assert!(
        client.refused("get_page", serde_json::json!({"file_path": "a.md"})).starts_with("No page found")
    );
}
