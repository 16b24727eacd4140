//! The settings in force, each with where it came from.
//!
//! Later wins: built-in default, `docent.toml` of the project, environment, flag. The rest of the program sees only
//! [`Settings`]; nothing else reads flags, environment or file.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fmt;
use std::path::{Component, Path, PathBuf};

use clap::ValueEnum;
use docent_authoring::Manifest;
use docent_engine::{Card, ChunkOptions, SourceRules};
use docent_library::{ConvertLimits, DEFAULT_MAX_BYTES};
use docent_store_embedded::Marker;

use crate::args::{GlobalArgs, Provider};
use crate::collections::{self, Listed};
use crate::config_file::{self, ConfigFile, IgnoreSection, PromptSection};
use crate::database::{self, Database};
use crate::env_vars::{self, Lookup};
use crate::errors::CliError;
use crate::project;

/// Where a value came from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Origin {
    /// Nobody said anything.
    Default,
    /// The project's file.
    File(PathBuf),
    /// An environment variable.
    Environment(&'static str),
    /// A flag or an argument.
    Flag(&'static str),
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Default => f.write_str("default"),
            Self::File(path) => write!(f, "{}", path.display()),
            Self::Environment(name) => write!(f, "environment {name}"),
            Self::Flag(name) => f.write_str(name),
        }
    }
}

/// A value and where it came from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Setting<T> {
    pub(crate) value: T,
    pub(crate) origin: Origin,
}

/// Everything that can be set.
#[derive(Debug, Clone)]
pub(crate) struct Settings {
    /// Folder of the project, if any.
    pub(crate) project: Option<PathBuf>,
    /// Folder of the documents.
    pub(crate) docs: Setting<PathBuf>,
    /// Folder of the index.
    pub(crate) index: Setting<PathBuf>,
    /// The database that holds the index instead, or docs health.
    pub(crate) database: Setting<Option<Database>>,
    /// A copy of that database, which is searched. The address may hold a password and is never shown.
    pub(crate) replica: Setting<Option<String>>,
    /// Whether this command says what the database's server lacks, which others would say again and again.
    pub(crate) tells_of_server: bool,
    /// Whether callers over a network read this command's errors, which then do not say where the database is.
    pub(crate) is_discreet: bool,
    /// Folder of what is shared between projects.
    pub(crate) cache: Setting<PathBuf>,
    /// Patterns of files to read.
    pub(crate) include: Setting<Vec<String>>,
    /// Patterns of files to leave out.
    pub(crate) exclude: Setting<Vec<String>>,
    /// Larger files are passed over.
    pub(crate) max_file_bytes: Setting<u64>,
    /// What makes the vectors, and how.
    pub(crate) embedding: EmbeddingSettings,
    /// What may be taken into libraries, and how.
    pub(crate) library: LibrarySettings,
    /// Longest chunk, in characters.
    pub(crate) max_chars: Setting<usize>,
    /// What the index says of itself, when it is a built one.
    pub(crate) built: Option<Marker>,
    /// Prompts that the project offers to agents, by name.
    pub(crate) prompts: Setting<BTreeMap<String, PromptSection>>,
    /// Rules of `docent validate` that do not count.
    pub(crate) allow: Setting<Vec<String>>,
    /// Findings of `docent verify` that do not count.
    pub(crate) waivers: Setting<Vec<IgnoreSection>>,
    /// What the project's file says in the place of a manifest.
    pub(crate) manifest: Setting<Manifest>,
    /// The collections that the files list beside the documents folder.
    pub(crate) collections: Vec<Listed>,
    /// Folder of the user's own settings.
    pub(crate) config: Option<PathBuf>,
}

/// What makes the vectors, and how. All but the provider are for `openai`.
#[derive(Debug, Clone)]
pub(crate) struct EmbeddingSettings {
    pub(crate) provider: Setting<Provider>,
    pub(crate) model: Setting<Option<String>>,
    pub(crate) base_url: Setting<Option<String>>,
    pub(crate) dimensions: Setting<Option<usize>>,
    pub(crate) query_prefix: Setting<String>,
    pub(crate) document_prefix: Setting<String>,
    pub(crate) batch_size: Setting<Option<usize>>,
    pub(crate) concurrency: Setting<Option<usize>>,
    /// Never shown.
    pub(crate) api_key: Setting<Option<String>>,
}

