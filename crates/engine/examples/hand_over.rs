//! Time and memory of handing texts over that somebody made to be slow: one process for each, so that the peak is its own.
//!
//! cargo run --release -p docent-engine --example hand_over
#![allow(missing_docs, clippy::unwrap_used, clippy::print_stdout, reason = "a measurement")]

use std::process::Command;
use std::sync::Arc;
use std::time::Instant;

use docent_embed::{HashEmbedder, MiniLm};
use docent_engine::{Cancel, ChunkOptions, Details, Engine, EngineParts, Freshness, Handed};
use docent_index::Embedder;
use docent_store_embedded::{EmbeddedStore, OpenOptions};

const MIB: usize = 1 << 20;

/// A name and the text that it stands for.
type Made = (&'static str, fn() -> String);

const TEXTS: &[Made] = &[
    ("small", || "# Small\n\nA few words.\n".to_owned()),
    ("prose 1 MiB", || prose(MIB)),
    ("prose 4 MiB", || prose(4 * MIB)),
    ("prose 8 MiB", || prose(8 * MIB)),
    ("prose 16 MiB", || prose(16 * MIB)),
    ("500,000 headings", || "# h\n".repeat(500_000)),
    ("100,000 deep headings", || "###### h\n\nx\n\n".repeat(100_000)),
    ("one token of 8 MiB", || "x".repeat(8 * MIB)),
    ("one line of 8 MiB", || "word ".repeat(8 * MIB / 5)),
    ("distinct words 8 MiB", || (0..MIB).map(|at| format!("w{at:06x} ")).collect()),
    ("headings of 8 MiB", || "# h\n".repeat(2 * MIB)),
    ("lists of 8 MiB", || "- a\n".repeat(2 * MIB)),
    ("table of 8 MiB", || "| a | b |\n|---|---|\n".to_owned() + &"| 1 | 2 |\n".repeat(8 * MIB / 10 - 10)),
    ("brackets of 8 MiB", || "[".repeat(8 * MIB)),
    ("links of 8 MiB", || "[a](b".repeat(8 * MIB / 5)),
    ("pages of 8 MiB", || "p\n".repeat(4 * MIB)),
    ("zalgo", || format!("a{}", "\u{301}".repeat(200_000))),
    ("zalgo 4 MiB", || format!("a{}", "\u{301}".repeat(2 * MIB))),
    ("front matter", || format!("---\na: {}\n---\n", "[".repeat(100_000))),
    ("backticks", || (1..5000).map(|n| "`".repeat(n) + "a ").collect()),
    ("emphasis", || "*a **a ".repeat(100_000)),
    ("quotes", || "> ".repeat(400_000)),
    ("lists", || "- a\n".repeat(500_000)),
    ("table", || "| a | b |\n|---|---|\n".to_owned() + &"| 1 | 2 |\n".repeat(400_000)),
    ("links", || "[a](b".repeat(400_000)),
    ("html", || "<div>".repeat(400_000)),
    ("blank lines", || "\n".repeat(4 * MIB)),
    ("pages", || "p\n\n".repeat(200_000)),
];

fn prose(bytes: usize) -> String {
    let words = ["harbour", "otter", "the", "of", "swims", "crane", "valley", "in", "stone", "light"];
    let mut text = String::with_capacity(bytes + 100);
    let mut at = 7usize;
    while text.len() < bytes {
        if at.is_multiple_of(97) {
            text.push_str(&format!("\n\n## Section {at}\n\n"));
        }
        text.push_str(words[at.wrapping_mul(2_654_435_761) % words.len()]);
        text.push_str(if at.is_multiple_of(13) { ".\n" } else { " " });
        if at.is_multiple_of(17) {
            text.push_str(&format!("word{} ", at.wrapping_mul(48_271) % 100_000));
        }
        at += 1;
    }
    text
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if let [name, embedding] = arguments.as_slice() {
        return run(name, embedding);
    }
    for (name, _) in TEXTS {
        for embedding in ["hash", "minilm"] {
            let output =
                Command::new(std::env::current_exe().unwrap()).args([name, embedding]).output().unwrap();
            let told = String::from_utf8_lossy(&output.stdout).trim().to_owned();
            println!("{name:24} {embedding:6} {told} {}", output.status);
        }
    }
}

fn run(name: &str, embedding: &str) {
    let dir = tempfile::tempdir().unwrap();
    let embedder: Arc<dyn Embedder> = match embedding {
        "hash" => Arc::new(HashEmbedder::default()),
        _ => Arc::new(MiniLm::new()),
    };
    embedder.embed_documents(&["warm"]).unwrap();
    let parts = EngineParts {
        aliases: Default::default(),
        expected: Vec::new(),
        store: Arc::new(EmbeddedStore::open(&dir.path().join("index"), OpenOptions::default()).unwrap()),
        embedder: Some(embedder),
        embedder_problem: None,
        cache: None,
        sources: Vec::new(),
        chunking: ChunkOptions::default(),
        cookies: dir.path().join("cookies"),
        library: Some(dir.path().join("index/library")),
    };
    let engine = Engine::new(parts, Freshness::Synced).unwrap();
    let markdown = TEXTS.iter().find(|(known, _)| *known == name).unwrap().1();
    let bytes = markdown.len();
    let pages = match name {
        "pages" => (0..200_000).map(|at| (at * 2 + 1, at + 1)).collect(),
        _ => Vec::new(),
    };
    let details = Details { file_type: "markdown".to_owned(), ..Details::default() };
    let (library, source) = ("l".to_owned(), "s.md".to_owned());
    let handed = Handed { library, source, title: None, markdown, pages, details, force: false };
    let before = peak_kib();
    let begun = Instant::now();
    let outcome = engine.take_in(handed, &Cancel::default());
    let taken = begun.elapsed().as_secs_f64();
    let more = peak_kib().saturating_sub(before) / 1024;
    let told = match &outcome {
        Ok(taken) => format!("{} chunks", taken.chunk_count),
        Err(error) => error.message.chars().take(60).collect(),
    };
    let begun = Instant::now();
    if let Ok(taken) = outcome {
        engine.take_out(&taken.uuid).unwrap();
    }
    let out = begun.elapsed().as_secs_f64();
    println!("{bytes:9} bytes  in {taken:6.2} s  +{more:4} MiB  out {out:5.2} s  {told}");
}

/// The most memory that the process has had.
fn peak_kib() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.and_then(|line| line.trim().trim_end_matches(" kB").parse().ok()).unwrap_or(0)
}
