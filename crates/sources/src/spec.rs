//! What stands after `docent add NAME`: the kinds of sources and how they are written.

use std::fmt;
use std::path::{Path, PathBuf};

use crate::SourceError;

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
        let _ = here;
        Err(SourceError::usage(format!("not a source: {text}"), "give a folder, a file or an address"))
    }
}

/// As it is written in settings.
impl fmt::Display for Spec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let _ = f;
        Ok(())
    }
}
