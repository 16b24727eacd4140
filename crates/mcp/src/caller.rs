//! Who is asking, what they may do, and which collections they may know of.

use std::collections::BTreeSet;

use docent_engine::{Access, CollectionPattern};

/// What a scope begins with that limits a token to collections: `collection:acme/shop`, `collection:acme/*`.
const COLLECTION_SCOPE: &str = "collection:";

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

/// Whether a scope means something here; the error says why not. For tokens that are written by hand: in those of an issuer there
/// may be scopes for others.
pub fn check_scope(name: &str) -> Result<(), String> {
    match name.strip_prefix(COLLECTION_SCOPE) {
        Some(pattern) => CollectionPattern::new(pattern).map(drop),
        None if Scope::parse(name).is_some() => Ok(()),
        None => Err("there is no such scope".to_owned()),
    }
}

/// Who is asking. HTTP puts it into the request's extensions; over stdio it is whoever started the process.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Caller {
    /// Tells callers apart: cursors and sessions belong to the caller that got them. Never shown.
    pub name: String,
    /// What they may do.
    pub scopes: BTreeSet<Scope>,
    /// Which collections they may know of.
    pub access: Access,
}

impl Caller {
    /// Somebody on this machine: may do everything.
    pub fn local() -> Self {
        Self { name: String::new(), scopes: Scope::ALL.into(), access: Access::All }
    }

    /// Somebody of whom nothing is known: may do nothing.
    pub fn nobody() -> Self {
        Self { name: "nobody".to_owned(), scopes: BTreeSet::new(), access: Access::none() }
    }

    /// Somebody with a token of these scopes. Scopes that mean nothing here are passed over, but one that should limit the token
    /// does so even where it names no collection that there could be.
    pub fn with_scopes<'a>(name: &str, scopes: impl IntoIterator<Item = &'a str>) -> Self {
        let mut caller = Self { name: name.to_owned(), scopes: BTreeSet::new(), access: Access::All };
        let mut patterns: Option<BTreeSet<CollectionPattern>> = None;
        for scope in scopes {
            if let Some(pattern) = scope.strip_prefix(COLLECTION_SCOPE) {
                patterns.get_or_insert_default().extend(CollectionPattern::new(pattern).ok());
            } else {
                caller.scopes.extend(Scope::parse(scope));
            }
        }
        if let Some(patterns) = patterns {
            // Two tokens of one person with different limits are two callers.
            for pattern in &patterns {
                caller.name.push('|');
                caller.name.push_str(pattern.as_str());
            }
            caller.access = Access::Only(patterns);
        }
        caller
    }

    /// Whether the caller may do this.
    pub fn may(&self, scope: Scope) -> bool {
        self.scopes.contains(&scope)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(scopes: &[&str], collection: &str, expected: bool) {
        let caller = Caller::with_scopes("ann", scopes.iter().copied());
        assert_eq!(caller.access.allows(collection), expected, "{scopes:?} {collection}");
    }

    #[test]
    fn without_a_limit_a_token_is_for_everything() {
        check(&["docs:read"], "acme/shop", true);
        check(&["docs:read", "openid", "profile"], "acme/shop", true);
        assert_eq!(Caller::with_scopes("ann", ["docs:read"]).name, "ann");
    }

    #[test]
    fn a_limit_names_collections() {
        check(&["docs:read", "collection:acme/shop"], "acme/shop", true);
        check(&["docs:read", "collection:acme/shop"], "acme/pay", false);
        check(&["collection:acme/*", "collection:react@19"], "acme/pay", true);
        check(&["collection:acme/*", "collection:react@19"], "react@18", false);
    }

    #[test]
    fn a_limit_that_names_nothing_lets_nothing_through() {
        check(&["docs:read", "collection:"], "acme/shop", false);
        check(&["docs:read", "collection: "], "acme/shop", false);
        check(&["collection:", "collection:acme/shop"], "acme/shop", true);
        assert!(!Caller::nobody().access.allows("acme/shop"));
    }

    #[test]
    fn tokens_with_other_limits_are_other_callers() {
        let named = |scopes: &[&str]| Caller::with_scopes("ann", scopes.iter().copied()).name;
        assert_ne!(named(&["docs:read"]), named(&["docs:read", "collection:a"]));
        assert_ne!(named(&["collection:a"]), named(&["collection:b"]));
        assert_eq!(named(&["collection:a", "collection:b"]), named(&["collection:b", "collection:a"]));
    }
}
