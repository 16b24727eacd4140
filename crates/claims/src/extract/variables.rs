//! Environment variables: `UPPER_SNAKE` spans, `NAME=value` in commands and in `.env` fences, what settings in fences pass
//! on, and what code in fences reads.

use std::ops::Range;

use super::commands::in_piece;
use super::page::{Block, Kind, Piece};
use super::placeholders::is_placeholder;
use super::shell::is_assignment;
use super::sink::{Sink, pieces};
use super::snippets::is_code;
use super::words::unmarked;
use crate::{ClaimType, Subject};

pub(super) fn find(sink: &mut Sink<'_, '_>) {
    let page = sink.page;
    for (number, block) in page.blocks.iter().enumerate().filter(|(_, block)| block.is_prose) {
        prose(sink, number, block);
    }
    for piece in pieces(page, |kind| matches!(kind, Kind::Span | Kind::Fence(_))) {
        let source = page.source(&piece.bytes);
        match &piece.kind {
            Kind::Span => span(sink, piece, source),
            Kind::Fence(language) if matches!(language.as_str(), "env" | "dotenv" | "ini" | "properties") => {
                lines(sink, piece, source);
            }
            Kind::Fence(language)
                if matches!(language.as_str(), "yaml" | "yamlfile" | "yml" | "json" | "jsonc" | "toml") =>
            {
                keys(sink, piece, source);
                inserted(sink, piece, source);
            }
            Kind::Fence(language) if language.is_empty() && is_settings(source) => {
                lines(sink, piece, source);
            }
            Kind::Fence(language) if is_code(language) => {
                reads(sink, piece, source);
                if matches!(language.as_str(), "py" | "python") {
                    assigned(sink, piece, source);
                }
            }
            _ => {}
        }
        let commands = in_piece(source, piece);
        if !commands.is_empty() {
            switched_off(sink, piece, source);
        }
        for (simple, _) in commands {
            for word in &simple.assignments {
                add(sink, piece, word.bytes.clone());
            }
            let exports = simple
                .words
                .first()
                .is_some_and(|head| matches!(head.text.as_str(), "export" | "set" | "setenv"));
            for word in simple.words.iter().skip(1).filter(|_| exports) {
                add(sink, piece, word.bytes.clone());
            }
            // `make start PROFILE=minimal`
            let is_make =
                simple.words.first().is_some_and(|head| matches!(head.text.as_str(), "make" | "gmake"));
            for word in simple.words.iter().skip(1).filter(|word| is_make && is_assignment(&word.text)) {
                add(sink, piece, word.bytes.clone());
            }
            // `docker run -e NAME=value`
            for pair in simple.words.windows(2) {
                if let [option, value] = pair
                    && matches!(option.text.as_str(), "-e" | "--env" | "--build-arg")
                {
                    add(sink, piece, value.bytes.clone());
                }
            }
        }
    }
}

/// `# NAME=value` among commands: a setting that a reader may switch on.
fn switched_off(sink: &mut Sink<'_, '_>, piece: &Piece, source: &str) {
    for (at, line) in lines_of(source, piece.bytes.start) {
        if let Some(rest) = line.strip_prefix('#') {
            let name = rest.trim_start();
            let word = name.split(char::is_whitespace).next().unwrap_or_default();
            if word.contains('=') {
                let start = at + (line.len() - name.len());
                add(sink, piece, start..start + word.len());
            }
        }
    }
}

/// `NAME: value`, `- NAME=value`, `- name: NAME`, `"NAME": "value"`, `NAME = "value"`
fn keys(sink: &mut Sink<'_, '_>, piece: &Piece, source: &str) {
    for (at, line) in lines_of(source, piece.bytes.start) {
        let mut rest = line.trim_start_matches('#').trim_start();
        rest = rest.strip_prefix("- ").unwrap_or(rest).trim_start();
        rest = rest.strip_prefix("name:").unwrap_or(rest).trim_start();
        let name = rest.trim_start_matches(['"', '\'']);
        let length = name_length(name);
        let behind = name.get(length..).unwrap_or_default().trim_start_matches(['"', '\'']).trim_start();
        if behind.is_empty() || behind.starts_with([':', '=']) {
            let start = at + (line.len() - name.len());
            add(sink, piece, start..start + length);
        }
    }
}

/// `${NAME}`, `${NAME:default}`, `${NAME:-default}` in a value.
fn inserted(sink: &mut Sink<'_, '_>, piece: &Piece, source: &str) {
    for (found, mark) in source.match_indices("${").take(2_000) {
        let start = found + mark.len();
        let name = source.get(start..).unwrap_or_default();
        let length = name_length(name);
        let is_whole = name.get(length..).is_some_and(|rest| rest.starts_with([':', '}', '-', '?']));
        if is_whole {
            add(sink, piece, piece.bytes.start + start..piece.bytes.start + start + length);
        }
    }
}

