//! Front matter: the YAML (`---`) or TOML (`+++`) block at the very start of a file.
//!
//! The block is found by its delimiter lines alone, so a broken one is still kept out of the body and
//! becomes a [`Warning`] with the line of the fault. Values stay as JSON; `title` and the `metadata`
//! maps, which the rest of docent asks for, are also there as strings.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use crate::document::{Warning, WarningKind};

/// Blocks larger than this are not read, only skipped.
const MAX_BYTES: usize = 64 * 1024;
/// Parser events allowed in one block; alias bombs run into this long before memory suffers.
const MAX_EVENTS: usize = 50_000;

/// What the front matter of a document says.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct FrontMatter {
    /// The `title` field, unless it is blank.
    pub title: Option<String>,
    /// The scalars of the `metadata` and `mcp_metadata` maps as strings; lists are joined with `,`.
    pub metadata: BTreeMap<String, String>,
    /// Every field as it was written. Empty without front matter.
    pub values: Map<String, Value>,
}

/// The front matter of `text`, and the byte where the body starts.
pub(crate) fn read(text: &str, warnings: &mut Vec<Warning>) -> (FrontMatter, usize) {
    let bom = if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
    let Some(block) = find(text, bom) else { return (FrontMatter::default(), bom) };
    let source = &text[block.start..block.end];
    let parsed = match block.format {
        _ if source.len() > MAX_BYTES => {
            Err((None, format!("front matter is larger than {MAX_BYTES} bytes and was not read")))
        }
        Format::Yaml => yaml(source),
        Format::Toml => toml(source),
    };
    let values = match parsed {
        Ok(Value::Object(map)) => map,
        Ok(Value::Null) => Map::new(),
        Ok(_) => {
            // Prose between two thematic breaks reads as one YAML string: keep it in the body.
            let message = "the block between the first two delimiter lines is not front matter".to_owned();
            warnings.push(Warning { line: 1, kind: WarningKind::NoFrontMatter, message });
            return (FrontMatter::default(), bom);
        }
        Err((line, message)) => {
            let kind = match source.len() > MAX_BYTES {
                true => WarningKind::LargeFrontMatter,
                false => WarningKind::FrontMatter,
            };
            warnings.push(Warning { line: line.map_or(1, |line| line + 1), kind, message });
            Map::new()
        }
    };
    (interpret(values), block.body)
}

enum Format {
    Yaml,
    Toml,
}

struct Block {
    format: Format,
    start: usize,
    end: usize,
    body: usize,
}

fn find(text: &str, bom: usize) -> Option<Block> {
    let mut lines = Lines { text, at: bom };
    let (_, first) = lines.next()?;
    let (format, closers): (_, &[&str]) = match first.trim_end() {
        "---" => (Format::Yaml, &["---", "..."]),
        "+++" => (Format::Toml, &["+++"]),
        _ => return None,
    };
    let start = lines.at;
    while let Some((at, line)) = lines.next() {
        if closers.contains(&line.trim_end()) {
            let source = &text[start..at];
            return is_written(source, &format).then_some(Block { format, start, end: at, body: lines.at });
        }
    }
    None
}

/// Whether what stands between the delimiters was meant as fields. A thematic break, some paragraphs
/// and another thematic break are body text.
fn is_written(source: &str, format: &Format) -> bool {
    let mut lines = source.lines();
    let dense = lines.next().is_none_or(|first| !is_blank(first)) && !source.lines().any(is_blank);
    dense || source.lines().find(|line| !is_blank(line)).is_none_or(|line| is_field(line, format))
}

fn is_blank(line: &str) -> bool {
    line.trim().is_empty()
}

/// Whether a line could open a block of fields: `key: value`, `key = value`, `[table]`, a comment.
fn is_field(line: &str, format: &Format) -> bool {
    let separator = match format {
        Format::Yaml => ':',
        Format::Toml => '=',
    };
    if line.starts_with(['#', '{', '[']) {
        return true;
    }
    let Some((key, value)) = line.split_once(separator) else { return false };
    let spaced = separator == '=' || value.is_empty() || value.starts_with([' ', '\t', '\r']);
    spaced && !key.trim().is_empty() && !key.trim().contains(' ')
}

/// Lines without their ends, and where they start.
struct Lines<'t> {
    text: &'t str,
    at: usize,
}

