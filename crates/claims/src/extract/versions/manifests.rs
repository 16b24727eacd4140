//! Manifests in fences: Cargo.toml, package.json, Maven, Gradle.

use super::super::page::Piece;
use super::super::sink::Sink;
use super::super::words::version;
use crate::{ClaimType, Subject};

/// Dependencies in a manifest that a fence shows.
pub(super) fn manifest(sink: &mut Sink<'_, '_>, piece: &Piece, language: &str, source: &str) {
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
    let mut is_plugin = false;
    for (at, line) in lines(piece, source) {
        // With which plugin readers build is theirs.
        if line.contains("<plugin>") || line.contains("</plugin>") {
            is_plugin = line.contains("<plugin>");
        }
        if is_plugin {
            continue;
        }
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
