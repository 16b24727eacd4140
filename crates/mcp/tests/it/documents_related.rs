//! documents-tools-v2: what is related to a document.

use serde_json::{Value, json};

use crate::documents_world::{at, parts, setup, values, world};
use crate::world::{Setup, Vectors, World};

const RELATED: &str = "documents_find_related";

/// Pages about animals and about computers in several collections, with the built-in model.
fn meaning() -> World {
    let setup = Setup::new(&[
        ("cats.md", "# Cats\n\nA cat is a small animal with fur that purrs and hunts mice.\n\n## Food\n\nCats eat meat and fish.\n"),
        ("compiler.md", "# Compiler\n\nThe compiler turns source code into machine instructions.\n"),
    ])
    .folder("zoo", &[("lions.md", "# Lions\n\nThe lion is a large animal with fur that roars and hunts zebras.\n")])
    .folder("tools", &[("linker.md", "# Linker\n\nThe linker joins object files of source code into a program.\n")]);
    let mut setup = Setup { vectors: Vectors::MiniLm, ..setup };
    setup.aliases = vec![("animals", "zoo")];
    setup.options.choice.toolsets = vec!["collections".to_owned()];
    setup.start()
}

fn related(world: &World, arguments: Value) -> Vec<Value> {
    world.client().call(RELATED, arguments)["related"].as_array().unwrap().clone()
}

#[test]
fn documents_tools_find_related_finds_semantically_similar_content() {
    let world = meaning();
    let first =
        |collection: &str, document: &str| related(&world, at(collection, document))[0]["document"].clone();
    assert_eq!(first("docs", "cats.md"), "lions.md");
    assert_eq!(first("docs", "compiler.md"), "linker.md");
    assert_eq!(first("animals", "lions.md"), "cats.md");
}

#[test]
fn documents_tools_find_related_goes_by_a_chunk_when_one_is_given() {
    let world = meaning();
    let mut arguments = at("docs", "cats.md");
    arguments["chunk"] = json!("The compiler reads source code.");
    assert_eq!(related(&world, arguments)[0]["document"], "compiler.md");
}

#[test]
fn documents_tools_find_related_excludes_source_document_by_default() {
    let world = world();
    let mut arguments = at("latest", "hooks.md");
    arguments["limit"] = json!(50);
    let is_source = |hit: &Value| hit["document"] == "hooks.md" && hit["contentHash"] == hash(&world);
    let others = related(&world, arguments.clone());
    assert!(!others.is_empty() && !others.iter().any(is_source));
    assert!(
        others.iter().any(|hit| hit["document"] == "hooks.md"),
        "the same path in another collection is another document"
    );
    arguments["sameDocument"] = json!(true);
    assert!(related(&world, arguments).iter().any(is_source));
}

fn hash(world: &World) -> Value {
    world.client().call("documents_get_document", at("latest", "hooks.md"))["contentHash"].clone()
}

#[test]
fn documents_tools_find_related_searches_every_collection_and_names_each() {
    let mut arguments = at("react", "hooks.md");
    arguments["limit"] = json!(50);
    let world = world();
    let answer = world.client().call(RELATED, arguments);
    assert_eq!(answer["source"]["collection"], "react");
    assert_eq!(answer["source"]["collectionId"], "react@19");
    assert_eq!(answer["source"]["document"], "hooks.md");
    assert_eq!(answer["source"]["contentHash"], hash(&world));
    let names = values(&answer["related"], "collection");
    for name in ["docs", "hb", "react@18", "react"] {
        assert!(names.contains(&&json!(name)), "{name} in {names:?}");
    }
}

