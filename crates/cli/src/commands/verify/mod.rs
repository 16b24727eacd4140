//! `docent verify`: what documents say about their repository, checked against it and its history.
//!
//! `docent-claims` verifies; here it is decided what is looked at, what earlier runs spare (`kept`), what is waived
//! (`waivers`), and how it is told: one file for each format.

pub(crate) mod args;
mod bench;
mod facts;
mod fix;
mod github;
mod human;
mod json;
pub(crate) mod kept;
mod markdown;
mod sarif;
mod selection;
pub(crate) mod waivers;

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use docent_claims::{Judged, Options, RepoError, Repository, Step, Verdict, Verification, Watch, verify};
use docent_engine::Cancel;

use self::args::{FailOn, Format, VerifyArgs};
use self::kept::Kept;
use crate::errors::{CliError, Exit};
use crate::health;
use crate::numbers::counted;
use crate::printer::{Printer, clean};
use crate::progress::Progress;
use crate::settings::Settings;

/// Comments that waive nothing, of which so many are told one by one.
const MOST_NOTES: usize = 5;

/// What is printed, whatever the format.
pub(super) struct Report {
    /// The folder that paths start from.
    pub(super) root: PathBuf,
    pub(super) head: Option<String>,
    pub(super) is_shallow: bool,
    pub(super) has_history: bool,
    /// Whether the documents lie in a folder, and not only in a bare repository.
    pub(super) has_files: bool,
    /// What is to be told, by document and line.
    pub(super) findings: Vec<Judged>,
    /// What was waived.
    pub(super) waived: Vec<Judged>,
    /// Findings that were there before what `--since` asks for.
    pub(super) older: usize,
    pub(super) documents: usize,
    /// Documents that could not be read.
    pub(super) unread: Vec<String>,
    /// Files whose names are not UTF-8.
    pub(super) unreadable_paths: usize,
    pub(super) verified: usize,
    pub(super) took: Duration,
}

pub(super) fn run(
    args: &VerifyArgs,
    settings: &Settings,
    here: &Path,
    printer: &Printer,
    cancel: &Cancel,
) -> Result<Exit, CliError> {
    if let Some(folder) = &args.bench {
        return bench::run(args, folder, here, printer, cancel);
    }
    let start = Instant::now();
    let folder = args.repo.as_ref().map_or_else(|| around(&args.paths, here), |repo| here.join(repo));
    if !folder.is_dir() {
        return Err(CliError::usage(
            format!("there is no folder {}", folder.display()),
            "--repo takes a folder of a repository, or a bare one",
        ));
    }
    let repository = Repository::open_or_plain(&folder)?;
    let root = repository.work_tree().map_or_else(|| folder.clone(), Path::to_path_buf);
    let options = Options {
        paths: selection::of(&args.paths, &repository, &root, here)?,
        waivers: waivers::of_settings(&settings.waivers)?,
        baseline: args
            .baseline
            .as_deref()
            .map(|path| waivers::read_baseline(&here.join(path)))
            .transpose()?
            .unwrap_or_default(),
        today: jiff::Zoned::now().date().to_string(),
        threads: 0,
    };
    let kept = Kept::of(settings, &root).unless_committed(settings, &root, &repository)?;
    repository.keep_in(kept.folder());
    if args.fresh {
        kept.forget();
    }
    let progress = Progress::new(printer);
    let watch = Watch {
        progress: &|step: Step| progress.verifying(step.name, step.done, step.total),
        is_cancelled: &|| cancel.is_cancelled(),
    };
    let verification = verify(&repository, &options, kept.previous().as_ref(), kept.facts(), watch)?;
    progress.clear();
    for (number, last) in waivers::expired(&options.waivers, &options.today) {
        let origin = &settings.waivers.origin;
        printer.note(format_args!(
            "{origin}: verify.ignore, entry {number}: it expired on {last} and waives nothing any more"
        ));
    }
    let unknown: Vec<_> = waivers::unknown(&verification).collect();
    for (path, line, word) in unknown.iter().take(MOST_NOTES) {
        printer.note(format_args!(
            "{path}:{line}: `{word}` is no type of claim, so it waives nothing; the types are {}",
            waivers::types()
        ));
    }
    if unknown.len() > MOST_NOTES {
        printer.note(format_args!("and {} more such comments", unknown.len() - MOST_NOTES));
    }
    for path in &options.paths {
        let below = if path.is_empty() { String::new() } else { format!("{path}/") };
        let is_asked = |document: &String| document == path || document.starts_with(&below);
        if !verification.documents.keys().any(is_asked) {
            printer.note(format_args!("there are no documents to verify in {}", clean(path)));
        }
    }
    printer.detail(format_args!("{} looked at anew", counted(verification.fresh, "document")));
    // What was asked for is not all there is, and the next run would miss the rest.
    if options.paths.is_empty() {
        kept.keep(&verification);
    }
    // A baseline is for one gate; what is kept for everybody does not depend on it.
    if args.baseline.is_none()
        && let Err(CliError::Told { message, .. }) =
            health::keep(settings, &root, &verification, options.paths.is_empty())
    {
        printer.note(format_args!("searches and agents do not see these verdicts: {message}"));
    }
    if let Some(path) = &args.write_baseline {
        let findings = waivers::write_baseline(&here.join(path), &verification)?;
        printer.view(&format!("wrote {} to {}\n", counted(findings, "finding"), path.display()))?;
        return Ok(Exit::Fine);
    }
    let report = report(args, &repository, root, &verification, start)?;
    if args.fix {
        return fix::run(args, &report, here, printer);
    }
    print(args, &report, here, printer)?;
    Ok(if fails(args, &report) { Exit::Problems } else { Exit::Fine })
}

