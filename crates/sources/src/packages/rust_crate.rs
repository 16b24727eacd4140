//! `rust-crate:NAME[@VERSION]`: a crate from cargo's registry or from the `vendor` folder of the project.
//!
//! Its own Markdown is taken as it is; the API documentation is made from the doc comments of its sources.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use semver::Version;

use super::files::{file_name, is_legal, is_markdown, read_text};
use super::pages::{Pages, stop_if_cancelled};
use super::places::Places;
use super::rust_archive::Texts;
use crate::{Context, Fetched, Outcome, SourceError};

/// Other names or versions that an error names.
const MAX_NAMED: usize = 8;
/// Folders of a crate whose Markdown is documentation.
const FOLDERS: [&str; 6] = ["docs/", "doc/", "book/", "guide/", "src/", "examples/"];

pub(super) fn fetch(
    places: &Places,
    name: &str,
    version: Option<&str>,
    context: &Context<'_>,
    into: &Path,
) -> Result<Outcome, SourceError> {
    let is_name = |char: char| char.is_ascii_alphanumeric() || matches!(char, '_' | '-');
    if name.is_empty() || !name.chars().all(is_name) {
        return Err(SourceError::usage(
            format!("not the name of a crate: {name}"),
            "write rust-crate:NAME or rust-crate:NAME@VERSION, such as rust-crate:serde@1.0",
        ));
    }
    let found = find_all(places, name);
    let locked = locked_version(&places.project, name);
    let Some(chosen) = choose(&found, version, locked.as_ref()) else {
        return Err(not_found(places, name, version, &found));
    };
    let revision = chosen.version.to_string();
    if context.known_revision == Some(revision.as_str()) {
        return Ok(Outcome::Unchanged);
    }
    stop_if_cancelled(context)?;
    let texts = chosen.read()?;
    let about = manifest(&texts.texts);
    let mut pages = Pages::default();
    for note in &texts.notes {
        pages.note(note.clone());
    }
    if let Some(locked) = locked.filter(|locked| version.is_none() && *locked != chosen.version) {
        let other = &chosen.version;
        pages
            .note(format!("Cargo.lock names {name} {locked}, which is not on this machine; this is {other}"));
    }
    add_markdown(&mut pages, &texts.texts, about.readme.as_deref());
    stop_if_cancelled(context)?;
    let library = about.library_name.unwrap_or_else(|| chosen.name.replace('-', "_"));
    for page in docent_convert::rust_docs::pages(&library, &about.library_path, &texts.texts) {
        pages.add(&page.path, page.text);
    }
    if pages.len() == 0 {
        return Err(SourceError::failed(
            format!("{} {revision} has no documentation: no Markdown and no doc comments", chosen.name),
            "add another crate; what it re-exports may be documented there",
        ));
    }
    pages.write(context, into)?;
    Ok(Outcome::Fetched(Box::new(Fetched {
        root: into.to_owned(),
        name: Some(chosen.name.clone()),
        version: Some(revision.clone()),
        description: about.description,
        metadata: BTreeMap::from([("language".to_owned(), "rust".to_owned())]),
        revision: Some(revision),
        notes: pages.notes(),
        ..Fetched::default()
    })))
}

/// A version of the crate on this machine.
struct Found {
    name: String,
    version: Version,
    path: PathBuf,
    is_archive: bool,
}

impl Found {
    fn read(&self) -> Result<Texts, SourceError> {
        if !self.is_archive {
            return Ok(Texts::of_folder(&self.path));
        }
        Texts::of_archive(&self.path).map_err(|error| {
            SourceError::failed(
                format!("cannot read {}: {error}", self.path.display()),
                "delete the file and run `cargo fetch`",
            )
        })
    }
}

/// Cargo takes `-` and `_` for different crates but lets only one of a pair exist.
fn same_name(a: &str, b: &str) -> bool {
    a.replace('-', "_") == b.replace('-', "_")
}

