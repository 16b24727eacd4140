//! The scan in plain Rust: the definition that the others are tested against.

use super::{Rows, dot_rest};

pub(super) fn scan(rows: Rows<'_>, query: &[i8], out: &mut [i32]) {
    for (index, out) in out.iter_mut().enumerate() {
        *out = dot_rest(rows.get(index, query.len()), query);
    }
}
