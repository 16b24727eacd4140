//! Tokens that the operator hands out.

use docent_mcp::Scope;

use crate::error::WebError;

/// Shorter secrets can be guessed.
const MIN_LENGTH: usize = 16;

/// A token that the operator hands out. Only a hash of the secret is kept.
#[derive(Debug, Clone)]
pub struct Token {
    name: String,
    hash: blake3::Hash,
    scopes: Vec<Scope>,
}

impl Token {
    /// A token of that name, which may show up in logs, and that secret, which never does.
    pub fn new(name: &str, secret: &str, scopes: &[Scope]) -> Result<Self, WebError> {
        let bad = |why| Err(WebError::BadToken { name: name.to_owned(), why });
        if secret.len() < MIN_LENGTH {
            return bad("it is shorter than 16 characters");
        }
        if !secret.bytes().all(|b| b.is_ascii_alphanumeric() || b"-._~+/=".contains(&b)) {
            return bad("it has characters that cannot be sent in a header");
        }
        Ok(Self { name: name.to_owned(), hash: blake3::hash(secret.as_bytes()), scopes: scopes.to_vec() })
    }

    /// What the operator calls it.
    pub fn name(&self) -> &str {
        &self.name
    }

    pub(super) fn scopes(&self) -> &[Scope] {
        &self.scopes
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
    fn secrets_that_cannot_work_are_refused_without_showing_them() {
        for secret in
            ["", "tiny", "0123456789abcde", "0123456789 abcdef", "0123456789abcdé", "0123456789abcdef\n"]
        {
            let error = Token::new("ci", secret, &[]).unwrap_err().to_string();
            assert!(secret.is_empty() || !error.contains(secret), "{error}");
        }
    }
}
