//! Which segments of a lexical index to merge.
//!
//! Every batch leaves a segment. Few segments make queries fast; merging takes time that the writer's caller waits
//! for. So the small ones are merged early and often, and large ones only when a large batch has already cost more.

/// A segment, as far as merging is concerned.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Size<T> {
    pub(crate) id: T,
    /// Documents that are not deleted.
    pub(crate) alive: usize,
    pub(crate) deleted: usize,
}

/// Segments that may stand side by side.
const FEW: usize = 8;
/// Segments above which a merge happens whatever it costs.
const TOO_MANY: usize = 24;
/// Documents that one small batch may rewrite.
const BUDGET: usize = 10_000;

/// The segments to merge now, after a batch that wrote `written` documents; empty for none.
pub(crate) fn plan<T: Copy>(segments: &[Size<T>], written: usize) -> Vec<T> {
    let mut sorted: Vec<_> = segments.to_vec();
    sorted.sort_by_key(|segment| segment.alive);
    let budget = if sorted.len() > TOO_MANY { usize::MAX } else { BUDGET.max(written.saturating_mul(4)) };
    if sorted.len() > FEW {
        let mut total = 0;
        let mut chosen = Vec::new();
        for segment in &sorted {
            // A segment much larger than all before it gains nothing from them.
            let dwarfs = chosen.len() >= FEW / 2 && segment.alive > total * 2;
            if dwarfs || total + segment.alive > budget {
                break;
            }
            total += segment.alive;
            chosen.push(segment.id);
        }
        if chosen.len() > 1 {
            return chosen;
        }
    }
    // Deleted documents still count in BM25's statistics and in every scan.
    let stale = sorted.iter().find(|segment| segment.deleted > segment.alive && segment.alive <= budget);
    stale.map(|segment| vec![segment.id]).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(sizes: &[usize], written: usize, expected: &[usize]) {
        let segments: Vec<_> = sizes.iter().map(|&alive| Size { id: alive, alive, deleted: 0 }).collect();
        assert_eq!(plan(&segments, written), expected, "{sizes:?}");
    }

    #[test]
    fn a_few_segments_are_left_alone() {
        check(&[1, 2, 3, 150_000], 1, &[]);
    }

    #[test]
    fn small_ones_are_merged_and_the_large_one_is_not_touched() {
        check(&[1, 2, 3, 4, 5, 6, 7, 8, 150_000], 1, &[1, 2, 3, 4, 5, 6, 7, 8]);
    }

    #[test]
    fn a_large_batch_pays_for_a_large_merge() {
        let sizes = [5000, 5001, 5002, 5003, 5004, 5005, 5006, 5007, 5008];
        check(&sizes, 5000, &sizes[..3]);
        check(&sizes, 50_000, &sizes);
    }

    #[test]
    fn mostly_deleted_segments_are_rewritten() {
        let segments = [Size { id: 'a', alive: 10, deleted: 11 }, Size { id: 'b', alive: 10, deleted: 0 }];
        assert_eq!(plan(&segments, 1), ['a']);
    }
}
