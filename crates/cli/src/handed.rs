//! Documents of libraries as they are named in a shell: by the path that was typed for `docent ingest`, by the end of their
//! source, or by their doc_id.

use std::path::{Component, Path, PathBuf};

use docent_engine::{Engine, LibraryDocument};
use serde_json::{Value, json};

use crate::errors::CliError;

/// What to do with an empty index.
pub(crate) const FIRST_STEP: &str =
    "`docent ingest FILE` takes in a document, `docent index DIR` reads a folder of them";

/// What explains that a relative path leads to no document of a library.
pub(crate) const ABSOLUTE: &str =
    "documents of libraries have absolute paths or addresses; `docent list -c LIBRARY` shows them";

/// Names that an error lists.
const NAMED: usize = 5;

/// The documents that were handed over.
pub(crate) struct Libraries {
    documents: Vec<LibraryDocument>,
}

impl Libraries {
    /// Those of the collections that take part; of all when none is named.
    pub(crate) fn of(engine: &Engine, collections: &[String]) -> Result<Self, CliError> {
        let mut libraries = engine.libraries()?;
        libraries.retain(|name| collections.is_empty() || collections.contains(name));
        let mut documents = match libraries.is_empty() {
            true => Vec::new(),
            false => engine.library_documents(&libraries, usize::MAX, 0)?.0,
        };
        documents.sort_by(|a, b| key(a).cmp(&key(b)));
        Ok(Self { documents })
    }

    /// Whether there is none.
    pub(crate) fn is_empty(&self) -> bool {
        self.documents.is_empty()
    }

    /// The document of a collection with this source.
    pub(crate) fn at(&self, collection: &str, source: &str) -> Option<&LibraryDocument> {
        let found = self.documents.binary_search_by(|it| key(it).cmp(&(collection, source)));
        found.ok().and_then(|at| self.documents.get(at))
    }

    /// The document that is meant: its doc_id, a path that leads to its source from `here`, or an end of its source that no
    /// other has.
    pub(crate) fn named(&self, what: &str, here: &Path) -> Result<Option<&LibraryDocument>, CliError> {
        let sources = spellings(what, here);
        let exact: Vec<_> = self.documents.iter().filter(|it| sources.contains(&it.record.path)).collect();
        let found = match exact.is_empty() {
            true => self.documents.iter().filter(|it| it.record.uuid == what).collect(),
            false => exact,
        };
        let end = format!("/{}", what.trim_start_matches("./").trim_start_matches('/'));
        let found = match found.is_empty() && !what.is_empty() {
            true => self.documents.iter().filter(|it| it.record.path.ends_with(&end)).collect(),
            false => found,
        };
        match found.as_slice() {
            [] => Ok(None),
            [only] => Ok(Some(only)),
            several => Err(ambiguous(what, several)),
        }
    }
}

fn key(document: &LibraryDocument) -> (&str, &str) {
    (&document.record.collection, &document.record.path)
}

/// How a document's source may be written that somebody names: as it is, or as an absolute path.
pub(crate) fn spellings(what: &str, here: &Path) -> Vec<String> {
    let full = absolute(what, here);
    let real = full.canonicalize().ok();
    let paths = [Some(full), real].into_iter().flatten();
    let mut spellings = vec![what.to_owned()];
    spellings.extend(paths.filter_map(|path| path.to_str().map(str::to_owned)));
    spellings
}

/// The path from the current folder, without `.` and `..`.
pub(crate) fn absolute(what: &str, here: &Path) -> PathBuf {
    let mut full = PathBuf::new();
    for part in here.join(what).components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                full.pop();
            }
            other => full.push(other),
        }
    }
    full
}

/// What `--json` tells of a document that was handed over, besides what it tells of every page.
pub(crate) fn describe(row: &mut Value, document: &LibraryDocument) {
    row["doc_id"] = json!(document.record.uuid);
    row["file_type"] = json!(document.details.file_type);
    row["metadata"] = json!(document.details.metadata);
}

/// A value as it is said of a document: a whole number, true, false, or text, which may be in quotes.
pub(crate) fn plain_value(given: &str) -> Value {
    let quoted = given.strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
    match (quoted, given) {
        (Some(text), _) => Value::from(text),
        (None, "true") => Value::Bool(true),
        (None, "false") => Value::Bool(false),
        (None, given) => given.parse::<i64>().map_or_else(|_| decimal(given), Value::from),
    }
}

/// `1.5` is a number; `1e5`, `inf` and `1.` are rather names.
fn decimal(given: &str) -> Value {
    let is_plain = given.strip_prefix('-').unwrap_or(given).split_once('.').is_some_and(|(whole, part)| {
        [whole, part].iter().all(|digits| !digits.is_empty() && digits.bytes().all(|it| it.is_ascii_digit()))
    });
    given.parse::<f64>().ok().filter(|_| is_plain).map_or_else(|| Value::from(given), Value::from)
}

fn ambiguous(what: &str, several: &[&LibraryDocument]) -> CliError {
    let names: Vec<String> = several
        .iter()
        .take(NAMED)
        .map(|it| format!("{} ({})", it.record.path, it.record.collection))
        .collect();
    let more = if several.len() > NAMED { ", …" } else { "" };
    CliError::usage(
        format!("{what} is the name of {} documents: {}{more}", several.len(), names.join(", ")),
        "give more of the path, or name the library with -c",
    )
}
