//! The `collections` toolset: one file a tool.
//!
//! Collections are called what the caller calls them, else by their alias, else by their id. What is not there is told as
//! an ordinary answer; only what is wrong with the call itself is an error.

pub(crate) mod find_related;
pub(crate) mod get_document;
pub(crate) mod get_outline;
pub(crate) mod get_section;
mod hits;
pub(crate) mod list_collections;
pub(crate) mod list_documents;
pub(crate) mod search;
pub(crate) mod search_batch;
mod shown;

use docent_engine::{Bound, EngineError, ErrorKind, Page};
use rmcp::model::JsonObject;
use serde_json::{Value, json};

use crate::call::{Answer, Call, Failure, Told, sentence};
use crate::schema::{cut_fields, list, object, stale, text};
use shown::Shown;

/// Longest name that an answer repeats, in characters.
const MAX_NAME: usize = 200;
/// How many collections are named to somebody who missed one.
const MAX_NAMED: usize = 30;

/// Why there is no value to answer with.
enum Missed {
    /// It is not there: the agent is told so.
    Told(Told),
    /// The call is wrong, or the index cannot be read.
    Failed(Failure),
}

impl From<Failure> for Missed {
    fn from(failure: Failure) -> Self {
        Self::Failed(failure)
    }
}

impl From<EngineError> for Missed {
    fn from(error: EngineError) -> Self {
        Self::Failed(error.into())
    }
}

fn answer(outcome: Result<Value, Missed>) -> Result<Answer, Failure> {
    match outcome {
        Ok(value) => Ok(value.into()),
        Err(Missed::Told(told)) => Ok(Answer::Told(told)),
        Err(Missed::Failed(failure)) => Err(failure),
    }
}

/// A text that has to be there; the error says where to get it from.
fn required<'a>(call: &'a Call<'_>, name: &str, from: &str) -> Result<&'a str, Failure> {
    call.args.required(name).map_err(|failure| Failure::told(format!("{}: {from}", failure.text())))
}

/// The collection that the call names, with its id.
fn collection<'a>(call: &'a Call<'_>) -> Result<(&'a str, Shown<'a>), Missed> {
    let name = required(call, "collection", "a name from documents_list_collections")?;
    let shown =
        Shown::of(&call.facets.names, &[name]).map_err(|name| Missed::Told(no_collection(call, name)))?;
    let [id] = shown.ids() else { return Err(Missed::Told(no_collection(call, name))) };
    Ok((id, shown))
}

/// The document that the call names, in a collection.
fn document(call: &Call<'_>, id: &str) -> Result<Page, Missed> {
    let name = required(call, "document", "an id from documents_list_documents")?;
    call.engine.page(&[id.to_owned()], name).map_err(|error| no_document(call, error))
}

/// What to say to somebody who named a collection that is not there.
fn no_collection(call: &Call<'_>, name: &str) -> Told {
    let names = &call.facets.names;
    let known: Vec<&str> = names.ids().iter().map(|id| names.alias(id).unwrap_or(id)).collect();
    let more = known.len().saturating_sub(MAX_NAMED);
    let next = match known.get(..MAX_NAMED).unwrap_or(&known) {
        [] => "There are none yet.".to_owned(),
        first if more > 0 => format!("The collections are: {}, and {more} more.", first.join(", ")),
        first => format!("The collections are: {}.", first.join(", ")),
    };
    let hint = call.not_here_yet(name).unwrap_or_default() + &next;
    Told { message: format!("Collection \"{}\" not found.", line(name)), hint }
}

/// What to say when the engine did not find the document that the call names.
fn no_document(call: &Call<'_>, error: EngineError) -> Missed {
    if error.kind != ErrorKind::NotFound {
        return error.into();
    }
    let given = |name: &str| call.args.text(name).ok().flatten().map(line).unwrap_or_default();
    let message =
        format!("Document \"{}\" not found in collection \"{}\".", given("document"), given("collection"));
    let hint = match error.hint.is_empty() {
        true => "Use documents_list_documents to see the documents of a collection.".to_owned(),
        false => sentence(error.hint),
    };
    Missed::Told(Told { message, hint })
}

fn line(text: &str) -> String {
    docent_text::visible_line(text, MAX_NAME)
}

/// The schema of an answer. Nothing in it is required, because what is not there is told in its `message`.
fn answered(mut properties: Value) -> JsonObject {
    cut_fields(&mut properties);
    properties["message"] =
        text("Said instead of everything else when there is no such collection, document or section.");
    properties["hint"] = text("With a message: what there is instead, or what to do next.");
    object(properties, &[])
}

/// The schema of an answer about one document.
fn about_document(rest: Value) -> JsonObject {
    let mut properties = json!({
        "collection": text("Collection as it was named in the call."),
        "collectionId": text("Its id, when that is not the name above."),
        "document": text("Document id: its path in the collection."),
    });
    if let (Some(properties), Value::Object(rest)) = (properties.as_object_mut(), rest) {
        properties.extend(rest);
    }
    properties["contentHash"] =
        text("BLAKE3 of the document as indexed: cite it to prove which version was read.");
    properties["commit"] = text("Commit that the working tree is at; absent outside a git repository.");
    properties["stale"] = stale();
    answered(properties)
}

/// What every answer about one document says last.
fn put_version(answer: &mut Value, page: &Page) {
    answer["contentHash"] = page.content_hash.as_str().into();
    if let Some(commit) = &page.commit {
        answer["commit"] = commit.as_str().into();
    }
    if page.stale {
        answer["stale"] = true.into();
    }
}

/// An answer with as much of its content as fits.
fn with_content(call: &Call<'_>, answer: Value, content: String, state: &Bound) -> Result<Value, Missed> {
    Ok(call.with_content(call.budget()?, answer, content, state)?)
}

fn collection_parameter() -> Value {
    text("Collection name or alias, from documents_list_collections.")
}

fn document_parameter() -> Value {
    text("Document ID: its path in the collection, e.g. `guides/retries.md`.")
}

fn degraded() -> Value {
    list(
        "What makes the answer less than it could be, e.g. files still being indexed.",
        json!({"type": "string"}),
    )
}
