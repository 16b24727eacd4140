//! Pages that share a heading, as the same guide in several languages does, and the facet that tells them apart.

use std::collections::{BTreeMap, BTreeSet};

use docent_engine::{Entry, FacetCounts};

use super::words;
use crate::filters::CaseFilter;

type Facets = BTreeMap<String, String>;

/// The facets of all pages.
pub(super) struct Siblings {
    pages: BTreeMap<String, Facets>,
    known: FacetCounts,
}

impl Siblings {
    pub(super) fn new(entries: Vec<Entry>, known: FacetCounts) -> Self {
        Self { pages: entries.into_iter().map(|entry| (entry.path, entry.facets)).collect(), known }
    }

    /// One of `pages` and the facet that names it among them: every page has the facet, each with a value of its own.
    /// `words` decide which page it is, so that not all drafts are about the first language.
    pub(super) fn told_apart<'p>(
        &self,
        words: &str,
        pages: &'p BTreeSet<String>,
    ) -> Option<(&'p str, (String, String))> {
        let facets: Vec<(&'p str, &Facets)> = pages
            .iter()
            .map(|page| Some((page.as_str(), self.pages.get(page)?)))
            .collect::<Option<Vec<_>>>()?;
        let differs = |key: &&String| {
            let values: Option<BTreeSet<&String>> = facets.iter().map(|(_, own)| own.get(*key)).collect();
            values.is_some_and(|values| values.len() == facets.len())
        };
        let (_, first) = facets.first()?;
        let key = first.keys().find(differs)?;
        let start = usize::try_from(words::hash(words) % facets.len() as u64).unwrap_or(0);
        facets.iter().cycle().skip(start).take(facets.len()).find_map(|(page, own)| {
            let value = own.get(key)?;
            let filter = CaseFilter::new(&[(key.clone(), vec![value.clone()])], &self.known);
            // A language may include guides for all of them, and leave out pages without a scope.
            let mut passing = facets.iter().filter(|(_, own)| filter.allows(own)).map(|(page, _)| page);
            let is_alone = passing.next() == Some(page) && passing.next().is_none();
            (is_alone && filter.problems.is_empty()).then(|| (*page, (key.clone(), value.clone())))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Pages with their facets as `key=value`, and the key that tells them apart; gives the pages that 40 wordings choose.
    fn check(pages: &[(&str, &str)], expected: Option<&str>) -> BTreeSet<String> {
        let mut known = FacetCounts::new();
        let mut all = BTreeMap::new();
        for (page, facets) in pages {
            let facets: Facets = facets
                .split_whitespace()
                .filter_map(|facet| facet.split_once('='))
                .map(|(key, value)| (key.to_owned(), value.to_owned()))
                .collect();
            for (key, value) in &facets {
                *known.entry(key.clone()).or_default().entry(value.clone()).or_default() += 1;
            }
            all.insert((*page).to_owned(), facets);
        }
        let names: BTreeSet<String> = all.keys().cloned().collect();
        let siblings = Siblings { pages: all, known };
        let mut chosen = BTreeSet::new();
        for number in 0..40 {
            let told = siblings.told_apart(&format!("words {number}"), &names);
            assert_eq!(told.as_ref().map(|(_, (key, _))| key.as_str()), expected, "{pages:?}");
            if let Some((page, (key, value))) = told {
                assert_eq!(siblings.pages[page][&key], value);
                chosen.insert(page.to_owned());
            }
        }
        chosen
    }

    #[test]
    fn a_facet_with_a_value_for_each_page_tells_them_apart() {
        let both = check(
            &[("go.md", "kind=guide language=go"), ("rust.md", "kind=guide language=rust")],
            Some("language"),
        );
        assert_eq!(both.len(), 2, "the words decide which page");
        check(&[("a.md", "version=1"), ("b.md", "version=2"), ("c.md", "version=3")], Some("version"));
    }

    #[test]
    fn pages_that_do_not_differ_or_lack_the_facet_stay_ambiguous() {
        check(&[("a.md", "language=go"), ("b.md", "language=go")], None);
        check(&[("a.md", "language=go"), ("b.md", "")], None);
        check(&[("a.md", "language=go"), ("b.md", "version=1")], None);
        check(&[("a.md", "language=go"), ("b.md", "language=go"), ("c.md", "language=rust")], None);
    }

    #[test]
    fn a_guide_for_all_languages_is_not_told_apart_by_one() {
        check(&[("a.md", "language=go"), ("b.md", "language=any scope=global-guide")], Some("language"))
            .iter()
            .for_each(|page| assert_eq!(page, "b.md"));
    }
}
