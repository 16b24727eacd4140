//! A file that a command edits for its owner: read whole, written whole, never half.
//!
//! The new text goes into a file beside the old one, which takes its place with its permissions. Links are followed, so
//! that files kept elsewhere stay where they are. A file that changed since it was read is left alone.

use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};

use crate::errors::{CliError, plain_io};

/// Nobody's settings or documents are larger than this.
const MAX_BYTES: u64 = 64 * 1024 * 1024;

/// A file that may be there.
#[derive(Debug)]
pub(crate) struct EditedFile {
    /// Where it really is.
    path: PathBuf,
    /// What was in it.
    text: Option<String>,
}

impl EditedFile {
    /// Reads the file at this path. One that is not there is fine.
    pub(crate) fn read(path: &Path) -> Result<Self, CliError> {
        let path = real_path(path)?;
        let text = read_text(&path)?;
        Ok(Self { path, text })
    }

    /// What was in it; `None` when it was not there.
    pub(crate) fn text(&self) -> Option<&str> {
        self.text.as_deref()
    }

    /// Puts a new text in its place.
    pub(crate) fn write(&self, text: &str) -> Result<(), CliError> {
        if read_text(&self.path)? != self.text {
            return Err(CliError::failed(
                format!("{} has changed in the meantime; nothing was written", self.path.display()),
                "run the command again to see the difference to what is there now",
            ));
        }
        self.replace(text).map_err(|error| {
            CliError::failed(
                format!("cannot write {}: {}; it is as it was", self.path.display(), plain_io(&error)),
                "make the file and its folder writable, or use --dry-run and edit the file by hand",
            )
        })
    }

    fn replace(&self, text: &str) -> io::Result<()> {
        let old = match fs::metadata(&self.path) {
            Ok(metadata) => Some(metadata),
            Err(error) if error.kind() == ErrorKind::NotFound => None,
            Err(error) => return Err(error),
        };
        if old.as_ref().is_some_and(|metadata| metadata.permissions().readonly()) {
            return Err(io::Error::new(ErrorKind::PermissionDenied, "the file is read-only"));
        }
        let folder = self.path.parent().unwrap_or(Path::new("."));
        fs::create_dir_all(folder)?;
        let (beside, mut file) = create_beside(&self.path, old.is_some())?;
        let done = file
            .write_all(text.as_bytes())
            .and_then(|()| old.as_ref().map_or(Ok(()), |old| take_over(&file, old)))
            .and_then(|()| file.sync_all())
            .and_then(|()| fs::rename(&beside, &self.path));
        if done.is_err() {
            // The error says what happened; a file that cannot be removed is only in the way.
            let _ = fs::remove_file(&beside);
        }
        done
    }
}

/// The path with links resolved, also when the file itself is not there yet.
fn real_path(path: &Path) -> Result<PathBuf, CliError> {
    match fs::canonicalize(path) {
        Ok(path) => Ok(path),
        Err(error) if error.kind() == ErrorKind::NotFound && path.is_symlink() => Err(CliError::failed(
            format!("{} is a link to a file that is not there", path.display()),
            "create the file that it leads to, or remove the link",
        )),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(path.to_path_buf()),
        Err(error) => Err(unreadable(path, &error)),
    }
}

fn read_text(path: &Path) -> Result<Option<String>, CliError> {
    match fs::metadata(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(unreadable(path, &error)),
        Ok(metadata) if !metadata.is_file() || metadata.len() > MAX_BYTES => {
            return Err(CliError::failed(
                format!("{} cannot be edited: it must be a file of at most 64 MB", path.display()),
                "move it out of the way",
            ));
        }
        Ok(_) => {}
    }
    let bytes = fs::read(path).map_err(|error| unreadable(path, &error))?;
    String::from_utf8(bytes).map(Some).map_err(|_| {
        CliError::failed(
            format!("{} is not valid UTF-8; nothing was written", path.display()),
            "save the file as UTF-8 and run the command again",
        )
    })
}

fn unreadable(path: &Path, error: &io::Error) -> CliError {
    CliError::failed(format!("cannot read {}: {}", path.display(), plain_io(error)), "make the file readable")
}

/// A new file in the same folder. What replaces a file that may hold secrets is never readable for others.
pub(crate) fn create_beside(path: &Path, private: bool) -> io::Result<(PathBuf, File)> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    if private {
        use std::os::unix::fs::OpenOptionsExt;
        options.mode(0o600);
    }
    #[cfg(not(unix))]
    let _ = private;
    let mut number = 0;
    loop {
        let beside = path.with_file_name(format!(".{name}.docent-{}-{number}", std::process::id()));
        match options.open(&beside) {
            Ok(file) => return Ok((beside, file)),
            Err(error) if error.kind() == ErrorKind::AlreadyExists && number < 100 => number += 1,
            Err(error) => return Err(error),
        }
    }
}

/// Gives the new file the old one's permissions and, where that is allowed, its owner.
fn take_over(file: &File, old: &fs::Metadata) -> io::Result<()> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::{MetadataExt, fchown};
        let new = file.metadata()?;
        if (new.uid(), new.gid()) != (old.uid(), old.gid()) {
            // Only root may give files away; everybody else keeps the permissions at least.
            let _ = fchown(file, Some(old.uid()), Some(old.gid()));
        }
    }
    file.set_permissions(old.permissions())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_new_file_gets_its_folders() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a/b/c.json");
        let file = EditedFile::read(&path).unwrap();
        assert_eq!(file.text(), None);
        file.write("{}").unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "{}");
        assert_eq!(fs::read_dir(dir.path().join("a/b")).unwrap().count(), 1);
    }

    #[test]
    fn a_file_that_changed_is_left_alone() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("c.json");
        fs::write(&path, "1").unwrap();
        let file = EditedFile::read(&path).unwrap();
        fs::write(&path, "2").unwrap();
        assert!(file.write("3").is_err());
        assert_eq!(fs::read_to_string(&path).unwrap(), "2");
        let file = EditedFile::read(&dir.path().join("new.json")).unwrap();
        fs::write(dir.path().join("new.json"), "2").unwrap();
        assert!(file.write("3").is_err());
    }

    #[cfg(unix)]
    #[test]
    fn links_and_permissions_stay() {
        use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
        let dir = tempfile::tempdir().unwrap();
        let (real, link) = (dir.path().join("dotfiles.json"), dir.path().join("c.json"));
        fs::write(&real, "1").unwrap();
        fs::set_permissions(&real, fs::Permissions::from_mode(0o640)).unwrap();
        symlink(&real, &link).unwrap();
        EditedFile::read(&link).unwrap().write("2").unwrap();
        assert!(link.is_symlink());
        assert_eq!(fs::read_to_string(&real).unwrap(), "2");
        assert_eq!(fs::metadata(&real).unwrap().mode() & 0o777, 0o640);
        fs::set_permissions(&real, fs::Permissions::from_mode(0o440)).unwrap();
        assert!(EditedFile::read(&link).unwrap().write("3").is_err());
        fs::remove_file(&real).unwrap();
        assert!(EditedFile::read(&link).is_err());
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1);
    }

    #[test]
    fn what_is_no_text_is_refused() {
        let dir = tempfile::tempdir().unwrap();
        assert!(EditedFile::read(dir.path()).is_err());
        fs::write(dir.path().join("x"), b"\xff").unwrap();
        assert!(EditedFile::read(&dir.path().join("x")).is_err());
    }
}
