//! The commands that keep collections: which there are, bringing them here, and handing them on.

pub(crate) mod add;
pub(crate) mod args;
mod bundled;
mod entries;
mod fetching;
mod list;
pub(crate) mod pack;
mod remove;
mod rename;
mod sync;

pub(super) use self::list::run as list;
pub(super) use self::remove::run as remove;
pub(super) use self::rename::run as rename;
pub(super) use self::sync::run as sync;
