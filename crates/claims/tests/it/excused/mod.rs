//! What is gone and nobody has to be told of.

mod moved;
mod others;
mod readers;

fn nothing() -> Vec<String> {
    Vec::new()
}