/// What may be taken into libraries, and how.
#[derive(Debug, Clone)]
pub(crate) struct LibrarySettings {
    pub(crate) roots: Setting<Vec<PathBuf>>,
    pub(crate) allow_private_networks: Setting<bool>,
    pub(crate) max_bytes: Setting<u64>,
    pub(crate) convert_seconds: Setting<u64>,
    pub(crate) convert_memory_mb: Setting<u64>,
}

impl Settings {
    /// Puts flags, environment, file and defaults together. `argument` is the folder that `docent index DIR` names.
    pub(crate) fn resolve(
        global: &GlobalArgs,
        argument: Option<&Path>,
        here: &Path,
        lookup: Lookup<'_>,
    ) -> Result<Self, CliError> {
        let named = named_docs(global, argument, here, lookup)?;
        let start = named.as_ref().map_or(here, |docs| docs.value.as_path());
        let project = project::around(start);
        let read = project.as_deref().map(config_file::read).transpose()?.flatten();
        let (path, file) = read.unwrap_or_default();
        let layers = Layers { lookup, path: &path };

        let in_project = |path: PathBuf| clean_path(&project.as_deref().unwrap_or(here).join(path));
        let docs = match named {
            Some(docs) => docs,
            None => layers
                .file(file.docs.clone().map(in_project), || project::default_docs(project.as_deref(), here)),
        };
        let docs = Setting { value: canonical(&docs.value), origin: docs.origin };
        let cache = match lookup(env_vars::CACHE_DIR) {
            Some(cache) => environment(env_vars::CACHE_DIR, clean_path(&here.join(cache))),
            None => {
                let is_named = global.index.is_some() || lookup(env_vars::INDEX).is_some();
                Setting { value: project::default_cache(is_named)?, origin: Origin::Default }
            }
        };
        let index = match (&global.index, lookup(env_vars::INDEX)) {
            (Some(index), _) => flag("--index", clean_path(&here.join(index))),
            (None, Some(index)) => environment(env_vars::INDEX, clean_path(&here.join(index))),
            (None, None) => layers.file(file.index.clone().map(in_project), || {
                project::default_index(project.as_deref(), &docs.value, &cache.value)
            }),
        };
        if let (Origin::File(file), Some(project)) = (&index.origin, &project)
            && (!index.value.starts_with(project)
                || index.value.components().any(|part| part == std::path::Component::ParentDir))
        {
            return Err(CliError::usage(
                format!(
                    "{} puts the index into {}, which is outside of the project",
                    file.display(),
                    index.value.display()
                ),
                format!("name that folder with --index or {} if you want it", env_vars::INDEX),
            ));
        }
        if let (Origin::Default | Origin::File(_), Some(project)) = (&index.origin, &project) {
            project::stays_inside(project, &index.value)?;
        }
        let config = lookup(env_vars::CONFIG_DIR).map(|config| clean_path(&here.join(config)));
        let config = config.or_else(project::default_config);
        let user = config.as_deref().map(config_file::read_user).transpose()?.flatten();
        let database = database::named(global.database_url.as_deref(), user.as_ref(), here, lookup)?;
        let replica = database::named_replica(user.as_ref(), lookup, database.value.is_some())?;
        if file.database_url.is_some() || file.read_database_url.is_some() {
            return Err(CliError::usage(
                format!("{} names a database, and a project may not", path.display()),
                "set DOCENT_DATABASE_URL, or write database_url into your own settings file (`docent config` says where it is)",
            ));
        }
        let collections = collections::listed(
            Some((path.as_path(), &file.collections)),
            user.as_ref().map(|(path, file)| (path.as_path(), &file.collections)),
        )?;
        let rules = SourceRules::default();
        Ok(Self {
            collections,
            config,
            docs,
            index,
            database,
            replica,
            tells_of_server: false,
            is_discreet: false,
            cache,
            include: layers.file(file.include.clone(), || rules.include),
            exclude: layers.file(file.exclude.clone(), || rules.exclude),
            max_file_bytes: layers.file(file.max_file_bytes, || rules.max_file_bytes),
            embedding: embedding(global, &file, &layers)?,
            library: library(&file, &layers, in_project)?,
            max_chars: layers.file(file.chunking.max_chars, || ChunkOptions::default().max_chars),
            built: None,
            prompts: layers.file(file.prompts.clone(), BTreeMap::new),
            allow: layers.file(file.validate.allow.clone(), Vec::new),
            waivers: layers.file(file.verify.ignore.clone(), Vec::new),
            manifest: layers.file(file.manifest.clone(), Manifest::default),
            project,
        })
    }

