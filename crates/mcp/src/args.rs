//! The arguments of a tool call, read one by one with errors that say what to send instead.

use std::ops::RangeInclusive;

use rmcp::model::JsonObject;
use serde_json::Value;

use crate::call::Failure;

/// Longest value that an error repeats, in characters.
const MAX_SHOWN: usize = 40;

/// The arguments of one call. A `null` counts as absent.
#[derive(Debug, Clone, Default)]
pub(crate) struct Args(JsonObject);

impl Args {
    pub(crate) fn new(arguments: Option<JsonObject>) -> Self {
        let mut arguments = arguments.unwrap_or_default();
        arguments.retain(|_, value| !value.is_null());
        Self(arguments)
    }

    /// Refuses what the tool does not know: a mistyped filter must not silently search everything.
    pub(crate) fn check_known(
        &self,
        schema: &JsonObject,
        is_facet: impl Fn(&str) -> bool,
    ) -> Result<(), Failure> {
        let known = schema.get("properties").and_then(Value::as_object);
        let is_known =
            |name: &&String| known.is_some_and(|known| known.contains_key(name.as_str())) || is_facet(name);
        let Some(unknown) = self.0.keys().find(|name| !is_known(name)) else { return Ok(()) };
        let names: Vec<&str> = known.into_iter().flat_map(|known| known.keys().map(String::as_str)).collect();
        let shown: String = docent_text::visible(unknown).chars().take(64).collect();
        Err(Failure::told(match names.is_empty() {
            true => format!("There is no parameter `{shown}`; this tool takes none."),
            false => format!("There is no parameter `{shown}`. The parameters are: {}.", names.join(", ")),
        }))
    }

    /// Takes digits in quotes for numbers where the schema wants a whole number.
    pub(crate) fn read_digits(&mut self, schema: &JsonObject) {
        for (name, parameter) in crate::schema::properties(schema) {
            let is_number = parameter.get("type").is_some_and(|kind| kind == "integer");
            let Some(Value::String(given)) = self.0.get(name).filter(|_| is_number) else { continue };
            let digits = given.bytes().all(|byte| byte.is_ascii_digit()).then(|| given.parse::<i64>().ok());
            if let Some(number) = digits.flatten() {
                self.0.insert(name.clone(), number.into());
            }
        }
    }

    /// All that were given.
    pub(crate) fn all(&self) -> impl Iterator<Item = (&String, &Value)> {
        self.0.iter()
    }

    /// A text.
    pub(crate) fn text(&self, name: &str) -> Result<Option<&str>, Failure> {
        match self.0.get(name) {
            None => Ok(None),
            Some(Value::String(text)) => Ok(Some(text)),
            Some(_) => Err(Failure::told(format!("{name} must be a string"))),
        }
    }

    /// A text that has to be there.
    pub(crate) fn required(&self, name: &str) -> Result<&str, Failure> {
        match self.text(name)? {
            Some(text) if !text.trim().is_empty() => Ok(text),
            _ => Err(Failure::told(format!("{name} parameter is required"))),
        }
    }

    /// A whole number; `3.0` is one, and so is anything that is far too large.
    pub(crate) fn whole(&self, name: &str) -> Result<Option<i64>, Failure> {
        let Some(value) = self.0.get(name) else { return Ok(None) };
        let number = value.as_i64().or_else(|| {
            let number = value.as_f64()?;
            // A float beyond the range saturates.
            (number.fract() == 0.0).then_some(number as i64)
        });
        number.map(Some).ok_or_else(|| Failure::told(format!("{name} must be a whole number")))
    }

    /// A whole number within bounds, or what it is when it is left out.
    pub(crate) fn whole_in(
        &self,
        name: &str,
        bounds: RangeInclusive<i64>,
        default: usize,
    ) -> Result<usize, Failure> {
        let given = self.whole(name);
        let fits = |number: &i64| bounds.contains(number);
        match given {
            Ok(None) => Ok(default),
            Ok(Some(number)) if fits(&number) => Ok(usize::try_from(number).unwrap_or(usize::MAX)),
            _ => {
                let range = match bounds.end() {
                    &i64::MAX => format!("of {} or more", bounds.start()),
                    end => format!("from {} to {end}", bounds.start()),
                };
                let given = self.shown(name);
                let text = format!(
                    "{name} must be a whole number {range}, not {given}. Leave it out to get {default}."
                );
                Err(Failure::told(text))
            }
        }
    }

    /// A number within bounds.
    pub(crate) fn number_in(&self, name: &str, bounds: RangeInclusive<f64>) -> Result<Option<f64>, Failure> {
        let Some(value) = self.0.get(name) else { return Ok(None) };
        let (least, most) = (bounds.start(), bounds.end());
        value.as_f64().filter(|number| bounds.contains(number)).map(Some).ok_or_else(|| {
            let given = self.shown(name);
            Failure::told(format!(
                "{name} must be a number from {least} to {most}, not {given}. Leave it out to set no limit."
            ))
        })
    }

    /// Yes or no.
    pub(crate) fn flag(&self, name: &str, default: bool) -> Result<bool, Failure> {
        match self.0.get(name) {
            None => Ok(default),
            Some(Value::Bool(flag)) => Ok(*flag),
            Some(_) => {
                let given = self.shown(name);
                Err(Failure::told(format!(
                    "{name} must be true or false, not {given}. Leave it out to get {default}."
                )))
            }
        }
    }

