//! Facets that a model proposes: what it is shown, and what of its answer is taken over.
//!
//! An answer is input like any other: strict JSON, only pages that were asked about, only facets that were asked for,
//! only allowed values, only short text that can be seen. Everything else is counted and left out.

use std::collections::{BTreeMap, BTreeSet};

use docent_text::visible_line;
use serde_json::{Map, Value, json};

use crate::manifest::{Taxonomy, TaxonomyField};

/// How much of a page a model is shown, in characters.
pub const EXCERPT_CHARS: usize = 1000;
/// Headings that a model is shown of a page.
const MAX_HEADINGS: usize = 40;
/// Facets in a proposed taxonomy.
const MAX_FIELDS: usize = 3;
/// Names of search's own parameters, which no facet can have.
const TAKEN_NAMES: [&str; 9] =
    ["query", "top_k", "limit", "file_filter", "cursor", "mode", "collection", "max_chars", "verified_only"];
/// Values of a proposed facet.
const MAX_VALUES: usize = 20;
/// Characters in a proposed key or value.
const MAX_NAME_CHARS: usize = 60;
/// Characters in a proposed description.
const MAX_DESCRIPTION_CHARS: usize = 200;

/// What is taken over from an answer, and how much of it was refused.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Taken<T> {
    /// What passed.
    pub value: T,
    /// How many entries did not.
    pub refused: usize,
}

/// Facets by page, or by pattern.
pub type PageFacets = BTreeMap<String, Facets>;

type Facets = BTreeMap<String, String>;

/// What a model is shown of a page: title, headings and the first characters of its text.
pub fn excerpt(path: &str, text: &str) -> Value {
    let document = docent_text::parse(path, text);
    let headings: Vec<&str> = document
        .sections
        .iter()
        .filter(|section| section.level > 0)
        .map(|section| section.heading.as_str())
        .take(MAX_HEADINGS)
        .collect();
    let body: String =
        text.get(document.body_start..).unwrap_or_default().chars().take(EXCERPT_CHARS).collect();
    json!({ "path": path, "title": document.title, "headings": headings, "text": body })
}

/// Reads a proposed taxonomy: new facets where there are none, else descriptions of those that lack one.
pub fn read_taxonomy(
    answer: &str,
    present: &Taxonomy,
) -> Result<Taken<BTreeMap<String, TaxonomyField>>, String> {
    let (fields, mut refused) = object(answer, "taxonomy")?;
    let mut value = BTreeMap::new();
    for (key, field) in fields {
        let read = read_field(&key, &field, present);
        match read {
            Some(field) if present.0.contains_key(&key) || value.len() < MAX_FIELDS => {
                value.insert(key, field);
            }
            _ => refused += 1,
        }
    }
    Ok(Taken { value, refused })
}

/// Reads proposed facets. `asked` names the pages and the facets that each lacks.
pub fn read_pages(
    answer: &str,
    taxonomy: &Taxonomy,
    asked: &BTreeMap<String, BTreeSet<String>>,
) -> Result<Taken<PageFacets>, String> {
    let (pages, mut refused) = object(answer, "pages")?;
    let mut value = PageFacets::new();
    for (path, facets) in pages {
        let (Some(wanted), Value::Object(facets)) = (asked.get(&path), facets) else {
            refused += 1;
            continue;
        };
        for (key, proposed) in facets {
            let allowed = taxonomy
                .0
                .get(&key)
                .and_then(|field| field.values.as_ref())
                .filter(|_| wanted.contains(&key));
            let proposed = proposed
                .as_str()
                .filter(|value| allowed.is_some_and(|allowed| allowed.iter().any(|it| it == value)));
            match proposed {
                Some(proposed) => {
                    value.entry(path.clone()).or_default().insert(key, proposed.to_owned());
                }
                None => refused += 1,
            }
        }
    }
    Ok(Taken { value, refused })
}

