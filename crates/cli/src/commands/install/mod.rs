//! `docent install`: writes the configuration that makes a client start docent, and takes it out again.
//!
//! `clients` is the table of clients, `places` knows this machine, `entry` says what is to be written, `edit` makes the
//! new text out of the old one (`rewrite` and `jsonc` for JSON, `toml_text` for TOML), `crate::diff` shows the difference
//! and `crate::edited_file` puts the text in place. Nothing is written before the difference has been shown.

mod clients;
mod edit;
mod entry;
mod list;
mod places;
mod rewrite;
mod toml_text;

use std::path::Path;

use docent_mcp::Choice;
use owo_colors::OwoColorize;
use serde_json::{Value, json};

use self::clients::Client;
pub(crate) use self::clients::names as client_names;
use self::edit::{Action, Problem, Wish};
use self::entry::Entry;
use self::places::{Places, System};
use crate::args::{GlobalArgs, InstallArgs, InstallScope};
use crate::edited_file::EditedFile;
use crate::errors::{CliError, Exit};
use crate::printer::{Printer, clean};
use crate::{diff, env_vars};

/// Longer names are refused by some clients.
const LONGEST_NAME: usize = 60;

pub(super) fn run(
    args: &InstallArgs,
    global: &GlobalArgs,
    here: &Path,
    printer: &Printer,
) -> Result<Exit, CliError> {
    check_name(&args.name)?;
    check_toolsets(&args.toolsets)?;
    let lookup = &env_vars::process;
    let places = Places::find(System::current(), here, lookup)?;
    if args.list {
        return list::run(args, &places, printer);
    }
    let client =
        args.client.as_deref().and_then(clients::find).ok_or_else(|| {
            CliError::usage("no client is named", "`docent install --list` shows the clients")
        })?;
    let scope = scope(args, client, &places)?;
    let path = places.file(client, scope).ok_or_else(|| no_project_file(client))?;
    let entry = match (&args.http, args.remove) {
        (_, true) => None,
        (Some(url), false) => {
            check_no_settings(global)?;
            Some(entry::http(client, url, args.token_env.as_deref())?)
        }
        (None, false) => Some(entry::command(client, scope, &places, global, &args.toolsets, lookup)?),
    };
    let file = EditedFile::read(&path)?;
    let wish = entry.as_ref().map_or(Wish::Remove, |entry| Wish::Set(&entry.value));
    let old = file.text().unwrap_or_default();
    let (action, new) =
        edit::apply(client, old, &args.name, &wish).map_err(|problem| told(problem, &path, old))?;
    let change = Change {
        args,
        client,
        scope,
        path: &path,
        shown: places.shown(&path),
        action,
        entry: entry.as_ref(),
    };
    let diff = if action.changes() { diff::unified(&change.shown, file.text(), &new) } else { String::new() };
    if !args.json {
        printer.view(&diff)?;
    }
    if action.changes() && !args.dry_run {
        let asks = !args.yes && !args.json && printer.can_ask();
        if asks && !printer.ask(&format!("Write this to {}?", clean(&change.shown)))? {
            printer.note("nothing was written");
            return Ok(Exit::Problems);
        }
        file.write(&new)?;
    }
    if action == Action::Absent
        && let Some(other) = other_place(client, scope, &args.name, &places)
    {
        printer.note(other);
    }
    change.tell(&diff, printer)
}

/// Where the entry is instead, for somebody who looked for it in the wrong scope.
fn other_place(client: &Client, scope: InstallScope, name: &str, places: &Places<'_>) -> Option<String> {
    let other = match scope {
        InstallScope::Project => InstallScope::User,
        InstallScope::User => InstallScope::Project,
    };
    let path = places.file(client, other)?;
    let file = EditedFile::read(&path).ok()?;
    let there = edit::has(client, file.text()?, name).ok()?;
    let (scope, shown) = (other.as_str(), places.shown(&path));
    there.then(|| format!("{name} is in {shown}; use --scope {scope} to take it out there"))
}

/// Where the entry goes: where the user says, else the project, else the user's own file.
fn scope(args: &InstallArgs, client: &Client, places: &Places<'_>) -> Result<InstallScope, CliError> {
    match args.scope {
        Some(InstallScope::Project) if client.project.is_none() => Err(no_project_file(client)),
        Some(scope) => Ok(scope),
        None if client.project.is_some() && places.project.is_some() => Ok(InstallScope::Project),
        None => Ok(InstallScope::User),
    }
}