    /// An object.
    pub(crate) fn object(&self, name: &str) -> Result<Option<&JsonObject>, Failure> {
        let Some(value) = self.0.get(name) else { return Ok(None) };
        let refused = || {
            let given = self.shown(name);
            Failure::told(format!("{name} must be an object, e.g. {{\"title\": \"Guide\"}}, not {given}."))
        };
        value.as_object().map(Some).ok_or_else(refused)
    }

    /// A list of texts.
    pub(crate) fn texts(&self, name: &str) -> Result<Option<Vec<&str>>, Failure> {
        let Some(value) = self.0.get(name) else { return Ok(None) };
        let texts = value.as_array().and_then(|list| list.iter().map(Value::as_str).collect());
        let refused = || {
            let given = self.shown(name);
            Failure::told(format!("{name} must be a list of strings, e.g. [\"docs\"], not {given}"))
        };
        texts.map(Some).ok_or_else(refused)
    }

    /// A list of groups of arguments. A text stands for a group that has only this argument.
    pub(crate) fn groups(&self, name: &str, only: &str) -> Result<Option<Vec<Args>>, Failure> {
        let Some(value) = self.0.get(name) else { return Ok(None) };
        let group = |value: &Value| match value {
            Value::Object(object) => Some(Args::new(Some(object.clone()))),
            Value::String(_) => Some(Args(JsonObject::from_iter([(only.to_owned(), value.clone())]))),
            _ => None,
        };
        let groups = value.as_array().and_then(|list| list.iter().map(group).collect());
        let refused = || {
            let given = self.shown(name);
            let text = format!("{name} must be a list of objects like [{{\"{only}\": \"…\"}}], not {given}");
            Failure::told(text)
        };
        groups.map(Some).ok_or_else(refused)
    }

    /// What was given, short enough to repeat.
    fn shown(&self, name: &str) -> String {
        let given = self.0.get(name).map(Value::to_string).unwrap_or_default();
        docent_text::visible_line(&given, MAX_SHOWN)
    }

    /// What makes two calls the same question: every argument but those that page through the answer.
    pub(crate) fn question(&self) -> String {
        let mut question = self.0.clone();
        question.retain(|name, _| name != "cursor" && name != "max_chars");
        question.sort_keys();
        Value::Object(question).to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn args(value: Value) -> Args {
        let Value::Object(object) = value else { panic!("not an object") };
        Args::new(Some(object))
    }

    #[test]
    fn null_is_absent_and_blank_is_missing() {
        let args = args(serde_json::json!({"query": null, "path": "  "}));
        assert_eq!(args.text("query").unwrap(), None);
        assert_eq!(args.required("query").unwrap_err().text(), "query parameter is required");
        assert_eq!(args.required("path").unwrap_err().text(), "path parameter is required");
    }

    #[test]
    fn numbers_are_whole_or_refused() {
        let args = args(serde_json::json!({"a": 3, "b": 3.0, "c": 2.5, "d": "3", "e": 1e300, "f": -1}));
        assert_eq!(args.whole("a").unwrap(), Some(3));
        assert_eq!(args.whole("b").unwrap(), Some(3));
        assert!(args.whole("c").is_err());
        assert!(args.whole("d").is_err());
        assert_eq!(args.whole("e").unwrap(), Some(i64::MAX));
        assert_eq!(args.whole("f").unwrap(), Some(-1));
    }

    #[test]
    fn digits_are_numbers_where_the_schema_wants_one() {
        let mut args =
            args(serde_json::json!({"a": "10", "b": "10", "c": "x", "d": "", "e": "99999999999999999999"}));
        let properties = serde_json::json!({
            "a": {"type": "integer"}, "b": {"type": "string"}, "c": {"type": "integer"}, "d": {"type": "integer"},
            "e": {"type": "integer"},
        });
        args.read_digits(&crate::schema::object(properties, &[]));
        assert_eq!((args.whole("a").unwrap(), args.text("b").unwrap()), (Some(10), Some("10")));
        assert!(["c", "d", "e"].iter().all(|name| args.whole(name).is_err()));
    }

    #[test]
    fn what_is_out_of_bounds_is_told_with_the_bounds() {
        let args =
            args(serde_json::json!({"limit": 0, "depth": "x", "far": -0.5, "on": "yes", "names": ["a", 1]}));
        let check = |error: Option<Failure>, expected: &str| assert_eq!(error.unwrap().text(), expected);
        check(
            args.whole_in("limit", 1..=50, 5).err(),
            "limit must be a whole number from 1 to 50, not 0. Leave it out to get 5.",
        );
        check(
            args.whole_in("depth", 0..=i64::MAX, 3).err(),
            "depth must be a whole number of 0 or more, not \"x\". Leave it out to get 3.",
        );
        check(
            args.number_in("far", 0.0..=2.0).err(),
            "far must be a number from 0 to 2, not -0.5. Leave it out to set no limit.",
        );
        check(
            args.flag("on", true).err(),
            "on must be true or false, not \"yes\". Leave it out to get true.",
        );
        check(args.texts("names").err(), "names must be a list of strings, e.g. [\"docs\"], not [\"a\",1]");
        check(
            args.groups("names", "query").err(),
            "names must be a list of objects like [{\"query\": \"…\"}], not [\"a\",1]",
        );
    }

    #[test]
    fn the_question_leaves_out_paging_and_order() {
        let one = args(serde_json::json!({"a": 1, "b": 2, "cursor": "x", "max_chars": 9}));
        let other = args(serde_json::json!({"b": 2, "a": 1}));
        assert_eq!(one.question(), other.question());
    }
}
