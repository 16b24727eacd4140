//! Facets against the taxonomy, wherever they are written.
//!
//! A taxonomy that lists the values of any facet is closed: only what it names may be used. Each facet is checked where
//! it stands, by the taxonomy of the manifest that governs the page.

use docent_text::Document;
use serde_json::Value;

use super::front_lines;
use crate::finding::{Code, Finding, Fix};
use crate::hints::PageHints;
use crate::jsonc::{self, Kind, Member, Node};
use crate::manifest::{Manifest, Taxonomy};
use crate::reader::{Reader, scalar, shown};

/// What is wrong with a facet, and the value that was meant.
struct Fault {
    code: Code,
    message: String,
    hint: String,
    meant: Option<String>,
}

/// Reads a manifest and checks its own facets too.
pub fn check_manifest(text: &str) -> (Manifest, Vec<Finding>) {
    let (manifest, mut findings) = Manifest::parse(text);
    if let Ok(Some(root)) = jsonc::parse(text) {
        let mut reader = Reader::of_text(text);
        for metadata in metadata_nodes(&root) {
            check_node(metadata, &manifest.taxonomy, &mut reader);
        }
        check_properties(&root, &manifest.taxonomy, &mut reader);
        findings.append(&mut reader.findings);
    }
    (manifest, findings)
}

/// The facets of a page's comments and front matter.
pub(super) fn check_page(
    text: &str,
    document: &Document,
    hints: &PageHints,
    taxonomy: &Taxonomy,
) -> Vec<Finding> {
    let mut findings = Vec::new();
    check_front(text, document, taxonomy, &mut findings);
    for comment in document.hints.iter().filter(|comment| comment.name == crate::hints::METADATA) {
        // Comments that do not count have a finding of their own.
        if !hints.comment_facets.iter().any(|(line, ..)| *line == comment.line) {
            continue;
        }
        let Some(inner) = text.get(comment.bytes.clone()).and_then(|source| source.find(&comment.value))
        else {
            continue;
        };
        let Ok(Some(node)) = jsonc::parse(&comment.value) else { continue };
        let mut reader = Reader::of_text(&comment.value);
        reader.first_line = comment.line;
        reader.base = comment.bytes.start + inner;
        check_node(&node, taxonomy, &mut reader);
        findings.append(&mut reader.findings);
    }
    findings
}

fn check_front(text: &str, document: &Document, taxonomy: &Taxonomy, findings: &mut Vec<Finding>) {
    for field in ["metadata", crate::hints::METADATA] {
        let Some(value) = document.front_matter.values.get(field) else { continue };
        let line_of = |key| front_lines::find(text, document.body_start, field, key);
        let Value::Object(map) = value else {
            // `metadata` belongs to many generators; only ours must be a map.
            if field == crate::hints::METADATA && !value.is_null() {
                let line = line_of(None).map_or(1, |place| place.line);
                let message = format!("`{field}` is not a map from keys to values");
                findings.push(Finding::new(
                    Code::FacetType,
                    line,
                    message,
                    "write it as `key: value` lines below it",
                ));
            }
            continue;
        };
        for (key, value) in map {
            let place = line_of(Some(key));
            let line = place.as_ref().map_or(1, |place| place.line);
            let items =
                if let Value::Array(items) = value { items.as_slice() } else { std::slice::from_ref(value) };
            for item in items {
                let Some(value) = scalar(&Node::from_value(item)) else {
                    // A taxonomy says that `metadata` is ours, too.
                    if field == crate::hints::METADATA || !taxonomy.0.is_empty() {
                        let message =
                            format!("`{field}.{}` is not text, a number or a truth value", shown(key));
                        findings.push(Finding::new(
                            Code::FacetType,
                            line,
                            message,
                            "give the facet one value",
                        ));
                    }
                    continue;
                };
                let Some(fault) = fault(taxonomy, key, &value) else { continue };
                let fix = fault.meant.as_ref().and_then(|meant| {
                    let bytes = place.as_ref()?.bytes.clone();
                    value_fix(text, bytes, value.trim(), meant)
                });
                findings.push(Finding::new(fault.code, line, fault.message, fault.hint).with_fix(fix));
            }
        }
    }
}

