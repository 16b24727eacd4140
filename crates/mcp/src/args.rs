//! The arguments of a tool call, read one by one with errors that say what to send instead.

use rmcp::model::JsonObject;
use serde_json::Value;

use crate::call::Failure;

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
    fn the_question_leaves_out_paging_and_order() {
        let one = args(serde_json::json!({"a": 1, "b": 2, "cursor": "x", "max_chars": 9}));
        let other = args(serde_json::json!({"b": 2, "a": 1}));
        assert_eq!(one.question(), other.question());
    }
}
