//! The files of a folder for those who look at them without an index: the check of authors' work.
//!
//! What counts as a document, and how it is read, is decided in one place for the index and for the check.

use docent_authoring::manifest_path;

use crate::prepare::{self, Unread};
use crate::scan;
use crate::{EngineError, Source};

/// What there is in a folder.
#[derive(Debug, Default)]
pub struct FileList {
    /// Paths of the documents, relative to the folder, in order.
    pub documents: Vec<String>,
    /// Folders that have a manifest, relative to the folder; empty for itself.
    pub manifest_folders: Vec<String>,
    /// What could not be looked at: path and reason.
    pub problems: Vec<(String, String)>,
}

/// Walks the folder as the index does.
pub fn list_files(source: &Source) -> Result<FileList, EngineError> {
    let mut scan = scan::scan(source)?;
    let has_file = |folder: &&str| scan::stat(source, &manifest_path(folder)).is_some();
    let manifests = source.manifests();
    let manifest_folders: Vec<String> =
        manifests.all().map(|(folder, _)| folder).filter(has_file).map(str::to_owned).collect();
    // What is wrong with manifests that can be read is for those who read them.
    let is_read = |path: &str| manifest_folders.iter().any(|folder| manifest_path(folder) == path);
    let others = source.manifest_problems().into_iter().filter(|problem| !is_read(&problem.path));
    scan.problems.extend(others.map(|problem| (problem.path, problem.reason)));
    Ok(FileList { documents: scan.files.into_keys().collect(), manifest_folders, problems: scan.problems })
}

/// Reads a file of the folder as the index does; the error is a reason in words.
pub fn read_file(source: &Source, path: &str) -> Result<String, String> {
    prepare::read(source, path).map(|reading| reading.text).map_err(|unread| match unread {
        Unread::Gone => "the file is gone".to_owned(),
        Unread::Refused { reason, .. } => reason,
    })
}