/// The facets as few patterns as possible: a folder whose pages all have the same is one. `pages` names every page of
/// the manifest, also those without a proposal.
pub fn fold_facets(pages: &PageFacets) -> PageFacets {
    let mut patterns = PageFacets::new();
    let all: Vec<(&str, &Facets)> = pages.iter().map(|(path, it)| (path.as_str(), it)).collect();
    descend("", &all, &mut patterns);
    patterns
}

fn descend(inside: &str, pages: &[(&str, &Facets)], patterns: &mut PageFacets) {
    let Some((_, first)) = pages.first() else { return };
    if pages.len() > 1 && pages.iter().all(|(_, facets)| facets == first) {
        let pattern = if inside.is_empty() {
            Some("**".to_owned())
        } else {
            crate::fix::pattern_below(inside.trim_end_matches('/'))
        };
        if let Some(pattern) = pattern.filter(|_| !first.is_empty()) {
            patterns.insert(pattern, (*first).clone());
        }
        return;
    }
    let mut below: BTreeMap<&str, Vec<(&str, &Facets)>> = BTreeMap::new();
    for (path, facets) in pages {
        match path.get(inside.len()..).and_then(|rest| rest.find('/')) {
            Some(slash) => below.entry(&path[..=inside.len() + slash]).or_default().push((path, facets)),
            None if facets.is_empty() => {}
            None => {
                if let Some(pattern) = crate::fix::pattern(path) {
                    patterns.insert(pattern, (*facets).clone());
                }
            }
        }
    }
    for (folder, pages) in below {
        descend(folder, &pages, patterns);
    }
}

/// The object under the one key that was asked for.
fn object(answer: &str, key: &str) -> Result<(Map<String, Value>, usize), String> {
    let parsed: Value =
        serde_json::from_str(answer.trim()).map_err(|_| "the answer is not JSON".to_owned())?;
    let Value::Object(mut map) = parsed else { return Err("the answer is not a JSON object".to_owned()) };
    let Some(Value::Object(inner)) = map.remove(key) else {
        return Err(format!("the answer has no object `{key}`"));
    };
    Ok((inner, map.len()))
}

fn read_field(key: &str, field: &Value, present: &Taxonomy) -> Option<TaxonomyField> {
    let field = field.as_object()?;
    let description =
        field.get("description").and_then(Value::as_str).filter(|text| is_clean(text, MAX_DESCRIPTION_CHARS));
    let description = description.map(str::to_owned);
    if let Some(own) = present.0.get(key) {
        // Only what is missing is taken.
        let missing = own.description.is_none() && description.is_some();
        return missing.then(|| TaxonomyField { description, ..TaxonomyField::default() });
    }
    let is_key = |key: &str| {
        is_clean(key, MAX_NAME_CHARS)
            && key.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_')
            && key.starts_with(|c: char| c.is_ascii_lowercase())
            && !TAKEN_NAMES.contains(&key)
    };
    if !present.0.is_empty() || !is_key(key) {
        return None;
    }
    let values: Vec<String> =
        field.get("values")?.as_array()?.iter().filter_map(Value::as_str).map(str::to_owned).collect();
    let distinct: BTreeSet<&String> = values.iter().collect();
    let fine = (2..=MAX_VALUES).contains(&values.len())
        && distinct.len() == values.len()
        && values.iter().all(|value| is_clean(value, MAX_NAME_CHARS));
    fine.then(|| TaxonomyField { description, values: Some(values), ..TaxonomyField::default() })
}

