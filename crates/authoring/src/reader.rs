//! Reads strategies and metadata out of JSON, wherever they are written, and notes what is wrong.
//!
//! Manifests, comments and front matter share these: what is broken is left out and reported, the rest counts. Values
//! that come without a text (settings, front matter) have no places of their own, and their findings stand at one line.

use std::collections::BTreeMap;
use std::str::FromStr;

use docent_text::{ChunkBy, LineIndex, Strategy};
use serde_json::Value;

use crate::finding::{Code, Finding, Fix};
use crate::jsonc::{Kind, Member, Node};
use crate::names::nearest;

/// Keys of a strategy.
pub(crate) const STRATEGY_KEYS: &[&str] = &["chunk_by", "max_chunk_size", "min_chunk_size"];

/// Facets after these do not count: of a manifest, of an override, of a page.
pub(crate) const MAX_FACETS: usize = 64;
/// Longer keys and values of metadata are refused.
const MAX_FACET_CHARS: usize = 200;

/// What a strategy says, which may be less than all of it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Partial {
    pub(crate) chunk_by: Option<ChunkBy>,
    pub(crate) max_chunk_size: Option<usize>,
    pub(crate) min_chunk_size: Option<usize>,
}

impl Partial {
    /// A whole strategy, if it says where to cut.
    pub(crate) fn whole(self) -> Option<Strategy> {
        let Partial { chunk_by, max_chunk_size, min_chunk_size } = self;
        chunk_by.map(|chunk_by| Strategy { chunk_by, max_chunk_size, min_chunk_size })
    }

    /// `under` with what this one names in its place.
    pub(crate) fn over(self, under: Strategy) -> Strategy {
        Strategy {
            chunk_by: self.chunk_by.unwrap_or(under.chunk_by),
            max_chunk_size: self.max_chunk_size.or(under.max_chunk_size),
            min_chunk_size: self.min_chunk_size.or(under.min_chunk_size),
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        *self == Partial::default()
    }
}

/// Collects findings about one text.
#[derive(Debug, Default)]
pub(crate) struct Reader {
    /// Where the lines of the text start; findings stand at `first_line` without it.
    pub(crate) lines: Option<LineIndex>,
    /// The line of the text's first line in its file.
    pub(crate) first_line: usize,
    /// Where the text starts in its file.
    pub(crate) base: usize,
    pub(crate) findings: Vec<Finding>,
}

impl Reader {
    /// Reads values of this text, which is the file.
    pub(crate) fn of_text(text: &str) -> Reader {
        Reader { lines: Some(LineIndex::new(text)), first_line: 1, base: 0, findings: Vec::new() }
    }

    pub(crate) fn line(&self, at: usize) -> usize {
        let within = self.lines.as_ref().map_or(1, |lines| lines.line(at));
        self.first_line.max(1) + within - 1
    }

    pub(crate) fn report(
        &mut self,
        code: Code,
        at: usize,
        message: impl Into<String>,
        hint: impl Into<String>,
    ) {
        let finding = Finding::new(code, self.line(at), message, hint);
        self.findings.push(finding);
    }

    /// Reports that there are more things than count, at the first one that does not.
    pub(crate) fn limit(
        &mut self,
        first: Option<usize>,
        what: &str,
        things: &str,
        count: usize,
        most: usize,
    ) {
        if let Some(at) = first {
            let message = format!("{what} has {count} {things}; those after {most} do not count");
            self.report(Code::ManifestType, at, message, "keep those that people would choose by");
        }
    }

    /// A change of the text, if it has one.
    pub(crate) fn fix(&self, bytes: std::ops::Range<usize>, replacement: impl Into<String>) -> Option<Fix> {
        let bytes = self.base + bytes.start..self.base + bytes.end;
        self.lines.as_ref().map(|_| Fix { bytes, replacement: replacement.into() })
    }

