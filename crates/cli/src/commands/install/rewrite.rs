//! Changes one entry of a JSON text with comments and leaves every other byte alone.
//!
//! The new text is made by splicing: an entry is put in after the last one, or its value is exchanged, or its lines are
//! taken out. Indentation, line ends and the habit of trailing commas are taken from what is already there.

use std::ops::Range;

use serde_json::Value;

use docent_authoring::jsonc::{Broken, Kind, Member, Node, parse};

const USUAL_INDENT: &str = "  ";

/// The text with `key`.`name` set to `entry`.
pub(super) fn set(text: &str, key: &str, name: &str, entry: &Value) -> Result<String, Broken> {
    let style = Style::of(text);
    let Some(root) = parse(text)? else {
        let document = style.print(&serde_json::json!({ key: { name: entry } }), "");
        let before = text.trim_end();
        let gap = if before.trim_start_matches('\u{feff}').is_empty() { "" } else { style.newline };
        return Ok(format!("{before}{gap}{document}{}", style.newline));
    };
    let style = Style { flat: is_flat(text, &root), indent: indent_of(text, &root), ..style };
    let top = members(&root, "the file")?;
    let Some(servers) = find(top, key) else {
        return Ok(insert(text, &root, key, &serde_json::json!({ name: entry }), &style));
    };
    let entries = members(&servers.value, &format!("`{key}`"))?;
    match find(entries, name) {
        None => Ok(insert(text, &servers.value, name, entry, &style)),
        Some(member) => {
            let printed = match is_flat(text, &servers.value) {
                true => print_flat(entry),
                false => style.print(entry, indent_at(text, member.start)),
            };
            Ok(splice(text, vec![(member.value.span.clone(), printed)]))
        }
    }
}

/// The text without `key`.`name`.
pub(super) fn remove(text: &str, key: &str, name: &str) -> Result<String, Broken> {
    let Some(root) = parse(text)? else { return Ok(text.to_owned()) };
    let Some(servers) = find(members(&root, "the file")?, key) else { return Ok(text.to_owned()) };
    let entries = members(&servers.value, &format!("`{key}`"))?;
    let Some(at) = entries.iter().position(|member| member.key == name) else { return Ok(text.to_owned()) };
    let span = &servers.value.span;
    let member = &entries[at];
    let end = member.comma.map_or(member.value.span.end, |comma| comma + 1);
    let around = [text.get(span.start + 1..member.start), text.get(end..span.end - 1)];
    if entries.len() == 1 && around.iter().all(|part| part.is_some_and(|part| part.trim().is_empty())) {
        return Ok(splice(text, vec![(span.clone(), "{}".to_owned())]));
    }
    let mut cuts = vec![(whole_lines(text, member.start..end), String::new())];
    let previous = at.checked_sub(1).and_then(|previous| entries.get(previous));
    if member.comma.is_none()
        && let Some(comma) = previous.and_then(|previous| previous.comma)
    {
        cuts.push((comma..comma + 1, String::new()));
    }
    let cut = splice(text, cuts);
    // A key that is there twice is taken out twice.
    if entries.iter().filter(|member| member.key == name).count() > 1 {
        remove(&cut, key, name)
    } else {
        Ok(cut)
    }
}

fn insert(text: &str, object: &Node, key: &str, value: &Value, style: &Style) -> String {
    let members: &[Member] = if let Kind::Object(members) = &object.kind { members } else { &[] };
    let close = object.span.end - 1;
    let body = text.get(object.span.start + 1..close).unwrap_or_default();
    let end = object.span.start + 1 + body.trim_end().len();
    let last = members.last();
    let trailing = last.is_some_and(|last| last.comma.is_some());
    let comma = if trailing { "," } else { "" };
    let mut edits = Vec::new();
    if let Some(last) = last.filter(|_| !trailing) {
        edits.push((last.value.span.end..last.value.span.end, ",".to_owned()));
    }
    if style.flat || (last.is_some() && !body.contains('\n')) {
        let gap = if last.is_some() { " " } else { "" };
        edits.push((end..end, format!("{gap}{}: {}{comma}", quoted(key), print_flat(value))));
        return splice(text, edits);
    }
    let outer = indent_at(text, object.span.start);
    let indent = match last.filter(|last| begins_line(text, last.start)) {
        Some(last) => indent_at(text, last.start).to_owned(),
        None => format!("{outer}{}", style.indent),
    };
    let newline = style.newline;
    let member = format!("{newline}{indent}{}: {}{comma}", quoted(key), style.print(value, &indent));
    let tail = text.get(end..close).unwrap_or_default();
    if tail.contains('\n') {
        edits.push((end..end, member));
    } else {
        edits.push((end..close, format!("{member}{newline}{outer}")));
    }
    splice(text, edits)
}

