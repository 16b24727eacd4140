//! Versions of runtimes and dependencies: requirements in prose, badges, install lines, manifests in fences.

use std::ops::Range;

use super::commands::in_piece;
use super::page::{Kind, Page, Piece};
use super::paths::percent_decoded;
use super::shell::Simple;
use super::sink::{Sink, pieces};
use super::words::{Word, version, words};
use crate::{ClaimType, Subject};

pub(super) fn find(sink: &mut Sink<'_, '_>) {
    let page = sink.page;
    for (number, block) in page.blocks.iter().enumerate().filter(|(_, block)| block.is_prose) {
        runtimes(sink, number, &block.bytes);
    }
    for piece in &page.pieces {
        let source = page.source(&piece.bytes);
        match &piece.kind {
            Kind::Image(target) => badge(sink, piece, target),
            Kind::Fence(language) => manifest(sink, piece, language, source),
            _ => {}
        }
    }
    for piece in pieces(page, |kind| matches!(kind, Kind::Span | Kind::Fence(_))) {
        for (simple, _) in in_piece(page.source(&piece.bytes), piece) {
            installs(sink, piece, &simple);
        }
    }
}

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
fn runtimes(sink: &mut Sink<'_, '_>, block: usize, bytes: &Range<usize>) {
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
            || is_fact(&all, at)
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

/// Not in a table, unless that is one of what is needed: others compare, or explain how to write a version.
fn is_told_in(page: &Page<'_>, at: usize) -> bool {
    let Some(title) = page.column(at) else { return true };
    let title = title.to_lowercase();
    ["depend", "minimum", "required", "requirement", "prerequisite", "supported", "tool", "version"]
        .iter()
        .any(|start| title.starts_with(start))
        || page.heading(at).is_some_and(|heading| is_of_needs(&heading.text))
}

/// `https://img.shields.io/badge/node-%3E%3D18-green`
fn badge(sink: &mut Sink<'_, '_>, piece: &Piece, target: &str) {
    let Some((_, badge)) = target.split_once("img.shields.io/badge/") else { return };
    let badge = badge.split(['?', '/']).next().unwrap_or(badge);
    // `--` stands for a dash inside of a field.
    let fields: Vec<String> = badge
        .replace("--", "\u{1}")
        .split('-')
        .map(|field| percent_decoded(&field.replace('\u{1}', "-")))
        .collect();
    let [label, message, ..] = fields.as_slice() else { return };
    let label = label.trim().replace('_', " ").to_ascii_lowercase();
    let message = message.replace('_', " ");
    let subject = if let Some(name) = label.split_whitespace().find_map(runtime) {
        let Some(value) =
            message.split(|c: char| !(c.is_ascii_digit() || c == '.')).find(|part| version(part).is_some())
        else {
            return;
        };
        Subject::Value { of: "runtime".to_owned(), name: name.to_owned(), value: value.to_owned() }
    } else if matches!(label.as_str(), "license" | "licence") {
        Subject::Value { of: "licence".to_owned(), name: String::new(), value: message.trim().to_owned() }
    } else {
        return;
    };
    // A replacement swaps the value in what is named, so the value must stand there as it is.
    let Subject::Value { of, value, .. } = &subject else { return };
    if sink.page.source(&piece.bytes).contains(value.as_str()) {
        let claim_type = if of == "licence" { ClaimType::Convention } else { ClaimType::Environment };
        let kind = if of == "licence" { "licence" } else { "runtime" };
        sink.add_in(piece, piece.bytes.clone(), claim_type, kind, subject);
    }
}

/// `npm i x@1`, `cargo add x@1`, `pip install x==1`, `go get x@v1`: the version, and the name of the package.
fn installs(sink: &mut Sink<'_, '_>, piece: &Piece, simple: &Simple) {
    let text = |at: usize| simple.words.get(at).map_or("", |word| word.text.as_str());
    let verb = text(1);
    let (ecosystem, separator, from) = match text(0) {
        "npm" | "pnpm" | "yarn" | "bun" if matches!(verb, "install" | "i" | "add") => ("npm", "@", 2),
        "yarn" if verb == "global" => ("npm", "@", 3),
        "npx" | "bunx" => ("npm", "@", 1),
        "cargo" if matches!(verb, "add" | "install") => ("cargo", "@", 2),
        "pip" | "pip3" | "pipx" if verb == "install" => ("pypi", "==", 2),
        "uv" if verb == "add" => ("pypi", "==", 2),
        "uv" if matches!((verb, text(2)), ("pip" | "tool", "install")) => ("pypi", "==", 3),
        "poetry" | "pdm" if verb == "add" => ("pypi", "==", 2),
        "go" if matches!(verb, "get" | "install") => ("go", "@", 2),
        _ => return,
    };
    let many = if from == 1 { 1 } else { usize::MAX };
    let is_local =
        |word: &str| word.starts_with(['-', '.', '/']) || word.contains("://") || word.contains("git+");
    let mut skips = false;
    for word in simple.words.iter().skip(from).take(many) {
        let is_value = std::mem::replace(
            &mut skips,
            matches!(
                word.text.as_str(),
                "--path"
                    | "--git"
                    | "-r"
                    | "-e"
                    | "--version"
                    | "--features"
                    | "-F"
                    | "--tag"
                    | "--branch"
                    | "--index-url"
                    | "--registry"
                    | "--rev"
            ),
        );
        let has_bytes = sink.page.source(&word.bytes).contains(word.text.as_str());
        if is_value
            || word.is_dynamic && ecosystem != "pypi"
            || is_local(&word.text)
            || !has_bytes
            || word.text.contains('$')
        {
            continue;
        }
        let (name, value) = split_version(&word.text, separator);
        let name = name.split('[').next().unwrap_or(name);
        if name.is_empty() || !name.bytes().any(|byte| byte.is_ascii_alphabetic()) {
            continue;
        }
        // Beside one that takes any version, a version shows how to ask for one.
        let source = sink.page.source(&piece.bytes);
        let is_shown = source.contains(&format!("{name}@latest")) || source.contains("specific version");
        let is_version = |value: &&str| version(value).is_some() && value.contains('.') && !is_shown;
        if let Some(value) = value.filter(is_version) {
            let subject = Subject::Value {
                of: "dependency".to_owned(),
                name: format!("{ecosystem}:{name}"),
                value: value.trim_start_matches('v').to_owned(),
            };
            sink.add_in(piece, word.bytes.clone(), ClaimType::DependencyVersion, "install", subject);
        }
        let subject = Subject::Value {
            of: "package_name".to_owned(),
            name: ecosystem.to_owned(),
            value: name.to_owned(),
        };
        let start = word.bytes.start + sink.page.source(&word.bytes).find(name).unwrap_or(0);
        sink.add_in(piece, start..start + name.len(), ClaimType::Convention, "package_name", subject);
    }
}

fn split_version<'w>(word: &'w str, separator: &str) -> (&'w str, Option<&'w str>) {
    // A scope starts with the same sign.
    let from = usize::from(word.starts_with('@'));
    match word.get(from..).and_then(|rest| rest.find(separator)) {
        Some(at) => (&word[..from + at], word.get(from + at + separator.len()..)),
        None => (word.split(['>', '<', '~', '!', ';']).next().unwrap_or(word), None),
    }
}

