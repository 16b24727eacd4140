//! `manifest.json`: what a set of documents calls itself, and which files belong to it.
//!
//! ```json
//! {
//!   "name": "guide", "version": "1.2", "description": "…",
//!   "sources": { "glob": ["docs/**/*.md"], "files": ["README.md", { "path": "a.md", "hash": "sha256:…" }] },
//!   "metadata": { "team": "web" },
//!   "hashes": { "README.md": "sha256:…" }
//! }
//! ```
//!
//! Keys that are not known are passed over; a known key of the wrong type is an error that names it. Many repositories have
//! a `manifest.json` that means something else, so one that is found beside documents counts only if it has `sources`.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value};

use crate::digest::Digest;
use crate::{SourceError, names, selection};

/// Name of the file.
pub(crate) const FILE: &str = "manifest.json";
/// Largest manifest.
pub(crate) const LARGEST: u64 = 8 << 20;
/// Most files that a manifest may list.
pub(crate) const MOST_FILES: usize = 10_000;
const MOST_PATTERNS: usize = 200;
const MOST_METADATA: usize = 200;
/// Longest name, version or value, in characters.
const LONGEST_TEXT: usize = 4_000;

/// What a manifest says.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Manifest {
    pub(crate) name: Option<String>,
    pub(crate) version: Option<String>,
    pub(crate) description: Option<String>,
    pub(crate) metadata: BTreeMap<String, String>,
    pub(crate) globs: Vec<String>,
    /// Paths, checked, each once.
    pub(crate) files: Vec<String>,
    /// Path → hash that the file must have.
    pub(crate) hashes: BTreeMap<String, Digest>,
}

impl Manifest {
    /// Reads a manifest that somebody pointed at.
    pub(crate) fn parse(bytes: &[u8]) -> Result<Self, SourceError> {
        let value = serde_json::from_slice(bytes).map_err(|error| wrong(&format!("is not JSON: {error}")))?;
        let Value::Object(object) = value else { return Err(wrong("is not an object")) };
        if !has_sources(&object) {
            return Err(wrong("has no \"sources\" with \"glob\" or \"files\""));
        }
        Self::of(&object)
    }

    /// Reads a `manifest.json` that was found beside documents, if it is one of ours.
    pub(crate) fn in_set(bytes: &[u8]) -> Result<Option<Self>, SourceError> {
        match serde_json::from_slice(bytes) {
            Ok(Value::Object(object)) if has_sources(&object) => Self::of(&object).map(Some),
            _ => Ok(None),
        }
    }

    fn of(object: &Map<String, Value>) -> Result<Self, SourceError> {
        let mut manifest = Self {
            name: text(object, "name")?,
            version: text(object, "version")?,
            description: text(object, "description")?,
            metadata: metadata(object.get("metadata"))?,
            ..Self::default()
        };
        let sources = object.get("sources").unwrap_or(&Value::Null);
        manifest.globs = patterns(sources.get("glob"))?;
        for (path, hash) in entries(object.get("hashes"), "hashes")? {
            manifest.expect(checked(path, "hashes")?, hash, "hashes")?;
        }
        manifest.list(sources.get("files"))?;
        Ok(manifest)
    }

    fn list(&mut self, files: Option<&Value>) -> Result<(), SourceError> {
        let files = match files {
            None | Some(Value::Null) => return Ok(()),
            Some(Value::Array(files)) => files,
            Some(_) => return Err(wrong("has \"sources.files\" that is not a list")),
        };
        if files.len() > MOST_FILES {
            return Err(wrong(&format!("lists {} files, and {MOST_FILES} is the most", files.len())));
        }
        let mut seen = BTreeSet::new();
        for file in files {
            let (path, hash) = match file {
                Value::String(path) => (path, None),
                Value::Object(file) => match file.get("path") {
                    Some(Value::String(path)) => (path, file.get("hash")),
                    _ => return Err(wrong("has an entry of \"sources.files\" without a \"path\"")),
                },
                _ => {
                    return Err(wrong(
                        "has an entry of \"sources.files\" that is neither a path nor an object",
                    ));
                }
            };
            let path = checked(path, "sources.files")?;
            if !seen.insert(path) {
                return Err(wrong(&format!("lists \"{path}\" twice in \"sources.files\"")));
            }
            match hash {
                None | Some(Value::Null) => {}
                Some(hash) => self.expect(path, hash, "sources.files")?,
            }
            self.files.push(path.to_owned());
        }
        Ok(())
    }

