//! A judged set in BEIR form: `corpus.jsonl`, `queries.jsonl`, `qrels.tsv`.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader};
use std::path::Path;

use docent_engine::EngineError;
use serde::Deserialize;

/// Documents, queries, and which documents answer which query.
#[derive(Debug, Default)]
pub struct JudgedSet {
    /// The corpus.
    pub documents: Vec<Document>,
    /// Queries that have at least one judgement, in file order.
    pub queries: Vec<Query>,
}

/// A document of the corpus.
#[derive(Debug, Clone, Deserialize)]
pub struct Document {
    /// Its name.
    #[serde(rename = "_id")]
    pub id: String,
    /// May be empty.
    #[serde(default)]
    pub title: String,
    /// The text.
    pub text: String,
}

/// A query with its judgements.
#[derive(Debug, Clone)]
pub struct Query {
    /// Its name.
    pub id: String,
    /// What is asked.
    pub text: String,
    /// Relevant documents with their gain.
    pub relevant: BTreeMap<String, u32>,
}

#[derive(Deserialize)]
struct QueryLine {
    #[serde(rename = "_id")]
    id: String,
    text: String,
}

impl JudgedSet {
    /// Reads a set. Queries and judgements default to the files beside the corpus.
    pub fn load(dir: &Path, queries: Option<&Path>, qrels: Option<&Path>) -> Result<Self, EngineError> {
        let documents = read_lines(&dir.join("corpus.jsonl"), |line, at| parse(line, at))?;
        let default_queries = dir.join("queries.jsonl");
        // BEIR's own archives keep the judgements of each split in a folder.
        let places = [dir.join("qrels.tsv"), dir.join("qrels").join("test.tsv")];
        let default_qrels = places.iter().find(|path| path.exists()).unwrap_or(&places[0]).clone();
        let lines: Vec<QueryLine> =
            read_lines(queries.unwrap_or(&default_queries), |line, at| parse(line, at))?;
        let mut judgements = read_judgements(qrels.unwrap_or(&default_qrels))?;
        let queries: Vec<Query> = lines
            .into_iter()
            .filter_map(|line| {
                Some(Query { relevant: judgements.remove(&line.id)?, id: line.id, text: line.text })
            })
            .collect();
        if queries.is_empty() {
            return Err(EngineError::environment(
                format!("no query of {} has a judgement", dir.display()),
                "check that --queries and --qrels belong together",
            ));
        }
        Ok(Self { documents, queries })
    }
}

fn read_judgements(path: &Path) -> Result<BTreeMap<String, BTreeMap<String, u32>>, EngineError> {
    let mut judgements: BTreeMap<String, BTreeMap<String, u32>> = BTreeMap::new();
    let rows = read_lines(path, |line, at| {
        let mut fields = line.split('\t');
        let row = (fields.next(), fields.next(), fields.next().map(|gain| gain.trim().parse::<i64>()));
        match row {
            (Some(query), Some(document), Some(Ok(gain))) => {
                Ok(Some((query.to_owned(), document.to_owned(), gain)))
            }
            _ if at.line == 1 => Ok(None),
            _ => Err(at.error("expected query-id, corpus-id and score with tabs between")),
        }
    })?;
    for (query, document, gain) in rows.into_iter().flatten() {
        if let Ok(gain @ 1..) = u32::try_from(gain) {
            judgements.entry(query).or_default().insert(document, gain);
        }
    }
    Ok(judgements)
}

struct Place<'a> {
    path: &'a Path,
    line: usize,
}

impl Place<'_> {
    fn error(&self, reason: &str) -> EngineError {
        EngineError::environment(
            format!("{}:{}: {reason}", self.path.display(), self.line),
            "a set holds corpus.jsonl, queries.jsonl and qrels.tsv in BEIR form",
        )
    }
}

fn parse<'a, T: Deserialize<'a>>(line: &'a str, at: &Place<'_>) -> Result<T, EngineError> {
    serde_json::from_str(line).map_err(|error| at.error(&error.to_string()))
}

fn read_lines<T>(
    path: &Path,
    mut read: impl FnMut(&str, &Place<'_>) -> Result<T, EngineError>,
) -> Result<Vec<T>, EngineError> {
    let place = |line| Place { path, line };
    let (file, _) = crate::regular::open(path).map_err(|error| place(0).error(&error.to_string()))?;
    let mut values = Vec::new();
    for (index, line) in BufReader::new(file).lines().enumerate() {
        let at = place(index + 1);
        let line = line.map_err(|error| at.error(&error.to_string()))?;
        if !line.trim().is_empty() {
            values.push(read(&line, &at)?);
        }
    }
    Ok(values)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_is_read_and_unjudged_queries_are_left_out() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join("corpus.jsonl"), "{\"_id\":\"d\",\"title\":\"T\",\"text\":\"x\"}\n")
            .unwrap();
        let queries = "{\"_id\":\"q1\",\"text\":\"a\"}\n{\"_id\":\"q2\",\"text\":\"b\"}\n";
        std::fs::write(dir.path().join("queries.jsonl"), queries).unwrap();
        std::fs::write(dir.path().join("qrels.tsv"), "query-id\tcorpus-id\tscore\nq1\td\t1\nq2\td\t0\n")
            .unwrap();
        let set = JudgedSet::load(dir.path(), None, None).unwrap();
        assert_eq!(set.queries.len(), 1);
        assert_eq!(set.queries[0].relevant["d"], 1);
    }

    #[test]
    fn a_broken_line_is_named() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join("corpus.jsonl"), "{\"_id\":\"d\",\"text\":\"x\"}\nnonsense\n")
            .unwrap();
        let error = JudgedSet::load(dir.path(), None, None).unwrap_err();
        assert!(error.message.contains("corpus.jsonl:2"), "{}", error.message);
    }
}
