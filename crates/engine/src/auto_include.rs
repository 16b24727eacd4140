//! The auto-include rule: who asks for a language also gets the guides that are for every language.
//!
//! The scope of a page tells pages of one SDK (`sdk-specific`) from guides for all (`global-guide`). A caller that gives
//! a scope of its own is taken at its word, and then this is not asked.

use docent_index::FacetExpr;

/// The facet that the rule starts from.
pub const LANGUAGE: &str = "language";
/// The facet that switches it off.
pub const SCOPE: &str = "scope";

const OWN: &str = "sdk-specific";
const SHARED: &str = "global-guide";

/// What lets pages of `language` through, and the guides for every language. `has` says whether any page has a value of
/// the scope; a language that no page has finds nothing, and the hint names those that there are.
pub fn with_guides(language: &str, has: impl Fn(&str) -> bool) -> FacetExpr {
    let is = |key: &str, value: &str| FacetExpr::Is { key: key.to_owned(), value: value.to_owned() };
    let own = is(LANGUAGE, language);
    match (has(OWN), has(SHARED)) {
        (true, _) => FacetExpr::Any(vec![FacetExpr::All(vec![is(SCOPE, OWN), own]), is(SCOPE, SHARED)]),
        (false, true) => FacetExpr::Any(vec![own, is(SCOPE, SHARED)]),
        (false, false) => own,
    }
}
