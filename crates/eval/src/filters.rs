//! The filters of a case, with the meaning that an agent's call of `search_docs` has.

use std::collections::BTreeMap;

use docent_engine::{FacetCounts, FacetExpr, Filter, PathGlob, SearchHit, auto_include};

use crate::cases::nearest;

/// The name under which a path pattern stands among the facets.
const PATH_FILTER: &str = "file_filter";

/// The filter of a case, and what is wrong with it.
#[derive(Debug, Default)]
pub(crate) struct CaseFilter {
    pub(crate) filter: Filter,
    pub(crate) problems: Vec<String>,
}

impl CaseFilter {
    /// All keys must hold, any value of a key will do. A language without a scope also lets the global guides through.
    pub(crate) fn new(given: &[(String, Vec<String>)], known: &FacetCounts) -> Self {
        let mut made = Self::default();
        let has_scope = given.iter().any(|(key, _)| key == auto_include::SCOPE);
        let has_value = |value: &str| known.get(auto_include::SCOPE).is_some_and(|it| it.contains_key(value));
        let mut parts = Vec::new();
        for (key, values) in given {
            if key == PATH_FILTER {
                made.set_path(values);
                continue;
            }
            if !known.contains_key(key) {
                let near = nearest(key, known.keys().map(String::as_str));
                let hint = near.map_or_else(String::new, |near| format!(", did you mean `{near}`?"));
                made.problems.push(format!("no page has the facet `{key}`{hint}"));
            }
            let is = |value: &String| FacetExpr::Is { key: key.clone(), value: value.clone() };
            let expands = |value: &String| {
                key == auto_include::LANGUAGE
                    && !has_scope
                    && known.get(key).is_some_and(|values| values.contains_key(value))
            };
            let one =
                |value| if expands(value) { auto_include::with_guides(value, has_value) } else { is(value) };
            parts.push(FacetExpr::Any(values.iter().map(one).collect()));
        }
        made.filter.facets = (!parts.is_empty()).then_some(FacetExpr::All(parts));
        made
    }

    fn set_path(&mut self, patterns: &[String]) {
        match patterns {
            [pattern] => match PathGlob::new(pattern) {
                Ok(glob) => self.filter.path = Some(glob),
                Err(reason) => self.problems.push(format!("file_filter: {reason}")),
            },
            _ => self.problems.push("file_filter takes one pattern".to_owned()),
        }
    }

    /// Whether there is anything to filter by.
    pub(crate) fn is_empty(&self) -> bool {
        self.filter.facets.is_none() && self.filter.path.is_none()
    }

    /// Whether a hit passes.
    pub(crate) fn lets_through(&self, hit: &SearchHit) -> bool {
        let path = self.filter.path.as_ref().is_none_or(|glob| glob.matches(&hit.metadata.file_path));
        path && self.allows(&hit.metadata.facets)
    }

    /// Whether a page with these facets passes, wherever it lies.
    pub(crate) fn allows(&self, facets: &BTreeMap<String, String>) -> bool {
        self.filter.facets.as_ref().is_none_or(|expr| matches(expr, facets))
    }
}

fn matches(expr: &FacetExpr, facets: &BTreeMap<String, String>) -> bool {
    match expr {
        FacetExpr::Is { key, value } => facets.get(key) == Some(value),
        FacetExpr::All(parts) => parts.iter().all(|part| matches(part, facets)),
        FacetExpr::Any(parts) => parts.iter().any(|part| matches(part, facets)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn known() -> FacetCounts {
        let of = |values: &[&str]| values.iter().map(|value| ((*value).to_owned(), 1)).collect();
        [
            ("language".to_owned(), of(&["go", "rust"])),
            ("scope".to_owned(), of(&["global-guide", "sdk-specific"])),
        ]
        .into()
    }

    fn check(given: &[(&str, &[&str])], expected: &str, problem: &str) {
        let own = |values: &[&str]| values.iter().map(|value| (*value).to_owned()).collect();
        let given: Vec<_> = given.iter().map(|(key, values)| ((*key).to_owned(), own(values))).collect();
        let made = CaseFilter::new(&given, &known());
        assert_eq!(made.filter.facets.as_ref().map_or_else(String::new, show), expected);
        assert!(made.problems.concat().contains(problem), "{:?}", made.problems);
        assert_eq!(made.problems.is_empty(), problem.is_empty());
    }

    fn show(expr: &FacetExpr) -> String {
        let all = |parts: &[FacetExpr], by: &str| parts.iter().map(show).collect::<Vec<_>>().join(by);
        match expr {
            FacetExpr::Is { key, value } => format!("{key}={value}"),
            FacetExpr::All(parts) | FacetExpr::Any(parts) if parts.len() == 1 => show(&parts[0]),
            FacetExpr::All(parts) => format!("({})", all(parts, " & ")),
            FacetExpr::Any(parts) => format!("({})", all(parts, " | ")),
        }
    }

    #[test]
    fn keys_must_all_hold_and_values_are_alternatives() {
        check(
            &[("language", &["go", "rust"]), ("scope", &["sdk-specific"])],
            "((language=go | language=rust) & scope=sdk-specific)",
            "",
        );
    }

    #[test]
    fn a_language_alone_includes_the_global_guides() {
        check(&[("language", &["rust"])], "((scope=sdk-specific & language=rust) | scope=global-guide)", "");
    }

    #[test]
    fn unknown_facets_and_broken_patterns_are_told() {
        check(&[("langauge", &["rust"])], "langauge=rust", "did you mean `language`");
        check(&[("file_filter", &["a["])], "", "file_filter");
    }
}
