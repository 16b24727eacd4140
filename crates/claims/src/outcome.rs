//! What a check of one claim in one state of the repository says.

use serde::{Deserialize, Serialize};

/// Where something was found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Place {
    /// A file or folder of the repository.
    pub path: String,
    /// A line of it, from 1.
    pub line: Option<u32>,
    /// What stands there, when that says more than the path.
    pub what: Option<String>,
}

impl Place {
    /// A file or folder as a whole.
    pub fn of(path: impl Into<String>) -> Self {
        Self { path: path.into(), line: None, what: None }
    }

    /// A line of a file.
    pub fn at(path: impl Into<String>, line: u32) -> Self {
        Self { path: path.into(), line: Some(line), what: None }
    }
}

/// Whether a claim holds in one state of the repository.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// It holds.
    Valid {
        /// Where this was seen. A claim is looked at again when one of these files changes.
        found: Vec<Place>,
    },
    /// What it names is not there.
    Missing {
        /// What was looked at, for the reader: "3 Makefiles", "`src/`".
        looked: String,
    },
    /// What it names is there with another value.
    Differs {
        /// The value now.
        actual: String,
        /// Where it stands.
        found: Vec<Place>,
    },
    /// Nothing in this state could decide it: no manifest of that kind, another program's flag, a foreign package.
    NotOurs,
}

impl Outcome {
    /// Whether the claim holds.
    pub fn is_valid(&self) -> bool {
        matches!(self, Self::Valid { .. })
    }

    /// It holds, seen in one place.
    pub fn valid(place: Place) -> Self {
        Self::Valid { found: vec![place] }
    }

    /// It is not there.
    pub fn missing(looked: impl Into<String>) -> Self {
        Self::Missing { looked: looked.into() }
    }
}