/// All versions: unpacked ones before archives, the project's own before cargo's.
fn find_all(places: &Places, name: &str) -> Vec<Found> {
    let mut found = Vec::new();
    for path in folders(&places.project.join("vendor")) {
        let Ok(text) = read_text(&path.join("Cargo.toml")) else { continue };
        let about = manifest(&BTreeMap::from([("Cargo.toml".to_owned(), text)]));
        if let (Some(own), Some(version)) = (about.name, about.version)
            && same_name(&own, name)
        {
            found.push(Found { name: own, version, path, is_archive: false });
        }
    }
    for (registry, is_archive) in [("registry/src", false), ("registry/cache", true)] {
        for path in folders(&places.cargo_home.join(registry)).iter().flat_map(|folder| folders(folder)) {
            if let Some((own, version)) = name_and_version(&path, is_archive)
                && same_name(&own, name)
            {
                found.push(Found { name: own, version, path, is_archive });
            }
        }
    }
    found
}

/// What a folder holds, in order.
fn folders(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    paths.sort();
    paths
}

/// `serde-1.0.2` or `serde-1.0.2.crate`, taken apart at the first dash that a version follows.
fn name_and_version(path: &Path, is_archive: bool) -> Option<(String, Version)> {
    let name = path.file_name()?.to_str()?;
    let name = if is_archive { name.strip_suffix(".crate")? } else { name };
    let is_version =
        |at: usize| name.get(at + 1..).is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
    let dashes = name.match_indices('-').filter(|&(at, _)| is_version(at));
    dashes.into_iter().find_map(|(at, _)| {
        let version = Version::parse(name.get(at + 1..)?).ok()?;
        Some((name.get(..at)?.to_owned(), version))
    })
}

/// The version that was asked for, that the project uses, or the newest.
fn choose<'a>(found: &'a [Found], version: Option<&str>, locked: Option<&Version>) -> Option<&'a Found> {
    let wanted = |candidate: &&Found| match version {
        Some(version) => is_version(&candidate.version, version),
        None => true,
    };
    let is_locked = |candidate: &&Found| version.is_none() && Some(&candidate.version) == locked;
    if let Some(exact) = found.iter().find(is_locked) {
        return Some(exact);
    }
    let rank = |candidate: &Found| (candidate.version.pre.is_empty(), candidate.version.clone());
    let candidates = found.iter().filter(wanted);
    // The first of equal ones, since unpacked crates stand before archives.
    candidates.reduce(|best, next| if rank(next) > rank(best) { next } else { best })
}

/// Whether a version is the one that is written, whole or by its first parts.
fn is_version(version: &Version, written: &str) -> bool {
    let whole = version.to_string();
    let without_build = whole.split('+').next().unwrap_or_default();
    let is_prefix = |written: &str| {
        let rest = whole.strip_prefix(written);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '-', '+']))
    };
    let written = written.trim_start_matches(['v', '=']);
    written == without_build || (!written.contains('-') && is_prefix(written))
}

/// The version that the project's lock file names, if it names one.
fn locked_version(project: &Path, name: &str) -> Option<Version> {
    let lock = project.ancestors().map(|folder| folder.join("Cargo.lock")).find(|path| path.is_file())?;
    let lock: toml::Table = read_text(&lock).ok()?.parse().ok()?;
    let mut versions = BTreeSet::new();
    for package in lock.get("package")?.as_array()? {
        let text = |key: &str| package.get(key).and_then(toml::Value::as_str);
        if text("name").is_some_and(|own| same_name(own, name)) {
            versions.insert(Version::parse(text("version")?).ok()?);
        }
    }
    versions.pop_first().filter(|_| versions.is_empty())
}

/// What Cargo.toml says.
#[derive(Default)]
struct Manifest {
    name: Option<String>,
    version: Option<Version>,
    description: Option<String>,
    readme: Option<String>,
    library_name: Option<String>,
    library_path: String,
}

