//! One manifest: a `.docs-mcp.json`, or the same keys in `docent.toml`.
//!
//! Manifests come with the documents and are not trusted: size, depth, overrides and patterns have limits, and whatever
//! is broken is left out and reported with its line. A manifest that is no JSON object says nothing at all.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use docent_text::Strategy;
use globset::Glob;
use serde_json::Value;

use crate::finding::{Code, Finding};
use crate::globs::{self, Globs};
use crate::jsonc::{self, Kind, Member, Node};
use crate::reader::{Reader, kind_name, scalar, shown};

/// Name of a manifest's file.
pub const MANIFEST_FILE: &str = ".docs-mcp.json";

/// Larger manifests are not read.
pub const MAX_MANIFEST_BYTES: usize = 1_000_000;

/// Overrides after these do not count.
const MAX_OVERRIDES: usize = 10_000;
/// Facets of a taxonomy after these do not count.
const MAX_FIELDS: usize = 64;
/// Values of a facet after these do not count.
const MAX_VALUES: usize = 1000;
/// Longer descriptions are cut.
const MAX_DESCRIPTION_CHARS: usize = 500;

/// The one version there is.
pub(crate) const VERSION: &str = "1";

/// Keys of a manifest.
pub(crate) const KEYS: &[&str] =
    &["$schema", "version", "strategy", "metadata", "taxonomy", "overrides", "mcpServerInstructions"];
/// Keys of an override.
pub(crate) const OVERRIDE_KEYS: &[&str] = &["pattern", "strategy", "metadata"];
/// Keys of a taxonomy's field.
pub(crate) const FIELD_KEYS: &[&str] = &["vector_collapse", "description", "values", "properties"];
/// Keys of a value's properties.
pub(crate) const PROPERTY_KEYS: &[&str] = &["mcp_resource"];

/// What a manifest says about the folder that it is in.
#[derive(Debug, Clone, Default)]
pub struct Manifest {
    /// Where pages are cut.
    pub strategy: Option<Strategy>,
    /// Facets of every page.
    pub metadata: BTreeMap<String, String>,
    /// Which facets there are.
    pub taxonomy: Taxonomy,
    /// Exceptions, in order.
    pub overrides: Vec<Override>,
    /// What agents are told about the documents.
    pub instructions: Option<String>,
    globs: Globs,
}

/// Facets by key.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Taxonomy(pub BTreeMap<String, TaxonomyField>);

/// What is known about one facet.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TaxonomyField {
    /// What it is for, in words.
    pub description: Option<String>,
    /// The values that it may have; `None` for any.
    pub values: Option<Vec<String>>,
    /// Whether pages that differ only in this facet are variants of one, of which a search shows the best.
    pub vector_collapse: bool,
    /// Values whose pages are offered as resources.
    pub resources: BTreeSet<String>,
}

/// An exception for some of the pages.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Override {
    /// Which pages: a glob relative to the manifest's folder.
    pub pattern: String,
    /// Where they are cut instead.
    pub strategy: Option<Strategy>,
    /// More facets, or other values for them.
    pub metadata: BTreeMap<String, String>,
    /// Its place in the manifest's list, counted with the broken ones.
    pub index: usize,
}

impl Manifest {
    /// Reads a file. What is broken is left out and reported.
    pub fn parse(text: &str) -> (Manifest, Vec<Finding>) {
        let refuse = |line: usize, message: String, hint: &str| {
            (Manifest::default(), vec![Finding::new(Code::ManifestJson, line, message, hint)])
        };
        if text.len() > MAX_MANIFEST_BYTES {
            let message = format!("the manifest has {} bytes; the limit is {MAX_MANIFEST_BYTES}", text.len());
            return refuse(1, message, "say less, or put manifests into subfolders");
        }
        let node = match jsonc::parse(text) {
            Ok(Some(node)) => node,
            Ok(None) => return refuse(1, "the manifest is empty".to_owned(), "write { \"version\": \"1\" }"),
            Err(broken) => {
                let (line, _) = broken.position(text);
                return refuse(
                    line,
                    format!("not valid JSON: {}", broken.message),
                    "put the JSON right at this line",
                );
            }
        };
        if !matches!(node.kind, Kind::Object(_)) {
            let message = format!("the manifest is {}, not an object", kind_name(&node));
            return refuse(1, message, "write { \"version\": \"1\" }");
        }
        let mut reader = Reader::of_text(text);
        report_extensions(text, &mut reader);
        let manifest = read(&node, Some(text), &mut reader);
        (manifest, reader.findings)
    }

