//! Embeds batches of texts and says how long each took: our half of `benches/embed/bench.py`.
//!
//! Reads JSON arrays of texts, one a line, and answers each with `{"seconds": CPU time, "vectors": [...]}`. One thread;
//! the time includes the tokeniser. An argument names the instruction set. With the argument `query` it instead
//! measures single short queries and the time to a first answer.

#![allow(clippy::print_stdout)]

use std::io::{BufRead, Write};
use std::time::Instant;

use docent_embed::MiniLm;
use docent_index::Embedder;
use docent_kernels::Isa;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    match std::env::args().nth(1).as_deref() {
        Some("query") => measure_queries(),
        Some(name) => serve(Isa::named(name).ok_or("this machine does not have these instructions")?),
        None => serve(Isa::detect()),
    }
}

fn serve(isa: Isa) -> Result<(), Box<dyn std::error::Error>> {
    let model = MiniLm::with(isa, 1);
    model.embed_query("warm up")?;
    let mut out = std::io::stdout().lock();
    for line in std::io::stdin().lock().lines() {
        let texts: Vec<String> = serde_json::from_str(&line?)?;
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        let start = cpu_seconds();
        let vectors = model.embed_documents(&texts)?;
        let seconds = cpu_seconds() - start;
        writeln!(out, "{}", serde_json::json!({ "seconds": seconds, "vectors": vectors }))?;
        out.flush()?;
    }
    Ok(())
}

fn measure_queries() -> Result<(), Box<dyn std::error::Error>> {
    let query = "how do I restart all pods of a deployment safely?";
    for isa in Isa::available() {
        let start = Instant::now();
        let model = MiniLm::with(isa, 1);
        model.embed_query(query)?;
        let first = start.elapsed();
        let mut times: Vec<_> = (0..200)
            .map(|_| {
                let start = Instant::now();
                model.embed_query(query).map(|_| start.elapsed())
            })
            .collect::<Result<_, _>>()?;
        times.sort();
        println!("{isa}: first answer {first:.2?}, then median {:.3?}, best {:.3?}", times[100], times[0]);
    }
    Ok(())
}

/// CPU time of this thread where the system tells it precisely, else the wall clock.
fn cpu_seconds() -> f64 {
    static START: std::sync::OnceLock<Instant> = std::sync::OnceLock::new();
    let nanoseconds = std::fs::read_to_string("/proc/thread-self/schedstat")
        .ok()
        .and_then(|text| text.split(' ').next().and_then(|first| first.parse::<f64>().ok()));
    match nanoseconds {
        Some(nanoseconds) => nanoseconds / 1e9,
        None => START.get_or_init(Instant::now).elapsed().as_secs_f64(),
    }
}
