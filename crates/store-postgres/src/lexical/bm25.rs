//! BM25 as tantivy computes it, so that both stores rank alike.

use super::lengths;

const K1: f32 = 1.2;
const B: f32 = 0.75;

/// How all entries of a kind are: how many, and how many words in all.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Totals {
    pub(crate) entries: u64,
    pub(crate) words: u64,
}

/// What lengths do to scores, by step.
pub(crate) struct Norms([f32; 256]);

impl Norms {
    pub(crate) fn new(totals: Totals) -> Self {
        let average = totals.words as f32 / totals.entries as f32;
        let mut norms = [0.0; 256];
        for (norm, step) in norms.iter_mut().zip(0..=u8::MAX) {
            *norm = K1 * (1.0 - B + B * lengths::of_step(step) as f32 / average);
        }
        Self(norms)
    }

    /// What a word adds that occurs so often in an entry of this length.
    #[inline]
    pub(crate) fn score(&self, weight: f32, step: u8, often: u32) -> f32 {
        let often = often as f32;
        weight * (often / (often + self.0[usize::from(step)]))
    }
}

/// The weight of a word that so many entries have.
pub(crate) fn weight(totals: Totals, having: u64, boost: f32) -> f32 {
    rarity(totals, having) * (1.0 + K1) * boost
}

fn rarity(totals: Totals, having: u64) -> f32 {
    let rest = totals.entries.saturating_sub(having) as f32;
    (1.0 + (rest + 0.5) / (having as f32 + 0.5)).ln()
}
