//! How a store behaves, and what it keeps in memory.

use std::time::Duration;

/// How a store behaves.
#[derive(Debug, Clone, PartialEq)]
pub struct PostgresOptions {
    /// How long to wait for another process that writes to the same collection.
    pub patience: Duration,
    /// How long a server that does not answer is waited for. A statement of a search may take three seconds more.
    pub outage: Duration,
    /// Most connections that are open at a time, leases aside.
    pub connections: usize,
    /// Up to so many vectors of a model are held in memory and compared exactly. Without pgvector more are not compared at
    /// all.
    pub vectors_in_memory: Option<usize>,
    /// Vectors of a selection up to which they are read and compared one by one, instead of through pgvector's index.
    pub vectors_read: usize,
    /// How long rows stay that were removed or replaced, for those who read an older state.
    pub grace: Duration,
    /// How long passages are left to who said to embed them and is still there.
    pub claim: Duration,
    /// Bytes of postings that are kept in memory.
    pub posting_cache: usize,
    /// Whether what others write is read as it comes, for a process that stays and is asked again and again.
    pub follows: bool,
    /// Whether errors keep to themselves where the database is, because strangers read them; notices say it instead.
    pub is_discreet: bool,
    /// Names of the collections that are known of: for this process the others are not there, and take no memory. `None` for
    /// all there are.
    pub collections: Option<Vec<String>>,
}

impl Default for PostgresOptions {
    fn default() -> Self {
        Self {
            patience: Duration::from_secs(10),
            outage: Duration::from_secs(2),
            connections: 8,
            vectors_in_memory: None,
            vectors_read: 4000,
            grace: Duration::from_secs(600),
            claim: Duration::from_secs(300),
            posting_cache: 64 << 20,
            follows: false,
            is_discreet: false,
            collections: None,
        }
    }
}
