//! How fast each step reads a corpus, in MB/s on one core.
//!
//! `cargo run --release -p docent-text --example text_speed -- <file|directory|corpus.jsonl> [--show <name>]`
//! A `.jsonl` file holds one document a line in its fields `_id` and `text`. With `--show`, prints what
//! becomes of the documents whose name contains `<name>` instead.

#![allow(clippy::print_stdout, missing_docs)]

use std::hint::black_box;
use std::path::Path;
use std::time::Instant;

use docent_text::{ChunkOptions, chunks, context_line, for_each_token, parse, passage_text, plain, tokens};

fn main() -> std::io::Result<()> {
    let mut arguments = std::env::args().skip(1);
    let Some(source) = arguments.next() else {
        println!("usage: text_speed <file|directory|corpus.jsonl> [--show <name>]");
        return Ok(());
    };
    let mut documents = Vec::new();
    load(Path::new(&source), &mut documents)?;
    if let (Some("--show"), Some(name)) = (arguments.next().as_deref(), arguments.next()) {
        for (path, text) in documents.iter().filter(|(path, _)| path.contains(&name)) {
            show(path, text);
        }
        return Ok(());
    }

    let bytes: usize = documents.iter().map(|(_, text)| text.len()).sum();
    println!("{} documents, {:.1} MB", documents.len(), bytes as f64 / 1e6);
    let parsed = measure("parse", bytes, || {
        documents.iter().map(|(path, text)| parse(path, text)).collect::<Vec<_>>()
    });
    let options = ChunkOptions::default();
    let cut = measure("chunks", bytes, || {
        let pairs = documents.iter().zip(&parsed);
        pairs.map(|((path, text), document)| chunks(path, text, document, &options)).collect::<Vec<_>>()
    });
    let texts = measure("plain", bytes, || documents.iter().map(|(_, text)| plain(text)).collect::<Vec<_>>());
    let count = measure("tokens", texts.iter().map(String::len).sum(), || {
        let mut count = 0usize;
        for text in &texts {
            for_each_token(text, &mut |token| count += usize::from(!black_box(token).is_empty()));
        }
        count
    });

    let all = cut.iter().flatten();
    let passages: Vec<_> =
        all.clone().flat_map(|chunk| &chunk.passages).map(|passage| passage.bytes.len()).collect();
    let short = passages.iter().filter(|&&length| length < 200).count();
    let average = passages.iter().sum::<usize>() / passages.len().max(1);
    println!(
        "{} sections, {} chunks, {count} tokens",
        parsed.iter().map(|document| document.sections.len()).sum::<usize>(),
        all.count()
    );
    println!("{} passages, {average} bytes on average, {short} under 200", passages.len());
    println!("{} warnings", parsed.iter().map(|document| document.warnings.len()).sum::<usize>());
    Ok(())
}

fn measure<T>(name: &str, bytes: usize, mut work: impl FnMut() -> T) -> T {
    let mut best = f64::MAX;
    let mut result = None;
    for _ in 0..3 {
        let start = Instant::now();
        let value = black_box(work());
        best = best.min(start.elapsed().as_secs_f64());
        result = Some(value);
    }
    println!("{name:8} {:7.1} MB/s", bytes as f64 / 1e6 / best);
    match result {
        Some(result) => result,
        None => work(),
    }
}

fn show(path: &str, text: &str) {
    let document = parse(path, text);
    println!("=== {path}\ntitle {:?} ({:?})", document.title, document.title_source);
    for warning in &document.warnings {
        println!("warning: line {}: {}", warning.line, warning.message);
    }
    for chunk in chunks(path, text, &document, &ChunkOptions::default()) {
        println!(
            "\n## {} | {} | lines {}-{} | {} chars | searchable {}",
            chunk.chunk_id,
            chunk.heading_path,
            chunk.lines.start,
            chunk.lines.end,
            chunk.char_count,
            chunk.searchable
        );
        for passage in &chunk.passages {
            let context = context_line(&document.title, &chunk.heading_path, path);
            let embedded = passage_text(&context, &text[passage.bytes.clone()]);
            println!("--- {} bytes\n{embedded}\n    {}", passage.bytes.len(), tokens(&embedded).join(" "));
        }
    }
}

fn load(path: &Path, documents: &mut Vec<(String, String)>) -> std::io::Result<()> {
    if path.is_dir() {
        let mut entries = std::fs::read_dir(path)?.collect::<Result<Vec<_>, _>>()?;
        entries.sort_by_key(std::fs::DirEntry::path);
        for entry in entries {
            load(&entry.path(), documents)?;
        }
        return Ok(());
    }
    let Ok(text) = String::from_utf8(std::fs::read(path)?) else { return Ok(()) };
    if path.extension().is_none_or(|extension| extension != "jsonl") {
        documents.push((path.display().to_string(), text));
        return Ok(());
    }
    for line in text.lines() {
        let row: serde_json::Value = serde_json::from_str(line).map_err(std::io::Error::other)?;
        let field = |name: &str| row[name].as_str().unwrap_or_default().to_owned();
        documents.push((field("_id"), field("text")));
    }
    Ok(())
}
