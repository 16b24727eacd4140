//! The tools of `collections` answer whatever they are given: with a result, a sentence or an error that names the parameter.

use serde_json::json;

use crate::documents_world::world;
use crate::odd_arguments::{Odd, odd_calls};

#[test]
fn documents_tools_answer_every_odd_argument() {
    let world = world();
    let mut client = world.client();
    let sound = json!({
        "collection": "docs",
        "document": "guides/set-up.md",
        "section": "Install",
        "query": "install",
        "queries": [{"query": "install"}],
    });
    let mut tools = client.tools();
    tools.retain(|tool| tool["name"].as_str().unwrap().starts_with("documents_"));
    for Odd { tool, parameter, shown, arguments } in odd_calls(tools, &sound) {
        let answer = client.ask("tools/call", json!({"name": tool, "arguments": arguments}));
        let result = &answer["result"];
        let text = result["content"][0]["text"].as_str().unwrap_or_else(|| panic!("{shown}: {answer}"));
        if result["isError"] == true {
            assert!(text.contains(&parameter) && text.len() < 300, "{shown}: {text}");
        } else {
            assert!(result["structuredContent"].is_object(), "{shown}: {answer}");
        }
    }
}
