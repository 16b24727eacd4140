//! The tools of `collections` answer whatever they are given: with a result, a sentence or an error that names the parameter.

use serde_json::{Value, json};

use crate::documents_world::world;

/// Values that no parameter expects.
fn odd() -> Vec<Value> {
    let long = "x".repeat(20_000);
    vec![
        json!(0),
        json!(-1),
        json!(1e300),
        json!(0.5),
        json!(u64::MAX),
        json!(true),
        json!(""),
        json!(" \n\u{202e}\u{0}"),
        json!("../../etc/passwd"),
        json!("日本語 🦀"),
        json!(long),
        json!([]),
        json!([null]),
        json!([{}]),
        json!([{"query": "x", "collections": [long]}]),
        json!({}),
        json!({"a": [[[[]]]]}),
    ]
}

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
    let tools =
        client.tools().into_iter().filter(|tool| tool["name"].as_str().unwrap().starts_with("documents_"));
    for tool in tools.collect::<Vec<_>>() {
        let name = tool["name"].as_str().unwrap();
        let parameters = tool["inputSchema"]["properties"].as_object().unwrap();
        let needed = tool["inputSchema"]["required"].as_array().cloned().unwrap_or_default();
        for parameter in parameters.keys() {
            for value in odd() {
                let mut arguments = json!({});
                for needed in &needed {
                    arguments[needed.as_str().unwrap()] = sound[needed.as_str().unwrap()].clone();
                }
                arguments[parameter] = value.clone();
                let answer = client.ask("tools/call", json!({"name": name, "arguments": arguments}));
                let result = &answer["result"];
                let shown: String = format!("{name} {parameter} {value}").chars().take(100).collect();
                let text =
                    result["content"][0]["text"].as_str().unwrap_or_else(|| panic!("{shown}: {answer}"));
                if result["isError"] == true {
                    assert!(text.contains(parameter.as_str()) && text.len() < 300, "{shown}: {text}");
                } else {
                    assert!(result["structuredContent"].is_object(), "{shown}: {answer}");
                }
            }
        }
    }
}
