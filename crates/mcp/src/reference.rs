//! The reference page of the tools, written from the table.

use std::fmt::Write as _;

use rmcp::model::JsonObject;
use serde_json::Value;

use crate::facets::Facets;
use crate::schema::properties;
use crate::table::{Effect, TOOLS, Toolset};

/// The whole page as Markdown.
pub fn reference() -> String {
    let mut page = String::from(
        "# Tools\n\nWritten from the table of tools in `crates/mcp/src/table.rs`; a test fails when this page is out of date.\n\n\
         Every result is structured content with the schema below, and the same JSON as text. Unless its toolset says otherwise, \
         an error is a result with `isError` and a message that names the next step. A parameter that is not listed is an error.\n",
    );
    for toolset in Toolset::ALL {
        let _ = write!(page, "\n## Toolset `{}`\n\n{}\n", toolset.name(), toolset.about());
        for tool in TOOLS.iter().filter(|tool| tool.toolset == *toolset) {
            let effect = match tool.effect {
                Effect::Reads => "reads only",
                Effect::Adds => "writes",
                Effect::Reports => "writes a report",
                Effect::Fetches => "writes, and asks the network",
                Effect::Deletes => "deletes",
            };
            let _ =
                write!(page, "\n### `{}`\n\n{} ({effect}).\n\n{}\n", tool.name, tool.title, tool.description);
            table(&mut page, "Parameter", &(tool.input)(&Facets::default()));
            table(&mut page, "Result field", &(tool.output)());
        }
    }
    page
}

fn table(page: &mut String, head: &str, schema: &JsonObject) {
    let properties = properties(schema);
    if properties.is_empty() {
        let _ = write!(page, "\nNo parameters.\n");
        return;
    }
    let required = schema.get("required").and_then(Value::as_array);
    let is_required = |name: &str| required.is_some_and(|names| names.iter().any(|known| known == name));
    let _ = write!(page, "\n| {head} | Type | | Meaning |\n|---|---|---|---|\n");
    for (name, schema) in properties {
        let presence = match (schema.get("default"), is_required(name)) {
            (Some(default), _) => {
                format!("default `{}`", default.as_str().map_or_else(|| default.to_string(), str::to_owned))
            }
            (None, true) => (if head == "Parameter" { "required" } else { "always" }).to_owned(),
            (None, false) => (if head == "Parameter" { "" } else { "when it applies" }).to_owned(),
        };
        let meaning = schema.get("description").and_then(Value::as_str).unwrap_or("");
        let _ =
            writeln!(page, "| `{name}` | {} | {presence} | {} |", kind(schema), meaning.replace('|', "\\|"));
    }
}

fn kind(schema: &Value) -> String {
    if let Some(values) = schema.get("enum").and_then(Value::as_array) {
        let values: Vec<String> =
            values.iter().filter_map(Value::as_str).map(|value| format!("`{value}`")).collect();
        return values.join(", ");
    }
    if let Some(kinds) = schema.get("anyOf").and_then(Value::as_array) {
        return kinds.iter().map(kind).collect::<Vec<_>>().join(" or ");
    }
    schema.get("type").and_then(Value::as_str).unwrap_or("any").to_owned()
}
