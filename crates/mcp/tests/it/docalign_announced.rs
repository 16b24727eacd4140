//! DocAlign: what clients see of the tools before they call them.

use serde_json::{Value, json};

use crate::docalign_world::setup;
use crate::world::{Keeping, Setup, World};

const TOOLS: [&str; 4] = ["get_docs", "get_doc_health", "list_stale_docs", "report_drift"];

fn names(world: &World) -> Vec<String> {
    world.client().tools().iter().map(|tool| tool["name"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn docalign_tools_are_offered_by_default_beside_those_of_docs() {
    let world = setup().start();
    let names = names(&world);
    assert_eq!(names.len(), 10, "{names:?}");
    assert!(TOOLS.iter().all(|tool| names.iter().any(|name| name == tool)), "{names:?}");
}

#[test]
fn docalign_tools_are_not_offered_where_nothing_is_kept() {
    let world = Setup { health: Keeping::Off, ..setup() }.start();
    assert!(names(&world).iter().all(|name| !TOOLS.contains(&name.as_str())));
}

fn parameters(tool: &str) -> (Value, Value) {
    let tools = setup().start().client().tools();
    let schema = tools.iter().find(|listed| listed["name"] == tool).unwrap()["inputSchema"].clone();
    (schema["properties"].clone(), schema["required"].clone())
}

#[test]
fn docalign_tools_declare_the_parameters_of_the_specification() {
    let (get_docs, required) = parameters("get_docs");
    assert_eq!(required, json!(["query"]));
    assert_eq!((&get_docs["query"]["type"], &get_docs["query"]["minLength"]), (&json!("string"), &json!(1)));
    let verified_only = &get_docs["verified_only"];
    assert_eq!((&verified_only["type"], &verified_only["default"]), (&json!("boolean"), &json!(false)));

    let (health, required) = parameters("get_doc_health");
    assert_eq!((&health["path"]["type"], required), (&json!("string"), Value::Null));

    let (stale, _) = parameters("list_stale_docs");
    let max = &stale["max_results"];
    assert_eq!(max["type"], "integer");
    assert_eq!((&max["minimum"], &max["maximum"], &max["default"]), (&json!(1), &json!(100), &json!(10)));

    let (report, required) = parameters("report_drift");
    assert_eq!(required, json!(["doc_file", "claim_text", "actual_behavior"]));
    assert_eq!(
        (&report["line_number"]["type"], &report["line_number"]["minimum"]),
        (&json!("integer"), &json!(1))
    );
    for name in ["claim_text", "actual_behavior"] {
        assert_eq!(
            (&report[name]["minLength"], &report[name]["maxLength"]),
            (&json!(1), &json!(2000)),
            "{name}"
        );
    }
    let files = &report["evidence_files"];
    assert_eq!((&files["maxItems"], &files["items"]["maxLength"]), (&json!(20), &json!(512)));
}

#[test]
fn docalign_tools_that_read_say_so_and_the_one_that_writes_does_too() {
    for tool in
        setup().start().client().tools().iter().filter(|tool| TOOLS.contains(&tool["name"].as_str().unwrap()))
    {
        let reads = tool["name"] != "report_drift";
        assert_eq!(tool["annotations"]["readOnlyHint"], reads, "{tool}");
        assert_eq!(tool["annotations"]["idempotentHint"], reads, "{tool}");
        assert_eq!(tool["annotations"]["destructiveHint"], false, "{tool}");
    }
}
