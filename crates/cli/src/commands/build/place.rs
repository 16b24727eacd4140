//! Where the index goes: a folder that nobody else's files are in.

use std::fs;
use std::path::{Component, Path, PathBuf};

use docent_store_embedded::Marker;

use crate::errors::{CliError, plain_io};
use crate::settings::{Origin, Settings};

const LONGEST_NAME: usize = 64;

/// The place for the index, links resolved, if one may be put there.
pub(super) fn check(out: &Path, settings: &Settings) -> Result<PathBuf, CliError> {
    if let Origin::Flag(flag) = settings.index.origin {
        return Err(CliError::usage(
            format!("{flag} has no meaning for a build"),
            "--out names the folder that the index goes to",
        ));
    }
    let Some(place) = resolve(out) else {
        return Err(CliError::usage(
            format!("{} cannot be replaced by an index", out.display()),
            "name a folder of its own for the index, e.g. --out ./docs-index",
        ));
    };
    if settings.docs.value.starts_with(&place) {
        return Err(CliError::usage(
            format!("{} holds the documents", place.display()),
            "name a folder of its own for the index, e.g. --out ./docs-index",
        ));
    }
    let refuse = |why: &str| {
        Err(CliError::usage(
            format!("{} {why}, and a build would replace it", place.display()),
            "name another folder with --out, or remove this one yourself",
        ))
    };
    match fs::read_dir(&place).map(|mut entries| entries.next().is_none()) {
        Ok(is_empty) if !is_empty && !Marker::is_in(&place) => {
            refuse("holds files that `docent build` did not make")
        }
        Ok(_) => Ok(place),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(place),
        Err(error) if error.kind() == std::io::ErrorKind::NotADirectory => refuse("is a file"),
        Err(error) => Err(CliError::failed(
            format!("cannot look at {}: {}", place.display(), plain_io(&error)),
            "choose a folder that you may write to with --out DIR",
        )),
    }
}

/// The same place gets the same path whether it is there already or not. `None` where no folder can be put.
fn resolve(out: &Path) -> Option<PathBuf> {
    let full = std::path::absolute(out).ok()?;
    let there = full.ancestors().find(|ancestor| ancestor.exists())?;
    let below = full.strip_prefix(there).ok()?;
    let is_plain = below.components().all(|part| matches!(part, Component::Normal(_)));
    let place: PathBuf = fs::canonicalize(there).ok()?.components().chain(below.components()).collect();
    (is_plain && place.file_name().is_some()).then_some(place)
}

/// A name that can stand in addresses as it is.
pub(super) fn check_name(name: &str) -> Result<(), CliError> {
    let is_plain = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.');
    if (1..=LONGEST_NAME).contains(&name.chars().count()) && name.chars().all(is_plain) {
        return Ok(());
    }
    Err(CliError::usage(
        format!("`{name}` cannot be the name of a collection"),
        format!("use letters, digits, `-`, `_` and `.`, at most {LONGEST_NAME}"),
    ))
}