    /// Reads the same keys of a settings file, where the version goes without saying.
    pub fn from_value(value: &Value) -> (Manifest, Vec<Finding>) {
        let mut reader = Reader::default();
        let manifest = read(&Node::from_value(value), None, &mut reader);
        (manifest, reader.findings)
    }

    /// Whether it says nothing.
    pub fn is_empty(&self) -> bool {
        self.strategy.is_none()
            && self.metadata.is_empty()
            && self.taxonomy.0.is_empty()
            && self.overrides.is_empty()
            && self.instructions.is_none()
    }

    /// The overrides that match a path relative to the manifest's folder, in order.
    pub fn matching<'m>(&'m self, relative: &str) -> impl Iterator<Item = &'m Override> + use<'m> {
        self.matching_indexes(relative).into_iter().filter_map(|index| self.overrides.get(index))
    }

    pub(crate) fn matching_indexes(&self, relative: &str) -> Vec<usize> {
        self.globs.matches(relative)
    }
}

/// The compiled patterns follow from the overrides.
impl PartialEq for Manifest {
    fn eq(&self, other: &Manifest) -> bool {
        let parts =
            |it: &Manifest| (it.strategy, it.metadata.clone(), it.taxonomy.clone(), it.instructions.clone());
        parts(self) == parts(other) && self.overrides == other.overrides
    }
}

impl Taxonomy {
    /// Whether only what it names may be used: as soon as one of its facets lists its values.
    pub fn is_closed(&self) -> bool {
        self.0.values().any(|field| field.values.is_some())
    }

    /// What several manifests say together. Of descriptions the first counts, values keep their order.
    pub(crate) fn joined<'t>(all: impl Iterator<Item = &'t Taxonomy>) -> Taxonomy {
        let mut joined = Taxonomy::default();
        let mut seen: HashMap<&str, HashSet<&str>> = HashMap::new();
        for (key, field) in all.flat_map(|taxonomy| &taxonomy.0) {
            let own = joined.0.entry(key.clone()).or_default();
            own.description = own.description.take().or_else(|| field.description.clone());
            own.vector_collapse |= field.vector_collapse;
            own.resources.extend(field.resources.iter().cloned());
            let seen = seen.entry(key).or_default();
            for value in field.values.iter().flatten() {
                let values = own.values.get_or_insert_default();
                if seen.insert(value) {
                    values.push(value.clone());
                }
            }
        }
        joined
    }
}

/// Comments and trailing commas are understood, and reported: other tools that read the file refuse them.
fn report_extensions(text: &str, reader: &mut Reader) {
    let bare = text.trim_start_matches('\u{feff}');
    if let Err(error) = serde_json::from_str::<serde::de::IgnoredAny>(bare) {
        let message = "comments and trailing commas are not JSON";
        let hint = "take them out: other tools that read the manifest refuse it";
        reader.findings.push(Finding::new(Code::ManifestJson, error.line(), message, hint));
    }
}

/// `text` is given for a file, which must name its version.
fn read(node: &Node, text: Option<&str>, reader: &mut Reader) -> Manifest {
    let mut manifest = Manifest::default();
    let Some(members) = reader.members(Code::ManifestJson, node, "the manifest") else { return manifest };
    reader.unknown_keys(Code::ManifestKey, members, KEYS, "");
    if let Some(text) = text {
        check_version(text, node, members, reader);
    }
    for member in members {
        match member.key.as_str() {
            "strategy" => manifest.strategy = reader.whole_strategy(&member.value, "strategy"),
            "metadata" => manifest.metadata = reader.metadata(Code::ManifestType, &member.value, "metadata"),
            "taxonomy" => manifest.taxonomy = read_taxonomy(&member.value, reader),
            "overrides" => (manifest.overrides, manifest.globs) = read_overrides(&member.value, reader),
            "mcpServerInstructions" => {
                let text = reader.text(Code::ManifestType, member, "mcpServerInstructions").map(str::trim);
                if text == Some("") {
                    let hint = "say what the documents are about, or leave the key out";
                    reader.report(Code::ManifestType, member.start, "`mcpServerInstructions` is empty", hint);
                }
                manifest.instructions = text.filter(|text| !text.is_empty()).map(str::to_owned);
            }
            "$schema" => {
                reader.text(Code::ManifestType, member, "$schema");
            }
            _ => {}
        }
    }
    manifest
}