/// Dependencies in a manifest that a fence shows.
fn manifest(sink: &mut Sink<'_, '_>, piece: &Piece, language: &str, source: &str) {
    // One with a name is that of a package of the reader's.
    let is_named = |line: &str| {
        let key = line.trim_start().trim_start_matches('"');
        key.strip_prefix("name")
            .is_some_and(|rest| rest.trim_start_matches(['"', ' ']).starts_with([':', '=']))
    };
    let kind = if source.lines().any(is_named) { "sample_manifest" } else { "manifest" };
    match language {
        "toml" if source.contains("dependencies") => toml(sink, piece, source, kind),
        "json" | "jsonc" if source.contains("ependencies\"") => json(sink, piece, source, kind),
        "xml" if source.contains("<artifactId>") => maven(sink, piece, source),
        "groovy" | "gradle" | "kotlin" | "kts" => gradle(sink, piece, source),
        _ => {}
    }
}

fn dependency(
    sink: &mut Sink<'_, '_>,
    piece: &Piece,
    kind: &str,
    at: usize,
    line: &str,
    name: String,
    value: &str,
) {
    if version(value).is_some() {
        let trimmed = line.trim();
        let start = at + (line.len() - line.trim_start().len());
        let subject = Subject::Value {
            of: "dependency".to_owned(),
            name,
            value: value.trim_start_matches(['^', '~', '=', 'v', '>', ' ']).to_owned(),
        };
        sink.add_in(piece, start..start + trimmed.len(), ClaimType::DependencyVersion, kind, subject);
    }
}

