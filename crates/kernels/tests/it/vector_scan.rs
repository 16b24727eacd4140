//! The scan gives the same integers with all instructions, for any number of dimensions and any stride.

use docent_kernels::{Isa, scan_i8, scan_many_i8};
use proptest::collection::vec;
use proptest::prelude::*;

/// Elements as quantisation gives them: never -128.
fn element() -> impl Strategy<Value = i8> {
    prop_oneof![4 => -127..=127i8, 1 => Just(127i8), 1 => Just(-127i8)]
}

fn expected(rows: &[u8], stride: usize, query: &[i8], count: usize) -> Vec<i32> {
    let dot = |row: &[u8]| row.iter().zip(query).map(|(&a, &b)| i32::from(a as i8) * i32::from(b)).sum();
    (0..count).map(|index| dot(&rows[index * stride..][..query.len()])).collect()
}

proptest! {
    #[test]
    fn all_instructions_give_the_same_sums(
        (dimensions, stride, count, rows, query) in (0..=400usize, 0..=70usize, 0..=9usize)
            .prop_flat_map(|(dimensions, padding, count)| {
                let stride = dimensions + padding;
                (Just(dimensions), Just(stride), Just(count), vec(element(), stride * count), vec(element(), dimensions))
            })
    ) {
        let rows: Vec<u8> = rows.into_iter().map(|x| x as u8).collect();
        let expected = expected(&rows, stride, &query, count);
        for isa in Isa::available() {
            let mut out = vec![-1; count];
            scan_i8(isa, &rows, stride, dimensions, &query, &mut out);
            prop_assert_eq!(&out, &expected, "{}", isa);
        }
    }
}

proptest! {
    #[test]
    fn several_queries_give_what_each_gives_alone(
        (dimensions, stride, count, rows, queries) in (0..=400usize, 0..=70usize, 0..=150usize, 0..=11usize)
            .prop_flat_map(|(dimensions, padding, count, queries)| {
                let stride = dimensions + padding;
                let rows = vec(element(), stride * count);
                (Just(dimensions), Just(stride), Just(count), rows, vec(vec(element(), dimensions), queries))
            })
    ) {
        let rows: Vec<u8> = rows.into_iter().map(|x| x as u8).collect();
        let queries: Vec<&[i8]> = queries.iter().map(Vec::as_slice).collect();
        let expected: Vec<i32> =
            queries.iter().flat_map(|query| expected(&rows, stride, query, count)).collect();
        for isa in Isa::available() {
            let mut out = vec![-1; count * queries.len()];
            scan_many_i8(isa, &rows, stride, dimensions, &queries, &mut out);
            prop_assert_eq!(&out, &expected, "{}", isa);
        }
    }
}

#[test]
fn the_last_row_needs_no_padding() {
    for isa in Isa::available() {
        let mut out = [0; 4];
        scan_many_i8(isa, &[1, 2, 0, 0, 3, 4], 4, 2, &[&[10, 1], &[1, 0]], &mut out);
        assert_eq!(out, [12, 34, 1, 3]);
        let mut out = [0; 2];
        scan_i8(isa, &[1, 2, 0, 0, 3, 4], 4, 2, &[10, 1], &mut out);
        assert_eq!(out, [12, 34]);
    }
}

#[test]
#[should_panic(expected = "a row for each result")]
fn missing_rows_are_refused() {
    scan_i8(Isa::detect(), &[1, 2, 3], 2, 2, &[1, 1], &mut [0; 2]);
}

#[test]
#[should_panic(expected = "must not overlap")]
fn rows_must_not_overlap() {
    scan_i8(Isa::detect(), &[1, 2, 3], 1, 2, &[1, 1], &mut [0; 2]);
}

#[test]
#[should_panic(expected = "a row for each result")]
fn missing_rows_are_refused_for_several_queries() {
    scan_many_i8(Isa::detect(), &[1, 2, 3], 2, 2, &[&[1, 1], &[1, 1]], &mut [0; 4]);
}

#[test]
#[should_panic(expected = "as many elements")]
fn queries_of_different_lengths_are_refused() {
    scan_many_i8(Isa::detect(), &[1, 2, 3, 4], 2, 2, &[&[1, 1], &[1]], &mut [0; 4]);
}