    /// The members of an object; `None` and a finding for anything else.
    pub(crate) fn members<'n>(&mut self, code: Code, node: &'n Node, what: &str) -> Option<&'n [Member]> {
        if let Kind::Object(members) = &node.kind {
            return Some(members);
        }
        let found = kind_name(node);
        self.report(
            code,
            node.span.start,
            format!("{what} is {found}, not an object"),
            "write it in braces: `{ … }`",
        );
        None
    }

    /// Reports keys that are not known. A misspelt one can be put right unless the right one is there too.
    pub(crate) fn unknown_keys(&mut self, code: Code, members: &[Member], known: &[&str], place: &str) {
        for member in members.iter().filter(|member| !known.contains(&member.key.as_str())) {
            let shown = shown(&member.key);
            let meant = nearest(&member.key, known.iter().copied());
            let free = meant.filter(|meant| members.iter().all(|other| other.key != *meant));
            let fix = free.and_then(|meant| self.fix(member.start..member.key_end, format!("\"{meant}\"")));
            let hint = match meant {
                Some(meant) => format!("did you mean `{meant}`?"),
                None => format!("known here: {}", known.join(", ")),
            };
            let finding =
                Finding::new(code, self.line(member.start), format!("unknown key `{shown}`{place}"), hint);
            self.findings.push(finding.with_fix(fix));
        }
    }

    /// A strategy. `place` names it for people, e.g. `strategy` or `overrides[2].strategy`.
    pub(crate) fn strategy(&mut self, node: &Node, place: &str) -> Partial {
        let code = Code::UnknownStrategy;
        let Some(members) = self.members(code, node, &format!("`{place}`")) else {
            return Partial::default();
        };
        self.unknown_keys(code, members, STRATEGY_KEYS, &format!(" in `{place}`"));
        let mut partial = Partial::default();
        for member in members {
            match member.key.as_str() {
                "chunk_by" => partial.chunk_by = self.chunk_by(&member.value),
                "max_chunk_size" => partial.max_chunk_size = self.size(member),
                "min_chunk_size" => partial.min_chunk_size = self.size(member),
                _ => {}
            }
        }
        if let (Some(min), Some(max)) = (partial.min_chunk_size, partial.max_chunk_size)
            && min > max
        {
            let at = members
                .iter()
                .find(|member| member.key == "min_chunk_size")
                .map_or(node.span.start, |m| m.start);
            let message = format!("`min_chunk_size` ({min}) is larger than `max_chunk_size` ({max})");
            self.report(code, at, message, "the minimum does not count until it is smaller");
            partial.min_chunk_size = None;
        }
        partial
    }

    /// A strategy that must say where to cut.
    pub(crate) fn whole_strategy(&mut self, node: &Node, place: &str) -> Option<Strategy> {
        let before = self.findings.len();
        let partial = self.strategy(node, place);
        let misspelt = self.findings.len() > before;
        if partial.chunk_by.is_none() && !misspelt {
            let message = format!("`{place}` has no `chunk_by`");
            self.report(Code::UnknownStrategy, node.span.start, message, CHUNK_BY_HINT);
        }
        partial.whole()
    }

    /// `chunk_by`, as a name.
    pub(crate) fn chunk_by(&mut self, node: &Node) -> Option<ChunkBy> {
        let name = if let Kind::Scalar(Value::String(name)) = &node.kind { name.as_str() } else { "" };
        if let Ok(chunk_by) = ChunkBy::from_str(name) {
            return Some(chunk_by);
        }
        let at = node.span.start;
        if name.is_empty() {
            let message = format!("`chunk_by` is {}, not a name", kind_name(node));
            self.report(Code::UnknownStrategy, at, message, CHUNK_BY_HINT);
            return None;
        }
        let meant = meant_chunk_by(name);
        let fix = meant.and_then(|meant| self.fix(node.span.clone(), format!("\"{meant}\"")));
        let hint = meant.map_or_else(|| CHUNK_BY_HINT.to_owned(), |meant| format!("did you mean `{meant}`?"));
        let message = format!("`chunk_by` is `{}`, which is no level", shown(name));
        let finding = Finding::new(Code::UnknownStrategy, self.line(at), message, hint).with_fix(fix);
        self.findings.push(finding);
        None
    }

    fn size(&mut self, member: &Member) -> Option<usize> {
        let number =
            if let Kind::Scalar(Value::Number(number)) = &member.value.kind { number.as_u64() } else { None };
        let size = number.and_then(|number| usize::try_from(number).ok()).filter(|size| *size > 0);
        if size.is_none() {
            let message = format!("`{}` is {}, not a positive whole number", member.key, told(&member.value));
            self.report(
                Code::UnknownStrategy,
                member.start,
                message,
                "write a number of characters, e.g. 6000",
            );
        }
        size
    }

    /// Metadata: a map from keys to scalars, which count as their text.
    pub(crate) fn metadata(&mut self, code: Code, node: &Node, place: &str) -> BTreeMap<String, String> {
        let mut metadata = BTreeMap::new();
        let Some(members) = self.members(code, node, &format!("`{place}`")) else { return metadata };
        let first = members.get(MAX_FACETS).map(|member| member.start);
        self.limit(first, &format!("`{place}`"), "facets", members.len(), MAX_FACETS);
        for member in members.iter().take(MAX_FACETS) {
            let (key, at) = (member.key.trim(), member.start);
            let what = format!("`{place}.{}`", shown(key));
            let value = scalar(&member.value).map(|value| value.trim().to_owned());
            match value {
                _ if key.is_empty() => {
                    self.report(code, at, format!("`{place}` has an empty key"), "name the facet")
                }
                None => {
                    let message = format!(
                        "{what} is {}, not text, a number or a truth value",
                        kind_name(&member.value)
                    );
                    self.report(code, at, message, "give the facet one value");
                }
                Some(value) if value.is_empty() => {
                    self.report(
                        code,
                        at,
                        format!("{what} is empty"),
                        "give the facet a value, or leave it out",
                    );
                }
                Some(value) if key.chars().count().max(value.chars().count()) > MAX_FACET_CHARS => {
                    let message = format!("{what} is longer than {MAX_FACET_CHARS} characters");
                    self.report(code, at, message, "facets are short: people choose among their values");
                }
                Some(value) => {
                    metadata.insert(key.to_owned(), value);
                }
            }
        }
        metadata
    }

    /// A text; `None` and a finding for anything else.
    pub(crate) fn text<'n>(&mut self, code: Code, member: &'n Member, place: &str) -> Option<&'n str> {
        if let Kind::Scalar(Value::String(text)) = &member.value.kind {
            return Some(text);
        }
        let message = format!("`{place}` is {}, not text", kind_name(&member.value));
        self.report(code, member.start, message, "write it in double quotes");
        None
    }
}

