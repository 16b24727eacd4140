//! `docent add`: fetch and index a set of documents, then write it down. What could not be fetched is not written down.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use docent_engine::Cancel;
use docent_sources::Spec;
use serde::Serialize;

use super::args::AddArgs;
use super::entries::{self, Entries};
use super::fetching::{Brought, Desk, State};
use crate::collections::{Listed, Owner, check_name};
use crate::config_file::CollectionSection;
use crate::errors::{CliError, Exit};
use crate::numbers::{counted, duration};
use crate::printer::{Printer, clean};
use crate::settings::Settings;
use crate::wiring::{self, Vectors};

/// What was added, for `--json`.
#[derive(Serialize)]
struct Summary {
    #[serde(flatten)]
    brought: Brought,
    /// The file that lists it now.
    listed_in: PathBuf,
    seconds: f64,
}

pub(crate) fn run(
    args: &AddArgs,
    settings: &Settings,
    here: &Path,
    printer: &Printer,
    cancel: &Cancel,
) -> Result<Exit, CliError> {
    let begun = Instant::now();
    let owner = if args.user || settings.project.is_none() { Owner::User } else { Owner::Project };
    let file = entries::file_of(settings, owner)?;
    let listed = listed(args, settings, here, &file, owner)?;
    check_free(settings, &listed)?;
    check_aliases(settings, &listed)?;
    // A file that cannot be edited is told before anything is fetched.
    Entries::read(&file)?.put(&listed.name, &listed.section)?;
    let vectors = if args.no_embed { Vectors::Wanted } else { Vectors::Needed };
    let desk = Desk::open(settings, vectors, printer, cancel)?;
    check_unused(settings, &desk, &listed)?;
    let brought = desk.bring(&listed, false)?;
    crate::sync::tell_problems(brought.report.problems.iter(), printer);
    if brought.state == State::Stopped {
        printer.info("stopped; nothing was added");
        return Ok(Exit::Interrupted);
    }
    if brought.documents == 0 {
        if brought.state == State::Added {
            desk.opened.engine.remove_collection(&listed.name)?;
        }
        let hint = match args.include.is_empty() {
            true => "say which files to read with --include '**/*.txt'; nothing was added",
            false => "check the patterns of --include; nothing was added",
        };
        return Err(CliError::problems(format!("no documents in {}", listed.source()), hint));
    }
    let written = entries::change(&file, |entries| entries.put(&listed.name, &listed.section));
    let listed_in = written.inspect_err(|_| {
        // What nobody lists is never looked at again.
        if brought.state == State::Added {
            let _ = desk.opened.engine.remove_collection(&listed.name);
        }
    })?;
    let is_complete = args.no_embed || desk.embed([&brought])?;
    let summary = Summary { brought, listed_in, seconds: begun.elapsed().as_secs_f64() };
    if args.json {
        printer.json(&summary)?;
    } else if !printer.is_quiet() {
        printer.view(&view(&summary))?;
        if args.no_embed {
            printer.note("it is found by its words; `docent sync` makes the vectors");
        }
    }
    if !is_complete {
        printer
            .info("stopped; it can be found by its words, and `docent sync` makes the rest of the vectors");
        return Ok(Exit::Interrupted);
    }
    Ok(if summary.brought.report.problems.is_empty() { Exit::Fine } else { Exit::Problems })
}

/// The entry as it would stand in `file`.
fn listed(
    args: &AddArgs,
    settings: &Settings,
    here: &Path,
    file: &Path,
    owner: Owner,
) -> Result<Listed, CliError> {
    let (name, source) = match args.what.as_slice() {
        [source] => (None, source),
        [name, source, ..] => (Some(name.clone()), source),
        [] => {
            return Err(CliError::usage(
                "no source is given",
                "`docent add --help` shows the kinds of sources",
            ));
        }
    };
    let spec = parse(name.as_deref(), source, here)?;
    if args.hash.is_some() && spec.is_live() {
        return Err(CliError::usage(
            format!("{spec} is read where it is and changes with its files; it cannot be held to a hash"),
            "leave --hash out, or pack the documents and add the bundle",
        ));
    }
    let name = match name {
        Some(name) => name,
        None => spec.suggested_name().filter(|name| check_name(name).is_ok()).ok_or_else(|| {
            CliError::usage(
                format!("{spec} has no name of its own"),
                format!("give it one: docent add NAME {source}"),
            )
        })?,
    };
    check_name(&name)?;
    let section = section(args, settings, &name, entries::written(&spec, source, file), owner);
    let docs = &settings.docs.value;
    if matches!(&spec, Spec::Folder(folder) if folder.canonicalize().is_ok_and(|folder| folder == *docs)) {
        return Err(CliError::usage(
            format!("{} is the project's own documents folder", docs.display()),
            "it is indexed and served already",
        ));
    }
    // What is typed counts from here, what is written from the file.
    Ok(Listed::new(&name, section, file, owner)?.with_spec(spec))
}

