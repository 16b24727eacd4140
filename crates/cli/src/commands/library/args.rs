//! The arguments of the commands that keep libraries.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Args, ValueHint};

pub(crate) const INGEST_EXAMPLES: &str = "\
Reads PDF, Word, PowerPoint, Excel, OpenDocument, EPUB, RTF, HTML, Markdown, notebooks, CSV and more, and keeps what it says in \
the index: the file itself is not needed afterwards. What has not changed is skipped, what has changed is replaced. Of a \
folder everything is taken that is a document, without hidden files and what .gitignore names. Every file is converted in a \
process of its own with little memory and time.

Examples:
  docent ingest report.pdf
  docent ingest papers/ --library papers --meta project=apollo
  docent ingest https://example.com/guide
  docent ingest https://example.com/docs/ --crawl --max-pages 200
  pbpaste | docent ingest - --name meeting-notes.md";

#[derive(Debug, Args)]
pub(crate) struct IngestArgs {
    /// Files, folders and addresses; `-` reads a text from stdin
    #[arg(required = true, value_name = "FILE|DIR|URL|-", value_hint = ValueHint::AnyPath)]
    pub(crate) what: Vec<OsString>,
    /// Library that the documents go into; made if there is none
    #[arg(long, short, value_name = "NAME", default_value = "default")]
    pub(crate) library: String,
    /// Say something of the documents that searches can filter by; may be repeated
    #[arg(long, value_name = "KEY=VALUE")]
    pub(crate) meta: Vec<String>,
    /// Name of what comes from stdin; its extension says what it is
    #[arg(long, value_name = "NAME")]
    pub(crate) name: Option<String>,
    /// Of folders, take only files that match; may be repeated
    #[arg(long, value_name = "GLOB")]
    pub(crate) include: Vec<String>,
    /// Fetch the pages below each address, too
    #[arg(long)]
    pub(crate) crawl: bool,
    /// Most pages of a crawl
    #[arg(long, value_name = "N", default_value = "100", requires = "crawl", value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub(crate) max_pages: u32,
    /// Most steps of a crawl from its first page
    #[arg(long, value_name = "N", default_value = "3", requires = "crawl", value_parser = clap::value_parser!(u32).range(0..=100))]
    pub(crate) max_depth: u32,
    /// Requests of a crawl in a second
    #[arg(long, value_name = "N", default_value = "2", requires = "crawl")]
    pub(crate) rate: f64,
    /// Fetch from private networks and this machine, too
    #[arg(long)]
    pub(crate) allow_private_networks: bool,
    /// Convert again what has not changed
    #[arg(long)]
    pub(crate) force: bool,
    /// Stop when the documents can be found by their words; vectors are made later
    #[arg(long)]
    pub(crate) no_embed: bool,
    /// Print one JSON document
    #[arg(long)]
    pub(crate) json: bool,
}

pub(crate) const FORGET_EXAMPLES: &str = "\
The document goes with all its chunks and vectors, and no trace of its text is left in the index. The file or page that it came from \
is not touched. `docent remove LIBRARY` deletes a whole library.

Examples:
  docent forget report.pdf
  docent forget https://example.com/guide --library web
  docent forget 6f1c2c0e-8f43-4c55-9d9f-5a4d3f6e1b2a";

#[derive(Debug, Args)]
pub(crate) struct ForgetArgs {
    /// Documents: where they came from, or their doc_id
    #[arg(required = true, value_name = "SOURCE|DOC_ID", value_hint = ValueHint::AnyPath)]
    pub(crate) what: Vec<String>,
    /// Library that they are in; needed where several have the same
    #[arg(long, short, short_alias = 'c', alias = "collection", value_name = "NAME")]
    pub(crate) library: Option<String>,
    /// Print one JSON document
    #[arg(long)]
    pub(crate) json: bool,
}

pub(crate) const CONVERT_EXAMPLES: &str = "\
Prints the Markdown that `docent ingest` would index. Several files are \
separated by a comment with the name of each. With --out each file is written as Markdown into a folder instead; a file that is there \
already is replaced only with --force, and a file that was named to be converted never.

Examples:
  docent convert report.pdf
  docent convert *.docx --out markdown/";

#[derive(Debug, Args)]
pub(crate) struct ConvertArgs {
    /// Files
    #[arg(required = true, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) files: Vec<PathBuf>,
    /// Folder to write to instead of stdout
    #[arg(long, short, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(crate) out: Option<PathBuf>,
    /// Replace files that are in that folder already
    #[arg(long, requires = "out")]
    pub(crate) force: bool,
    /// Print one JSON document
    #[arg(long)]
    pub(crate) json: bool,
}
