//! The `library` toolset: one file a tool.
//!
//! A library is a collection of documents that somebody handed over; its name is the collection's, and `doc_id` is the uuid of a
//! document, which stays the same when the document is replaced. The reading tools cover every collection that is served. What is
//! wrong with a call is told as an ordinary answer with `status` and `error`, so no field of an answer is always there.

pub(crate) mod delete_document;
mod filter;
pub(crate) mod get_document;
pub(crate) mod ingest_content;
pub(crate) mod ingest_file;
pub(crate) mod ingest_folder;
pub(crate) mod ingest_url;
mod into;
pub(crate) mod list_documents;
pub(crate) mod list_libraries;
pub(crate) mod search;
mod seen;
mod times;

use docent_engine::LibraryDocument;
use rmcp::model::JsonObject;
use serde_json::{Value, json};

use crate::call::{Call, Failure};
use crate::schema::{cut_fields, nullable, object, text};

pub(crate) use seen::seen;

/// How many libraries are named to somebody who missed one.
const MAX_NAMED: usize = 30;
/// Longest name that an answer repeats, in characters.
const MAX_NAME: usize = 200;

/// A text that has to be there; the error says what it is.
fn required<'a>(call: &'a Call<'_>, name: &str, what: &str) -> Result<&'a str, Failure> {
    match call.args.text(name)? {
        Some(given) if !given.trim().is_empty() => Ok(given),
        Some(_) => Err(Failure::told(format!("{name} is empty. Give {what}."))),
        None => Err(Failure::told(format!("{name} is required. Give {what}."))),
    }
}

/// The document that the call names. One of a collection that is not served is as good as none.
fn document(call: &Call<'_>) -> Result<(LibraryDocument, String), Failure> {
    let id = required(call, "doc_id", "the `doc_id` of a result of `search` or list_documents")?.trim();
    let found = match call.facets.names.ids() {
        [] => None,
        ids => call.engine.library_document(ids, id)?,
    };
    found.ok_or_else(|| no_document(id))
}

fn no_document(id: &str) -> Failure {
    let id = line(id);
    Failure::told(format!("No document with id {id}. Use list_documents or `search` to see which there are."))
}

/// What to say to somebody who named a library that is not there.
fn no_library(call: &Call<'_>, name: &str) -> String {
    let next = call.not_here_yet(name).unwrap_or_default();
    let known = call.facets.names.ids();
    let first: Vec<String> = known.iter().take(MAX_NAMED).map(|id| line(id)).collect();
    let more = known.len().saturating_sub(first.len());
    let known = match first.as_slice() {
        [] => "There are none yet.".to_owned(),
        first if more > 0 => format!("The libraries are: {}, and {more} more.", first.join(", ")),
        first => format!("The libraries are: {}.", first.join(", ")),
    };
    format!("There is no library `{}`. {next}{known}", line(name))
}

fn line(text: &str) -> String {
    docent_text::visible_line(text, MAX_NAME)
}

/// The schema of an answer. Nothing in it is required, because what is wrong is told in `status` and `error`.
fn answered(mut properties: Value) -> JsonObject {
    if properties.get("status").is_none() {
        properties["status"] = text("`error` when something is wrong, with `error`; absent otherwise.");
    }
    properties["error"] = text("Said instead of everything else: what is wrong, and what to do next.");
    object(properties, &[])
}

/// As [`answered`], for a tool that reads and may cut its answer.
fn read_answer(mut properties: Value) -> JsonObject {
    cut_fields(&mut properties);
    answered(properties)
}

fn doc_id_parameter(description: &str) -> Value {
    text(description)
}

fn library_filter_parameter() -> Value {
    nullable(text("Only this library. Default: all."))
}

fn metadata_field() -> Value {
    json!({"type": "object", "description": "What was said of the document when it was handed over."})
}
