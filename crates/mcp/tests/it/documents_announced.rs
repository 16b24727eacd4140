//! documents-tools-v2: what clients are told of the tools, and that the others are as they were.

use serde_json::{Value, json};

use crate::client::Era;
use crate::documents_world::{setup, values};
use crate::schema_check::conforms;
use crate::world::{Setup, World};

/// The tools of the specification.
const TOOLS: [&str; 8] = [
    "documents_list_collections",
    "documents_list_documents",
    "documents_search",
    "documents_search_batch",
    "documents_get_document",
    "documents_get_outline",
    "documents_get_section",
    "documents_find_related",
];

fn world(toolsets: &[&str]) -> World {
    let mut setup = setup();
    setup.options.choice.toolsets = toolsets.iter().map(|name| (*name).to_owned()).collect();
    setup.start()
}

fn names(world: &World) -> Vec<Value> {
    values(&Value::Array(world.client().tools()), "name").into_iter().cloned().collect()
}

#[test]
fn documents_tools_mcp_server_exposes_all_new_tools() {
    assert_eq!(names(&world(&["collections"])), TOOLS);
    let both = names(&world(&["all"]));
    assert!(TOOLS.iter().all(|tool| both.contains(&json!(tool))) && both.contains(&json!("search_docs")));
}

#[test]
fn documents_tools_are_not_offered_by_default() {
    assert!(names(&world(&[])).iter().all(|name| !name.as_str().unwrap().starts_with("documents_")));
}

#[test]
fn documents_tools_leave_the_other_tools_unchanged() {
    let alone = world(&[]).client().tools();
    let together = world(&["all"]).client().tools();
    for tool in alone {
        assert!(together.contains(&tool), "{}", tool["name"]);
    }
}

#[test]
fn documents_tools_only_read() {
    for tool in world(&["collections"]).client().tools() {
        assert_eq!(tool["annotations"]["readOnlyHint"], true, "{}", tool["name"]);
    }
}

#[test]
fn documents_tools_declare_the_parameters_and_defaults_of_the_specification() {
    let world = world(&["collections"]);
    let tools = world.client().tools();
    let check = |name: &str, required: Value, defaults: &[(&str, Value)]| {
        let schema = &tools.iter().find(|tool| tool["name"] == name).unwrap()["inputSchema"];
        assert_eq!(schema.get("required").unwrap_or(&json!([])), &required, "{name}");
        for (parameter, default) in defaults {
            assert_eq!(schema["properties"][parameter]["default"], *default, "{name}.{parameter}");
        }
        for own in ["max_chars", "cursor"] {
            assert!(schema["properties"][own].is_object(), "{name}.{own}");
        }
    };
    let document = json!(["collection", "document"]);
    check("documents_list_collections", json!([]), &[]);
    check("documents_list_documents", json!(["collection"]), &[("limit", json!(100)), ("offset", json!(0))]);
    let how = [("limit", json!(5)), ("hybridSearch", json!(true)), ("maxDistance", Value::Null)];
    check("documents_search", json!(["query"]), &how);
    check("documents_search_batch", json!(["queries"]), &how);
    check("documents_get_document", document.clone(), &[]);
    check("documents_get_outline", document.clone(), &[("maxDepth", json!(3))]);
    let section = json!(["collection", "document", "section"]);
    check("documents_get_section", section, &[("includeSubsections", json!(true))]);
    let related = [("limit", json!(5)), ("sameDocument", json!(false)), ("chunk", Value::Null)];
    check("documents_find_related", document, &related);
}

#[test]
fn documents_tools_output_schemas_allow_a_message_alone() {
    for tool in world(&["collections"]).client().tools() {
        assert_eq!(conforms(&tool["outputSchema"], &json!({"message": "x"})), Ok(()), "{}", tool["name"]);
        assert!(conforms(&tool["outputSchema"], &json!({"message": 1})).is_err(), "{}", tool["name"]);
    }
}

#[test]
fn documents_tools_are_named_in_the_instructions() {
    let text = world(&["collections"]).connect(Era::Legacy).initialize()["instructions"]
        .as_str()
        .unwrap()
        .to_owned();
    assert!(TOOLS.iter().all(|tool| text.contains(tool)) && text.len() < 2048, "{text}");
}

#[test]
fn documents_tools_are_picked_one_by_one() {
    let mut setup = Setup::new(&[("a.md", "# Walrus\n")]);
    setup.options.choice.tools = vec!["documents_search".to_owned()];
    let world = setup.start();
    assert_eq!(names(&world), ["documents_search"]);
    let answer = world.client().call("documents_search", json!({"query": "walrus"}));
    assert_eq!(answer["results"][0]["documentId"], "a.md");
}

#[test]
fn documents_tools_answer_clients_of_the_newest_revision() {
    let world = world(&["collections"]);
    let mut client = world.modern();
    let answer = client.call(
        "documents_get_section",
        json!({"collection": "hb", "document": "holidays.md", "section": "hol"}),
    );
    assert_eq!(answer["section"], "Holidays");
    let text = client.told("documents_list_documents", json!({"collection": "vue"}));
    assert!(text.starts_with("Collection \"vue\" not found."), "{text}");
}

#[test]
fn documents_tools_the_greeting_names_the_collections_and_says_how_current_they_are() {
    let mut setup = setup();
    setup.options.collections = ["docs", "handbook", "birds"].map(str::to_owned).into();
    let world = setup.start();
    let greeting = || world.connect(Era::Legacy).initialize()["instructions"].as_str().unwrap().to_owned();
    let text = greeting();
    assert!(text.contains("Collections: docs, handbook.") && !text.contains("last sync"), "{text}");
    world.fetch("birds", docent_engine::Card::default(), &[("a.md", "# A\n")]);
    let text = greeting();
    assert!(text.contains("Collections: birds, docs, handbook."), "{text}");
    assert!(text.contains("fetched is as of its last sync") && !text.contains("always"), "{text}");
    for tool in world.client().tools() {
        let takes_path =
            ["search_docs", "get_doc", "get_page", "get_section"].contains(&tool["name"].as_str().unwrap());
        let said = tool["description"].as_str().unwrap();
        assert_eq!(said.contains("`metadata.collection`"), takes_path, "{said}");
    }
}
