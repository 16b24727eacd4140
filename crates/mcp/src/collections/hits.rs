//! How the search tools of this set ask, and how they show what was found.

use docent_engine::{Bound, Filter, Mode, SearchHit, SearchRequest};
use docent_text::strip_part;
use serde_json::{Map, Value, json};

use super::shown::Shown;
use crate::budget::Piece;
use crate::call::{Call, Failure};
use crate::decimal::decimal;
use crate::schema::{flag, integer, list, nullable, number, object, text};
use crate::verification::{verification, verified_only};

/// Results of a search when nothing is said.
pub(super) const DEFAULT_LIMIT: usize = 5;
/// Most results of a search.
pub(super) const MAX_LIMIT: i64 = 50;
/// The largest distance there is: opposite meaning.
const MAX_DISTANCE: f64 = 2.0;

/// How to search, whatever for.
pub(super) struct How {
    limit: usize,
    max_distance: Option<f32>,
    mode: Mode,
    /// What was verified, when that is all that is wanted.
    narrowed: Filter,
}

impl How {
    pub(super) fn of(call: &Call<'_>) -> Result<Self, Failure> {
        let args = &call.args;
        let mut narrowed = Filter::default();
        call.narrow(&mut narrowed)?;
        Ok(Self {
            limit: args.whole_in("limit", 1..=MAX_LIMIT, DEFAULT_LIMIT)?,
            max_distance: args.number_in("maxDistance", 0.0..=MAX_DISTANCE)?.map(|distance| distance as f32),
            mode: if args.flag("hybridSearch", true)? { Mode::Hybrid } else { Mode::Semantic },
            narrowed,
        })
    }

    /// A search for `query` in the collections that were named, else in all.
    pub(super) fn request(&self, call: &Call<'_>, query: &str, shown: &Shown<'_>) -> SearchRequest {
        let named: Vec<String> = shown.ids().iter().map(|id| (*id).to_owned()).collect();
        let collections = if named.is_empty() { call.facets.names.ids().to_vec() } else { named };
        let mut request = SearchRequest::new(query);
        request.top_k = self.limit;
        request.max_distance = self.max_distance;
        request.mode = self.mode;
        request.caller.clone_from(&call.caller.name);
        request.filter = Filter { collections: Some(collections), ..self.narrowed.clone() };
        request
    }
}

/// The parameters of [`How`].
pub(super) fn how_parameters(properties: &mut Value) {
    properties["limit"] = limit_parameter("Maximum results (per query).");
    properties["maxDistance"] = json!({
        "type": "number", "minimum": 0, "maximum": MAX_DISTANCE,
        "description": "Only results within this cosine distance of the query: 0 is the same meaning, 1 is unrelated.",
    });
    properties["hybridSearch"] = json!({
        "type": "boolean", "default": true,
        "description": "Search by words and meaning together; false goes by meaning alone.",
    });
    properties["verified_only"] = verified_only();
}

pub(super) fn limit_parameter(description: &str) -> Value {
    json!({
        "type": "integer", "minimum": 1, "maximum": MAX_LIMIT, "default": DEFAULT_LIMIT,
        "description": description,
    })
}

pub(super) fn collections_parameter() -> Value {
    list("Limit to these collections, by name or alias. Default: all.", json!({"type": "string"}))
}

/// A hit; `id_key` is what the tool calls the id of its document.
pub(super) fn piece(shown: &Shown<'_>, id_key: &str, hit: SearchHit) -> Piece {
    let about = hit.metadata;
    let mut object = shown.object(&about.collection);
    let mut put = |name: &str, value: Value| object.insert(name.to_owned(), value);
    put(id_key, about.file_path.into());
    put("documentTitle", about.title.into());
    if let Some(heading) = section_heading(&about.heading_path, about.heading_level) {
        put("sectionHeading", heading.into());
    }
    put("content", "".into());
    put("relevanceScore", decimal(hit.score.clamp(0.0, 1.0)));
    put("distance", hit.similarity.map_or(Value::Null, |cosine| decimal((1.0 - cosine).clamp(0.0, 2.0))));
    put("chunkIndex", about.chunk_index.into());
    put("totalChunks", about.total_chunks.into());
    put("startLine", about.start_line.into());
    put("endLine", about.end_line.into());
    if about.page > 0 {
        put("page", about.page.into());
    }
    put("chunkId", hit.chunk_id.into());
    put("contentHash", about.content_hash.into());
    if let Some(commit) = about.commit {
        put("commit", commit.into());
    }
    if !hit.variants.is_empty() {
        put("variants", json!(hit.variants));
    }
    if let Some(verification) = hit.verification {
        put("verification", verification);
    }
    if hit.stale {
        put("stale", true.into());
    }
    Piece { object: Value::Object(object), content: Some(hit.content) }
}

