//! One call of a tool: what its handler gets, and what it may answer.

use docent_engine::{Bound, Engine, EngineError, ErrorKind, Place};
use docent_health::{Health, HealthError};
use docent_library::{Library, LibraryError};
use serde_json::{Value, json};

use crate::args::Args;
use crate::budget::{Budget, Piece};
use crate::caller::Caller;
use crate::facets::Facets;
use crate::writing::Work;

/// What a tool's handler works with.
pub(crate) struct Call<'a> {
    /// Name of the tool.
    pub(crate) tool: &'static str,
    /// Does the thinking.
    pub(crate) engine: &'a Engine,
    /// Who asks.
    pub(crate) caller: &'a Caller,
    /// What was given.
    pub(crate) args: Args,
    /// Facets and collections as they stood when the call came in.
    pub(crate) facets: &'a Facets,
    /// Takes documents in.
    pub(crate) library: Option<&'a Library>,
    /// Knows how documents agree with the code.
    pub(crate) health: Option<&'a Health>,
    /// What the caller's program calls itself.
    pub(crate) agent: &'a str,
    /// How the work is stopped and followed, for tools that write.
    pub(crate) work: &'a Work,
}

/// What a tool answers.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Answer {
    /// What its output schema says.
    Value(Value),
    /// That there is no such thing: an ordinary answer and no error. The output schema has a place for both.
    Told(Told),
}

/// What is not there, in the words of the specification, and what to do next.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Told {
    /// That it is not there.
    pub(crate) message: String,
    /// What is there instead.
    pub(crate) hint: String,
}

impl Told {
    /// Both in one line.
    pub(crate) fn line(&self) -> String {
        format!("{} {}", self.message, self.hint)
    }
}

impl From<Value> for Answer {
    fn from(value: Value) -> Self {
        Self::Value(value)
    }
}

/// Why a call gave no result.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Failure {
    /// The agent is told, as a result with `isError`.
    Told(String),
    /// The database does not answer: told as such, and by tools with codes in the words of their specification.
    Unreachable(String),
    /// The client is told, as an error of JSON-RPC.
    Coded {
        /// What kind of error.
        code: i32,
        /// In the words of the specification.
        message: String,
        /// What to do next; empty when the message says it.
        hint: String,
    },
}

/// A parameter is missing or wrong.
pub(crate) const INVALID_PARAMS: i32 = -32602;
/// What is asked cannot be found out.
pub(crate) const INTERNAL: i32 = -32603;
/// What the specification of docs health says when the database does not answer.
const NO_CONNECTION: &str = "Database connection error. Check DOCALIGN_DATABASE_URL.";
/// There is no such thing.
pub(crate) const NOT_FOUND: i32 = -32000;

impl Failure {
    pub(crate) fn told(message: impl Into<String>) -> Self {
        Self::Told(message.into())
    }

    pub(crate) fn text(&self) -> &str {
        match self {
            Self::Told(message) | Self::Unreachable(message) | Self::Coded { message, .. } => message,
        }
    }

    /// An error of JSON-RPC.
    pub(crate) fn coded(code: i32, message: impl Into<String>) -> Self {
        Self::Coded { code, message: message.into(), hint: String::new() }
    }

    /// The same as an error of JSON-RPC, with this code where it has none.
    pub(crate) fn with_code(self, code: i32) -> Self {
        match self {
            Self::Told(message) => Self::coded(code, message),
            Self::Unreachable(hint) => {
                Self::Coded { code: INTERNAL, message: NO_CONNECTION.to_owned(), hint }
            }
            coded => coded,
        }
    }
}

impl From<HealthError> for Failure {
    fn from(error: HealthError) -> Self {
        let message = match &error {
            HealthError::Connection { .. } | HealthError::Newer { .. } => NO_CONNECTION,
            HealthError::Timeout => "Query timed out. Try a more specific search.",
            HealthError::ReadOnly { .. } => "Drift reporting is not available in this version.",
            HealthError::Query { .. } => "Internal database error.",
        };
        Self::Coded { code: INTERNAL, message: message.to_owned(), hint: error.hint().to_owned() }
    }
}

impl From<EngineError> for Failure {
    fn from(error: EngineError) -> Self {
        let is_unreachable = error.kind == ErrorKind::Unreachable;
        let message = sentences(error.message, error.hint);
        if is_unreachable { Self::Unreachable(message) } else { Self::Told(message) }
    }
}

impl From<LibraryError> for Failure {
    fn from(error: LibraryError) -> Self {
        Self::Told(sentences(error.message, error.hint))
    }
}

/// What happened and what to do next, as two sentences.
pub(crate) fn sentences(message: String, hint: String) -> String {
    if hint.is_empty() {
        return message;
    }
    let stop = if message.ends_with(['.', '?', '!']) { "" } else { "." };
    format!("{message}{stop} {}", sentence(hint))
}

