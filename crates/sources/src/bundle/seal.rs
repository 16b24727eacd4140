//! The seal at the end of a bundle: an empty member of gzip whose header has the BLAKE3 of everything before it.
//!
//! Compressed bytes can be changed in ways that unpack to the same content, so checksums of the content do not notice every
//! change of a file; this one does.

/// Bytes of a seal.
pub(super) const LENGTH: u64 = 58;

/// Magic, method, flag for an extra field, no time, no level, unknown system, length of the field, its name and its length.
const BEFORE: [u8; 16] = [0x1f, 0x8b, 8, 4, 0, 0, 0, 0, 0, 255, 36, 0, b'D', b'C', 32, 0];
/// An empty block, and checksum and length of nothing.
const AFTER: [u8; 10] = [3, 0, 0, 0, 0, 0, 0, 0, 0, 0];

/// The seal of a file whose bytes so far have this hash.
pub(super) fn of(hash: &blake3::Hash) -> Vec<u8> {
    [BEFORE.as_slice(), hash.as_bytes().as_slice(), AFTER.as_slice()].concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unpackers_see_nothing() {
        use std::io::Read;
        let seal = of(&blake3::hash(b"x"));
        assert_eq!(seal.len() as u64, LENGTH);
        let mut content = Vec::new();
        flate2::bufread::MultiGzDecoder::new(&seal[..]).read_to_end(&mut content).unwrap();
        assert!(content.is_empty());
    }
}