    /// The address of the PostgreSQL database that holds the index.
    pub(crate) fn postgres(&self) -> Option<&str> {
        self.database.value.as_ref().and_then(Database::postgres)
    }

    /// Where the index is, for people: a folder, or a database without its password.
    pub(crate) fn place(&self) -> String {
        match self.postgres() {
            Some(url) => docent_store_postgres::shown(url).unwrap_or_default(),
            None => self.index.value.display().to_string(),
        }
    }

    /// Whether there may be an index already.
    pub(crate) fn has_index(&self) -> bool {
        self.postgres().is_some() || self.index.value.is_dir()
    }

    /// What to read from the documents folder.
    pub(crate) fn rules(&self) -> SourceRules {
        SourceRules {
            include: self.include.value.clone(),
            exclude: self.exclude.value.clone(),
            max_file_bytes: self.max_file_bytes.value,
            manifest: self.manifest.value.clone(),
            card: Card::default(),
        }
    }
}

/// What to read from a folder that another project's settings may speak about.
pub(crate) fn rules_of(root: &Path) -> Result<SourceRules, CliError> {
    let read = project::around(root).map(|project| config_file::read(&project)).transpose()?.flatten();
    let file = read.map(|(_, file)| file).unwrap_or_default();
    let defaults = SourceRules::default();
    Ok(SourceRules {
        include: file.include.unwrap_or(defaults.include),
        exclude: file.exclude.unwrap_or(defaults.exclude),
        max_file_bytes: file.max_file_bytes.unwrap_or(defaults.max_file_bytes),
        manifest: file.manifest.unwrap_or_default(),
        card: Card::default(),
    })
}

/// The documents folder, where flag, argument or environment name one. It decides which project is looked at.
fn named_docs(
    global: &GlobalArgs,
    argument: Option<&Path>,
    here: &Path,
    lookup: Lookup<'_>,
) -> Result<Option<Setting<PathBuf>>, CliError> {
    let full = |path: &Path| canonical(&here.join(path));
    match (argument, global.docs.as_deref()) {
        (Some(argument), Some(docs)) if full(argument) != full(docs) => Err(CliError::usage(
            format!("two folders are given: {} and --docs {}", argument.display(), docs.display()),
            "name the documents folder once",
        )),
        (Some(argument), _) => Ok(Some(flag("argument DIR", full(argument)))),
        (None, Some(docs)) => Ok(Some(flag("--docs", full(docs)))),
        (None, None) => {
            Ok(lookup(env_vars::DOCS).map(|docs| environment(env_vars::DOCS, full(Path::new(&docs)))))
        }
    }
}

