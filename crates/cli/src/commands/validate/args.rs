//! What `docent validate` takes.

use std::path::PathBuf;

use clap::{Args, ValueEnum, ValueHint};

pub(crate) const VALIDATE_EXAMPLES: &str = "\
Looks at front matter, manifests (.docs-mcp.json), hints, facets, headings and links, and \
changes nothing. It needs no index. Exit code 0 means no errors (warnings are fine unless \
--max-warnings says otherwise), 1 errors.

Examples:
  docent validate --docs-dir ./docs
  docent validate --docs-dir ./docs --deny-warnings guides
  docent validate --allow DM060:release-notes/** --allow missing-anchor
  docent validate --format github
  docent validate --format sarif > docent.sarif
  docent validate --print-schema > docs-mcp.schema.json";

#[derive(Debug, Args)]
pub(crate) struct ValidateArgs {
    /// Tell only about these files and folders; all are still read
    #[arg(value_name = "PATH", value_hint = ValueHint::AnyPath)]
    pub(crate) paths: Vec<PathBuf>,
    /// How to print
    #[arg(long, value_name = "NAME", default_value = "human", conflicts_with = "json")]
    pub(crate) format: Format,
    /// Fail when there are more warnings than this
    #[arg(long, value_name = "N")]
    pub(crate) max_warnings: Option<usize>,
    /// Fail when there is any warning
    #[arg(long, conflicts_with = "max_warnings")]
    pub(crate) deny_warnings: bool,
    /// Do not count findings of this rule, everywhere or where a pattern matches; as `validate.allow` in docent.toml
    #[arg(long, value_name = "RULE[:GLOB]")]
    pub(crate) allow: Vec<String>,
    /// Print the JSON Schema of .docs-mcp.json and do nothing else
    #[arg(long)]
    pub(crate) print_schema: bool,
    /// Print one JSON document, as with --format json
    #[arg(long)]
    pub(crate) json: bool,
}

/// How findings are printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// One line for each finding, and a hint
    Human,
    /// One JSON document
    Json,
    /// SARIF 2.1.0, for code scanning
    Sarif,
    /// Commands that annotate files in a GitHub workflow
    Github,
}

impl ValidateArgs {
    /// The format in force.
    pub(super) fn format(&self) -> Format {
        if self.json { Format::Json } else { self.format }
    }

    /// How many warnings are fine.
    pub(super) fn limit(&self) -> Option<usize> {
        if self.deny_warnings { Some(0) } else { self.max_warnings }
    }
}
