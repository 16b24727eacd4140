//! The command line as it is typed. Nothing is decided here: flags, environment and file meet in `settings`.

use std::path::PathBuf;

use clap::{ArgAction, Args, Parser, Subcommand, ValueEnum, ValueHint};

use crate::commands::collections::args::{
    ADD_EXAMPLES, AddArgs, CollectionsArgs, PACK_EXAMPLES, PackArgs, RemoveArgs, RenameArgs, SYNC_EXAMPLES,
    SyncArgs,
};
use crate::commands::fix::args::{FIX_EXAMPLES, FixArgs};
use crate::commands::library::args::{
    CONVERT_EXAMPLES, ConvertArgs, FORGET_EXAMPLES, ForgetArgs, INGEST_EXAMPLES, IngestArgs,
};
use crate::commands::reports::args::{REPORTS_EXAMPLES, ReportsArgs};
use crate::commands::validate::args::{VALIDATE_EXAMPLES, ValidateArgs};
use crate::commands::verify::args::{VERIFY_EXAMPLES, VerifyArgs};
use crate::commands::{BUILD_EXAMPLES, BuildArgs, EVAL_EXAMPLES, EvalArgs, client_names};
use crate::{config_file, env_vars};

/// Searches documentation on your own machine: by words and by meaning, offline, always up to date.
#[derive(Debug, Parser)]
#[command(name = "docent", version, arg_required_else_help = true, disable_help_flag = true, after_help = EXAMPLES)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
    #[command(flatten)]
    pub(crate) global: GlobalArgs,
}

const EXAMPLES: &str = "\
Examples:
  docent search \"how do I expose a pod\" --docs ./docs
  docent get guides/retries.md#backoff
  docent serve

Exit codes: 0 fine, 1 nothing found or problems reported, 2 wrong usage, 130 stopped by Ctrl-C, 3 everything else.";

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Index a folder of documents, or bring its index up to date
    #[command(after_help = INDEX_EXAMPLES)]
    Index(IndexArgs),
    /// Build an index to ship: self-contained, read-only, reproducible
    #[command(after_help = BUILD_EXAMPLES)]
    Build(BuildArgs),
    /// Search, by words and by meaning
    #[command(after_help = SEARCH_EXAMPLES)]
    Search(SearchArgs),
    /// Print a page or one section of it
    #[command(after_help = GET_EXAMPLES)]
    Get(GetArgs),
    /// List the pages
    #[command(after_help = LIST_EXAMPLES)]
    List(ListArgs),
    /// Show what is indexed and what is not
    Status(StatusArgs),
    /// Keep the index up to date until Ctrl-C
    Watch(WatchArgs),
    /// Add a set of documents: a folder, a repository, a bundle, a package
    #[command(after_help = ADD_EXAMPLES)]
    Add(AddArgs),
    /// Bring collections in line with where they come from
    #[command(after_help = SYNC_EXAMPLES)]
    Sync(SyncArgs),
    /// Show the collections, where they come from, and whether they are here
    Collections(CollectionsArgs),
    /// Give a collection another name
    Rename(RenameArgs),
    /// Take collections out of the settings and of the index
    Remove(RemoveArgs),
    /// Write a collection into one file that can be added elsewhere
    #[command(after_help = PACK_EXAMPLES)]
    Pack(PackArgs),
    /// Take files, folders and web pages into a library: PDF, Word and many more
    #[command(after_help = INGEST_EXAMPLES)]
    Ingest(IngestArgs),
    /// Delete documents of a library
    #[command(after_help = FORGET_EXAMPLES)]
    Forget(ForgetArgs),
    /// Print the Markdown that a file becomes
    #[command(after_help = CONVERT_EXAMPLES)]
    Convert(ConvertArgs),
    /// Answer agents over MCP, on stdin and stdout or over HTTP
    #[command(after_help = SERVE_EXAMPLES)]
    Serve(ServeArgs),
    /// Measure how good and how fast search is, on your own documents or on a judged set
    #[command(after_help = EVAL_EXAMPLES, disable_help_subcommand = true)]
    Eval(EvalArgs),
    /// Make an agent's client start docent
    #[command(after_help = INSTALL_EXAMPLES)]
    Install(InstallArgs),
    /// Check documents, manifests, hints and links; the gate for CI
    #[command(after_help = VALIDATE_EXAMPLES)]
    Validate(ValidateArgs),
    /// Check what documents say about their repository, against it and its history
    #[command(after_help = VERIFY_EXAMPLES)]
    Verify(VerifyArgs),
    /// Propose a .docs-mcp.json and put right what can be put right
    #[command(after_help = FIX_EXAMPLES)]
    Fix(FixArgs),
    /// Decide on what agents reported as wrong in the documents
    #[command(after_help = REPORTS_EXAMPLES, disable_help_subcommand = true)]
    Reports(ReportsArgs),
    /// Check the index for damage
    Check(CheckArgs),
    /// Show the settings in force and where each came from
    #[command(after_help = config_help())]
    Config(ConfigArgs),
    /// Print a completion script for a shell
    #[command(after_help = COMPLETIONS_EXAMPLES)]
    Completions(CompletionsArgs),
}

