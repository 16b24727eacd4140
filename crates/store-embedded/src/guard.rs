//! tantivy panics on some damaged files. Here a panic of its becomes a fault like any other.
//!
//! The unwinding stays inside one call, so nothing half-changed is seen by anyone, and the message of the panic is kept
//! from the user, who gets the fault instead.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind, set_hook, take_hook};
use std::sync::Once;

use crate::fault::{Fault, Outcome};

thread_local! {
    static QUIET: Cell<bool> = const { Cell::new(false) };
}

/// Runs `work`; a panic in it means that the lexical index is damaged.
pub(crate) fn guarded<T>(work: impl FnOnce() -> Outcome<T>) -> Outcome<T> {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let before = take_hook();
        set_hook(Box::new(move |panic| {
            if !QUIET.get() {
                before(panic);
            }
        }));
    });
    let before = QUIET.replace(true);
    let outcome = catch_unwind(AssertUnwindSafe(work));
    QUIET.set(before);
    outcome.unwrap_or_else(|_| Err(Fault::Damaged("the lexical index cannot be read".to_owned())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_becomes_damage() {
        let outcome: Outcome<()> = guarded(|| panic!("as tantivy does"));
        assert!(matches!(outcome, Err(Fault::Damaged(_))));
        assert!(!QUIET.get());
    }
}
