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
    let committed = std::cell::OnceCell::new();
    let was_there = |path: &str| {
        let tree = || repository.head().and_then(|head| repository.tree(head).ok());
        committed.get_or_init(tree).as_ref().is_some_and(|tree| tree.entries.contains_key(path))
    };
    let inside = |path: &Path| {
        if let Some(bare) = &bare {
            let path = path.strip_prefix(root).ok()?.to_str()?.trim_end_matches('/').to_owned();
            let below = format!("{path}/");
            let is_there = |known: &String| *known == path || known.starts_with(&below);
            return bare.entries.keys().any(is_there).then_some(path);
        }
        let below = |full: &Path| {
            let parts = full.strip_prefix(root).ok()?.iter().map(|part| part.to_string_lossy().into_owned());
            Some(parts.collect::<Vec<_>>().join("/"))
        };
        match std::fs::canonicalize(path) {
            Ok(full) => below(&full),
            Err(_) => {
                let folder = std::fs::canonicalize(path.parent()?).ok()?;
                below(&folder.join(path.file_name()?)).filter(|path| was_there(path))
            }
        }
    };
    let one = |path: &PathBuf| {
        inside(&here.join(path)).or_else(|| inside(&root.join(path))).ok_or_else(|| {
            let message = format!("{} is not a file or folder of {}", path.display(), root.display());
            CliError::usage(message, "name documents or folders of the repository")
        })
    };
    paths.iter().map(one).collect()
}