/// Flags of every command.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Global options")]
pub(crate) struct GlobalArgs {
    /// Folder of the documents [default: docs/ of the project, else the project]
    #[arg(long, visible_alias = "docs-dir", global = true, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(crate) docs: Option<PathBuf>,
    /// Where the index is kept [default: .docent/ of the project, else the user's cache]
    #[arg(long, global = true, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(crate) index: Option<PathBuf>,
    /// Keep the index in a database for many processes, as postgres://USER@HOST/NAME [env: DOCENT_DATABASE_URL]
    #[arg(long, global = true, value_name = "URL")]
    pub(crate) database_url: Option<String>,
    /// What makes the vectors: the built-in model, hashed words (for tests), nothing, a server [default: minilm]
    #[arg(long, visible_alias = "embedding-provider", global = true, value_name = "NAME")]
    pub(crate) embedder: Option<Provider>,
    /// Print results and errors only
    #[arg(long, short, global = true, conflicts_with = "verbose")]
    pub(crate) quiet: bool,
    /// Tell what is being done and how long it took
    #[arg(long, short, global = true)]
    pub(crate) verbose: bool,
    /// When to use colour
    #[arg(long, global = true, value_name = "WHEN", default_value = "auto")]
    pub(crate) color: Color,
    /// Print help
    #[arg(long, short, global = true, action = ArgAction::HelpShort)]
    pub(crate) help: Option<bool>,
}

/// What makes the vectors.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Provider {
    /// The built-in all-MiniLM-L6-v2
    #[value(name = "minilm")]
    MiniLm,
    /// Hashed words: instant, for tests
    Hash,
    /// No vectors, search by words only
    None,
    /// Any server with an OpenAI-compatible /v1/embeddings
    #[value(name = "openai")]
    OpenAi,
}

impl Provider {
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::MiniLm => "minilm",
            Self::Hash => "hash",
            Self::None => "none",
            Self::OpenAi => "openai",
        }
    }
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Color {
    /// On a terminal
    #[default]
    Auto,
    /// Always
    Always,
    /// Never
    Never,
}

const INDEX_EXAMPLES: &str = "\
Only new and changed files are read. Ctrl-C is safe at any moment; the next run goes on.

Examples:
  docent index
  docent index ./docs --embedder none
  docent index --rebuild";

#[derive(Debug, Args)]
pub(crate) struct IndexArgs {
    /// Folder of the documents, as with --docs
    #[arg(value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(crate) dir: Option<PathBuf>,
    /// Read every file again and build the index anew; searches go on meanwhile
    #[arg(long)]
    pub(crate) rebuild: bool,
    /// Stop when the documents can be found by their words; vectors are made later
    #[arg(long)]
    pub(crate) no_embed: bool,
    /// Print one JSON document
    #[arg(long)]
    pub(crate) json: bool,
}

const SEARCH_EXAMPLES: &str = "\
Fields for --filter: library, source, title, file_type, page, chunk_index, doc_id, content_hash, created_at, last_modified, and \
metadata.KEY for what `docent ingest --meta KEY=VALUE` said. As there, numbers, true and false are taken as such; quotes \
make them text: 'metadata.build=\"0815\"'.

