//! Manifests, hints and the check, from the outside: texts in, findings out.

mod fix;
mod manifest;
mod resolve;
mod validate;
