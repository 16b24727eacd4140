//! What comes of taking things in, over a real index. Conversion is in this process; that in a child is tested with the program.
#![allow(clippy::unwrap_used, reason = "tests")]

#[cfg(unix)]
mod child;
mod content;
mod crawls;
mod files;
mod folders;
mod world;
