//! documents-tools-v2: collections that were fetched, whose documents are nowhere but in the index.

use docent_engine::Card;
use serde_json::{Value, json};

use crate::client::Client;
use crate::documents_world::{at, setup, values};
use crate::world::{Setup, World};

const REVISION: &str = "0123456789abcdef0123456789abcdef01234567";
const TEXT: &str = "# Signals\r\n\r\nA signal holds a quokka.\r\n\r\n## Effects\r\n\r\nEffects run after it.";

/// A running server to whose index another process adds `vue@3`.
fn world() -> World {
    let mut setup = setup();
    setup.aliases = vec![("v", "vue")];
    let world = Setup { background: false, ..setup }.start();
    fetch(&world, "vue@3", TEXT);
    world
}

fn fetch(world: &World, name: &str, text: &str) {
    let card = Card {
        description: Some("Signals and effects".to_owned()),
        source: Some("git+https://example.com/vue#main".to_owned()),
        revision: Some(REVISION.to_owned()),
        ..Card::default()
    };
    world.fetch(name, card, &[("signals.md", text)]);
}

fn listed(client: &mut Client) -> Vec<Value> {
    client.call("documents_list_collections", json!({}))["collections"].as_array().unwrap().clone()
}

#[test]
fn documents_tools_list_collections_says_where_a_fetched_collection_comes_from() {
    let collections = listed(&mut world().client());
    let expected = json!({
        "collection": "v",
        "collectionId": "vue@3",
        "documentCount": 1,
        "description": "Signals and effects",
        "version": "3",
        "source": "git+https://example.com/vue#main",
        "revision": REVISION,
        "chunkCount": 2,
    });
    assert!(collections.contains(&expected), "{collections:#?}");
}

#[test]
fn documents_tools_read_a_fetched_collection_from_the_index() {
    let world = world();
    let mut client = world.client();
    let document = client.call("documents_get_document", at("v", "signals.md"));
    assert_eq!((&document["content"], &document["commit"]), (&json!(TEXT), &json!(REVISION)));
    assert_eq!(document.get("stale"), None);
    let listed = client.call("documents_list_documents", json!({"collection": "vue"}));
    assert_eq!(values(&listed["documents"], "title"), ["Signals"]);
    assert_eq!(listed.get("stale"), None);
    let mut section = at("vue@3", "signals.md");
    section["section"] = json!("effects");
    let section = client.call("documents_get_section", section);
    assert_eq!(section["content"], "## Effects\r\n\r\nEffects run after it.");
    assert_eq!((&section["startLine"], &section["endLine"]), (&json!(5), &json!(7)));
    let outline = client.call("documents_get_outline", at("vue", "signals.md"));
    assert_eq!(values(&outline["outline"], "line"), [1, 5]);
}

#[test]
fn documents_tools_search_finds_fetched_documents_beside_live_ones() {
    let world = world();
    let mut client = world.client();
    let hit = client.call("documents_search", json!({"query": "quokka"}))["results"][0].clone();
    assert_eq!((&hit["collection"], &hit["collectionId"]), (&json!("v"), &json!("vue@3")));
    assert_eq!((&hit["documentId"], &hit["commit"]), (&json!("signals.md"), &json!(REVISION)));
    assert_eq!(hit.get("stale"), None);
    let related = client.call("documents_find_related", at("vue", "signals.md"));
    assert!(!related["related"].as_array().unwrap().is_empty());
}

#[test]
fn documents_tools_see_a_collection_that_is_replaced_while_they_are_served() {
    let world = world();
    let mut client = world.client();
    let mut read = at("vue", "signals.md");
    assert_eq!(client.call("documents_get_document", read.clone())["content"], TEXT);
    fetch(&world, "vue@3", "# Other\n");
    assert_eq!(client.call("documents_get_document", read.clone())["content"], "# Other\n");
    fetch(&world, "vue@4", "# Four\n");
    let answer = client.call("documents_get_document", read.clone());
    assert_eq!((&answer["content"], &answer["collectionId"]), (&json!("# Four\n"), &json!("vue@4")));
    read["collection"] = json!("vue@3");
    assert_eq!(client.call("documents_get_document", read)["content"], "# Other\n");
    assert_eq!(listed(&mut client).len(), 6);
}