/// A hint as a sentence.
pub(crate) fn sentence(mut hint: String) -> String {
    if let Some(first) = hint.get(..1).map(str::to_uppercase) {
        hint.replace_range(..1, &first);
    }
    if !hint.ends_with(['.', '?']) {
        hint.push('.');
    }
    hint
}

impl Call<'_> {
    /// How long the answer may be.
    pub(crate) fn budget(&self) -> Result<Budget, Failure> {
        self.budget_or(None)
    }

    /// As [`Call::budget`], for a tool with a length of its own when nothing is said; 0 is no limit.
    pub(crate) fn budget_or(&self, default: Option<usize>) -> Result<Budget, Failure> {
        match self.args.whole("max_chars")? {
            Some(negative) if negative < 0 => {
                Err(Failure::told("max_chars must be 0 (no limit) or a number of characters"))
            }
            asked => Ok(Budget::new(asked.and_then(|chars| usize::try_from(chars).ok()).or(default))),
        }
    }

    /// The ids of the collections to look in: of the one that was named, else of all that are served.
    pub(crate) fn collections(&self) -> Result<Vec<String>, Failure> {
        let names = &self.facets.names;
        let Some(name) = self.args.text("collection")? else { return Ok(names.ids().to_vec()) };
        if let Some(id) = names.resolve(name) {
            return Ok(vec![id.to_owned()]);
        }
        let next = self.not_here_yet(name).unwrap_or_default();
        let known = names.ids().join(", ");
        let name = docent_text::visible_line(name, 64);
        Err(Failure::told(format!("There is no collection `{name}`. {next}The collections are: {known}.")))
    }

    /// What to say of a collection that the settings list and that was not fetched yet: a sentence and the space after it.
    pub(crate) fn not_here_yet(&self, name: &str) -> Option<String> {
        // An index that cannot be read is told by whatever else the call does.
        let absent = self.engine.absent().ok()?;
        let id = docent_text::visible_line(absent.resolve(name)?, 64);
        Some(format!("It is listed and not here yet: `docent sync {id}` fetches it. "))
    }

    /// Where the answer is to go on, by the call's cursor.
    pub(crate) fn place(&self, state: &Bound) -> Result<Place, Failure> {
        match self.args.text("cursor")? {
            None => Ok([0, 0]),
            Some(cursor) => {
                let place = self.engine.unseal(&self.asked(), state, cursor);
                Ok(place
                    .map_err(|error| EngineError { hint: "call again without a cursor".into(), ..error })?)
            }
        }
    }

    /// Says in `answer` that it was cut, and where it goes on.
    pub(crate) fn go_on_at(
        &self,
        answer: &mut Value,
        state: &Bound,
        place: Option<Place>,
    ) -> Result<(), Failure> {
        if let Some(place) = place {
            answer["truncated"] = Value::Bool(true);
            answer["cursor"] = Value::String(self.engine.seal(&self.asked(), state, place)?);
        }
        Ok(())
    }

    /// An answer with as much of its content as fits.
    pub(crate) fn with_content(
        &self,
        mut budget: Budget,
        answer: Value,
        content: String,
        state: &Bound,
    ) -> Result<Value, Failure> {
        budget.spend(&json!({}));
        let fitted = budget.fit(vec![Piece { object: answer, content: Some(content) }], self.place(state)?);
        let mut answer = fitted.pieces.into_iter().next().map(|(_, part)| part).unwrap_or_default();
        // The last part of something long is not whole, but nothing is left to ask for.
        if let Some(answer) = answer.as_object_mut() {
            answer.remove("truncated");
        }
        self.go_on_at(&mut answer, state, fitted.rest)?;
        Ok(answer)
    }

    /// What takes documents in.
    pub(crate) fn library(&self) -> Result<&Library, Failure> {
        self.library.ok_or_else(|| Failure::told("This index is only read, and takes no documents in."))
    }

    /// What knows how documents agree with the code.
    pub(crate) fn health(&self) -> Result<&Health, Failure> {
        self.health.ok_or_else(|| Failure::coded(INTERNAL, "Docs health is not kept here."))
    }

    fn asked(&self) -> Bound {
        let bound = Bound::default().with("tool", self.tool).with("caller", &self.caller.name);
        bound.with("question", &self.args.question())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_reads_as_two_sentences() {
        let check = |message: &str, hint: &str, expected: &str| {
            assert_eq!(Failure::from(EngineError::usage(message, hint)).text(), expected);
        };
        check("the cursor is old", "search again", "the cursor is old. Search again.");
        check(
            "No page. Use list_pages.",
            "did you mean a.md?",
            "No page. Use list_pages. Did you mean a.md?",
        );
        check("query parameter is required", "", "query parameter is required");
    }
}
