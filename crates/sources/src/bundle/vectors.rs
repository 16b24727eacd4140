//! The vectors of a bundle, as bytes.
//!
//! `DOCVEC1\n`, length of the model's id (u16), the id, dimensions (u32), number of vectors (u64); then for each its passage's
//! hash (16 bytes), its scale (f32) and its values (i8). Numbers are little-endian; hashes are in ascending order.

use std::io::{self, Write};

use docent_index::{PassageHash, QuantisedVector};

use super::BundleModel;
use crate::tarball::Damage;

const MAGIC: &[u8; 8] = b"DOCVEC1\n";
/// Longest vectors.
const MOST_DIMENSIONS: u32 = 16_384;
/// How long a vector of length 1 can be after it was rounded.
const USUAL_LENGTH: std::ops::RangeInclusive<f64> = 0.9..=1.1;

/// What stands before the vectors.
pub(super) fn header(model: &BundleModel, count: u64) -> io::Result<Vec<u8>> {
    let length = u16::try_from(model.id.len());
    let length = length.map_err(|_| io::Error::other("the id of the model is too long"))?;
    if model.dimensions == 0 || model.dimensions > MOST_DIMENSIONS {
        return Err(io::Error::other(format!("vectors cannot have {} dimensions", model.dimensions)));
    }
    let mut bytes = MAGIC.to_vec();
    bytes.extend_from_slice(&length.to_le_bytes());
    bytes.extend_from_slice(model.id.as_bytes());
    bytes.extend_from_slice(&model.dimensions.to_le_bytes());
    bytes.extend_from_slice(&count.to_le_bytes());
    Ok(bytes)
}

/// Bytes of one vector.
pub(super) fn record_length(model: &BundleModel) -> u64 {
    16 + 4 + u64::from(model.dimensions)
}

/// Writes one vector.
pub(super) fn write(out: &mut impl Write, hash: &PassageHash, vector: &QuantisedVector) -> io::Result<()> {
    let values: Vec<u8> = vector.values.iter().map(|value| value.cast_unsigned()).collect();
    out.write_all(&hash.0)?;
    out.write_all(&vector.scale.to_le_bytes())?;
    out.write_all(&values)
}

/// Reads vectors, one after another, out of something that fills buffers.
pub(super) fn read(
    size: u64,
    model: &BundleModel,
    mut fill: impl FnMut(&mut [u8]) -> Result<(), Damage>,
) -> Result<Vec<(PassageHash, QuantisedVector)>, Damage> {
    let wrong = || Damage::new("its vectors do not fit its card");
    let expected = header(model, 0).map_err(|error| Damage::new(error.to_string()))?;
    let mut found = vec![0; expected.len()];
    fill(&mut found)?;
    let fixed = expected.len() - 8;
    let (head, count) = found.split_at_checked(fixed).ok_or_else(wrong)?;
    if Some(head) != expected.get(..fixed) {
        return Err(wrong());
    }
    let count = u64::from_le_bytes(count.try_into().map_err(|_| wrong())?);
    let length =
        count.checked_mul(record_length(model)).and_then(|bytes| bytes.checked_add(expected.len() as u64));
    if length != Some(size) {
        return Err(wrong());
    }
    // Not as many as are announced: only what comes takes memory.
    let mut vectors: Vec<(PassageHash, QuantisedVector)> = Vec::new();
    let mut values = vec![0; model.dimensions as usize];
    for _ in 0..count {
        let (mut hash, mut scale) = ([0; 16], [0; 4]);
        fill(&mut hash)?;
        fill(&mut scale)?;
        fill(&mut values)?;
        let (hash, scale) = (PassageHash(hash), f32::from_le_bytes(scale));
        if vectors.last().is_some_and(|(last, _)| *last >= hash) {
            return Err(Damage::new("its vectors are not in order"));
        }
        if !scale.is_finite() || scale < 0.0 {
            return Err(Damage::new("a vector has a scale that is not a number"));
        }
        let values = values.iter().map(|value| value.cast_signed()).collect();
        let vector = QuantisedVector { scale, values };
        if !has_usual_length(&vector) {
            return Err(Damage::new("a vector does not have the length 1"));
        }
        vectors.push((hash, vector));
    }
    Ok(vectors)
}

/// Whether the length is about 1, as every embedder makes it. Similarity is taken for a cosine, so that a longer vector would
/// come first whatever was asked.
fn has_usual_length(vector: &QuantisedVector) -> bool {
    let squares: f64 = vector.values.iter().map(|value| f64::from(*value).powi(2)).sum();
    USUAL_LENGTH.contains(&(squares.sqrt() * f64::from(vector.scale)))
}
