//! `ingest_file`: a local file becomes a document of a library.

use rmcp::model::JsonObject;
use serde_json::json;

use super::into::{into, into_parameters, receipt, receipt_schema};
use super::required;
use crate::call::{Answer, Call, Failure};
use crate::facets::Facets;
use crate::schema::{arguments, text};
use crate::table::{Effect, ToolSpec, Toolset};

pub(crate) const TOOL: ToolSpec = ToolSpec {
    name: "ingest_file",
    toolset: Toolset::Library,
    effect: Effect::Adds,
    title: "Take in a file",
    description: "Converts a local file (PDF, Word, HTML, EPUB, spreadsheets, slides, notebooks, Markdown and other text) to \
Markdown and takes it into a library; it can be searched as soon as this answers, and results of paged formats name the page. Only \
files below the project folder and other allowed folders can be read. The same file again is `skipped` when it has not changed and \
`replaced`, under the same `doc_id`, when it has; when the new version cannot be converted, the old one stays.\n\
For a folder use ingest_folder, for a web page ingest_url, for a text that you have at hand ingest_content. To find what is in it, \
use `search`.",
    input,
    output: receipt_schema,
    run,
};

fn input(_: &Facets) -> JsonObject {
    let mut properties = json!({"path": text("Path of the file, absolute or from the project folder, e.g. `papers/attention.pdf`.")});
    into_parameters(&mut properties);
    arguments(properties, &["path"])
}

fn run(call: &Call<'_>) -> Result<Answer, Failure> {
    let path = required(call, "path", "the path of a file, e.g. `papers/attention.pdf`")?;
    let into = into(call)?;
    Ok(receipt(call.library()?.ingest_file(path, &into, &call.work.cancel)?).into())
}
