//! `ingest_folder`: the files of a folder become documents of a library, each for itself.

use docent_library::{FileReport, FolderRules, Report, Status};
use rmcp::model::JsonObject;
use serde_json::{Value, json};

use super::into::{into, into_parameters};
use super::{answered, required};
use crate::budget::{Budget, Piece};
use crate::call::{Answer, Call, Failure, sentences};
use crate::facets::Facets;
use crate::schema::{arguments, flag, integer, list, object, text};
use crate::table::{Effect, ToolSpec, Toolset};

const DEFAULT_CONCURRENCY: usize = 2;
const MAX_CONCURRENCY: i64 = 8;
/// Most files of one call.
const MAX_FILES: usize = 10_000;
/// Most patterns.
const MAX_PATTERNS: usize = 100;

pub(crate) const TOOL: ToolSpec = ToolSpec {
    name: "ingest_folder",
    toolset: Toolset::Library,
    effect: Effect::Adds,
    title: "Take in a folder",
    description: "Takes every file below a folder that can be converted into a library, each as a document of its own, as \
ingest_file does for one. A file that cannot be converted is reported with the reason and does not stop the others; what has not \
changed since the last time is `skipped`, so calling it again is cheap. Hidden files are passed over. With `include` only files \
that match. Use it for folders of PDFs, Word files and other documents; for a single file use ingest_file. To find what is in them, \
use `search`.",
    input,
    output,
    run,
};

fn input(_: &Facets) -> JsonObject {
    let mut properties = json!({
        "path": text("Path of the folder, absolute or from the project folder, e.g. `papers`."),
    });
    into_parameters(&mut properties);
    properties["max_concurrency"] = json!({
        "type": "integer", "minimum": 1, "maximum": MAX_CONCURRENCY, "default": DEFAULT_CONCURRENCY,
        "description": "Files that are converted at once.",
    });
    properties["include"] = list(
        "Only files whose path below the folder matches one of these, e.g. `[\"**/*.pdf\"]`. Default: all that can be converted.",
        json!({"type": "string"}),
    );
    arguments(properties, &["path"])
}

fn output() -> JsonObject {
    let file = object(
        json!({
            "source": text("Absolute path of the file."),
            "status": {"type": "string", "enum": ["indexed", "replaced", "skipped", "error"], "description": "What came of it."},
            "doc_id": text("Id of the document."),
            "chunk_count": integer("Number of its chunks."),
            "error": text("Why it was not taken in, and what to do."),
        }),
        &["source", "status"],
    );
    let counts = object(
        json!({
            "indexed": integer("New documents."),
            "replaced": integer("Documents that took the place of an older version."),
            "skipped": integer("Documents that are here already, unchanged."),
            "failed": integer("Files that could not be taken in."),
        }),
        &["indexed", "replaced", "skipped", "failed"],
    );
    answered(json!({
        "status": {
            "type": "string", "enum": ["done", "stopped", "error"],
            "description": "done: every file was looked at. stopped: the call was cancelled. error: see `error`.",
        },
        "library": text("Library that they are in."),
        "counts": Value::Object(counts),
        "results": list("Each file: those that failed first, then by path.", Value::Object(file)),
        "notes": list("What a reader should know, e.g. that a limit was reached.", json!({"type": "string"})),
        "truncated": flag("True when `results` leaves files out to keep the answer short; `counts` has all. list_documents lists them."),
    }))
}

fn run(call: &Call<'_>) -> Result<Answer, Failure> {
    let path = required(call, "path", "the path of a folder, e.g. `papers`")?;
    let into = into(call)?;
    let max_concurrency = call.args.whole_in("max_concurrency", 1..=MAX_CONCURRENCY, DEFAULT_CONCURRENCY)?;
    let include: Vec<String> = call.args.texts("include")?.into_iter().flatten().map(str::to_owned).collect();
    if include.len() > MAX_PATTERNS {
        return Err(Failure::told(format!(
            "include has {} patterns and the limit is {MAX_PATTERNS}.",
            include.len()
        )));
    }
    let rules = FolderRules { max_concurrency, include, max_files: MAX_FILES };
    let told = |file: &FileReport| call.work.step(docent_text::visible_line(&file.source, 200));
    let library = call.library()?;
    // Why it could not be counted is told by what follows.
    if let Ok(total) = library.count_folder(path, &rules, &call.work.cancel) {
        call.work.expect(total);
    }
    let report = library.ingest_folder(path, &rules, &into, &told, &call.work.cancel)?;
    Ok(shape(report, &into.library).into())
}

