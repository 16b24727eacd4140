//! documents-tools-v2: what collections and documents there are.

use docent_engine::Card;
use serde_json::{Value, json};

use crate::documents_world::{GUIDE, setup, values, world};
use crate::world::Setup;

const LIST: &str = "documents_list_documents";

fn collections(setup: Setup) -> Vec<Value> {
    let world = setup.start();
    let answer = world.client().call("documents_list_collections", json!({}));
    answer["collections"].as_array().unwrap().clone()
}

#[test]
fn documents_tools_list_collections_returns_description_and_version() {
    let collections = collections(setup());
    assert_eq!(
        collections[3],
        json!({
            "collection": "latest",
            "collectionId": "react@19",
            "documentCount": 2,
            "description": "The library for interfaces",
            "version": "19.1.0",
            "chunkCount": 2 + 1,
        })
    );
}

#[test]
fn documents_tools_list_collections_counts_the_documents_of_each() {
    let collections = Value::Array(collections(setup()));
    assert_eq!(values(&collections, "collection"), ["docs", "hb", "react@18", "latest"]);
    assert_eq!(values(&collections, "documentCount"), [3, 1, 1, 2]);
}

#[test]
fn documents_tools_list_collections_shows_the_id_only_beside_another_name() {
    let collections = Value::Array(collections(setup()));
    let expected = [json!(null), json!("handbook"), json!(null), json!("react@19")];
    assert_eq!(values(&collections, "collectionId"), expected.iter().collect::<Vec<_>>());
}

#[test]
fn documents_tools_list_collections_leaves_out_what_nobody_said() {
    let collections = collections(setup());
    assert_eq!(collections[0].get("description"), None);
    assert_eq!(collections[0].get("version"), None);
}

#[test]
fn documents_tools_list_collections_takes_the_version_from_the_id_when_nothing_else_says_it() {
    assert_eq!(collections(setup())[2]["version"], "18");
}

#[test]
fn documents_tools_list_collections_cleans_what_others_wrote() {
    let described = |text: String| {
        let mut setup = setup();
        setup.cards.insert("docs".to_owned(), Card { description: Some(text), ..Card::default() });
        collections(setup)[0]["description"].clone()
    };
    assert_eq!(described("What staff\nhave to\u{202e} know".to_owned()), "What staff have to know");
    assert_eq!(described("long ".repeat(1_000)).as_str().unwrap().chars().count(), 1_000);
    assert_eq!(described(" \n".to_owned()), json!(null));
}

#[test]
fn documents_tools_list_collections_sees_only_what_is_served() {
    let mut setup = setup();
    setup.options.collections = vec!["handbook".to_owned(), "docs".to_owned()];
    assert_eq!(values(&Value::Array(collections(setup)), "collection"), ["docs", "hb"]);
}

#[test]
fn documents_tools_list_collections_sees_files_that_were_just_written() {
    let world = Setup { background: false, ..setup() }.start();
    let mut client = world.client();
    let count = |answer: Value| answer["collections"][1]["documentCount"].clone();
    assert_eq!(count(client.call("documents_list_collections", json!({}))), 1);
    world.write_in("handbook", "new.md", "# New\n");
    assert_eq!(count(client.call("documents_list_collections", json!({}))), 2);
}

#[test]
fn documents_tools_list_documents_lists_all_docs_with_titles() {
    let answer = world().client().call(LIST, json!({"collection": "docs"}));
    assert_eq!(values(&answer["documents"], "id"), ["guides/plain.md", "guides/set-up.md", "z-last.md"]);
    assert_eq!(values(&answer["documents"], "title"), ["plain.md", "Set up", "Last"]);
    assert_eq!((&answer["total"], &answer["hasMore"]), (&json!(3), &json!(false)));
}

#[test]
fn documents_tools_list_documents_size_is_the_characters_of_the_whole_text() {
    let text = "---\ntitle: Größe\n---\n# Größe 日本語 🦀\r\n\r\nText.\n";
    let world = setup().folder("sizes", &[("a.md", text), ("b.md", "")]).start();
    let answer = world.client().call(LIST, json!({"collection": "sizes"}));
    assert_eq!(values(&answer["documents"], "size"), [text.chars().count(), 0]);
    let answer = world.client().call(LIST, json!({"collection": "docs"}));
    assert_eq!(answer["documents"][1]["size"], GUIDE.chars().count());
}

#[test]
fn documents_tools_list_documents_pagination_works_correctly() {
    let files: Vec<(String, String)> =
        (0..250).map(|at| (format!("{at:03}.md"), format!("# Page {at}\n"))).collect();
    let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    let world = setup().folder("many", &files).start();
    let mut client = world.client();
    let mut check = |arguments: Value, first: usize, count: usize, more: bool| {
        let mut all = json!({"collection": "many"});
        all.as_object_mut().unwrap().extend(arguments.as_object().unwrap().clone());
        let answer = client.call(LIST, all);
        let expected: Vec<String> = (first..first + count).map(|at| format!("{at:03}.md")).collect();
        assert_eq!(json!(values(&answer["documents"], "id")), json!(expected), "{arguments}");
        assert_eq!((&answer["total"], &answer["hasMore"]), (&json!(250), &json!(more)), "{arguments}");
    };
    check(json!({}), 0, 100, true);
    check(json!({"offset": 100}), 100, 100, true);
    check(json!({"offset": 200}), 200, 50, false);
    check(json!({"limit": 250}), 0, 250, false);
    check(json!({"limit": 1, "offset": 249}), 249, 1, false);
    check(json!({"limit": 1, "offset": 248}), 248, 1, true);
    check(json!({"limit": 1000}), 0, 250, false);
    check(json!({"offset": 250}), 0, 0, false);
    check(json!({"offset": 9_000_000_000_000_000_000_u64}), 0, 0, false);
}

#[test]
fn documents_tools_list_documents_sees_changes_on_disk() {
    let world = Setup { background: false, ..setup() }.start();
    let mut client = world.client();
    world.write("a-new.md", "# New\n");
    world.remove("z-last.md");
    let answer = client.call(LIST, json!({"collection": "docs"}));
    assert_eq!(values(&answer["documents"], "id"), ["a-new.md", "guides/plain.md", "guides/set-up.md"]);
    assert_eq!(answer["total"], 3);
}

#[test]
fn documents_tools_list_documents_of_an_empty_collection_is_empty() {
    let world = setup().folder("empty", &[]).start();
    let answer = world.client().call(LIST, json!({"collection": "empty"}));
    assert_eq!(answer, json!({"collection": "empty", "documents": [], "total": 0, "hasMore": false}));
}

#[test]
fn documents_tools_list_documents_refuses_numbers_out_of_bounds() {
    let world = world();
    let mut client = world.client();
    let mut check = |arguments: Value, expected: &str| assert_eq!(client.refused(LIST, arguments), expected);
    for (limit, shown) in [(json!(0), "0"), (json!(1001), "1001"), (json!(2.5), "2.5"), (json!("9"), "\"9\"")]
    {
        let expected =
            format!("limit must be a whole number from 1 to 1000, not {shown}. Leave it out to get 100.");
        check(json!({"collection": "docs", "limit": limit}), &expected);
    }
    check(
        json!({"collection": "docs", "offset": -1}),
        "offset must be a whole number of 0 or more, not -1. Leave it out to get 0.",
    );
}