fn lines<'s>(piece: &Piece, source: &'s str) -> impl Iterator<Item = (usize, &'s str)> {
    let mut next = piece.bytes.start;
    source.split_inclusive('\n').map(move |line| {
        let at = next;
        next += line.len();
        (at, line)
    })
}

fn toml(sink: &mut Sink<'_, '_>, piece: &Piece, source: &str, kind: &str) {
    let mut within = false;
    for (at, line) in lines(piece, source) {
        let content = line.trim();
        if content.starts_with('[') {
            within = content.ends_with("dependencies]");
            continue;
        }
        let Some((name, value)) = content.split_once('=').filter(|_| within) else { continue };
        let value = match value.split_once("version") {
            Some((_, version)) if value.trim_start().starts_with('{') => {
                version.trim_start_matches([' ', '='])
            }
            _ => value.trim(),
        };
        let Some(value) = value.strip_prefix('"').and_then(|value| value.split('"').next()) else { continue };
        dependency(sink, piece, kind, at, line, format!("cargo:{}", name.trim().trim_matches('"')), value);
    }
}

fn json(sink: &mut Sink<'_, '_>, piece: &Piece, source: &str, kind: &str) {
    let mut within = false;
    for (at, line) in lines(piece, source) {
        let content = line.trim().trim_end_matches(',');
        if content.contains("ependencies\"") {
            within = true;
        } else if content.starts_with('}') {
            within = false;
        } else if within && let Some((name, value)) = content.split_once(':') {
            dependency(
                sink,
                piece,
                kind,
                at,
                line,
                format!("npm:{}", name.trim().trim_matches('"')),
                value.trim().trim_matches('"'),
            );
        }
    }
}

fn maven(sink: &mut Sink<'_, '_>, piece: &Piece, source: &str) {
    let inside = |line: &str, tag: &str| {
        let (_, rest) = line.split_once(&format!("<{tag}>"))?;
        rest.split_once(&format!("</{tag}>")).map(|(value, _)| value.trim().to_owned())
    };
    let (mut group, mut artifact) = (String::new(), String::new());
    for (at, line) in lines(piece, source) {
        if let Some(value) = inside(line, "groupId") {
            group = value;
        } else if let Some(value) = inside(line, "artifactId") {
            artifact = value;
        } else if let Some(value) = inside(line, "version").filter(|_| !artifact.is_empty()) {
            dependency(sink, piece, "manifest", at, line, format!("maven:{group}:{artifact}"), &value);
            artifact.clear();
        }
    }
}

/// `implementation "group:artifact:1.2"`
fn gradle(sink: &mut Sink<'_, '_>, piece: &Piece, source: &str) {
    for (at, line) in lines(piece, source) {
        for quoted in line.split(['"', '\'']).skip(1).step_by(2).take(4) {
            if let [group, artifact, value] = quoted.split(':').collect::<Vec<_>>().as_slice() {
                dependency(sink, piece, "manifest", at, line, format!("maven:{group}:{artifact}"), value);
            }
        }
    }
}