Examples:
  docent search how do I expose a pod
  docent search --path 'guides/**' --facet language=rust retry policy
  docent search --filter metadata.year=2024 --filter file_type=pdf heat loss
  docent search --mode lexical --explain readOnlyRootFilesystem
  docent search --json -k 10 \"rotate certificates\"";

#[derive(Debug, Args)]
pub(crate) struct SearchArgs {
    /// What you are looking for, in your own words
    #[arg(required = true, value_name = "QUERY")]
    pub(crate) query: Vec<String>,
    /// How many hits, from 1 to 20; other numbers are taken as the nearest of these [default: 5]
    #[arg(long, short = 'k', value_name = "N", allow_negative_numbers = true)]
    pub(crate) top_k: Option<i64>,
    /// How many hits, from 1 to 50; other numbers are an error
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    pub(crate) limit: Option<i64>,
    /// Search only pages whose path matches, e.g. 'guides/**/*.md' or guides
    #[arg(long, value_name = "GLOB")]
    pub(crate) path: Option<String>,
    /// Search only pages with this facet; the same key again means "or", another key "and"
    #[arg(long, value_name = "KEY=VALUE")]
    pub(crate) facet: Vec<String>,
    /// Search only documents with this field, e.g. file_type=pdf or metadata.year=2024; all that are given must hold
    #[arg(long, value_name = "FIELD=VALUE")]
    pub(crate) filter: Vec<String>,
    #[command(flatten)]
    pub(crate) scope: ScopeArgs,
    /// Search by words and meaning, or by one of them [default: hybrid; lexical without an embedder]
    #[arg(long)]
    pub(crate) mode: Option<ModeArg>,
    /// How words and meaning are joined
    #[arg(long, default_value = "convex")]
    pub(crate) fusion: FusionArg,
    /// Search only passages whose every checked claim about the code holds
    #[arg(long)]
    pub(crate) verified_only: bool,
    /// Show how each score came about
    #[arg(long)]
    pub(crate) explain: bool,
    /// Show what comes after an answer: its next_cursor
    #[arg(long, value_name = "CURSOR")]
    pub(crate) cursor: Option<String>,
    /// Wait at most this long for the vectors of new passages before answering
    #[arg(long, value_name = "SECONDS", default_value = "30")]
    pub(crate) wait: f64,
    /// Print one JSON document
    #[arg(long)]
    pub(crate) json: bool,
}

/// Which collections of the index take part.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct ScopeArgs {
    /// Use this collection: its name, an alias, or a name without the version for the newest; may be repeated
    #[arg(long, short, value_name = "NAME", conflicts_with = "all")]
    pub(crate) collection: Vec<String>,
    /// Use every collection of the index, listed or not
    #[arg(long)]
    pub(crate) all: bool,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum ModeArg {
    /// Words and meaning
    Hybrid,
    /// Meaning only
    Semantic,
    /// Words only
    Lexical,
}

impl From<ModeArg> for docent_engine::Mode {
    fn from(mode: ModeArg) -> Self {
        match mode {
            ModeArg::Hybrid => Self::Hybrid,
            ModeArg::Semantic => Self::Semantic,
            ModeArg::Lexical => Self::Lexical,
        }
    }
}

#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum FusionArg {
    /// Sum of normalised scores
    Convex,
    /// Reciprocal ranks
    Rrf,
}

impl From<FusionArg> for docent_engine::Fusion {
    fn from(fusion: FusionArg) -> Self {
        match fusion {
            FusionArg::Convex => Self::Convex,
            FusionArg::Rrf => Self::Rrf,
        }
    }
}

const GET_EXAMPLES: &str = "\
SECTION is the part of a chunk id after `#`, or its last piece when that is unambiguous. Documents of libraries are named \
by their source, by the path that was given to `docent ingest`, by the end of it, or by their doc_id.

Examples:
  docent get guides/retries.md
  docent get report.pdf --page 12
  docent get guides/retries.md#retries/backoff-strategy
  docent get guides/retries.md#backoff-strategy";

