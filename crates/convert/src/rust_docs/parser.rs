//! Moves over the tokens of a file, jumping over what brackets hold.

use super::lexer::{Kind, Token};

/// The tokens of a file.
pub(super) struct Parser<'a> {
    pub(super) text: &'a str,
    pub(super) tokens: &'a [Token],
}

impl<'a> Parser<'a> {
    pub(super) fn token(&self, at: usize) -> Option<Token> {
        self.tokens.get(at).copied()
    }

    pub(super) fn word(&self, at: usize) -> &'a str {
        self.token(at).and_then(|token| self.text.get(token.start..token.end)).unwrap_or_default()
    }

    pub(super) fn is(&self, at: usize, kind: Kind) -> bool {
        self.token(at).is_some_and(|token| token.kind == kind)
    }

    /// Behind the token, or behind the bracket that it opens.
    pub(super) fn skip(&self, at: usize) -> usize {
        match self.token(at) {
            Some(token) if token.kind == Kind::Open => token.partner.max(at).saturating_add(1),
            _ => at + 1,
        }
    }

    /// The first token from `at` that is one of `ends`, not looking into brackets.
    pub(super) fn find(&self, mut at: usize, end: usize, ends: &[&str]) -> usize {
        while at < end && !ends.contains(&self.word(at)) {
            at = self.skip(at);
        }
        at.min(end)
    }

    /// As [`Self::find`], but not looking between angle brackets either.
    pub(super) fn find_outside_angles(&self, mut at: usize, end: usize, ends: &[&str]) -> usize {
        let mut depth = 0_usize;
        while at < end {
            match self.word(at) {
                word if depth == 0 && ends.contains(&word) => break,
                // No type goes on behind these; the angle brackets were something else.
                ";" => break,
                "<" => depth += 1,
                ">" if !matches!(self.word(at.wrapping_sub(1)), "-" | "=") => depth = depth.saturating_sub(1),
                _ => {}
            }
            at = self.skip(at);
        }
        at.min(end)
    }
}
