//! `docent.toml`: the settings that a project shares.
//!
//! A key that is not known is an error with the nearest known one, because a typing mistake that is silently ignored
//! costs more than an error. Paths are relative to the file.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use docent_authoring::{Manifest, distance};
use serde::{Deserialize, Serialize};
use toml::{Table, Value};

use crate::args::Provider;
use crate::errors::{CliError, plain_io};
use crate::project::SETTINGS_FILE;

/// Every key with what it says: the source of the help text, of `docent config` and of the check for unknown keys.
pub(crate) const KEYS: &[(&str, &str)] = &[
    ("docs", "folder of the documents"),
    ("index", "folder of the index"),
    ("database_url", "database that holds the index; only in your own settings file"),
    ("read_database_url", "a copy of it that is searched; only in your own settings file"),
    ("include", "patterns of files to read, e.g. [\"**/*.md\"]"),
    ("exclude", "patterns of files to leave out; they win"),
    ("max_file_bytes", "larger files are passed over"),
    ("embedding.provider", "minilm, hash, none or openai"),
    ("embedding.model", "openai: name of the model"),
    ("embedding.base_url", "openai: address up to and including /v1"),
    ("embedding.dimensions", "openai: length of the vectors"),
    ("embedding.query_prefix", "openai: put before each query"),
    ("embedding.document_prefix", "openai: put before each passage"),
    ("embedding.batch_size", "openai: texts in a request"),
    ("embedding.concurrency", "openai: requests at once"),
    ("chunking.max_chars", "longest chunk in characters, at least 200"),
    ("library.roots", "folders that agents may take files in from, beside the project"),
    ("library.allow_private_networks", "whether pages may be fetched from private networks"),
    ("library.max_bytes", "larger files and pages are not taken in"),
    ("library.convert_seconds", "how long the conversion of a file may take"),
    ("library.convert_memory_mb", "how much memory it may take"),
    ("validate.allow", "rules of `docent validate` that do not count, e.g. [\"DM060 drafts/**\"]"),
    (
        "verify.ignore",
        "findings of `docent verify` that do not count: [[verify.ignore]] with path, claim_type, named, reason, expires",
    ),
    ("strategy", "where documents are cut, as in .docs-mcp.json: { chunk_by = \"h2\" }"),
    ("metadata", "facets of all documents, as in .docs-mcp.json"),
    ("taxonomy", "which facets there are and their values, as in .docs-mcp.json"),
    ("overrides", "exceptions for some documents, as in .docs-mcp.json"),
    ("mcpServerInstructions", "what agents are told about the documents"),
    ("collections.NAME.source", "where another set of documents comes from; `docent add` writes it"),
    ("collections.NAME.description", "what that collection is about, for agents"),
    ("collections.NAME.version", "which version of what it documents"),
    ("collections.NAME.aliases", "other names for it"),
    ("collections.NAME.include", "patterns of its files to read"),
    ("collections.NAME.exclude", "patterns of its files to leave out; they win"),
    ("collections.NAME.hash", "what a bundle or an archive must hash to, e.g. \"blake3:…\""),
    ("prompts.NAME.text", "a prompt for agents; {{argument}} and {{optional?}} are filled in"),
    ("prompts.NAME.description", "what that prompt is for"),
];

/// The keys as a list for people.
pub(crate) fn keys_help() -> String {
    let rows: Vec<String> = KEYS.iter().map(|(key, help)| format!("  {key:<26} {help}")).collect();
    format!(
        "Keys of {SETTINGS_FILE} (a dot means a section: `[embedding]`); paths are relative to it:\n{}",
        rows.join("\n")
    )
}

const SECTIONS: &[&str] =
    &["embedding", "chunking", "library", "validate", "verify", "prompts", "collections"];

/// Stands in [`KEYS`] for a name that the user chooses.
const ANY: &str = "NAME";

/// Keys that mean the same as in a manifest of the documents folder, which wins over them.
const MANIFEST_KEYS: &[&str] = &["strategy", "metadata", "taxonomy", "overrides", "mcpServerInstructions"];

/// Nobody writes more settings than this.
const MAX_BYTES: u64 = 1_000_000;

