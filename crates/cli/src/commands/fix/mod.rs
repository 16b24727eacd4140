//! `docent fix`: proposes changes, shows them, and writes what is agreed to.
//!
//! `docent_authoring::repair` makes the new texts, `llm` adds a model's proposals, `crate::diff` shows the difference,
//! and `crate::edited_file` puts each text in place unless the file has changed meanwhile.

pub(crate) mod args;
mod llm;

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;

use docent_authoring::{Change, Checked, Proposal, Repair, Severity, repair};
use owo_colors::OwoColorize;
use serde_json::{Value, json};

use self::args::FixArgs;
use super::validate::{JsonFinding, prefix};
use crate::diff;
use crate::edited_file::EditedFile;
use crate::errors::{CliError, Exit};
use crate::printer::{Printer, clean};
use crate::settings::Settings;
use crate::survey::Survey;

pub(super) fn run(
    args: &FixArgs,
    settings: &Settings,
    here: &Path,
    printer: &Printer,
) -> Result<Exit, CliError> {
    let mut survey = Survey::read(settings, &[])?;
    let exists = |root: &Path| {
        let root = root.to_path_buf();
        move |path: &str| root.join(path).exists()
    };
    let mut repaired = repair(&survey.folder, &exists(&survey.root));
    if let (Some(url), Some(model)) = (&args.llm, &args.model) {
        let key = settings.embedding.api_key.value.as_deref();
        let server = llm::Server { url, model, key, pages: args.llm_pages, timeout: args.llm_timeout };
        llm::propose(&server, &mut repaired, &survey.folder, printer)?;
        repaired.checked = repaired.folder.check(&exists(&survey.root));
    }
    let prefix = prefix(&survey.root, here);
    if !args.json {
        printer.view(&table(&repaired.proposals))?;
        for (path, change) in &repaired.changes {
            let shown = format!("{prefix}{path}");
            printer.view(&diff::unified(&shown, change.old.as_deref(), &change.new))?;
        }
    }
    let agreed = agreed(args, repaired.changes.len(), printer)?;
    let mut failed = Vec::new();
    if agreed {
        for (path, change) in &repaired.changes {
            if let Err(reason) = write(&survey.root.join(path), change) {
                failed.push((path.clone(), reason));
            }
        }
        // What is there now is read anew: it is what the next check will see.
        survey = Survey::read(settings, &[])?;
    }
    let checked = if agreed { survey.check() } else { repaired.checked };
    let told = Told { args, prefix: &prefix, written: agreed, failed: &failed };
    told.tell(&survey, &repaired.changes, &repaired.proposals, &checked, printer)?;
    let pending = !repaired.changes.is_empty() && !agreed && !args.dry_run;
    Ok(if pending || !failed.is_empty() { Exit::Problems } else { Exit::Fine })
}

/// Whether the changes are to be written.
fn agreed(args: &FixArgs, changes: usize, printer: &Printer) -> Result<bool, CliError> {
    if changes == 0 || args.dry_run {
        return Ok(false);
    }
    if args.yes {
        return Ok(true);
    }
    if args.json || !printer.can_ask() {
        return Ok(false);
    }
    let files = if changes == 1 { "1 file".to_owned() } else { format!("{changes} files") };
    printer.ask(&format!("Write these changes to {files}?"))
}

/// Writes one file. It must still be what the change was made from.
fn write(path: &Path, change: &Change) -> Result<(), String> {
    let reason = |error: CliError| match error {
        CliError::Told { message, .. } => message,
        CliError::OutputClosed => "the output was closed".to_owned(),
    };
    let file = EditedFile::read(path).map_err(reason)?;
    if file.text() != change.old.as_deref() {
        return Err(format!("{} has changed in the meantime; it was not written", path.display()));
    }
    file.write(&change.new).map_err(reason)
}

/// The proposed strategies, with why.
fn table(proposals: &[Proposal]) -> String {
    let mut text = String::new();
    if proposals.is_empty() {
        return text;
    }
    let what = |it: &Proposal| it.pattern.clone().unwrap_or_else(|| "all files".to_owned());
    let widest =
        proposals.iter().map(|it| console::measure_text_width(&what(it))).max().unwrap_or(0).clamp(7, 48);
    for it in proposals {
        let files = if it.files == 1 { "1 file".to_owned() } else { format!("{} files", it.files) };
        let what = console::pad_str(&clean(&what(it)), widest, console::Alignment::Left, None).into_owned();
        let level = it.chunk_by.to_string();
        let _ = writeln!(
            text,
            "{}  {:<7}  {:>10}  {}",
            what.cyan(),
            level.bold(),
            files,
            clean(&it.reason).dimmed()
        );
    }
    text.push('\n');
    text
}

