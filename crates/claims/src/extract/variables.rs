//! Environment variables: `UPPER_SNAKE` spans, `NAME=value` in commands and in `.env` fences.

use std::ops::Range;

use super::commands::in_piece;
use super::page::{Kind, Piece};
use super::placeholders::is_placeholder;
use super::sink::{Sink, pieces};
use crate::{ClaimType, Subject};

pub(super) fn find(sink: &mut Sink<'_, '_>) {
    let page = sink.page;
    for piece in pieces(page, |kind| matches!(kind, Kind::Span | Kind::Fence(_))) {
        let source = page.source(&piece.bytes);
        match &piece.kind {
            Kind::Span => span(sink, piece, source),
            Kind::Fence(language) if matches!(language.as_str(), "env" | "dotenv" | "ini" | "properties") => {
                lines(sink, piece, source);
            }
            _ => {}
        }
        for (simple, _) in in_piece(source, piece) {
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
        }
    }
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
    let mut at = piece.bytes.start;
    for line in source.split_inclusive('\n') {
        let indent = line.len() - line.trim_start().len();
        let line_start = at + indent;
        at += line.len();
        if line.contains('=') && !line.trim_start().starts_with('#') {
            add(sink, piece, line_start..line_start + line.trim().len());
        }
    }
}

/// The name at the start of `bytes`, when it is one of a variable.
fn add(sink: &mut Sink<'_, '_>, piece: &Piece, bytes: Range<usize>) {
    let word = sink.page.source(&bytes);
    let length =
        word.bytes().take_while(|b| b.is_ascii_uppercase() || b.is_ascii_digit() || *b == b'_').count();
    let (name, rest) = word.split_at(length);
    let ends = rest.is_empty() || rest.starts_with('=') || matches!(rest, "}" | "%");
    let is_name = name.contains('_')
        && name.starts_with(|c: char| c.is_ascii_uppercase())
        && !name.ends_with('_')
        && length >= 4
        && !is_placeholder(&name.to_ascii_lowercase().replace('_', "-"));
    if ends && is_name {
        let subject = Subject::Variable { name: name.to_owned() };
        sink.add_in(piece, bytes.start..bytes.start + length, ClaimType::Environment, "variable", subject);
    }
}
