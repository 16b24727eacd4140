//! `docent collections`: which there are, where they come from, and whether they are here.

use std::fmt::Write;

use docent_engine::{CatalogueEntry, Names};
use owo_colors::OwoColorize;
use serde::Serialize;

use super::add::short;
use super::args::CollectionsArgs;
use crate::collections::{self, Listed, Owner};
use crate::database;
use crate::errors::{CliError, Exit};
use crate::handed;
use crate::numbers::counted;
use crate::printer::{Printer, clean};
use crate::settings::Settings;
use crate::wiring;

/// One collection, for `--json`.
#[derive(Serialize)]
struct Row {
    name: String,
    /// Other names for it; without a version, the name of the newest one.
    aliases: Vec<String>,
    description: Option<String>,
    version: Option<String>,
    /// Where it comes from: a folder, or what it was fetched from.
    source: Option<String>,
    revision: Option<String>,
    /// When it was fetched, ISO 8601.
    synced_at: Option<String>,
    /// Whether it is the project's own documents folder.
    own: bool,
    /// Whose file lists it; absent for folders that were indexed without being listed.
    listed_by: Option<Owner>,
    /// Whether it is a library: its documents were handed over.
    library: bool,
    /// Whether it is read where it is.
    live: bool,
    /// Whether it is in a database that others use, too.
    #[serde(skip)]
    shared: bool,
    /// Whether it is in the index.
    indexed: bool,
    documents: usize,
    chunks: usize,
}

pub(crate) fn run(args: &CollectionsArgs, settings: &Settings, printer: &Printer) -> Result<Exit, CliError> {
    let (known, libraries) = match settings.has_index() {
        true => catalogue(settings, printer)?,
        false => (Vec::new(), Vec::new()),
    };
    let mut rows = rows(settings, known);
    for row in &mut rows {
        row.library = libraries.contains(&row.name);
    }
    if args.json {
        printer.json(&serde_json::json!({ "collections": rows }))?;
        return Ok(Exit::Fine);
    }
    if rows.is_empty() {
        return Err(CliError::problems(
            "nothing is indexed and no collection is listed",
            "`docent add NAME SOURCE` adds one, `docent ingest FILE` takes in a document",
        ));
    }
    // A project that only has libraries need not hear of a documents folder that it has not got.
    let is_idle = |row: &Row| row.own && row.indexed && row.documents == 0 && row.listed_by.is_none();
    let is_all_idle = rows.iter().all(is_idle);
    rows.retain(|row| is_all_idle || !is_idle(row));
    printer.view(&view(&rows))?;
    if is_all_idle {
        printer.note(format_args!("nothing is in it yet; {}", handed::FIRST_STEP));
    }
    Ok(Exit::Fine)
}

/// The collections of the index, and the names of those that are libraries.
fn catalogue(settings: &Settings, printer: &Printer) -> Result<(Vec<CatalogueEntry>, Vec<String>), CliError> {
    let engine = wiring::open_alone(settings, wiring::Vectors::Unused, printer)?.engine;
    Ok((engine.catalogue(&[])?, engine.libraries()?))
}

fn rows(settings: &Settings, known: Vec<CatalogueEntry>) -> Vec<Row> {
    let listed = &settings.collections;
    let mut ids: Vec<String> = known.iter().map(|entry| entry.name.clone()).collect();
    ids.extend(listed.iter().map(|listed| listed.name.clone()));
    ids.sort();
    ids.dedup();
    let names = Names::new(ids.clone(), collections::aliases(listed));
    let (own, shared) = (settings.docs.value.display().to_string(), settings.postgres().is_some());
    let shared_name = shared.then(|| database::shared_name(&settings.docs.value));
    let row = |id: &String| {
        let entry = known.iter().find(|entry| entry.name == *id);
        let listed = listed.iter().find(|listed| listed.name == *id);
        Row {
            own: match &shared_name {
                Some(name) => name == id,
                None => entry.and_then(|entry| entry.root.as_ref()) == Some(&own),
            },
            shared,
            ..row(id, entry, listed, &names)
        }
    };
    ids.iter().map(row).collect()
}

fn row(id: &str, entry: Option<&CatalogueEntry>, listed: Option<&Listed>, names: &Names) -> Row {
    let card = entry.map(|entry| entry.card.clone()).unwrap_or_default();
    let said = listed.map(Listed::card).unwrap_or_default();
    let mut aliases = listed.map(|listed| listed.section.aliases.clone()).unwrap_or_default();
    let bare = docent_engine::split_version(id).0;
    if bare != id && names.resolve(bare) == Some(id) {
        aliases.push(bare.to_owned());
    }
    let source = listed.map(Listed::source);
    let source = source.or(card.source).or_else(|| entry.and_then(|entry| entry.root.clone()));
    Row {
        name: id.to_owned(),
        aliases,
        description: said.description.or(card.description),
        version: said.version.or(card.version).or_else(|| listed.and_then(Listed::named_version)),
        source,
        revision: card.revision,
        synced_at: card.synced_ms.map(docent_store_embedded::Marker::time),
        own: false,
        shared: false,
        library: false,
        listed_by: listed.map(|listed| listed.owner),
        live: listed.map_or_else(|| entry.is_some_and(|entry| entry.root.is_some()), Listed::is_live),
        indexed: entry.is_some(),
        documents: entry.map_or(0, |entry| entry.documents),
        chunks: entry.map_or(0, |entry| entry.chunks),
    }
}

fn view(rows: &[Row]) -> String {
    let mut text = String::new();
    for row in rows {
        let sizes = match (row.indexed, row.live) {
            (true, _) => format!("{}, {}", counted(row.documents, "document"), counted(row.chunks, "chunk")),
            (false, true) => format!("not read yet; `docent sync {}` reads it", row.name),
            (false, false) => format!("not here yet; `docent sync {}` fetches it", row.name),
        };
        let also = match row.aliases.is_empty() {
            true => String::new(),
            false => format!(" (also {})", row.aliases.join(", ")),
        };
        let shown = row.version.as_ref().filter(|version| !row.name.ends_with(&format!("@{version}")));
        let version = shown.map(|version| format!(" {}", clean(version))).unwrap_or_default();
        let _ = writeln!(text, "{}{version}{}  {}", clean(&row.name).bold(), clean(&also).dimmed(), sizes);
        if let Some(description) = &row.description {
            let _ = writeln!(text, "  {}", clean(description));
        }
        let mut facts = Vec::new();
        facts.extend(row.source.as_ref().filter(|_| !row.library).map(|source| clean(source)));
        facts.extend(row.revision.as_ref().map(|revision| short(revision)));
        facts.extend(row.synced_at.as_ref().map(|time| format!("fetched {time}")));
        facts.push(match row.listed_by {
            Some(_) if row.library => format!(
                "a library; the listed collection of this name is left out until `docent rename {} OTHER` renames the library",
                clean(&row.name)
            ),
            Some(Owner::Project) => "listed by the project".to_owned(),
            Some(Owner::User) => "listed by you".to_owned(),
            None if row.own => "the documents folder".to_owned(),
            None if row.library => "a library; `docent ingest` adds to it".to_owned(),
            None if row.shared => format!("shared; `-c {}` searches it alone", clean(&row.name)),
            None => format!("not listed, so not searched; `docent remove {}` deletes it", clean(&row.name)),
        });
        let _ = writeln!(text, "  {}", facts.join(" · ").dimmed());
    }
    text
}
