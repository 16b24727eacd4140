//! documents-tools-v2: aliases resolve everywhere, and what is not there is told as an ordinary answer.

use serde_json::{Value, json};

use crate::documents_world::{at, setup, world};

/// A call of every tool that takes one collection, with a document that `react@19` has.
fn calls(collection: &str) -> Vec<(&'static str, Value)> {
    let mut section = at(collection, "hooks.md");
    section["section"] = json!("State");
    vec![
        ("documents_list_documents", json!({"collection": collection})),
        ("documents_get_document", at(collection, "hooks.md")),
        ("documents_get_outline", at(collection, "hooks.md")),
        ("documents_get_section", section),
        ("documents_find_related", at(collection, "hooks.md")),
    ]
}

#[test]
fn documents_tools_all_tools_resolve_aliases() {
    let world = world();
    let mut client = world.client();
    for name in ["latest", "react"] {
        for (tool, arguments) in calls(name) {
            let answer = client.call(tool, arguments);
            let answer = answer.get("source").unwrap_or(&answer);
            assert_eq!(answer["collection"], name, "{tool}");
            assert_eq!(answer["collectionId"], "react@19", "{tool}");
        }
    }
}

#[test]
fn documents_tools_an_id_is_shown_alone() {
    let world = world();
    let mut client = world.client();
    for id in ["react@19", "react@18"] {
        for (tool, arguments) in calls(id) {
            let answer = client.call(tool, arguments);
            let answer = answer.get("source").unwrap_or(&answer);
            assert_eq!(answer["collection"], id, "{tool}");
            assert_eq!(answer.get("collectionId"), None, "{tool}");
        }
    }
}

#[test]
fn documents_tools_read_the_version_that_was_named() {
    let world = world();
    let mut client = world.client();
    let mut title = |name: &str| client.call("documents_get_document", at(name, "hooks.md"))["title"].clone();
    assert_eq!(title("react"), "Hooks of nineteen");
    assert_eq!(title("latest"), "Hooks of nineteen");
    assert_eq!(title("react@18"), "Hooks of eighteen");
}

#[test]
fn documents_tools_aliases_resolve_in_the_docs_tools_too() {
    let world = world();
    let mut client = world.client();
    let found = client.call("search_docs", json!({"query": "useState", "collection": "react"}));
    let collections = found["results"].as_array().unwrap().iter().map(|hit| &hit["metadata"]["collection"]);
    assert!(
        collections.clone().count() > 0 && collections.into_iter().all(|name| name == "react@19"),
        "{found}"
    );
    let page = client.call("get_page", json!({"file_path": "hooks.md", "collection": "latest"}));
    assert_eq!(page["title"], "Hooks of nineteen");
    let section = json!({"file_path": "holidays.md", "heading_path": "Holidays", "collection": "hb"});
    assert_eq!(client.call("get_section", section)["metadata"]["collection"], "handbook");
    let chunk = client.call("get_doc", json!({"chunk_id": "holidays.md#holidays", "collection": "hb"}));
    assert_eq!(chunk["metadata"]["collection"], "handbook");
    assert_eq!(client.call("list_pages", json!({"collection": "latest"}))["total_pages"], 2);
    assert_eq!(
        client.refused("list_pages", json!({"collection": "vue"})),
        "There is no collection `vue`. The collections are: docs, handbook, react@18, react@19."
    );
}

#[test]
fn documents_tools_names_that_resolve_stand_in_the_schema_of_the_docs_tools() {
    let parameter = world().client().parameters("list_pages")["collection"].clone();
    let names = "`docs`, `handbook`, `react@18`, `react@19`, `hb`, `latest`, `react` or a library";
    assert_eq!(parameter["description"], format!("Only this collection: {names}. Default: all."));
}

#[test]
fn documents_tools_a_missing_collection_is_told_with_those_there_are() {
    let world = world();
    let mut client = world.client();
    for (tool, arguments) in calls("vue") {
        assert_eq!(
            client.told(tool, arguments),
            "Collection \"vue\" not found. The collections are: docs, hb, react@18, latest.",
            "{tool}"
        );
    }
}

#[test]
fn documents_tools_an_alias_of_nothing_is_a_missing_collection() {
    let text = world().client().told("documents_list_documents", json!({"collection": "gone"}));
    assert!(text.starts_with("Collection \"gone\" not found. "), "{text}");
}

#[test]
fn documents_tools_collections_that_are_not_served_are_missing() {
    let mut setup = setup();
    setup.options.collections = vec!["docs".to_owned(), "react@18".to_owned()];
    let world = setup.start();
    let mut client = world.client();
    for name in ["handbook", "hb", "react@19"] {
        assert_eq!(
            client.told("documents_list_documents", json!({"collection": name})),
            format!("Collection \"{name}\" not found. The collections are: docs, latest.")
        );
    }
    let answer = client.call("documents_get_document", at("react", "hooks.md"));
    assert_eq!(answer["collectionId"], "react@18", "the newest version that is served");
}

