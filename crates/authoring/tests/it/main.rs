//! Manifests, hints and the check, from the outside: texts in, findings out.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod fix;
mod manifest;
mod resolve;
mod validate;
