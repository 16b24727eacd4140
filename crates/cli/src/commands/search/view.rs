//! Hits as a person reads them.

use std::fmt::Write;

use docent_engine::{HitMetadata, SearchAnswer, SearchHit};
use owo_colors::OwoColorize;

use crate::numbers::count;
use crate::printer::clean;
use crate::snippet::{QueryWords, snippet};

/// Lines of text shown of a hit.
const SNIPPET_LINES: usize = 3;
const INDENT: &str = "   ";

pub(super) fn view(answer: &SearchAnswer, query: &str, width: usize) -> String {
    if answer.results.is_empty() {
        return String::new();
    }
    let words = QueryWords::new(query);
    let mut text = String::new();
    for (at, hit) in answer.results.iter().enumerate() {
        view_hit(&mut text, at + 1, hit, &words, width, answer.searched.collections.len() > 1);
    }
    let footer = format!(
        "{} of {} chunks · {:.1} ms · {}",
        answer.results.len(),
        count(answer.total_chunks),
        answer.query_ms,
        sides(answer)
    );
    let _ = writeln!(text, "{}", footer.dimmed());
    text
}

fn view_hit(
    text: &mut String,
    number: usize,
    hit: &SearchHit,
    words: &QueryWords,
    width: usize,
    names_collection: bool,
) {
    let meta = &hit.metadata;
    // A page is what a person can look up; the line is one of the Markdown that was made of it.
    let place = match meta.page {
        0 => format!("{}:{}", clean(&meta.file_path), meta.start_line),
        page => format!("{} page {page}", clean(&meta.file_path)),
    };
    let collection =
        if names_collection { format!("{} · ", clean(&meta.collection)) } else { String::new() };
    let stale = if hit.stale { "  changed since" } else { "" };
    let _ = writeln!(text, "{} {}", format_args!("{number}.").dimmed(), clean(&breadcrumb(meta)).bold());
    let _ = writeln!(
        text,
        "{INDENT}{}{}  {}{}",
        collection.dimmed(),
        place.cyan(),
        format_args!("{:.2}", hit.score).green(),
        stale.yellow()
    );
    if let Some(parts) = &hit.explanation {
        let cosine =
            hit.similarity.map_or_else(|| "no vector".to_owned(), |cosine| format!("cosine {cosine:.2}"));
        let explained = format!(
            "lexical {:.2} (chunk bm25 {:.1}, page bm25 {:.1}) · vector {:.2} ({cosine})",
            parts.lexical, parts.chunk_bm25, parts.page_bm25, parts.vector
        );
        let _ = writeln!(text, "{INDENT}{}", explained.dimmed());
    }
    let heading = docent_text::strip_part(&meta.heading_path).rsplit(" > ").next().unwrap_or_default();
    for line in snippet(&hit.content, heading, words, width.saturating_sub(INDENT.len() + 2), SNIPPET_LINES) {
        let _ = writeln!(text, "{INDENT}{line}");
    }
    for reason in drift(hit) {
        let _ = writeln!(text, "{INDENT}{}", format_args!("⚠ {}", clean(reason)).yellow());
    }
    let more = drifted(hit).saturating_sub(drift(hit).count());
    if more > 0 {
        let _ = writeln!(
            text,
            "{INDENT}{}",
            format_args!("⚠ and {more} more; `docent verify` tells all").yellow()
        );
    }
    if !hit.variants.is_empty() {
        let also = format!("the same in {}", hit.variants.join(", "));
        let _ = writeln!(text, "{INDENT}{}", clean(&also).dimmed());
    }
    text.push('\n');
}

/// How much of a hit has drifted.
fn drifted(hit: &SearchHit) -> usize {
    let known = hit.verification.as_ref().filter(|known| known["status"] == "drifted");
    let count = known.and_then(|known| known["drifted"].as_u64()).unwrap_or_default();
    usize::try_from(count).unwrap_or_default()
}

/// What does not agree with the code any more.
fn drift(hit: &SearchHit) -> impl Iterator<Item = &str> {
    let known = hit.verification.as_ref().filter(|known| known["status"] == "drifted");
    let reasons = known.and_then(|known| known["reasons"].as_array()).into_iter().flatten();
    reasons.filter_map(serde_json::Value::as_str)
}

/// The heading's path, starting with the page's title even where that is not a heading.
fn breadcrumb(meta: &HitMetadata) -> String {
    let (title, path) = (&meta.title, &meta.heading_path);
    let first = docent_text::strip_part(path).split(" > ").next().unwrap_or_default();
    match meta.heading_level {
        0 => title.clone(),
        _ if first == title => path.clone(),
        _ => format!("{title} > {path}"),
    }
}

/// What was really used, whatever was asked for.
fn sides(answer: &SearchAnswer) -> &'static str {
    match (answer.searched.lexical, answer.searched.vector.used) {
        (true, true) => "hybrid",
        (false, _) => "semantic",
        (true, false) => "lexical",
    }
}
