//! `use` declarations, as a list of single names.

use super::lexer::Kind;
use super::parser::Parser;

/// Groups inside of groups that are followed.
const MAX_DEPTH: usize = 16;

/// One name that a `use` brings in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Use {
    pub(super) path: Vec<String>,
    /// What it is called here; nothing for a glob.
    pub(super) name: Option<String>,
    pub(super) is_public: bool,
}

impl Use {
    /// As it is written: `serde::de as other`.
    pub(super) fn written(&self) -> String {
        let path = self.path.join("::");
        match &self.name {
            None => format!("{path}::*"),
            Some(name) if self.path.last() != Some(name) => format!("{path} as {name}"),
            Some(_) => path,
        }
    }
}

/// The names between `use` and `;`.
pub(super) fn leaves(parser: &Parser<'_>, start: usize, end: usize, is_public: bool) -> Vec<Use> {
    let mut found = Vec::new();
    collect(parser, start, end, &[], 0, &mut |path, name| found.push(Use { path, name, is_public }));
    found
}

fn collect(
    parser: &Parser<'_>,
    start: usize,
    end: usize,
    before: &[String],
    depth: usize,
    add: &mut dyn FnMut(Vec<String>, Option<String>),
) {
    let mut at = start;
    while at < end {
        let comma = parser.find(at, end, &[","]);
        let mut path = before.to_vec();
        let mut alias = None;
        let mut is_leaf = true;
        while at < comma {
            match parser.word(at) {
                "as" => {
                    alias = Some(parser.word(at + 1).to_owned());
                    at += 1;
                }
                "*" => {
                    add(std::mem::take(&mut path), None);
                    is_leaf = false;
                }
                "{" => {
                    let close = parser.skip(at).saturating_sub(1).min(comma);
                    if depth < MAX_DEPTH {
                        collect(parser, at + 1, close, &path, depth + 1, add);
                    }
                    is_leaf = false;
                    at = close;
                }
                // `use a::{self}` names `a` itself.
                "self" if !path.is_empty() => {}
                word if parser.is(at, Kind::Word) => path.push(word.to_owned()),
                _ => {}
            }
            at += 1;
        }
        if is_leaf && let Some(last) = path.last().cloned() {
            add(path, Some(alias.unwrap_or(last)));
        }
        at = comma + 1;
    }
}
