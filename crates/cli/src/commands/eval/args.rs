//! The flags of `docent eval` and of its subcommands.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum, ValueHint};
use docent_eval::{Gate, MAX_K, Metric};

use crate::args::{FusionArg, ModeArg};

pub(crate) const EVAL_EXAMPLES: &str = "\
Without a subcommand, DIR holds corpus.jsonl, queries.jsonl and qrels.tsv in BEIR form. The \
corpus goes into an index of its own, which is thrown away afterwards unless --index names a \
place for it.

Examples:
  docent eval suggest -o cases.yaml      draft questions from your documents, then edit them
  docent eval run cases.yaml             ask them and score the answers
  docent eval compare old.json new.json  is the new run worse?
  docent eval --beir scifact
  docent eval --beir kubernetes --queries q.jsonl --qrels q.tsv --mode lexical --json";

#[derive(Debug, Args)]
pub(crate) struct EvalArgs {
    #[command(subcommand)]
    pub(super) command: Option<EvalCommand>,
    #[command(flatten)]
    pub(super) beir: BeirArgs,
}

#[derive(Debug, Subcommand)]
pub(super) enum EvalCommand {
    /// Ask the questions of a file or folder and score the answers
    #[command(after_help = RUN_EXAMPLES)]
    Run(Box<RunArgs>),
    /// Compare two runs, question by question
    #[command(after_help = COMPARE_EXAMPLES)]
    Compare(CompareArgs),
    /// Draft questions from the headings, links and questions of the documents
    #[command(after_help = SUGGEST_EXAMPLES)]
    Suggest(SuggestArgs),
}

#[derive(Debug, Args)]
pub(super) struct BeirArgs {
    /// Folder of the judged set
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(super) beir: Option<PathBuf>,
    /// Queries to ask instead of queries.jsonl
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(super) queries: Option<PathBuf>,
    /// Judgements to use instead of qrels.tsv
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(super) qrels: Option<PathBuf>,
    /// Search by words and meaning, or by one of them [default: hybrid; lexical without an embedder]
    #[arg(long)]
    pub(super) mode: Option<ModeArg>,
    /// How words and meaning are joined [default: convex]
    #[arg(long)]
    pub(super) fusion: Option<FusionArg>,
    /// Take vectors from the user's cache; the time to build then says little
    #[arg(long)]
    pub(super) cached: bool,
    /// Print one JSON document
    #[arg(long)]
    pub(super) json: bool,
}

const RUN_EXAMPLES: &str = "\
CASES is a file in YAML or JSON: a list of {query, expected}, where expected is a page or a \
section as `docent get` takes it. Files of docs-mcp-eval and qmd, judgements by URL, and BEIR \
folders are recognised too. The questions are asked of the project's documents; a BEIR folder \
brings its own.

Exit code 1: an expected page or section is not in the index, or the run is worse than the \
baseline.

Examples:
  docent eval run cases.yaml --docs ./docs
  docent eval run cases.yaml --out before.json --report report.html
  docent eval run cases.yaml --baseline before.json --threshold 0.01
  docent eval run cases.yaml --mode lexical --filter-category question --json";

#[derive(Debug, Args)]
pub(super) struct RunArgs {
    /// File or folder with the questions
    #[arg(value_name = "CASES", value_hint = ValueHint::AnyPath)]
    pub(super) cases: PathBuf,
    /// Hits on a page of results, from 1 to 50 [default: what the case says, else 5]
    #[arg(short, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=MAX_K as i64))]
    pub(super) k: Option<u16>,
    /// Search by words and meaning, or by one of them [default: what the case says, else hybrid; lexical without an embedder]
    #[arg(long)]
    pub(super) mode: Option<ModeArg>,
    /// How words and meaning are joined
    #[arg(long, default_value = "convex")]
    pub(super) fusion: FusionArg,
    /// Ask only the questions of this category; may be repeated
    #[arg(long, value_name = "NAME")]
    pub(super) filter_category: Vec<String>,
    /// Build an index for this run and throw it away, so that the time to build means something
    #[arg(long)]
    pub(super) fresh: bool,
    /// With --fresh or a BEIR folder: take vectors from the user's cache; the time to build then says little
    #[arg(long)]
    pub(super) cached: bool,
    /// BEIR: queries to ask instead of queries.jsonl
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(super) queries: Option<PathBuf>,
    /// BEIR: judgements to use instead of qrels.tsv
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(super) qrels: Option<PathBuf>,
    /// Keep the run in this file, to compare with later
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(super) out: Option<PathBuf>,
    /// Compare with this earlier run
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(super) baseline: Option<PathBuf>,
    #[command(flatten)]
    pub(super) gate: GateArgs,
    /// Write a page with plots, for a browser
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(super) report: Option<PathBuf>,
    /// With --baseline: print the comparison as Markdown
    #[arg(long, requires = "baseline", conflicts_with = "json")]
    pub(super) markdown: bool,
    /// Print one JSON document
    #[arg(long)]
    pub(super) json: bool,
}

