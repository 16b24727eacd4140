//! Jupyter notebooks: texts as they are, code in fences, printed results below it.

use serde_json::Value;

use crate::document::Draft;
use crate::{ConvertError, Converted, Format, Source, data, text};

/// Lines and bytes that are kept of one output.
const OUTPUT_LINES: usize = 40;
const OUTPUT_BYTES: usize = 4_000;

/// Converts a notebook.
pub(crate) fn convert(file: Source<'_>) -> Result<Converted, ConvertError> {
    let source = file.text();
    if data::is_too_large(&source) {
        return Err(ConvertError::too_large("the notebook has too many values"));
    }
    let notebook: Value = serde_json::from_str(&source)
        .map_err(|error| ConvertError::damaged(format_args!("the notebook is not JSON: {error}")))?;
    let metadata = notebook.get("metadata");
    let stated = |path: [&str; 2]| metadata?.get(path[0])?.get(path[1])?.as_str();
    let language =
        stated(["kernelspec", "language"]).or_else(|| stated(["language_info", "name"])).unwrap_or("python");
    // Version 3 of the format has its cells on sheets.
    let sheets = notebook.get("worksheets").and_then(Value::as_array).into_iter().flatten();
    let cells = std::iter::once(&notebook).chain(sheets);
    let cells = cells.filter_map(|part| part.get("cells")?.as_array()).flatten();
    let mut draft = Draft::default();
    if let Some(title) = metadata.and_then(|metadata| metadata.get("title")?.as_str()) {
        draft.set_title(title);
    }
    for (number, cell) in (1_usize..).zip(cells) {
        let source = cell.get("source").or_else(|| cell.get("input")).map(joined).unwrap_or_default();
        let kind = cell.get("cell_type").and_then(Value::as_str).unwrap_or("raw");
        if source.trim().is_empty() && kind != "code" {
            continue;
        }
        draft.origin(None, Some(&format!("cell {number}")));
        match kind {
            "markdown" => draft.block(&source),
            "heading" => {
                let level = cell.get("level").and_then(Value::as_u64).unwrap_or(1);
                draft.heading(usize::try_from(level).unwrap_or(1), &source);
            }
            "code" => {
                if !source.trim().is_empty() {
                    draft.code(language, &source);
                }
                for output in cell.get("outputs").and_then(Value::as_array).into_iter().flatten() {
                    write_output(&mut draft, output);
                }
            }
            _ => draft.code("", &source),
        }
    }
    draft.finish(Format::Notebook, file.limits)
}

/// What a cell printed; pictures and widgets have no text.
fn write_output(draft: &mut Draft, output: &Value) {
    let data = output.get("data").and_then(|data| data.get("text/plain"));
    let message = || {
        let name = output.get("ename")?.as_str()?;
        Some(format!("{name}: {}", output.get("evalue").and_then(Value::as_str).unwrap_or_default()))
    };
    let shown = output.get("text").or(data).map(joined).or_else(message).unwrap_or_default();
    let shown = text::printable(&without_colours(&shown));
    if shown.trim().is_empty() {
        if output.get("data").is_some() {
            draft.note("outputs without text, such as pictures, were left out");
        }
        return;
    }
    let mut kept = String::new();
    for (number, line) in shown.trim_end().lines().enumerate() {
        if number >= OUTPUT_LINES || kept.len() + line.len() > OUTPUT_BYTES {
            kept.push('…');
            draft.note("long outputs were cut");
            break;
        }
        kept.push_str(line);
        kept.push('\n');
    }
    draft.code("text", &kept);
}

/// A text that is stored in one piece or line by line.
fn joined(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(lines) => lines.iter().filter_map(Value::as_str).collect(),
        _ => String::new(),
    }
}

/// Text without the escape sequences that colour it.
fn without_colours(text: &str) -> String {
    let mut parts = text.split("\u{1b}[");
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let end = part.find(|char: char| char.is_ascii_alphabetic()).map_or(0, |at| at + 1);
        out.push_str(part.get(end..).unwrap_or_default());
    }
    out
}
