//! Which project a folder belongs to, and where its index goes.
//!
//! A project is the nearest folder upwards that has a `docent.toml`, a `.docent` or a `.git`. Inside one the index lives
//! with the documents; elsewhere it lives in the user's cache, under a name made from the folder's path, so that docent
//! never writes into a folder that nobody declared as a place to work in.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use etcetera::BaseStrategy;

use crate::errors::CliError;

/// Name of the settings file.
pub(crate) const SETTINGS_FILE: &str = "docent.toml";
/// Name of the index folder inside a project.
pub(crate) const INDEX_FOLDER: &str = ".docent";
/// Name of the documents folder that is taken when nobody says otherwise.
pub(crate) const DOCS_FOLDER: &str = "docs";

const MARKERS: &[&str] = &[SETTINGS_FILE, INDEX_FOLDER, ".git"];

/// The nearest project around `folder`, which is absolute.
pub(crate) fn around(folder: &Path) -> Option<PathBuf> {
    let is_project = |folder: &&Path| MARKERS.iter().any(|marker| folder.join(marker).exists());
    folder.ancestors().find(is_project).map(Path::to_path_buf)
}

/// The index folder for documents in `docs`.
pub(crate) fn default_index(project: Option<&Path>, docs: &Path, cache: &Path) -> PathBuf {
    match project {
        Some(project) => project.join(INDEX_FOLDER),
        None => cache.join("indexes").join(cache_name(docs)),
    }
}

/// Refuses an index folder of a project that is a link out of it: a repository that somebody cloned could have it.
pub(crate) fn stays_inside(project: &Path, index: &Path) -> Result<(), CliError> {
    let there = index.ancestors().find_map(|folder| fs::canonicalize(folder).ok());
    let is_inside = match (there, fs::canonicalize(project)) {
        (Some(there), Ok(project)) => there.starts_with(project),
        _ => true,
    };
    if !index.starts_with(project) {
        return Ok(());
    }
    if !is_inside {
        return Err(CliError::usage(
            format!("the index folder {} is a link that leads out of the project", index.display()),
            "delete the link, or name the folder that you want with --index",
        ));
    }
    match fs::canonicalize(index).ok().and_then(|index| odd_entry(&index, &index, DEEP)) {
        None => Ok(()),
        Some((link, true)) => Err(CliError::usage(
            format!("{} in the index folder is a link that leads out of it", link.display()),
            "delete the link; docent writes nothing through it",
        )),
        Some((path, false)) => Err(CliError::usage(
            format!("{} in the index folder is neither a file nor a folder", path.display()),
            "delete it; docent would wait for it for ever",
        )),
    }
}

/// So many folders deep docent writes files of fixed names.
const DEEP: usize = 4;

/// A link below a folder that leads out of `index`, or nowhere; or a pipe, and `false`.
fn odd_entry(index: &Path, folder: &Path, depth: usize) -> Option<(PathBuf, bool)> {
    fs::read_dir(folder).ok()?.flatten().find_map(|entry| {
        let (path, kind) = (entry.path(), entry.file_type().ok()?);
        if kind.is_symlink() {
            let is_inside = fs::canonicalize(&path).is_ok_and(|there| there.starts_with(index));
            return (!is_inside).then_some((path, true));
        }
        if !kind.is_dir() && !kind.is_file() {
            return Some((path, false));
        }
        if kind.is_dir() && depth > 1 { odd_entry(index, &path, depth - 1) } else { None }
    })
}

/// The folder documents are read from when nobody names one.
pub(crate) fn default_docs(project: Option<&Path>, here: &Path) -> PathBuf {
    let home = project.unwrap_or(here);
    let docs = home.join(DOCS_FOLDER);
    if docs.is_dir() { docs } else { home.to_path_buf() }
}

/// The user's cache folder for docent. A user without a home, as in a container, needs none where the index is named.
pub(crate) fn default_cache(is_index_named: bool) -> Result<PathBuf, CliError> {
    match etcetera::choose_base_strategy() {
        Ok(strategy) => Ok(strategy.cache_dir().join("docent")),
        Err(_) if is_index_named => Ok(std::env::temp_dir().join("docent")),
        Err(_) => Err(CliError::failed(
            "cannot find your home folder",
            "set HOME, or name a folder with DOCENT_CACHE_DIR",
        )),
    }
}

/// The folder of the user's own settings. A user without a home has none.
pub(crate) fn default_config() -> Option<PathBuf> {
    etcetera::choose_base_strategy().ok().map(|strategy| strategy.config_dir().join("docent"))
}

/// Makes the index folder. It keeps itself out of version control.
pub(crate) fn create_index_folder(index: &Path) -> io::Result<()> {
    if index.is_dir() {
        return Ok(());
    }
    fs::create_dir_all(index)?;
    fs::write(index.join(".gitignore"), "*\n")
}

/// A readable name that differs between folders of the same name.
pub(crate) fn cache_name(docs: &Path) -> String {
    let hash = blake3::hash(docs.as_os_str().as_encoded_bytes()).to_hex();
    let name = docs.file_name().map(|name| name.to_string_lossy()).unwrap_or_default();
    let readable: String =
        name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).take(32).collect();
    format!("{readable}-{}", &hash[..16])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_marker_makes_a_project() {
        for marker in MARKERS {
            let dir = tempfile::tempdir().unwrap();
            fs::create_dir_all(dir.path().join("a/b")).unwrap();
            fs::write(dir.path().join("a").join(marker), "").unwrap();
            assert_eq!(around(&dir.path().join("a/b")), Some(dir.path().join("a")));
        }
    }

    #[test]
    fn folders_of_the_same_name_get_different_indexes() {
        let cache = Path::new("/cache");
        let index = |docs: &str| default_index(None, Path::new(docs), cache);
        assert_ne!(index("/a/docs"), index("/b/docs"));
        assert!(index("/a/docs").starts_with("/cache/indexes"));
    }

    #[test]
    fn the_index_folder_keeps_itself_out_of_version_control() {
        let dir = tempfile::tempdir().unwrap();
        let index = dir.path().join(INDEX_FOLDER);
        create_index_folder(&index).unwrap();
        assert_eq!(fs::read_to_string(index.join(".gitignore")).unwrap(), "*\n");
    }
}
