//! Tokens that the operator hands out.

use docent_mcp::{Caller, Scope, check_scope};

use crate::error::WebError;

/// Shorter secrets can be guessed.
const MIN_LENGTH: usize = 16;

/// A token that the operator hands out. Only a hash of the secret is kept.
#[derive(Debug, Clone)]
pub struct Token {
    name: String,
    hash: blake3::Hash,
    scopes: Vec<String>,
}

impl Token {
    /// A token of that name, which may show up in logs, and that secret, which never does.
    pub fn new(name: &str, secret: &str, scopes: &[Scope]) -> Result<Self, WebError> {
        let scopes: Vec<&str> = scopes.iter().map(|scope| scope.name()).collect();
        Self::with_scopes(name, secret, &scopes)
    }

    /// As [`Token::new`], with scopes by name: `docs:read`, `docs:write`, and `collection:NAME` or `collection:PATTERN` to limit it
    /// to collections. A scope that means nothing is an error, because it was meant to mean something.
    pub fn with_scopes(name: &str, secret: &str, scopes: &[impl AsRef<str>]) -> Result<Self, WebError> {
        for scope in scopes.iter().map(AsRef::as_ref) {
            if let Err(why) = check_scope(scope) {
                let (name, scope) = (name.to_owned(), scope.to_owned());
                return Err(WebError::BadScope { name, scope, why });
            }
        }
        let bad = |why| Err(WebError::BadToken { name: name.to_owned(), why });
        if secret.len() < MIN_LENGTH {
            return bad("it is shorter than 16 characters");
        }
        if !secret.bytes().all(|b| b.is_ascii_alphanumeric() || b"-._~+/=".contains(&b)) {
            return bad("it has characters that cannot be sent in a header");
        }
        Ok(Self {
            name: name.to_owned(),
            hash: blake3::hash(secret.as_bytes()),
            scopes: scopes.iter().map(|scope| scope.as_ref().to_owned()).collect(),
        })
    }

    /// What the operator calls it.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Who comes with it.
    pub(super) fn caller(&self) -> Caller {
        Caller::with_scopes(&format!("token|{}", self.name), self.scopes.iter().map(String::as_str))
    }

    /// Compares hashes, in constant time: how long it takes says nothing about the secret.
    pub(super) fn has_secret(&self, secret: &str) -> bool {
        self.hash == blake3::hash(secret.as_bytes())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_is_recognised_and_never_shown() {
        let token = Token::new("ci", "0123456789abcdef", &[Scope::Read]).unwrap();
        assert!(token.has_secret("0123456789abcdef"));
        assert!(!token.has_secret("0123456789abcdeF"));
        assert!(!token.has_secret(""));
        assert!(!format!("{token:?}").contains("0123456789abcdef"));
    }

    #[test]
    fn a_scope_that_means_nothing_is_refused() {
        let check = |scopes: &[&str], expected: Option<&str>| {
            let error =
                Token::with_scopes("ci", "0123456789abcdef", scopes).err().map(|error| error.to_string());
            let is_it =
                expected.is_none_or(|expected| error.as_ref().is_some_and(|error| error.contains(expected)));
            assert!(error.is_some() == expected.is_some() && is_it, "{scopes:?}: {error:?}");
        };
        check(&["docs:read", "collection:acme/*"], None);
        check(&[], None);
        check(&["docs:reed"], Some("docs:reed"));
        check(&["docs:read", "collection:"], Some("collection:"));
        check(&["docs:read", "collection:a b"], Some("collection:a b"));
        check(&["docs:read", "Collection:a"], Some("Collection:a"));
    }

    #[test]
    fn secrets_that_cannot_work_are_refused_without_showing_them() {
        for secret in
            ["", "tiny", "0123456789abcde", "0123456789 abcdef", "0123456789abcdé", "0123456789abcdef\n"]
        {
            let error = Token::new("ci", secret, &[]).unwrap_err().to_string();
            assert!(secret.is_empty() || !error.contains(secret), "{error}");
        }
    }
}
