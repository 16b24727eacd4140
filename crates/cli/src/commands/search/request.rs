//! The arguments of `docent search` become a request; what makes no sense is told before the index is opened.

use std::path::Path;
use std::time::Duration;

use docent_engine::{Condition, Mode, SearchRequest};
use docent_index::{FacetExpr, Filter, PathGlob};

use crate::args::{Provider, SearchArgs};
use crate::errors::CliError;
use crate::handed::{self, plain_value};
use crate::settings::Settings;

const DEFAULT_TOP_K: i64 = 5;
const MAX_TOP_K: i64 = 20;
const MAX_LIMIT: i64 = 50;
/// Longer waits than a day are as good as for ever.
const MAX_WAIT: f64 = 86_400.0;

pub(super) fn request(
    args: &SearchArgs,
    settings: &Settings,
    here: &Path,
) -> Result<SearchRequest, CliError> {
    let mut request = SearchRequest::new(args.query.join(" "));
    request.top_k = how_many(args)?;
    request.mode = match args.mode {
        Some(mode) => mode.into(),
        None if settings.embedding.provider.value == Provider::None => Mode::Lexical,
        None => Mode::Hybrid,
    };
    request.fusion = args.fusion.into();
    request.explain = args.explain;
    request.cursor.clone_from(&args.cursor);
    request.conditions = conditions(&args.filter, here)?;
    request.filter = Filter {
        path: args.path.as_deref().map(path_glob).transpose()?,
        facets: facets(&args.facet)?,
        ..Filter::default()
    };
    Ok(request)
}

/// `--top-k` is clamped and `--limit` is checked; both name the same number.
fn how_many(args: &SearchArgs) -> Result<usize, CliError> {
    let number = match (args.top_k, args.limit) {
        (Some(top_k), Some(limit)) if top_k != limit => {
            return Err(CliError::usage(
                format!("--top-k is {top_k} and --limit is {limit}, and both say how many hits you want"),
                "give one of them",
            ));
        }
        (_, Some(limit)) if !(1..=MAX_LIMIT).contains(&limit) => {
            return Err(CliError::usage(
                format!("--limit is {limit} and must be from 1 to {MAX_LIMIT}"),
                "narrow the search with --path or --facet instead of asking for more",
            ));
        }
        (_, Some(limit)) => limit,
        (top_k, None) => top_k.unwrap_or(DEFAULT_TOP_K).clamp(1, MAX_TOP_K),
    };
    Ok(usize::try_from(number).unwrap_or(1))
}

pub(super) fn wait(seconds: f64) -> Result<Duration, CliError> {
    if seconds >= 0.0 {
        return Ok(Duration::from_secs_f64(seconds.min(MAX_WAIT)));
    }
    Err(CliError::usage(
        format!("--wait is {seconds} and cannot be less than 0"),
        "give a number of seconds, e.g. --wait 5",
    ))
}

fn path_glob(pattern: &str) -> Result<PathGlob, CliError> {
    PathGlob::new(pattern)
        .map_err(|message| CliError::usage(message, "patterns look like guides/**/*.md, or name a folder"))
}

/// Values are taken as `docent ingest --meta` takes them.
fn conditions(given: &[String], here: &Path) -> Result<Vec<Condition>, CliError> {
    let condition = |pair: &String| {
        let (field, value) =
            pair.split_once('=').filter(|(field, _)| !field.trim().is_empty()).ok_or_else(|| {
                CliError::usage(
                    format!("--filter {pair} is not FIELD=VALUE"),
                    "write it like --filter metadata.year=2024",
                )
            })?;
        let field = field.trim();
        let value = match field {
            "page" | "chunk_index" => plain_value(value),
            "file_type" => file_type(value).into(),
            "source" if here.join(value).exists() => {
                handed::spellings(value, here).pop().unwrap_or_else(|| value.to_owned()).into()
            }
            _ if field.starts_with("metadata.") => plain_value(value),
            _ => value.into(),
        };
        Ok(Condition::new(field, value)?)
    };
    given.iter().map(condition).collect()
}

/// A type may be written as an extension or in full.
fn file_type(given: &str) -> String {
    let lower = given.trim_start_matches('.').to_lowercase();
    match lower.as_str() {
        "markdown" => "md".to_owned(),
        "text" => "txt".to_owned(),
        "htm" => "html".to_owned(),
        "yml" => "yaml".to_owned(),
        _ => lower,
    }
}

/// The same key again means "or", another key means "and".
fn facets(given: &[String]) -> Result<Option<FacetExpr>, CliError> {
    let mut keys: Vec<(&str, Vec<FacetExpr>)> = Vec::new();
    for facet in given {
        let pair = facet.split_once('=').filter(|(key, value)| !key.is_empty() && !value.is_empty());
        let (key, value) = pair.ok_or_else(|| {
            CliError::usage(
                format!("--facet {facet} is not KEY=VALUE"),
                "write it like --facet language=rust",
            )
        })?;
        let is = FacetExpr::Is { key: key.to_owned(), value: value.to_owned() };
        match keys.iter_mut().find(|(known, _)| *known == key) {
            Some((_, values)) => values.push(is),
            None => keys.push((key, vec![is])),
        }
    }
    let all: Vec<FacetExpr> = keys.into_iter().map(|(_, values)| FacetExpr::Any(values)).collect();
    Ok((!all.is_empty()).then_some(FacetExpr::All(all)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn facets_of_one_key_are_alternatives() {
        let is = |key: &str, value: &str| FacetExpr::Is { key: key.to_owned(), value: value.to_owned() };
        let given = ["a=1", "b=2", "a=3=4"].map(str::to_owned);
        let expected = FacetExpr::All(vec![
            FacetExpr::Any(vec![is("a", "1"), is("a", "3=4")]),
            FacetExpr::Any(vec![is("b", "2")]),
        ]);
        assert_eq!(facets(&given).unwrap(), Some(expected));
        assert_eq!(facets(&[]).unwrap(), None);
        assert!(facets(&["=x".to_owned()]).is_err());
    }
}
