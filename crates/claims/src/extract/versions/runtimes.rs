//! Requirements in prose: `Node 18+`, `requires Go 1.22`.

use std::ops::Range;

use super::super::page::{Kind, Page};
use super::super::sink::Sink;
use super::super::words::{Word, version, words};
use crate::{ClaimType, Subject};

/// The name under which manifests state a runtime's version.
pub(super) fn runtime(word: &str) -> Option<&'static str> {
    Some(match word.to_ascii_lowercase().as_str() {
        "node" | "node.js" | "nodejs" => "node",
        "python" | "cpython" | "python3" => "python",
        "go" | "golang" => "go",
        "rust" | "rustc" | "msrv" => "rust",
        "java" | "jdk" | "openjdk" => "java",
        "ruby" => "ruby",
        "php" => "php",
        "deno" => "deno",
        "bun" => "bun",
        ".net" | "dotnet" => "dotnet",
        "npm" => "npm",
        "pnpm" => "pnpm",
        "yarn" => "yarn",
        _ => return None,
    })
}

/// `Node 18+`, `Python >= 3.9`, `requires Go 1.22`, `MSRV is 1.70`.
pub(super) fn runtimes(sink: &mut Sink<'_, '_>, block: usize, bytes: &Range<usize>) {
    let all = words(sink.page.text, bytes);
    // "1.47.x: supported until September (MSRV 1.70)": what another version needs.
    if all.first().is_some_and(|first| first.text.ends_with(".x") && version(first.text).is_some()) {
        return;
    }
    for (at, word) in all.iter().enumerate() {
        let Some(name) = runtime(word.text) else { continue };
        let mut is_required = word.text.eq_ignore_ascii_case("msrv");
        // "The minimum supported version of Rust for this is 1.85": said in front, more words may stand between.
        let is_minimum = is_required
            || all
                .get(at.saturating_sub(5)..at)
                .unwrap_or_default()
                .iter()
                .any(|word| matches!(word.text.to_ascii_lowercase().as_str(), "minimum" | "oldest"));
        let mut next = at + 1;
        while let Some(between) = all.get(next).filter(|_| next < at + 6) {
            let text = between.text.to_ascii_lowercase();
            match text.as_str() {
                ">=" | "≥" | ">" | "^" | "~" | "least" => is_required = true,
                "version" | "versions" | "release" | "v" | "at" | "is" | "of" | "currently" | "js"
                | "(msrv" | "minimum" | "supported" | "required" | "msrv" => {}
                _ if is_minimum && version(&text).is_none() && runtime(&text).is_none() => {}
                _ => break,
            }
            next += 1;
        }
        let Some((number, value)) = all.get(next).and_then(|number| Some((number, version(number.text)?)))
        else {
            continue;
        };
        if is_supposed(sink.page.text, &all, at)
            || is_quoted(sink.page, word.bytes.start)
            || is_fact(&all, at)
            || is_beside_browsers(sink.page.text, word.bytes.start)
            || !is_told_in(sink.page, word.bytes.start)
        {
            continue;
        }
        let has_sign = number.text.ends_with('+') || number.text.starts_with(['>', '≥', '^', '~']);
        let is_listed =
            || sink.page.heading(word.bytes.start).is_some_and(|heading| is_of_needs(&heading.text));
        let is_more = is_or_more(&all, next);
        // "Go 1.25 and later respects the limit" tells what Go does.
        if is_more == Some(false) && !is_requirement(&all, at, next) && !is_listed() {
            continue;
        }
        let is_least = is_required || has_sign || is_more.is_some();
        if is_least || is_minimum || is_requirement(&all, at, next) || is_listed() {
            let of = if is_least { "minimum" } else { "runtime" }.to_owned();
            let subject = Subject::Value { of, name: name.to_owned(), value: value.to_owned() };
            sink.add(word.bytes.start..number.bytes.end, block, ClaimType::Environment, "runtime", subject);
        }
    }
}

/// Whether a heading says that what is below it is needed.
fn is_of_needs(heading: &str) -> bool {
    let heading = heading.to_lowercase();
    ["requirement", "prerequisite", "pre-requisite", "before you begin", "what you need", "you will need"]
        .iter()
        .any(|word| heading.contains(word))
}

/// Whether the words around say that at least this version is needed.
fn is_requirement(all: &[Word<'_>], name: usize, number: usize) -> bool {
    let is_such = |word: &Word<'_>| {
        matches!(
            word.text.to_ascii_lowercase().as_str(),
            "require"
                | "requires"
                | "required"
                | "requirement"
                | "needs"
                | "need"
                | "minimum"
                | "least"
                | "supports"
                | "prerequisite"
                | "prerequisites"
                | "msrv"
        )
    };
    let before = all.get(name.saturating_sub(6)..name).unwrap_or_default();
    let after = all.get(number + 1..(number + 4).min(all.len())).unwrap_or_default();
    before.iter().any(is_such) || after.iter().any(|word| word.text == "required")
}