fn manifest(texts: &BTreeMap<String, String>) -> Manifest {
    let table: toml::Table = texts.get("Cargo.toml").and_then(|text| text.parse().ok()).unwrap_or_default();
    let text = |section: &str, key: &str| -> Option<String> {
        Some(table.get(section)?.get(key)?.as_str()?.trim().to_owned())
    };
    let plain = |path: String| path.trim_start_matches("./").to_owned();
    Manifest {
        name: text("package", "name"),
        version: text("package", "version").and_then(|version| Version::parse(&version).ok()),
        description: text("package", "description")
            .map(|description| description.split_whitespace().collect::<Vec<_>>().join(" ")),
        readme: text("package", "readme").map(plain),
        library_name: text("lib", "name").map(|name| name.replace('-', "_")),
        library_path: text("lib", "path").map(plain).unwrap_or_else(|| "src/lib.rs".to_owned()),
    }
}

/// The crate's own pages. The one that its manifest calls the readme becomes `README.md`, wherever it is.
fn add_markdown(pages: &mut Pages, texts: &BTreeMap<String, String>, readme: Option<&str>) {
    let readme = readme.filter(|path| is_markdown(path)).and_then(|path| texts.get_key_value(path));
    // A workspace often copies one text into several places.
    let mut readmes: BTreeSet<&str> = BTreeSet::new();
    if let Some((_, text)) = readme {
        pages.add("README.md", text.clone());
        readmes.insert(text);
    }
    let mut documents: Vec<(&String, &String)> =
        texts.iter().filter(|(path, _)| is_markdown(path) && !is_legal(path)).collect();
    documents.sort_by_key(|(path, _)| (path.contains('/'), path.len()));
    for (path, text) in documents {
        let is_documentation = match path.contains('/') {
            false => true,
            true if path.starts_with("examples/") => {
                file_name(path).to_ascii_lowercase().starts_with("readme")
            }
            true => FOLDERS.iter().any(|folder| path.starts_with(folder)),
        };
        let is_readme = file_name(path).to_ascii_lowercase().starts_with("readme");
        let is_known = readme.is_some_and(|(readme, _)| readme == path)
            || (is_documentation && is_readme && !readmes.insert(text));
        if is_documentation && !is_known {
            pages.add(path, text.clone());
        }
    }
}

fn not_found(places: &Places, name: &str, version: Option<&str>, found: &[Found]) -> SourceError {
    let hint = "run `cargo fetch` in a project that uses it";
    if let (Some(version), false) = (version, found.is_empty()) {
        let mut versions: Vec<&Version> = found.iter().map(|found| &found.version).collect();
        versions.sort();
        versions.dedup();
        let versions: Vec<String> =
            versions.into_iter().rev().take(MAX_NAMED).map(Version::to_string).collect();
        let message = format!("{name} {version} is not on this machine; there is {}", versions.join(", "));
        return SourceError::failed(message, format!("name one of these versions, or {hint}"));
    }
    let registry = places.cargo_home.join("registry");
    let mut message = format!(
        "the crate {name} is not on this machine: looked in {} and in {}",
        registry.display(),
        places.project.join("vendor").display(),
    );
    let near = near_names(places, name);
    if !near.is_empty() {
        message.push_str(&format!("; near it there is {}", near.join(", ")));
    }
    SourceError::failed(message, hint)
}

/// Names of other crates that look alike.
fn near_names(places: &Places, name: &str) -> Vec<String> {
    let mut names = BTreeSet::new();
    for (registry, is_archive) in [("registry/src", false), ("registry/cache", true)] {
        for path in folders(&places.cargo_home.join(registry)).iter().flat_map(|folder| folders(folder)) {
            names.extend(name_and_version(&path, is_archive).map(|(name, _)| name));
        }
    }
    let wanted = name.replace('-', "_");
    let start: String = wanted.chars().take(4).collect();
    let is_near = |other: &String| {
        let other = other.replace('-', "_");
        other.contains(&wanted) || (other.len() > 2 && wanted.contains(&other)) || other.starts_with(&start)
    };
    names.into_iter().filter(is_near).take(MAX_NAMED).collect()
}
