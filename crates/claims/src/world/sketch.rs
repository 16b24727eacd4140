//! Which words a content may hold, in about a tenth of its size.
//!
//! Words are looked for in thousands of contents, and new ones come while a run goes on. A content that was read once
//! leaves a sketch: a set that may say "perhaps" of a word that is not there, and never "no" of one that is. So only
//! contents that may hold a new word are read again.

/// Smaller sketches would say "perhaps" too often, larger ones are of data that nobody wrote.
const BITS: std::ops::RangeInclusive<usize> = 256..=1 << 18;

/// The words of one content.
#[derive(Debug, Clone, Default)]
pub(super) struct Sketch {
    /// A power of two; none for a content without words.
    bits: Box<[u64]>,
}

impl Sketch {
    /// An empty one, for a content of that many bytes.
    pub(super) fn for_size(bytes: usize) -> Self {
        let bits = (bytes / 2).next_power_of_two().clamp(*BITS.start(), *BITS.end());
        Self { bits: vec![0; bits / 64].into() }
    }

    /// As it is kept.
    pub(super) fn to_bytes(&self) -> Vec<u8> {
        self.bits.iter().flat_map(|word| word.to_le_bytes()).collect()
    }

    /// One that was kept; `None` for bytes that are none.
    pub(super) fn of_bytes(bytes: &[u8]) -> Option<Self> {
        let (words, rest) = bytes.as_chunks::<8>();
        let is_sound = rest.is_empty() && words.len().is_power_of_two();
        is_sound.then(|| Self { bits: words.iter().map(|word| u64::from_le_bytes(*word)).collect() })
    }

    pub(super) fn add(&mut self, hash: u64) {
        for bit in bits_of(hash, self.bits.len()) {
            if let Some(word) = self.bits.get_mut(bit / 64) {
                *word |= 1 << (bit % 64);
            }
        }
    }

    /// Whether it may hold a word.
    pub(super) fn may_hold(&self, hash: u64) -> bool {
        let is_set = |bit: usize| self.bits.get(bit / 64).is_some_and(|word| word & (1 << (bit % 64)) != 0);
        bits_of(hash, self.bits.len()).into_iter().all(is_set)
    }
}

/// Three bits for each word.
fn bits_of(hash: u64, length: usize) -> [usize; 3] {
    let mask = (length * 64).wrapping_sub(1);
    [hash, hash >> 21, hash >> 42].map(|part| part as usize & mask)
}

/// A fast hash of a few bytes. Somebody who makes many words alike gains nothing but that contents are read again.
pub(super) fn hash(bytes: &[u8]) -> u64 {
    const FACTOR: u64 = 0x9E37_79B9_7F4A_7C15;
    let fold = |hash: u64, word: u64| {
        let product = u128::from(hash ^ word ^ 0xA076_1D64_78BD_642F) * u128::from(FACTOR);
        (product as u64) ^ ((product >> 64) as u64)
    };
    let mut hash = bytes.len() as u64;
    let mut chunks = bytes.chunks_exact(8);
    for chunk in &mut chunks {
        hash = fold(hash, u64::from_le_bytes(chunk.try_into().unwrap_or_default()));
    }
    let rest = chunks.remainder().iter().rev().fold(0, |word, byte| word << 8 | u64::from(*byte));
    fold(fold(hash, rest), FACTOR)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_added_may_be_there_and_little_else() {
        let words: Vec<String> = (0..4000).map(|number| format!("word_{number}")).collect();
        let mut sketch = Sketch::for_size(64_000);
        words.iter().step_by(2).for_each(|word| sketch.add(hash(word.as_bytes())));
        assert!(words.iter().step_by(2).all(|word| sketch.may_hold(hash(word.as_bytes()))));
        let others = words.iter().skip(1).step_by(2);
        let wrong = others.filter(|word| sketch.may_hold(hash(word.as_bytes()))).count();
        assert!(wrong < 40, "{wrong} of 2000");
        let again = Sketch::of_bytes(&sketch.to_bytes()).unwrap();
        assert!(words.iter().step_by(2).all(|word| again.may_hold(hash(word.as_bytes()))));
        assert!(Sketch::of_bytes(b"").is_none() && Sketch::of_bytes(b"123456789").is_none());
        assert!(!Sketch::default().may_hold(hash(b"word")));
    }
}