fn embedding(
    global: &GlobalArgs,
    file: &ConfigFile,
    layers: &Layers<'_>,
) -> Result<EmbeddingSettings, CliError> {
    let section = file.embedding.clone();
    let provider = match (global.embedder, layers.text(env_vars::EMBEDDER)?) {
        (Some(provider), _) => flag("--embedder", provider),
        (None, Some(name)) => {
            let provider = Provider::from_str(&name, true).map_err(|_| {
                let message = format!("{} is `{name}`, which is no embedder", env_vars::EMBEDDER);
                CliError::usage(message, "use minilm, hash, none or openai")
            })?;
            environment(env_vars::EMBEDDER, provider)
        }
        (None, None) => layers.file(section.provider, || Provider::MiniLm),
    };
    let dimensions = match layers.text(env_vars::OPENAI_DIMENSIONS)? {
        Some(text) => {
            let number = text.parse().map_err(|_| {
                let message = format!("{} is `{text}`, which is no number", env_vars::OPENAI_DIMENSIONS);
                CliError::usage(message, "give the length of the model's vectors, e.g. 768")
            })?;
            environment(env_vars::OPENAI_DIMENSIONS, Some(number))
        }
        None => layers.optional(section.dimensions),
    };
    Ok(EmbeddingSettings {
        provider,
        dimensions,
        model: layers.text_or(env_vars::OPENAI_MODEL, section.model)?,
        base_url: layers.text_or(env_vars::OPENAI_BASE_URL, section.base_url)?,
        query_prefix: layers.file(section.query_prefix, String::new),
        document_prefix: layers.file(section.document_prefix, String::new),
        batch_size: layers.optional(section.batch_size),
        concurrency: layers.optional(section.concurrency),
        api_key: match layers.text(env_vars::DOCENT_OPENAI_API_KEY)? {
            Some(key) => environment(env_vars::DOCENT_OPENAI_API_KEY, Some(key)),
            None => layers.text_or(env_vars::OPENAI_API_KEY, None)?,
        },
    })
}

fn library(
    file: &ConfigFile,
    layers: &Layers<'_>,
    in_project: impl Fn(PathBuf) -> PathBuf,
) -> Result<LibrarySettings, CliError> {
    let section = file.library.clone();
    let limits = ConvertLimits::default();
    let full = |root| canonical(&in_project(root));
    let roots = section.roots.map(|roots| roots.into_iter().map(full).collect());
    let settings = LibrarySettings {
        roots: layers.file(roots, Vec::new),
        allow_private_networks: layers.file(section.allow_private_networks, || false),
        max_bytes: layers.file(section.max_bytes, || DEFAULT_MAX_BYTES),
        convert_seconds: layers.file(section.convert_seconds, || limits.time.as_secs()),
        convert_memory_mb: layers.file(section.convert_memory_mb, || limits.memory_bytes >> 20),
    };
    for (key, setting, range) in [
        ("convert_seconds", &settings.convert_seconds, 1..=3600),
        ("convert_memory_mb", &settings.convert_memory_mb, 64..=65_536),
    ] {
        if !range.contains(&setting.value) {
            let (least, most) = (range.start(), range.end());
            return Err(CliError::usage(
                format!("library.{key} is {} and must be from {least} to {most}", setting.value),
                format!("change it in {}", setting.origin),
            ));
        }
    }
    Ok(settings)
}

/// The layers below the flags.
struct Layers<'a> {
    lookup: Lookup<'a>,
    path: &'a Path,
}

impl Layers<'_> {
    fn file<T>(&self, value: Option<T>, default: impl FnOnce() -> T) -> Setting<T> {
        match value {
            Some(value) => Setting { value, origin: Origin::File(self.path.to_path_buf()) },
            None => Setting { value: default(), origin: Origin::Default },
        }
    }

    fn optional<T>(&self, value: Option<T>) -> Setting<Option<T>> {
        self.file(value.map(Some), || None)
    }

    fn text(&self, name: &'static str) -> Result<Option<String>, CliError> {
        let not_text =
            |_: OsString| CliError::usage(format!("{name} is not valid UTF-8"), "set it to plain text");
        (self.lookup)(name).map(|value| value.into_string().map_err(not_text)).transpose()
    }

    fn text_or(&self, name: &'static str, file: Option<String>) -> Result<Setting<Option<String>>, CliError> {
        Ok(match self.text(name)? {
            Some(text) => environment(name, Some(text)),
            None => self.optional(file),
        })
    }
}