/// What a cursor of an answer with these hits is bound to.
pub(super) fn bind<'h>(hits: impl Iterator<Item = &'h SearchHit>) -> Bound {
    let mut state = Bound::default();
    for hit in hits {
        state.add(&hit.chunk_id, &hit.metadata.content_hash);
    }
    state
}

/// The heading that the chunk stands under: the end of its breadcrumb, without the numbers of parts and repetitions.
fn section_heading(breadcrumb: &str, level: u8) -> Option<&str> {
    if level == 0 {
        return None;
    }
    let breadcrumb = strip_part(breadcrumb);
    let heading = breadcrumb.rsplit(" > ").next().unwrap_or(breadcrumb);
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let repeated = heading.strip_suffix(']').and_then(|rest| rest.rsplit_once(" ["));
    Some(repeated.filter(|(_, number)| is_number(number)).map_or(heading, |(heading, _)| heading))
}

/// The schema of a hit.
pub(super) fn hit_schema(id_key: &str) -> Value {
    let mut properties = json!({
        "collection": text("Name or alias of the collection."),
        "collectionId": text("Its id, when that is not the name above."),
    });
    properties[id_key] = text("Document id: its path in the collection.");
    let rest = json!({
        "documentTitle": text("Title of the document."),
        "sectionHeading": text("Nearest heading above the content: the `section` of documents_get_section. Absent before the first heading."),
        "content": text("Raw Markdown of the chunk."),
        "relevanceScore": number("Relevance from 0 to 1, best first."),
        "distance": nullable(number("Cosine distance, 0 to 2; null while the chunk has no vector.")),
        "chunkIndex": integer("Position of the chunk in the document, from 1."),
        "totalChunks": integer("Chunks of the document."),
        "startLine": integer("First line in the document, from 1."),
        "endLine": integer("Last line in the document, inclusive."),
        "page": integer("Page of the source that it stands on, from 1; absent where there are none."),
        "chunkId": text("Id of the chunk, e.g. `guides/retries.md#retries/backoff`."),
        "contentHash": text("BLAKE3 of the document as indexed."),
        "commit": text("Commit that the working tree is at; absent outside a git repository."),
        "variants": list("The same passage in sibling documents, folded into this one.", text("Its chunkId.")),
        "verification": verification(),
        "stale": flag("True when the file has changed and could not be read again in time."),
        "truncated": flag("True when this is only a part of the content."),
    });
    if let (Some(properties), Value::Object(rest)) = (properties.as_object_mut(), rest) {
        properties.extend(rest);
    }
    let always = ["documentTitle", "content", "relevanceScore", "distance", "chunkIndex", "totalChunks"];
    let lines = ["startLine", "endLine", "chunkId", "contentHash"];
    let required: Vec<&str> = ["collection", id_key].into_iter().chain(always).chain(lines).collect();
    Value::Object(object(properties, &required))
}

/// The schema of what was searched.
pub(super) fn searched_schema() -> Value {
    let mut schema = Map::new();
    schema.insert("type".to_owned(), "object".into());
    let description =
        "What was searched: collections (by id) with sizes, words and vectors used, and `degraded` reasons.";
    schema.insert("description".to_owned(), description.into());
    Value::Object(schema)
}

#[cfg(test)]
mod tests {
    use super::section_heading;

    fn check(breadcrumb: &str, level: u8, expected: Option<&str>) {
        assert_eq!(section_heading(breadcrumb, level), expected, "{breadcrumb}");
    }

    #[test]
    fn the_heading_is_the_end_of_the_breadcrumb() {
        check("Guide > Retries > Backoff", 3, Some("Backoff"));
        check("Guide", 1, Some("Guide"));
        check("Guide > Limits [2]", 2, Some("Limits"));
        check("Guide > Limits [part 1/3]", 2, Some("Limits"));
        check("Guide > Limits [2] [part 1/3]", 2, Some("Limits"));
        check("Guide > Array[T]", 2, Some("Array[T]"));
        check("Guide > Notes [draft]", 2, Some("Notes [draft]"));
        check("(root)", 0, None);
    }
}