pub(crate) const CHUNK_BY_HINT: &str = "use file, h1, h2, h3 or heading";

/// The level that was probably meant: `H2`, `h-2`, `heading2` and typing mistakes.
pub(crate) fn meant_chunk_by(name: &str) -> Option<ChunkBy> {
    let folded: String = name.to_lowercase().chars().filter(|c| c.is_alphanumeric()).collect();
    let named = |name: &str| ChunkBy::from_str(name).ok();
    let level =
        folded.strip_prefix("heading").or_else(|| folded.strip_prefix("h")).and_then(|digits| match digits {
            "1" | "2" | "3" => named(&format!("h{digits}")),
            _ => None,
        });
    let synonym = match folded.as_str() {
        "headings" | "all" => named("heading"),
        "page" | "document" | "none" => named("file"),
        folded => named(folded),
    };
    // Among names of two letters every slip is another name: only the long ones are guessed.
    level.or(synonym).or_else(|| nearest(&folded, ["file", "heading"]).and_then(named))
}

/// Text, a number or a truth value, as text.
pub(crate) fn scalar(node: &Node) -> Option<String> {
    match &node.kind {
        Kind::Scalar(Value::String(text)) => Some(text.clone()),
        Kind::Scalar(Value::Number(number)) => Some(number.to_string()),
        Kind::Scalar(Value::Bool(flag)) => Some(flag.to_string()),
        _ => None,
    }
}

/// A foreign text inside one of our sentences.
pub(crate) fn shown(text: &str) -> String {
    docent_text::visible_line(text, 80)
}

fn told(node: &Node) -> String {
    scalar(node).map_or_else(|| kind_name(node).to_owned(), |text| format!("`{}`", shown(&text)))
}

/// What a value is, for people.
pub(crate) fn kind_name(node: &Node) -> &'static str {
    match &node.kind {
        Kind::Object(_) => "an object",
        Kind::Array(_) => "a list",
        Kind::Scalar(Value::String(_)) => "text",
        Kind::Scalar(Value::Number(_)) => "a number",
        Kind::Scalar(Value::Bool(_)) => "a truth value",
        Kind::Scalar(_) => "null",
    }
}