/// What the file says.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default)]
pub(crate) struct ConfigFile {
    /// Folder of the documents.
    pub(crate) docs: Option<PathBuf>,
    /// Folder of the index.
    pub(crate) index: Option<PathBuf>,
    /// The database that holds the index.
    pub(crate) database_url: Option<String>,
    /// A copy of it that is searched.
    pub(crate) read_database_url: Option<String>,
    /// Patterns of files to read.
    pub(crate) include: Option<Vec<String>>,
    /// Patterns of files to leave out.
    pub(crate) exclude: Option<Vec<String>>,
    /// Larger files are passed over.
    pub(crate) max_file_bytes: Option<u64>,
    /// What makes the vectors.
    pub(crate) embedding: EmbeddingSection,
    /// How documents are cut.
    pub(crate) chunking: ChunkingSection,
    /// What may be taken in, and how.
    pub(crate) library: LibrarySection,
    /// What `docent validate` lets pass.
    pub(crate) validate: ValidateSection,
    /// What `docent verify` does not tell.
    pub(crate) verify: VerifySection,
    /// Sets of documents beside the project's own, by name.
    pub(crate) collections: BTreeMap<String, CollectionSection>,
    /// Prompts for agents, by name.
    pub(crate) prompts: Option<BTreeMap<String, PromptSection>>,
    /// What a manifest of the documents folder would say.
    #[serde(skip)]
    pub(crate) manifest: Option<Manifest>,
}

/// `[embedding]`
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default)]
pub(crate) struct EmbeddingSection {
    pub(crate) provider: Option<Provider>,
    pub(crate) model: Option<String>,
    pub(crate) base_url: Option<String>,
    pub(crate) dimensions: Option<usize>,
    pub(crate) query_prefix: Option<String>,
    pub(crate) document_prefix: Option<String>,
    pub(crate) batch_size: Option<usize>,
    pub(crate) concurrency: Option<usize>,
}

/// `[chunking]`
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default)]
pub(crate) struct ChunkingSection {
    pub(crate) max_chars: Option<usize>,
}

/// `[library]`
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default)]
pub(crate) struct LibrarySection {
    pub(crate) roots: Option<Vec<PathBuf>>,
    pub(crate) allow_private_networks: Option<bool>,
    pub(crate) max_bytes: Option<u64>,
    pub(crate) convert_seconds: Option<u64>,
    pub(crate) convert_memory_mb: Option<u64>,
}

/// `[validate]`
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default)]
pub(crate) struct ValidateSection {
    pub(crate) allow: Option<Vec<String>>,
}

/// `[verify]`
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default)]
pub(crate) struct VerifySection {
    pub(crate) ignore: Option<Vec<IgnoreSection>>,
}

/// `[[verify.ignore]]`
#[derive(Debug, Clone, Default, PartialEq, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct IgnoreSection {
    pub(crate) path: Option<String>,
    pub(crate) claim_type: Option<String>,
    pub(crate) named: Option<String>,
    pub(crate) reason: String,
    /// A date, with quotes or without.
    pub(crate) expires: Option<Value>,
}

/// `[collections.NAME]`
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(default)]
pub(crate) struct CollectionSection {
    pub(crate) source: String,
    pub(crate) description: Option<String>,
    pub(crate) version: Option<String>,
    pub(crate) aliases: Vec<String>,
    pub(crate) include: Vec<String>,
    pub(crate) exclude: Vec<String>,
    pub(crate) hash: Option<String>,
}

/// `[prompts.NAME]`
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, Serialize)]
pub(crate) struct PromptSection {
    pub(crate) text: String,
    #[serde(default)]
    pub(crate) description: String,
}

/// Reads the project's file; `None` when it has none.
pub(crate) fn read(project: &Path) -> Result<Option<(PathBuf, ConfigFile)>, CliError> {
    read_file(project.join(SETTINGS_FILE))
}

/// Reads the user's file in this folder, which holds collections and nothing else; `None` when there is none.
pub(crate) fn read_user(folder: &Path) -> Result<Option<(PathBuf, ConfigFile)>, CliError> {
    let Some((path, file)) = read_file(folder.join(SETTINGS_FILE))? else { return Ok(None) };
    let only = ConfigFile {
        collections: file.collections.clone(),
        database_url: file.database_url.clone(),
        read_database_url: file.read_database_url.clone(),
        ..ConfigFile::default()
    };
    if file != only {
        return Err(CliError::usage(
            format!("{} may hold database_url, read_database_url and [collections] only", path.display()),
            format!("put other settings into the {SETTINGS_FILE} of a project"),
        ));
    }
    Ok(Some((path, file)))
}

