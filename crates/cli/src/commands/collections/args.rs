//! The arguments of the commands that keep collections.

use std::path::PathBuf;

use clap::{Args, ValueHint};

pub(crate) const ADD_EXAMPLES: &str = "\
SOURCE is a folder or a file, which is read where it is and always current, or something that is fetched \
now and again by `docent sync`:
  git+https://host/repo#REF:FOLDER   a repository; REF and FOLDER may be left out, also git+ssh:// and git+file://
  https://host/manifest.json         a list of documents on the web
  x.docent, x.tar.gz                 a bundle of `docent pack`, an archive; a path or an https address
  rust-crate:NAME[@VERSION]          a crate in cargo's registry: README, guides and API documentation
  npm:NAME, pypi:NAME                a package that is installed here
  man:NAME, man:SECTION, man:'*'     manual pages of this machine

NAME may end in a version: react@18 and react@19 live side by side, and react means the newest. \
The entry goes into the project's docent.toml, or with --user into your own, for all projects.

Examples:
  docent add handbook ../handbook/docs
  docent add react@19 git+https://github.com/reactjs/react.dev#main:src/content
  docent add rust-crate:serde
  docent add company company-docs.docent";

#[derive(Debug, Args)]
pub(crate) struct AddArgs {
    /// Name and source; without a name it is made from the source
    #[arg(value_name = "[NAME] SOURCE", required = true, num_args = 1..=2, value_hint = ValueHint::AnyPath)]
    pub(crate) what: Vec<String>,
    /// Keep the entry in your own settings, for all your projects
    #[arg(long)]
    pub(crate) user: bool,
    /// What it is about, in a sentence; agents read it
    #[arg(long, value_name = "TEXT")]
    pub(crate) description: Option<String>,
    /// Another name for it; may be repeated
    #[arg(long, value_name = "NAME")]
    pub(crate) alias: Vec<String>,
    /// Read only files that match; may be repeated
    #[arg(long, value_name = "GLOB")]
    pub(crate) include: Vec<String>,
    /// Leave out files that match; may be repeated
    #[arg(long, value_name = "GLOB")]
    pub(crate) exclude: Vec<String>,
    /// What a bundle or an archive must hash to, e.g. blake3:…
    #[arg(long, value_name = "HASH")]
    pub(crate) hash: Option<String>,
    /// Stop when the documents can be found by their words; vectors are made later
    #[arg(long)]
    pub(crate) no_embed: bool,
    /// Print one JSON document
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct RemoveArgs {
    /// Collections to take out of the settings and of the index
    #[arg(required = true, value_name = "NAME")]
    pub(crate) names: Vec<String>,
    /// Print one JSON document
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct RenameArgs {
    /// The collection
    pub(crate) from: String,
    /// Its new name
    pub(crate) to: String,
    /// Print one JSON document
    #[arg(long)]
    pub(crate) json: bool,
}

pub(crate) const SYNC_EXAMPLES: &str = "\
Only what has changed is fetched, read and embedded. A collection is replaced as a whole or not at all: when anything \
fails, what was there before stays and is served on.

Examples:
  docent sync
  docent sync react@19 handbook";

#[derive(Debug, Args)]
pub(crate) struct SyncArgs {
    /// Collections to bring up to date [default: all that are listed]
    #[arg(value_name = "NAME")]
    pub(crate) names: Vec<String>,
    /// Fetch again even what has not changed
    #[arg(long)]
    pub(crate) force: bool,
    /// Stop when the documents can be found by their words; vectors are made later
    #[arg(long)]
    pub(crate) no_embed: bool,
    /// Print one JSON document
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct CollectionsArgs {
    /// Print one JSON document
    #[arg(long)]
    pub(crate) json: bool,
}

pub(crate) const PACK_EXAMPLES: &str = "\
The bundle holds the documents, their chunks, their vectors and what is known of the collection, compressed and with \
checksums. Where it is added, nothing is embedded and no network is needed. The same content gives the same bytes.

Examples:
  docent pack react@19 -o react-19.docent
  docent pack docs -o handbook.docent && scp handbook.docent build-server:
  docent add handbook handbook.docent";

#[derive(Debug, Args)]
pub(crate) struct PackArgs {
    /// The collection
    pub(crate) name: String,
    /// File to write
    #[arg(long, short, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) out: PathBuf,
    /// Print one JSON document
    #[arg(long)]
    pub(crate) json: bool,
}
