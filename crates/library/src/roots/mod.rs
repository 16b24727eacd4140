//! Which files may be read: those below an allowed folder, decided on the file that was opened, not on its name.
//!
//! A path is made absolute and freed of `..` as text; what is not below a root by its text is refused with the same words whether
//! there is such a file or not. What is below is opened from the root's handle in a way that cannot lead out of it (`open`), so
//! that no link and no swap in between helps. Hidden files and key files below a root are nobody's documents (`names`).

mod names;
mod open;
mod read;
#[cfg(all(test, unix))]
mod tests;

use std::fs::File;
use std::path::{Component, Path, PathBuf};

use crate::LibraryError;

pub(crate) use self::read::too_large;

/// Roots that a refusal names.
const NAMED_ROOTS: usize = 3;

/// Systems refuse longer paths themselves, after having walked a long way.
const MAX_PATH: usize = 4096;

/// The folders and files that may be read.
#[derive(Debug, Clone)]
pub(crate) struct Roots {
    roots: Vec<PathBuf>,
    /// What relative paths are relative to.
    base: PathBuf,
}

/// A path that may be looked at, because of the root that it is below.
#[derive(Debug, Clone)]
pub(crate) struct Place {
    /// The root, with links resolved.
    root: PathBuf,
    /// The path below it; empty for the root itself.
    below: PathBuf,
    /// The path as it was asked for.
    asked: String,
    /// What may be read, in words.
    allowed: String,
}

impl Roots {
    pub(crate) fn new(roots: &[PathBuf], base: &Path) -> Self {
        Self { roots: roots.iter().map(|root| clean(&base.join(root))).collect(), base: base.to_owned() }
    }

    /// Finds the root that a path is below. Nothing is looked at but the roots.
    pub(crate) fn place(&self, path: &str) -> Result<Place, LibraryError> {
        check_spelling(path)?;
        let full = clean(&self.base.join(path));
        let mut refusal = None;
        let allowed = self.allowed();
        for root in &self.roots {
            let real = std::fs::canonicalize(root).unwrap_or_else(|_| root.clone());
            let Some(below) = [root, &real].into_iter().find_map(|root| full.strip_prefix(root).ok()) else {
                continue;
            };
            match names::refusal(below) {
                Some(reason) => refusal = Some(reason),
                None => {
                    return Ok(Place {
                        root: real,
                        below: below.to_owned(),
                        asked: path.to_owned(),
                        allowed,
                    });
                }
            }
        }
        Err(match refusal {
            Some(reason) => not_a_document(path, reason),
            None => outside(path, &allowed),
        })
    }

    /// The roots in words; they are no secret to whoever may read below them.
    fn allowed(&self) -> String {
        let named: Vec<_> =
            self.roots.iter().take(NAMED_ROOTS).map(|root| root.display().to_string()).collect();
        match (named.is_empty(), self.roots.len() > NAMED_ROOTS) {
            (true, _) => "no folder".to_owned(),
            (_, true) => format!("{}, …", named.join(", ")),
            (_, false) => named.join(", "),
        }
    }
}

impl Place {
    /// The absolute path: the document's source.
    pub(crate) fn full(&self) -> PathBuf {
        if self.below.as_os_str().is_empty() { self.root.clone() } else { self.root.join(&self.below) }
    }

    /// The same for a file in this folder.
    pub(crate) fn inside(&self, below: &Path) -> Place {
        Place { below: self.below.join(below), asked: below.display().to_string(), ..self.clone() }
    }

    /// Opens the file and makes sure of where it is; the error says why not.
    pub(crate) fn open_file(&self) -> Result<File, LibraryError> {
        let file = self.open()?;
        let metadata = file.metadata().map_err(|error| open::unreadable(&self.asked, &error))?;
        if metadata.is_dir() {
            return Err(LibraryError {
                message: format!("{} is a folder", shown(&self.asked)),
                hint: "name a file in it, or take in the folder as a whole".to_owned(),
            });
        }
        if !metadata.is_file() {
            return Err(LibraryError {
                message: format!("{} is not a regular file", shown(&self.asked)),
                hint: "pipes, sockets and devices are not read; save what comes out of it as a file"
                    .to_owned(),
            });
        }
        Ok(file)
    }

    /// Makes sure that the folder is one, and where it should be.
    pub(crate) fn check_folder(&self) -> Result<(), LibraryError> {
        let folder = self.open()?;
        match folder.metadata() {
            Ok(metadata) if metadata.is_dir() => Ok(()),
            Ok(_) => Err(LibraryError {
                message: format!("{} is not a folder", shown(&self.asked)),
                hint: "take it in as a file".to_owned(),
            }),
            Err(error) => Err(open::unreadable(&self.asked, &error)),
        }
    }

    fn open(&self) -> Result<File, LibraryError> {
        let opened = open::beneath(&self.root, &self.below).map_err(|error| match error {
            open::OpenError::LeadsOut => outside(&self.asked, &self.allowed),
            open::OpenError::Io(error) => open::unreadable(&self.asked, &error),
        })?;
        // A link with a harmless name may lead to a file that has none, and in a folder nobody has looked at the name yet.
        let really = opened.below.as_deref().and_then(names::refusal);
        match names::refusal(&self.below).or(really) {
            Some(reason) => Err(not_a_document(&self.asked, reason)),
            None => Ok(opened.file),
        }
    }
}

/// The refusal of what is not below a root: the same for what is there and what is not.
fn outside(path: &str, allowed: &str) -> LibraryError {
    LibraryError {
        message: format!("{} is not inside a folder that may be read", shown(path)),
        hint: format!(
            "name a file below {}, or allow the folder: `library.roots` in docent.toml or `docent serve --root DIR`",
            shown(allowed)
        ),
    }
}

fn not_a_document(path: &str, reason: &str) -> LibraryError {
    LibraryError {
        message: format!("{} is not read: {reason}", shown(path)),
        hint: "a person can take it in by naming it: `docent ingest FILE`".to_owned(),
    }
}

fn check_spelling(path: &str) -> Result<(), LibraryError> {
    let problem = if path.trim().is_empty() {
        "it is empty"
    } else if path.len() > MAX_PATH {
        "it is longer than 4,096 bytes"
    } else if path.contains('\0') {
        "it contains a NUL character"
    } else {
        return Ok(());
    };
    Err(LibraryError {
        message: format!("not a path: {} ({problem})", shown(path)),
        hint: "give the path of a file, absolute or relative to the project folder".to_owned(),
    })
}

/// What can be shown of a path that somebody made up.
fn shown(path: &str) -> String {
    let visible: String =
        path.chars().map(|c| if c.is_control() { '\u{fffd}' } else { c }).take(200).collect();
    if visible.chars().count() < path.chars().count() { format!("{visible}…") } else { visible }
}

/// The path without `.` and `..`, as text: what a link on the way stands for does not count.
fn clean(path: &Path) -> PathBuf {
    let mut cleaned = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            // At the top this does nothing, as it should.
            Component::ParentDir => {
                cleaned.pop();
            }
            other => cleaned.push(other),
        }
    }
    cleaned
}