fn read_file(path: PathBuf) -> Result<Option<(PathBuf, ConfigFile)>, CliError> {
    if std::fs::metadata(&path).is_ok_and(|metadata| !metadata.is_file() || metadata.len() > MAX_BYTES) {
        let message = format!("{} is not a settings file: it must be a file of at most 1 MB", path.display());
        return Err(CliError::usage(message, "`docent config --help` lists the keys that it may hold"));
    }
    let text = match std::fs::read_to_string(&path) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(error) => {
            let message = format!("cannot read {}: {}", path.display(), plain_io(&error));
            return Err(CliError::usage(message, "make the file readable, or remove it"));
        }
    };
    let file = parse(&text)
        .map_err(|(message, hint)| CliError::usage(format!("{}: {message}", path.display()), hint))?;
    Ok(Some((path, file)))
}

/// The file's settings, or what is wrong and the next step.
fn parse(text: &str) -> Result<ConfigFile, (String, String)> {
    let hint = || "`docent config --help` lists the keys".to_owned();
    let told = |error: &toml::de::Error| match error.span() {
        Some(span) => {
            let line = 1 + text.get(..span.start).unwrap_or(text).matches('\n').count();
            (format!("line {line}: {}", error.message()), hint())
        }
        None => (error.message().to_owned(), hint()),
    };
    let table: Table = toml::from_str(text).map_err(|error| told(&error))?;
    if let Some(unknown) = unknown_key(&table, "") {
        return Err((format!("unknown key `{unknown}`"), format!("did you mean `{}`?", nearest(&unknown))));
    }
    let mut file: ConfigFile = toml::from_str(text).map_err(|error| told(&error))?;
    file.manifest = manifest(&table)?;
    Ok(file)
}

/// The manifest's keys, or the first thing that is wrong with them.
fn manifest(table: &Table) -> Result<Option<Manifest>, (String, String)> {
    let written = MANIFEST_KEYS.iter().filter_map(|key| Some(((*key).to_owned(), json(table.get(*key)?))));
    let written: serde_json::Map<_, _> = written.collect();
    if written.is_empty() {
        return Ok(None);
    }
    let (manifest, findings) = Manifest::from_value(&serde_json::Value::Object(written));
    match findings.into_iter().next() {
        Some(finding) => Err((finding.message, finding.hint)),
        None => Ok(Some(manifest)),
    }
}

fn json(value: &Value) -> serde_json::Value {
    match value {
        Value::String(text) => text.as_str().into(),
        Value::Integer(number) => (*number).into(),
        Value::Float(number) => (*number).into(),
        Value::Boolean(flag) => (*flag).into(),
        Value::Datetime(time) => time.to_string().into(),
        Value::Array(items) => items.iter().map(json).collect(),
        Value::Table(table) => table.iter().map(|(key, value)| (key.clone(), json(value))).collect(),
    }
}

fn unknown_key(table: &Table, prefix: &str) -> Option<String> {
    table.iter().find_map(|(key, value)| {
        let full = format!("{prefix}{key}");
        let chosen = format!("{prefix}{ANY}.");
        let named = KEYS.iter().any(|(known, _)| known.starts_with(&chosen));
        let section = if named { chosen } else { format!("{full}.") };
        match value {
            Value::Table(inner) if KEYS.iter().any(|(known, _)| known.starts_with(&section)) => {
                unknown_key(inner, &section)
            }
            _ if named => None,
            _ => (!is_known(&full)).then_some(full),
        }
    })
}

/// A section's bare name is known too: what is wrong with `embedding = 1` is its type.
fn is_known(key: &str) -> bool {
    KEYS.iter()
        .any(|(known, _)| *known == key || known.strip_prefix(key).is_some_and(|rest| rest.starts_with('.')))
}

