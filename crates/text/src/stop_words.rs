//! English words that say nothing about a text's subject.
//!
//! Tokenising keeps them, because `not` and `to` can matter in a phrase; the query side asks here and
//! decides. The list is of tokens as they are emitted, that is, of stems.

/// Whether a token is a stop word.
pub fn is_stop_word(token: &str) -> bool {
    STEMS.binary_search(&token).is_ok()
}

/// Sorted, for the binary search above.
const STEMS: &[&str] = &[
    "a", "about", "after", "again", "all", "also", "am", "an", "and", "ani", "are", "as", "at", "be",
    "becaus", "been", "befor", "between", "both", "but", "by", "can", "could", "did", "do", "doe", "don't",
    "dure", "each", "for", "from", "had", "has", "have", "he", "her", "here", "him", "his", "how", "i", "if",
    "in", "into", "is", "it", "just", "me", "more", "most", "my", "no", "not", "of", "on", "onli", "or",
    "other", "our", "out", "over", "own", "same", "she", "should", "so", "some", "such", "than", "that",
    "the", "their", "them", "then", "there", "these", "they", "this", "those", "through", "to", "too",
    "under", "until", "up", "veri", "was", "we", "were", "what", "when", "where", "whi", "which", "while",
    "who", "whom", "will", "with", "would", "you", "your",
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tokens;

    #[test]
    fn the_list_is_sorted() {
        assert!(STEMS.is_sorted());
    }

    #[test]
    fn stop_words_are_known_in_the_form_that_is_emitted() {
        let text = "the any because before during only very why does don't it's my your themselves";
        let unknown: Vec<_> = tokens(text).into_iter().filter(|token| !is_stop_word(token)).collect();
        assert_eq!(unknown, ["themselv"]);
    }

    #[test]
    fn other_words_are_not() {
        assert!(!is_stop_word("pod"));
        assert!(!is_stop_word("--all"));
    }
}
