//! Which database holds the index of a team, if any.
//!
//! It is named by flag, by environment or in the user's own settings, never in a project's file: whoever clones a project must
//! not send documents to a place that its author chose.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use docent_health::{Health, Identity};
use docent_index::{Collection, Store, StoreError};
use docent_store_postgres::{PostgresOptions, PostgresStore, Standing};
use serde_json::Value;

use crate::config_file::ConfigFile;
use crate::env_vars::{self, Lookup};
use crate::errors::{CliError, Exit};
use crate::printer::Printer;
use crate::project::DOCS_FOLDER;
use crate::settings::{Origin, Setting, Settings};

/// DocAlign's own settings, in the home folder.
const DOCALIGN_SETTINGS: &str = ".docalign/config.json";

/// A database that was named.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Database {
    /// PostgreSQL, for everything. The address may hold a password and is never shown.
    Postgres(String),
    /// DocAlign's database in PostgreSQL, for docs health alone: this role may not keep an index there.
    DocAlign(String),
    /// A file of SQLite, for docs health alone.
    HealthFile(PathBuf),
}

impl Database {
    /// For people, without a password.
    pub(crate) fn shown(&self) -> String {
        match self {
            Self::Postgres(url) | Self::DocAlign(url) => {
                docent_store_postgres::shown(url).unwrap_or_default()
            }
            Self::HealthFile(path) => format!("sqlite:{}", path.display()),
        }
    }

    /// The address of a PostgreSQL database that holds the index.
    pub(crate) fn postgres(&self) -> Option<&str> {
        match self {
            Self::Postgres(url) => Some(url),
            Self::DocAlign(_) | Self::HealthFile(_) => None,
        }
    }
}

/// The database that is named, the nearest first: flag, environment, the user's settings, those of DocAlign.
pub(crate) fn named(
    flag: Option<&str>,
    user: Option<&(PathBuf, ConfigFile)>,
    here: &Path,
    lookup: Lookup<'_>,
) -> Result<Setting<Option<Database>>, CliError> {
    let variable = |name: &'static str| {
        let url = lookup(name).filter(|url| !url.is_empty())?;
        Some((url.to_string_lossy().into_owned(), Origin::Environment(name)))
    };
    let found = flag
        .map(|url| (url.to_owned(), Origin::Flag("--database-url")))
        .or_else(|| variable(env_vars::DATABASE_URL))
        .or_else(|| variable(env_vars::DOCALIGN_DATABASE_URL))
        .or_else(|| {
            let (path, file) = user?;
            Some((file.database_url.clone()?, Origin::File(path.clone())))
        })
        .or_else(|| docaligns(lookup));
    let Some((url, origin)) = found else { return Ok(Setting { value: None, origin: Origin::Default }) };
    let database = read(&url, here).map_err(|problem| {
        CliError::usage(
            format!("{origin} {problem}"),
            remedy(
                &problem,
                "write postgres://USER@HOST/NAME, or sqlite:PATH to keep docs health in a file of its own",
            ),
        )
    })?;
    Ok(Setting { value: Some(database), origin })
}

/// A copy of the database that is searched: from the environment, else from the user's settings.
pub(crate) fn named_replica(
    user: Option<&(PathBuf, ConfigFile)>,
    lookup: Lookup<'_>,
    has_database: bool,
) -> Result<Setting<Option<String>>, CliError> {
    let name = env_vars::READ_DATABASE_URL;
    let variable = lookup(name).filter(|url| !url.is_empty());
    let found =
        variable.map(|url| (url.to_string_lossy().into_owned(), Origin::Environment(name))).or_else(|| {
            let (path, file) = user?;
            Some((file.read_database_url.clone()?, Origin::File(path.clone())))
        });
    let Some((url, origin)) = found else { return Ok(Setting { value: None, origin: Origin::Default }) };
    let problem = match read(&url, Path::new("")) {
        Ok(Database::Postgres(_)) if has_database => {
            return Ok(Setting { value: Some(url), origin });
        }
        Ok(Database::Postgres(_)) => {
            let message = format!("{origin} names a copy of a database, and nothing names the database");
            return Err(CliError::usage(
                message,
                "set DOCENT_DATABASE_URL to the primary, which is written to",
            ));
        }
        Ok(_) => "does not name a copy of a PostgreSQL database".to_owned(),
        Err(problem) => problem,
    };
    Err(CliError::usage(format!("{origin} {problem}"), remedy(&problem, "write postgres://USER@HOST/NAME")))
}