    fn expect(&mut self, path: &str, hash: &Value, key: &str) -> Result<(), SourceError> {
        let digest = hash.as_str().and_then(Digest::parse).ok_or_else(|| {
            wrong(&format!("has a hash of \"{path}\" in \"{key}\" that is not sha256:… or blake3:…"))
        })?;
        match self.hashes.insert(path.to_owned(), digest) {
            Some(other) if other != digest => Err(wrong(&format!("has two hashes of \"{path}\""))),
            _ => Ok(()),
        }
    }
}

fn has_sources(object: &Map<String, Value>) -> bool {
    let Some(Value::Object(sources)) = object.get("sources") else { return false };
    sources.contains_key("glob") || sources.contains_key("files")
}

fn text(object: &Map<String, Value>, key: &str) -> Result<Option<String>, SourceError> {
    match object.get(key) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) => Ok(Some(clean(text)).filter(|text| !text.is_empty())),
        // A version such as 1.2 is easily written without quotes.
        Some(Value::Number(number)) if key == "version" => Ok(Some(number.to_string())),
        Some(_) => Err(wrong(&format!("has a \"{key}\" that is not a text"))),
    }
}

fn metadata(value: Option<&Value>) -> Result<BTreeMap<String, String>, SourceError> {
    let entries = entries(value, "metadata")?;
    if entries.len() > MOST_METADATA {
        return Err(wrong(&format!(
            "has {} entries in \"metadata\", and {MOST_METADATA} is the most",
            entries.len()
        )));
    }
    let mut found = BTreeMap::new();
    for (key, value) in entries {
        let value = match value {
            Value::String(text) => clean(text),
            Value::Number(number) => number.to_string(),
            Value::Bool(is) => is.to_string(),
            _ => {
                let key = clean(key);
                return Err(wrong(&format!(
                    "has \"metadata.{key}\" that is neither text, number nor true or false"
                )));
            }
        };
        found.insert(clean(key), value);
    }
    Ok(found)
}

fn patterns(value: Option<&Value>) -> Result<Vec<String>, SourceError> {
    let patterns: Vec<&Value> = match value {
        None | Some(Value::Null) => return Ok(Vec::new()),
        Some(one @ Value::String(_)) => vec![one],
        Some(Value::Array(several)) => several.iter().collect(),
        Some(_) => return Err(wrong("has \"sources.glob\" that is neither a text nor a list of texts")),
    };
    if patterns.len() > MOST_PATTERNS {
        return Err(wrong(&format!(
            "has {} patterns in \"sources.glob\", and {MOST_PATTERNS} is the most",
            patterns.len()
        )));
    }
    let mut found = Vec::new();
    for pattern in patterns {
        let Some(pattern) = pattern.as_str().filter(|text| text.len() <= 500) else {
            return Err(wrong("has an entry of \"sources.glob\" that is not a short text"));
        };
        let pattern = pattern.strip_prefix("./").unwrap_or(pattern);
        selection::glob(pattern)?;
        found.push(pattern.to_owned());
    }
    Ok(found)
}

fn entries<'v>(value: Option<&'v Value>, key: &str) -> Result<Vec<(&'v String, &'v Value)>, SourceError> {
    match value {
        None | Some(Value::Null) => Ok(Vec::new()),
        Some(Value::Object(entries)) => Ok(entries.iter().collect()),
        Some(_) => Err(wrong(&format!("has \"{key}\" that is not an object"))),
    }
}

