//! The folder that `docent convert` writes to. Nothing that is there is lost by it: what exists is replaced only when asked for, a file
//! that is being converted never, and a link is replaced itself instead of what it leads to.

use std::collections::BTreeSet;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use docent_library::LibraryError;

use crate::edited_file::create_beside;
use crate::errors::{CliError, plain_io};

/// A folder that Markdown is written to.
pub(super) struct Out {
    folder: PathBuf,
    /// What is being converted.
    sources: Vec<Identity>,
    force: bool,
    /// Names that were given to a file of this run.
    used: Mutex<BTreeSet<String>>,
}

impl Out {
    pub(super) fn new(folder: &Path, here: &Path, files: &[PathBuf], force: bool) -> Result<Self, CliError> {
        fs::create_dir_all(folder).map_err(|error| {
            let LibraryError { message, hint } = cannot_write(folder, &error);
            CliError::failed(message, hint)
        })?;
        let sources = files.iter().filter_map(|file| Identity::of(&here.join(file))).collect();
        Ok(Self { folder: folder.to_owned(), sources, force, used: Mutex::default() })
    }

    /// Writes what a file became, and says where. Two files of one name do not take each other's place.
    pub(super) fn write(&self, file: &Path, markdown: &str) -> Result<PathBuf, LibraryError> {
        let whole = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let stem = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let numbered = (2..).map(|number| format!("{stem}-{number}.md"));
        let mut names = [format!("{stem}.md"), format!("{whole}.md")].into_iter().chain(numbered);
        let mut used = self.used.lock().unwrap_or_else(PoisonError::into_inner);
        let name = names.find(|name| used.insert(name.clone())).unwrap_or(whole);
        let path = self.folder.join(name);
        if Identity::of(&path).is_some_and(|there| self.sources.contains(&there)) {
            return Err(LibraryError {
                message: format!("{} is not written: it is one of the files to convert", path.display()),
                hint: "choose another folder with --out DIR".to_owned(),
            });
        }
        if is_written(&path, markdown) {
            return Ok(path);
        }
        if !self.force && fs::symlink_metadata(&path).is_ok() {
            return Err(LibraryError {
                message: format!("{} exists already and was left as it is", path.display()),
                hint: "add --force to replace it, or choose another folder with --out DIR".to_owned(),
            });
        }
        replace(&path, markdown).map_err(|error| cannot_write(&path, &error))?;
        Ok(path)
    }
}

/// Whether this text is what the file holds already.
fn is_written(path: &Path, markdown: &str) -> bool {
    let is_file =
        fs::symlink_metadata(path).is_ok_and(|there| there.is_file() && there.len() == markdown.len() as u64);
    is_file && fs::read(path).is_ok_and(|bytes| bytes == markdown.as_bytes())
}

/// Puts a whole file in the place of what is there, be it a link.
fn replace(path: &Path, text: &str) -> io::Result<()> {
    let (beside, mut file) = create_beside(path, false)?;
    let done = file.write_all(text.as_bytes()).and_then(|()| fs::rename(&beside, path));
    if done.is_err() {
        // The error says what happened; a file that cannot be removed is only in the way.
        let _ = fs::remove_file(&beside);
    }
    done
}

fn cannot_write(path: &Path, error: &io::Error) -> LibraryError {
    LibraryError {
        message: format!("cannot write {}: {}", path.display(), plain_io(error)),
        hint: "choose a folder that you may write to with --out DIR".to_owned(),
    }
}

/// What makes two names the same file.
#[cfg(unix)]
#[derive(PartialEq, Eq)]
struct Identity(u64, u64);

#[cfg(not(unix))]
#[derive(PartialEq, Eq)]
struct Identity(PathBuf);

impl Identity {
    /// Of the file that the path leads to, if there is one.
    #[cfg(unix)]
    fn of(path: &Path) -> Option<Self> {
        use std::os::unix::fs::MetadataExt;
        fs::metadata(path).ok().map(|it| Self(it.dev(), it.ino()))
    }

    #[cfg(not(unix))]
    fn of(path: &Path) -> Option<Self> {
        fs::canonicalize(path).ok().map(Self)
    }
}
