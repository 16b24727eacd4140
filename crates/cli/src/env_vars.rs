//! Every environment variable that docent reads, in one place.

use std::ffi::OsString;

/// Where the index is kept, like `--index`.
pub(crate) const INDEX: &str = "DOCENT_INDEX";
/// Folder of the documents, like `--docs`.
pub(crate) const DOCS: &str = "DOCENT_DOCS";
/// What makes the vectors, like `--embedder`.
pub(crate) const EMBEDDER: &str = "DOCENT_EMBEDDER";
/// Where vectors are kept that every project shares, and indexes of folders outside any project.
pub(crate) const CACHE_DIR: &str = "DOCENT_CACHE_DIR";
/// Folder of the user's own settings file.
pub(crate) const CONFIG_DIR: &str = "DOCENT_CONFIG_DIR";
/// Address of the OpenAI-compatible server, up to and including `/v1`.
pub(crate) const OPENAI_BASE_URL: &str = "DOCENT_OPENAI_BASE_URL";
/// Model to ask that server for.
pub(crate) const OPENAI_MODEL: &str = "DOCENT_OPENAI_MODEL";
/// Length of its vectors.
pub(crate) const OPENAI_DIMENSIONS: &str = "DOCENT_OPENAI_DIMENSIONS";
/// Key for that server; wins over [`OPENAI_API_KEY`].
pub(crate) const DOCENT_OPENAI_API_KEY: &str = "DOCENT_OPENAI_API_KEY";
/// Key for that server, under the name that other programs use too.
pub(crate) const OPENAI_API_KEY: &str = "OPENAI_API_KEY";
/// Token that HTTP clients must send, like `--token`.
pub(crate) const TOKEN: &str = "DOCENT_TOKEN";
/// A second token that may only read, like `--read-token`.
pub(crate) const READ_TOKEN: &str = "DOCENT_READ_TOKEN";
/// File of tokens with scopes of their own, like `--token-file`.
pub(crate) const TOKEN_FILE: &str = "DOCENT_TOKEN_FILE";
/// The database that holds the index, like `--database-url`.
pub(crate) const DATABASE_URL: &str = "DOCENT_DATABASE_URL";
/// The same under the name that DocAlign uses.
pub(crate) const DOCALIGN_DATABASE_URL: &str = "DOCALIGN_DATABASE_URL";
/// A copy of that database that answers questions.
pub(crate) const READ_DATABASE_URL: &str = "DOCENT_READ_DATABASE_URL";
/// Signs the cursors of a built index, so that several processes take each other's.
pub(crate) const CURSOR_KEY: &str = "DOCENT_CURSOR_KEY";
/// The moment that builds count as now, as other programs understand it too.
pub(crate) const SOURCE_DATE_EPOCH: &str = "SOURCE_DATE_EPOCH";
/// Set by people who want the raw panic message.
pub(crate) const RUST_BACKTRACE: &str = "RUST_BACKTRACE";
/// The user's home folder.
pub(crate) const HOME: &str = "HOME";
/// The same on Windows.
pub(crate) const USERPROFILE: &str = "USERPROFILE";
/// Where programs are looked for.
pub(crate) const PATH: &str = "PATH";
/// The user's settings, on Linux.
pub(crate) const XDG_CONFIG_HOME: &str = "XDG_CONFIG_HOME";
/// The same on Windows.
pub(crate) const APPDATA: &str = "APPDATA";
/// Moves the files of Claude Code.
pub(crate) const CLAUDE_CONFIG_DIR: &str = "CLAUDE_CONFIG_DIR";
/// Moves the files of Codex.
pub(crate) const CODEX_HOME: &str = "CODEX_HOME";
/// Moves the `.gemini` folder of Gemini CLI.
pub(crate) const GEMINI_CLI_HOME: &str = "GEMINI_CLI_HOME";
// PGPASSWORD and PGPASSFILE are read by the store of PostgreSQL, as everywhere.
// NO_COLOR, CLICOLOR and CLICOLOR_FORCE are read by the terminal library.

/// The variables as a list for people.
pub(crate) fn help() -> String {
    let rows = [
        (DOCS, "folder of the documents"),
        (INDEX, "folder of the index"),
        (CACHE_DIR, "folder of what projects share"),
        (CONFIG_DIR, "folder of your own settings file, which lists collections for all projects"),
        (EMBEDDER, "minilm, hash, none or openai"),
        (OPENAI_BASE_URL, "embedding.base_url"),
        (OPENAI_MODEL, "embedding.model"),
        (OPENAI_DIMENSIONS, "embedding.dimensions"),
        (DOCENT_OPENAI_API_KEY, "key for the server"),
        (OPENAI_API_KEY, "the same, where the one above is not set"),
        (TOKEN, "token that `docent serve --http` asks for"),
        (READ_TOKEN, "a second token that may only read"),
        (TOKEN_FILE, "file of further tokens, each with scopes of its own"),
        (DATABASE_URL, "database that holds the index, as postgres://…"),
        (DOCALIGN_DATABASE_URL, "the same, where the one above is not set"),
        (READ_DATABASE_URL, "a copy of it that is searched, and never written to"),
        (CURSOR_KEY, "key that the servers of one built index share"),
        (SOURCE_DATE_EPOCH, "the time that `docent build` writes down"),
        ("NO_COLOR", "no colour"),
    ];
    let rows: Vec<String> = rows.iter().map(|(name, help)| format!("  {name:<26} {help}")).collect();
    format!("Environment:\n{}", rows.join("\n"))
}

/// Where values come from: the process, or a test.
pub(crate) type Lookup<'a> = &'a dyn Fn(&str) -> Option<OsString>;

/// The process's environment. An empty value counts as absent.
pub(crate) fn process(name: &str) -> Option<OsString> {
    std::env::var_os(name).filter(|value| !value.is_empty())
}
