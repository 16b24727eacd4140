//! Lengths of entries as one byte each, in the steps that tantivy and Lucene use: exact for short ones, within an eighth
//! for long ones. With the same steps the two stores give the same scores.

/// Lengths that have a step of their own before the steps grow.
const EXACT: u32 = 24;

/// The step of a length.
pub(crate) fn step(length: u32) -> u8 {
    let mut low = 0u8;
    // The last step that is not above the length.
    for bit in (0..8).rev() {
        let next = low | 1 << bit;
        if of_step(next) <= length {
            low = next;
        }
    }
    low
}

/// The length that a step stands for.
pub(crate) fn of_step(step: u8) -> u32 {
    let step = u32::from(step);
    if step < EXACT {
        return step;
    }
    let (bits, shift) = ((step - EXACT) & 7, (step - EXACT) >> 3);
    let value = if shift == 0 { u64::from(bits) } else { u64::from(bits | 8) << (shift - 1) };
    u32::try_from(u64::from(EXACT) + value).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_are_those_of_lucene() {
        let some = [(0, 0), (39, 39), (40, 40), (41, 42), (47, 54), (48, 56), (49, 60), (255, 2_013_265_944)];
        for (number, length) in some {
            assert_eq!(of_step(number), length);
            assert_eq!(step(length), number);
        }
        assert_eq!((step(41), step(61), step(u32::MAX)), (40, 49, 255));
    }
}
