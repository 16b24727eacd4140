//! Routes of an OpenAPI document, in YAML or JSON.

use serde::{Deserialize, Serialize};

use super::Facts;

/// The routes of one document.
#[derive(Debug, Default, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct OpenApi {
    /// Method in capitals, path, line.
    pub routes: Vec<(String, String, u32)>,
}

const MAX_BYTES: usize = 8 << 20;

impl Facts for OpenApi {
    const NAME: &'static str = "openapi";
    const VERSION: u32 = 1;

    fn applies(path: &str) -> bool {
        [".yaml", ".yml", ".json"].iter().any(|ending| path.ends_with(ending)) && !path.contains("lock")
    }

    fn read(_path: &str, bytes: &[u8]) -> Self {
        let mut found = Self::default();
        if bytes.len() > MAX_BYTES {
            return found;
        }
        let text = String::from_utf8_lossy(bytes);
        let head = text.get(..text.len().min(4_000)).unwrap_or(&text);
        if !["openapi", "swagger"].iter().any(|word| head.contains(word)) {
            return found;
        }
        // Both formats have a path and, deeper, its verbs as keys; so lines are enough, and every route has its own.
        let mut path: Option<(usize, String)> = None;
        for (number, line) in (1u32..).zip(text.lines()) {
            let trimmed = line.trim_start();
            let depth = line.len() - trimmed.len();
            let key = trimmed
                .split(": ")
                .next()
                .unwrap_or(trimmed)
                .trim_end()
                .trim_end_matches([':', '{', ' '])
                .trim_matches(['"', '\'', ':']);
            if key.starts_with('/') && !key.contains(' ') {
                path = Some((depth, key.to_owned()));
            } else if let Some((above, path)) = &path {
                let is_verb = matches!(key, "get" | "put" | "post" | "delete" | "patch" | "head" | "options");
                if is_verb && depth > *above && found.routes.len() < 20_000 {
                    found.routes.push((key.to_uppercase(), path.clone(), number));
                }
            }
        }
        found
    }
}
