//! The words of a query, as the lexical side wants them.

use docent_index::LexicalQuery;
use docent_text::{is_stop_word, tokens};

/// Tokens with their weights. Stop words go when anything else is left; a repeated word counts once.
pub(super) fn lexical_query(query: &str) -> LexicalQuery {
    let all = tokens(query);
    let has_content = all.iter().any(|token| !is_stop_word(token));
    let mut terms: Vec<(String, f32)> = Vec::with_capacity(all.len());
    for token in all {
        let dropped = has_content && is_stop_word(&token);
        if !dropped && !terms.iter().any(|(known, _)| *known == token) {
            terms.push((token, 1.0));
        }
    }
    LexicalQuery { terms }
}

#[cfg(test)]
mod tests {
    use super::lexical_query;

    fn check(query: &str, expected: &[&str]) {
        let terms = lexical_query(query).terms;
        let words: Vec<&str> = terms.iter().map(|(word, _)| word.as_str()).collect();
        assert_eq!(words, expected);
    }

    #[test]
    fn stop_words_go_and_repeats_count_once() {
        check("how to delete the pods of a pod", &["delet", "pod"]);
    }

    #[test]
    fn a_query_of_stop_words_keeps_them() {
        assert!(!lexical_query("to be or not to be").terms.is_empty());
    }
}
