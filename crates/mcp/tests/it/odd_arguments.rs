//! Calls with an argument that no tool expects, the others being sound.

use serde_json::{Value, json};

/// One such call.
pub(crate) struct Odd {
    pub(crate) tool: String,
    /// The parameter that is odd.
    pub(crate) parameter: String,
    pub(crate) arguments: Value,
    /// What is called, short enough for a message.
    pub(crate) shown: String,
}

/// Every parameter of these tools with every odd value; `sound` has a value for each that is required.
pub(crate) fn odd_calls(tools: Vec<Value>, sound: &Value) -> impl Iterator<Item = Odd> + use<'_> {
    tools.into_iter().flat_map(move |tool| {
        let name = tool["name"].as_str().unwrap().to_owned();
        let needed = tool["inputSchema"]["required"].as_array().cloned().unwrap_or_default();
        let needed = needed.iter().map(|needed| needed.as_str().unwrap());
        let others: Value = needed.map(|needed| (needed.to_owned(), sound[needed].clone())).collect();
        let parameters: Vec<String> =
            tool["inputSchema"]["properties"].as_object().unwrap().keys().cloned().collect();
        parameters.into_iter().flat_map(move |parameter| {
            let (name, others) = (name.clone(), others.clone());
            values().into_iter().map(move |value| {
                let shown = format!("{name} {parameter} {value}").chars().take(100).collect();
                let mut arguments = others.clone();
                arguments[&parameter] = value;
                Odd { tool: name.clone(), parameter: parameter.clone(), arguments, shown }
            })
        })
    })
}

/// Values that no parameter expects.
fn values() -> Vec<Value> {
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
