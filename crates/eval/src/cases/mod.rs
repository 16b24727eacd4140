//! Cases: questions, and what should come back for each of them.
//!
//! [`CaseSet::load`] reads a file or a folder and finds out by content which of five formats it is in; each format has a
//! reader of its own that turns it into the same [`Case`]. Case files come from anywhere, so sizes are bounded and every
//! complaint names the file, the case and, where it can be told, the line.

mod docs_mcp;
mod fields;
mod ours;
mod qmd;
mod source;
mod urls;

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};

use docent_engine::{EngineError, Mode};

use crate::judged::{Document, JudgedSet};
use fields::Fields;
pub(crate) use fields::nearest;
use source::Item;

/// More cases than this are refused.
const MAX_CASES: usize = 100_000;
/// More files than this in a folder of cases are refused.
const MAX_FILES: usize = 1000;
/// Longer queries are refused, as a search would.
const MAX_QUERY_BYTES: usize = docent_engine::MAX_QUERY_BYTES;
/// The largest page of results that a case may ask for.
pub const MAX_K: usize = 50;
/// The most pages of results that are looked at.
pub const MAX_ROUNDS: usize = 20;

/// One question.
#[derive(Debug, Clone, PartialEq)]
pub struct Case {
    /// Unique in the set; two runs are joined by it.
    pub id: String,
    /// What is asked.
    pub query: String,
    /// What should come back.
    pub expected: Vec<Expected>,
    /// Facets (and `file_filter`) that the search is narrowed to; several values of a key are alternatives.
    pub filters: Vec<(String, Vec<String>)>,
    /// How to search, unless the run says otherwise.
    pub mode: Option<Mode>,
    /// Size of a page of results, unless the run says otherwise.
    pub k: Option<usize>,
    /// Pages of results to look at.
    pub max_rounds: Option<usize>,
    /// The group that it is counted in.
    pub category: Option<String>,
    /// Where it was written, for complaints.
    pub place: String,
}

/// One thing that should come back.
#[derive(Debug, Clone, PartialEq)]
pub struct Expected {
    /// What names it.
    pub target: Target,
    /// How good it is as an answer; above 0.
    pub gain: f64,
}

/// How a case names what should come back.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Target {
    /// A path or `path#section`, as `docent get` takes it.
    Name(String),
    /// The end of a path, whatever its case.
    File(String),
    /// The address of a page on the web.
    Url(String),
    /// A document of the set's own corpus.
    Document(String),
}

impl Target {
    /// As it was written.
    pub fn as_str(&self) -> &str {
        match self {
            Self::Name(name) | Self::File(name) | Self::Url(name) | Self::Document(name) => name,
        }
    }
}

/// The format that a set was written in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CaseFormat {
    /// `query` and `expected`.
    Docent,
    /// `corpus.jsonl`, `queries.jsonl`, `qrels.tsv`.
    Beir,
    /// `query` and `expectedChunkId`.
    DocsMcp,
    /// `queries` with `expected_files`.
    Qmd,
    /// `query` and `qrels` by URL.
    Urls,
    /// A folder with files of several formats.
    Mixed,
}

impl fmt::Display for CaseFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Docent => "docent",
            Self::Beir => "beir",
            Self::DocsMcp => "docs-mcp-eval",
            Self::Qmd => "qmd",
            Self::Urls => "urls",
            Self::Mixed => "mixed",
        })
    }
}

/// Questions, and the documents to ask them of when the set brings its own.
#[derive(Debug)]
pub struct CaseSet {
    /// What it was read from.
    pub format: CaseFormat,
    /// In file order.
    pub cases: Vec<Case>,
    /// The set's own documents; `None` means the project's.
    pub corpus: Option<Vec<Document>>,
}

impl CaseSet {
    /// Reads a file or a folder. `queries` and `qrels` name other files than those in a BEIR folder.
    pub fn load(path: &Path, queries: Option<&Path>, qrels: Option<&Path>) -> Result<Self, EngineError> {
        if path.join("corpus.jsonl").is_file() {
            return Ok(from_beir(JudgedSet::load(path, queries, qrels)?));
        }
        if queries.is_some() || qrels.is_some() {
            return Err(EngineError::usage(
                format!("--queries and --qrels are for BEIR folders, and {} is none", path.display()),
                "a BEIR folder holds corpus.jsonl, queries.jsonl and qrels.tsv",
            ));
        }
        let mut set = Self { format: CaseFormat::Docent, cases: Vec::new(), corpus: None };
        for (number, file) in files(path)?.iter().enumerate() {
            let (format, cases) = read_file(file)?;
            set.format = if number == 0 || set.format == format { format } else { CaseFormat::Mixed };
            set.cases.extend(cases);
            if set.cases.len() > MAX_CASES {
                return Err(refused(file, &format!("more than {MAX_CASES} cases")));
            }
        }
        if set.cases.is_empty() {
            return Err(EngineError::usage(
                format!("there are no cases in {}", path.display()),
                "`docent eval suggest -o FILE` drafts some from your documents",
            ));
        }
        name_cases(&mut set.cases)?;
        Ok(set)
    }

