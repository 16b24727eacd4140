//! Converters, from the outside: texts in, Markdown out.

mod rust_docs;