/// Whoever gives the arguments the wrong way round is told so.
fn parse(name: Option<&str>, source: &str, here: &Path) -> Result<Spec, CliError> {
    let swapped = |name: &&str| check_name(source).is_ok() && Spec::parse(name, here).is_ok();
    Spec::parse(source, here).map_err(|error| match name.filter(swapped) {
        Some(path) => {
            CliError::usage(error.message, format!("the name comes first: docent add {source} {path}"))
        }
        None => error.into(),
    })
}

/// What is to be written down. Whoever adds the same again keeps what was said before and is not said anew.
fn section(
    args: &AddArgs,
    settings: &Settings,
    name: &str,
    source: String,
    owner: Owner,
) -> CollectionSection {
    let before = entries::find(settings, name).filter(|known| known.owner == owner);
    let before = before.map(|known| known.section.clone()).unwrap_or_default();
    let or = |given: &Vec<String>, before| if given.is_empty() { before } else { given.clone() };
    CollectionSection {
        source,
        description: args.description.clone().or(before.description),
        version: before.version,
        aliases: or(&args.alias, before.aliases),
        include: or(&args.include, before.include),
        exclude: or(&args.exclude, before.exclude),
        hash: args.hash.clone().or(before.hash),
    }
}

/// A name that another source has is not taken over silently.
fn check_free(settings: &Settings, listed: &Listed) -> Result<(), CliError> {
    let name = &listed.name;
    if let Some(known) = entries::find(settings, name)
        && known.owner == listed.owner
        && known.source() != listed.source()
    {
        return Err(CliError::usage(
            format!("{name} is listed in {} already, from {}", known.file.display(), known.source()),
            format!("`docent remove {name}` first, or choose another name, e.g. with a version: {name}@2"),
        ));
    }
    Ok(())
}

/// An alias that means something already would never be used.
fn check_aliases(settings: &Settings, listed: &Listed) -> Result<(), CliError> {
    for alias in &listed.section.aliases {
        let is_theirs = |other: &&Listed| other.name == *alias || other.section.aliases.contains(alias);
        let mut others = settings.collections.iter().filter(|other| other.name != listed.name);
        if let Some(owner) = others.find(is_theirs) {
            return Err(CliError::usage(
                format!("{alias} is a name of {} already", owner.name),
                "choose another alias",
            ));
        }
    }
    Ok(())
}

/// Nor is the name of a folder that is indexed without being listed, such as the project's own.
fn check_unused(settings: &Settings, desk: &Desk<'_>, listed: &Listed) -> Result<(), CliError> {
    let name = &listed.name;
    let known = desk.opened.engine.snapshot()?.collections();
    let own = wiring::collection_name(settings, &known) == *name;
    let indexed = known.iter().find(|known| known.name == *name && !known.root.is_empty());
    let root = match indexed.filter(|_| entries::find(settings, name).is_none()) {
        _ if own => settings.docs.value.display().to_string(),
        Some(known) => known.root.clone(),
        None => return Ok(()),
    };
    if matches!(listed.spec()?, Spec::Folder(folder) if folder.display().to_string() == root) {
        return Ok(());
    }
    Err(CliError::usage(
        format!("{name} is the name of the folder {root}, which is indexed here"),
        "choose another name",
    ))
}

fn view(summary: &Summary) -> String {
    let brought = &summary.brought;
    let took = duration(Duration::from_secs_f64(summary.seconds));
    let mut text = format!("{} in {took}\n", brought.line());
    let version = brought.version.as_deref().map(|version| format!(", version {}", clean(version)));
    let revision = brought.revision.as_deref().filter(|it| Some(*it) != brought.version.as_deref());
    let revision = revision.map(|revision| format!(" at {}", short(revision)));
    text.push_str(&format!(
        "From: {}{}{}\n",
        clean(&brought.source),
        revision.unwrap_or_default(),
        version.unwrap_or_default()
    ));
    if brought.vectors_fetched > 0 {
        text.push_str(&format!("{} came with it\n", counted(brought.vectors_fetched, "vector")));
    }
    text.push_str(&format!("Listed in: {}\n", summary.listed_in.display()));
    text.push_str("A server that is running serves it after its next start\n");
    text
}

/// A commit or a hash, as long as people compare it.
pub(super) fn short(revision: &str) -> String {
    let (kind, hash) = revision.split_once(':').map_or(("", revision), |(kind, hash)| (kind, hash));
    let hash: String = clean(hash).chars().take(12).collect();
    if kind.is_empty() { hash } else { format!("{}:{hash}", clean(kind)) }
}
