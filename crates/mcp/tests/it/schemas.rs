//! What clients see of us, kept as snapshots: a change here is a change for every agent.

use docent_mcp::Template;
use serde_json::json;

use crate::client::Era;
use crate::world::{Setup, World};

#[test]
fn tools_without_facets() {
    let world = World::new(&[("a.md", "# A\n")]);
    insta::assert_json_snapshot!(world.client().tools());
}

#[test]
fn search_docs_with_facets() {
    let page = |language: &str, scope: &str| {
        format!("---\nmetadata:\n  language: {language}\n  scope: {scope}\n---\n# A\n")
    };
    let world = Setup::new(&[("a.md", &page("go", "sdk-specific")), ("b.md", &page("rust", "global-guide"))])
        .folder("handbook", &[("c.md", "---\nmetadata:\n  audience: all staff\n---\n# C\n")])
        .start();
    let tools = world.client().tools();
    let search = tools.iter().find(|tool| tool["name"] == "search_docs").unwrap();
    insta::assert_json_snapshot!(search["inputSchema"]);
}

#[test]
fn instructions_and_capabilities() {
    let world = World::new(&[("a.md", "# A\n")]);
    let mut answer = world.connect(Era::Legacy).initialize();
    answer["serverInfo"]["version"] = json!("[version]");
    insta::assert_json_snapshot!(answer);
}

#[test]
fn prompts() {
    let mut setup = Setup::new(&[("a.md", "# A\n")]);
    setup.options.prompts =
        vec![Template::new("review", "Review a change", "Review {{change}}. {{focus?}}").unwrap()];
    let world = setup.start();
    insta::assert_json_snapshot!(world.client().request("prompts/list", json!({}))["prompts"]);
}

#[test]
fn resource_templates() {
    let world = World::new(&[("a.md", "# A\n")]);
    let result = world.client().request("resources/templates/list", json!({}));
    insta::assert_json_snapshot!(result["resourceTemplates"]);
}

#[test]
fn tools_of_collections() {
    let mut setup = Setup::new(&[("a.md", "# A\n")]);
    setup.options.choice.toolsets = vec!["collections".to_owned()];
    insta::assert_json_snapshot!(setup.start().client().tools());
}

#[test]
fn tools_of_library() {
    let mut setup = Setup::new(&[("a.md", "# A\n")]).writable();
    setup.options.choice.toolsets = vec!["library".to_owned()];
    insta::assert_json_snapshot!(setup.start().client().tools());
}

#[test]
fn tools_of_health() {
    let mut setup = Setup::new(&[("a.md", "# A\n")]);
    setup.options.choice.toolsets = vec!["health".to_owned()];
    insta::assert_json_snapshot!(setup.start().client().tools());
}