/// The known name with the fewest changed letters. A key that only lacks its section counts as near.
fn nearest(wanted: &str) -> &'static str {
    let bare = |key: &str| key.rsplit('.').next().unwrap_or(key).to_owned();
    let cost = |key: &&str| distance(wanted, key).min(1 + distance(&bare(wanted), &bare(key)));
    KEYS.iter().map(|(key, _)| *key).chain(SECTIONS.iter().copied()).min_by_key(cost).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check_error(text: &str, message: &str, hint: &str) {
        let (got_message, got_hint) = parse(text).unwrap_err();
        assert!(got_message.contains(message), "{got_message}");
        assert!(got_hint.contains(hint), "{got_hint}");
    }

    #[test]
    fn every_key_is_read() {
        let text = r#"
            docs = "d"
            index = "i"
            include = ["*.md"]
            exclude = ["x/**"]
            max_file_bytes = 1
            [embedding]
            provider = "openai"
            model = "m"
            base_url = "http://localhost/v1"
            dimensions = 2
            query_prefix = "q: "
            document_prefix = "d: "
            batch_size = 3
            concurrency = 4
            [chunking]
            max_chars = 5
            [library]
            roots = ["../papers"]
            allow_private_networks = true
            max_bytes = 6
            convert_seconds = 7
            convert_memory_mb = 8
            [validate]
            allow = ["DM060"]
            [[verify.ignore]]
            path = "docs/**"
            claim_type = "path_reference"
            named = "dist/"
            reason = "made by the build"
            expires = 2027-01-31
            [collections.NAME]
            source = "../other"
            description = "d"
            version = "1"
            aliases = ["a"]
            include = ["*.md"]
            exclude = ["x/**"]
            hash = "blake3:00"
            [prompts.NAME]
            text = "t"
            description = "d"
            [strategy]
            chunk_by = "h2"
            [metadata]
            major = 2
            [taxonomy]
            language = ["go"]
            [[overrides]]
            pattern = "a/**"
        "#;
        let urls = "database_url = 'postgres://host/docs'\nread_database_url = 'postgres://copy/docs'";
        let text = &format!("mcpServerInstructions = 'i'\n{urls}{text}");
        let file = parse(text).unwrap();
        assert_eq!(file.embedding.provider, Some(Provider::OpenAi));
        assert_eq!(file.chunking.max_chars, Some(5));
        let manifest = file.manifest.unwrap();
        assert_eq!((manifest.metadata["major"].as_str(), manifest.overrides.len()), ("2", 1));
        let table: Table = toml::from_str(text).unwrap();
        fn all(table: &Table, prefix: &str) -> Vec<String> {
            let keys = table.iter().flat_map(|(key, value)| match value {
                Value::Table(inner) if !MANIFEST_KEYS.contains(&key.as_str()) => {
                    all(inner, &format!("{prefix}{key}."))
                }
                _ => vec![format!("{prefix}{key}")],
            });
            keys.collect()
        }
        let mut keys = all(&table, "");
        let mut known: Vec<String> = KEYS.iter().map(|(key, _)| (*key).to_owned()).collect();
        keys.sort();
        known.sort();
        assert_eq!(keys, known);
    }

    #[test]
    fn a_mistyped_key_is_named_with_the_nearest_known_one() {
        check_error("inclued = []", "unknown key `inclued`", "`include`");
        check_error("[embedding]\nmodle = 'x'", "unknown key `embedding.modle`", "`embedding.model`");
        check_error("model = 'x'", "unknown key `model`", "`embedding.model`");
        check_error("[prompts.review]\ntxt = 'x'", "unknown key `prompts.NAME.txt`", "`prompts.NAME.text`");
        check_error("[prompts]\nreview = 'x'", "line 2", "docent config --help");
        check_error("[embeding]\nmodel = 'x'", "unknown key `embeding`", "`embedding`");
    }

    #[test]
    fn a_manifest_in_the_settings_is_checked() {
        check_error(
            "strategy = { chunk_by = 'h2', max = 3 }",
            "unknown key `max` in `strategy`",
            "known here",
        );
        check_error("[strategy]\nchunk_by = 'H2'", "`H2`", "did you mean `h2`?");
        check_error("[[overrides]]\npattern = 'a['", "not a pattern", "patterns look like");
    }

    #[test]
    fn a_wrong_type_names_its_line() {
        check_error("docs = 'd'\nmax_file_bytes = 'x'", "line 2", "docent config --help");
        check_error("embedding = 1", "line 1", "docent config --help");
        check_error("[embedding]\nprovider = 'onnx'", "line 2", "docent config --help");
    }
}
