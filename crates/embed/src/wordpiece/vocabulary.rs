//! The word pieces and their ids, for finding the longest piece at the start of a word.
//!
//! An open-addressing table over the vocabulary text, which is borrowed, not copied. The hash of a prefix follows from
//! that of the shorter one, so all prefixes of a word are hashed in one pass. It is built in about a millisecond.

/// Word pieces by their text.
#[derive(Debug)]
pub(super) struct Vocabulary {
    /// The pieces in order of their ids, without the `##` of those that continue a word.
    pieces: Vec<Piece>,
    /// Ids plus one, at the place the hash says or after it; 0 is free.
    slots: Vec<u32>,
    /// Bytes of the longest piece.
    longest: usize,
}

#[derive(Debug, Clone, Copy)]
struct Piece {
    text: &'static [u8],
    continues: bool,
}

impl Vocabulary {
    /// One piece a line; its number is its id. Of equal lines the first wins.
    pub(super) fn new(text: &'static str) -> Vocabulary {
        let pieces: Vec<Piece> = text.lines().map(Piece::new).collect();
        let slots = vec![0; (pieces.len() * 2).next_power_of_two()];
        let longest = pieces.iter().map(|piece| piece.text.len()).max().unwrap_or(0);
        let mut vocabulary = Vocabulary { pieces, slots, longest };
        for id in 0..vocabulary.pieces.len() {
            let piece = vocabulary.pieces[id];
            let hash = piece.text.iter().fold(start_of(piece.continues), |hash, &byte| extend(hash, byte));
            if let Err(free) = vocabulary.find(hash, piece.text, piece.continues) {
                vocabulary.slots[free] = id as u32 + 1;
            }
        }
        vocabulary
    }

    /// The id of a piece that starts a word.
    pub(super) fn id(&self, text: &str) -> Option<u32> {
        let hash = text.bytes().fold(start_of(false), extend);
        self.find(hash, text.as_bytes(), false).ok()
    }

    /// Appends the ids of a word, longest pieces first; if it cannot be split, appends nothing and says `false`.
    pub(super) fn split(&self, word: &[u8], ids: &mut Vec<u32>) -> bool {
        let before = ids.len();
        let mut rest = word;
        while !rest.is_empty() {
            match self.longest_prefix(rest, rest.len() < word.len()) {
                Some((id, length)) => {
                    ids.push(id);
                    rest = &rest[length..];
                }
                None => {
                    ids.truncate(before);
                    return false;
                }
            }
        }
        true
    }

    fn longest_prefix(&self, word: &[u8], continues: bool) -> Option<(u32, usize)> {
        const MOST: usize = 64;
        let mut hashes = [0u32; MOST];
        let longest = word.len().min(self.longest).min(MOST);
        let mut hash = start_of(continues);
        for (hashes, &byte) in hashes.iter_mut().zip(&word[..longest]) {
            hash = extend(hash, byte);
            *hashes = hash;
        }
        (1..=longest).rev().find_map(|length| {
            let id = self.find(hashes[length - 1], &word[..length], continues).ok()?;
            Some((id, length))
        })
    }

    /// The id of a piece, or the free slot where it would be.
    fn find(&self, hash: u32, text: &[u8], continues: bool) -> Result<u32, usize> {
        let mask = self.slots.len() - 1;
        let mut slot = (hash ^ (hash >> 15)) as usize & mask;
        loop {
            let Some(id) = self.slots[slot].checked_sub(1) else { return Err(slot) };
            let piece = &self.pieces[id as usize];
            if piece.continues == continues && piece.text == text {
                return Ok(id);
            }
            slot = (slot + 1) & mask;
        }
    }
}

impl Piece {
    fn new(line: &'static str) -> Piece {
        match line.strip_prefix("##").filter(|rest| !rest.is_empty()) {
            Some(rest) => Piece { text: rest.as_bytes(), continues: true },
            None => Piece { text: line.as_bytes(), continues: false },
        }
    }
}

/// FNV-1a, with another start for pieces that continue a word.
fn start_of(continues: bool) -> u32 {
    if continues { 0x811c_9dc5 } else { 0x050c_5d1f }
}

fn extend(hash: u32, byte: u8) -> u32 {
    (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193)
}