fn members<'a>(node: &'a Node, what: &str) -> Result<&'a [Member], Broken> {
    match &node.kind {
        Kind::Object(members) => Ok(members),
        _ => Err(Broken::new(node.span.start, format!("{what} should be an object in braces"))),
    }
}

/// Of a key that is there twice the last one counts, as in every client.
fn find<'a>(members: &'a [Member], key: &str) -> Option<&'a Member> {
    members.iter().rev().find(|member| member.key == key)
}

/// Exchanges parts of a text. The parts do not overlap.
fn splice(text: &str, mut edits: Vec<(Range<usize>, String)>) -> String {
    edits.sort_by_key(|(range, _)| range.start);
    let mut result = String::new();
    let mut at = 0;
    for (range, new) in edits {
        result.push_str(text.get(at..range.start).unwrap_or_default());
        result.push_str(&new);
        at = range.end;
    }
    result.push_str(text.get(at..).unwrap_or_default());
    result
}

/// The range with its lines where it has them for itself, else with the space after or before it.
fn whole_lines(text: &str, range: Range<usize>) -> Range<usize> {
    let before = text.get(..range.start).unwrap_or_default();
    let after = text.get(range.end..).unwrap_or_default();
    let space_before = before.len() - before.trim_end_matches([' ', '\t']).len();
    let space_after = after.len() - after.trim_start_matches([' ', '\t', '\r']).len();
    let starts_line = begins_line(text, range.start);
    if starts_line && after.get(space_after..).is_some_and(|after| after.starts_with('\n')) {
        return range.start - space_before..range.end + space_after + 1;
    }
    if starts_line || after.trim_start_matches([' ', '\t']).starts_with('}') {
        return range.start - space_before..range.end;
    }
    range.start..range.end + (after.len() - after.trim_start_matches([' ', '\t']).len())
}

/// Space at the start of the line that this place is on.
fn indent_at(text: &str, at: usize) -> &str {
    let line = text.get(..at).unwrap_or_default().rsplit('\n').next().unwrap_or_default();
    let line = line.trim_start_matches('\u{feff}');
    line.get(..line.len() - line.trim_start_matches([' ', '\t']).len()).unwrap_or_default()
}

fn begins_line(text: &str, at: usize) -> bool {
    let before = text.get(..at).unwrap_or_default();
    before.trim_end_matches([' ', '\t']).ends_with('\n')
}

/// Whether an object with something in it stands on one line.
fn is_flat(text: &str, node: &Node) -> bool {
    let filled = matches!(&node.kind, Kind::Object(members) if !members.is_empty());
    filled && !text.get(node.span.clone()).unwrap_or_default().contains('\n')
}

/// One step of indentation.
fn indent_of(text: &str, root: &Node) -> String {
    let Kind::Object(members) = &root.kind else { return USUAL_INDENT.to_owned() };
    let first = members.iter().find(|member| begins_line(text, member.start));
    let indent = first.map(|member| indent_at(text, member.start)).unwrap_or_default();
    let indent = indent.strip_prefix(indent_at(text, root.span.start)).unwrap_or(indent);
    if indent.is_empty() { USUAL_INDENT.to_owned() } else { indent.to_owned() }
}

/// The habits of a text.
struct Style {
    newline: &'static str,
    indent: String,
    /// Everything is on one line.
    flat: bool,
}

impl Style {
    fn of(text: &str) -> Self {
        let newline = if text.contains("\r\n") { "\r\n" } else { "\n" };
        Self { newline, indent: USUAL_INDENT.to_owned(), flat: false }
    }

    /// Objects on several lines, arrays on one. The first line is not indented.
    fn print(&self, value: &Value, outer: &str) -> String {
        match value {
            Value::Object(members) if !members.is_empty() => {
                let inner = format!("{outer}{}", self.indent);
                let lines: Vec<String> = members
                    .iter()
                    .map(|(key, value)| format!("{inner}{}: {}", quoted(key), self.print(value, &inner)))
                    .collect();
                let between = format!(",{}", self.newline);
                format!("{{{0}{1}{0}{outer}}}", self.newline, lines.join(&between))
            }
            value => print_flat(value),
        }
    }
}

fn print_flat(value: &Value) -> String {
    let all = |items: Vec<String>| items.join(", ");
    match value {
        Value::Object(members) => {
            let members =
                members.iter().map(|(key, value)| format!("{}: {}", quoted(key), print_flat(value)));
            format!("{{{}}}", all(members.collect()))
        }
        Value::Array(items) => format!("[{}]", all(items.iter().map(print_flat).collect())),
        value => value.to_string(),
    }
}

fn quoted(text: &str) -> String {
    Value::from(text).to_string()
}

#[cfg(test)]
#[path = "rewrite_tests.rs"]
mod tests;