#[derive(Debug, Args)]
pub(crate) struct GetArgs {
    /// Page, and perhaps a section of it
    #[arg(value_name = "PATH[#SECTION]")]
    pub(crate) target: String,
    /// Print one page of a PDF or one slide, as searches cite it
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) page: Option<u32>,
    #[command(flatten)]
    pub(crate) scope: ScopeArgs,
    /// Print one JSON document
    #[arg(long)]
    pub(crate) json: bool,
}

const LIST_EXAMPLES: &str = "\
Examples:
  docent list
  docent list guides/
  docent list -c papers";

#[derive(Debug, Args)]
pub(crate) struct ListArgs {
    /// List only pages under this folder
    pub(crate) prefix: Option<String>,
    #[command(flatten)]
    pub(crate) scope: ScopeArgs,
    /// Print one JSON document
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct StatusArgs {
    /// Print one JSON document
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct WatchArgs {
    /// Print one JSON object per line
    #[arg(long)]
    pub(crate) json: bool,
}

const INSTALL_EXAMPLES: &str = "\
The difference is shown before anything is written, and on a terminal you are asked first. \
Everything else in the file stays as it is, comments too. A project's file is shared, so it names \
`docent` and paths inside the project; your own file names full paths. --docs, --index and \
--embedder are passed on to the server when they are given.

CLAUDE_CONFIG_DIR, CODEX_HOME, GEMINI_CLI_HOME and XDG_CONFIG_HOME are respected.

Examples:
  docent install --list
  docent install claude-code
  docent install codex --scope user --docs ~/notes
  docent install cursor --http http://127.0.0.1:7331/mcp --token-env DOCENT_TOKEN
  docent install vscode --remove";

#[derive(Debug, Args)]
pub(crate) struct InstallArgs {
    /// Client to configure
    #[arg(value_name = "CLIENT", value_parser = client_names(), required_unless_present = "list")]
    pub(crate) client: Option<String>,
    /// Whose configuration to change [default: project inside one where the client knows projects, else user]
    #[arg(long)]
    pub(crate) scope: Option<InstallScope>,
    /// Name of the entry
    #[arg(long, value_name = "NAME", default_value = "docent")]
    pub(crate) name: String,
    /// Enter a server that runs at this address instead of a command that starts one
    #[arg(long, value_name = "URL", conflicts_with = "remove")]
    pub(crate) http: Option<String>,
    /// Environment variable that holds the token of that server; the token itself is never written
    #[arg(long, value_name = "VAR", requires = "http")]
    pub(crate) token_env: Option<String>,
    /// Toolsets that the server is to offer, as `docent serve` takes them [default: docs,health]
    #[arg(long, value_name = "NAMES", value_delimiter = ',', conflicts_with_all = ["http", "remove", "list"])]
    pub(crate) toolsets: Vec<String>,
    /// Take the entry out again
    #[arg(long)]
    pub(crate) remove: bool,
    /// Show every client, whether it is here, and where docent is installed
    #[arg(long, conflicts_with_all = ["client", "scope", "http", "remove", "dry_run"])]
    pub(crate) list: bool,
    /// Show the difference and write nothing
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Do not ask before writing
    #[arg(long, short)]
    pub(crate) yes: bool,
    /// Print one JSON document; nothing is asked
    #[arg(long)]
    pub(crate) json: bool,
}

/// Whose configuration is changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum InstallScope {
    /// The project's, which is shared
    Project,
    /// The user's own
    User,
}

impl InstallScope {
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Project => "project",
            Self::User => "user",
        }
    }
}

const SERVE_EXAMPLES: &str = "\
Without --http it speaks MCP on stdin and stdout, which is how agents start it; `docent install` enters it into an \
agent's configuration. It indexes the folder, watches it, and ends with its input.

With --http it serves MCP at /mcp, health at /livez and /readyz, and Prometheus metrics at /metrics. On any address but \
this machine's own it asks for a token; `DOCENT_TOKEN` keeps it out of the process list.

Examples:
  docent serve --docs ./docs
  docent serve --collection react@19 --collection acme/shop
  docent serve --http 127.0.0.1:7331
  DOCENT_TOKEN=$(openssl rand -hex 24) docent serve --http 0.0.0.0:7331 --allow-host docs.example.com";

