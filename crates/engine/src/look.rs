//! A source without an index: which documents there are, and what they say. For checks before anything is indexed.

use crate::ingest::Problem;
use crate::prepare::{self, Unread};
use crate::scan::scan;
use crate::{EngineError, Source};

/// What is in a source's folder.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Look {
    /// Paths of the documents, in order.
    pub documents: Vec<String>,
    /// What could not be looked at.
    pub problems: Vec<Problem>,
}

impl Source {
    /// Walks the folder.
    pub fn look(&self) -> Result<Look, EngineError> {
        let found = scan(self)?;
        let problem = |(path, reason)| Problem { path, reason };
        Ok(Look {
            documents: found.files.into_keys().collect(),
            problems: found.problems.into_iter().map(problem).collect(),
        })
    }

    /// The text of a document, or why it cannot be one. `None` when it is gone.
    pub fn read(&self, path: &str) -> Option<Result<String, String>> {
        match prepare::read(self, path) {
            Ok(reading) => Some(Ok(reading.text)),
            Err(Unread::Refused { reason, .. }) => Some(Err(reason)),
            Err(Unread::Gone) => None,
        }
    }
}
