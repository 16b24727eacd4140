//! Versions of runtimes and dependencies: requirements in prose, badges, install lines, manifests in fences.

mod installs;
mod manifests;
mod runtimes;

use super::commands::in_piece;
use super::page::{Kind, Piece};
use super::paths::percent_decoded;
use super::sink::{Sink, pieces};
use super::words::version;
use crate::{ClaimType, Subject};
use installs::installs;
use manifests::manifest;
use runtimes::{runtime, runtimes};

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
