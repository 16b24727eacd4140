//! The entry that makes a client start docent, or talk to a docent that runs already.
//!
//! A project's file is shared, so it names `docent` and paths inside the project; the user's file names full paths,
//! because nobody knows from where it will be used. A token is never written, only the variable that holds it.

use std::path::{Path, PathBuf};

use serde_json::{Map, Value, json};

use super::clients::{Client, Start, Token, Typed};
use super::places::{Places, same};
use crate::args::{GlobalArgs, InstallScope};
use crate::built;
use crate::env_vars::{self, Lookup};
use crate::errors::{CliError, plain_io};
use crate::project::SETTINGS_FILE;
use crate::settings::{Origin, Settings};
use crate::wiring;

/// Name of the program.
const PROGRAM: &str = "docent";

/// An entry, and what should be known about it.
#[derive(Debug)]
pub(super) struct Entry {
    pub(super) value: Value,
    pub(super) notes: Vec<String>,
}

/// The entry of a server that the client starts.
pub(super) fn command(
    client: &Client,
    scope: InstallScope,
    places: &Places<'_>,
    global: &GlobalArgs,
    toolsets: &[String],
    lookup: Lookup<'_>,
) -> Result<Entry, CliError> {
    let mut settings = Settings::resolve(global, None, &places.here, lookup)?;
    if global.index.is_some() {
        settings = built::adopt(settings)?;
    }
    // A built index brings its documents.
    let has_docs = settings.built.is_none();
    if has_docs {
        wiring::check_docs(&settings)?;
    }
    let mut notes = Vec::new();
    let program = program(scope, places, &mut notes)?;
    let mut args = vec!["serve".to_owned()];
    let anywhere = matches!(client.start, Start::Anywhere(_));
    if has_docs && (scope == InstallScope::User || anywhere || global.docs.is_some()) {
        let docs = &settings.docs;
        let nobody_named_it = matches!(docs.origin, Origin::Default);
        if nobody_named_it && (same(&docs.value, &places.home) || docs.value.parent().is_none()) {
            let message =
                format!("{} is not a documents folder to be served everywhere", docs.value.display());
            return Err(CliError::usage(message, "name the folder of the documents with --docs DIR"));
        }
        args.extend(["--docs".to_owned(), path(&docs.value, client, scope, places, &mut notes)?]);
    }
    if global.index.is_some() {
        args.extend(["--index".to_owned(), path(&settings.index.value, client, scope, places, &mut notes)?]);
    }
    if let Some(embedder) = global.embedder {
        args.extend(["--embedder".to_owned(), embedder.as_str().to_owned()]);
    }
    if !toolsets.is_empty() {
        args.extend(["--toolsets".to_owned(), toolsets.join(",")]);
    }
    let mut value = Map::new();
    if client.shape.typed != Typed::Never {
        value.insert("type".to_owned(), json!("stdio"));
    }
    value.insert("command".to_owned(), json!(program));
    value.insert("args".to_owned(), json!(args));
    if let (Start::WithFolder(folder), InstallScope::Project) = (client.start, scope) {
        value.insert("cwd".to_owned(), json!(folder));
    }
    if client.shape.env {
        value.insert("env".to_owned(), json!({}));
    }
    notes.extend(database_note(client, &settings));
    Ok(Entry { value: Value::Object(value), notes })
}

/// An address may hold a password and is not written: who starts docent has to find it elsewhere.
fn database_note(client: &Client, settings: &Settings) -> Option<String> {
    let variable = match settings.database.origin {
        Origin::Environment(name) => name,
        Origin::Flag(_) => env_vars::DATABASE_URL,
        Origin::File(_) | Origin::Default => return None,
    };
    settings.database.value.as_ref()?;
    let own = settings.config.as_ref().map(|folder| folder.join(SETTINGS_FILE).display().to_string());
    let own = own.map_or_else(String::new, |file| format!(", or write database_url into {file}"));
    Some(format!(
        "the address of the database is not written here: set {variable} where {} is started{own}; otherwise docent serves an \
         index of this machine",
        client.title
    ))
}

/// The entry of a server that runs already.
pub(super) fn http(client: &Client, url: &str, token: Option<&str>) -> Result<Entry, CliError> {
    check_url(url)?;
    let mut value = Map::new();
    if client.shape.typed == Typed::All {
        value.insert("type".to_owned(), json!("http"));
    }
    value.insert(client.shape.url.to_owned(), json!(url));
    if let Some(variable) = token {
        check_variable(variable)?;
        match client.shape.token {
            Token::Header(form) => {
                let header = json!({ "Authorization": form.replace("VAR", variable) });
                value.insert("headers".to_owned(), header);
            }
            Token::Key(key) => {
                value.insert(key.to_owned(), json!(variable));
            }
            Token::Unsupported => {
                return Err(CliError::usage(
                    format!("{} cannot take a token from an environment variable", client.title),
                    "leave --token-env out and give the token to the client itself; docent writes no secrets",
                ));
            }
        }
    }
    let set = token.is_some_and(|variable| env_vars::process(variable).is_some());
    let notes = match token.filter(|_| !set) {
        Some(variable) => {
            vec![format!("{variable} is not set here; set it where {} is started", client.title)]
        }
        None => Vec::new(),
    };
    Ok(Entry { value: Value::Object(value), notes })
}