fn check_version(text: &str, node: &Node, members: &[Member], reader: &mut Reader) {
    let Some(member) = members.iter().rev().find(|member| member.key == "version") else {
        let (at, replacement) = match members.first() {
            Some(first) => {
                let gap = text.get(node.span.start + 1..first.start).unwrap_or_default();
                (
                    first.start..first.start,
                    format!("\"version\": \"{VERSION}\",{}", if gap.is_empty() { " " } else { gap }),
                )
            }
            None => (node.span.clone(), format!("{{ \"version\": \"{VERSION}\" }}")),
        };
        let hint = "add \"version\": \"1\"";
        let finding = Finding::new(
            Code::ManifestVersion,
            reader.line(node.span.start),
            "the manifest has no `version`",
            hint,
        );
        let misspelt =
            members.iter().any(|member| crate::nearest(&member.key, KEYS.iter().copied()) == Some("version"));
        let fix = reader.fix(at, replacement).filter(|_| !misspelt);
        reader.findings.push(finding.with_fix(fix));
        return;
    };
    if matches!(&member.value.kind, Kind::Scalar(Value::String(version)) if version == VERSION) {
        return;
    }
    let written = scalar(&member.value);
    let message = match &written {
        Some(version) => format!("version `{}` is not known", shown(version)),
        None => format!("`version` is {}", kind_name(&member.value)),
    };
    let finding =
        Finding::new(Code::ManifestVersion, reader.line(member.start), message, "write \"version\": \"1\"");
    let same = written.is_some_and(|version| ["1", "1.0", "v1", "1.0.0"].contains(&version.trim()));
    let fix = reader.fix(member.value.span.clone(), format!("\"{VERSION}\"")).filter(|_| same);
    reader.findings.push(finding.with_fix(fix));
}

fn read_overrides(node: &Node, reader: &mut Reader) -> (Vec<Override>, Globs) {
    let Kind::Array(items) = &node.kind else {
        let message = format!("`overrides` is {}, not a list", kind_name(node));
        reader.report(Code::ManifestType, node.span.start, message, "write it in brackets: `[ { … } ]`");
        return Default::default();
    };
    if let Some(first) = items.get(MAX_OVERRIDES) {
        let message =
            format!("there are {} overrides; those after {MAX_OVERRIDES} do not count", items.len());
        reader.report(Code::ManifestType, first.span.start, message, "put manifests into subfolders");
    }
    let read = items
        .iter()
        .take(MAX_OVERRIDES)
        .enumerate()
        .filter_map(|(index, item)| read_override(index, item, reader));
    let (overrides, globs): (Vec<Override>, Vec<Glob>) = read.unzip();
    (overrides, Globs::new(&globs))
}

fn read_override(index: usize, item: &Node, reader: &mut Reader) -> Option<(Override, Glob)> {
    let place = format!("overrides[{index}]");
    let members = reader.members(Code::ManifestType, item, &format!("`{place}`"))?;
    reader.unknown_keys(Code::ManifestKey, members, OVERRIDE_KEYS, &format!(" in `{place}`"));
    let (mut strategy, mut metadata, mut pattern) = (None, BTreeMap::new(), None);
    for member in members {
        let inner = format!("{place}.{}", member.key);
        match member.key.as_str() {
            "strategy" => strategy = reader.whole_strategy(&member.value, &inner),
            "metadata" => metadata = reader.metadata(Code::ManifestType, &member.value, &inner),
            "pattern" => pattern = Some(member),
            _ => {}
        }
    }
    let Some(member) = pattern else {
        reader.report(
            Code::ManifestPattern,
            item.span.start,
            format!("`{place}` has no `pattern`"),
            PATTERN_HINT,
        );
        return None;
    };
    let pattern = reader.text(Code::ManifestPattern, member, &format!("{place}.pattern"))?.trim();
    if pattern.is_empty() {
        reader.report(
            Code::ManifestPattern,
            member.start,
            format!("`{place}.pattern` is empty"),
            PATTERN_HINT,
        );
        return None;
    }
    match globs::compile(pattern) {
        Ok(glob) => Some((Override { pattern: pattern.to_owned(), strategy, metadata, index }, glob)),
        Err(message) => {
            reader.report(Code::ManifestPattern, member.start, message, PATTERN_HINT);
            None
        }
    }
}

const PATTERN_HINT: &str = "patterns look like guides/**/*.md and are relative to the manifest's folder";

