//! Dot products of one or several int8 queries with many int8 rows: the inner loop of exact vector search.
//!
//! Rows lie at a fixed stride in a byte buffer, usually a mapped file, and may carry other bytes after the vector. A
//! scan is bound by memory: 384 bytes a row, each read once. All instruction sets give the same integers as long as
//! elements stay within -127 to 127, which [`crate::quantise_i8`] guarantees.

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512_vnni;
#[cfg(target_arch = "aarch64")]
mod neon;
mod portable;

use crate::isa::{Isa, Kind};

/// Writes the dot product of `query` with the first `dimensions` bytes of each row (as `i8`) to `out`.
///
/// # Panics
/// If the query has not `dimensions` elements, the stride is smaller than that, or there are fewer than `out.len()`
/// rows. The last row need not be padded to the stride.
pub fn scan_i8(isa: Isa, rows: &[u8], stride: usize, dimensions: usize, query: &[i8], out: &mut [i32]) {
    let count = out.len();
    let Some(rows) = checked(rows, stride, dimensions, &[query], count) else { return out.fill(0) };
    match isa.0 {
        // SAFETY: an `Isa` exists only on machines that have its instructions; the lengths are checked above.
        #[cfg(target_arch = "x86_64")]
        Kind::Avx512Vnni => unsafe { avx512_vnni::scan(rows, query, out) },
        // SAFETY: as above.
        #[cfg(target_arch = "x86_64")]
        Kind::AvxVnni | Kind::Avx2 => unsafe { avx2::scan(rows, query, out) },
        // SAFETY: as above.
        #[cfg(target_arch = "aarch64")]
        Kind::Neon | Kind::NeonDot => unsafe { neon::scan(rows, query, out) },
        Kind::Portable => portable::scan(rows, query, out),
    }
}

/// Rows that are compared with one query before the next has its turn: they stay in the nearest cache meanwhile.
const TILE: usize = 64;

/// The same for several queries, reading the rows once. All products with the first query come first, then all with the
/// second, and so on.
///
/// # Panics
/// If `out` has not the same number of results for each query; otherwise as [`scan_i8`].
pub fn scan_many_i8(
    isa: Isa,
    rows: &[u8],
    stride: usize,
    dimensions: usize,
    queries: &[&[i8]],
    out: &mut [i32],
) {
    if let [query] = queries {
        return scan_i8(isa, rows, stride, dimensions, query, out);
    }
    let count = out.len().checked_div(queries.len()).unwrap_or(0);
    assert_eq!(out.len(), count * queries.len(), "each query must have the same number of results");
    let Some(checked) = checked(rows, stride, dimensions, queries, count) else { return out.fill(0) };
    match isa.0 {
        // SAFETY: as above.
        #[cfg(target_arch = "x86_64")]
        Kind::Avx512Vnni => unsafe { avx512_vnni::scan_many(checked, queries, out) },
        _ => {
            for start in (0..count).step_by(TILE) {
                let end = count.min(start + TILE);
                for (number, query) in queries.iter().enumerate() {
                    let out = &mut out[number * count..][start..end];
                    scan_i8(isa, &rows[start * stride..], stride, dimensions, query, out);
                }
            }
        }
    }
}

/// The rows, when all lengths are right; `None` when every product is 0 for want of elements or of rows.
fn checked<'a>(
    rows: &'a [u8],
    stride: usize,
    dimensions: usize,
    queries: &[&[i8]],
    count: usize,
) -> Option<Rows<'a>> {
    for query in queries {
        assert_eq!(query.len(), dimensions, "the query must have as many elements as the rows");
    }
    assert!(dimensions <= stride, "rows must not overlap");
    if count == 0 || dimensions == 0 {
        return None;
    }
    let needed = (count - 1).checked_mul(stride).and_then(|start| start.checked_add(dimensions));
    assert!(needed.is_some_and(|needed| needed <= rows.len()), "there must be a row for each result");
    Some(Rows { bytes: rows, stride })
}

/// Rows at a fixed stride.
#[derive(Clone, Copy)]
struct Rows<'a> {
    bytes: &'a [u8],
    stride: usize,
}

impl<'a> Rows<'a> {
    /// The first `dimensions` bytes of a row.
    #[inline(always)]
    fn get(&self, index: usize, dimensions: usize) -> &'a [u8] {
        &self.bytes[index * self.stride..][..dimensions]
    }
}

/// The dot product of what is left after whole vectors.
#[inline(always)]
fn dot_rest(row: &[u8], query: &[i8]) -> i32 {
    row.iter().zip(query).map(|(&a, &b)| i32::from(a as i8) * i32::from(b)).sum()
}