/// When a comparison fails.
#[derive(Debug, Clone, Args)]
pub(super) struct GateArgs {
    /// The figure that decides whether the new run is worse
    #[arg(long, value_name = "NAME", default_value = "ndcg@10")]
    pub(super) metric: MetricArg,
    /// Exit with 1 when the mean of that figure falls by more than this
    #[arg(long, value_name = "DROP", default_value = "0.02")]
    pub(super) threshold: f64,
    /// Fail only when the fall is also significant (p < 0.05)
    #[arg(long)]
    pub(super) require_significance: bool,
}

impl From<&GateArgs> for Gate {
    fn from(args: &GateArgs) -> Self {
        let metric = match args.metric {
            MetricArg::Ndcg10 => Metric::Ndcg10,
            MetricArg::Ndcg5 => Metric::Ndcg5,
            MetricArg::Mrr => Metric::Mrr,
            MetricArg::Recall1 => Metric::Recall1,
            MetricArg::Recall5 => Metric::Recall5,
            MetricArg::Recall10 => Metric::Recall10,
            MetricArg::Hit => Metric::Hit,
        };
        Self { metric, threshold: args.threshold, require_significance: args.require_significance }
    }
}

#[derive(Debug, Clone, Copy, ValueEnum)]
pub(super) enum MetricArg {
    /// nDCG of the first ten
    #[value(name = "ndcg@10")]
    Ndcg10,
    /// nDCG of the first five
    #[value(name = "ndcg@5")]
    Ndcg5,
    /// Reciprocal rank
    Mrr,
    /// Recall of the first
    #[value(name = "recall@1")]
    Recall1,
    /// Recall of the first five
    #[value(name = "recall@5")]
    Recall5,
    /// Recall of the first ten
    #[value(name = "recall@10")]
    Recall10,
    /// Whether a target is on the first page
    Hit,
}

const COMPARE_EXAMPLES: &str = "\
OLD and NEW are files that `docent eval run --out` has written. Questions are joined by id, or \
by the query where there is none. Exit code 1: the mean of --metric over the joined questions \
falls by more than --threshold.

Examples:
  docent eval compare before.json after.json
  docent eval compare before.json after.json --metric recall@10 --threshold 0.05 --require-significance
  docent eval compare before.json after.json --markdown > comment.md";

#[derive(Debug, Args)]
pub(super) struct CompareArgs {
    /// The earlier run
    #[arg(value_name = "OLD", value_hint = ValueHint::FilePath)]
    pub(super) old: PathBuf,
    /// The later run
    #[arg(value_name = "NEW", value_hint = ValueHint::FilePath)]
    pub(super) new: PathBuf,
    #[command(flatten)]
    pub(super) gate: GateArgs,
    /// Print Markdown, for a comment on a pull request
    #[arg(long, conflicts_with = "json")]
    pub(super) markdown: bool,
    /// Print one JSON document
    #[arg(long)]
    pub(super) json: bool,
}

const SUGGEST_EXAMPLES: &str = "\
The drafts repeat the words of the documents, so they are easier than what people ask: edit them \
before you trust a figure.

Examples:
  docent eval suggest
  docent eval suggest --count 100 -o cases.yaml";

#[derive(Debug, Args)]
pub(super) struct SuggestArgs {
    /// How many questions to draft at most
    #[arg(long, value_name = "N", default_value = "50", value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub(super) count: u32,
    /// Write to this file instead of standard output
    #[arg(long, short = 'o', value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(super) output: Option<PathBuf>,
    /// Replace the file when it is there
    #[arg(long, requires = "output")]
    pub(super) force: bool,
    /// Print one JSON document
    #[arg(long)]
    pub(super) json: bool,
}
