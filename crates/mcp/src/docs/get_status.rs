//! `get_status`: is everything indexed, fresh and healthy.

use rmcp::model::JsonObject;
use serde_json::{Value, json};

use crate::call::{Answer, Call, Failure};
use crate::facets::Facets;
use crate::schema::{arguments, flag, integer, list, nullable, object, text};
use crate::table::{Effect, ToolSpec, Toolset};

/// Failed files that are named.
const MAX_FAILED: usize = 50;

pub(crate) const TOOL: ToolSpec = ToolSpec {
    name: "get_status",
    toolset: Toolset::Docs,
    effect: Effect::Reads,
    title: "Health of the index",
    description: "Tells whether the documentation index is healthy and up to date: version and uptime, documents and chunks \
indexed, embedding model and how many passages still lack a vector, git HEAD, origin/main and uncommitted changes, the file \
watcher, files that could not be indexed and why, and everything that is degraded. Use it when search_docs misses what should be there or \
says that it is degraded; it is not needed before a search.",
    input,
    output,
    run,
};

fn input(_: &Facets) -> JsonObject {
    arguments(json!({}), &[])
}

fn output() -> JsonObject {
    let server = object(
        json!({
            "version": text("Version of docent."),
            "uptime_seconds": integer("Seconds since the server started."),
            "docs_root": nullable(text("Folder of the documents.")),
        }),
        &["version", "uptime_seconds", "docs_root"],
    );
    let collection = object(
        json!({
            "name": text("Its name."),
            "root": text("Its folder; empty for one that was fetched."),
            "documents": integer("Documents indexed."),
            "chunks": integer("Chunks indexed."),
            "served": flag("Whether this server answers from it; the others belong to somebody else who uses the same index."),
            "description": text("What it is about."),
            "version": text("Which version of what it documents."),
            "source": text("Where it was fetched from."),
            "revision": text("What was fetched: a commit, or a hash."),
            "synced_at": text("When it was fetched, ISO 8601."),
        }),
        &["name", "root", "documents", "chunks", "served"],
    );
    let index = object(
        json!({
            "total_pages": integer("Documents indexed."),
            "total_chunks": integer("Chunks indexed."),
            "last_indexed": nullable(text("When something was last indexed, ISO 8601; null when nothing was.")),
            "db_path": text("Where the index lives; empty for a token that is for some collections only."),
            "db_size_bytes": integer("Its size; 0 for such a token."),
            "collections": list("Everything that the index holds, served here or not.", Value::Object(collection)),
            "read_only": flag("Whether it was built once and never changes; there are no files to watch then."),
            "built": object(
                json!({
                    "at": text("When it was built, ISO 8601."),
                    "commit": nullable(text("Commit of the documents.")),
                    "dirty": nullable(flag("Whether the documents had changes that are not in that commit.")),
                }),
                &["at", "commit", "dirty"],
            ),
        }),
        &["total_pages", "total_chunks", "last_indexed", "db_path", "db_size_bytes"],
    );
    let embedding = object(
        json!({
            "model": text("Name of the model, e.g. `all-MiniLM-L6-v2`; `none` without one."),
            "dimensions": integer("Length of the vectors."),
            "provider": text("`local`, `hash`, `openai` or `none`."),
            "embedded": integer("Passages that have a vector."),
            "pending": integer("Passages that have none yet."),
        }),
        &["model", "dimensions", "provider"],
    );
    let git = object(
        json!({
            "head_commit": nullable(text("Short hash of HEAD.")),
            "origin_main": nullable(text("Short hash of origin/main as last fetched.")),
            "dirty": nullable(flag("Whether the documents have uncommitted changes.")),
        }),
        &["head_commit", "origin_main", "dirty"],
    );
    let watcher = object(
        json!({
            "state": text("`watching`, `off` or `folder missing`."),
            "backlog": integer("Changes that are still to be looked at."),
        }),
        &["state", "backlog"],
    );
    let failed = object(json!({"path": text("The file."), "reason": text("Why.")}), &["path", "reason"]);
    object(
        json!({
            "server": server,
            "index": index,
            "embedding": embedding,
            "git": nullable(Value::Object(git)),
            "watcher": watcher,
            "failed_files": list("Files that could not be indexed; the first 50.", Value::Object(failed)),
            "failed_total": integer("How many could not be indexed."),
            "degraded": list("Everything that is less than it could be.", json!({"type": "string"})),
        }),
        &["server", "index", "embedding", "git", "watcher", "failed_files", "degraded"],
    )
}

fn run(call: &Call<'_>) -> Result<Answer, Failure> {
    let mut status = call.engine.status()?;
    let failed = status.failed_files.len();
    status.failed_files.truncate(MAX_FAILED);
    let mut status = json!(status);
    status["failed_total"] = failed.into();
    for collection in status["index"]["collections"].as_array_mut().into_iter().flatten() {
        let is_it = |id: &String| collection["name"] == id.as_str();
        collection["served"] = call.facets.names.ids().iter().any(is_it).into();
    }
    if call.engine.content_generation()? == 0 {
        // Making an index is a write too, but nothing was indexed by it.
        status["index"]["last_indexed"] = Value::Null;
    }
    let unchecked = call.health().ok().and_then(|health| health.degraded());
    if let (Some(reason), Some(degraded)) = (unchecked, status["degraded"].as_array_mut()) {
        degraded.push(reason.into());
    }
    if status["embedding"].is_null() {
        status["embedding"] =
            json!({"model": "none", "dimensions": 0, "provider": "none", "embedded": 0, "pending": 0});
    }
    Ok(status.into())
}
