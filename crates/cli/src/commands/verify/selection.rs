//! Which documents are asked for.

use std::path::{Path, PathBuf};

use docent_claims::Repository;

use crate::errors::CliError;

/// The paths that were named, relative to the repository. A document that is gone has nothing to verify.
pub(super) fn of(
    paths: &[PathBuf],
    repository: &Repository,
    root: &Path,
    here: &Path,
) -> Result<Vec<String>, CliError> {
    // A bare repository has paths and no files.
    let head = repository.head().filter(|_| repository.work_tree().is_none() && !paths.is_empty());
    let bare = head.map(|head| repository.tree(head)).transpose()?;
    let inside = |path: &Path| {
        if let Some(bare) = &bare {
            let path = path.strip_prefix(root).ok()?.to_str()?.trim_end_matches('/').to_owned();
            let below = format!("{path}/");
            let is_there = |known: &String| *known == path || known.starts_with(&below);
            return bare.entries.keys().any(is_there).then_some(path);
        }
        let full = std::fs::canonicalize(path).ok()?;
        let below = full.strip_prefix(root).ok()?;
        let parts: Vec<_> = below.iter().map(|part| part.to_string_lossy().into_owned()).collect();
        Some(parts.join("/"))
    };
    let one = |path: &PathBuf| {
        inside(&here.join(path)).or_else(|| inside(&root.join(path))).ok_or_else(|| {
            let message = format!("{} is not a file or folder of {}", path.display(), root.display());
            CliError::usage(message, "name documents or folders of the repository")
        })
    };
    paths.iter().map(one).collect()
}
