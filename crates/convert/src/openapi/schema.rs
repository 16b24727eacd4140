//! Schemas in a few words: `array of Pet`, `{id: integer, name?: string}`.

use serde_json::Value;

use super::{Interface, entries, one_line, text};
use crate::document::Draft;
use crate::markdown::{code_span, escape, table};

/// Objects inside of objects that are spelt out.
const DEPTH: usize = 3;
/// Members, alternatives and values of one schema that are spelt out.
const MOST: usize = 20;

/// Fields of one schema that are listed.
const MOST_FIELDS: usize = 1_000;

/// A schema in one line.
pub(super) fn compact(schema: &Value) -> String {
    shorten(schema, DEPTH)
}

/// A named schema as a table of its members, or in one line when it has none.
pub(super) fn write(draft: &mut Draft, interface: Interface<'_>, schema: &Value) {
    let mut rows = vec![["Field", "Type", "Required", "Description"].map(str::to_owned).to_vec()];
    add_members(interface, schema, &mut rows, DEPTH);
    if rows.len() > 1 {
        draft.block(&table(&rows));
        return;
    }
    draft.block(&code_span(&compact(schema)));
}

/// The members of an object and of all that it is put together from.
fn add_members(interface: Interface<'_>, schema: &Value, rows: &mut Vec<Vec<String>>, depth: usize) {
    let Some(depth) = depth.checked_sub(1) else { return };
    if rows.len() > MOST_FIELDS {
        return;
    }
    for part in schema.get("allOf").and_then(Value::as_array).into_iter().flatten().take(MOST) {
        add_members(interface, interface.resolved(part), rows, depth);
    }
    for (name, member) in entries(schema.get("properties")) {
        rows.push(vec![
            format!("`{name}`"),
            code_span(&shorten(member, 2)),
            if is_required(schema, name) { "yes" } else { "no" }.to_owned(),
            escape(&one_line(text(member, "description"))),
        ]);
    }
}

fn shorten(schema: &Value, depth: usize) -> String {
    let reference = text(schema, "$ref");
    if !reference.is_empty() {
        return reference.rsplit('/').next().unwrap_or_default().to_owned();
    }
    let Some(depth) = depth.checked_sub(1) else { return kind(schema) };
    if let Some(values) = schema.get("enum").and_then(Value::as_array) {
        return listed(values.iter().map(Value::to_string), " | ");
    }
    for (key, separator) in [("oneOf", " | "), ("anyOf", " | "), ("allOf", " & ")] {
        if let Some(parts) = schema.get(key).and_then(Value::as_array) {
            return listed(parts.iter().map(|part| shorten(part, depth)), separator);
        }
    }
    if let Some(items) = schema.get("items") {
        return format!("array of {}", shorten(items, depth));
    }
    let mut members = entries(schema.get("properties")).peekable();
    if members.peek().is_some() {
        let members = members.map(|(name, member)| {
            let mark = if is_required(schema, name) { "" } else { "?" };
            format!("{name}{mark}: {}", shorten(member, depth))
        });
        return format!("{{{}}}", listed(members, ", "));
    }
    match schema.get("additionalProperties") {
        Some(values @ Value::Object(_)) => format!("map of {}", shorten(values, depth)),
        _ => kind(schema),
    }
}

/// `string`, `integer (int64)`, `string | null`.
fn kind(schema: &Value) -> String {
    let kind = match schema.get("type") {
        Some(Value::String(kind)) => kind.clone(),
        Some(Value::Array(kinds)) => listed(kinds.iter().filter_map(Value::as_str).map(str::to_owned), " | "),
        _ if schema.get("properties").is_some() => "object".to_owned(),
        _ => "any".to_owned(),
    };
    let format = text(schema, "format");
    if format.is_empty() { kind } else { format!("{kind} ({format})") }
}

fn is_required(schema: &Value, name: &str) -> bool {
    let mut required = schema.get("required").and_then(Value::as_array).into_iter().flatten();
    required.any(|known| known.as_str() == Some(name))
}

fn listed(parts: impl Iterator<Item = String>, separator: &str) -> String {
    let mut parts: Vec<String> = parts.take(MOST + 1).collect();
    if parts.len() > MOST {
        parts.truncate(MOST);
        parts.push("…".to_owned());
    }
    parts.join(separator)
}
