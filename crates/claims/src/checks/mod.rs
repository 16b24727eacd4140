//! Says of one claim whether it holds in one state of the repository.
//!
//! The same code looks at the present and at the past, so that a mistake in it is made on both sides and cancels out.

use crate::{Claim, Outcome, Suggestion, World};

/// Whether a claim holds. `file` is the path of the document in that state, which may have been another one.
pub fn check(_claim: &Claim, _file: &str, _world: &World) -> Outcome {
    Outcome::NotOurs
}

/// Words of which at least one stands in every file that could make the claim valid (a leaf name, a script's name). A
/// change of a file without any of them does not concern the claim. Empty when it can be decided by paths alone.
pub fn needles(_claim: &Claim) -> Vec<String> {
    Vec::new()
}

/// What to write instead of a claim that held in `then` and does not in `now`.
pub fn suggest(_claim: &Claim, _file: &str, _now: &World, _then: &World) -> Option<Suggestion> {
    None
}
