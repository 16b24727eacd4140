//! Tries the converter on files of the desk: `cargo run --release --example pdf -- OUT FILE...` writes `OUT/FILE.docent.md`
//! and prints size, time, title and notes of each.
#![allow(clippy::print_stdout, reason = "a tool for the desk")]

use std::path::Path;
use std::time::Instant;

use docent_convert::{Limits, convert};

fn main() -> std::io::Result<()> {
    let mut args = std::env::args().skip(1);
    let out = args.next().unwrap_or_default();
    for file in args {
        let bytes = std::fs::read(&file)?;
        let start = Instant::now();
        let result = convert(&bytes, &file, &Limits::default());
        let milliseconds = start.elapsed().as_millis();
        let stem = Path::new(&file).file_stem().unwrap_or_default().to_string_lossy();
        match result {
            Ok(done) => {
                let title = done.title.as_deref().unwrap_or_default();
                let last = done.origins.last().and_then(|origin| origin.page);
                let (size, notes) = (done.markdown.len(), done.notes.join("; "));
                println!("{stem}\t{milliseconds} ms\t{size} bytes\tlast page {last:?}\t{title}\t{notes}");
                std::fs::write(Path::new(&out).join(format!("{stem}.docent.md")), done.markdown)?;
            }
            Err(error) => println!("{stem}\t{milliseconds} ms\t{}", error.message),
        }
    }
    Ok(())
}