/// `18 or later`, `v9 (of the lock) or higher`: whether what follows lets it be a requirement, which ends there or goes on
/// with what it is for.
fn is_or_more(all: &[Word<'_>], number: usize) -> Option<bool> {
    let near = all.get(number + 1..(number + 6).min(all.len())).unwrap_or_default();
    let at = near.windows(2).position(|pair| {
        matches!(pair[0].text, "or" | "and")
            && matches!(pair[1].text, "later" | "newer" | "above" | "higher" | "greater" | "up" | "more")
    })?;
    let (last, next) = (near.get(at + 1)?, all.get(number + at + 3));
    let is_apart = |next: &Word<'_>| next.bytes.start > last.bytes.end + 1;
    let is_told = |next: &Word<'_>| {
        let is_verb = next.text.ends_with('s') && !matches!(next.text, "is" | "has" | "this" | "plus");
        is_verb && next.text.bytes().all(|byte| byte.is_ascii_lowercase())
    };
    Some(next.is_none_or(|next| is_apart(next) || !is_told(next)))
}

/// "`fetch`, which is available in Node 18+" tells of Node.
fn is_fact(all: &[Word<'_>], name: usize) -> bool {
    let before = all.get(name.saturating_sub(8)..name).unwrap_or_default();
    let is_told = |word: &Word<'_>| {
        matches!(word.text, "available" | "consumes" | "introduced" | "native" | "natively" | "shipped")
    };
    // "the package from Go >1.20"
    let is_from = before.last().is_some_and(|word| word.text == "from");
    (is_from || before.iter().any(is_told)) && !is_requirement(all, name, name)
}

/// "Chrome 110+, Safari 16+, Node 20+", in a sentence or in lines of a list: who supports something.
fn is_beside_browsers(text: &str, at: usize) -> bool {
    /// So far on both sides.
    const NEAR: usize = 120;
    let (mut from, mut to) = (at.saturating_sub(NEAR), text.len().min(at + NEAR));
    while !text.is_char_boundary(from) {
        from -= 1;
    }
    while !text.is_char_boundary(to) {
        to += 1;
    }
    let near = text.get(from..to).unwrap_or_default();
    let is_browser = |name: &&&str| {
        let mut behind = near.match_indices(**name).filter_map(|(at, name)| near.get(at + name.len()..));
        behind.any(|rest| rest.trim_start().starts_with(|c: char| c.is_ascii_digit()))
    };
    ["Chrome", "Firefox", "Safari", "Edge"].iter().filter(is_browser).count() > 1
}

/// "If the latest version of Rust is 1.72", "if you are using Node 22": a case, and no requirement.
fn is_supposed(text: &str, all: &[Word<'_>], name: usize) -> bool {
    let before = all.get(name.saturating_sub(12)..name).unwrap_or_default();
    let is_case = |word: &&Word<'_>| {
        matches!(word.text.to_ascii_lowercase().as_str(), "example" | "if" | "suppose" | "when")
    };
    let (Some(case), Some(name)) = (before.iter().rfind(is_case), all.get(name)) else { return false };
    let between = text.get(case.bytes.end..name.bytes.start).unwrap_or_default();
    // "If you want to build it, you need Rust 1.85."
    !between.split_whitespace().any(|word| word.ends_with([',', '.', '!', '?', ':', ';']))
}

/// Whether it stands in a whole sentence of code, such as the title of a commit.
fn is_quoted(page: &Page<'_>, at: usize) -> bool {
    /// `rustc --version >= 1.80` is still a requirement.
    const FEW_WORDS: usize = 4;
    page.piece_at(at).is_some_and(|piece| {
        matches!(piece.kind, Kind::Span)
            && page.source(&piece.bytes).split_whitespace().nth(FEW_WORDS).is_some()
    })
}

/// Not in a table, unless that is one of what is needed: others compare, or explain how to write a version.
fn is_told_in(page: &Page<'_>, at: usize) -> bool {
    let Some(row) = page.row(at) else { return true };
    let title = row.titles.get(row.column).map_or(String::new(), |title| title.to_lowercase());
    ["depend", "minimum", "required", "requirement", "prerequisite", "supported", "tool", "version"]
        .iter()
        .any(|start| title.starts_with(start))
        || page.heading(at).is_some_and(|heading| is_of_needs(&heading.text))
}
