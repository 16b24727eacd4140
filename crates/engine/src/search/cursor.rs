//! The cursor to the next page: self-contained, signed, and bound to what was asked and to the index as it was.
//!
//! It holds an offset, the state of the index and a hash of the request, and a keyed BLAKE3 hash over these with the
//! index's own key. A cursor that was changed, comes from another index or another question, or is older than the index, is an error
//! that says to search again: a page that silently belongs to something else would be worse than none.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use docent_index::{FacetExpr, Generation};

use super::SearchRequest;
use crate::EngineError;

const MAC_BYTES: usize = 16;
const PAYLOAD_BYTES: usize = 8 + 8 + 8 + 16;

/// What the order of hits depends on besides the request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct IndexState {
    /// Last change of the documents.
    pub(crate) content: Generation,
    /// Passages that have a vector.
    pub(crate) embedded: usize,
}

/// The cursor to the hits from `offset` on.
pub(crate) fn encode(key: &[u8; 32], state: IndexState, request: &SearchRequest, offset: usize) -> String {
    let mut bytes = Vec::with_capacity(PAYLOAD_BYTES + MAC_BYTES);
    bytes.extend_from_slice(&(offset as u64).to_le_bytes());
    bytes.extend_from_slice(&state.content.0.to_le_bytes());
    bytes.extend_from_slice(&(state.embedded as u64).to_le_bytes());
    bytes.extend_from_slice(&fingerprint(request));
    let mac = blake3::keyed_hash(key, &bytes);
    bytes.extend_from_slice(&mac.as_bytes()[..MAC_BYTES]);
    URL_SAFE_NO_PAD.encode(bytes)
}

/// The offset that a cursor stands for.
pub(crate) fn decode(
    key: &[u8; 32],
    state: IndexState,
    request: &SearchRequest,
    cursor: &str,
) -> Result<usize, EngineError> {
    let refuse =
        |what: &str| EngineError::usage(format!("the cursor {what}"), "search again without a cursor");
    let bytes = URL_SAFE_NO_PAD.decode(cursor).map_err(|_| refuse("is not one of ours"))?;
    let (payload, mac) = bytes.split_at_checked(PAYLOAD_BYTES).ok_or_else(|| refuse("is not one of ours"))?;
    // blake3 compares hashes in constant time; the kept half is padded on both sides.
    let expected = half(&blake3::keyed_hash(key, payload).as_bytes()[..MAC_BYTES]);
    if mac.len() != MAC_BYTES || half(mac) != expected {
        return Err(refuse("is not one of ours"));
    }
    let number =
        |at: usize| payload[at..at + 8].iter().rev().fold(0u64, |sum, byte| sum << 8 | u64::from(*byte));
    if payload[24..] != fingerprint(request) {
        return Err(refuse("belongs to another search"));
    }
    if number(8) != state.content.0 || number(16) != state.embedded as u64 {
        return Err(refuse("is outdated: the index has changed since"));
    }
    usize::try_from(number(0)).map_err(|_| refuse("is not one of ours"))
}

fn half(bytes: &[u8]) -> blake3::Hash {
    let mut full = [0; 32];
    full[..bytes.len()].copy_from_slice(bytes);
    blake3::Hash::from_bytes(full)
}

/// What makes two requests the same search, whatever page of it is asked for.
fn fingerprint(request: &SearchRequest) -> [u8; 16] {
    let mut hasher = blake3::Hasher::new();
    let mut field = |name: &str, value: &str| {
        hasher.update(&(value.len() as u64).to_le_bytes());
        hasher.update(name.as_bytes());
        hasher.update(value.as_bytes());
    };
    field("query", &request.query);
    field("mode", &format!("{:?} {:?}", request.mode, request.fusion));
    for name in request.filter.collections.iter().flatten() {
        field("collection", name);
    }
    if let Some(path) = &request.filter.path {
        field("path", path.as_str());
    }
    if let Some(facets) = &request.filter.facets {
        facet_fields(facets, &mut field);
    }
    let mut short = [0; 16];
    short.copy_from_slice(&hasher.finalize().as_bytes()[..16]);
    short
}

fn facet_fields(expr: &FacetExpr, field: &mut dyn FnMut(&str, &str)) {
    match expr {
        FacetExpr::Is { key, value } => {
            field("key", key);
            field("value", value);
        }
        FacetExpr::All(parts) | FacetExpr::Any(parts) => {
            field("group", if matches!(expr, FacetExpr::All(_)) { "all" } else { "any" });
            parts.iter().for_each(|part| facet_fields(part, field));
            field("group", "end");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const KEY: [u8; 32] = [7; 32];

    fn state(generation: u64) -> IndexState {
        IndexState { content: Generation(generation), embedded: 5 }
    }

    fn request(query: &str) -> SearchRequest {
        SearchRequest::new(query)
    }

    #[test]
    fn a_cursor_comes_back_as_its_offset() {
        let cursor = encode(&KEY, state(3), &request("a"), 10);
        assert_eq!(decode(&KEY, state(3), &request("a"), &cursor).unwrap(), 10);
    }

    fn check(generation: u64, query: &str, key: [u8; 32], expected: &str) {
        let cursor = encode(&KEY, state(3), &request("a"), 10);
        let error = decode(&key, state(generation), &request(query), &cursor).unwrap_err();
        assert!(error.message.contains(expected), "{}", error.message);
        assert!(error.hint.contains("search again"));
    }

    #[test]
    fn a_foreign_an_outdated_and_another_search_are_refused() {
        check(3, "a", [8; 32], "not one of ours");
        check(4, "a", KEY, "outdated");
        check(3, "b", KEY, "another search");
    }

    #[test]
    fn a_tampered_cursor_is_refused() {
        let cursor = encode(&KEY, state(3), &request("a"), 10);
        for at in 0..cursor.len() {
            let mut bytes = cursor.clone().into_bytes();
            bytes[at] = if bytes[at] == b'A' { b'B' } else { b'A' };
            let changed = String::from_utf8(bytes).unwrap();
            let outcome = decode(&KEY, state(3), &request("a"), &changed);
            // The last character has unused bits, so another one may decode to the same bytes.
            assert!(outcome.is_err() || URL_SAFE_NO_PAD.decode(&changed) == URL_SAFE_NO_PAD.decode(&cursor));
        }
        for junk in ["", "x", "!!!", &"A".repeat(10_000)] {
            assert!(decode(&KEY, state(3), &request("a"), junk).is_err());
        }
    }
}
