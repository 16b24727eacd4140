//! Changes a manifest's text and leaves every byte alone that need not change.

use std::collections::BTreeMap;

use docent_text::Strategy;
use serde_json::{Map, Value, json};

use super::fold::Proposal;
use crate::jsonc::{self, Kind, Member, Node};
use crate::manifest::TaxonomyField;

/// A new manifest with these rules.
pub(super) fn new_manifest(rules: &[Proposal]) -> String {
    let mut lines = vec!["  \"version\": \"1\"".to_owned()];
    for rule in rules.iter().filter(|rule| rule.pattern.is_none()) {
        lines.push(format!("  \"strategy\": {}", print(&by(rule))));
    }
    let overrides: Vec<String> =
        rules.iter().filter_map(rule_item).map(|item| format!("    {}", print(&item))).collect();
    if !overrides.is_empty() {
        lines.push(format!("  \"overrides\": [\n{}\n  ]", overrides.join(",\n")));
    }
    format!("{{\n{}\n}}\n", lines.join(",\n"))
}

/// A manifest that has no strategy for some pages, with rules for them. Its own overrides come later and win.
pub(super) fn with_rules(text: &str, rules: &[Proposal]) -> Option<String> {
    let mut text = text.to_owned();
    let items: Vec<Value> = rules.iter().filter_map(rule_item).collect();
    if !items.is_empty() {
        text = insert_items(&text, &items, true)?;
    }
    match rules.iter().find(|rule| rule.pattern.is_none()) {
        Some(rule) => set_member(&text, "strategy", &by(rule)),
        None => Some(text),
    }
}

/// A manifest with another strategy, for itself or for one pattern. A pattern that is new goes to the end, where it wins.
pub(super) fn with_strategy(text: &str, pattern: Option<&str>, strategy: &Strategy) -> Option<String> {
    let mut value = json!({ "chunk_by": strategy.chunk_by.as_str() });
    if let Some(size) = strategy.max_chunk_size {
        value["max_chunk_size"] = size.into();
    }
    if let Some(size) = strategy.min_chunk_size {
        value["min_chunk_size"] = size.into();
    }
    let root = jsonc::parse(text).ok()??;
    let Some(pattern) = pattern else {
        let level = member(&root, "strategy").and_then(|member| self::member(&member.value, "chunk_by"))?;
        return Some(replace(text, &level.value, &value["chunk_by"].to_string()));
    };
    // Of several overrides with the same pattern the last one counts.
    let same = overrides(&root).iter().rev().find_map(|item| {
        let matches = member(item, "pattern").is_some_and(|member| is_text(&member.value, pattern));
        let level = member(item, "strategy").and_then(|member| self::member(&member.value, "chunk_by"));
        level.filter(|_| matches)
    });
    match same {
        Some(level) => Some(replace(text, &level.value, &value["chunk_by"].to_string())),
        None => insert_items(text, &[json!({ "pattern": pattern, "strategy": value })], false),
    }
}

/// A manifest with facets for some pages: pattern → facets. They go to the end of its overrides.
pub fn add_overrides(text: &str, facets: &BTreeMap<String, BTreeMap<String, String>>) -> Option<String> {
    let items: Vec<Value> =
        facets.iter().map(|(pattern, facets)| json!({ "pattern": pattern, "metadata": facets })).collect();
    if items.is_empty() { Some(text.to_owned()) } else { insert_items(text, &items, false) }
}

/// A manifest with more taxonomy: new facets, and descriptions for those that have none.
pub fn add_taxonomy(text: &str, fields: &BTreeMap<String, TaxonomyField>) -> Option<String> {
    let mut text = text.to_owned();
    for (key, field) in fields {
        let root = jsonc::parse(&text).ok()??;
        let mut value = json!({});
        if let Some(description) = &field.description {
            value["description"] = description.as_str().into();
        }
        if let Some(values) = &field.values {
            value["values"] = json!(values);
        }
        let present =
            member(&root, "taxonomy").and_then(|taxonomy| member(&taxonomy.value, key).map(|it| &it.value));
        text = match (member(&root, "taxonomy"), present.map(|node| (node, &node.kind))) {
            (_, Some((node, Kind::Array(_)))) => {
                value["values"] = node.to_value();
                replace(&text, node, &print(&value))
            }
            (_, Some((node, Kind::Object(_)))) => {
                add_member(&text, node, "description", value.get("description")?)?
            }
            (Some(taxonomy), None) => add_member(&text, &taxonomy.value, key, &value)?,
            (None, None) => set_member(&text, "taxonomy", &json!({ key.as_str(): value }))?,
            (_, Some(_)) => return None,
        };
    }
    Some(text)
}

/// Puts a key after the last one of an object, in the way of those that are there.
fn add_member(text: &str, object: &Node, key: &str, value: &Value) -> Option<String> {
    let Kind::Object(members) = &object.kind else { return None };
    let printed = format!("{}: {}", Value::from(key), print(value));
    let (Some(first), Some(last)) = (members.first(), members.last()) else {
        return Some(replace(text, object, &format!("{{ {printed} }}")));
    };
    let gap =
        text.get(object.span.start + 1..first.start).filter(|gap| gap.trim().is_empty() && !gap.is_empty());
    Some(splice(text, last.value.span.end, &format!(",{}{printed}", gap.unwrap_or(" "))))
}

