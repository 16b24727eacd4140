//! The tools of `collections` stay under `max_chars`, say that they were cut, and go on.

use serde_json::{Value, json};

use crate::documents_world::{at, parts, setup, values};
use crate::world::{Setup, World};

const ROOM: usize = 1_500;

/// A long document under long names.
fn long() -> String {
    let section =
        |at: usize| format!("## Part {at}\n\n{}\n", "Words and \"quotes\" of this part.\n".repeat(20));
    format!("# Long\n\n{}", (0..30).map(section).collect::<String>())
}

fn world() -> World {
    let many: Vec<(String, String)> =
        (0..60).map(|at| (format!("{at:02}.md"), format!("# Page {at}\n"))).collect();
    let many: Vec<(&str, &str)> = many.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    let mut setup = setup().folder("long", &[("long.md", &long())]).folder("many", &many);
    for at in 0..20 {
        setup = setup.folder(&format!("more-{at:02}"), &[("a.md", "# A\n")]);
    }
    Setup { background: false, ..setup }.start()
}

/// Calls with little room, checks every part of the answer against it, and gives the parts back.
fn cut(world: &World, tool: &str, mut arguments: Value) -> Vec<Value> {
    arguments["max_chars"] = json!(ROOM);
    let parts = parts(&mut world.client(), tool, arguments);
    assert!(parts.len() > 1, "{tool} was not cut");
    for part in &parts {
        let length = part.to_string().chars().count();
        assert!(length <= ROOM, "{tool}: {length} > {ROOM}");
    }
    parts
}

fn joined(parts: &[Value], list: &str, field: &str) -> Vec<Value> {
    parts.iter().flat_map(|part| values(&part[list], field)).cloned().collect()
}

fn content(parts: &[Value]) -> String {
    parts.iter().map(|part| part["content"].as_str().unwrap()).collect()
}

/// The lines of each part are where its content stands in the document.
fn check_lines(parts: &[Value]) {
    let text = long();
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    for part in parts {
        let number = |name: &str| part[name].as_u64().unwrap() as usize;
        let touched = lines[number("startLine") - 1..number("endLine")].concat();
        assert!(touched.contains(part["content"].as_str().unwrap()), "{part}");
    }
}

#[test]
fn documents_tools_list_collections_is_cut_and_goes_on() {
    let parts = cut(&world(), "documents_list_collections", json!({}));
    assert_eq!(joined(&parts, "collections", "collection").len(), 26);
}

#[test]
fn documents_tools_list_documents_is_cut_and_goes_on() {
    let parts =
        cut(&world(), "documents_list_documents", json!({"collection": "many", "limit": 50, "offset": 5}));
    let expected: Vec<Value> = (5..55).map(|at| json!(format!("{at:02}.md"))).collect();
    assert_eq!(joined(&parts, "documents", "id"), expected);
    assert!(parts.iter().all(|part| part["total"] == 60 && part["hasMore"] == true));
}

#[test]
fn documents_tools_get_document_is_cut_and_goes_on() {
    let parts = cut(&world(), "documents_get_document", at("long", "long.md"));
    assert_eq!(content(&parts), long());
    check_lines(&parts);
}

#[test]
fn documents_tools_get_section_is_cut_and_goes_on() {
    let mut arguments = at("long", "long.md");
    arguments["section"] = json!("long");
    let parts = cut(&world(), "documents_get_section", arguments);
    assert_eq!(content(&parts), long());
    check_lines(&parts);
}

#[test]
fn documents_tools_get_outline_is_cut_and_goes_on() {
    let parts = cut(&world(), "documents_get_outline", at("long", "long.md"));
    assert_eq!(joined(&parts, "outline", "line").len(), 31);
}

#[test]
fn documents_tools_zero_lifts_the_limit() {
    let huge = "word ".repeat(20_000);
    let world = setup().folder("x", &[("a.md", &huge)]).start();
    let mut client = world.client();
    let mut arguments = at("x", "a.md");
    assert_eq!(client.call("documents_get_document", arguments.clone())["truncated"], true);
    arguments["max_chars"] = json!(0);
    let answer = client.call("documents_get_document", arguments);
    assert_eq!((answer.get("truncated"), &answer["content"]), (None, &json!(huge)));
}

#[test]
fn documents_tools_the_cursor_of_a_changed_document_is_refused() {
    let world = world();
    let mut client = world.client();
    let mut arguments = at("long", "long.md");
    arguments["max_chars"] = json!(ROOM);
    arguments["cursor"] = client.call("documents_get_document", arguments.clone())["cursor"].clone();
    world.write_in("long", "long.md", "# Short\n");
    let text = client.refused("documents_get_document", arguments);
    assert!(text.contains("Call again without a cursor."), "{text}");
}

#[test]
fn documents_tools_the_cursor_of_another_call_is_refused() {
    let world = world();
    let mut client = world.client();
    let mut arguments = at("long", "long.md");
    arguments["max_chars"] = json!(ROOM);
    let cursor = client.call("documents_get_document", arguments.clone())["cursor"].clone();
    let mut section = arguments.clone();
    section["section"] = json!("long");
    for (tool, mut arguments) in [("documents_get_outline", arguments), ("documents_get_section", section)] {
        arguments["cursor"] = cursor.clone();
        assert!(client.refused(tool, arguments).contains("cursor"), "{tool}");
    }
}

#[test]
fn documents_tools_go_on_to_the_end_however_little_room_there_is() {
    let world = world();
    let mut client = world.client();
    for max_chars in [1, 100, 400] {
        let mut document = at("hb", "holidays.md");
        document["max_chars"] = json!(max_chars);
        let whole = "# Holidays\n\nThirty days of holidays a year.\n";
        assert_eq!(content(&parts(&mut client, "documents_get_document", document.clone())), whole);
        document["section"] = json!("holidays");
        assert_eq!(content(&parts(&mut client, "documents_get_section", document.clone())), whole);
        let mut outline = at("long", "long.md");
        outline["max_chars"] = json!(max_chars);
        let outline = parts(&mut client, "documents_get_outline", outline);
        assert_eq!(joined(&outline, "outline", "line").len(), 31);
        let search = json!({"query": "words", "collections": ["long"], "limit": 3, "max_chars": max_chars});
        let read: usize = parts(&mut client, "documents_search", search)
            .iter()
            .flat_map(|part| values(&part["results"], "content"))
            .map(|content| content.as_str().unwrap().len())
            .sum();
        let search = json!({"query": "words", "collections": ["long"], "limit": 3});
        let whole = client.call("documents_search", search);
        let whole: usize =
            values(&whole["results"], "content").iter().map(|content| content.as_str().unwrap().len()).sum();
        assert_eq!(read, whole, "{max_chars}");
    }
}
