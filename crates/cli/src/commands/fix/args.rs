//! What `docent fix` takes.

use clap::Args;

pub(crate) const FIX_EXAMPLES: &str = "\
Proposes a .docs-mcp.json where there is none, gives pages that have outgrown their strategy \
another one, and puts right what `docent validate` finds and only one change can mend: hints \
that do not count, misspelt levels and keys, facets that differ from an allowed value only in \
case, links to a file that has moved, overrides that match nothing. Prose is never touched. The \
difference is shown before anything is written, and on a terminal you are asked first; without a \
terminal nothing is written unless --yes says so, and the exit code is 1.

With --llm a model proposes facets, in the same difference. It is sent titles, headings and the \
first 1,000 characters of each page; what it answers is checked like any other input. \
OPENAI_API_KEY is its key.

Examples:
  docent fix --docs-dir ./docs --dry-run
  docent fix --docs-dir ./docs --yes
  docent fix --llm http://127.0.0.1:11434/v1 --model llama3.2 --dry-run";

#[derive(Debug, Args)]
pub(crate) struct FixArgs {
    /// Show the difference and write nothing
    #[arg(long, conflicts_with = "yes")]
    pub(crate) dry_run: bool,
    /// Do not ask before writing
    #[arg(long, short)]
    pub(crate) yes: bool,
    /// Let a model propose facets: address of an OpenAI-compatible server up to and including /v1
    #[arg(long, value_name = "URL", requires = "model")]
    pub(crate) llm: Option<String>,
    /// Name of the model
    #[arg(long, value_name = "NAME", requires = "llm")]
    pub(crate) model: Option<String>,
    /// Send at most this many pages to the model
    #[arg(long, value_name = "N", default_value = "200", requires = "llm")]
    pub(crate) llm_pages: usize,
    /// Wait at most this long for each of the model's answers
    #[arg(long, value_name = "SECONDS", default_value = "60", requires = "llm")]
    pub(crate) llm_timeout: u64,
    /// Print one JSON document; nothing is asked
    #[arg(long)]
    pub(crate) json: bool,
}
