//! The parts of the model file as typed slices, without copying.
//!
//! The layout is described in `tools/make_model_blob.py`, which writes it.

use docent_kernels::Linear;

/// Length of a token's vector between layers, and of the embedding.
pub(super) const HIDDEN: usize = 384;
/// Transformer layers.
pub(super) const LAYERS: usize = 6;
/// Attention heads a layer.
pub(super) const HEADS: usize = 12;
/// Length of a token's vector inside a feed-forward block.
pub(super) const FEED_FORWARD: usize = 1536;

const MAGIC: &[u8] = b"DOCENTEM";
const VERSION: u32 = 1;
/// Numbers of four bytes in the header, after the magic.
const NUMBERS: usize = 8;
const ALIGNMENT: usize = 64;

#[cfg(target_endian = "big")]
compile_error!("the model file is little endian and used in place");

/// The whole model, borrowed from its file.
#[derive(Debug)]
pub(super) struct Weights<'a> {
    pub(super) vocabulary: &'a str,
    pub(super) words: &'a [i8],
    pub(super) word_scales: &'a [f32],
    pub(super) positions: &'a [f32],
    pub(super) norm: Norm<'a>,
    pub(super) layers: Vec<Layer<'a>>,
}

/// A transformer layer.
#[derive(Debug)]
pub(super) struct Layer<'a> {
    pub(super) attention_input: Linear<'a>,
    pub(super) attention_output: Linear<'a>,
    pub(super) attention_norm: Norm<'a>,
    pub(super) up: Linear<'a>,
    pub(super) down: Linear<'a>,
    pub(super) norm: Norm<'a>,
}

/// A layer normalisation.
#[derive(Debug)]
pub(super) struct Norm<'a> {
    pub(super) weight: &'a [f32],
    pub(super) bias: &'a [f32],
}

impl<'a> Weights<'a> {
    /// Finds the parts of a model file; `None` if it is not one, or not of this version and size.
    pub(super) fn read(bytes: &'a [u8]) -> Option<Weights<'a>> {
        let mut sections = Sections { rest: bytes };
        let header = sections.next::<u8>(MAGIC.len() + NUMBERS * 4)?;
        let (magic, numbers) = header.split_at(MAGIC.len());
        let numbers: Vec<u32> =
            numbers.as_chunks::<4>().0.iter().map(|&bytes| u32::from_le_bytes(bytes)).collect();
        let &[version, hidden, layers, heads, feed_forward, vocabulary, positions, text_length] =
            numbers.as_slice()
        else {
            return None;
        };
        let expected = [VERSION, HIDDEN as u32, LAYERS as u32, HEADS as u32, FEED_FORWARD as u32];
        if magic != MAGIC || [version, hidden, layers, heads, feed_forward] != expected {
            return None;
        }
        let (vocabulary, positions) = (vocabulary as usize, positions as usize);
        Some(Weights {
            vocabulary: std::str::from_utf8(sections.next(text_length as usize)?).ok()?,
            words: sections.next(vocabulary * HIDDEN)?,
            word_scales: sections.next(vocabulary)?,
            positions: sections.next(positions * HIDDEN)?,
            norm: sections.norm()?,
            layers: (0..LAYERS).map(|_| sections.layer()).collect::<Option<_>>()?,
        })
    }
}

/// What is left of the file.
struct Sections<'a> {
    rest: &'a [u8],
}

impl<'a> Sections<'a> {
    /// The next section, as `count` elements.
    fn next<T: bytemuck::AnyBitPattern>(&mut self, count: usize) -> Option<&'a [T]> {
        let length = count.checked_mul(size_of::<T>())?;
        let (section, rest) = self.rest.split_at_checked(length)?;
        self.rest = rest.get(length.next_multiple_of(ALIGNMENT) - length..)?;
        bytemuck::try_cast_slice(section).ok()
    }

    fn norm(&mut self) -> Option<Norm<'a>> {
        Some(Norm { weight: self.next(HIDDEN)?, bias: self.next(HIDDEN)? })
    }

    fn linear(&mut self, inputs: usize, outputs: usize) -> Option<Linear<'a>> {
        let panels = self.next(inputs * outputs)?;
        Linear::new(inputs, panels, self.next(outputs)?, self.next(outputs)?, self.next(outputs)?)
    }

    fn layer(&mut self) -> Option<Layer<'a>> {
        Some(Layer {
            attention_input: self.linear(HIDDEN, 3 * HIDDEN)?,
            attention_output: self.linear(HIDDEN, HIDDEN)?,
            attention_norm: self.norm()?,
            up: self.linear(HIDDEN, FEED_FORWARD)?,
            down: self.linear(FEED_FORWARD, HIDDEN)?,
            norm: self.norm()?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::minilm::blob;

    #[test]
    fn the_built_in_file_is_complete_and_has_nothing_left() {
        let weights = Weights::read(blob::bytes()).unwrap();
        assert_eq!(weights.vocabulary.lines().count(), weights.word_scales.len());
        assert_eq!(weights.positions.len(), crate::MAX_TOKENS * HIDDEN);
    }

    #[test]
    fn damaged_files_are_refused() {
        let bytes = blob::bytes();
        for length in [0, 7, 63, 64, 1000, bytes.len() / 2, bytes.len() - 1] {
            assert!(Weights::read(&bytes[..length]).is_none(), "{length}");
        }
        assert!(Weights::read(&bytes[64..]).is_none());
    }
}
