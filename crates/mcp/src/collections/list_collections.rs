//! `documents_list_collections`: what collections there are.

use docent_engine::{CatalogueEntry, split_version};
use rmcp::model::JsonObject;
use serde_json::{Value, json};

use super::shown::Shown;
use super::{MAX_NAMED, Missed, answer, answered};
use crate::call::{Answer, Call, Failure};
use crate::facets::Facets;
use crate::schema::{arguments, cursor, integer, list, max_chars, object, text};
use crate::table::{Effect, ToolSpec, Toolset};

/// Longest description that leaves the index, in characters.
const MAX_DESCRIPTION: usize = 1_000;
/// Longest version, source or revision.
const MAX_FACT: usize = 200;

pub(crate) const TOOL: ToolSpec = ToolSpec {
    name: "documents_list_collections",
    toolset: Toolset::Collections,
    effect: Effect::Reads,
    title: "List the collections",
    description: "Lists the collections of documents with their size, what each is about and which version it documents. Use it \
to choose where to look; to find an answer, documents_search looks in all collections at once, and documents_list_documents \
shows what is in one.",
    input,
    output,
    run,
};

fn input(_: &Facets) -> JsonObject {
    arguments(json!({"max_chars": max_chars(), "cursor": cursor()}), &[])
}

fn output() -> JsonObject {
    let collection = object(
        json!({
            "collection": text("Name or alias: the argument of the other tools."),
            "collectionId": text("Its id, when that is not the name above, e.g. `react@19`."),
            "documentCount": integer("Number of documents."),
            "description": text("What it is about."),
            "version": text("Which version of what it documents."),
            "chunkCount": integer("Number of chunks: the units that a search returns."),
            "source": text("Where it was fetched from; absent for a folder that is read where it is."),
            "revision": text("What was fetched: a commit or a hash."),
        }),
        &["collection", "documentCount", "chunkCount"],
    );
    answered(json!({
        "collections": list("By id.", Value::Object(collection)),
        "degraded": list("Collections that are listed and not here yet, and how to get them.", json!({"type": "string"})),
    }))
}

fn run(call: &Call<'_>) -> Result<Answer, Failure> {
    answer(collections(call))
}

fn collections(call: &Call<'_>) -> Result<Value, Missed> {
    let shown = Shown::unnamed(&call.facets.names);
    let (entries, state) = call.catalogue()?;
    let mut answer = json!({"collections": []});
    let absent = absent(call)?;
    if !absent.is_empty() {
        answer["degraded"] = absent.into();
    }
    let items = entries.into_iter().map(|entry| shape(&shown, entry).into()).collect();
    Ok(call.list(call.budget()?, answer, "collections", items, &state)?.answer)
}

/// What is listed and not here yet.
fn absent(call: &Call<'_>) -> Result<Vec<String>, Missed> {
    let absent = call.engine.absent()?;
    let tell = |id: &String| {
        let id = docent_text::visible_line(id, MAX_FACT);
        format!("collection `{id}` is not here yet; `docent sync {id}` fetches it")
    };
    let mut told: Vec<String> = absent.ids().iter().take(MAX_NAMED).map(tell).collect();
    let more = absent.ids().len() - told.len();
    if more > 0 {
        told.push(format!("{more} more collections are not here yet; `docent sync` fetches them"));
    }
    Ok(told)
}

fn shape(shown: &Shown<'_>, entry: CatalogueEntry) -> Value {
    let version = entry.card.version.or_else(|| split_version(&entry.name).1.map(str::to_owned));
    let mut object = shown.object(&entry.name);
    object.insert("documentCount".to_owned(), entry.documents.into());
    // These are the words of whoever wrote the collection.
    let mut put = |name: &str, said: Option<String>, limit: usize| {
        let said = said.map(|said| docent_text::visible_line(&said, limit)).filter(|said| !said.is_empty());
        if let Some(said) = said {
            object.insert(name.to_owned(), said.into());
        }
    };
    put("description", entry.card.description, MAX_DESCRIPTION);
    put("version", version, MAX_FACT);
    put("source", entry.card.source, MAX_FACT);
    put("revision", entry.card.revision, MAX_FACT);
    object.insert("chunkCount".to_owned(), entry.chunks.into());
    Value::Object(object)
}
