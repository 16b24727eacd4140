//! The tokens that `docent serve --http` asks for: two by flag or environment, any number in a file.
//!
//! A token of the file has scopes of its own, and may be for some collections only.

use std::collections::BTreeMap;
use std::path::Path;

use docent_mcp::Scope;
use docent_web::{Token, WebError};
use serde::Deserialize;

use crate::args::ServeArgs;
use crate::env_vars;
use crate::errors::{CliError, plain_io};

/// Longer files are not files of tokens.
const MAX_BYTES: u64 = 1 << 20;

/// A token in the file, under its name.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    secret: String,
    scopes: Vec<String>,
}

/// All tokens that are named.
pub(super) fn tokens(args: &ServeArgs, here: &Path) -> Result<Vec<Token>, CliError> {
    let mut tokens = Vec::new();
    let mut secrets: BTreeMap<String, String> = BTreeMap::new();
    let mut add = |name: &str, secret: String, scopes: &[&str]| {
        tokens.push(Token::with_scopes(name, &secret, scopes).map_err(|error| told(&error))?);
        match secrets.insert(secret, name.to_owned()) {
            None => Ok(()),
            // Whose scopes would count?
            Some(other) => Err(CliError::usage(
                format!("the tokens {other} and {name} have the same secret"),
                "give each a secret of its own",
            )),
        }
    };
    let (read, all) = ([Scope::Read.name()], Scope::ALL.map(Scope::name));
    let given =
        [(&args.token, env_vars::TOKEN, &all[..]), (&args.read_token, env_vars::READ_TOKEN, &read[..])];
    for (typed, name, scopes) in given {
        // The environment may hold a token that is meant for the other end: it counts only where one is asked for.
        let secret = match typed {
            Some(secret) => Some(secret.clone()),
            None => env_vars::process(name).map(|secret| secret.to_string_lossy().into_owned()),
        };
        if let Some(secret) = secret {
            add(name, secret, scopes)?;
        }
    }
    let file = args.token_file.clone().or_else(|| env_vars::process(env_vars::TOKEN_FILE).map(Into::into));
    if let Some(file) = file {
        for (name, entry) in read_file(&here.join(file))? {
            let scopes: Vec<&str> = entry.scopes.iter().map(String::as_str).collect();
            add(&name, entry.secret, &scopes)?;
        }
    }
    Ok(tokens)
}

/// The tokens of a file. No error shows a part of it.
fn read_file(path: &Path) -> Result<BTreeMap<String, Entry>, CliError> {
    const HINT: &str =
        "write a table for each token: [NAME], secret = \"…\", scopes = [\"docs:read\", \"collection:NAME\"]";
    let shown = path.display();
    let problem = |why: &str| CliError::usage(format!("the tokens in {shown} cannot be read: {why}"), HINT);
    let metadata = std::fs::metadata(path).map_err(|error| problem(&plain_io(&error)))?;
    if metadata.len() > MAX_BYTES {
        return Err(problem("it is no file of tokens"));
    }
    if is_open_to_all(&metadata) {
        return Err(CliError::usage(
            format!("everybody on this machine may read the tokens in {shown}"),
            format!("`chmod o= {shown}`"),
        ));
    }
    let text = std::fs::read_to_string(path).map_err(|error| problem(&plain_io(&error)))?;
    let entries: BTreeMap<String, Entry> = toml::from_str(&text).map_err(|error| {
        // Its own words show what is there, which may be a secret.
        let line = error.span().map_or(1, |span| text.get(..span.start).unwrap_or("").lines().count().max(1));
        problem(&format!("line {line} is not what a token needs"))
    })?;
    match entries.is_empty() {
        true => Err(problem("there is none")),
        false => Ok(entries),
    }
}

#[cfg(unix)]
fn is_open_to_all(metadata: &std::fs::Metadata) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    metadata.mode() & 0o007 != 0
}

#[cfg(not(unix))]
fn is_open_to_all(_: &std::fs::Metadata) -> bool {
    false
}

fn told(error: &WebError) -> CliError {
    CliError::usage(error.to_string(), error.hint())
}
