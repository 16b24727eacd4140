//! Why a repository could not be looked at, for a person.

use std::path::PathBuf;

/// What happened, to what; [`RepoError::hint`] has the next step.
#[derive(Debug, thiserror::Error)]
pub enum RepoError {
    /// There is no repository here or above.
    #[error("{} is not in a git repository", .0.display())]
    NotARepository(PathBuf),
    /// The git program is not there.
    #[error("the program `git` was not found")]
    NoGit,
    /// A file of the repository, or of ours, could not be read or written.
    #[error("{}: {source}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// A file of the repository does not hold what it should.
    #[error("{}: {problem}", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        problem: String,
    },
    /// A revision that is not there.
    #[error("there is no commit `{0}` here")]
    NoSuchCommit(String),
    /// Git said no.
    #[error("git {command}: {message}")]
    Git {
        /// What it was asked.
        command: String,
        /// What it said.
        message: String,
    },
    /// Whoever asked has changed their mind.
    #[error("verification was cancelled")]
    Cancelled,
}

impl RepoError {
    /// The next step.
    pub fn hint(&self) -> &'static str {
        match self {
            Self::NotARepository(_) => "go into a repository, or name one with `--repo`",
            Self::NoGit => "install git and make sure that it is on the PATH",
            Self::File { .. } => "check that the file can be read and that the disk is not full",
            Self::Damaged { .. } => "`git fsck` tells what is wrong with a repository",
            Self::NoSuchCommit(_) => {
                "name a branch, a tag or a commit; `git rev-parse` tells the commit of anything else, such as `@{u}`, \
                 and a shallow clone has only the newest"
            }
            Self::Git { .. } => "`git fsck` tells whether the repository is whole",
            Self::Cancelled => "run the command again",
        }
    }

    /// About a file; for `map_err`.
    pub fn file(path: impl Into<PathBuf>) -> impl FnOnce(std::io::Error) -> Self {
        let path = path.into();
        move |source| Self::File { path, source }
    }
}