fn by(rule: &Proposal) -> Value {
    let mut strategy = json!({ "chunk_by": rule.chunk_by.as_str() });
    if let Some(size) = rule.min_chunk_size {
        strategy["min_chunk_size"] = size.into();
    }
    strategy
}

fn rule_item(rule: &Proposal) -> Option<Value> {
    let pattern = rule.pattern.as_ref()?;
    Some(json!({ "pattern": pattern, "strategy": by(rule) }))
}

/// Puts items at the start or the end of `overrides`, in the way of those that are there.
fn insert_items(text: &str, items: &[Value], first: bool) -> Option<String> {
    let root = jsonc::parse(text).ok()??;
    let Some(list) = member(&root, "overrides") else {
        return set_member(text, "overrides", &Value::Array(items.to_vec()));
    };
    let Kind::Array(present) = &list.value.kind else { return None };
    let (Some(start), Some(end)) = (present.first(), present.last()) else {
        return Some(replace(
            text,
            &list.value,
            &block(&Value::Array(items.to_vec()), &Style::of(text, &root), 1),
        ));
    };
    let gap = text.get(list.value.span.start + 1..start.span.start)?;
    let gap = if gap.trim().is_empty() { gap } else { " " };
    let printed: Vec<String> = items.iter().map(print).collect();
    let between = if gap.is_empty() { ", ".to_owned() } else { format!(",{gap}") };
    let joined = printed.join(&between);
    Some(match first {
        true => splice(text, start.span.start, &format!("{joined}{between}")),
        false => splice(text, end.span.end, &format!("{between}{joined}")),
    })
}

/// Sets a key of the manifest: in the place of the old value, or after the last key.
fn set_member(text: &str, key: &str, value: &Value) -> Option<String> {
    let root = jsonc::parse(text).ok()??;
    let style = Style::of(text, &root);
    if let Some(member) = member(&root, key) {
        return Some(replace(text, &member.value, &block(value, &style, 1)));
    }
    let Kind::Object(members) = &root.kind else { return None };
    let printed = format!("{}: {}", Value::from(key), block(value, &style, 1));
    let Some(last) = members.last() else { return Some(replace(text, &root, &format!("{{ {printed} }}"))) };
    let end = last.value.span.end;
    Some(splice(text, end, &format!(",{}{printed}", style.gap)))
}

/// How a manifest is laid out.
struct Style {
    /// What stands before each key.
    gap: String,
    newline: &'static str,
    flat: bool,
    indent: String,
}

impl Style {
    fn of(text: &str, root: &Node) -> Style {
        let members: &[Member] = if let Kind::Object(members) = &root.kind { members } else { &[] };
        let first = members.first().map_or(root.span.start + 1, |member| member.start);
        let gap = text.get(root.span.start + 1..first).filter(|gap| gap.trim().is_empty()).unwrap_or(" ");
        let flat = !gap.contains('\n');
        let indent = gap.rsplit('\n').next().filter(|_| !flat).unwrap_or("  ").to_owned();
        let newline = if text.contains("\r\n") { "\r\n" } else { "\n" };
        Style { gap: if gap.is_empty() { " ".to_owned() } else { gap.to_owned() }, newline, flat, indent }
    }
}

/// A list on several lines, one item each; anything else on one.
fn block(value: &Value, style: &Style, depth: usize) -> String {
    let Value::Array(items) = value else { return print(value) };
    if style.flat {
        return print(value);
    }
    let (newline, outer) = (style.newline, style.indent.repeat(depth));
    let items: Vec<String> =
        items.iter().map(|item| format!("{outer}{}{}", style.indent, print(item))).collect();
    format!("[{newline}{}{newline}{outer}]", items.join(&format!(",{newline}")))
}

/// One line with spaces where people put them.
fn print(value: &Value) -> String {
    match value {
        Value::Object(map) if map.is_empty() => "{}".to_owned(),
        Value::Object(map) => format!("{{ {} }}", pairs(map)),
        Value::Array(items) => format!("[{}]", items.iter().map(print).collect::<Vec<_>>().join(", ")),
        scalar => scalar.to_string(),
    }
}

fn pairs(map: &Map<String, Value>) -> String {
    let pairs = map.iter().map(|(key, value)| format!("{}: {}", Value::from(key.as_str()), print(value)));
    pairs.collect::<Vec<_>>().join(", ")
}

fn replace(text: &str, node: &Node, new: &str) -> String {
    let mut text = text.to_owned();
    text.replace_range(node.span.clone(), new);
    text
}

fn splice(text: &str, at: usize, new: &str) -> String {
    let mut text = text.to_owned();
    text.insert_str(at, new);
    text
}

fn member<'n>(node: &'n Node, key: &str) -> Option<&'n Member> {
    let Kind::Object(members) = &node.kind else { return None };
    members.iter().rev().find(|member| member.key == key)
}

fn overrides(root: &Node) -> &[Node] {
    match member(root, "overrides").map(|member| &member.value.kind) {
        Some(Kind::Array(items)) => items,
        _ => &[],
    }
}

fn is_text(node: &Node, text: &str) -> bool {
    matches!(&node.kind, Kind::Scalar(Value::String(own)) if own.trim() == text)
}
