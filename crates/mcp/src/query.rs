//! The words of a query, as long as they can be searched for.

use docent_engine::MAX_QUERY_BYTES;

/// A query.
pub(crate) struct Query<'a> {
    /// What is searched for.
    pub(crate) used: &'a str,
    /// Said in the answer when that is not all of it.
    pub(crate) shortened: Option<String>,
}

impl<'a> Query<'a> {
    pub(crate) fn new(given: &'a str) -> Self {
        let given = given.trim();
        let used = &given[..given.floor_char_boundary(MAX_QUERY_BYTES)];
        let reason =
            || format!("the query is long: only its first {MAX_QUERY_BYTES} bytes were searched for");
        Self { used, shortened: (used.len() < given.len()).then(reason) }
    }
}
