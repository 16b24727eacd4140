//! Which documents speak about the present state of this repository.

use serde::{Deserialize, Serialize};

/// Why a document is read, or not.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Genre {
    /// It describes the repository as it is.
    Documentation,
    /// The same, where people or agents start: README, CONTRIBUTING, AGENTS.md, getting started.
    Entrance,
    /// It tells of the past or the future, or of something else: a changelog, a plan, an example.
    Skipped,
}

/// The genre of a document, by its path and what it says.
pub fn genre(_path: &str, _text: &str) -> Genre {
    Genre::Documentation
}
