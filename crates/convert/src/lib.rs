//! Turns documentation that is not Markdown into Markdown: pure functions over text.
#![forbid(unsafe_code)]
