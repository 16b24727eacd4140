//! Which collections a command is about, and the folders that are read for them.

use std::path::Path;

use docent_engine::{About, Names, Source};
use docent_index::Collection;

use super::Reach;
use crate::args::ScopeArgs;
use crate::collections::{self, Listed};
use crate::database;
use crate::errors::CliError;
use crate::origin;
use crate::printer::Printer;
use crate::settings::{self, Origin, Settings};

/// The name under which the documents folder is known, or a new one.
pub(crate) fn collection_name(settings: &Settings, known: &[Collection]) -> String {
    let docs = &settings.docs.value;
    let root = docs.display().to_string();
    if settings.postgres().is_some() {
        return database::shared_name(docs);
    }
    if let Some(collection) = known.iter().find(|collection| collection.root == root) {
        return collection.name.clone();
    }
    let base = docs.file_name().map_or_else(|| "docs".to_owned(), |name| name.to_string_lossy().into_owned());
    let in_project =
        settings.project.as_deref().is_some_and(|project| settings.index.value.starts_with(project));
    let is_taken = |name: &str| {
        known.iter().any(|collection| {
            // A project that was moved takes its index along: the folder that is no more was this one.
            let moved = in_project && !collection.root.is_empty() && !Path::new(&collection.root).exists();
            collection.name == name && !moved
        })
    };
    let numbered = (2..).map(|number| format!("{base}-{number}"));
    std::iter::once(base.clone()).chain(numbered).find(|name| !is_taken(name)).unwrap_or(base)
}

/// What the database has for a project, which reads no folder itself: its own documents, the collections that it lists and
/// all libraries. Elsewhere, everything.
pub(super) fn kept_for(settings: &Settings, known: &[Collection], printer: &Printer) -> Vec<String> {
    let own = collection_name(settings, known);
    let is_kept = |name: &String| known.iter().any(|known| known.name == *name);
    if !is_kept(&own) {
        if settings.project.is_some() && !known.is_empty() {
            printer.note(format_args!(
                "`{own}` is not in the database: answers come from the other collections; `docent index` puts it there"
            ));
        }
        return Vec::new();
    }
    let listed = settings.collections.iter().map(|listed| listed.name.clone());
    let mut names: Vec<String> =
        std::iter::once(own).chain(listed).chain(libraries(known)).filter(is_kept).collect();
    names.sort_unstable();
    names.dedup();
    names
}

/// The documents folder, and with [`Reach::Listed`] every collection that the settings list.
pub(super) fn own_sources(
    settings: &Settings,
    reach: Reach,
    known: &[Collection],
    printer: &Printer,
) -> Result<(Vec<Source>, Vec<String>), CliError> {
    let name = collection_name(settings, known);
    let mut rules = settings.rules();
    if settings.postgres().is_some() {
        rules.card = origin::settled(&name, &settings.docs.value, known, printer)?;
    }
    let mut sources = vec![Source::new(&name, &settings.docs.value, &rules)?];
    let mut names = vec![name];
    if reach == Reach::Own {
        return Ok((sources, names));
    }
    for listed in &settings.collections {
        if names.contains(&listed.name) {
            let name = &listed.name;
            printer.note(format_args!(
                "collection `{name}` is left out: the documents folder has that name; `docent rename` gives it another"
            ));
            continue;
        }
        sources.extend(live(settings, listed, known, printer));
        names.push(listed.name.clone());
    }
    names.extend(libraries(known).filter(|library| !names.contains(library)).collect::<Vec<_>>());
    Ok((sources, names))
}

/// Names of the collections whose documents were handed over. They are part of every answer without being listed.
fn libraries(known: &[Collection]) -> impl Iterator<Item = String> {
    known.iter().filter(|known| is_library(known)).map(|known| known.name.clone())
}

fn is_library(known: &Collection) -> bool {
    known.root.is_empty() && serde_json::from_str(&known.about).is_ok_and(|about: About| about.library)
}

/// The folder of a collection that is read where it is. One that is missing is left as it was indexed, and said; one that
/// nobody here has agreed to is not looked at.
fn live(settings: &Settings, listed: &Listed, known: &[Collection], printer: &Printer) -> Option<Source> {
    let known = known.iter().find(|known| known.name == listed.name);
    let is_known = known.is_some();
    if known.is_some_and(is_library) {
        let name = &listed.name;
        printer.note(format_args!(
            "collection `{name}` is left out: there is a library `{name}` already; `docent rename {name} OTHER` renames the library"
        ));
        return None;
    }
    match listed.live_source()? {
        Ok(source) => listed.is_agreed_to(&source, settings.project.as_deref(), known).then_some(source),
        Err(CliError::Told { message, .. }) if is_known => {
            printer.note(format_args!(
                "collection `{}`: {message}; answers show it as it was indexed",
                listed.name
            ));
            None
        }
        Err(CliError::Told { message, .. }) => {
            printer.note(format_args!("collection `{}`: {message}", listed.name));
            None
        }
        Err(CliError::OutputClosed) => None,
    }
}

