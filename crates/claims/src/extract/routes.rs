//! Routes of an HTTP interface: a verb and a path in prose, tables, spans, `http` fences and curl commands.

use std::ops::Range;

use super::commands::in_piece;
use super::page::{Kind, Piece};
use super::sink::{Sink, pieces};
use super::words::words;
use crate::{ClaimType, Subject};

const VERBS: &[&str] = &["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"];

pub(super) fn find(sink: &mut Sink<'_, '_>) {
    let page = sink.page;
    for (number, block) in page.blocks.iter().enumerate().filter(|(_, block)| block.is_prose) {
        verbs(sink, number, &block.bytes);
    }
    for piece in pieces(page, |kind| matches!(kind, Kind::Fence(_) | Kind::Span)) {
        let source = page.source(&piece.bytes);
        match &piece.kind {
            Kind::Fence(language) if matches!(language.as_str(), "http" | "https" | "rest") => {
                verbs(sink, piece.block, &piece.bytes);
            }
            Kind::Fence(language)
                if language.is_empty() && VERBS.iter().any(|verb| source.starts_with(verb)) =>
            {
                verbs(sink, piece.block, &piece.bytes);
            }
            Kind::Span => alone(sink, piece, source),
            _ => {}
        }
        curl(sink, piece, source);
    }
}

/// A verb with a path after it.
fn verbs(sink: &mut Sink<'_, '_>, block: usize, bytes: &Range<usize>) {
    let all = words(sink.page.text, bytes);
    for pair in all.windows(2) {
        let [verb, path] = pair else { continue };
        // `POST /stores/*` stands for several routes.
        let rest = sink.page.text.get(path.bytes.end..).unwrap_or_default();
        let is_pattern = path.text.ends_with('/') && rest.starts_with('*');
        if !is_pattern
            && VERBS.contains(&verb.text)
            && let Some(route) = route(path.text)
        {
            let subject = Subject::Route { method: Some(verb.text.to_owned()), path: route };
            sink.add(verb.bytes.start..path.bytes.end, block, ClaimType::ApiRoute, "route", subject);
        }
    }
}

/// `/api/v1/users` without a verb.
fn alone(sink: &mut Sink<'_, '_>, piece: &Piece, source: &str) {
    let is_api = ["/api/", "/v1/", "/v2/", "/v3/"].iter().any(|start| source.starts_with(start));
    if is_api
        && !source.contains(' ')
        && let Some(path) = route(source)
    {
        sink.add_in(
            piece,
            piece.bytes.clone(),
            ClaimType::ApiRoute,
            "route",
            Subject::Route { method: None, path },
        );
    }
}

fn curl(sink: &mut Sink<'_, '_>, piece: &Piece, source: &str) {
    if !source.contains("curl ") {
        return;
    }
    for (simple, _) in in_piece(source, piece) {
        if simple.words.first().is_none_or(|head| head.text != "curl") {
            continue;
        }
        let mut method = None;
        let mut sends = false;
        let mut url = None;
        let mut previous = "";
        for word in &simple.words[1..] {
            match word.text.as_str() {
                "-I" | "--head" => method = Some("HEAD"),
                "-d" | "--data" | "--data-raw" | "--data-binary" | "--json" | "-F" | "--form" => sends = true,
                text if matches!(previous, "-X" | "--request") => {
                    method = VERBS.iter().copied().find(|verb| *verb == text)
                }
                text if text.starts_with("-X") && text.len() > 2 => {
                    method = VERBS.iter().copied().find(|verb| *verb == &text[2..])
                }
                text if !text.starts_with('-')
                    && url.is_none()
                    && !matches!(
                        previous,
                        "-H" | "-d" | "--header" | "-o" | "-u" | "--data" | "--json" | "-F"
                    ) =>
                {
                    url = Some(word);
                }
                _ => {}
            }
            previous = &word.text;
        }
        let Some(word) = url else { continue };
        let Some(path) = local_path(&word.text).and_then(route) else { continue };
        let method = method.unwrap_or(if sends { "POST" } else { "GET" });
        let subject = Subject::Route { method: Some(method.to_owned()), path };
        sink.add_in(piece, word.bytes.clone(), ClaimType::ApiRoute, "route", subject);
    }
}

/// The path of a URL whose host could be this program.
fn local_path(url: &str) -> Option<&str> {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    let (host, path) = rest.split_at(rest.find('/')?);
    let name = host.split(':').next().unwrap_or(host);
    let is_local = matches!(name, "localhost" | "127.0.0.1" | "0.0.0.0")
        || name.starts_with(['$', '<', '{'])
        || name.contains("example.com")
        || name.ends_with(".local");
    is_local.then_some(path)
}

/// A path with `{}` for its parameters; `None` for what is none.
fn route(word: &str) -> Option<String> {
    let path = word.split(['?', '#']).next().unwrap_or(word).trim_end_matches(['.', ',', ')']);
    if !path.starts_with('/')
        || path.starts_with("//")
        || path.len() < 2
        || path.len() > 200
        || path.contains("...")
    {
        return None;
    }
    let is_parameter = |part: &str| {
        part.starts_with([':', '{', '<', '[', '$'])
            || (!part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit()))
    };
    let is_plain = |part: &str| {
        part.bytes()
            .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b'.' | b'~' | b'@' | b':' | b'+'))
    };
    let mut route = String::new();
    for part in path.split('/').skip(1) {
        if !is_parameter(part) && !is_plain(part) {
            return None;
        }
        route.push('/');
        route.push_str(if is_parameter(part) { "{}" } else { part });
    }
    if route.len() > 1 {
        route.truncate(route.trim_end_matches('/').len());
    }
    route.bytes().any(|byte| byte.is_ascii_alphabetic()).then_some(route)
}
