//! Finds the claims of a document.

use crate::Claim;

/// The claims in a Markdown document, in the order of its lines. Generous: what nothing in the repository could decide is
/// sorted out by the checks.
pub fn extract(_path: &str, _text: &str) -> Vec<Claim> {
    Vec::new()
}