#[test]
fn documents_tools_a_missing_document_is_told_in_the_callers_words() {
    let world = world();
    let mut client = world.client();
    for (tool, mut arguments) in calls("latest").into_iter().skip(1) {
        arguments["document"] = json!("hook.md");
        assert_eq!(
            client.told(tool, arguments),
            "Document \"hook.md\" not found in collection \"latest\". Did you mean hooks.md?",
            "{tool}"
        );
    }
}

#[test]
fn documents_tools_a_missing_document_names_the_next_step_when_nothing_is_near() {
    assert_eq!(
        world().client().told("documents_get_document", at("docs", "xyz")),
        "Document \"xyz\" not found in collection \"docs\". Use documents_list_documents to see the documents of a collection."
    );
}

#[test]
fn documents_tools_a_document_of_another_collection_is_missing() {
    let text = world().client().told("documents_get_outline", at("docs", "holidays.md"));
    assert!(text.starts_with("Document \"holidays.md\" not found in collection \"docs\"."), "{text}");
}

#[test]
fn documents_tools_what_was_asked_for_is_repeated_short_and_visible() {
    let world = world();
    let mut client = world.client();
    let text = client.told("documents_get_document", at("docs", "a\u{202e}b\nc\u{7}"));
    assert!(text.starts_with("Document \"ab c\" not found in collection \"docs\"."), "{text}");
    let text = client.told("documents_get_document", at("docs", &"x".repeat(100_000)));
    assert!(text.len() < 1_000, "{}", text.len());
    let text = client.told("documents_list_documents", json!({"collection": "y".repeat(100_000)}));
    assert!(text.len() < 1_000, "{}", text.len());
}

#[test]
fn documents_tools_what_has_to_be_given_is_named() {
    let world = world();
    let mut client = world.client();
    let mut check = |tool: &str, arguments: Value, expected: &str| {
        assert_eq!(client.refused(tool, arguments), expected);
    };
    for (tool, _) in calls("docs") {
        let section = json!({"section": "x"});
        let arguments = if tool == "documents_get_section" { section } else { json!({}) };
        check(tool, arguments, "collection parameter is required: a name from documents_list_collections");
    }
    let no_document = "document parameter is required: an id from documents_list_documents";
    check("documents_get_document", json!({"collection": "docs"}), no_document);
    check("documents_get_outline", json!({"collection": "docs", "document": " "}), no_document);
    check("documents_get_document", at("docs", ""), no_document);
    let no_text = "collection must be a string: a name from documents_list_collections";
    check("documents_list_documents", json!({"collection": ["docs"]}), no_text);
    check(
        "documents_list_documents",
        json!({"collection": "docs", "colour": 1}),
        "There is no parameter `colour`. The parameters are: collection, limit, offset, max_chars, cursor.",
    );
}

#[test]
fn documents_tools_a_collection_that_is_listed_and_not_here_yet_is_told_as_such() {
    let mut setup = setup();
    setup.expected = vec!["docs", "handbook", "book@2"];
    setup.aliases.push(("b", "book"));
    let world = setup.start();
    let mut client = world.client();
    let next = "It is listed and not here yet: `docent sync book@2` fetches it. The collections are: docs, ";
    for name in ["book@2", "book", "b"] {
        for (tool, arguments) in calls(name) {
            let told = client.told(tool, arguments);
            assert!(told.starts_with(&format!("Collection \"{name}\" not found. {next}")), "{tool}: {told}");
        }
        let refused = client.refused("search_docs", json!({"query": "x", "collection": name}));
        assert!(refused.starts_with(&format!("There is no collection `{name}`. {next}")), "{refused}");
    }
    let batch = json!({"queries": [{"query": "x", "collections": ["book"]}]});
    let message = client.call("documents_search_batch", batch)["results"][0]["message"].clone();
    assert!(message.as_str().unwrap().contains(next), "{message}");
    let listed = client.call("documents_list_collections", json!({}));
    assert_eq!(
        listed["degraded"],
        json!(["collection `book@2` is not here yet; `docent sync book@2` fetches it"])
    );
    world.fetch("book@2", docent_engine::Card::default(), &[("a.md", "# A\n")]);
    let listed = client.call("documents_list_collections", json!({}));
    assert_eq!(listed.get("degraded"), None);
    assert_eq!(client.call("documents_list_documents", json!({"collection": "b"}))["total"], 1);
}
