//! Signed places: how an answer that was cut names where it goes on.
//!
//! A token holds a place (two numbers), a hash of what was asked and a hash of the state that the place counts in, and a
//! keyed BLAKE3 hash over these with the index's own key. A token that was changed, comes from another index or
//! another question, or is older than what it points into, is an error that says to ask again: a page that silently
//! belongs to something else would be worse than none.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;

use crate::EngineError;

const MAC_BYTES: usize = 16;
const HASH_BYTES: usize = 16;
const PAYLOAD_BYTES: usize = 8 + 8 + 2 * HASH_BYTES;

/// A place in an answer: item and offset inside it, or a plain offset.
pub type Place = [u64; 2];

/// What a token is bound to: fields are kept apart, so that no two lists of fields hash alike.
#[derive(Debug, Clone, Default)]
pub struct Bound(blake3::Hasher);

impl Bound {
    /// Adds a field.
    pub fn with(mut self, name: &str, value: &str) -> Self {
        self.add(name, value);
        self
    }

    /// Adds a field in place.
    pub fn add(&mut self, name: &str, value: &str) {
        for part in [name, value] {
            self.0.update(&(part.len() as u64).to_le_bytes());
            self.0.update(part.as_bytes());
        }
    }

    fn hash(&self) -> [u8; HASH_BYTES] {
        let mut short = [0; HASH_BYTES];
        short.copy_from_slice(&self.0.finalize().as_bytes()[..HASH_BYTES]);
        short
    }
}

/// The token for `place`.
pub(crate) fn seal(key: &[u8; 32], asked: &Bound, state: &Bound, place: Place) -> String {
    let mut bytes = Vec::with_capacity(PAYLOAD_BYTES + MAC_BYTES);
    for number in place {
        bytes.extend_from_slice(&number.to_le_bytes());
    }
    bytes.extend_from_slice(&asked.hash());
    bytes.extend_from_slice(&state.hash());
    let mac = blake3::keyed_hash(key, &bytes);
    bytes.extend_from_slice(&mac.as_bytes()[..MAC_BYTES]);
    URL_SAFE_NO_PAD.encode(bytes)
}

/// The place that a token stands for.
pub(crate) fn unseal(
    key: &[u8; 32],
    asked: &Bound,
    state: &Bound,
    token: &str,
) -> Result<Place, EngineError> {
    let refuse =
        |what: &str| EngineError::usage(format!("the cursor {what}"), "search again without a cursor");
    let bytes = URL_SAFE_NO_PAD.decode(token).map_err(|_| refuse("is not one of ours"))?;
    let (payload, mac) = bytes.split_at_checked(PAYLOAD_BYTES).ok_or_else(|| refuse("is not one of ours"))?;
    // blake3 compares hashes in constant time; the kept half is padded on both sides.
    let expected = half(&blake3::keyed_hash(key, payload).as_bytes()[..MAC_BYTES]);
    if mac.len() != MAC_BYTES || half(mac) != expected {
        return Err(refuse("is not one of ours"));
    }
    let (place, hashes) = payload.split_at(16);
    let (question, counted_in) = hashes.split_at(HASH_BYTES);
    if question != asked.hash() {
        return Err(refuse("belongs to another search"));
    }
    if counted_in != state.hash() {
        return Err(refuse("is outdated: the index has changed since"));
    }
    let number =
        |at: usize| place[at..at + 8].iter().rev().fold(0u64, |sum, byte| sum << 8 | u64::from(*byte));
    Ok([number(0), number(8)])
}

fn half(bytes: &[u8]) -> blake3::Hash {
    let mut full = [0; 32];
    full[..bytes.len()].copy_from_slice(bytes);
    blake3::Hash::from_bytes(full)
}

#[cfg(test)]
mod tests {
    use super::*;

    const KEY: [u8; 32] = [7; 32];

    fn state(generation: u64) -> Bound {
        Bound::default().with("generation", &generation.to_string())
    }

    fn asked(query: &str) -> Bound {
        Bound::default().with("query", query)
    }

    #[test]
    fn a_token_comes_back_as_its_place() {
        let token = seal(&KEY, &asked("a"), &state(3), [10, 4]);
        assert_eq!(unseal(&KEY, &asked("a"), &state(3), &token).unwrap(), [10, 4]);
    }

    fn check(generation: u64, query: &str, key: [u8; 32], expected: &str) {
        let token = seal(&KEY, &asked("a"), &state(3), [10, 0]);
        let error = unseal(&key, &asked(query), &state(generation), &token).unwrap_err();
        assert!(error.message.contains(expected), "{}", error.message);
        assert!(error.hint.contains("search again"));
    }

    #[test]
    fn a_foreign_an_outdated_and_another_question_are_refused() {
        check(3, "a", [8; 32], "not one of ours");
        check(4, "a", KEY, "outdated");
        check(3, "b", KEY, "another search");
    }

    #[test]
    fn fields_are_kept_apart() {
        assert_ne!(Bound::default().with("a", "bc").hash(), Bound::default().with("ab", "c").hash());
    }

    #[test]
    fn a_tampered_token_is_refused() {
        let token = seal(&KEY, &asked("a"), &state(3), [10, 0]);
        for at in 0..token.len() {
            let mut bytes = token.clone().into_bytes();
            bytes[at] = if bytes[at] == b'A' { b'B' } else { b'A' };
            let changed = String::from_utf8(bytes).unwrap();
            let outcome = unseal(&KEY, &asked("a"), &state(3), &changed);
            // The last character has unused bits, so another one may decode to the same bytes.
            assert!(outcome.is_err() || URL_SAFE_NO_PAD.decode(&changed) == URL_SAFE_NO_PAD.decode(&token));
        }
        for junk in ["", "x", "!!!", &"A".repeat(10_000)] {
            assert!(unseal(&KEY, &asked("a"), &state(3), junk).is_err());
        }
    }
}
