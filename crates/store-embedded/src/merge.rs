//! Which segments of a lexical index to merge.
//!
//! Every batch leaves a segment. Few segments make queries fast; merging takes time that the writer's caller waits
//! for. So segments are merged with others of their own size only, which moves each entry a handful of times in its
//! life, and an edit of a few pages never pays for a merge of many.

/// A segment, as far as merging is concerned.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Size<T> {
    pub(crate) id: T,
    /// Entries that are not deleted.
    pub(crate) alive: usize,
    pub(crate) deleted: usize,
}

/// Segments of one size class that make a merge.
const FANOUT: usize = 5;
/// How much larger the segments of the next class are.
const STEP: usize = 8;
/// Entries above which a batch is a load, whose caller waits anyway, and not an edit.
const LOAD: usize = 500;
/// Entries that an edit may rewrite.
const EDIT_BUDGET: usize = 6_000;
/// Segments above which a merge happens whatever it costs.
const TOO_MANY: usize = 30;

/// The segments to merge now, after a batch that wrote `written` entries; empty for none.
pub(crate) fn plan<T: Copy>(segments: &[Size<T>], written: usize) -> Vec<T> {
    let budget = if written >= LOAD || segments.len() > TOO_MANY { usize::MAX } else { EDIT_BUDGET };
    let mut sorted: Vec<_> = segments.to_vec();
    sorted.sort_by_key(|segment| segment.alive);
    let mut limit = 16;
    let mut rest = sorted.as_slice();
    while !rest.is_empty() {
        let class = rest.partition_point(|segment| segment.alive < limit);
        let (members, larger) = rest.split_at(class);
        let total: usize = members.iter().map(|segment| segment.alive).sum();
        if members.len() >= FANOUT && total <= budget {
            return members.iter().map(|segment| segment.id).collect();
        }
        rest = larger;
        limit = limit.saturating_mul(STEP);
    }
    // Deleted entries still count in BM25's statistics and in every scan.
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
    fn small_ones_are_merged_and_larger_ones_are_not_touched() {
        check(&[1, 2, 3, 4, 5, 8000, 9000, 150_000], 1, &[1, 2, 3, 4, 5]);
    }

    #[test]
    fn only_a_load_pays_for_a_large_merge() {
        let sizes = [2000, 2001, 2002, 2003, 2004];
        check(&sizes, 10, &[]);
        check(&sizes, 2000, &sizes);
    }

    #[test]
    fn mostly_deleted_segments_are_rewritten() {
        let segments = [Size { id: 'a', alive: 10, deleted: 11 }, Size { id: 'b', alive: 10, deleted: 0 }];
        assert_eq!(plan(&segments, 1), ['a']);
    }

    /// Applies the plan again and again and returns the number of segments at the end and the entries rewritten.
    fn simulate(batches: usize, written: usize) -> (usize, usize) {
        let mut segments: Vec<Size<usize>> = Vec::new();
        let mut rewritten = 0;
        for id in 0..batches {
            segments.push(Size { id, alive: written, deleted: 0 });
            let chosen = plan(&segments, written);
            let merged: usize = segments
                .iter()
                .filter(|segment| chosen.contains(&segment.id))
                .map(|segment| segment.alive)
                .sum();
            if merged > 0 {
                segments.retain(|segment| !chosen.contains(&segment.id));
                segments.push(Size { id: id + batches, alive: merged, deleted: 0 });
                rewritten += merged;
            }
        }
        (segments.len(), rewritten / (batches * written))
    }

    #[test]
    fn however_many_batches_there_are_few_segments_and_few_rewrites() {
        for (batches, written) in [(75, 2000), (2000, 10), (5000, 100), (20, 50_000)] {
            let (segments, rewrites) = simulate(batches, written);
            assert!(
                segments <= TOO_MANY && rewrites <= 8,
                "{batches}: {segments} segments, {rewrites} rewrites"
            );
        }
    }
}
