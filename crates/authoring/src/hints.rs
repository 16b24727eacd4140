//! What a page says about itself: hints in its comments and in its front matter.
//!
//! One function reads them for the build and for the check, so that both agree on which hint counts. The findings here
//! are about the hints alone; what depends on the rest of the page is for `validate`.

use std::collections::BTreeMap;

use docent_text::{Document, HintComment, Strategy};
use serde_json::Value;

use crate::finding::{Code, Finding, Fix};
use crate::jsonc::{self, Kind, Node};
use crate::reader::{CHUNK_BY_HINT, Partial, Reader, meant_chunk_by, shown};

/// Name of a comment or a front matter field that says how a page is cut.
pub(crate) const CHUNKING: &str = "mcp_chunking_hint";
/// Name of a comment or a front matter field with facets.
pub(crate) const METADATA: &str = "mcp_metadata";
/// Name of the front matter field with a whole strategy.
pub(crate) const STRATEGY: &str = "mcp_strategy";

/// What a page says about itself.
#[derive(Debug, Default)]
pub(crate) struct PageHints {
    /// The comment that says how the page is cut: its line and what it names.
    pub(crate) comment: Option<(usize, Partial)>,
    /// Facets of comments, later ones over earlier ones.
    pub(crate) comment_metadata: BTreeMap<String, String>,
    /// Facets of comments with the line of each, in their order.
    pub(crate) comment_facets: Vec<(usize, String, String)>,
    /// The strategy of the front matter, and the field that it is in.
    pub(crate) front: Option<(&'static str, Strategy)>,
    /// Findings about comments. Each has the line of its comment.
    pub(crate) findings: Vec<Finding>,
    /// Findings about front matter fields, which have no places: the field, and what is wrong with it.
    pub(crate) front_findings: Vec<(&'static str, Finding)>,
}

impl PageHints {
    /// Reads a page's hints.
    pub(crate) fn read(document: &Document) -> PageHints {
        let mut hints = PageHints::default();
        hints.read_front(document);
        for comment in &document.hints {
            match comment.name.as_str() {
                CHUNKING => hints.read_chunking(comment),
                METADATA => hints.read_metadata(document, comment),
                _ => hints.report_unknown(comment),
            }
        }
        hints
    }

    fn read_front(&mut self, document: &Document) {
        let values = &document.front_matter.values;
        for field in [STRATEGY, CHUNKING] {
            let Some(value) = values.get(field) else { continue };
            let mut reader = Reader::default();
            let node = Node::from_value(value);
            let strategy = match value {
                Value::String(_) if field == CHUNKING => reader.chunk_by(&node).map(Strategy::by),
                _ => reader.whole_strategy(&node, field),
            };
            self.front_findings.extend(reader.findings.into_iter().map(|finding| (field, finding)));
            if self.front.is_none() {
                self.front = strategy.map(|strategy| (field, strategy));
            } else if strategy.is_some() {
                let message = format!("`{field}` does not count, because `{STRATEGY}` does");
                let finding = Finding::new(Code::DanglingHint, 1, message, "keep one of the two");
                self.front_findings.push((field, finding));
            }
        }
    }

    fn read_chunking(&mut self, comment: &HintComment) {
        let mut reader = Reader { first_line: comment.line, ..Reader::default() };
        let partial = match parse(comment) {
            Ok(node) => match &node.kind {
                Kind::Scalar(Value::String(_)) => {
                    Partial { chunk_by: reader.chunk_by(&node), ..Partial::default() }
                }
                _ => reader.strategy(&node, CHUNKING),
            },
            Err(message) => {
                let fix = meant_chunk_by(&comment.value).filter(|_| !comment.value.contains(['{', '"']));
                let fix = fix.map(|meant| rewritten(comment, meant.as_str()));
                let finding = Finding::new(Code::DanglingHint, comment.line, message, CHUNKING_HINT);
                self.findings.push(finding.with_fix(fix));
                return;
            }
        };
        let broken = !reader.findings.is_empty();
        for finding in &mut reader.findings {
            finding.fix = spelt_right(comment);
        }
        self.findings.append(&mut reader.findings);
        if partial.is_empty() {
            if !broken {
                let message = format!("`{CHUNKING}` names nothing");
                let finding = Finding::new(Code::DanglingHint, comment.line, message, CHUNKING_HINT);
                self.findings.push(finding.with_fix(Some(removed(comment))));
            }
            return;
        }
        if let Some((first, _)) = self.comment {
            let message = format!("this hint does not count: the one at line {first} does");
            let finding =
                Finding::new(Code::DanglingHint, comment.line, message, "keep one hint for each page");
            self.findings.push(finding.with_fix(Some(removed(comment))));
            return;
        }
        self.comment = Some((comment.line, partial));
        if let Some((field, _)) = self.front {
            let message = format!("this hint does not count: `{field}` in the front matter overrules it");
            let finding = Finding::new(Code::DanglingHint, comment.line, message, "keep one of the two");
            self.findings.push(finding.with_fix(Some(removed(comment))));
        }
    }

    fn read_metadata(&mut self, document: &Document, comment: &HintComment) {
        let node = match parse(comment) {
            Ok(node) => node,
            Err(message) => {
                let hint = "write a JSON object: <!-- mcp_metadata: {\"language\": \"go\"} -->";
                self.findings.push(Finding::new(Code::OrphanedMetadata, comment.line, message, hint));
                return;
            }
        };
        let mut reader = Reader { first_line: comment.line, ..Reader::default() };
        let metadata = reader.metadata(Code::OrphanedMetadata, &node, METADATA);
        self.findings.append(&mut reader.findings);
        let second = document.sections.iter().filter(|section| section.level > 0).nth(1);
        if let Some(second) = second.filter(|second| second.bytes.start < comment.bytes.start) {
            let message = format!(
                "`{METADATA}` counts for a page, and this one stands below `{}`",
                shown(&second.heading)
            );
            let hint = "move the comment above the page's second heading, or into the front matter";
            self.findings.push(Finding::new(Code::OrphanedMetadata, comment.line, message, hint));
            return;
        }
        let facets = metadata.iter().map(|(key, value)| (comment.line, key.clone(), value.clone()));
        self.comment_facets.extend(facets);
        self.comment_metadata.extend(metadata);
    }

    fn report_unknown(&mut self, comment: &HintComment) {
        let meant = crate::nearest(&comment.name, [CHUNKING, METADATA]);
        let hint = match meant {
            Some(meant) => format!("did you mean `{meant}`?"),
            None => format!("known are {CHUNKING} and {METADATA}"),
        };
        let message = format!("`{}` is no hint that docent knows", shown(&comment.name));
        // Without a colon what follows the name is not known to be a value, and stays as it is.
        let meant = meant.filter(|_| !comment.value.is_empty());
        let fix = meant.map(|meant| Fix { bytes: comment.bytes.clone(), replacement: named(comment, meant) });
        self.findings.push(Finding::new(Code::UnknownComment, comment.line, message, hint).with_fix(fix));
    }
}

const CHUNKING_HINT: &str = "write a level or an object: <!-- mcp_chunking_hint: {\"chunk_by\": \"h3\"} -->";

/// The comment's value as JSON; a bare level counts as text.
fn parse(comment: &HintComment) -> Result<Node, String> {
    if comment.value.is_empty() {
        return Err(format!("`{}` says nothing", comment.name));
    }
    if comment.value.parse::<docent_text::ChunkBy>().is_ok() {
        return Ok(Node::from_value(&Value::String(comment.value.clone())));
    }
    // Comments and trailing commas are for files that people edit, not for a line.
    match serde_json::from_str::<Value>(&comment.value) {
        Ok(_) => {}
        Err(_) if !comment.value.starts_with(['{', '[', '"']) => {
            return Err(format!("`{}` is not a level: {CHUNK_BY_HINT}", shown(&comment.value)));
        }
        Err(error) => return Err(format!("`{}` is not valid JSON: {}", comment.name, reason(&error))),
    }
    match jsonc::parse(&comment.value) {
        Ok(Some(node)) => Ok(node),
        _ => Err(format!("`{}` is not valid JSON", comment.name)),
    }
}

fn reason(error: &serde_json::Error) -> String {
    let text = error.to_string();
    text.split(" at line ").next().unwrap_or(&text).to_owned()
}

/// The comment with another value.
fn rewritten(comment: &HintComment, value: &str) -> Fix {
    Fix { bytes: comment.bytes.clone(), replacement: format!("<!-- {}: {value} -->", comment.name) }
}

/// The comment under another name.
fn named(comment: &HintComment, name: &str) -> String {
    format!("<!-- {name}: {} -->", comment.value)
}

/// Nothing in place of the comment. The line that it had for itself goes too when the fix is applied.
fn removed(comment: &HintComment) -> Fix {
    Fix { bytes: comment.bytes.clone(), replacement: String::new() }
}

/// A hint whose keys and levels are put right, if that can be done and leaves nothing wrong.
fn spelt_right(comment: &HintComment) -> Option<Fix> {
    let value: Value = serde_json::from_str(&comment.value).ok()?;
    if let Value::String(name) = &value {
        return meant_chunk_by(name).map(|meant| rewritten(comment, meant.as_str()));
    }
    let mut right = serde_json::Map::new();
    for (key, value) in value.as_object()? {
        let key = match crate::reader::STRATEGY_KEYS.contains(&key.as_str()) {
            true => key.as_str(),
            false => crate::nearest(key, crate::reader::STRATEGY_KEYS.iter().copied())?,
        };
        let value = match value {
            Value::String(name) if key == "chunk_by" => Value::from(meant_chunk_by(name)?.as_str()),
            value => value.clone(),
        };
        if right.insert(key.to_owned(), value).is_some() {
            return None;
        }
    }
    let right = Value::Object(right);
    let mut reader = Reader::default();
    reader.strategy(&Node::from_value(&right), CHUNKING);
    reader.findings.is_empty().then(|| rewritten(comment, &right.to_string()))
}