/// Collections that are named must exist.
pub(crate) fn check_scope(
    settings: &Settings,
    scope: &ScopeArgs,
    known: &[Collection],
) -> Result<(), CliError> {
    resolved(settings, scope, known).map(|_| ())
}

/// The ids of the collections that are named, by whatever name.
pub(super) fn resolved(
    settings: &Settings,
    scope: &ScopeArgs,
    known: &[Collection],
) -> Result<Vec<String>, CliError> {
    let mut ids: Vec<String> = known.iter().map(|collection| collection.name.clone()).collect();
    // Folders need not have been indexed before.
    let is_read = |listed: &&Listed| match listed.live_source() {
        Some(Ok(source)) => listed.is_agreed_to(&source, settings.project.as_deref(), None),
        _ => false,
    };
    let live = settings.collections.iter().filter(is_read);
    let own = settings.docs.value.is_dir().then(|| collection_name(settings, known));
    for name in live.map(|listed| listed.name.clone()).chain(own) {
        if !ids.contains(&name) {
            ids.push(name);
        }
    }
    let names = Names::new(ids, collections::aliases(&settings.collections));
    let resolve = |name: &String| {
        names.resolve(name).map(str::to_owned).ok_or_else(|| unknown(settings, known, &names, name))
    };
    scope.collection.iter().map(resolve).collect()
}

fn unknown(settings: &Settings, known: &[Collection], names: &Names, name: &str) -> CliError {
    // Folders of this machine are not read where a database is, and only what is in it is there.
    let ids: Vec<&str> = match settings.postgres() {
        Some(_) => known.iter().map(|collection| collection.name.as_str()).collect(),
        None => names.ids().iter().map(String::as_str).collect(),
    };
    let hint = match ids.is_empty() {
        _ if collections::is_listed(&settings.collections, name) => {
            format!("it is listed and not here yet: `docent sync {name}` fetches it")
        }
        true => "nothing is indexed here yet; `docent index DIR` does it".to_owned(),
        false => format!("there are: {}", ids.join(", ")),
    };
    CliError::problems(format!("there is no collection `{name}` in {}", settings.place()), hint)
}

/// Sources of the named collections, or of all. A folder that is missing is left as it was indexed, and said.
pub(super) fn scoped_sources(
    settings: &Settings,
    scope: &ScopeArgs,
    known: &[Collection],
    printer: &Printer,
) -> Result<(Vec<Source>, Vec<String>), CliError> {
    let ids = resolved(settings, scope, known)?;
    let mut sources = Vec::new();
    let asked = |name: &String| scope.all || ids.contains(name);
    let listed = |name: &String| settings.collections.iter().any(|listed| listed.name == *name);
    for listed in settings.collections.iter().filter(|listed| asked(&listed.name)) {
        sources.extend(live(settings, listed, known, printer));
    }
    let rest = known.iter().filter(|known| asked(&known.name) && !listed(&known.name));
    for collection in rest.filter(|collection| !collection.root.is_empty()) {
        let root = Path::new(&collection.root);
        if !root.is_dir() {
            printer.note(format_args!(
                "the folder {} of collection `{}` is missing; answers show it as it was indexed",
                collection.root, collection.name
            ));
            continue;
        }
        let rules = if root == settings.docs.value { settings.rules() } else { settings::rules_of(root)? };
        sources.push(Source::new(&collection.name, root, &rules)?);
    }
    // The documents folder takes part in "all" when somebody named it or when the index is its own, indexed before or not.
    let is_known = known.iter().any(|collection| Path::new(&collection.root) == settings.docs.value);
    let is_meant = settings.docs.origin != Origin::Default || settings.index.origin == Origin::Default;
    let own = collection_name(settings, known);
    let is_asked = (scope.all && is_meant) || ids.contains(&own);
    if is_asked && !is_known && settings.docs.value.is_dir() {
        sources.push(Source::new(&own, &settings.docs.value, &settings.rules())?);
    }
    Ok((sources, ids))
}

/// Whether somebody names an index that holds something, in a folder that is no project and that the index does not know.
/// The folder is only where they happen to be: its files are none of the index's business.
pub(super) fn is_asked_from_elsewhere(settings: &Settings, reach: Reach, known: &[Collection]) -> bool {
    let is_named = matches!(settings.index.origin, Origin::Flag(_) | Origin::Environment(_));
    let is_known = || known.iter().any(|known| Path::new(&known.root) == settings.docs.value);
    reach == Reach::Listed
        && is_named
        && settings.project.is_none()
        && settings.docs.origin == Origin::Default
        && !known.is_empty()
        && !is_known()
}
