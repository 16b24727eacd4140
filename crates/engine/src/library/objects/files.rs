//! Files that are there whole or not at all.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::Path;

use serde::de::DeserializeOwned;

/// What the name of a file that is not whole yet begins with.
pub(super) const UNFINISHED: &str = ".new-";

/// Names of the files that are whole.
pub(super) fn names(dir: &Path) -> io::Result<Vec<String>> {
    let found = match fs::read_dir(dir) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        found => found?,
    };
    let mut names = Vec::new();
    for entry in found {
        let name = entry?.file_name().into_string().unwrap_or_default();
        if !name.is_empty() && !name.starts_with('.') {
            names.push(name);
        }
    }
    Ok(names)
}

pub(super) fn read_json<T: DeserializeOwned>(path: &Path) -> Option<T> {
    serde_json::from_slice(&fs::read(path).ok()?).ok()
}

/// What a file has to survive.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Safety {
    /// That the process is killed.
    Process,
    /// That the machine is.
    Machine,
}

/// Writes a file so that it is there with all its content or not at all.
pub(super) fn write_whole(dir: &Path, name: &str, bytes: &[u8], safety: Safety) -> io::Result<()> {
    fs::create_dir_all(dir)?;
    let beside = dir.join(format!("{UNFINISHED}{}", uuid::Uuid::new_v4()));
    let written = File::create(&beside).and_then(|mut file| {
        file.write_all(bytes)?;
        if safety == Safety::Machine { file.sync_all() } else { Ok(()) }
    });
    let renamed = written.and_then(|()| fs::rename(&beside, dir.join(name)));
    if renamed.is_err() {
        let _ = fs::remove_file(&beside);
    }
    renamed
}

pub(super) fn remove(path: &Path) -> io::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        outcome => outcome,
    }
}