fn no_project_file(client: &Client) -> CliError {
    let message = format!("{} reads no configuration from a project", client.title);
    CliError::usage(message, "use --scope user")
}

/// Every client takes letters, digits, `-` and `_`; some take nothing else.
fn check_name(name: &str) -> Result<(), CliError> {
    let fine = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    if !name.is_empty() && name.len() <= LONGEST_NAME && name.chars().all(fine) {
        return Ok(());
    }
    let hint = format!("use up to {LONGEST_NAME} letters, digits, `-` and `_`");
    Err(CliError::usage(format!("--name `{name}` cannot be the name of a server"), hint))
}

/// What `docent serve` would refuse must not stand in a file.
fn check_toolsets(toolsets: &[String]) -> Result<(), CliError> {
    let choice = Choice { toolsets: toolsets.to_vec(), ..Choice::default() };
    choice.check().map_err(|message| CliError::usage(message, "e.g. --toolsets docs,collections"))
}

/// A server that runs already has its settings.
fn check_no_settings(global: &GlobalArgs) -> Result<(), CliError> {
    let given = [
        ("--docs", global.docs.is_some()),
        ("--index", global.index.is_some()),
        ("--embedder", global.embedder.is_some()),
    ];
    match given.iter().find(|(_, given)| *given) {
        None => Ok(()),
        Some((flag, _)) => Err(CliError::usage(
            format!("{flag} has no effect on a server that runs already"),
            format!("leave {flag} out, or give it to the server when it is started"),
        )),
    }
}

fn told(problem: Problem, path: &Path, text: &str) -> CliError {
    match problem {
        Problem::Broken(broken) => {
            let (line, column) = broken.position(text);
            CliError::failed(
                format!(
                    "{}: line {line}, column {column}: {}; nothing was written",
                    path.display(),
                    broken.message
                ),
                "put the file right and run the command again",
            )
        }
        Problem::Unsafe => CliError::failed(
            format!("{} cannot be changed without losing something; nothing was written", path.display()),
            "this is a bug in docent; please report it, and edit the file by hand (see the guide)",
        ),
    }
}

/// What was decided, to be told.
struct Change<'a> {
    args: &'a InstallArgs,
    client: &'a Client,
    scope: InstallScope,
    path: &'a Path,
    shown: String,
    action: Action,
    entry: Option<&'a Entry>,
}

impl Change<'_> {
    fn tell(&self, diff: &str, printer: &Printer) -> Result<Exit, CliError> {
        let written = self.action.changes() && !self.args.dry_run;
        let notes = self.entry.map(|entry| entry.notes.as_slice()).unwrap_or_default();
        let next = if written && self.action != Action::Removed { self.next() } else { None };
        if self.args.json {
            let entry: Option<&Value> = self.entry.map(|entry| &entry.value);
            printer.json(&json!({
                "client": self.client.name,
                "scope": self.scope,
                "path": self.path.display().to_string(),
                "name": self.args.name,
                "action": self.action,
                "written": written,
                "entry": entry,
                "diff": console::strip_ansi_codes(diff),
                "notes": notes,
                "next": next,
            }))?;
            return Ok(Exit::Fine);
        }
        printer.view(&format!("{}\n", self.outcome()))?;
        notes.iter().for_each(|note| printer.note(note));
        if self.args.dry_run && self.action.changes() {
            printer.note("nothing was written, because of --dry-run");
        }
        if let Some(next) = next {
            printer.info(format_args!("{} {next}", "next:".cyan().bold()));
        }
        Ok(Exit::Fine)
    }

    fn outcome(&self) -> String {
        let (name, client, scope) = (&self.args.name, self.client.title, self.scope.as_str());
        let place = format!("{client} ({scope}): {}", clean(&self.shown));
        let would = if self.args.dry_run { "would be " } else { "" };
        match self.action {
            Action::Added => format!("{name} {would}added to {place}"),
            Action::Replaced => format!("{name} {would}replaced in {place}"),
            Action::Removed => format!("{name} {would}removed from {place}"),
            Action::Unchanged => format!("{name} is already in {place}"),
            Action::Absent => format!("{name} is not in {place}"),
        }
    }

    fn next(&self) -> Option<&'static str> {
        let next = match self.scope {
            InstallScope::Project => self.client.next_project,
            InstallScope::User => self.client.next_user,
        };
        Some(next).filter(|next| !next.is_empty())
    }
}
