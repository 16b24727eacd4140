//! What `docent build` is told on the command line.

use std::path::PathBuf;

use clap::{Args, ValueHint};

pub(crate) const EXAMPLES: &str = "\
The folder that --out names is replaced as a whole, at once, and only by an index that is \
complete. The same documents give the same bytes, wherever and however often they are built; all \
times are in docent-index.json and docent-times.json, and SOURCE_DATE_EPOCH fixes those. A build \
that was stopped goes on where it was, and one after a change reads and embeds only what \
changed: what it needs for that is kept in the user's cache.

Any error that `docent validate` finds ends the build with exit code 1. Pages that nobody names \
a strategy for are cut at h2; `docent fix` writes a manifest that says how.

Examples:
  docent build --docs-dir ./docs --out ./docs-index
  docent build --docs-dir ./docs --out ./docs-index --embedding-provider none --name handbook
  docent serve --index ./docs-index";

#[derive(Debug, Args)]
pub(crate) struct BuildArgs {
    /// Folder to put the index in; an index that was built there before is replaced
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(crate) out: PathBuf,
    /// Name of the collection, as it stands in answers and addresses
    #[arg(long, value_name = "COLLECTION", default_value = "docs")]
    pub(crate) name: String,
    /// What the documents are about, in a sentence
    #[arg(long, value_name = "TEXT", default_value = "", hide_default_value = true)]
    pub(crate) description: String,
    /// Build although findings of this rule are there, everywhere or where a pattern matches
    #[arg(long, value_name = "RULE[:GLOB]")]
    pub(crate) allow: Vec<String>,
    /// Print one JSON document
    #[arg(long)]
    pub(crate) json: bool,
}
