//! Pages whose authors say how they are cut and labelled, and how a client sees what came of it.

use serde_json::{Value, json};

use crate::client::Client;
use crate::world::World;

/// The name of a manifest.
pub(crate) const MANIFEST: &str = ".docs-mcp.json";

/// One heading of each level from one to four.
pub(crate) const LEVELS: &str =
    "# Guide\n\ntop\n\n## Auth\n\nauth\n\n### Token\n\ntoken\n\n#### Scope\n\nscope\n";

/// The ids of [`LEVELS`] under a path, from the page's first heading to its deepest.
const LEVEL_IDS: [&str; 4] = ["guide", "guide/auth", "guide/auth/token", "guide/auth/token/scope"];

/// A manifest's text.
pub(crate) fn manifest(mut fields: Value) -> String {
    fields["version"] = json!("1");
    fields.to_string()
}

/// A manifest that says only where to cut.
pub(crate) fn cut_at(chunk_by: &str) -> String {
    manifest(json!({"strategy": {"chunk_by": chunk_by}}))
}

/// The ids that [`LEVELS`] has when it is cut so.
pub(crate) fn level_ids(path: &str, chunk_by: &str) -> Vec<String> {
    let count = match chunk_by {
        "file" => return vec![path.to_owned()],
        "h1" => 1,
        "h2" => 2,
        "h3" => 3,
        _ => 4,
    };
    LEVEL_IDS[..count].iter().map(|id| format!("{path}#{id}")).collect()
}

/// The chunks of a page as `get_page` lists them.
pub(crate) fn chunks(client: &mut Client, path: &str) -> Vec<Value> {
    client.call("get_page", json!({"file_path": path}))["chunks"].as_array().unwrap().clone()
}

/// The chunk ids of a page.
pub(crate) fn page_ids(client: &mut Client, path: &str) -> Vec<String> {
    texts_of(&chunks(client, path), "chunk_id")
}

/// The breadcrumbs of a page's chunks.
pub(crate) fn breadcrumbs(client: &mut Client, path: &str) -> Vec<String> {
    texts_of(&chunks(client, path), "heading_path")
}

/// What stands in the chunks of a page.
pub(crate) fn contents(client: &mut Client, path: &str) -> Vec<String> {
    texts_of(&chunks(client, path), "content")
}

fn texts_of(chunks: &[Value], field: &str) -> Vec<String> {
    chunks.iter().map(|chunk| chunk[field].as_str().unwrap().to_owned()).collect()
}

/// The ids of one page that nobody but its own text speaks of.
pub(crate) fn ids_of(path: &str, text: &str) -> Vec<String> {
    page_ids(&mut World::quiet(&[(path, text)]).client(), path)
}

/// Fails unless a page among these files has these chunks.
pub(crate) fn check_page(files: &[(&str, &str)], path: &str, expected: &[&str]) {
    assert_eq!(page_ids(&mut World::quiet(files).client(), path), expected, "{files:?}");
}

/// The facets that a page carries, as its first chunk tells them.
pub(crate) fn facet(client: &mut Client, path: &str, key: &str) -> Value {
    client.call("get_doc", json!({"chunk_id": path}))["metadata"][key].clone()
}

/// The ids of all hits, one page of the answer after the other.
pub(crate) fn all_hits(client: &mut Client, mut arguments: Value) -> Vec<Value> {
    let mut hits = Vec::new();
    loop {
        let answer = client.call("search_docs", arguments.clone());
        hits.extend(answer["results"].as_array().unwrap().iter().cloned());
        assert!(hits.len() < 1_000, "it never ends: {arguments}");
        arguments["cursor"] = answer["next_cursor"].clone();
        if arguments["cursor"].is_null() {
            return hits;
        }
    }
}
