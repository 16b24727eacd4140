//! An embedder without a model: words are hashed into a few hundred counters.
//!
//! Texts that share words are similar, and that is all it knows. It is deterministic on every machine and instant, which
//! is what tests want.

use docent_index::{EmbedError, Embedder, Model};

/// Dimensions unless told otherwise.
const DEFAULT_DIMENSIONS: usize = 256;

/// Feature hashing of lower-cased words.
#[derive(Debug, Clone)]
pub struct HashEmbedder {
    model: Model,
}

impl HashEmbedder {
    /// An embedder with vectors of that many dimensions (at least one).
    pub fn new(dimensions: usize) -> HashEmbedder {
        let dimensions = dimensions.max(1);
        HashEmbedder {
            model: Model {
                id: format!("hash-{dimensions}-1"),
                name: format!("hash-{dimensions}"),
                provider: "hash".to_owned(),
                dimensions,
            },
        }
    }

    fn embed(&self, text: &str) -> Vec<f32> {
        let mut vector = vec![0.0; self.model.dimensions];
        let words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
        for word in words {
            let hash = blake3::hash(word.to_lowercase().as_bytes());
            let [b0, b1, b2, b3, b4, b5, b6, b7, sign, ..] = *hash.as_bytes();
            let place = u64::from_le_bytes([b0, b1, b2, b3, b4, b5, b6, b7]) % vector.len() as u64;
            // A random sign lets words that fall on one place cancel instead of pretending to be alike.
            vector[place as usize] += if sign & 1 == 0 { 1.0 } else { -1.0 };
        }
        if vector.iter().all(|&x| x == 0.0) {
            // A text without words still needs a direction: vectors are of unit length.
            vector[0] = 1.0;
        }
        docent_kernels::normalise(&mut vector);
        vector
    }
}

impl Default for HashEmbedder {
    fn default() -> Self {
        HashEmbedder::new(DEFAULT_DIMENSIONS)
    }
}

impl Embedder for HashEmbedder {
    fn model(&self) -> &Model {
        &self.model
    }

    fn embed_documents(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, EmbedError> {
        Ok(texts.iter().map(|text| self.embed(text)).collect())
    }

    fn embed_query(&self, text: &str) -> Result<Vec<f32>, EmbedError> {
        Ok(self.embed(text))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn similarity(a: &str, b: &str) -> f32 {
        let embedder = HashEmbedder::default();
        let (a, b) = (embedder.embed(a), embedder.embed(b));
        a.iter().zip(&b).map(|(a, b)| a * b).sum()
    }

    #[test]
    fn shared_words_make_texts_similar() {
        assert!(similarity("restart a pod", "Restart: a POD!") > 0.999);
        assert!(similarity("restart a pod", "how to restart a pod") > 0.6);
        assert!(similarity("restart a pod", "wine from Burgundy").abs() < 0.5);
    }

    #[test]
    fn every_text_has_unit_length() {
        for text in ["", "  \n", "a", "日本語 text", &"word ".repeat(10_000)] {
            let vector = HashEmbedder::new(64).embed(text);
            let length: f32 = vector.iter().map(|x| x * x).sum();
            assert!((length - 1.0).abs() < 1e-5, "{text:.20}");
        }
    }
}
