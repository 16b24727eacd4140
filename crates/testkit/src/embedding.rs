//! A fake embedding: each token points somewhere, a text is the sum. Texts that share words are near each other.

use docent_index::{Model, QuantisedVector, Store};
use docent_text::tokens;

/// The fake model with this id.
pub fn model(id: &str) -> Model {
    Model { id: id.to_owned(), name: id.to_owned(), provider: "hash".to_owned(), dimensions: 64 }
}

/// The vector of a text, of unit length.
pub fn vector(model: &Model, text: &str) -> Vec<f32> {
    let mut sum = vec![0.0f32; model.dimensions];
    for token in tokens(text) {
        let mut state =
            token.bytes().chain(model.id.bytes()).fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
                (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
            });
        for value in &mut sum {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            *value += (state >> 40) as f32 / (1u64 << 23) as f32 - 1.0;
        }
    }
    let length = sum.iter().map(|value| value * value).sum::<f32>().sqrt().max(f32::MIN_POSITIVE);
    sum.iter().map(|value| value / length).collect()
}

/// Embeds everything that is pending, and says how much that was.
pub fn embed_all(store: &dyn Store, model: &Model) -> usize {
    let mut total = 0;
    loop {
        let pending = store.pending(model, 100).unwrap();
        if pending.is_empty() {
            return total;
        }
        total += pending.len();
        let vectors: Vec<_> = pending
            .iter()
            .map(|passage| (passage.id, QuantisedVector::new(&vector(model, &passage.text))))
            .collect();
        store.put_vectors(model, &vectors).unwrap();
    }
}
