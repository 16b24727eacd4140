//! Docs health of a project: which repository it is about, and where it is kept.
//!
//! It is kept beside the index unless a database is named.

use std::hash::{Hash, Hasher};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use docent_claims::{Options, Repository, Verification, Watch, WorkState};
use docent_engine::{Engine, SearchHit, git};
use docent_health::{Health, HealthError, HealthStore, Identity, Marker, Service, Verifier, iso};
use docent_index::{Collection, Filter, Role, Store};
use docent_store_embedded::EmbeddedHealth;
use docent_store_postgres::PostgresHealth;

use crate::commands::verify::kept::Kept;
use crate::commands::verify::waivers;
use crate::database::Database;
use crate::errors::{AFTER_OUTAGE, CliError, Exit};
use crate::origin;
use crate::printer::Printer;
use crate::settings::Settings;

/// Docs health of the project that the settings are about, and of the repositories that these collections came from. Outside
/// of a clone, a single one of these takes the project's place.
pub(crate) fn open_beside(settings: &Settings, known: &[Collection]) -> Result<Health, CliError> {
    let mut others = match settings.postgres() {
        Some(_) => origin::others(&settings.docs.value, known),
        None => Vec::new(),
    };
    let own = identity(settings);
    let own = match others.len() {
        1 if own.origin.is_none() => others.remove(0),
        _ => own,
    };
    Ok(open_as(settings, own)?.beside(others))
}

/// Docs health of the project that the settings are about.
pub(crate) fn open(settings: &Settings) -> Result<Health, CliError> {
    open_as(settings, identity(settings))
}

fn open_as(settings: &Settings, identity: Identity) -> Result<Health, CliError> {
    let is_writable = settings.built.is_none();
    let store: Arc<dyn HealthStore> = match &settings.database.value {
        Some(Database::HealthFile(file)) => {
            can_be(file)?;
            Arc::new(EmbeddedHealth::at(file.clone(), is_writable))
        }
        Some(Database::Postgres(url) | Database::DocAlign(url)) if is_writable => {
            Arc::new(PostgresHealth::open(url, is_writable)?)
        }
        _ if is_writable => Arc::new(EmbeddedHealth::new(&settings.index.value)),
        _ => Arc::new(EmbeddedHealth::reading(&settings.index.value)),
    };
    let health = Health::new(store, identity);
    Ok(if is_writable { health } else { health.read_only() })
}

/// A file that is not there yet holds nothing; one that cannot be is told before anybody asks it.
fn can_be(file: &Path) -> Result<(), CliError> {
    let folder = file.parent().map_or(Ok(()), std::fs::create_dir_all);
    folder.map_err(|reason| {
        CliError::problems(
            format!("cannot reach the database of docs health at {}: {reason}", file.display()),
            "name a file in a folder that can be written: --database-url sqlite:PATH, or DOCALIGN_DATABASE_URL",
        )
    })
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

/// Keeps what `docent verify` found for the tools and for searches, where there is an index to keep it beside.
pub(crate) fn keep(
    settings: &Settings,
    root: &Path,
    found: &Verification,
    is_complete: bool,
) -> Result<(), CliError> {
    let health = open(settings)?;
    let is_same = std::fs::canonicalize(root).is_ok_and(|root| root == health.identity().root);
    if is_same && settings.has_index() && health.takes_records()? {
        health.keep(found, None, is_complete)?;
    }
    Ok(())
}

/// Keeps what `docent verify` found before there was an index to keep it beside, where nothing has changed since. A search
/// does not fail because of it.
pub(crate) fn adopt(settings: &Settings, health: &Health) {
    let is_new = || health.is_known().is_ok_and(|is_known| !is_known);
    if settings.postgres().is_some() || !settings.has_index() || !is_new() {
        return;
    }
    let root = &health.identity().root;
    let is_current = |found: &Verification| {
        let repository = Repository::open_or_plain(root);
        repository.is_ok_and(|it| WorkState::read(&it).is_ok_and(|state| found.is_of(&it, &state)))
    };
    if let (Ok(true), Some(found)) = (health.takes_records(), Kept::of_folder(settings, root).previous())
        && is_current(&found)
    {
        let _ = health.keep(&found, None, true);
    }
}

/// Verifies in the background: now, and whenever documents, the commit or what git tracks have changed.
pub(crate) fn verify_in_background(
    health: &Arc<Health>,
    engine: &Arc<Engine>,
    store: Arc<dyn Store>,
    settings: &Settings,
    printer: &Printer,
) -> Result<Option<Verifier>, CliError> {
    // What a team shares is verified where it is indexed, not on every machine that reads it; and DocAlign's is DocAlign's.
    if settings.postgres().is_some() || !health.takes_records()? {
        return Ok(None);
    }
    let root = health.identity().root.clone();
    let waivers = waivers::of_settings(&settings.waivers)?;
    let kept = Kept::of_folder(settings, &root);
    let mut service = Service::new(Arc::clone(health), kept.previous(), kept.facts());
    service.keep_in(kept.folder());
    let clock = Arc::clone(health);
    let of = [health.identity().to_string()];
    let verify = move |is_cancelled: &(dyn Fn() -> bool + Sync)| {
        // Another process is at it, and what it finds is kept for all.
        let Ok(Some(_lease)) = store.try_lease(Role::Verify, &of) else { return Ok(()) };
        let today = iso(clock.now()).chars().take(10).collect();
        let options = Options { today, waivers: waivers.clone(), ..Options::default() };
        kept.keep(service.run(&options, Watch { progress: &|_| {}, is_cancelled })?);
        Ok(())
    };
    let (engine, told, known) = (Arc::clone(engine), printer.clone(), Arc::clone(health));
    let state = move || {
        let tracked =
            std::fs::metadata(root.join(".git/index")).and_then(|metadata| metadata.modified()).ok();
        // Open for one look only: it has a folder of its own, which is to be gone whenever the server ends.
        let uncommitted = Repository::open(&root).and_then(|repository| repository.uncommitted()).ok();
        let (indexed, checked) = (engine.content_generation().ok(), stamp(&known, &root));
        format!("{:?} {tracked:?} {indexed:?} {uncommitted:?} {checked}", git::head(&root))
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
    let (mut marker, folders) = (Marker::new(health), engine.folders());
    for hit in hits {
        let about = &hit.metadata;
        let Some((_, folder)) = folders.iter().find(|(name, _)| *name == about.collection) else {
            continue;
        };
        let lines = about.start_line..=about.end_line;
        let known = marker.lines(folder, &about.file_path, lines, &about.content_hash);
        hit.verification = known.and_then(|known| serde_json::to_value(known).ok());
    }
}

/// Narrows a filter to what was verified.
pub(crate) fn narrow(health: &Health, engine: &Engine, filter: &mut Filter) -> Result<(), CliError> {
    let folders = engine.folders();
    filter.chosen = Some(health.verified(&*engine.snapshot()?, &folders)?);
    Ok(())
}

impl From<HealthError> for CliError {
    fn from(error: HealthError) -> Self {
        let hint = match &error {
            HealthError::Connection { place, .. } if place.starts_with("postgresql:") => AFTER_OUTAGE,
            error => error.hint(),
        };
        Self::Told { exit: Exit::Failed, message: error.to_string(), hint: hint.to_owned() }
    }
}