impl<'t> Iterator for Lines<'t> {
    type Item = (usize, &'t str);

    fn next(&mut self) -> Option<Self::Item> {
        let rest = self.text.get(self.at..).filter(|rest| !rest.is_empty())?;
        let start = self.at;
        let end = rest.find(['\n', '\r']).unwrap_or(rest.len());
        let ending = if rest[end..].starts_with("\r\n") { 2 } else { usize::from(end < rest.len()) };
        self.at = start + end + ending;
        Some((start, &rest[..end]))
    }
}

type Fault = (Option<usize>, String);

fn yaml(source: &str) -> Result<Value, Fault> {
    let mut budget = serde_saphyr::Budget::default();
    budget.max_events = MAX_EVENTS;
    budget.max_depth = 64;
    budget.max_nodes = MAX_EVENTS;
    let mut options = serde_saphyr::Options::default();
    options.budget = Some(budget);
    options.alias_limits.max_total_replayed_events = MAX_EVENTS;
    options.duplicate_keys = serde_saphyr::options::DuplicateKeyPolicy::LastWins;
    options.with_snippet = false;
    if source.trim().is_empty() {
        return Ok(Value::Null);
    }
    serde_saphyr::from_str_with_options::<Value>(source, options).map_err(|error| {
        let line = error.location().map(|location| location.line() as usize);
        // Its own position counts from the start of the block, not of the file.
        let message = error.to_string();
        let message = first_line(&message).split(" at line ").next().unwrap_or_default();
        (line, format!("front matter is not valid YAML: {message}"))
    })
}

fn toml(source: &str) -> Result<Value, Fault> {
    let table: toml::Table = source.parse().map_err(|error: toml::de::Error| {
        let line = error.span().map(|span| {
            let before = source.as_bytes().get(..span.start).unwrap_or_default();
            before.iter().filter(|&&byte| byte == b'\n').count() + 1
        });
        (line, format!("front matter is not valid TOML: {}", first_line(error.message())))
    })?;
    Ok(from_toml(toml::Value::Table(table)))
}

fn from_toml(value: toml::Value) -> Value {
    match value {
        toml::Value::String(text) => Value::String(text),
        toml::Value::Integer(number) => Value::from(number),
        toml::Value::Float(number) => Value::from(number),
        toml::Value::Boolean(flag) => Value::Bool(flag),
        toml::Value::Datetime(time) => Value::String(time.to_string()),
        toml::Value::Array(items) => Value::Array(items.into_iter().map(from_toml).collect()),
        toml::Value::Table(table) => {
            Value::Object(table.into_iter().map(|(key, value)| (key, from_toml(value))).collect())
        }
    }
}

fn first_line(message: &str) -> &str {
    message.lines().next().unwrap_or_default()
}

fn interpret(values: Map<String, Value>) -> FrontMatter {
    let title = values.get("title").and_then(scalar).map(|title| title.trim().to_owned());
    let mut metadata = BTreeMap::new();
    for field in ["metadata", "mcp_metadata"] {
        let Some(Value::Object(map)) = values.get(field) else { continue };
        for (key, value) in map {
            if let Some(text) = flat(value) {
                metadata.insert(key.clone(), text);
            }
        }
    }
    FrontMatter { title: title.filter(|title| !title.is_empty()), metadata, values }
}

fn flat(value: &Value) -> Option<String> {
    match value {
        Value::Array(items) => Some(items.iter().filter_map(scalar).collect::<Vec<_>>().join(",")),
        other => scalar(other),
    }
}

fn scalar(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        Value::Bool(flag) => Some(flag.to_string()),
        Value::Null | Value::Array(_) | Value::Object(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, title: Option<&str>, body: &str) -> FrontMatter {
        let (front_matter, warnings) = split(text, body);
        assert_eq!(front_matter.title.as_deref(), title, "{text:?}");
        assert_eq!(warnings, [], "{text:?}");
        front_matter
    }

    fn check_warning(text: &str, line: usize, body: &str) {
        let (_, warnings) = split(text, body);
        assert_eq!(warnings.iter().map(|warning| warning.line).collect::<Vec<_>>(), [line], "{warnings:?}");
    }

    fn split(text: &str, body: &str) -> (FrontMatter, Vec<Warning>) {
        let mut warnings = Vec::new();
        let (front_matter, start) = read(text, &mut warnings);
        assert_eq!(&text[start..], body, "{text:?}");
        (front_matter, warnings)
    }

    #[test]
    fn yaml_between_dashes() {
        check("---\ntitle: Pods\n---\nbody", Some("Pods"), "body");
        check("---\ntitle: Pods\n...\nbody", Some("Pods"), "body");
        check("---\r\ntitle: Pods\r\n---\r\nbody", Some("Pods"), "body");
        check("---\rtitle: Pods\r---\rbody", Some("Pods"), "body");
        check("---  \ntitle: 'A: b'\n---", Some("A: b"), "");
    }

    #[test]
    fn toml_between_pluses() {
        check("+++\ntitle = \"Pods\"\n+++\nbody", Some("Pods"), "body");
        check("+++\ntitle = \"Pods\"\n---\nbody", None, "+++\ntitle = \"Pods\"\n---\nbody");
    }

    #[test]
    fn a_byte_order_mark_may_come_first() {
        check("\u{feff}---\ntitle: Pods\n---\nbody", Some("Pods"), "body");
        check("\u{feff}body", None, "body");
    }

    #[test]
    fn only_at_the_very_start() {
        check("\n---\ntitle: Pods\n---\n", None, "\n---\ntitle: Pods\n---\n");
        check(" ---\ntitle: Pods\n---\n", None, " ---\ntitle: Pods\n---\n");
    }

    #[test]
    fn thematic_breaks_are_body() {
        check("---\n\nprose\n", None, "---\n\nprose\n");
        check("---\n\nSome prose here.\n\n---\nmore", None, "---\n\nSome prose here.\n\n---\nmore");
        check("----\na: b\n---\n", None, "----\na: b\n---\n");
    }

    #[test]
    fn an_empty_block_is_a_block() {
        check("---\n---\nbody", None, "body");
        check("---\n# nothing\n---\nbody", None, "body");
    }

    #[test]
    fn a_broken_block_warns_and_is_not_body() {
        check_warning("---\na: 1\ntitle: [open\n---\nbody", 3, "body");
        check_warning("+++\na = 1\ntitle = = 2\n+++\nbody", 3, "body");
    }

    #[test]
    fn prose_between_delimiters_warns_and_is_body() {
        check_warning("---\njust words\n---\nbody", 1, "---\njust words\n---\nbody");
    }

    #[test]
    fn an_oversized_block_is_skipped() {
        let block = format!("---\ntitle: x\n{}---\nbody", "# filler\n".repeat(MAX_BYTES / 9 + 1));
        check_warning(&block, 1, "body");
    }

    #[test]
    fn alias_bombs_are_refused() {
        let mut bomb = "---\na0: &a0 [x, x, x, x, x, x, x, x, x, x]\n".to_owned();
        for level in 1..12 {
            let aliases = vec![format!("*a{}", level - 1); 10].join(", ");
            bomb.push_str(&format!("a{level}: &a{level} [{aliases}]\n"));
        }
        let (front_matter, warnings) = split(&(bomb + "---\nbody"), "body");
        assert_eq!((front_matter.values.len(), warnings.len()), (0, 1));
    }

    #[test]
    fn deep_nesting_is_refused() {
        for block in
            [format!("a: {}", "[".repeat(30_000)), format!("a: {}{}", "[".repeat(3000), "]".repeat(3000))]
        {
            let (_, warnings) = split(&format!("---\n{block}\n---\nbody"), "body");
            assert_eq!(warnings.len(), 1);
        }
        let (_, warnings) = split(&format!("+++\na = {}\n+++\nbody", "[".repeat(30_000)), "body");
        assert_eq!(warnings.len(), 1);
    }

    #[test]
    fn hostile_blocks_are_read_in_time() {
        let start = std::time::Instant::now();
        for piece in [
            "- ", "? ", "{", "[", "a: ", "'", "\"", "|\n", "!", "&a ", "*a ", "%", "<<: ", "{a: ", "[a, ",
            "\n ",
        ] {
            for format in ["---", "+++"] {
                let block = piece.repeat(MAX_BYTES / piece.len() - 8);
                read(&format!("{format}\na: b\nc = 1\n{block}\n{format}\n"), &mut Vec::new());
                read(&format!("{format}\nx: {block}\n{format}\n"), &mut Vec::new());
                read(&format!("{format}\nx = {block}\n{format}\n"), &mut Vec::new());
            }
        }
        assert!(start.elapsed().as_secs() < 60, "{:?}", start.elapsed());
    }

    #[test]
    fn metadata_maps_become_strings() {
        let text = "---\nmetadata:\n  language: go\n  beta: true\n  tags: [a, b]\n  none: null\nmcp_metadata:\n  scope: sdk\n  version: 2\n---\n";
        let metadata = check(text, None, "").metadata;
        let pairs: Vec<_> = metadata.iter().map(|(key, value)| (key.as_str(), value.as_str())).collect();
        assert_eq!(
            pairs,
            [("beta", "true"), ("language", "go"), ("scope", "sdk"), ("tags", "a,b"), ("version", "2")]
        );
    }

    #[test]
    fn values_keep_their_type() {
        let values = check("---\nweight: 30\ndraft: false\nlist: [1, x]\n---\n", None, "").values;
        assert_eq!(
            Value::Object(values),
            serde_json::json!({"weight": 30, "draft": false, "list": [1, "x"]})
        );
        let values = check("+++\ndate = 2024-01-05\nweight = 3\n+++\n", None, "").values;
        assert_eq!(Value::Object(values), serde_json::json!({"date": "2024-01-05", "weight": 3}));
    }

    #[test]
    fn a_title_need_not_be_a_string() {
        check("---\ntitle: 2024\n---\n", Some("2024"), "");
        check("---\ntitle: ''\n---\n", None, "");
        check("---\ntitle: A\ntitle: B\n---\n", Some("B"), "");
    }
}
