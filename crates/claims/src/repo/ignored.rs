//! Which paths the repository tells git to ignore.
//!
//! A path in a document need not exist, so the question is asked in a folder that holds nothing but the `.gitignore` files
//! of the state in question. This works the same for a bare repository, and nothing in the real work tree can get in the
//! way.

use std::collections::HashSet;
use std::path::{Component, Path};

use super::{RepoError, Repository, command};

/// More `.gitignore` files than this are not looked at.
const MOST_FILES: usize = 5_000;

impl Repository {
    /// Those of `paths` that the `.gitignore` files (path and content) tell git to ignore, as a file or as a folder.
    pub fn ignored(
        &self,
        rules: &[(String, std::sync::Arc<[u8]>)],
        paths: &[String],
    ) -> Result<HashSet<String>, RepoError> {
        let folder = tempfile::Builder::new().prefix("docent-ignore-").tempdir();
        let folder = folder.map_err(RepoError::file(std::env::temp_dir()))?;
        for (path, bytes) in rules.iter().filter(|(path, _)| is_safe(path)).take(MOST_FILES) {
            let place = folder.path().join(path);
            if let Some(around) = place.parent() {
                std::fs::create_dir_all(around).map_err(RepoError::file(around))?;
            }
            std::fs::write(&place, bytes).map_err(RepoError::file(&place))?;
        }
        let mut questions = Vec::new();
        for path in paths.iter().filter(|path| is_safe(path)) {
            // What is only ignored as a folder is not, as long as it is not there; what would be in it is.
            for end in ["\0", "/x\0"] {
                questions.extend_from_slice(path.trim_end_matches('/').as_bytes());
                questions.extend_from_slice(end.as_bytes());
            }
        }
        if questions.is_empty() {
            return Ok(HashSet::new());
        }
        let mut command = self.inner.shadow.command_in(folder.path(), folder.path());
        // Without pathspec magic already; this command does not know the switch for it.
        command.env_remove("GIT_LITERAL_PATHSPECS").args(["check-ignore", "--no-index", "-z", "--stdin"]);
        let output = command::run(command, Some(questions))?.unwrap_or_default();
        let answers = output.split(|byte| *byte == 0).map(|path| String::from_utf8_lossy(path).into_owned());
        let answers: HashSet<String> = answers.collect();
        let is_ignored = |path: &&String| {
            let plain = path.trim_end_matches('/');
            answers.contains(plain) || answers.contains(&format!("{plain}/x"))
        };
        Ok(paths.iter().filter(is_ignored).cloned().collect())
    }
}

/// Whether a path stays below its folder and is not about git's own files.
fn is_safe(path: &str) -> bool {
    let is_plain =
        |part: Component<'_>| matches!(part, Component::Normal(name) if !name.eq_ignore_ascii_case(".git"));
    !path.is_empty() && !path.contains(['\0', '\n', ':', '\\']) && Path::new(path).components().all(is_plain)
}
