//! Cosines, always worked out here, from the bytes.

use std::collections::HashMap;

/// The cosine of the best passage of each chunk.
pub(super) struct Cosines<'q> {
    pub(super) query: &'q [f32],
    pub(super) chunks: HashMap<u64, f32>,
}

impl<'q> Cosines<'q> {
    pub(super) fn new(query: &'q [f32]) -> Self {
        Self { query, chunks: HashMap::new() }
    }

    pub(super) fn len(&self) -> usize {
        self.chunks.len()
    }

    pub(super) fn offer(&mut self, chunk: u64, codes: &[u8], scale: f32) {
        if codes.len() != self.query.len() {
            return;
        }
        let values: Vec<i8> = codes.iter().map(|code| *code as i8).collect();
        let cosine = (docent_kernels::dot_f32_i8(self.query, &values) * scale).clamp(-1.0, 1.0);
        let best = self.chunks.entry(chunk).or_insert(cosine);
        if best.total_cmp(&cosine).is_lt() {
            *best = cosine;
        }
    }

    pub(super) fn into_sorted(self, depth: usize) -> Vec<(u64, f32)> {
        let mut hits: Vec<(u64, f32)> = self.chunks.into_iter().collect();
        hits.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        hits.truncate(depth);
        hits
    }
}