#[derive(Debug, Args)]
pub(crate) struct ServeArgs {
    #[command(flatten)]
    pub(crate) scope: ScopeArgs,
    /// Serve over HTTP on this address instead of stdin and stdout; port 0 picks a free one
    #[arg(long, value_name = "ADDRESS", num_args = 0..=1, default_missing_value = "127.0.0.1:7331")]
    pub(crate) http: Option<String>,
    /// Also serve the older /sse and /messages
    #[arg(long, requires = "http")]
    pub(crate) sse: bool,
    /// Ask HTTP clients for this token [env: DOCENT_TOKEN]
    #[arg(long, requires = "http", value_name = "TOKEN")]
    pub(crate) token: Option<String>,
    /// A second token that may only read [env: DOCENT_READ_TOKEN]
    #[arg(long, requires = "http", value_name = "TOKEN")]
    pub(crate) read_token: Option<String>,
    /// Further tokens, each with scopes of its own, e.g. for some collections only [env: DOCENT_TOKEN_FILE]
    #[arg(long, requires = "http", value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) token_file: Option<PathBuf>,
    /// Accept access tokens (JWT) of this OAuth issuer
    #[arg(long, requires_all = ["http", "oauth_resource"], value_name = "URL")]
    pub(crate) oauth_issuer: Option<String>,
    /// Address of this server as its clients know it: the audience that access tokens must name
    #[arg(long, requires = "oauth_issuer", value_name = "URL")]
    pub(crate) oauth_resource: Option<String>,
    /// Answer for this host name too; may be repeated
    #[arg(long, requires = "http", value_name = "HOST")]
    pub(crate) allow_host: Vec<String>,
    /// Let pages of this web origin call; may be repeated
    #[arg(long, requires = "http", value_name = "ORIGIN")]
    pub(crate) allow_origin: Vec<String>,
    /// Repository to serve, by the folder that holds .git [default: the one around the documents]
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(crate) repo: Option<PathBuf>,
    /// Toolsets to offer: docs, health, collections, library, or `all` [default: docs,health]
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub(crate) toolsets: Vec<String>,
    /// Single tools to offer
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub(crate) tools: Vec<String>,
    /// Leave out every tool that changes something
    #[arg(long)]
    pub(crate) read_only: bool,
    /// Let agents take in files below this folder, too; may be repeated [default: the project]
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(crate) root: Vec<PathBuf>,
    /// Let agents fetch pages from private networks and this machine, too
    #[arg(long)]
    pub(crate) allow_private_networks: bool,
}

#[derive(Debug, Args)]
pub(crate) struct CheckArgs {
    /// Print one JSON document
    #[arg(long)]
    pub(crate) json: bool,
}

fn config_help() -> String {
    let order = "Later wins: built-in default, docent.toml of the project, environment, flag.";
    format!(
        "{order}

{}

{}",
        config_file::keys_help(),
        env_vars::help()
    )
}

#[derive(Debug, Args)]
pub(crate) struct ConfigArgs {
    /// Print one JSON document
    #[arg(long)]
    pub(crate) json: bool,
}

const COMPLETIONS_EXAMPLES: &str = "\
Examples:
  docent completions bash > ~/.local/share/bash-completion/completions/docent
  docent completions zsh > ~/.zfunc/_docent
  docent completions fish > ~/.config/fish/completions/docent.fish";

#[derive(Debug, Args)]
pub(crate) struct CompletionsArgs {
    /// Shell to print the script for
    pub(crate) shell: clap_complete::Shell,
    /// Print the script as a field of one JSON document
    #[arg(long)]
    pub(crate) json: bool,
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::Cli;

    #[test]
    fn the_command_line_is_well_formed() {
        Cli::command().debug_assert();
    }

    #[test]
    fn every_command_that_prints_has_json() {
        let serves = |command: &&clap::Command| command.get_name() == "serve";
        for command in Cli::command().get_subcommands().filter(|command| !serves(command)) {
            let has_json = command.get_arguments().any(|argument| argument.get_id() == "json");
            assert!(has_json, "{} has no --json", command.get_name());
        }
    }
}