/// A path that may become a file, without a leading `./`.
fn checked<'p>(path: &'p str, key: &str) -> Result<&'p str, SourceError> {
    let plain = path.strip_prefix("./").unwrap_or(path);
    names::check(plain.as_bytes()).map_err(|refusal| {
        let path = crate::landing::shown(path.as_bytes());
        wrong(&format!("has the path \"{path}\" in \"{key}\" that cannot be used: {refusal}"))
    })
}

/// Text of a source as it may be shown: control characters become spaces, and it has an end.
pub(crate) fn clean(text: &str) -> String {
    let text: String = text.chars().take(LONGEST_TEXT).collect();
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect::<String>().trim().to_owned()
}

fn wrong(what: &str) -> SourceError {
    SourceError::failed(format!("manifest.json {what}"), "whoever publishes the manifest has to correct it")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(json: &str, part: &str) {
        let error = Manifest::parse(json.as_bytes()).unwrap_err();
        assert!(error.message.contains(part), "{json}: {error}");
    }

    #[test]
    fn a_manifest_is_read() {
        let hash = format!("sha256:{}", "ab".repeat(32));
        let json = format!(
            r#"{{"name":"guide","version":1.2,"description":"two\nlines","unknown":[1],
            "sources":{{"glob":"docs/**/*.md","files":["./a.md",{{"path":"b.md","hash":"{hash}"}}]}},
            "metadata":{{"team":"web","level":3,"open":true}},"hashes":{{"a.md":"{hash}"}}}}"#
        );
        let manifest = Manifest::parse(json.as_bytes()).unwrap();
        assert_eq!(manifest.name.as_deref(), Some("guide"));
        assert_eq!(manifest.version.as_deref(), Some("1.2"));
        assert_eq!(manifest.description.as_deref(), Some("two lines"));
        assert_eq!(manifest.globs, ["docs/**/*.md"]);
        assert_eq!(manifest.files, ["a.md", "b.md"]);
        assert_eq!(manifest.hashes.len(), 2);
        let metadata: Vec<_> = manifest.metadata.iter().map(|(k, v)| format!("{k}={v}")).collect();
        assert_eq!(metadata, ["level=3", "open=true", "team=web"]);
    }

    #[test]
    fn wrong_types_are_named() {
        refused("nonsense", "is not JSON");
        refused("[]", "is not an object");
        refused("{}", "\"sources\"");
        refused(r#"{"name":1,"sources":{"files":[]}}"#, "\"name\"");
        refused(r#"{"sources":{"files":{}}}"#, "\"sources.files\"");
        refused(r#"{"sources":{"files":[1]}}"#, "\"sources.files\"");
        refused(r#"{"sources":{"files":[{"hash":"x"}]}}"#, "without a \"path\"");
        refused(r#"{"sources":{"files":["a.md","a.md"]}}"#, "twice");
        refused(r#"{"sources":{"files":["../a.md"]}}"#, "..");
        refused(r#"{"sources":{"files":["/etc/passwd"]}}"#, "absolute");
        refused(r#"{"sources":{"files":["a.md"]},"hashes":{"a.md":"md5:1"}}"#, "hash of \"a.md\"");
        refused(r#"{"sources":{"files":[]},"metadata":{"a":[]}}"#, "metadata.a");
        refused(r#"{"sources":{"files":[]},"metadata":3}"#, "\"metadata\"");
        refused(r#"{"sources":{"glob":[1]}}"#, "\"sources.glob\"");
        refused(r#"{"sources":{"glob":"[a"}}"#, "[a");
        let many = format!(r#"{{"sources":{{"files":[{}]}}}}"#, vec!["\"a\""; MOST_FILES + 1].join(","));
        refused(&many, "10001 files");
    }

    #[test]
    fn other_manifests_do_not_count() {
        for json in ["nonsense", "[]", r#"{"manifest_version":3,"name":1}"#, r#"{"sources":["a"]}"#] {
            assert_eq!(Manifest::in_set(json.as_bytes()), Ok(None), "{json}");
        }
        assert!(Manifest::in_set(br#"{"sources":{"glob":3}}"#).is_err());
    }
}
