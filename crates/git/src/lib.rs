//! Asks git about a repository that nobody trusts.
//!
//! Git does what the configuration, the attributes and the hooks of a repository say, and some of that is starting programs.
//! So [`Place`] finds a repository without git, [`Shadow`] is a folder of our own in which git works on its objects and
//! files, and [`run`] and [`pieces`] listen to what it says.

#![forbid(unsafe_code)]

mod command;
mod error;
mod place;
mod shadow;

pub use command::{pieces, run, start};
pub use error::RepoError;
pub use place::{Place, is_id, read_small};
pub use shadow::Shadow;
