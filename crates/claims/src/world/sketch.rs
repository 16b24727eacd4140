//! Which words stand in a content, without the content.
//!
//! Words are looked for in thousands of contents, and new ones come while a run goes on and with every run. A content that
//! was read once leaves a sketch: the hashes of all words in it, and of those behind a quote, a slash or a dash with that as
//! well, sorted. Of six bytes each, two different words are hardly ever taken for one, so a content is read again only for
//! words that are made of several.

/// Bytes that are kept of a hash.
const KEPT: usize = 6;
const MASK: u64 = (1 << (8 * KEPT)) - 1;
/// Nobody writes so many words into one file; what has more is data, and is read again whenever somebody asks.
const MOST: usize = 200_000;

/// The words of one content.
#[derive(Debug, Clone, Default)]
pub(super) struct Sketch {
    /// Sorted when finished; each once.
    hashes: Vec<u64>,
    is_too_large: bool,
}

impl Sketch {
    /// As it is kept.
    pub(super) fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = vec![u8::from(self.is_too_large)];
        for hash in &self.hashes {
            bytes.extend_from_slice(hash.to_le_bytes().get(..KEPT).unwrap_or_default());
        }
        bytes
    }

    /// One that was kept; `None` for bytes that are none.
    pub(super) fn of_bytes(bytes: &[u8]) -> Option<Self> {
        let (first, rest) = bytes.split_first()?;
        let (words, rest) = rest.as_chunks::<KEPT>();
        let hash = |word: &[u8; KEPT]| {
            let mut whole = [0; 8];
            whole.iter_mut().zip(word).for_each(|(to, from)| *to = *from);
            u64::from_le_bytes(whole)
        };
        let hashes: Vec<u64> = words.iter().map(hash).collect();
        let is_sound = rest.is_empty() && *first <= 1 && hashes.is_sorted();
        is_sound.then_some(Self { hashes, is_too_large: *first == 1 })
    }

    pub(super) fn add(&mut self, hash: u64) {
        if !self.is_too_large {
            self.hashes.push(hash & MASK);
        }
        if self.hashes.len() > 8 * MOST {
            self.finish();
        }
    }

    /// Nothing is added any more.
    pub(super) fn finish(&mut self) {
        self.hashes.sort_unstable();
        self.hashes.dedup();
        if self.hashes.len() > MOST {
            self.hashes = Vec::new();
            self.is_too_large = true;
        }
        self.hashes.shrink_to_fit();
    }

    /// Whether it knows all words of the content; otherwise only the content itself can tell.
    pub(super) fn is_exact(&self) -> bool {
        !self.is_too_large
    }

    /// Whether a word stands in the content, or may do so.
    pub(super) fn may_hold(&self, hash: u64) -> bool {
        self.is_too_large || self.hashes.binary_search(&(hash & MASK)).is_ok()
    }
}

/// A fast hash of a few bytes. Whoever makes words alike on purpose only hides what their own documents say.
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
    fn what_was_added_is_there_and_nothing_else() {
        let words: Vec<String> = (0..4000).map(|number| format!("word_{number}")).collect();
        let mut sketch = Sketch::default();
        words
            .iter()
            .step_by(2)
            .chain(words.iter().take(1))
            .for_each(|word| sketch.add(hash(word.as_bytes())));
        sketch.finish();
        let again = Sketch::of_bytes(&sketch.to_bytes()).unwrap();
        for sketch in [&sketch, &again] {
            for (number, word) in words.iter().enumerate() {
                assert_eq!(sketch.may_hold(hash(word.as_bytes())), number % 2 == 0, "{word}");
            }
        }
        assert!(Sketch::of_bytes(b"").is_none() && Sketch::of_bytes(b"\x00123").is_none());
        assert!(!Sketch::default().may_hold(hash(b"word")));
    }

    #[test]
    fn a_content_with_too_many_words_has_to_be_read() {
        let mut sketch = Sketch::default();
        (0..=MOST as u64).for_each(|number| sketch.add(number));
        sketch.finish();
        let again = Sketch::of_bytes(&sketch.to_bytes()).unwrap();
        assert!(again.may_hold(1) && !again.is_exact());
    }
}
