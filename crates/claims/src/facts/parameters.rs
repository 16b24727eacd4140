//! Whether a file has paths that begin with a parameter, such as `"/:id"`; told without parsing it.

use serde::{Deserialize, Serialize};

use super::Facts;
use super::code::Code;

/// What texts of a file of code begin with.
#[derive(Debug, Default, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Parameters {
    /// Whether one is a path whose first part is a parameter.
    #[serde(rename = "p")]
    pub is_first: bool,
}

/// A first part beyond this is no name.
const MAX_PART: usize = 80;

impl Facts for Parameters {
    const NAME: &'static str = "parameters";
    const VERSION: u32 = 1;

    fn applies(path: &str) -> bool {
        Code::applies(path)
    }

    fn read(_path: &str, bytes: &[u8]) -> Self {
        let is_quote = |byte: u8| matches!(byte, b'"' | b'\'' | b'`');
        let begins = |at: usize| {
            // Go's patterns carry the verb: `GET /{id}`.
            let is_start = at.checked_sub(1).and_then(|before| bytes.get(before)).is_some_and(|before| {
                is_quote(*before) || *before == b' ' && bytes.get(at + 1) == Some(&b'{')
            });
            let rest = bytes.get(at + 1..).unwrap_or_default();
            let part = rest.split(|byte| *byte == b'/' || is_quote(*byte)).next().unwrap_or_default();
            let part = part.get(..MAX_PART).unwrap_or(part);
            let has_value = || part.windows(2).any(|pair| pair == b"${");
            is_start && (part.first().is_some_and(|first| b":{<*$[".contains(first)) || has_value())
        };
        let mut slashes = bytes.iter().enumerate().filter(|(_, byte)| **byte == b'/').map(|(at, _)| at);
        Self { is_first: slashes.any(begins) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_that_begin_with_a_parameter_are_seen() {
        let has = |text: &str| Parameters::read("a.ts", text.as_bytes()).is_first;
        assert!(has("router.get('/:id', show)"));
        assert!(has("@expose(\"/<pk>\")"));
        assert!(has("mux.HandleFunc(\"GET /{id}\", show)"));
        assert!(has("get(`/v${version}/users`)"));
        assert!(!has("router.get('/users/:id', show)"));
        assert!(!has("import x from '../users'; /* a */ // b"));
    }
}
