//! Names of code: in spans (`a::b`, `f()`, `HttpClient`), and the imports of fences.

use std::ops::Range;

use super::page::{Kind, Piece};
use super::placeholders::{has_known_ending, is_placeholder};
use super::sink::{Sink, pieces};
use super::snippets::is_code;
use crate::{ClaimType, Subject};

pub(super) fn find(sink: &mut Sink<'_, '_>) {
    let page = sink.page;
    for piece in pieces(page, |kind| matches!(kind, Kind::Span | Kind::Fence(_))) {
        let source = page.source(&piece.bytes);
        match &piece.kind {
            Kind::Span => span(sink, piece, source),
            Kind::Fence(language) if is_code(language) => imports(sink, piece, language, source),
            _ => {}
        }
    }
}

fn span(sink: &mut Sink<'_, '_>, piece: &Piece, source: &str) {
    let (name, is_call) = match source.find('(') {
        Some(open) if source.ends_with(')') => (&source[..open], true),
        Some(_) => return,
        None => (source, false),
    };
    // `a.py::test` is a test in a file.
    if name.len() > 120
        || name.starts_with("path::to::")
        || has_known_ending(name.split("::").next().unwrap_or(name))
    {
        return;
    }
    let Some(path) = parts(name) else { return };
    let is_code = name.contains("::")
        || is_call
        || path.iter().all(|part| is_camel(part))
        || (path.len() > 1 && path.first().is_some_and(|first| is_camel(first)));
    if is_code && !has_known_ending(name) && !path.iter().any(|part| is_placeholder(part)) {
        let start = piece.bytes.start;
        let subject = Subject::Symbol { path, is_call, language: None };
        sink.add_in(piece, start..start + name.len(), ClaimType::CodeExample, "symbol", subject);
    } else if is_joined(name) && !is_placeholder(name) {
        let subject = Subject::Symbol { path, is_call: false, language: None };
        sink.add_in(piece, piece.bytes.clone(), ClaimType::CodeExample, "name", subject);
    }
}

/// `fetchCompletion`, `read_all_rows`: words that only code joins. It may be a key or a value of anything as well.
fn is_joined(name: &str) -> bool {
    // `__get_json_schema__`; those with fewer words are the language's own.
    let hidden = name.strip_prefix("__").and_then(|name| name.strip_suffix("__"));
    let name = hidden.filter(|name| name.matches('_').count() >= 2).unwrap_or(name);
    let humps = name.as_bytes().windows(2).filter(|pair| {
        pair[0].is_ascii_lowercase() && pair[1].is_ascii_uppercase()
            || pair[0].is_ascii_lowercase() && pair[1] == b'_'
    });
    let has_capital = name.bytes().any(|byte| byte.is_ascii_uppercase());
    // `unstable_createContext`
    let is_marked =
        ["unstable_", "experimental_", "internal_", "legacy_"].iter().any(|mark| name.starts_with(mark));
    name.len() >= 10
        && name.starts_with(|c: char| c.is_ascii_lowercase())
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
        && !name.ends_with('_')
        && !(has_capital && name.contains('_') && !is_marked)
        && humps.count() >= 1
}

/// The parts of `a::b`, `a.b`, `A#b` when all are identifiers.
fn parts(name: &str) -> Option<Vec<String>> {
    let name = name.strip_prefix('.').unwrap_or(name);
    let parts: Vec<String> =
        name.replace("::", ".").replace(['#', '/'], ".").split('.').map(str::to_owned).collect();
    let is_all = !name.contains('/') && parts.len() <= 8 && parts.iter().all(|part| is_identifier(part));
    is_all.then_some(parts)
}

fn is_identifier(part: &str) -> bool {
    part.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_' || c == '$')
        && part.len() <= 80
        && part.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$'))
}

/// `HttpClient`, `IOError`; not `Python`, `JSON`, `GitHub` or `PascalCase`.
fn is_camel(part: &str) -> bool {
    let is_product = matches!(
        part,
        "GitHub"
            | "GitLab"
            | "JavaScript"
            | "TypeScript"
            | "PostgreSQL"
            | "MySQL"
            | "MacOS"
            | "OpenAI"
            | "PascalCase"
            | "CamelCase"
            | "UpperCamelCase"
            | "NodeJS"
            | "YouTube"
            | "WebAssembly"
            | "CommonJS"
            | "DevTools"
            | "PowerShell"
            | "MongoDB"
            | "SQLite"
            | "WebSocket"
            | "VSCode"
    );
    let humps = part
        .as_bytes()
        .windows(2)
        .filter(|pair| pair[0].is_ascii_lowercase() && pair[1].is_ascii_uppercase())
        .count();
    part.starts_with(|c: char| c.is_ascii_uppercase()) && humps >= 1 && part.len() >= 6 && !is_product
}

/// The names that the import lines of a fence bring in.
fn imports(sink: &mut Sink<'_, '_>, piece: &Piece, language: &str, source: &str) {
    let mut at = piece.bytes.start;
    for line in source.split_inclusive('\n') {
        let start = at + (line.len() - line.trim_start().len());
        at += line.len();
        let content = line.trim();
        if content.len() > 400 {
            continue;
        }
        let found = match language {
            "rust" | "rs" => rust(content),
            "python" | "py" => python(content),
            "js" | "jsx" | "ts" | "tsx" | "javascript" | "typescript" => script(content),
            "java" | "kotlin" | "scala" => java(content),
            "go" | "golang" => go(content),
            _ => Vec::new(),
        };
        for (path, bytes) in found {
            let span = start + bytes.start..start + bytes.end;
            let subject = Subject::Symbol { path, is_call: false, language: Some(language.to_owned()) };
            sink.add_in(piece, span, ClaimType::CodeExample, "import", subject);
        }
    }
}

