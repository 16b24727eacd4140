//! Install lines: `npm i x@1`, `pip install x==1`.

use super::super::page::Piece;
use super::super::shell::Simple;
use super::super::sink::Sink;
use super::super::words::version;
use crate::{ClaimType, Subject};

/// `npm i x@1`, `cargo add x@1`, `pip install x==1`, `go get x@v1`: the version, and the name of the package.
pub(super) fn installs(sink: &mut Sink<'_, '_>, piece: &Piece, simple: &Simple) {
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
