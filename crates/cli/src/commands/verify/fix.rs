//! `docent verify --fix`: puts right what has only one answer, after showing it.

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::Path;

use docent_claims::{Genre, Judged, genre};
use serde_json::json;

use super::Report;
use super::args::{Format, VerifyArgs};
use crate::commands::validate::prefix;
use crate::diff;
use crate::edited_file::EditedFile;
use crate::errors::{CliError, Exit};
use crate::numbers::counted;
use crate::printer::Printer;

/// A document with its new text.
struct Edit {
    path: String,
    file: EditedFile,
    new: String,
    places: usize,
}

pub(super) fn run(
    args: &VerifyArgs,
    report: &Report,
    here: &Path,
    printer: &Printer,
) -> Result<Exit, CliError> {
    let mut by_file: BTreeMap<&str, Vec<&Judged>> = BTreeMap::new();
    let certain = |judged: &&Judged| judged.evidence.suggestion.as_ref().is_some_and(|it| it.is_certain);
    for judged in report.findings.iter().filter(certain) {
        by_file.entry(&judged.claim.file).or_default().push(judged);
    }
    let (mut edits, mut failed) = (Vec::new(), Vec::new());
    let root = report.root.canonicalize().ok();
    for (path, findings) in by_file {
        // A folder on the way may be a link to somewhere else.
        let place = report.root.join(path).canonicalize().ok();
        if let (Some(root), Some(place)) = (&root, &place)
            && !place.starts_with(root)
        {
            failed.push((path.to_owned(), "a link leads out of the repository".to_owned()));
            continue;
        }
        let file = match EditedFile::read(&report.root.join(path)) {
            Ok(file) => file,
            Err(CliError::Told { message, hint, .. }) => {
                failed.push((path.to_owned(), format!("{message}: {hint}")));
                continue;
            }
            Err(other) => return Err(other),
        };
        let Some(old) = file.text() else { continue };
        if genre(path, old) == Genre::Generated {
            let reason = "it says that it is generated: change what it is made from";
            failed.push((path.to_owned(), reason.to_owned()));
            continue;
        }
        let (new, places) = replaced(old, &findings);
        if places > 0 {
            edits.push(Edit { path: path.to_owned(), file, new, places });
        }
    }
    let is_json = args.format() == Format::Json;
    let prefix = prefix(&report.root, here);
    if !is_json {
        for edit in &edits {
            printer.view(&diff::unified(&format!("{prefix}{}", edit.path), edit.file.text(), &edit.new))?;
        }
    }
    let is_agreed = is_agreed(args, edits.len(), is_json, printer)?;
    if is_agreed {
        edits.retain(|edit| match edit.file.write(&edit.new) {
            Err(CliError::Told { message, hint, .. }) => {
                failed.push((edit.path.clone(), format!("{message}: {hint}")));
                false
            }
            _ => true,
        });
    }
    let places: usize = edits.iter().map(|edit| edit.places).sum();
    let left = report.findings.len() - places;
    if is_json {
        let changes = edits.iter().map(|edit| {
            let diff = diff::unified(&edit.path, edit.file.text(), &edit.new);
            json!({ "path": edit.path, "places": edit.places, "diff": console::strip_ansi_codes(&diff) })
        });
        let failed = failed.iter().map(|(path, reason)| json!({ "path": path, "reason": reason }));
        printer.json(&json!({
            "written": is_agreed,
            "changes": changes.collect::<Vec<_>>(),
            "failed": failed.collect::<Vec<_>>(),
            "left": left,
        }))?;
    } else {
        let word = if is_agreed { "put right" } else { "can be put right" };
        printer.view(&format!(
            "{} {word}, {} left\n",
            counted(places, "finding"),
            counted(left, "finding")
        ))?;
        for (path, reason) in &failed {
            printer.skipped(path, reason);
        }
        if !is_agreed && !edits.is_empty() {
            let is_asked = !is_json && printer.can_ask();
            let how = if is_asked { "" } else { "; --yes writes without asking" };
            printer.note(format_args!("nothing was written{how}"));
        }
    }
    let is_pending = !edits.is_empty() && !is_agreed;
    Ok(if is_pending || !failed.is_empty() { Exit::Problems } else { Exit::Fine })
}

/// The text with what findings suggest, wherever on their line they name it, and how many of them; those whose place does
/// not hold what they name are left.
fn replaced(old: &str, findings: &[&Judged]) -> (String, usize) {
    let is_there =
        |judged: &Judged, span: &Range<usize>| old.get(span.clone()) == Some(judged.claim.named.as_str());
    let mut places: Vec<(&Range<usize>, &str, bool)> = Vec::new();
    for judged in findings {
        let (claim, Some(suggestion)) = (&judged.claim, &judged.evidence.suggestion) else { continue };
        let spans = std::iter::once(&claim.span).chain(&claim.again).enumerate();
        let spans = spans.filter(|(_, span)| is_there(judged, span));
        places.extend(spans.map(|(number, span)| (span, suggestion.replacement.as_str(), number == 0)));
    }
    places.sort_by_key(|(span, ..)| span.start);
    let (mut new, mut at, mut count) = (String::new(), 0, 0);
    for (span, replacement, is_first) in places {
        if let Some(before) = old.get(at..span.start) {
            new.push_str(before);
            new.push_str(replacement);
            (at, count) = (span.end, count + usize::from(is_first));
        }
    }
    new.push_str(old.get(at..).unwrap_or_default());
    (new, count)
}

fn is_agreed(args: &VerifyArgs, files: usize, is_json: bool, printer: &Printer) -> Result<bool, CliError> {
    if files == 0 || args.yes {
        return Ok(files > 0);
    }
    if is_json || !printer.can_ask() {
        return Ok(false);
    }
    printer.ask(&format!("Write these changes to {}?", counted(files, "file")))
}