/// Where to look for the repository: here or, where this is none, where the first of these paths is.
fn around(paths: &[PathBuf], here: &Path) -> PathBuf {
    let first = paths.first().map(|path| here.join(path)).filter(|_| Repository::open(here).is_err());
    let folder = first.and_then(|first| match first.is_file() {
        true => first.parent().map(Path::to_path_buf),
        false => Some(first),
    });
    folder.filter(|folder| Repository::open(folder).is_ok()).unwrap_or_else(|| here.to_path_buf())
}

fn report(
    args: &VerifyArgs,
    repository: &Repository,
    root: PathBuf,
    verification: &Verification,
    start: Instant,
) -> Result<Report, CliError> {
    let not_held = verification.judged().filter(|judged| judged.verdict != Verdict::Verified);
    let mut older = 0;
    let (waived, mut findings): (Vec<_>, Vec<_>) = not_held.partition(|judged| judged.suppressed.is_some());
    if let Some(revision) = &args.since {
        if !repository.has_history() {
            return Err(RepoError::NotARepository(root).into());
        }
        // Before the first commit nothing is older than any.
        let commits = match repository.head() {
            Some(_) => repository.commits_in(&repository.resolve(revision)?)?,
            None => Vec::new(),
        };
        let commits: HashSet<&str> = commits.iter().map(String::as_str).collect();
        let all = findings.len();
        findings.retain(|judged| is_since(judged, &commits));
        older = all - findings.len();
    }
    Ok(Report {
        root,
        head: verification.head.clone(),
        is_shallow: repository.is_shallow(),
        has_history: repository.has_history(),
        has_files: repository.work_tree().is_some() || !repository.has_history(),
        findings,
        waived,
        older,
        documents: verification.documents.len(),
        unread: verification.unread_documents.clone(),
        unreadable_paths: verification.unreadable_paths,
        verified: verification.count(Verdict::Verified),
        took: start.elapsed(),
    })
}

/// Whether these commits, or nobody's yet, broke a claim or wrote its line.
fn is_since(judged: &Judged, commits: &HashSet<&str>) -> bool {
    let evidence = &judged.evidence;
    let is_breaking = evidence
        .breaking
        .as_ref()
        .is_some_and(|breaking| breaking.commit.as_deref().is_none_or(|commit| commits.contains(commit)));
    is_breaking || evidence.blame.as_ref().is_none_or(|blame| commits.contains(blame.commit.as_str()))
}

fn fails(args: &VerifyArgs, report: &Report) -> bool {
    match args.fail_on {
        FailOn::Drifted => report.count(Verdict::Drifted) > 0,
        FailOn::Uncertain => !report.findings.is_empty(),
        FailOn::None => false,
    }
}

impl Report {
    /// How much holds, in words.
    pub(super) fn holds(&self) -> String {
        let verb = if self.verified == 1 { "holds" } else { "hold" };
        format!("{} in {} {verb}", counted(self.verified, "claim"), counted(self.documents, "document"))
    }

    /// What stands before the path of a document, so that it can be opened from `here`.
    fn prefix(&self, here: &Path) -> String {
        if self.has_files { super::validate::prefix(&self.root, here) } else { String::new() }
    }

    pub(super) fn count(&self, verdict: Verdict) -> usize {
        self.findings.iter().filter(|judged| judged.verdict == verdict).count()
    }
}

fn print(args: &VerifyArgs, report: &Report, here: &Path, printer: &Printer) -> Result<(), CliError> {
    match args.format() {
        Format::Human => printer.view(&human::view(report, &report.prefix(here))),
        Format::Json => printer.json(&json::report(report, fails(args, report))),
        Format::Sarif => printer.json(&sarif::log(report)),
        Format::Github => printer.raw(&github::commands(report)),
        Format::Markdown => printer.raw(&markdown::report(report)),
    }
}

impl From<RepoError> for CliError {
    fn from(error: RepoError) -> Self {
        let exit = match error {
            RepoError::NotARepository(_) | RepoError::NoSuchCommit(_) => Exit::Usage,
            RepoError::Cancelled => Exit::Interrupted,
            _ => Exit::Failed,
        };
        let hint = error.hint().to_owned();
        Self::Told { exit, message: error.to_string(), hint }
    }
}