    /// Keeps the cases of these categories.
    pub fn keep_categories(&mut self, categories: &[String]) -> Result<(), EngineError> {
        let mut known: Vec<&str> = self.cases.iter().filter_map(|case| case.category.as_deref()).collect();
        known.sort_unstable();
        known.dedup();
        if let Some(unknown) = categories.iter().find(|name| !known.contains(&name.as_str())) {
            let hint = match known.is_empty() {
                true => "no case has a category".to_owned(),
                false => format!("there are: {}", known.join(", ")),
            };
            return Err(EngineError::usage(format!("no case has the category `{unknown}`"), hint));
        }
        self.cases.retain(|case| case.category.as_ref().is_some_and(|name| categories.contains(name)));
        Ok(())
    }
}

fn from_beir(set: JudgedSet) -> CaseSet {
    let case = |query: crate::judged::Query| Case {
        place: format!("query {}", query.id),
        id: query.id,
        query: query.text,
        expected: query
            .relevant
            .into_iter()
            .map(|(id, gain)| Expected { target: Target::Document(id), gain: f64::from(gain) })
            .collect(),
        filters: Vec::new(),
        mode: None,
        k: None,
        max_rounds: None,
        category: None,
    };
    CaseSet {
        format: CaseFormat::Beir,
        cases: set.queries.into_iter().map(case).collect(),
        corpus: Some(set.documents),
    }
}

fn files(path: &Path) -> Result<Vec<PathBuf>, EngineError> {
    if !path.is_dir() {
        return Ok(vec![path.to_owned()]);
    }
    let listed = std::fs::read_dir(path).map_err(|error| source::unreadable(path, &error))?;
    let is_cases = |path: &PathBuf| {
        let ending = path.extension().and_then(|ending| ending.to_str()).unwrap_or_default();
        path.is_file() && ["yaml", "yml", "json", "jsonl"].contains(&ending.to_lowercase().as_str())
    };
    let mut files: Vec<PathBuf> =
        listed.flatten().map(|entry| entry.path()).filter(is_cases).take(MAX_FILES + 1).collect();
    if files.len() > MAX_FILES {
        return Err(refused(path, &format!("more than {MAX_FILES} files")));
    }
    files.sort();
    Ok(files)
}

fn refused(path: &Path, what: &str) -> EngineError {
    EngineError::usage(format!("{} has {what}", path.display()), "split it and run the parts")
}

fn read_file(path: &Path) -> Result<(CaseFormat, Vec<Case>), EngineError> {
    let listing = source::read(path)?;
    let format = recognise(&listing.items, listing.wrapper.as_deref());
    let shown = path.display().to_string();
    let mut cases = Vec::with_capacity(listing.items.len());
    for (number, item) in listing.items.iter().enumerate() {
        let mut fields = Fields::new(&shown, number + 1, item)?;
        let case = match format {
            CaseFormat::DocsMcp => docs_mcp::read(&mut fields)?,
            CaseFormat::Qmd => qmd::read(&mut fields)?,
            CaseFormat::Urls => urls::read(&mut fields)?,
            _ => ours::read(&mut fields, &listing.defaults)?,
        };
        if case.query.trim().is_empty() || case.query.len() > MAX_QUERY_BYTES {
            return Err(fields.error(
                &format!("`query` must have 1 to {MAX_QUERY_BYTES} bytes"),
                "ask in a sentence or a few words",
            ));
        }
        cases.push(case);
    }
    Ok((format, cases))
}

/// The format whose own keys the items have. What looks like none of them is read as ours, whose errors say what is missing.
fn recognise(items: &[Item], wrapper: Option<&str>) -> CaseFormat {
    let marks = [
        ("expected", CaseFormat::Docent),
        ("expectedChunkId", CaseFormat::DocsMcp),
        ("expected_chunk_id", CaseFormat::DocsMcp),
        ("expected_files", CaseFormat::Qmd),
        ("qrels", CaseFormat::Urls),
    ];
    let mark = |item: &Item| marks.iter().find(|(key, _)| item.value.get(key).is_some());
    match items.iter().find_map(mark) {
        Some((_, format)) => *format,
        None if wrapper == Some("queries") => CaseFormat::Qmd,
        None => CaseFormat::Docent,
    }
}

/// Cases without an id are known by their query. An id that was written twice is a mistake; a query may be asked twice,
/// for example with other filters.
fn name_cases(cases: &mut [Case]) -> Result<(), EngineError> {
    let mut places: BTreeMap<String, String> = BTreeMap::new();
    for case in cases.iter().filter(|case| !case.id.is_empty()) {
        if let Some(first) = places.insert(case.id.clone(), case.place.clone()) {
            return Err(EngineError::usage(
                format!("{}: the id `{}` is also that of {first}", case.place, case.id),
                "give every case an id of its own, or leave the ids out",
            ));
        }
    }
    for case in cases.iter_mut().filter(|case| case.id.is_empty()) {
        let numbered = (2..).map(|number| format!("{} ({number})", case.query));
        let free = std::iter::once(case.query.clone()).chain(numbered).find(|id| !places.contains_key(id));
        case.id = free.unwrap_or_default();
        places.insert(case.id.clone(), case.place.clone());
    }
    Ok(())
}
