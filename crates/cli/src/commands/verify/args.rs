//! What `docent verify` takes.

use std::path::PathBuf;

use clap::{Args, ValueEnum, ValueHint};

pub(crate) const VERIFY_EXAMPLES: &str = "\
Finds what Markdown documents say about the repository they are in (paths, commands, flags,
variables, routes, symbols, versions) and checks it against the files and their history. What
held when its line was last written and does not hold now has drifted, and the commit that broke
it is named. No model and no network are used, and nothing of the repository is executed.

What was found out is kept in the index folder, or in your cache where there is none, so that the
next run only looks at what has changed. Findings are waived with a comment in the document,

  <!-- docent:ignore path_reference reason=\"made by the build\" -->

with `[[verify.ignore]]` in docent.toml, or with a baseline. Exit code 1 means that something has
drifted (see --fail-on).

Examples:
  docent verify
  docent verify docs README.md --fail-on uncertain
  docent verify --since origin/main --format github
  docent verify --write-baseline docs-baseline.json
  docent verify --baseline docs-baseline.json --format sarif > docent.sarif
  docent verify --fix
  docent verify --bench . --commits 50";

#[derive(Debug, Args)]
pub(crate) struct VerifyArgs {
    /// Look only at these documents and folders
    #[arg(value_name = "PATH", value_hint = ValueHint::AnyPath)]
    pub(crate) paths: Vec<PathBuf>,
    /// A folder of the repository, or a bare repository [default: the current folder]
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(crate) repo: Option<PathBuf>,
    /// Tell only what commits since this one broke or wrote, e.g. origin/main
    #[arg(long, value_name = "REV")]
    pub(crate) since: Option<String>,
    /// How to print
    #[arg(long, value_name = "NAME", default_value = "human", conflicts_with = "json")]
    pub(crate) format: Format,
    /// What ends with exit code 1
    #[arg(long, value_name = "WHAT", default_value = "drifted")]
    pub(crate) fail_on: FailOn,
    /// Do not tell about the findings in this file
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) baseline: Option<PathBuf>,
    /// Write all findings into this file, for --baseline
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, conflicts_with = "fix")]
    pub(crate) write_baseline: Option<PathBuf>,
    /// Show what would put findings right that have only one answer, and write it when you agree
    #[arg(long)]
    pub(crate) fix: bool,
    /// Do not ask before writing
    #[arg(long, short, requires = "fix")]
    pub(crate) yes: bool,
    /// Forget what earlier runs found out
    #[arg(long)]
    pub(crate) fresh: bool,
    /// Measure verification on this repository: replay commits that removed something and mended a document
    #[arg(long, value_name = "REPO", value_hint = ValueHint::DirPath, conflicts_with_all = ["paths", "repo", "since", "baseline", "write_baseline", "fix", "fresh"])]
    pub(crate) bench: Option<PathBuf>,
    /// Replay so many commits at most
    #[arg(long, value_name = "N", default_value_t = 100, requires = "bench")]
    pub(crate) commits: usize,
    /// Write every verdict of the benchmark into this file, as JSON
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, requires = "bench")]
    pub(crate) out: Option<PathBuf>,
    /// Print one JSON document, as with --format json
    #[arg(long)]
    pub(crate) json: bool,
}

/// How findings are printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// By the commit that broke them, with the evidence
    Human,
    /// One JSON document
    Json,
    /// SARIF 2.1.0, for code scanning
    Sarif,
    /// Commands that annotate files in a GitHub workflow
    Github,
    /// A report to paste into an issue or a pull request
    Markdown,
}

/// What ends with exit code 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum FailOn {
    /// What has drifted
    Drifted,
    /// That, and what nobody can tell
    Uncertain,
    /// Nothing
    None,
}

impl VerifyArgs {
    /// The format in force.
    pub(super) fn format(&self) -> Format {
        if self.json { Format::Json } else { self.format }
    }
}