/// Exchanges a value where its line names it once, inside its quotes.
fn value_fix(text: &str, line: std::ops::Range<usize>, old: &str, new: &str) -> Option<Fix> {
    let source = text.get(line.clone())?;
    let at = source.find(old).filter(|_| !old.is_empty() && source.matches(old).count() == 1)?;
    let plain = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.' | '/' | ' ');
    let start = line.start + at;
    // Values that would need quotes are left to the author.
    let fits = new.chars().all(plain) && old.chars().all(plain);
    fits.then(|| Fix { bytes: start..start + old.len(), replacement: new.to_owned() })
}

fn check_node(node: &Node, taxonomy: &Taxonomy, reader: &mut Reader) {
    let Kind::Object(members) = &node.kind else { return };
    for member in members {
        let Some(value) = scalar(&member.value) else { continue };
        let Some(fault) = fault(taxonomy, &member.key, &value) else { continue };
        let fix = fault
            .meant
            .as_ref()
            .and_then(|meant| reader.fix(member.value.span.clone(), Value::from(meant.as_str()).to_string()));
        let finding = Finding::new(fault.code, reader.line(member.start), fault.message, fault.hint);
        reader.findings.push(finding.with_fix(fix));
    }
}

/// Values of `properties` must be among the values that the facet lists.
fn check_properties(root: &Node, taxonomy: &Taxonomy, reader: &mut Reader) {
    let Some(fields) = member(root, "taxonomy").and_then(|member| members(&member.value)) else { return };
    for field in fields {
        let Some(properties) = member(&field.value, "properties").and_then(|member| members(&member.value))
        else {
            continue;
        };
        for property in properties {
            if let Some(fault) = fault(taxonomy, &field.key, &property.key) {
                reader.report(fault.code, property.start, fault.message, fault.hint);
            }
        }
    }
}

fn fault(taxonomy: &Taxonomy, key: &str, value: &str) -> Option<Fault> {
    let (key, value) = (key.trim(), value.trim());
    if taxonomy.0.is_empty() || value.is_empty() {
        return None;
    }
    let Some(field) = taxonomy.0.get(key) else {
        let code = if taxonomy.is_closed() { Code::FacetKey } else { Code::FacetKeyOpen };
        let known: Vec<&str> = taxonomy.0.keys().map(String::as_str).collect();
        let hint = match crate::nearest(key, known.iter().copied()) {
            Some(meant) => format!("did you mean `{}`?", shown(meant)),
            None => format!("the taxonomy names {}", listed(&known)),
        };
        return Some(Fault {
            code,
            message: format!("the taxonomy has no facet `{}`", shown(key)),
            hint,
            meant: None,
        });
    };
    let values = field.values.as_ref()?;
    if values.iter().any(|allowed| allowed == value) {
        return None;
    }
    let mut alike = values.iter().filter(|allowed| folded(allowed) == folded(value));
    let meant = alike.next().filter(|_| alike.next().is_none()).cloned();
    let known: Vec<&str> = values.iter().map(String::as_str).collect();
    let hint = match meant.as_deref().or_else(|| crate::nearest(value, known.iter().copied())) {
        Some(meant) => format!("did you mean `{}`?", shown(meant)),
        None => format!("use one of {}", listed(&known)),
    };
    let message = format!("`{}` is no value of the facet `{}`", shown(value), shown(key));
    Some(Fault { code: Code::FacetValue, message, hint, meant })
}

/// What is left when case and space do not count.
fn folded(value: &str) -> String {
    value.chars().filter(|c| !c.is_whitespace()).flat_map(char::to_lowercase).collect()
}

fn listed(names: &[&str]) -> String {
    const MOST: usize = 12;
    let mut text = names.iter().take(MOST).map(|name| shown(name)).collect::<Vec<_>>().join(", ");
    if names.len() > MOST {
        text.push_str(", …");
    }
    text
}

/// Every `metadata` of a manifest: its own and those of its overrides.
fn metadata_nodes(root: &Node) -> Vec<&Node> {
    let own = member(root, "metadata").map(|member| &member.value);
    let overrides = member(root, "overrides").map(|member| match &member.value.kind {
        Kind::Array(items) => items.as_slice(),
        _ => &[],
    });
    let inner = overrides.unwrap_or_default().iter().filter_map(|item| member(item, "metadata"));
    own.into_iter().chain(inner.map(|member| &member.value)).collect()
}

pub(super) fn members(node: &Node) -> Option<&[Member]> {
    if let Kind::Object(members) = &node.kind { Some(members) } else { None }
}

/// Of a key that is there twice the last one counts.
pub(super) fn member<'n>(node: &'n Node, key: &str) -> Option<&'n Member> {
    members(node)?.iter().rev().find(|member| member.key == key)
}
