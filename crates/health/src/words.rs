//! Claims by their words, in memory: what a topic is about is asked for all the time, and most claims have common words.

use std::collections::HashMap;

/// How fast more of a word counts less, and how much long texts count less, as everywhere.
const SATURATION: f32 = 1.2;
const LENGTH: f32 = 0.75;

/// Which texts have which words. Texts are known by their numbers.
#[derive(Debug, Default)]
pub(crate) struct Words {
    having: HashMap<String, Vec<u32>>,
    /// What one word of a text counts: less in a long one.
    weights: Vec<f32>,
}

impl Words {
    pub(crate) fn new(texts: impl Iterator<Item = String>) -> Self {
        let mut having: HashMap<String, Vec<u32>> = HashMap::new();
        let mut lengths = Vec::new();
        for (text, number) in texts.zip(0..) {
            let words = words(&text);
            lengths.push(words.len() as f32);
            for word in words {
                having.entry(word).or_default().push(number);
            }
        }
        let mean = lengths.iter().sum::<f32>() / lengths.len().max(1) as f32;
        let weight = |length: f32| {
            let relative = if mean > 0.0 { length / mean } else { 1.0 };
            (SATURATION + 1.0) / (1.0 + SATURATION * (1.0 - LENGTH + LENGTH * relative))
        };
        Self { having, weights: lengths.into_iter().map(weight).collect() }
    }

    /// Texts that have words of `query`, best first; as they stand where they are equally good.
    pub(crate) fn find(&self, query: &str) -> Vec<u32> {
        let all = self.weights.len() as f32;
        let mut scores = vec![0.0; self.weights.len()];
        for having in words(query).iter().filter_map(|word| self.having.get(word)) {
            let count = having.len() as f32;
            let rarity = (1.0 + (all - count + 0.5) / (count + 0.5)).ln();
            for number in having {
                if let (Some(score), Some(weight)) =
                    (scores.get_mut(*number as usize), self.weights.get(*number as usize))
                {
                    *score += rarity * weight;
                }
            }
        }
        let mut found: Vec<(f32, u32)> =
            scores.into_iter().zip(0..).filter(|(score, _)| *score > 0.0).collect();
        found.sort_unstable_by(|(one, first), (other, second)| other.total_cmp(one).then(first.cmp(second)));
        found.into_iter().map(|(_, number)| number).collect()
    }
}

/// The words of a text, each once: those of the index, and common ones only where there are no others.
fn words(text: &str) -> Vec<String> {
    let mut words = docent_text::tokens(text);
    if words.iter().any(|word| !docent_text::is_stop_word(word)) {
        words.retain(|word| !docent_text::is_stop_word(word));
    }
    words.sort_unstable();
    words.dedup();
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(query: &str, expected: &[u32]) {
        let texts = [
            "make the walrus swim",
            "make the otter swim, and dive, and sing",
            "to be",
            "walrus",
            "Köln --flag",
        ];
        assert_eq!(Words::new(texts.iter().map(|text| (*text).to_owned())).find(query), expected, "{query}");
    }

    #[test]
    fn rare_words_and_short_texts_come_first() {
        check("walrus", &[3, 0]);
        check("make walrus", &[0, 3, 1]);
        check("SWIMMING otters", &[1, 0]);
    }

    #[test]
    fn common_words_count_only_where_there_are_no_others() {
        check("to be", &[2]);
        check("the walrus", &[3, 0]);
        check("the", &[]);
    }

    #[test]
    fn whatever_is_asked_is_words_and_no_syntax() {
        check("\"walrus\" AND NOT otter*", &[3, 1, 0]);
        check("köln:", &[4]);
        for query in ["", " ", "\"", "NEAR(", "*", "\0", "%", "zebra"] {
            check(query, &[]);
        }
        assert!(Words::default().find("x").is_empty());
    }
}
