//! Docs health of a project: which repository it is about, and where it is kept.
//!
//! It is kept beside the index unless a database is named, in the way of DocAlign: by flag, by environment, by its settings
//! file. Only what is asked for by flag has to work; the others may be meant for another program.

use std::hash::{Hash, Hasher};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use docent_claims::{Options, Verification, Watch};
use docent_engine::{Engine, SearchHit, git};
use docent_health::{Health, HealthError, Identity, Service, Verifier, iso};
use docent_index::{Filter, Role, Store};
use docent_store_embedded::EmbeddedHealth;
use serde_json::Value;

use crate::commands::verify::kept::Kept;
use crate::commands::verify::waivers;
use crate::env_vars;
use crate::errors::{CliError, Exit};
use crate::printer::Printer;
use crate::settings::Settings;

/// DocAlign's own settings, in the home folder.
const DOCALIGN_SETTINGS: &str = ".docalign/config.json";
/// How the address of a file begins.
const SQLITE: &str = "sqlite:";

/// Docs health of the project that the settings are about, where `docent serve` keeps it.
pub(crate) fn open(settings: &Settings) -> Health {
    // An address that cannot be read is told by `docent serve`, which keeps things beside the index then.
    let named = named_elsewhere().and_then(|(url, _)| file_of(&url).map(Path::to_owned));
    open_in(settings, named)
}

/// As [`open`], kept in this file.
pub(crate) fn open_in(settings: &Settings, file: Option<PathBuf>) -> Health {
    let is_writable = settings.built.is_none();
    let store = match file {
        Some(file) => EmbeddedHealth::at(file, is_writable),
        None if is_writable => EmbeddedHealth::new(&settings.index.value),
        None => EmbeddedHealth::reading(&settings.index.value),
    };
    let health = Health::new(Arc::new(store), identity(settings));
    if is_writable { health } else { health.read_only() }
}

/// The repository around the documents; outside of one, the project's folder, or that of the documents.
fn identity(settings: &Settings) -> Identity {
    let around = Identity::around(&settings.docs.value);
    match &settings.project {
        Some(project) if !around.is_git => Identity::around(project),
        _ => around,
    }
}

/// The folder that `--repo` names, which has to be a repository.
pub(crate) fn repository(folder: &Path) -> Result<PathBuf, CliError> {
    match Identity::at(folder) {
        Some(identity) => Ok(identity.root),
        None => Err(CliError::problems(
            format!("Not a git repository: {}", folder.display()),
            "--repo takes the folder that holds .git",
        )),
    }
}

/// The file of a database that was named; `None` to keep things beside the index.
pub(crate) fn database(flag: Option<&str>, printer: &Printer) -> Result<Option<PathBuf>, CliError> {
    let (url, origin) = match flag.map(str::to_owned) {
        Some(url) => (url, "--database-url"),
        None => match named_elsewhere() {
            Some(named) => named,
            None => return Ok(None),
        },
    };
    match file_of(&url) {
        Some(path) => return Ok(Some(path.to_owned())),
        None if url.starts_with(SQLITE) => {
            return Err(CliError::usage(format!("{origin} names no file"), "write sqlite:PATH"));
        }
        None => {}
    }
    // The address may hold a password.
    let kind = url.split(':').next().unwrap_or_default();
    let message =
        format!("{origin} names a `{}` database, which this docent cannot read", kind.escape_debug());
    match origin {
        "--database-url" => Err(CliError::usage(
            message,
            "leave it out to keep docs health beside the index, or write sqlite:PATH",
        )),
        _ => {
            printer.note(format_args!("{message}; docs health is kept beside the index"));
            Ok(None)
        }
    }
}

/// The file that an address names; `None` for one of another kind, or without a path.
fn file_of(url: &str) -> Option<&Path> {
    let path = url.strip_prefix(SQLITE)?;
    let path = path.strip_prefix("//").unwrap_or(path);
    (!path.is_empty()).then(|| Path::new(path))
}

fn named_elsewhere() -> Option<(String, &'static str)> {
    if let Some(url) = env_vars::process(env_vars::DOCALIGN_DATABASE_URL) {
        return Some((url.to_string_lossy().into_owned(), env_vars::DOCALIGN_DATABASE_URL));
    }
    let home = env_vars::process(env_vars::HOME).or_else(|| env_vars::process(env_vars::USERPROFILE))?;
    let text = std::fs::read_to_string(Path::new(&home).join(DOCALIGN_SETTINGS)).ok()?;
    let settings: Value = serde_json::from_str(&text).ok()?;
    Some((settings["database_url"].as_str()?.to_owned(), "~/.docalign/config.json"))
}

