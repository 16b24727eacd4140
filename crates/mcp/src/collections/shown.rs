//! What collections are called in one answer.

use docent_engine::Names;
use serde_json::{Map, Value};

/// The names that a call used, and those to fall back on.
pub(crate) struct Shown<'a> {
    names: &'a Names,
    /// Names of the call.
    used: Vec<&'a str>,
    /// The ids that they mean, each once.
    ids: Vec<&'a str>,
}

impl<'a> Shown<'a> {
    /// For a call that names these collections; the error is the first name that means none.
    pub(crate) fn of(names: &'a Names, used: &[&'a str]) -> Result<Self, &'a str> {
        let mut shown = Self::unnamed(names);
        for name in used {
            let id = names.resolve(name).ok_or(*name)?;
            if !shown.ids.contains(&id) {
                shown.ids.push(id);
                shown.used.push(name);
            }
        }
        Ok(shown)
    }

    /// For a call that names none.
    pub(crate) fn unnamed(names: &'a Names) -> Self {
        Self { names, used: Vec::new(), ids: Vec::new() }
    }

    /// The ids of the collections that the call names.
    pub(crate) fn ids(&self) -> &[&'a str] {
        &self.ids
    }

    /// An object that begins with what the collection is called, and with its id where that is something else.
    pub(crate) fn object(&self, id: &str) -> Map<String, Value> {
        let used = self.ids.iter().position(|known| *known == id).and_then(|at| self.used.get(at).copied());
        let name = used.or_else(|| self.names.alias(id)).unwrap_or(id);
        let mut object = Map::new();
        object.insert("collection".to_owned(), name.into());
        if name != id {
            object.insert("collectionId".to_owned(), id.into());
        }
        object
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn names() -> Names {
        let aliases =
            [("fe", "react"), ("front", "react")].map(|(alias, name)| (alias.to_owned(), name.to_owned()));
        Names::new(["docs", "react@18", "react@19"].map(str::to_owned).into(), aliases.into())
    }

    fn check(used: &[&str], id: &str, expected: Value) {
        let names = names();
        assert_eq!(Value::Object(Shown::of(&names, used).unwrap().object(id)), expected, "{used:?}");
    }

    #[test]
    fn the_callers_name_comes_first_then_the_alias_then_the_id() {
        check(&["react"], "react@19", json!({"collection": "react", "collectionId": "react@19"}));
        check(&["front"], "react@19", json!({"collection": "front", "collectionId": "react@19"}));
        check(&["react@19", "fe"], "react@19", json!({"collection": "react@19"}));
        check(&[], "react@19", json!({"collection": "fe", "collectionId": "react@19"}));
        check(&["docs"], "react@18", json!({"collection": "react@18"}));
    }

    #[test]
    fn a_name_that_means_nothing_is_handed_back() {
        assert_eq!(Shown::of(&names(), &["docs", "vue"]).err(), Some("vue"));
        assert_eq!(Shown::of(&names(), &["fe", "docs", "react"]).unwrap().ids(), ["react@19", "docs"]);
    }
}
