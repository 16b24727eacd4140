//! Who is asking, and what they may do.

use std::collections::BTreeSet;

/// Something that a caller may do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Scope {
    /// Search and read.
    Read,
    /// Change what is indexed.
    Write,
}

impl Scope {
    /// All there are.
    pub const ALL: [Scope; 2] = [Scope::Read, Scope::Write];

    /// The name in tokens and settings.
    pub fn name(self) -> &'static str {
        match self {
            Self::Read => "docs:read",
            Self::Write => "docs:write",
        }
    }

    /// The scope of that name.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|scope| scope.name() == name)
    }
}

/// Who is asking. HTTP puts it into the request's extensions; over stdio it is whoever started the process.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Caller {
    /// Tells callers apart: cursors and sessions belong to the caller that got them. Never shown.
    pub name: String,
    /// What they may do.
    pub scopes: BTreeSet<Scope>,
}

impl Caller {
    /// Somebody on this machine: may do everything.
    pub fn local() -> Self {
        Self { name: String::new(), scopes: Scope::ALL.into() }
    }

    /// Somebody of whom nothing is known: may do nothing.
    pub fn nobody() -> Self {
        Self { name: "nobody".to_owned(), scopes: BTreeSet::new() }
    }

    /// Whether the caller may do this.
    pub fn may(&self, scope: Scope) -> bool {
        self.scopes.contains(&scope)
    }
}
