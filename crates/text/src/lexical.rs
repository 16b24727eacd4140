//! The two fields that the lexical side indexes for a chunk.
//!
//! The display text stays as it is; what is matched are the tokens of the body and, apart from it because a match there
//! counts for more, those of the title and the headings above. A store that rebuilds its index calls this again and
//! gets the same tokens.

use crate::context::context_line;
use crate::{for_each_token, plain};

/// Tokens of a chunk, joined by spaces.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct LexicalFields {
    /// Title and headings.
    pub heading: String,
    /// The chunk's own text, heading line included.
    pub body: String,
}

/// Makes the fields of a chunk from its document's title, its heading path and its raw Markdown.
pub fn lexical_fields(title: &str, heading_path: &str, content: &str) -> LexicalFields {
    LexicalFields { heading: join(&context_line(title, heading_path, "")), body: join(&plain(content)) }
}

fn join(text: &str) -> String {
    let mut joined = String::with_capacity(text.len());
    for_each_token(text, &mut |token| {
        if !joined.is_empty() {
            joined.push(' ');
        }
        joined.push_str(token);
    });
    joined
}

#[cfg(test)]
mod tests {
    use super::lexical_fields;

    #[test]
    fn headings_and_body_are_kept_apart() {
        let fields = lexical_fields("Pods", "Lifecycle [part 1/2]", "## Lifecycle\n\nPods *restart*.\n");
        assert_eq!(fields.heading, "pod lifecycl");
        assert_eq!(fields.body, "lifecycl pod restart");
    }
}