/// `process.env.NAME`, `os.environ["NAME"]`, `getenv("NAME")`, `env::var("NAME")`
fn reads(sink: &mut Sink<'_, '_>, piece: &Piece, source: &str) {
    const READS: &[&str] = &[
        "process.env.",
        "process.env[",
        "import.meta.env.",
        "os.environ[",
        "os.environ.get(",
        "getenv(",
        "Getenv(",
        "LookupEnv(",
        "env::var(",
        "Deno.env.get(",
        "Bun.env.",
    ];
    for read in READS {
        for (found, _) in source.match_indices(read).take(100) {
            let behind = source.get(found + read.len()..).unwrap_or_default();
            let name = behind.trim_start_matches(['"', '\'']);
            let length = name_length(name);
            let start = piece.bytes.start + found + read.len() + (behind.len() - name.len());
            named(sink, piece.block, start..start + length, "sample_variable");
        }
    }
}

/// `NAME = value` at the start of a line: a setting of a program whose configuration is a module.
fn assigned(sink: &mut Sink<'_, '_>, piece: &Piece, source: &str) {
    let mut at = piece.bytes.start;
    for line in source.split_inclusive('\n') {
        let start = at;
        at += line.len();
        let length = name_length(line);
        let behind = line.get(length..).unwrap_or_default().trim_start();
        if behind.starts_with(':') || behind.starts_with('=') && !behind.starts_with("==") {
            named(sink, piece.block, start..start + length, "setting");
        }
    }
}

/// Whether a fence holds nothing but comments and `NAME=value`.
fn is_settings(source: &str) -> bool {
    let is_setting = |line: &str| {
        let name = line.trim_start_matches(['#', ' ']).split('=').next().unwrap_or_default();
        line.contains('=')
            && name.len() > 3
            && name.bytes().all(|b| b.is_ascii_uppercase() || b.is_ascii_digit() || b == b'_')
    };
    let mut lines = source.lines().map(str::trim).filter(|line| !line.is_empty());
    lines.clone().any(is_setting) && lines.all(|line| line.starts_with('#') || is_setting(line))
}

/// Lines without white space around them, and where they begin.
fn lines_of(source: &str, base: usize) -> impl Iterator<Item = (usize, &str)> {
    let mut at = base;
    source.split_inclusive('\n').map(move |line| {
        let start = at + (line.len() - line.trim_start().len());
        at += line.len();
        (start, line.trim())
    })
}

/// `NAME`, `$NAME`, `${NAME}`, `NAME=value`.
fn span(sink: &mut Sink<'_, '_>, piece: &Piece, source: &str) {
    if source.contains(char::is_whitespace) {
        return;
    }
    let name = source.trim_start_matches(['$', '{', '%']);
    add(sink, piece, piece.bytes.start + (source.len() - name.len())..piece.bytes.end);
}

fn lines(sink: &mut Sink<'_, '_>, piece: &Piece, source: &str) {
    for (at, line) in lines_of(source, piece.bytes.start) {
        // A setting may be switched off by a comment.
        let setting = line.trim_start_matches(['#', ';']).trim_start();
        let start = at + (line.len() - setting.len());
        if setting.contains('=') {
            add(sink, piece, start..start + setting.len());
        }
    }
}

/// Names in headings, cells and sentences that nobody has marked as code.
fn prose(sink: &mut Sink<'_, '_>, number: usize, block: &Block) {
    let words = unmarked(sink.page, block);
    let is_loud = |word: Option<&super::words::Word<'_>>| {
        word.is_some_and(|word| word.text.len() > 2 && word.text.bytes().all(|b| b.is_ascii_uppercase()))
    };
    for (at, word) in words.iter().enumerate() {
        // "NOT_NULL VALUE FLAG" is a name written with gaps.
        let is_part =
            is_loud(words.get(at + 1)) || at.checked_sub(1).is_some_and(|at| is_loud(words.get(at)));
        if is_part {
            continue;
        }
        if word.text.contains('_') && word.text.starts_with(|c: char| c.is_ascii_uppercase()) {
            named(sink, number, word.bytes.clone(), "plain_variable");
        }
    }
}

fn add(sink: &mut Sink<'_, '_>, piece: &Piece, bytes: Range<usize>) {
    named(sink, piece.block, bytes, "variable");
}

/// How long the capitals, digits and `_` at the start of a text are.
fn name_length(text: &str) -> usize {
    text.bytes().take_while(|b| b.is_ascii_uppercase() || b.is_ascii_digit() || *b == b'_').count()
}

/// The name at the start of `bytes`, when it is one of a variable.
fn named(sink: &mut Sink<'_, '_>, block: usize, bytes: Range<usize>, kind: &str) {
    let word = sink.page.source(&bytes);
    let length = name_length(word);
    let (name, rest) = word.split_at(length);
    let ends = rest.is_empty() || rest.starts_with('=') || matches!(rest, "}" | "%");
    let is_name = name.contains('_')
        && name.starts_with(|c: char| c.is_ascii_uppercase())
        && !name.ends_with('_')
        && length >= 4
        && !is_placeholder(&name.to_ascii_lowercase().replace('_', "-"));
    if ends && is_name {
        let subject = Subject::Variable { name: name.to_owned() };
        let claim_type = if kind == "setting" { ClaimType::Config } else { ClaimType::Environment };
        sink.add(bytes.start..bytes.start + length, block, claim_type, kind, subject);
    }
}
