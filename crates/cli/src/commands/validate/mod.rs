//! `docent validate`: what is wrong with a folder of documents, for authors and for CI.
//!
//! `survey` reads the files, `docent-authoring` finds, and the three printers here (`human`, `sarif`, `github`) tell.

pub(crate) mod args;
mod github;
mod human;
mod sarif;

pub(super) use self::github::{data, property};
pub(super) use self::sarif::{fingerprint, sarif_log, uri};

use std::path::{Component, Path, PathBuf};

use docent_authoring::{Checked, Finding, SCHEMA, Severity};
use serde::Serialize;

use self::args::{Format, ValidateArgs};
use crate::errors::{CliError, Exit};
use crate::printer::Printer;
use crate::settings::Settings;
use crate::survey::Survey;

/// What is printed, whatever the format.
pub(super) struct Report<'a> {
    /// Findings with their paths, in order.
    pub(super) findings: Vec<(&'a str, &'a Finding)>,
    /// Every document.
    pub(super) documents: Vec<&'a str>,
    pub(super) manifests: usize,
    pub(super) errors: usize,
    pub(super) warnings: usize,
}

/// The report, for `--json`.
#[derive(Serialize)]
struct JsonReport<'a> {
    docs: String,
    files: usize,
    manifests: usize,
    errors: usize,
    warnings: usize,
    fixable: usize,
    findings: Vec<JsonFinding<'a>>,
}

/// A finding, for `--json`.
#[derive(Serialize)]
pub(crate) struct JsonFinding<'a> {
    path: &'a str,
    line: usize,
    code: &'static str,
    name: &'static str,
    severity: Severity,
    message: &'a str,
    hint: &'a str,
    fixable: bool,
}

impl<'a> JsonFinding<'a> {
    pub(crate) fn new(path: &'a str, finding: &'a Finding) -> Self {
        let rule = finding.code.rule();
        JsonFinding {
            path,
            line: finding.line,
            code: rule.id,
            name: rule.name,
            severity: rule.severity,
            message: &finding.message,
            hint: &finding.hint,
            fixable: finding.fix.is_some(),
        }
    }
}

pub(super) fn run(
    args: &ValidateArgs,
    settings: &Settings,
    here: &Path,
    printer: &Printer,
) -> Result<Exit, CliError> {
    if args.print_schema {
        printer.raw(SCHEMA)?;
        return Ok(Exit::Fine);
    }
    let survey = Survey::read(settings, &args.allow)?;
    let selected = selection(&args.paths, &survey.root, here)?;
    let checked = survey.check();
    let report = Report::new(&survey, &checked, &selected);
    match args.format() {
        Format::Human => printer.view(&human::view(&report, &prefix(&survey.root, here)))?,
        Format::Json => printer.json(&JsonReport {
            docs: survey.root.display().to_string(),
            files: report.documents.len(),
            manifests: report.manifests,
            errors: report.errors,
            warnings: report.warnings,
            fixable: report.fixable(),
            findings: report.findings.iter().map(|(path, finding)| JsonFinding::new(path, finding)).collect(),
        })?,
        Format::Sarif => {
            printer.json(&sarif::log(&report, &prefix(&survey.root, &repository(&survey.root, here))))?
        }
        Format::Github => {
            printer
                .raw(&github::commands(&report, &prefix(&survey.root, &repository(&survey.root, here))))?;
        }
    }
    if let Some(limit) = args.limit()
        && report.warnings > limit
        && report.errors == 0
    {
        printer.note(format_args!("there are {} warnings; {limit} are allowed", report.warnings));
    }
    let too_many = args.limit().is_some_and(|limit| report.warnings > limit);
    Ok(if report.errors > 0 || too_many { Exit::Problems } else { Exit::Fine })
}

/// A finding on one line, for commands that come upon it.
pub(super) fn told(path: &str, finding: &Finding) -> String {
    let text =
        format!("{path}:{}: {}[{}]: {}", finding.line, finding.severity(), finding.code, finding.message);
    crate::printer::clean(&text)
}

impl<'a> Report<'a> {
    fn new(survey: &'a Survey, checked: &'a Checked, selected: &[String]) -> Self {
        let wanted = |path: &str| {
            let below = |folder: &String| {
                folder.is_empty()
                    || path == folder
                    || path.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/'))
            };
            selected.is_empty() || selected.iter().any(below)
        };
        let findings = checked.findings.iter().map(|(path, finding)| (path.as_str(), finding));
        let findings: Vec<_> = findings.filter(|(path, _)| wanted(path)).collect();
        let documents =
            survey.folder.documents.keys().map(String::as_str).filter(|path| wanted(path)).collect();
        let count = |severity| findings.iter().filter(|(_, finding)| finding.severity() == severity).count();
        Self {
            errors: count(Severity::Error),
            warnings: count(Severity::Warning),
            documents,
            manifests: survey.folder.manifests.len(),
            findings,
        }
    }

    /// How many findings `docent fix` can put right.
    pub(super) fn fixable(&self) -> usize {
        self.findings.iter().filter(|(_, finding)| finding.fix.is_some()).count()
    }
}

/// The paths that were named, relative to the documents; each must be there.
fn selection(paths: &[PathBuf], root: &Path, here: &Path) -> Result<Vec<String>, CliError> {
    let inside = |path: &Path| {
        let full = std::fs::canonicalize(path).ok()?;
        let below = full.strip_prefix(root).ok()?;
        Some(below.components().filter_map(part).collect::<Vec<_>>().join("/"))
    };
    let one = |path: &PathBuf| {
        inside(&here.join(path)).or_else(|| inside(&root.join(path))).ok_or_else(|| {
            CliError::usage(
                format!("{} is not a file or folder of {}", path.display(), root.display()),
                "name paths inside the documents folder, or another folder with --docs-dir",
            )
        })
    };
    paths.iter().map(one).collect()
}

fn part(component: Component<'_>) -> Option<String> {
    if let Component::Normal(part) = component { Some(part.to_string_lossy().into_owned()) } else { None }
}

/// What stands before a document's path so that it can be opened from `base`; ends with a slash or is empty.
pub(crate) fn prefix(root: &Path, base: &Path) -> String {
    let base = std::fs::canonicalize(base).unwrap_or_else(|_| base.to_path_buf());
    let shown = match root.strip_prefix(&base) {
        Ok(below) => below.components().filter_map(part).collect::<Vec<_>>().join("/"),
        Err(_) => root.display().to_string(),
    };
    if shown.is_empty() { shown } else { format!("{}/", shown.trim_end_matches('/')) }
}

/// The repository around the documents, from which code hosts count their paths.
fn repository(root: &Path, here: &Path) -> PathBuf {
    let is_repository = |folder: &&Path| folder.join(".git").exists();
    root.ancestors().find(is_repository).unwrap_or(here).to_path_buf()
}
