//! Converters, from the outside: texts in, Markdown out.
#![allow(clippy::unwrap_used, reason = "tests")]

mod fixtures;
mod hostile;
mod hostile_files;
mod man;
mod page_titles;
mod pdf;
mod python_docs;
mod rst;
mod rust_docs;
mod structure;
mod text;
