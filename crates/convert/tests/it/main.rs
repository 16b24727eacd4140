//! Converters, from the outside: texts in, Markdown out.

mod man;
mod python_docs;
mod rst;
mod rust_docs;
