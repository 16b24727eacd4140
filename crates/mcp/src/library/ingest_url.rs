//! `ingest_url`: a page or file of the web becomes a document of a library.

use rmcp::model::JsonObject;
use serde_json::json;

use super::into::{into, into_parameters, receipt, receipt_schema};
use super::required;
use crate::call::{Answer, Call, Failure};
use crate::facets::Facets;
use crate::schema::{arguments, text};
use crate::table::{Effect, ToolSpec, Toolset};

pub(crate) const TOOL: ToolSpec = ToolSpec {
    name: "ingest_url",
    toolset: Toolset::Library,
    effect: Effect::Fetches,
    title: "Take in a web page",
    description: "Fetches a page or file over http or https, converts it to Markdown and takes it into a library; it can be \
searched as soon as this answers. Only public addresses are asked. The same address again is `skipped` when what it serves has not \
changed and `replaced`, under the same `doc_id`, when it has; when it cannot be fetched, what was taken in before stays. One page a \
call: links are not followed.\n\
For a file of this machine use ingest_file, for a text that you have at hand ingest_content. To find what is in it, use `search`.",
    input,
    output: receipt_schema,
    run,
};

fn input(_: &Facets) -> JsonObject {
    let mut properties = json!({"url": text("Address of the page, e.g. `https://example.org/guide.html`.")});
    into_parameters(&mut properties);
    arguments(properties, &["url"])
}

fn run(call: &Call<'_>) -> Result<Answer, Failure> {
    let url = required(call, "url", "an address, e.g. `https://example.org/guide.html`")?;
    let into = into(call)?;
    Ok(receipt(call.library()?.ingest_url(url, &into, &call.work.cancel)?).into())
}
