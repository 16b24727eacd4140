//! The two fields that the lexical side indexes for a chunk.
//!
//! The display text stays as it is; what is matched are the tokens of the body and, once more because a match there
//! counts for more, those of the chunk's own heading. The title and the headings above are no part of it: they are put
//! in front of what is embedded, and pages as a whole are found by them. A store that rebuilds its index calls this
//! again and gets the same tokens.

use crate::chunks::strip_part;
use crate::sections::ROOT;
use crate::{for_each_token, plain};

/// Tokens of a chunk, joined by spaces.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct LexicalFields {
    /// The chunk's heading.
    pub heading: String,
    /// The chunk's own text, heading line included.
    pub body: String,
}

/// Makes the fields of a chunk from its heading path and its raw Markdown.
pub fn lexical_fields(heading_path: &str, content: &str) -> LexicalFields {
    let heading = strip_part(heading_path).rsplit(" > ").next().filter(|heading| *heading != ROOT);
    LexicalFields { heading: join(heading.unwrap_or_default()), body: join(&plain(content)) }
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
    fn the_own_heading_counts_and_those_above_do_not() {
        let fields = lexical_fields("Pods > Lifecycle [part 1/2]", "## Lifecycle\n\nPods *restart*.\n");
        assert_eq!(fields.heading, "lifecycl");
        assert_eq!(fields.body, "lifecycl pod restart");
    }
}