type Found = Vec<(Vec<String>, Range<usize>)>;

/// `use a::b::{c, d as e};`
fn rust(line: &str) -> Found {
    let Some(rest) = line.strip_prefix("pub use ").or_else(|| line.strip_prefix("use ")) else {
        return Vec::new();
    };
    let offset = line.len() - rest.len();
    let Some(rest) = rest.strip_suffix(';') else { return Vec::new() };
    let (base, names) = match rest.split_once("::{") {
        Some((base, names)) => (base, names.trim_end_matches('}')),
        None => ("", rest),
    };
    // Braces in braces are rare on one line of a page.
    if names.contains('{') {
        return Vec::new();
    }
    let mut found = Vec::new();
    for name in pieces_of(names) {
        let bare = name.split(" as ").next().unwrap_or(name).trim();
        let bare = bare.strip_suffix("::*").unwrap_or(bare);
        let parts: Vec<String> = base
            .split("::")
            .chain(bare.split("::"))
            .filter(|part| !part.is_empty() && *part != "self" && *part != "*")
            .map(str::to_owned)
            .collect();
        if parts.len() > 1 && parts.iter().all(|part| is_identifier(part)) {
            found.push((parts, offset_of(line, bare, offset)));
        }
    }
    found
}

/// `from a.b import c, d`, `import a.b`
fn python(line: &str) -> Found {
    if let Some((module, names)) = line.strip_prefix("from ").and_then(|rest| rest.split_once(" import ")) {
        let names = names.split('#').next().unwrap_or(names).trim_matches(['(', ')', ' ']);
        let base: Vec<String> = module.trim().split('.').map(str::to_owned).collect();
        if !base.iter().all(|part| is_identifier(part)) {
            return Vec::new();
        }
        let name = |name: &str| {
            let bare = name.split(" as ").next().unwrap_or(name).trim().to_owned();
            is_identifier(&bare).then(|| {
                let bytes = offset_of(line, &bare, "from ".len() + module.len());
                (base.iter().cloned().chain([bare]).collect(), bytes)
            })
        };
        return pieces_of(names).filter_map(name).collect();
    }
    let Some(rest) = line.strip_prefix("import ") else { return Vec::new() };
    let module = rest.split([' ', ',', ';']).next().unwrap_or(rest);
    let parts: Vec<String> = module.split('.').map(str::to_owned).collect();
    if parts.iter().all(|part| is_identifier(part)) {
        vec![(parts, offset_of(line, module, 7))]
    } else {
        Vec::new()
    }
}

/// `import { a, b as c } from "pkg"`, `import x from "pkg"`: the specifier stays in one piece.
fn script(line: &str) -> Found {
    let Some((names, rest)) = line.strip_prefix("import ").and_then(|rest| rest.rsplit_once(" from ")) else {
        return Vec::new();
    };
    let specifier = rest.trim_end_matches(';').trim().trim_matches(['"', '\'']);
    if specifier.starts_with('.') || specifier.contains(' ') || is_placeholder(specifier) {
        return Vec::new();
    }
    let Some(names) = names.split_once('{').map(|(_, names)| names.trim_end().trim_end_matches('}')) else {
        return vec![(vec![specifier.to_owned()], offset_of(line, specifier, 0))];
    };
    let name = |name: &str| {
        let bare =
            name.trim().trim_start_matches("type ").split(" as ").next().unwrap_or(name).trim().to_owned();
        is_identifier(&bare).then(|| {
            let bytes = offset_of(line, &bare, 7);
            (vec![specifier.to_owned(), bare], bytes)
        })
    };
    pieces_of(names).filter_map(name).collect()
}

/// `import static a.b.C.d;`
fn java(line: &str) -> Found {
    let Some(rest) = line.strip_prefix("import ") else { return Vec::new() };
    let name = rest.trim_start_matches("static ").trim_end_matches(';').trim();
    let bare = name.strip_suffix(".*").unwrap_or(name);
    let parts: Vec<String> = bare.split('.').map(str::to_owned).collect();
    let is_import = parts.len() > 1 && parts.iter().all(|part| is_identifier(part));
    if is_import { vec![(parts, offset_of(line, bare, 7))] } else { Vec::new() }
}

/// `"example.org/a/b"` on a line of its own, or after `import`.
fn go(line: &str) -> Found {
    let quoted =
        line.split('"').nth(1).filter(|path| path.contains('.') && path.contains('/') && !path.contains(' '));
    let before = line.split('"').next().unwrap_or_default().trim();
    match quoted {
        Some(path)
            if line.ends_with('"')
                && (before.is_empty() || before.starts_with("import") || is_identifier(before)) =>
        {
            vec![(vec![path.to_owned()], offset_of(line, path, 0))]
        }
        _ => Vec::new(),
    }
}

fn pieces_of(names: &str) -> impl Iterator<Item = &str> {
    names.split(',').filter(|name| !name.trim().is_empty()).take(50)
}

fn offset_of(line: &str, name: &str, from: usize) -> Range<usize> {
    let at = line.get(from..).and_then(|rest| rest.find(name)).map_or(0, |found| from + found);
    at..at + name.len()
}