struct Told<'a> {
    args: &'a FixArgs,
    prefix: &'a str,
    written: bool,
    failed: &'a [(String, String)],
}

impl Told<'_> {
    fn tell(
        &self,
        survey: &Survey,
        changes: &BTreeMap<String, Change>,
        proposals: &[Proposal],
        checked: &Checked,
        printer: &Printer,
    ) -> Result<(), CliError> {
        let count = |severity| checked.findings.iter().filter(|(_, it)| it.severity() == severity).count();
        let (errors, warnings) = (count(Severity::Error), count(Severity::Warning));
        if self.args.json {
            return printer.json(&json!({
                "docs": survey.root.display().to_string(),
                "written": self.written,
                "changes": changes.iter().map(|(path, change)| self.change(path, change)).collect::<Vec<_>>(),
                "strategies": proposals.iter().map(strategy).collect::<Vec<_>>(),
                "failed": self.failed.iter().map(|(path, reason)| json!({ "path": path, "reason": reason })).collect::<Vec<_>>(),
                "errors": errors,
                "warnings": warnings,
                "findings": checked.findings.iter().map(|(path, it)| JsonFinding::new(path, it)).collect::<Vec<_>>(),
            }));
        }
        printer.view(&self.outcome(changes, checked, errors, warnings))?;
        for (path, reason) in self.failed {
            printer.skipped(&format!("{}{path}", self.prefix), reason);
        }
        if self.args.dry_run && !changes.is_empty() {
            printer.note("nothing was written, because of --dry-run");
        } else if !self.written && !changes.is_empty() {
            printer.note("nothing was written; --yes writes without asking");
        }
        Ok(())
    }

    fn outcome(
        &self,
        changes: &BTreeMap<String, Change>,
        checked: &Checked,
        errors: usize,
        warnings: usize,
    ) -> String {
        let mut text = String::new();
        let files = |count: usize| if count == 1 { "1 file".to_owned() } else { format!("{count} files") };
        let _ = match (changes.len(), self.written) {
            (0, _) => writeln!(text, "nothing to change"),
            (count, true) => writeln!(text, "{} changed", files(count - self.failed.len())),
            (count, false) => writeln!(text, "{} would change", files(count)),
        };
        let left = checked.findings.iter().filter(|(_, it)| it.severity() == Severity::Error);
        for (path, finding) in left {
            let label = format!("error[{}]", finding.code);
            let place = format!("{}{path}:{}", self.prefix, finding.line);
            let _ = writeln!(
                text,
                "{}: {}: {}",
                clean(&place).bold(),
                label.red().bold(),
                clean(&finding.message)
            );
        }
        let plural =
            |count: usize, what: &str| format!("{count} {what}{}", if count == 1 { "" } else { "s" });
        let left = if self.written || changes.is_empty() { "left" } else { "would be left" };
        let _ = writeln!(text, "{left}: {}, {}", plural(errors, "error"), plural(warnings, "warning"));
        text
    }

    fn change(&self, path: &str, change: &Change) -> Value {
        let diff = diff::unified(&format!("{}{path}", self.prefix), change.old.as_deref(), &change.new);
        json!({
            "path": path,
            "action": if change.old.is_some() { "changed" } else { "added" },
            "reasons": change.reasons,
            "diff": console::strip_ansi_codes(&diff),
        })
    }
}

fn strategy(proposal: &Proposal) -> Value {
    json!({
        "folder": proposal.folder,
        "pattern": proposal.pattern,
        "chunk_by": proposal.chunk_by.as_str(),
        "files": proposal.files,
        "reason": proposal.reason,
    })
}

/// The changes of a repair after more was changed in its folder.
fn recount(repaired: &mut Repair, path: &str, old: Option<&String>, new: String, reason: String) {
    let change = repaired.changes.entry(path.to_owned()).or_insert_with(|| Change {
        old: old.cloned(),
        new: String::new(),
        reasons: Vec::new(),
    });
    change.new = new;
    change.reasons.push(reason);
}