/// Short, on one line, nothing that is not seen, and no space around it.
fn is_clean(text: &str, limit: usize) -> bool {
    !text.is_empty() && visible_line(text, limit) == text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Manifest;

    fn taxonomy(text: &str) -> Taxonomy {
        Manifest::parse(&format!("{{\"version\": \"1\", \"taxonomy\": {text}}}")).0.taxonomy
    }

    fn check_pages(answer: &str, expected: Result<(usize, usize), &str>) {
        let taxonomy = taxonomy(r#"{"language": ["go", "rust"], "free": {}}"#);
        let asked = BTreeMap::from([("a.md".to_owned(), BTreeSet::from(["language".to_owned()]))]);
        let got = read_pages(answer, &taxonomy, &asked);
        let got = got.as_ref().map(|taken| (taken.value.len(), taken.refused)).map_err(String::as_str);
        assert_eq!(got, expected, "{answer}");
    }

    #[test]
    fn only_what_was_asked_for_is_taken() {
        check_pages(r#"{"pages": {"a.md": {"language": "go"}}}"#, Ok((1, 0)));
        check_pages(r#"{"pages": {"a.md": {"language": "java"}}}"#, Ok((0, 1)));
        check_pages(r#"{"pages": {"a.md": {"language": "go", "free": "x", "__proto__": "y"}}}"#, Ok((1, 2)));
        check_pages(r#"{"pages": {"../etc/passwd": {"language": "go"}}}"#, Ok((0, 1)));
        check_pages(r#"{"pages": {"a.md": "go"}, "overrides": []}"#, Ok((0, 2)));
        check_pages("Sure! Here is the JSON: {}", Err("the answer is not JSON"));
        check_pages("[]", Err("the answer is not a JSON object"));
        check_pages("{}", Err("the answer has no object `pages`"));
    }

    #[test]
    fn a_new_taxonomy_is_small_and_clean() {
        let none = Taxonomy::default();
        let taken =
            |answer: &str| read_taxonomy(answer, &none).map(|it| (it.value.len(), it.refused)).unwrap();
        assert_eq!(taken(r#"{"taxonomy": {"kind": {"description": "d", "values": ["a", "b"]}}}"#), (1, 0));
        assert_eq!(taken(r#"{"taxonomy": {"Kind!": {"values": ["a", "b"]}}}"#), (0, 1));
        assert_eq!(taken(r#"{"taxonomy": {"kind": {"values": ["a"]}}}"#), (0, 1));
        assert_eq!(taken(r#"{"taxonomy": {"kind": {"values": ["a", "a"]}}}"#), (0, 1));
        assert_eq!(taken(r#"{"taxonomy": {"kind": {"values": ["a", "b\u202e"]}}}"#), (0, 1));
        let many: Map<String, Value> =
            (0..9).map(|n| (format!("k{n}"), json!({"values": ["a", "b"]}))).collect();
        assert_eq!(taken(&json!({ "taxonomy": many }).to_string()), (3, 6));
        assert_eq!(taken(r#"{"taxonomy": {"limit": {"values": ["a", "b"]}}}"#), (0, 1));
    }

    #[test]
    fn a_taxonomy_that_is_there_only_gets_descriptions() {
        let present = taxonomy(r#"{"language": ["go"], "told": {"description": "x"}}"#);
        let answer = r#"{"taxonomy": {"language": {"description": "SDK", "values": ["evil"]}, "told": {"description": "y"}, "new": {"values": ["a", "b"]}}}"#;
        let taken = read_taxonomy(answer, &present).unwrap();
        assert_eq!(taken.value.keys().map(String::as_str).collect::<Vec<_>>(), ["language"]);
        assert_eq!(taken.refused, 2);
        assert_eq!(taken.value["language"].values, None);
    }

    #[test]
    fn folders_that_agree_are_one_pattern() {
        let facet = |value: &str| BTreeMap::from([("k".to_owned(), value.to_owned())]);
        let pages = BTreeMap::from([
            ("a/1.md".to_owned(), facet("x")),
            ("a/b/2.md".to_owned(), facet("x")),
            ("c/3.md".to_owned(), facet("x")),
            ("c/4.md".to_owned(), BTreeMap::new()),
            ("5.md".to_owned(), facet("y")),
        ]);
        assert_eq!(fold_facets(&pages).into_keys().collect::<Vec<_>>(), ["5.md", "a/**", "c/3.md"]);
    }
}
