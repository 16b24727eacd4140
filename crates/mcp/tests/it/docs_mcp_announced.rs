//! What a client is told before it searches: resources that authors put first, and their instructions.

use serde_json::{Value, json};

use crate::authored::{MANIFEST, manifest};
use crate::client::{Client, Era};
use crate::world::{Setup, World};

fn featuring() -> String {
    manifest(json!({
        "taxonomy": {"kind": {"properties": {"overview": {"mcp_resource": true}, "note": {"mcp_resource": false}}}},
        "overrides": [
            {"pattern": "**/z*.md", "metadata": {"kind": "overview"}},
            {"pattern": "**/b*.md", "metadata": {"kind": "note"}},
        ],
    }))
}

fn world() -> World {
    let page = "# Page\n\ntext\n";
    let paths = ["a.md", "b.md", "sub/zebra.md", "c.md", "zoo.md"];
    let mut files = paths.map(|path| (path, page)).to_vec();
    let manifest = featuring();
    files.push((MANIFEST, &manifest));
    World::quiet(&files)
}

fn resources(client: &mut Client) -> Vec<Value> {
    let mut all = Vec::new();
    let mut params = json!({});
    loop {
        let listed = client.request("resources/list", params);
        all.extend(listed["resources"].as_array().unwrap().iter().cloned());
        match listed.get("nextCursor") {
            Some(cursor) => params = json!({"cursor": cursor}),
            None => return all,
        }
    }
}

fn names(resources: &[Value]) -> Vec<&str> {
    resources.iter().map(|resource| resource["name"].as_str().unwrap()).collect()
}

#[test]
fn pages_with_an_mcp_resource_value_come_first() {
    let listed = resources(&mut world().client());
    assert_eq!(names(&listed), ["sub/zebra.md", "zoo.md", "a.md", "b.md", "c.md"]);
}

#[test]
fn pages_with_an_mcp_resource_value_have_priority_one() {
    for resource in resources(&mut world().client()) {
        let is_first = resource["name"].as_str().unwrap().contains('z');
        let priority = resource["annotations"]["priority"].as_f64();
        assert_eq!(priority == Some(1.0), is_first, "{resource}");
    }
}

#[test]
fn they_come_first_however_many_others_there_are() {
    let mut files: Vec<(String, String)> =
        (0..300).map(|number| (format!("{number:03}.md"), "# Page\n".to_owned())).collect();
    files.push(("zebra.md".to_owned(), "# Page\n".to_owned()));
    files.push((MANIFEST.to_owned(), featuring()));
    let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    let world = World::quiet(&files);
    let listed = resources(&mut world.client());
    assert_eq!((listed.len(), names(&listed)[0]), (301, "zebra.md"));
}

#[test]
fn an_edit_of_the_manifest_changes_the_order() {
    let world = world();
    let mut client = world.client();
    resources(&mut client);
    world.write(MANIFEST, &featuring().replace("**/z*.md", "c.md"));
    assert_eq!(names(&resources(&mut client))[0], "c.md");
    world.remove(MANIFEST);
    assert_eq!(names(&resources(&mut client)), ["a.md", "b.md", "c.md", "sub/zebra.md", "zoo.md"]);
}

#[test]
fn front_matter_may_give_the_value_too() {
    let world = world();
    world.write("c.md", "---\nmetadata:\n  kind: overview\n---\n# C\n");
    assert_eq!(names(&resources(&mut world.client()))[0], "c.md");
}

// Instructions.

fn instructions(world: &World) -> String {
    let legacy = world.connect(Era::Legacy).initialize()["instructions"].as_str().unwrap().to_owned();
    let modern =
        world.modern().request("server/discover", json!({}))["instructions"].as_str().unwrap().to_owned();
    assert_eq!(legacy, modern);
    assert!(legacy.len() <= 2048, "{}", legacy.len());
    legacy
}

fn saying(text: &str) -> String {
    manifest(json!({"mcpServerInstructions": text}))
}

const SAID: &str = "Ask for the SDK before you call its API.";

#[test]
fn instructions_of_a_manifest_are_appended_to_those_of_the_server() {
    let world = World::quiet(&[("a.md", "# A\n"), (MANIFEST, &saying(SAID))]);
    let plain = instructions(&World::quiet(&[("a.md", "# A\n")]));
    let said = instructions(&world);
    assert!(said.starts_with(&plain) && said.ends_with(SAID), "{said}");
}

#[test]
fn instructions_are_two_kilobytes_at_most() {
    for text in ["word ".repeat(5_000), "語".repeat(5_000), "x".repeat(100_000)] {
        let world = World::quiet(&[("a.md", "# A\n"), (MANIFEST, &saying(&text))]);
        let said = instructions(&world);
        assert!(said.contains("search_docs") && said.contains(&text[..30]), "{said}");
    }
}

#[test]
fn instructions_of_several_manifests_are_all_told() {
    let world = World::quiet(&[
        ("a/x.md", "# A\n"),
        ("b/x.md", "# B\n"),
        ("a/.docs-mcp.json", &saying("First of all.")),
        ("b/.docs-mcp.json", &saying("Second of all.")),
    ]);
    let said = instructions(&world);
    assert!(said.contains("First of all.") && said.contains("Second of all."), "{said}");
}

#[test]
fn instructions_that_change_are_told_to_who_connects_next() {
    let world = World::quiet(&[("a.md", "# A\n"), (MANIFEST, &saying(SAID))]);
    let mut client = world.client();
    world.write(MANIFEST, &saying("Something new."));
    client.tools();
    assert!(instructions(&world).ends_with("Something new."));
    world.remove(MANIFEST);
    client.tools();
    assert!(!instructions(&world).contains("Something new."));
}

#[test]
fn instructions_that_change_are_told_by_the_very_next_handshake() {
    let world = World::quiet(&[("a.md", "# A\n"), (MANIFEST, &saying(SAID))]);
    instructions(&world);
    world.write(MANIFEST, &saying("Something new."));
    assert!(instructions(&world).ends_with("Something new."));
}

#[test]
fn instructions_of_a_collection_that_is_not_served_are_not_told() {
    let mut setup = Setup::new(&[("a.md", "# A\n")])
        .folder("secret", &[("b.md", "# B\n"), (MANIFEST, &saying("The secret word."))]);
    setup.options.collections = vec!["docs".to_owned()];
    assert!(!instructions(&setup.start()).contains("secret word"));
}
