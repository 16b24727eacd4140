//! `docent verify --bench`: how good verification is on a repository, measured on what its authors mended.

use std::path::Path;
use std::sync::Arc;

use docent_claims::{NoStore, Repository, Step, Watch, bench};
use docent_engine::Cancel;

use super::args::{Format, VerifyArgs};
use crate::edited_file::EditedFile;
use crate::errors::{CliError, Exit};
use crate::numbers::counted;
use crate::printer::Printer;
use crate::progress::Progress;

pub(super) fn run(
    args: &VerifyArgs,
    folder: &Path,
    here: &Path,
    printer: &Printer,
    cancel: &Cancel,
) -> Result<Exit, CliError> {
    let folder = here.join(folder);
    if !folder.is_dir() {
        return Err(CliError::usage(
            format!("there is no folder {}", folder.display()),
            "--bench takes a repository: its folder, or a bare one",
        ));
    }
    let out = args.out.as_deref().map(|path| report_file(&here.join(path))).transpose()?;
    let repository = Repository::open(&folder)?;
    let progress = Progress::new(printer);
    let watch = Watch {
        progress: &|step: Step| progress.verifying(step.name, step.done, step.total),
        is_cancelled: &|| cancel.is_cancelled(),
    };
    let report = bench(&repository, args.commits, Arc::new(NoStore), watch)?;
    progress.clear();
    if let Some(out) = out {
        let text = serde_json::to_string_pretty(&report).unwrap_or_default();
        out.write(&format!("{text}\n"))?;
    }
    if args.format() == Format::Json {
        printer.json(&report)?;
    } else {
        let head = format!(
            "{} replayed, {} in {:.1} s, {:.2} ms each\n\n",
            counted(report.commits, "commit"),
            counted(report.claims, "claim"),
            report.took_ms as f64 / 1000.0,
            report.ms_per_claim.abs()
        );
        printer.view(&format!("{head}{}", report.table()))?;
    }
    if report.commits == 0 {
        printer.note(
            "no commit removed something and mended the document that named it; there is nothing to measure",
        );
    }
    Ok(Exit::Fine)
}

/// The file for the report: a new one, or the report of an earlier run.
fn report_file(path: &Path) -> Result<EditedFile, CliError> {
    let file = EditedFile::read(path)?;
    let is_report = |text: &str| {
        let report: Option<serde_json::Value> = serde_json::from_str(text).ok();
        report.is_some_and(|report| report.get("rows").is_some() && report.get("cases").is_some())
    };
    if file.text().is_some_and(|text| !is_report(text)) {
        return Err(CliError::usage(
            format!("{} is there and is not the report of a benchmark; nothing was written", path.display()),
            "name another file with --out, or delete that one first",
        ));
    }
    Ok(file)
}
