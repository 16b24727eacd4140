//! Routes of an HTTP interface.

use crate::{Claim, Outcome, Suggestion, World};

pub(super) fn check(_claim: &Claim, _file: &str, _world: &World) -> Outcome {
    Outcome::NotOurs
}

pub(super) fn needles(_claim: &Claim) -> Vec<String> {
    Vec::new()
}

pub(super) fn suggest(_claim: &Claim, _file: &str, _now: &World, _then: &World) -> Option<Suggestion> {
    None
}
