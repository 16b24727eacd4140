//! The commands that keep libraries: documents that somebody handed over.

pub(crate) mod args;
mod bar;
mod convert;
mod forget;
mod ingest;
mod lines;
mod out;
mod outcome;
mod targets;

pub(super) use self::convert::run as convert;
pub(super) use self::forget::run as forget;
pub(super) use self::ingest::run as ingest;