fn read_taxonomy(node: &Node, reader: &mut Reader) -> Taxonomy {
    let mut taxonomy = Taxonomy::default();
    let Some(members) = reader.members(Code::ManifestType, node, "`taxonomy`") else { return taxonomy };
    reader.limit(
        members.get(MAX_FIELDS).map(|it| it.start),
        "`taxonomy`",
        "facets",
        members.len(),
        MAX_FIELDS,
    );
    for member in members.iter().take(MAX_FIELDS) {
        let key = member.key.trim();
        if key.is_empty() {
            reader.report(Code::ManifestType, member.start, "`taxonomy` has an empty key", "name the facet");
            continue;
        }
        let field = read_field(&member.value, &format!("taxonomy.{}", shown(key)), reader);
        taxonomy.0.insert(key.to_owned(), field);
    }
    taxonomy
}

fn read_field(node: &Node, place: &str, reader: &mut Reader) -> TaxonomyField {
    let mut field = TaxonomyField::default();
    if let Kind::Array(items) = &node.kind {
        field.values = Some(read_values(items, place, reader));
        return field;
    }
    let Some(members) = reader.members(Code::ManifestType, node, &format!("`{place}`")) else { return field };
    reader.unknown_keys(Code::ManifestKey, members, FIELD_KEYS, &format!(" in `{place}`"));
    for member in members {
        let inner = format!("{place}.{}", member.key);
        match (member.key.as_str(), &member.value.kind) {
            ("vector_collapse", Kind::Scalar(Value::Bool(flag))) => field.vector_collapse = *flag,
            ("vector_collapse", _) => {
                let message = format!("`{inner}` is {}, not true or false", kind_name(&member.value));
                reader.report(
                    Code::ManifestType,
                    member.start,
                    message,
                    "write true or false without quotes",
                );
            }
            ("description", _) => {
                let text = reader.text(Code::ManifestType, member, &inner);
                field.description = text.map(|text| docent_text::visible_line(text, MAX_DESCRIPTION_CHARS));
            }
            ("values", Kind::Array(items)) => field.values = Some(read_values(items, &inner, reader)),
            ("values", _) => {
                let message = format!("`{inner}` is {}, not a list", kind_name(&member.value));
                reader.report(
                    Code::ManifestType,
                    member.start,
                    message,
                    "list the allowed values: `[\"go\", \"rust\"]`",
                );
            }
            ("properties", _) => field.resources = read_properties(&member.value, &inner, reader),
            _ => {}
        }
    }
    field
}

fn read_values(items: &[Node], place: &str, reader: &mut Reader) -> Vec<String> {
    let mut values: Vec<String> = Vec::new();
    let mut seen = BTreeSet::new();
    let first = items.get(MAX_VALUES).map(|item| item.span.start);
    reader.limit(first, &format!("`{place}`"), "values", items.len(), MAX_VALUES);
    for item in items.iter().take(MAX_VALUES) {
        match scalar(item).map(|value| value.trim().to_owned()).filter(|value| !value.is_empty()) {
            Some(value) if seen.insert(value.clone()) => values.push(value),
            Some(_) => {}
            None => {
                let message = format!("`{place}` lists {}, not a value", kind_name(item));
                reader.report(
                    Code::ManifestType,
                    item.span.start,
                    message,
                    "values are text, numbers, true or false",
                );
            }
        }
    }
    values
}

fn read_properties(node: &Node, place: &str, reader: &mut Reader) -> BTreeSet<String> {
    let mut resources = BTreeSet::new();
    let Some(members) = reader.members(Code::ManifestType, node, &format!("`{place}`")) else {
        return resources;
    };
    reader.limit(
        members.get(MAX_VALUES).map(|it| it.start),
        &format!("`{place}`"),
        "values",
        members.len(),
        MAX_VALUES,
    );
    for member in members.iter().take(MAX_VALUES) {
        let inner = format!("{place}.{}", shown(&member.key));
        let Some(properties) = reader.members(Code::ManifestType, &member.value, &format!("`{inner}`"))
        else {
            continue;
        };
        reader.unknown_keys(Code::ManifestKey, properties, PROPERTY_KEYS, &format!(" in `{inner}`"));
        for property in properties.iter().filter(|property| property.key == "mcp_resource") {
            match property.value.kind {
                Kind::Scalar(Value::Bool(true)) => {
                    resources.insert(member.key.trim().to_owned());
                }
                Kind::Scalar(Value::Bool(false)) => {}
                _ => {
                    let message = format!("`{inner}.mcp_resource` is {}", kind_name(&property.value));
                    reader.report(
                        Code::ManifestType,
                        property.start,
                        message,
                        "write true or false without quotes",
                    );
                }
            }
        }
    }
    resources
}
