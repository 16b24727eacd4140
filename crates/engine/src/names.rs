//! Which collection a name means.
//!
//! A collection's id is its name in the index, e.g. `react@19`. It is also known by the aliases that the settings give it,
//! and a name without a version means the newest version there is: `react` is `react@19` beside `react@18`. What is an id
//! is never anything else, so adding a collection cannot change what another one's id means.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};

use semver::Version;

/// The collections that can be named.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Names {
    ids: Vec<String>,
    aliases: BTreeMap<String, String>,
}

impl Names {
    /// Of these ids; `aliases` leads from an alias to a name.
    pub fn new(ids: Vec<String>, aliases: BTreeMap<String, String>) -> Self {
        Self { ids, aliases }
    }

    /// All ids, as they were given.
    pub fn ids(&self) -> &[String] {
        &self.ids
    }

    /// Every name that means a collection: ids, then aliases and names without a version.
    pub fn all(&self) -> Vec<&str> {
        let bare = self.ids.iter().map(|id| split_version(id).0);
        let others: BTreeSet<&str> = self.aliases.keys().map(String::as_str).chain(bare).collect();
        let others = others.into_iter().filter(|name| !self.ids.iter().any(|id| id == name));
        let ids = self.ids.iter().map(String::as_str);
        ids.chain(others.filter(|name| self.resolve(name).is_some())).collect()
    }

    /// The id that `name` means.
    pub fn resolve(&self, name: &str) -> Option<&str> {
        self.find(name).or_else(|| self.find(self.aliases.get(name)?))
    }

    /// The alias that stands for an id in lists.
    pub fn alias(&self, id: &str) -> Option<&str> {
        let stands = |alias: &&String| self.resolve(alias) == Some(id) && alias.as_str() != id;
        self.aliases.keys().find(stands).map(String::as_str)
    }

    fn find(&self, name: &str) -> Option<&str> {
        let exact = self.ids.iter().find(|id| *id == name);
        let newest = || self.ids.iter().filter(|id| is_version_of(id, name)).max_by(|a, b| by_age(a, b));
        exact.or_else(newest).map(String::as_str)
    }
}

/// Name and version of an id: `react@19` is version `19` of `react`. A leading `@` belongs to the name, as in
/// `@types/node@22`.
pub fn split_version(id: &str) -> (&str, Option<&str>) {
    match id.rfind('@').filter(|&at| at > 0) {
        Some(at) => (&id[..at], Some(&id[at + 1..]).filter(|version| !version.is_empty())),
        None => (id, None),
    }
}

fn is_version_of(id: &str, name: &str) -> bool {
    let (base, version) = split_version(id);
    version.is_some() && base == name
}

/// Older first. A version that is out counts as newer than any that is only announced, and what is no version at all is
/// the oldest.
fn by_age(one: &str, other: &str) -> Ordering {
    let version = |id: &str| split_version(id).1.and_then(parse);
    let rank =
        |version: &Option<Version>| version.as_ref().map(|version| (version.pre.is_empty(), version.clone()));
    rank(&version(one)).cmp(&rank(&version(other))).then_with(|| one.cmp(other))
}

/// A version as people write it: `v19`, `1.2` and `1.2.3-rc.1` all count.
fn parse(text: &str) -> Option<Version> {
    let text = text.strip_prefix(['v', 'V']).unwrap_or(text);
    let end = text.find(['-', '+']).unwrap_or(text.len());
    let (numbers, rest) = text.split_at(end);
    let missing = 2usize.checked_sub(numbers.matches('.').count())?;
    Version::parse(&format!("{numbers}{}{rest}", ".0".repeat(missing))).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(ids: &[&str], name: &str, expected: Option<&str>) {
        let ids = ids.iter().map(|&id| id.to_owned()).collect();
        let aliases = [("fe", "react"), ("old", "react@18"), ("docs", "react")];
        let aliases = aliases.map(|(alias, name)| (alias.to_owned(), name.to_owned())).into();
        assert_eq!(Names::new(ids, aliases).resolve(name), expected, "{name}");
    }

    #[test]
    fn a_bare_name_means_the_newest_version() {
        check(&["react@9", "react@19", "react@18.3.1"], "react", Some("react@19"));
        check(&["a@1.9", "a@1.10"], "a", Some("a@1.10"));
        check(&["a@v2", "a@1.99.99"], "a", Some("a@v2"));
        check(&["a@latest", "a@0.1"], "a", Some("a@0.1"));
        check(&["a@main", "a@next"], "a", Some("a@next"));
        check(&["@types/node@20", "@types/node@22"], "@types/node", Some("@types/node@22"));
    }

    #[test]
    fn what_is_released_wins_over_what_is_announced() {
        check(&["a@2.0.0-rc.1", "a@1.4"], "a", Some("a@1.4"));
        check(&["a@2.0.0-rc.1", "a@2.0.0"], "a", Some("a@2.0.0"));
        check(&["a@2.0.0-rc.1", "a@2.0.0-rc.2"], "a", Some("a@2.0.0-rc.2"));
    }

    #[test]
    fn an_id_is_itself() {
        check(&["react", "react@19"], "react", Some("react"));
        check(&["docs", "react@19"], "docs", Some("docs"));
        check(&["react@18", "react@19"], "react@18", Some("react@18"));
    }

    #[test]
    fn an_alias_leads_to_an_id() {
        check(&["react@18", "react@19"], "fe", Some("react@19"));
        check(&["react@18", "react@19"], "old", Some("react@18"));
        check(&["react@19"], "old", None);
        check(&["react@19"], "vue", None);
    }

    #[test]
    fn lists_show_the_alias() {
        let aliases = BTreeMap::from([("fe".to_owned(), "react".to_owned())]);
        let names = Names::new(vec!["react@18".to_owned(), "react@19".to_owned()], aliases);
        assert_eq!(names.alias("react@19"), Some("fe"));
        assert_eq!(names.alias("react@18"), None);
    }

    #[test]
    fn every_name_is_listed_once() {
        let aliases =
            [("fe", "react"), ("gone", "vue")].map(|(alias, name)| (alias.to_owned(), name.to_owned()));
        let ids = ["docs", "react@18", "react@19"].map(str::to_owned);
        assert_eq!(
            Names::new(ids.into(), aliases.into()).all(),
            ["docs", "react@18", "react@19", "fe", "react"]
        );
    }

    #[test]
    fn a_version_is_what_follows_the_last_at() {
        assert_eq!(split_version("react@19"), ("react", Some("19")));
        assert_eq!(split_version("@types/node"), ("@types/node", None));
        assert_eq!(split_version("@types/node@22.1"), ("@types/node", Some("22.1")));
        assert_eq!(split_version("a@"), ("a", None));
    }
}