#[test]
fn documents_tools_find_related_results_have_the_fields_of_search_results() {
    let world = meaning();
    let hit = &related(&world, at("docs", "cats.md"))[0];
    assert_eq!((&hit["collection"], &hit["collectionId"]), (&json!("animals"), &json!("zoo")));
    assert_eq!((&hit["documentTitle"], &hit["sectionHeading"]), (&json!("Lions"), &json!("Lions")));
    assert_eq!((&hit["startLine"], &hit["endLine"]), (&json!(1), &json!(3)));
    assert_eq!((&hit["chunkIndex"], &hit["totalChunks"]), (&json!(1), &json!(1)));
    assert!(hit["content"].as_str().unwrap().contains("roars"));
    let (score, distance) = (hit["relevanceScore"].as_f64().unwrap(), hit["distance"].as_f64().unwrap());
    assert!((0.0..=1.0).contains(&score) && (score + distance - 1.0).abs() < 1e-5, "{hit}");
}

#[test]
fn documents_tools_find_related_returns_five_unless_told_otherwise() {
    let files: Vec<(String, String)> =
        (0..9).map(|at| (format!("{at}.md"), format!("# Page {at}\n\nWalrus number {at}.\n"))).collect();
    let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    let world = setup().folder("many", &files).start();
    assert_eq!(related(&world, at("many", "0.md")).len(), 5);
    let mut arguments = at("many", "0.md");
    arguments["limit"] = json!(2);
    assert_eq!(related(&world, arguments.clone()).len(), 2);
    arguments["limit"] = json!(51);
    assert_eq!(
        world.client().refused(RELATED, arguments),
        "limit must be a whole number from 1 to 50, not 51. Leave it out to get 5."
    );
}

#[test]
fn documents_tools_find_related_looks_only_in_what_is_served() {
    let mut setup = setup();
    setup.options.collections = vec!["docs".to_owned(), "handbook".to_owned()];
    let mut arguments = at("docs", "z-last.md");
    arguments["limit"] = json!(50);
    let hits = Value::Array(related(&setup.start(), arguments));
    let names = values(&hits, "collection");
    assert!(
        names.contains(&&json!("hb")) && names.iter().all(|name| **name == "docs" || **name == "hb"),
        "{names:?}"
    );
}

#[test]
fn documents_tools_find_related_refuses_bad_parameters() {
    let world = world();
    let mut client = world.client();
    let mut check = |name: &str, value: Value, expected: &str| {
        let mut arguments = at("docs", "z-last.md");
        arguments[name] = value;
        assert_eq!(client.refused(RELATED, arguments), expected);
    };
    check(
        "chunk",
        json!(" "),
        "chunk must be a passage of the document, not blank. Leave it out to go by the whole document.",
    );
    check("chunk", json!(3), "chunk must be a string");
    check(
        "sameDocument",
        json!("no"),
        "sameDocument must be true or false, not \"no\". Leave it out to get false.",
    );
    check("limit", json!(0), "limit must be a whole number from 1 to 50, not 0. Leave it out to get 5.");
}

#[test]
fn documents_tools_find_related_says_when_there_are_no_vectors() {
    let world = Setup { vectors: Vectors::None, ..setup() }.start();
    let answer = world.client().call(RELATED, at("latest", "hooks.md"));
    assert_eq!(answer["related"][0]["document"], "hooks.md", "words take their place: {answer}");
    assert!(!answer["degraded"].as_array().unwrap().is_empty(), "{answer}");
}

#[test]
fn documents_tools_find_related_is_cut_and_goes_on() {
    let page = |at: usize| format!("# Page {at}\n\n{}\n", format!("Walrus and penguin {at}. ").repeat(20));
    let files: Vec<(String, String)> = (0..12).map(|at| (format!("{at:02}.md"), page(at))).collect();
    let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    let world = setup().folder("many", &files).start();
    let mut client = world.client();
    let mut arguments = at("many", "00.md");
    arguments["limit"] = json!(11);
    let whole = client.call(RELATED, arguments.clone());
    arguments["max_chars"] = json!(3_000);
    let parts = parts(&mut client, RELATED, arguments);
    assert!(parts.len() > 1 && parts.iter().all(|part| part.to_string().chars().count() <= 3_000));
    let content: String = parts
        .iter()
        .flat_map(|part| values(&part["related"], "content"))
        .map(|content| content.as_str().unwrap())
        .collect();
    let expected: String =
        values(&whole["related"], "content").iter().map(|content| content.as_str().unwrap()).collect();
    assert_eq!(content, expected);
}
