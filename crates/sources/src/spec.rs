//! What stands after `docent add NAME`: the kinds of sources and how they are written.
//!
//! Reading what a user wrote is in [`crate::parse`]; what [`Spec`] displays, it reads back to the same value.

use std::fmt;
use std::path::{Path, PathBuf};

use crate::{SourceError, parse};

/// A source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Spec {
    /// A folder that is read where it is.
    Folder(PathBuf),
    /// A single document that is read where it is.
    File(PathBuf),
    /// A repository: `git+https://host/repo#ref:folder`, `git+file:///repo`, `git+ssh://…`. Ref and folder may be left out.
    Git {
        /// What `git fetch` is given.
        url: String,
        /// Branch, tag or commit; the remote's default branch when nothing is said.
        reference: Option<String>,
        /// Folder inside the repository.
        folder: Option<String>,
    },
    /// A list of documents on the web: `https://host/manifest.json`.
    Manifest(String),
    /// A `.tar.gz` or `.tgz`.
    Archive(Place),
    /// What `docent pack` wrote.
    Bundle(Place),
    /// Documentation of what is installed on this machine.
    Package(Package),
}

/// Where a file is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Place {
    /// On this machine.
    Path(PathBuf),
    /// On the web.
    Url(String),
}

/// Something that is installed on this machine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Package {
    /// `rust-crate:NAME[@VERSION]`, from cargo's registry.
    RustCrate {
        /// Name of the crate.
        name: String,
        /// Its version, or a prefix of it; the newest when nothing is said.
        version: Option<String>,
    },
    /// `npm:NAME`, from the nearest `node_modules`.
    Npm(String),
    /// `pypi:NAME`, from the virtual environment or the system.
    PyPi(String),
    /// `man:NAME`, `man:NAME.SECTION`, `man:SECTION` (all pages of a section) or `man:*` (all).
    Man(String),
}

impl Spec {
    /// Reads what a user wrote; relative paths start at `here`.
    pub fn parse(text: &str, here: &Path) -> Result<Self, SourceError> {
        parse::parse(text, here)
    }

    /// Whether the documents are read where they are, so that there is nothing to fetch.
    pub fn is_live(&self) -> bool {
        matches!(self, Self::Folder(_) | Self::File(_))
    }

    /// What the set of documents could be called, from how its source is written.
    pub fn suggested_name(&self) -> Option<String> {
        let name = match self {
            Self::Folder(path) => path.file_name()?.to_string_lossy().into_owned(),
            Self::File(path) => path.file_stem()?.to_string_lossy().into_owned(),
            Self::Git { url, .. } => {
                let last = last_part(url)?;
                last.strip_suffix(".git").unwrap_or(last).to_owned()
            }
            Self::Manifest(url) => last_part(url.rsplit_once('/')?.0)?.to_owned(),
            Self::Archive(place) | Self::Bundle(place) => {
                let file = place.file_name()?;
                let stem = [".tar.gz", ".tgz", ".docent"].iter().find_map(|ending| file.strip_suffix(ending));
                stem.unwrap_or(&file).to_owned()
            }
            Self::Package(Package::RustCrate { name, version: Some(version) }) => format!("{name}@{version}"),
            Self::Package(Package::RustCrate { name, version: None }) => name.clone(),
            Self::Package(Package::Man(pages)) if pages == "*" || pages.len() == 1 => {
                format!("man{}", pages.replace('*', ""))
            }
            Self::Package(Package::Npm(name) | Package::PyPi(name) | Package::Man(name)) => name.clone(),
        };
        Some(name).filter(|name| !name.is_empty())
    }
}

impl Place {
    fn file_name(&self) -> Option<String> {
        match self {
            Self::Path(path) => Some(path.file_name()?.to_string_lossy().into_owned()),
            Self::Url(url) => last_part(url).map(str::to_owned),
        }
    }
}

/// The last part of an address's path, without the query; its host where there is no path.
fn last_part(url: &str) -> Option<&str> {
    let path = url.split(['?', '#']).next()?;
    path.trim_end_matches('/').rsplit('/').next().filter(|part| !part.is_empty())
}

/// As it is written in settings.
impl fmt::Display for Spec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Folder(path) | Self::File(path) => write!(f, "{}", path.display()),
            Self::Git { url, reference, folder } => {
                write!(f, "git+{url}")?;
                match (reference, folder) {
                    (None, None) => Ok(()),
                    (Some(reference), None) => write!(f, "#{reference}"),
                    (reference, Some(folder)) => {
                        write!(f, "#{}:{folder}", reference.as_deref().unwrap_or_default())
                    }
                }
            }
            Self::Manifest(url) => f.write_str(url),
            Self::Archive(place) | Self::Bundle(place) => write!(f, "{place}"),
            Self::Package(package) => write!(f, "{package}"),
        }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Path(path) => write!(f, "{}", path.display()),
            Self::Url(url) => f.write_str(url),
        }
    }
}

impl fmt::Display for Package {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::RustCrate { name, version: None } => write!(f, "rust-crate:{name}"),
            Self::RustCrate { name, version: Some(version) } => write!(f, "rust-crate:{name}@{version}"),
            Self::Npm(name) => write!(f, "npm:{name}"),
            Self::PyPi(name) => write!(f, "pypi:{name}"),
            Self::Man(page) => write!(f, "man:{page}"),
        }
    }
}
