//! `docent install --list`: every client, whether it is on this machine, and where docent is installed.

use std::fmt::Write;

use owo_colors::OwoColorize;
use serde::Serialize;
use serde_json::json;

use super::clients::{CLIENTS, Client};
use super::edit;
use super::places::Places;
use crate::args::{InstallArgs, InstallScope};
use crate::edited_file::EditedFile;
use crate::errors::{CliError, Exit};
use crate::printer::{Printer, clean};

/// A client.
#[derive(Serialize)]
struct Row {
    /// What is typed.
    client: &'static str,
    /// What people call it.
    title: &'static str,
    /// Whether it seems to be on this machine.
    detected: bool,
    /// Its configuration files.
    scopes: Vec<Place>,
}

/// A configuration file.
#[derive(Serialize)]
struct Place {
    scope: InstallScope,
    path: String,
    /// Whether it has our entry; nobody knows when it cannot be read.
    installed: Option<bool>,
    /// Why it cannot be read.
    problem: Option<String>,
    #[serde(skip)]
    shown: String,
}

pub(super) fn run(args: &InstallArgs, places: &Places<'_>, printer: &Printer) -> Result<Exit, CliError> {
    let rows: Vec<Row> = CLIENTS.iter().map(|client| row(client, &args.name, places)).collect();
    if args.json {
        printer.json(&json!({ "name": args.name, "clients": rows }))?;
    } else {
        printer.view(&view(&rows))?;
    }
    Ok(Exit::Fine)
}

fn row(client: &'static Client, name: &str, places: &Places<'_>) -> Row {
    let scopes = [InstallScope::Project, InstallScope::User];
    let scopes = scopes.into_iter().filter_map(|scope| {
        let path = places.file(client, scope)?;
        let (installed, problem) = match EditedFile::read(&path) {
            Err(CliError::Told { message, .. }) => (None, Some(message)),
            Err(CliError::OutputClosed) => (None, None),
            Ok(file) => match edit::has(client, file.text().unwrap_or_default(), name) {
                Ok(installed) => (Some(installed), None),
                Err(broken) => {
                    let (line, column) = broken.position(file.text().unwrap_or_default());
                    (None, Some(format!("line {line}, column {column}: {}", broken.message)))
                }
            },
        };
        let shown = places.shown(&path);
        Some(Place { scope, path: path.display().to_string(), installed, problem, shown })
    });
    Row {
        client: client.name,
        title: client.title,
        detected: places.detects(client),
        scopes: scopes.collect(),
    }
}

fn view(rows: &[Row]) -> String {
    let mut text = String::new();
    let head = format!("{:<12} {:<9} {:<8} {:<10} CONFIGURATION", "CLIENT", "DETECTED", "SCOPE", "INSTALLED");
    let _ = writeln!(text, "{}", head.dimmed());
    for row in rows {
        for (at, place) in row.scopes.iter().enumerate() {
            let (client, detected) = match (at, row.detected) {
                (0, true) => (row.client, "yes"),
                (0, false) => (row.client, "no"),
                _ => ("", ""),
            };
            let installed = match place.installed {
                Some(true) => "yes",
                Some(false) => "no",
                None => "?",
            };
            let (client, installed) = (format!("{client:<12}"), format!("{installed:<10}"));
            let installed =
                if place.installed == Some(true) { installed.green().to_string() } else { installed };
            let scope = place.scope.as_str();
            let path = clean(&place.shown);
            let _ = writeln!(text, "{} {detected:<9} {scope:<8} {installed} {path}", client.bold());
            if let Some(problem) = &place.problem {
                let _ = writeln!(text, "{:<43}{}", "", clean(problem).yellow());
            }
        }
    }
    text
}