/// What to do about an address, where it is more than writing one.
fn remedy(problem: &str, usual: &'static str) -> &'static str {
    let remedies = [
        (
            "an sslmode",
            "sslmode=verify-full is the safest; \"Encryption\" in the guide of teams says what each does",
        ),
        (
            "an sslrootcert",
            "name a file of certificates in PEM that this user may read, or sslrootcert=system for the authorities that \
             browsers trust",
        ),
        ("a parameter", "take the parameter out of the address"),
    ];
    let found = remedies.iter().find(|(what, _)| problem.starts_with(&format!("has {what}")));
    found.map_or(usual, |(_, remedy)| remedy)
}

/// The address may hold a password, so that no error shows more of it than its kind.
fn read(url: &str, here: &Path) -> Result<Database, String> {
    let (kind, rest) = url.split_once(':').ok_or("names no database")?;
    match kind {
        "postgres" | "postgresql" => {
            docent_store_postgres::check(url)?;
            Ok(Database::Postgres(url.to_owned()))
        }
        "sqlite" => match rest.strip_prefix("//").unwrap_or(rest) {
            "" => Err("names no file".to_owned()),
            path => Ok(Database::HealthFile(here.join(path))),
        },
        kind => Err(format!("names a `{}` database, which docent cannot read", kind.escape_debug())),
    }
}

fn docaligns(lookup: Lookup<'_>) -> Option<(String, Origin)> {
    let home = lookup(env_vars::HOME).or_else(|| lookup(env_vars::USERPROFILE))?;
    let path = Path::new(&home).join(DOCALIGN_SETTINGS);
    let settings: Value = serde_json::from_str(&std::fs::read_to_string(&path).ok()?).ok()?;
    Some((settings["database_url"].as_str()?.to_owned(), Origin::File(path)))
}

/// Looks what a database is good for. Where DocAlign keeps its tables and this role may not make ours beside them, the
/// index stays on this machine.
pub(crate) fn settle(mut settings: Settings, printer: &Printer) -> Result<Settings, CliError> {
    let Some(url) = settings.postgres() else { return Ok(settings) };
    let standing = match Standing::of(url) {
        // Whoever reads can go on with the copy, and who writes is told soon.
        Err(StoreError::Unreachable { .. }) if settings.replica.value.is_some() => return Ok(settings),
        standing => standing?,
    };
    if standing.is_docaligns {
        printer.note(format_args!(
            "{} is DocAlign's, and this role may not make docent's tables: docs health comes from it, the index is in {}",
            settings.place(),
            settings.index.value.display()
        ));
        settings.database.value = Some(Database::DocAlign(url.to_owned()));
    }
    Ok(settings)
}

/// A server that cannot begin because of its database ends as DocAlign's does.
pub(crate) fn at_startup(error: CliError) -> CliError {
    match error {
        CliError::Told { exit: Exit::Failed, message, hint } => {
            CliError::Told { exit: Exit::Problems, message, hint }
        }
        error => error,
    }
}

/// Whether DocAlign's database, where it is all there is, knows the repository.
pub(crate) fn check_repository(settings: &Settings, health: &Health) -> Result<(), CliError> {
    let is_docaligns = matches!(settings.database.value, Some(Database::DocAlign(_)));
    if !is_docaligns || health.is_known()? {
        return Ok(());
    }
    let identity = health.identity();
    let folder = identity.root.display();
    if !identity.is_git {
        return Err(CliError::problems(
            format!("Not a git repository: {folder}"),
            "DocAlign knows repositories by their remotes; name a clone with --repo DIR",
        ));
    }
    if identity.owner.is_empty() && identity.others.is_empty() {
        return Err(CliError::problems(
            format!("Could not parse GitHub owner/repo from the remotes of {folder}"),
            "`git remote -v` shows them; one has to be https://github.com/OWNER/NAME, or the same by ssh",
        ));
    }
    Err(CliError::problems(
        format!("Repository {} not found in DocAlign database.", health.identity()),
        "Is the DocAlign GitHub App installed for this repository? Without --database-url docent checks the documents itself",
    ))
}

/// The collections that a database has, without reading what is in them.
pub(crate) fn collections(url: &str, settings: &Settings) -> Result<Vec<Collection>, CliError> {
    Ok(PostgresStore::collections(url, settings.replica.value.as_deref(), PostgresOptions::default())?)
}

/// Opens the store in a database, to write to it.
pub(crate) fn open(url: &str, settings: &Settings, printer: &Printer) -> Result<Arc<dyn Store>, CliError> {
    Ok(told(PostgresStore::open(url, PostgresOptions::default())?, settings, printer))
}

/// Opens it for questions, those of one command or of a process that stays, with these collections or all.
pub(crate) fn open_to_ask(
    url: &str,
    settings: &Settings,
    collections: Option<Vec<String>>,
    stays: bool,
    printer: &Printer,
) -> Result<Arc<dyn Store>, CliError> {
    let is_discreet = settings.is_discreet;
    let options = PostgresOptions { collections, follows: stays, is_discreet, ..PostgresOptions::default() };
    let store = match &settings.replica.value {
        Some(replica) => PostgresStore::open_with_replica(url, replica, options)?,
        None => PostgresStore::open(url, options)?,
    };
    if stays {
        let printer = printer.clone();
        store.on_outage(move |word| printer.note(word));
    }
    Ok(told(store, settings, printer))
}

/// Says what is missing, now and later.
fn told(store: PostgresStore, settings: &Settings, printer: &Printer) -> Arc<dyn Store> {
    if settings.tells_of_server {
        store.lacks().iter().for_each(|lack| printer.note(lack));
    }
    let printer = printer.clone();
    store.on_notice(move |notice| printer.note(notice));
    Arc::new(store)
}

/// What everybody calls the documents in `docs`, wherever their clone of the repository lies: by the remote, and by the folder
/// inside unless it is the usual one.
pub(crate) fn shared_name(docs: &Path) -> String {
    let identity = Identity::around(docs);
    let inside = docs.strip_prefix(&identity.root).unwrap_or(Path::new(""));
    let inside = inside.to_string_lossy().replace('\\', "/");
    let name = match inside.as_str() {
        "" | DOCS_FOLDER => identity.to_string(),
        inside => format!("{identity}/{inside}"),
    };
    let plain = |c: char| if c.is_alphanumeric() || "._-/+".contains(c) { c } else { '-' };
    let name: String = name.chars().map(plain).collect();
    name.trim_matches(['-', '.', '/', '+']).chars().take(100).collect()
}

#[cfg(test)]
mod tests {
    use std::ffi::OsString;

    use super::*;

    fn check(flag: Option<&str>, variables: &[(&str, &str)], expected: Option<&str>) {
        let lookup = |name: &str| {
            variables.iter().find(|(known, _)| *known == name).map(|(_, value)| OsString::from(value))
        };
        let file = ConfigFile { database_url: Some("postgres://file/x".to_owned()), ..ConfigFile::default() };
        let user = (PathBuf::from("docent.toml"), file);
        let user = expected.is_some().then_some(&user);
        let found = named(flag, user, Path::new("/here"), &lookup).unwrap().value;
        assert_eq!(found.as_ref().and_then(Database::postgres), expected);
    }

    #[test]
    fn the_nearest_wins() {
        let both = [
            (env_vars::DATABASE_URL, "postgres://docent/x"),
            (env_vars::DOCALIGN_DATABASE_URL, "postgres://docalign/x"),
        ];
        check(Some("postgresql://flag/x"), &both, Some("postgresql://flag/x"));
        check(None, &both, Some("postgres://docent/x"));
        check(None, &both[1..], Some("postgres://docalign/x"));
        check(None, &[], Some("postgres://file/x"));
        check(None, &[(env_vars::DATABASE_URL, "")], Some("postgres://file/x"));
        check(None, &[], None);
    }

    #[test]
    fn clones_of_one_repository_have_one_name() {
        let dir = tempfile::tempdir().unwrap();
        let root = std::fs::canonicalize(dir.path()).unwrap().join("my clone");
        std::fs::create_dir_all(root.join(".git")).unwrap();
        std::fs::create_dir_all(root.join("packages/a b")).unwrap();
        std::fs::write(
            root.join(".git/config"),
            "[remote \"origin\"]\n\turl = git@github.com:acme/shop.git\n",
        )
        .unwrap();
        assert_eq!(shared_name(&root), "acme/shop");
        assert_eq!(shared_name(&root.join("docs")), "acme/shop");
        assert_eq!(shared_name(&root.join("packages/a b")), "acme/shop/packages/a-b");
    }

    #[test]
    fn no_error_shows_a_password() {
        let found = named(Some("mysql://me:secret@host/x"), None, Path::new("/here"), &|_| None);
        let shown = format!("{:?}", found.unwrap_err());
        assert!(shown.contains("mysql") && !shown.contains("secret"), "{shown}");
    }
}