/// Keeps what `docent verify` found for the tools and for searches, where there is an index to keep it beside.
pub(crate) fn keep(
    settings: &Settings,
    root: &Path,
    found: &Verification,
    is_complete: bool,
) -> Result<(), CliError> {
    let health = open(settings);
    let is_same = std::fs::canonicalize(root).is_ok_and(|root| root == health.identity().root);
    if is_same && settings.index.value.is_dir() && health.takes_reports() {
        health.keep(found, None, is_complete)?;
    }
    Ok(())
}

/// Verifies in the background: now, and whenever documents, the commit or what git tracks have changed.
pub(crate) fn verify_in_background(
    health: &Arc<Health>,
    engine: &Arc<Engine>,
    store: Arc<dyn Store>,
    settings: &Settings,
    printer: &Printer,
) -> Result<Option<Verifier>, CliError> {
    let root = health.identity().root.clone();
    let waivers = waivers::of_settings(&settings.waivers)?;
    let kept = Kept::of(settings, &root);
    let mut service = Service::new(Arc::clone(health), kept.previous(), kept.facts());
    service.keep_in(kept.folder());
    let clock = Arc::clone(health);
    let verify = move |is_cancelled: &(dyn Fn() -> bool + Sync)| {
        // Another process is at it, and what it finds is kept for all.
        let Ok(Some(_lease)) = store.try_lease(Role::Verify) else { return Ok(()) };
        let today = iso(clock.now()).chars().take(10).collect();
        let options = Options { today, waivers: waivers.clone(), ..Options::default() };
        kept.keep(service.run(&options, Watch { progress: &|_| {}, is_cancelled })?);
        Ok(())
    };
    let (engine, told, known) = (Arc::clone(engine), printer.clone(), Arc::clone(health));
    let state = move || {
        let tracked =
            std::fs::metadata(root.join(".git/index")).and_then(|metadata| metadata.modified()).ok();
        let (indexed, checked) = (engine.content_generation().ok(), stamp(&known, &root));
        format!("{:?} {indexed:?} {tracked:?} {checked}", git::head(&root))
    };
    let tell = move |reason: &str| told.note(format_args!("the documents could not be checked: {reason}"));
    Ok(health.spawn_verifier(Box::new(verify), state, tell).ok())
}

/// What changes with every document that was checked: some are outside of the indexed folder, such as the README.
fn stamp(health: &Health, root: &Path) -> u64 {
    let Ok(view) = health.view() else { return 0 };
    let mut documents: Vec<&str> = view.documents().collect();
    documents.sort_unstable();
    let mut stamp = std::hash::DefaultHasher::new();
    for document in documents {
        let about = std::fs::metadata(root.join(document)).ok();
        (document, about.map(|about| (about.len(), about.modified().ok()))).hash(&mut stamp);
    }
    stamp.finish()
}

/// Says of each hit how its lines agree with the code. What cannot be found out is left out.
pub(crate) fn mark(health: &Health, engine: &Engine, hits: &mut [SearchHit]) {
    let Ok(view) = health.view() else { return };
    for hit in hits {
        let about = &hit.metadata;
        let source = engine.sources().iter().find(|source| source.collection == about.collection);
        let Some(file) = source.and_then(|source| health.file_of(&source.root, &about.file_path)) else {
            continue;
        };
        let known = view.lines(&file, about.start_line..=about.end_line, &about.content_hash);
        hit.verification = known.and_then(|known| serde_json::to_value(known).ok());
    }
}

/// Narrows a filter to what was verified.
pub(crate) fn narrow(health: &Health, engine: &Engine, filter: &mut Filter) -> Result<(), CliError> {
    let folder = |source: &docent_engine::Source| (source.collection.clone(), source.root.clone());
    let folders: Vec<_> = engine.sources().iter().map(folder).collect();
    filter.chosen = Some(health.chosen(&*engine.snapshot()?, &folders, true)?);
    Ok(())
}

impl From<HealthError> for CliError {
    fn from(error: HealthError) -> Self {
        Self::Told { exit: Exit::Failed, message: error.to_string(), hint: error.hint().to_owned() }
    }
}