fn flag<T>(name: &'static str, value: T) -> Setting<T> {
    Setting { value, origin: Origin::Flag(name) }
}

fn environment<T>(name: &'static str, value: T) -> Setting<T> {
    Setting { value, origin: Origin::Environment(name) }
}

/// The path with links resolved; a folder that is not there keeps its name for the error that follows.
fn canonical(path: &Path) -> PathBuf {
    std::fs::canonicalize(path).unwrap_or_else(|_| clean_path(path))
}

/// The path without `.` in it.
fn clean_path(path: &Path) -> PathBuf {
    path.components().filter(|part| *part != Component::CurDir).collect()
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    struct Case {
        dir: tempfile::TempDir,
        global: GlobalArgs,
        environment: BTreeMap<&'static str, String>,
    }

    impl Case {
        fn new(toml: &str) -> Self {
            let dir = tempfile::tempdir().unwrap();
            fs::create_dir_all(dir.path().join("docs/inner")).unwrap();
            fs::create_dir_all(dir.path().join("other")).unwrap();
            if !toml.is_empty() {
                fs::write(dir.path().join("docent.toml"), toml).unwrap();
            }
            let cache = dir.path().join("cache").display().to_string();
            Self {
                dir,
                global: GlobalArgs::default(),
                environment: BTreeMap::from([(env_vars::CACHE_DIR, cache)]),
            }
        }

        fn path(&self, path: &str) -> PathBuf {
            fs::canonicalize(self.dir.path()).unwrap().join(path)
        }

        fn settings(&self, here: &str) -> Settings {
            let lookup = |name: &str| self.environment.get(name).map(OsString::from);
            Settings::resolve(&self.global, None, &self.path(here), &lookup).unwrap()
        }
    }

    #[test]
    fn each_layer_wins_over_the_one_before() {
        let mut case = Case::new("");
        assert_eq!(
            case.settings("").embedding.provider,
            Setting { value: Provider::MiniLm, origin: Origin::Default }
        );
        case = Case::new("[embedding]\nprovider = 'hash'");
        let origin = Origin::File(case.path("docent.toml"));
        assert_eq!(case.settings("").embedding.provider, Setting { value: Provider::Hash, origin });
        case.environment.insert(env_vars::EMBEDDER, "none".to_owned());
        let origin = Origin::Environment(env_vars::EMBEDDER);
        assert_eq!(case.settings("").embedding.provider, Setting { value: Provider::None, origin });
        case.global.embedder = Some(Provider::OpenAi);
        let origin = Origin::Flag("--embedder");
        assert_eq!(case.settings("").embedding.provider, Setting { value: Provider::OpenAi, origin });
    }

    #[test]
    fn the_docs_folder_is_found_from_anywhere_in_the_project() {
        let mut case = Case::new("include = ['**/*.md']");
        assert_eq!(case.settings("other").docs.value, case.path("docs"));
        assert_eq!(case.settings("other").index.value, case.path(".docent"));
        case.environment.insert(env_vars::DOCS, case.path("other").display().to_string());
        assert_eq!(case.settings("docs").docs.value, case.path("other"));
        case.global.docs = Some(PathBuf::from("./inner"));
        assert_eq!(case.settings("docs").docs.value, case.path("docs/inner"));
    }

    #[test]
    fn paths_in_the_file_are_relative_to_it() {
        let case = Case::new("docs = './other'\nindex = 'cache/idx'");
        assert_eq!(case.settings("docs/inner").docs.value, case.path("other"));
        assert_eq!(case.settings("docs/inner").index.value, case.path("cache/idx"));
    }

    #[test]
    fn outside_a_project_the_index_is_in_the_cache() {
        let case = Case::new("");
        // The machine that runs this may keep its temporary files inside some project.
        if project::around(case.dir.path()).is_none() {
            let settings = case.settings("docs/inner");
            assert_eq!(settings.docs.value, case.path("docs/inner"));
            assert!(settings.index.value.starts_with(case.dir.path().join("cache/indexes")));
        }
    }
}