/// What starts docent. A name on PATH outlives updates better than the file that it leads to now.
fn program(scope: InstallScope, places: &Places<'_>, notes: &mut Vec<String>) -> Result<String, CliError> {
    let running = std::env::current_exe().map_err(|error| {
        let message = format!("cannot tell where docent itself is: {}", plain_io(&error));
        CliError::failed(message, "start docent by its full path")
    })?;
    let on_path = places.program(PROGRAM);
    match (scope, &on_path) {
        (InstallScope::Project, Some(found)) if same(found, &running) => Ok(PROGRAM.to_owned()),
        (InstallScope::User, Some(found)) if same(found, &running) => text(found),
        (InstallScope::User, _) => text(&running),
        (InstallScope::Project, other) => {
            let other = match other {
                Some(other) => format!("`docent` on PATH is another program ({})", other.display()),
                None => "`docent` is not on PATH".to_owned(),
            };
            let here = running.display();
            notes.push(format!(
                "{other}, so the file names {here}; put that on PATH before you share the file"
            ));
            text(&running)
        }
    }
}

/// A folder as the server will understand it.
fn path(
    full: &Path,
    client: &Client,
    scope: InstallScope,
    places: &Places<'_>,
    notes: &mut Vec<String>,
) -> Result<String, CliError> {
    if scope == InstallScope::User {
        return text(full);
    }
    let folder = places.project_folder();
    let real = |path: &Path| std::fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf());
    let Ok(inside) = real(full).strip_prefix(real(folder)).map(PathBuf::from) else {
        notes.push(format!("{} is outside the project; others may not have it there", full.display()));
        return text(full);
    };
    let parts =
        inside.components().map(|part| text(Path::new(part.as_os_str()))).collect::<Result<Vec<_>, _>>()?;
    let start = match client.start {
        Start::Anywhere(folder) => Some(folder.to_owned()),
        Start::InProject | Start::WithFolder(_) => None,
    };
    let whole: Vec<String> = start.into_iter().chain(parts).collect();
    Ok(if whole.is_empty() { ".".to_owned() } else { whole.join("/") })
}

fn text(path: &Path) -> Result<String, CliError> {
    path.to_str().map(str::to_owned).ok_or_else(|| {
        CliError::usage(
            format!("{} is not valid UTF-8 and cannot be written into a configuration", path.display()),
            "give the folder another name",
        )
    })
}

fn check_url(url: &str) -> Result<(), CliError> {
    let hint = "give the address of the running server, e.g. --http http://127.0.0.1:7331/mcp";
    let rest = url.strip_prefix("http://").or_else(|| url.strip_prefix("https://"));
    let host = rest.and_then(|rest| rest.split(['/', '?', '#']).next()).unwrap_or_default();
    if host.contains('@') {
        let message = "the address holds a name or a password, and docent writes no secrets";
        return Err(CliError::usage(message, "leave it out and name a variable with --token-env VAR"));
    }
    if host.is_empty() || url.chars().any(|c| c.is_whitespace() || c.is_control()) {
        return Err(CliError::usage(format!("{url} is not the address of an HTTP server"), hint));
    }
    Ok(())
}

/// What is no name is not repeated: it may be the secret itself.
fn check_variable(name: &str) -> Result<(), CliError> {
    let first = name.chars().next().is_some_and(|c| c.is_ascii_alphabetic() || c == '_');
    if first && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') {
        return Ok(());
    }
    let message = "--token-env takes the name of an environment variable, and what is given cannot be one";
    Err(CliError::usage(
        message,
        "put the token into a variable and name that, e.g. --token-env DOCENT_TOKEN",
    ))
}

#[cfg(test)]
mod tests {
    use super::super::clients::{CLIENTS, find};
    use super::*;

    #[test]
    fn entries_of_running_servers() {
        let entries: Vec<String> = CLIENTS
            .iter()
            .map(|client| {
                let token = if client.name == "zed" { None } else { Some("DOCENT_TOKEN") };
                let entry = http(client, "http://127.0.0.1:7331/mcp", token).unwrap();
                format!("{}: {}", client.name, entry.value)
            })
            .collect();
        insta::assert_snapshot!(entries.join("\n"), @r#"
        claude-code: {"type":"http","url":"http://127.0.0.1:7331/mcp","headers":{"Authorization":"Bearer ${DOCENT_TOKEN}"}}
        cursor: {"url":"http://127.0.0.1:7331/mcp","headers":{"Authorization":"Bearer ${env:DOCENT_TOKEN}"}}
        vscode: {"type":"http","url":"http://127.0.0.1:7331/mcp","headers":{"Authorization":"Bearer ${env:DOCENT_TOKEN}"}}
        codex: {"url":"http://127.0.0.1:7331/mcp","bearer_token_env_var":"DOCENT_TOKEN"}
        zed: {"url":"http://127.0.0.1:7331/mcp"}
        windsurf: {"serverUrl":"http://127.0.0.1:7331/mcp","headers":{"Authorization":"Bearer ${env:DOCENT_TOKEN}"}}
        gemini: {"httpUrl":"http://127.0.0.1:7331/mcp","headers":{"Authorization":"Bearer ${DOCENT_TOKEN}"}}
        "#);
    }

    #[test]
    fn secrets_and_nonsense_are_refused() {
        let client = find("cursor").unwrap();
        let refused = |url: &str, token: Option<&str>| {
            let CliError::Told { message, .. } = http(client, url, token).unwrap_err() else { panic!() };
            message
        };
        assert!(refused("http://u:p@host/mcp", None).contains("no secrets"));
        for url in ["", "host", "http://", "ftp://host", "http://a b", "http:///mcp"] {
            assert!(refused(url, None).contains("not the address"), "{url}");
        }
        assert!(!refused("http://host/mcp", Some("sk-secret")).contains("sk-secret"));
        assert!(http(find("zed").unwrap(), "http://host/mcp", Some("TOKEN")).is_err());
    }
}
