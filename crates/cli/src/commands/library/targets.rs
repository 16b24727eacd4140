//! What `docent ingest` was given to take in: files, folders, addresses, a text; and what was said of it.

use std::ffi::OsStr;
use std::path::Path;

use docent_library::{FileReport, LibraryError};
use docent_sources::without_credentials;
use serde_json::{Map, Value};

use super::args::IngestArgs;
use crate::errors::CliError;
use crate::handed::{self, plain_value};

/// What was named.
#[derive(Default)]
pub(super) struct Targets {
    pub(super) files: Vec<String>,
    pub(super) folders: Vec<String>,
    pub(super) addresses: Vec<String>,
    pub(super) stdin: bool,
    /// What cannot be taken in because of its name.
    pub(super) odd: Vec<FileReport>,
}

impl Targets {
    pub(super) fn of(args: &IngestArgs, here: &Path) -> Result<Self, CliError> {
        let mut targets = Self::default();
        if args.what.iter().any(|what| what.is_empty()) {
            return Err(CliError::usage(
                "an argument is empty",
                "name files, folders or addresses; in a script, check the variable that it came from",
            ));
        }
        for what in &args.what {
            targets.add(what, here);
        }
        if args.crawl && targets.addresses.len() != args.what.len() {
            return Err(CliError::usage("--crawl is for addresses", "name addresses only: https://…"));
        }
        if !(args.rate > 0.0 && args.rate <= 100.0) {
            return Err(CliError::usage(
                format!("--rate is {} and must be more than 0 and at most 100", args.rate),
                "give the number of requests in a second, e.g. --rate 2",
            ));
        }
        if targets.stdin && args.name.is_none() {
            return Err(CliError::usage(
                "what comes from stdin has no name",
                "`-` and --name belong together: `docent ingest - --name notes.md`",
            ));
        }
        if args.name.is_some() && !targets.stdin {
            return Err(CliError::usage(
                "--name is only for `-`, a text from stdin; files and pages are known by their path or address",
                "leave it out, or write `docent ingest - --name notes.md < FILE`",
            ));
        }
        Ok(targets)
    }

    fn add(&mut self, what: &OsStr, here: &Path) {
        let text = what.to_str().unwrap_or_default();
        let lower = text.to_ascii_lowercase();
        if text == "-" {
            self.stdin = true;
        } else if lower.starts_with("http://") || lower.starts_with("https://") {
            add_once(&mut self.addresses, text);
        } else {
            let full = here.join(what);
            match full.to_str() {
                Some(path) if full.is_dir() => {
                    add_once(&mut self.folders, handed::absolute(path, here).to_str().unwrap_or(path));
                }
                Some(_) if !full.exists() && looks_like_address(&lower) => {
                    self.odd.push(FileReport {
                        source: without_credentials(text),
                        outcome: Err(no_address(text)),
                    });
                }
                Some(path) => {
                    add_once(&mut self.files, handed::absolute(path, here).to_str().unwrap_or(path))
                }
                None => self.odd.push(FileReport {
                    source: full.display().to_string(),
                    outcome: Err(LibraryError {
                        message: format!("the name of {} is not valid Unicode", full.display()),
                        hint: "rename it".to_owned(),
                    }),
                }),
            }
        }
    }
}

/// What is named twice is taken once.
fn add_once(names: &mut Vec<String>, name: &str) {
    if !names.iter().any(|known| known == name) {
        names.push(name.to_owned());
    }
}

fn looks_like_address(lower: &str) -> bool {
    lower.starts_with("www.") || ["://", "http:", "https:"].iter().any(|part| lower.contains(part))
}

fn no_address(text: &str) -> LibraryError {
    let text = &without_credentials(text);
    let rest = text.split_once(':').map_or(text.as_str(), |(_, rest)| rest).trim_start_matches(['/', '\\']);
    LibraryError {
        message: format!("{text} is neither a file nor an address that begins with http:// or https://"),
        hint: format!("did you mean https://{rest}?"),
    }
}

/// What is said of the documents. Numbers and the two truth values are taken as such.
pub(super) fn metadata(given: &[String]) -> Result<Map<String, Value>, CliError> {
    let mut metadata = Map::new();
    for pair in given {
        let (key, value) =
            pair.split_once('=').filter(|(key, _)| !key.trim().is_empty()).ok_or_else(|| {
                CliError::usage(
                    format!("--meta {pair} is not KEY=VALUE"),
                    "write it like --meta project=apollo",
                )
            })?;
        metadata.insert(key.trim().to_owned(), plain_value(value));
    }
    Ok(metadata)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_is_said_of_documents_keeps_its_type() {
        let given = ["a=x=y", "year=2024", "draft=true", "empty=", "v=1.5", "w=1.2.3", "id=\"07\""];
        assert_eq!(
            Value::Object(metadata(&given.map(str::to_owned)).unwrap()),
            json!({ "a": "x=y", "year": 2024, "draft": true, "empty": "", "v": 1.5, "w": "1.2.3", "id": "07" })
        );
        assert!(metadata(&["=x".to_owned()]).is_err() && metadata(&["x".to_owned()]).is_err());
    }
}