/// The report, with as many files as fit.
fn shape(report: Report, library: &str) -> Value {
    let count = |wanted: Option<Status>| {
        report
            .files
            .iter()
            .filter(|file| file.outcome.as_ref().ok().map(|done| done.status) == wanted)
            .count()
    };
    let mut answer = json!({
        "status": if report.cancelled { "stopped" } else { "done" },
        "library": library,
        "counts": {
            "indexed": count(Some(Status::Indexed)),
            "replaced": count(Some(Status::Replaced)),
            "skipped": count(Some(Status::Skipped)),
            "failed": count(None),
        },
        "results": [],
    });
    if !report.notes.is_empty() {
        answer["notes"] = json!(report.notes);
    }
    let mut files = report.files;
    files.sort_by_key(|file| file.outcome.is_ok());
    let mut budget = Budget::new(None);
    budget.spend(&answer);
    let pieces = files.into_iter().map(|file| Piece { object: shape_file(file), content: None }).collect();
    let fitted = budget.fit(pieces, [0, 0]);
    answer["results"] = fitted.pieces.into_iter().map(|(_, file)| file).collect();
    if fitted.rest.is_some() {
        answer["truncated"] = true.into();
    }
    answer
}

fn shape_file(file: FileReport) -> Value {
    match file.outcome {
        Ok(done) => json!({
            "source": file.source,
            "status": done.status.name(),
            "doc_id": done.doc_id,
            "chunk_count": done.chunk_count,
        }),
        Err(error) => json!({
            "source": file.source,
            "status": "error",
            "error": sentences(error.message, error.hint),
        }),
    }
}

#[cfg(test)]
mod tests {
    use docent_library::{LibraryError, Receipt};

    use super::*;
    use crate::budget::length;

    fn file(source: &str, status: Option<Status>) -> FileReport {
        let receipt = |status| Receipt {
            status,
            doc_id: "id".to_owned(),
            source: source.to_owned(),
            library: "papers".to_owned(),
            chunk_count: 3,
            notes: Vec::new(),
        };
        let error = LibraryError { message: "no text in it".to_owned(), hint: "scan it".to_owned() };
        FileReport { source: source.to_owned(), outcome: status.map(receipt).ok_or(error) }
    }

    #[test]
    fn files_are_counted_and_failures_come_first() {
        let files = vec![
            file("/a.pdf", Some(Status::Indexed)),
            file("/b.pdf", None),
            file("/c.pdf", Some(Status::Skipped)),
        ];
        let answer = shape(Report { files, ..Report::default() }, "papers");
        assert_eq!(answer["counts"], json!({"indexed": 1, "replaced": 0, "skipped": 1, "failed": 1}));
        assert_eq!(answer["status"], "done");
        assert_eq!(
            answer["results"],
            json!([
                {"source": "/b.pdf", "status": "error", "error": "no text in it. Scan it."},
                {"source": "/a.pdf", "status": "indexed", "doc_id": "id", "chunk_count": 3},
                {"source": "/c.pdf", "status": "skipped", "doc_id": "id", "chunk_count": 3},
            ])
        );
        assert!(answer.get("truncated").is_none() && answer.get("notes").is_none());
    }

    #[test]
    fn a_long_report_is_cut_and_counts_all() {
        let files = (0..10_000).map(|number| file(&format!("/folder/{number}.pdf"), Some(Status::Indexed)));
        let report = Report { files: files.collect(), notes: vec!["a limit".to_owned()], cancelled: true };
        let answer = shape(report, "papers");
        assert_eq!(answer["counts"]["indexed"], 10_000);
        assert_eq!((&answer["truncated"], &answer["status"]), (&json!(true), &json!("stopped")));
        assert!(length(&answer) <= crate::budget::DEFAULT_MAX_CHARS);
    }
}
