//! `documents_find_related`: what is like a document, or like a passage of it.

use docent_engine::RelatedRequest;
use rmcp::model::JsonObject;
use serde_json::{Value, json};

use super::hits::{DEFAULT_LIMIT, MAX_LIMIT, bind, hit_schema, limit_parameter, piece};
use super::{
    Missed, answer, answered, collection, collection_parameter, degraded, document_parameter, no_document,
    required,
};
use crate::call::{Answer, Call, Failure};
use crate::facets::Facets;
use crate::schema::{arguments, cursor, list, max_chars, object, stale, text};
use crate::table::{Effect, ToolSpec, Toolset};

pub(crate) const TOOL: ToolSpec = ToolSpec {
    name: "documents_find_related",
    toolset: Toolset::Collections,
    effect: Effect::Reads,
    title: "Find related content",
    description: "Finds passages in all collections that are close in meaning to a document, or to one passage of it (`chunk`). \
Use it to widen what you know around something that you have found; to answer a question, documents_search is better. The document \
itself is left out unless `sameDocument` is true. To read on, use documents_get_section or documents_get_document.",
    input,
    output,
    run,
};

fn input(_: &Facets) -> JsonObject {
    arguments(
        json!({
            "collection": collection_parameter(),
            "document": document_parameter(),
            "chunk": text("A passage to go by, e.g. the `content` of a search result. Default: the whole document."),
            "limit": limit_parameter("Maximum related items."),
            "sameDocument": {
                "type": "boolean", "default": false,
                "description": "Include chunks from the same document.",
            },
            "max_chars": max_chars(),
            "cursor": cursor(),
        }),
        &["collection", "document"],
    )
}

fn output() -> JsonObject {
    let mut source = object(
        json!({
            "collection": text("Collection as it was named in the call."),
            "collectionId": text("Its id, when that is not the name above."),
            "document": text("Document id: its path in the collection."),
            "documentTitle": text("Title of the document."),
            "contentHash": text("BLAKE3 of the document as indexed."),
        }),
        &["collection", "document", "contentHash"],
    );
    source.insert("description".to_owned(), "What was asked about.".into());
    answered(json!({
        "source": source,
        "related": list("Nearest first.", hit_schema("document")),
        "stale": stale(),
        "degraded": degraded(),
    }))
}

fn run(call: &Call<'_>) -> Result<Answer, Failure> {
    answer(related(call))
}

fn related(call: &Call<'_>) -> Result<Value, Missed> {
    let limit = call.args.whole_in("limit", 1..=MAX_LIMIT, DEFAULT_LIMIT)?;
    let same_document = call.args.flag("sameDocument", false)?;
    let chunk = call.args.text("chunk")?.map(str::to_owned);
    if chunk.as_ref().is_some_and(|chunk| chunk.trim().is_empty()) {
        let text =
            "chunk must be a passage of the document, not blank. Leave it out to go by the whole document.";
        return Err(Failure::told(text).into());
    }
    let mut budget = call.budget()?;
    let (id, shown) = collection(call)?;
    let path = required(call, "document", "an id from documents_list_documents")?;
    let within = call.facets.names.ids().to_vec();
    let request =
        RelatedRequest { limit, same_document, chunk, within, ..RelatedRequest::new(id.to_owned(), path) };
    let mut found = call.engine.related(&request).map_err(|error| no_document(call, error))?;
    let mut source = Value::Object(shown.object(id));
    source["document"] = found.path.into();
    source["documentTitle"] = found.title.into();
    source["contentHash"] = found.content_hash.into();
    let mut answer = json!({"source": source, "related": []});
    if found.stale {
        answer["stale"] = true.into();
    }
    if !found.searched.degraded.is_empty() {
        answer["degraded"] = json!(found.searched.degraded);
    }
    budget.spend(&answer);
    call.mark(&mut found.related);
    let state = bind(found.related.iter());
    let pieces = found.related.into_iter().map(|hit| piece(&shown, "document", hit)).collect();
    let fitted = budget.fit(pieces, call.place(&state)?);
    answer["related"] = fitted.pieces.into_iter().map(|(_, hit)| hit).collect();
    call.go_on_at(&mut answer, &state, fitted.rest)?;
    Ok(answer)
}
