//! Every document as a resource, and completion of its address.

use docent_engine::{Bound, Engine, EngineError, ErrorKind, Got};
use rmcp::ErrorData;
use rmcp::model::{
    Annotations, CacheScope, ListResourceTemplatesResult, ListResourcesResult, ReadResourceResult, Resource,
    ResourceContents, ResourceTemplate,
};
use serde_json::json;

use crate::uri;

/// Resources in one answer.
const PAGE: usize = 500;
/// Completions in one answer.
const MAX_COMPLETIONS: usize = 100;
/// Longest title that leaves the index.
const MAX_TITLE_CHARS: usize = 200;
const MARKDOWN: &str = "text/markdown";

/// One page of the list.
pub(crate) fn list(
    engine: &Engine,
    scope: &[String],
    caller: &str,
    cursor: Option<&str>,
) -> Result<ListResourcesResult, ErrorData> {
    let mut entries = engine.entries(scope).map_err(internal)?;
    let about = engine.about(scope).map_err(internal)?;
    // The authors may have named those that matter most.
    entries.sort_by_key(|entry| !about.is_resource(&entry.facets));
    let asked = Bound::default().with("list", "resources").with("caller", caller);
    let mut state = Bound::default();
    for entry in &entries {
        state.add(&entry.collection, &entry.path);
    }
    let first = match cursor {
        None => 0,
        Some(cursor) => {
            let [first, _] = engine.unseal(&asked, &state, cursor).map_err(|error| {
                ErrorData::invalid_params(format!("{}; list again without a cursor", error.message), None)
            })?;
            usize::try_from(first).unwrap_or(usize::MAX)
        }
    };
    let page = entries.iter().skip(first).take(PAGE).map(|entry| {
        let line = |text: &str| docent_text::visible_line(text, MAX_TITLE_CHARS);
        let mut resource = Resource::new(uri::of_page(&entry.collection, &entry.path), line(&entry.path))
            .with_description(format!("A page of the collection {}.", line(&entry.collection)))
            .with_title(line(&entry.title))
            .with_mime_type(MARKDOWN)
            .with_size(entry.size);
        let mut annotations = Annotations::default();
        annotations.last_modified = entry.last_modified.parse().ok();
        annotations.priority = about.is_resource(&entry.facets).then_some(1.0);
        resource.annotations = Some(annotations);
        resource
    });
    let mut result = ListResourcesResult::with_all_items(page.collect());
    if first.saturating_add(PAGE) < entries.len() {
        let place = [(first + PAGE) as u64, 0];
        result.next_cursor = Some(engine.seal(&asked, &state, place).map_err(internal)?);
    }
    Ok(result.with_ttl_ms(0).with_cache_scope(CacheScope::Private))
}

/// The templates.
pub(crate) fn templates() -> ListResourceTemplatesResult {
    let page = ResourceTemplate::new(uri::PAGE_TEMPLATE, "page")
        .with_title("A page of the documentation")
        .with_description("The whole page, as Markdown. `collection` and `path` can be completed.")
        .with_mime_type(MARKDOWN);
    let section = ResourceTemplate::new(uri::SECTION_TEMPLATE, "section")
        .with_title("A section of a page")
        .with_description("One section by its id (`guide/set-up`), as Markdown. `section` can be completed.")
        .with_mime_type(MARKDOWN);
    let templates = ListResourceTemplatesResult::with_all_items(vec![page, section]);
    templates.with_ttl_ms(3_600_000).with_cache_scope(CacheScope::Public)
}

/// The text behind an address.
pub(crate) fn read(engine: &Engine, scope: &[String], given: &str) -> Result<ReadResourceResult, ErrorData> {
    let missing = |reason: &str| {
        ErrorData::resource_not_found(format!("Resource not found: {reason}"), Some(json!({"uri": given})))
    };
    let address = uri::read(given).ok_or_else(|| missing("an address is docent://COLLECTION/PATH"))?;
    let names = engine.names(scope).map_err(internal)?;
    let Some(collection) = names.resolve(&address.collection).map(str::to_owned) else {
        return Err(missing(&format!("there is no such collection; there are: {}", names.ids().join(", "))));
    };
    let target = match &address.section {
        Some(section) => format!("{}#{section}", address.path),
        None => address.path,
    };
    let text = match engine.get(&[collection], &target) {
        Ok(Got::Page(page)) => page.text,
        Ok(Got::Section(section)) => section.content,
        Err(error) if error.kind == ErrorKind::NotFound => return Err(missing(&error.message)),
        Err(error) => return Err(internal(error)),
    };
    let contents = ResourceContents::text(text, given).with_mime_type(MARKDOWN);
    Ok(ReadResourceResult::new(vec![contents]).with_ttl_ms(0).with_cache_scope(CacheScope::Private))
}

/// Values of an address's part that go on from what was typed; the flag says whether there are more.
pub(crate) fn complete(
    engine: &Engine,
    scope: &[String],
    part: &str,
    typed: &str,
    known: impl Fn(&str) -> Option<String>,
) -> Result<(Vec<String>, usize), EngineError> {
    let mut collections = engine.collections()?;
    collections.retain(|name| scope.is_empty() || scope.contains(name));
    if let Some(named) = known("collection") {
        collections.retain(|name| *name == named);
    }
    if collections.is_empty() {
        return Ok((Vec::new(), 0));
    }
    let mut all: Vec<String> = match part {
        "collection" => collections,
        "path" => engine.entries(&collections)?.into_iter().map(|entry| entry.path).collect(),
        "section" => match known("path") {
            Some(path) => {
                let page = engine.page(&collections, &path)?;
                let section = |id: &str| id.get(page.file_path.len() + 1..).map(str::to_owned);
                page.chunks.iter().filter_map(|chunk| section(&chunk.chunk_id)).collect()
            }
            None => Vec::new(),
        },
        _ => Vec::new(),
    };
    let typed = typed.to_lowercase();
    // What starts with the typed text comes before what merely contains it.
    let rank = |value: &str| match value.to_lowercase() {
        value if value.starts_with(&typed) => 0,
        value if value.contains(&typed) => 1,
        _ => 2,
    };
    all.retain(|value| rank(value) < 2);
    all.sort_by_cached_key(|value| rank(value));
    let total = all.len();
    all.truncate(MAX_COMPLETIONS);
    Ok((all, total))
}

pub(crate) fn internal(error: EngineError) -> ErrorData {
    ErrorData::internal_error(format!("{} ({})", error.message, error.hint), None)
}
