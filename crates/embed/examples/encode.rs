//! Reads JSON strings, one a line, and prints the token ids of each: the other half of
//! `tests/fixtures/make_fixtures.py compare`.

#![allow(clippy::print_stdout)]

use std::io::{BufRead, Write};

use docent_embed::MiniLm;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let model = MiniLm::new();
    let mut out = std::io::BufWriter::new(std::io::stdout().lock());
    for line in std::io::stdin().lock().lines() {
        let text: String = serde_json::from_str(&line?)?;
        let ids = model.tokens(&text).map_err(|error| error.message)?;
        writeln!(out, "{}", serde_json::to_string(&ids)?)?;
    }
    Ok(())
}
