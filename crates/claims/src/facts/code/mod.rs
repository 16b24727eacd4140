//! What one file of code defines: names, texts, flags, routes and values.
//!
//! One pass over the syntax tree of a file feeds every check that looks at code, so that a file is parsed once for each
//! content it ever had. A language only says which of its nodes define what (`rust.rs`, `python.rs` …); what a call such
//! as `.long("port")` or `router.get("/users")` means is the same in all of them (`calls.rs`). Names that need types or
//! execution to be seen are not found, which is why a check also asks where a word merely stands.

mod calls;
mod go;
mod java;
mod python;
mod reader;
mod rust;
mod script;
mod words;

use std::collections::BTreeSet;
use std::ops::ControlFlow;

use serde::{Deserialize, Serialize};
use tree_sitter::{ParseOptions, ParseState, Parser, Tree};

use super::Facts;
pub(crate) use reader::COMMAND_LINE_LIBRARIES;
use reader::Reader;
pub(crate) use rust::COMMAND_DERIVES;
pub(crate) use words::{kebab, parts, variants};

/// Files above this are generated, or data.
const MAX_BYTES: usize = 1 << 20;
/// A line longer than this on average is not written by people.
const MAX_MEAN_LINE: usize = 400;

/// What one file of code defines.
#[derive(Debug, Default, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Code {
    /// By name.
    #[serde(rename = "d")]
    pub definitions: Vec<Definition>,
    /// Type and what it inherits from, implements or derives.
    #[serde(rename = "b")]
    pub bases: Vec<(String, String)>,
    /// Texts that are one word, and flags and variables inside longer texts; with their first lines, sorted.
    #[serde(rename = "s")]
    pub strings: Vec<(String, u32)>,
    /// Long flags that are defined, without dashes.
    #[serde(rename = "f")]
    pub flags: Vec<(String, u32)>,
    /// Subcommands that are defined.
    #[serde(rename = "c")]
    pub commands: Vec<(String, u32)>,
    /// Routes that are defined.
    #[serde(rename = "r")]
    pub routes: Vec<Route>,
    /// Names that are given a literal value.
    #[serde(rename = "v")]
    pub values: Vec<Value>,
    /// Whether it passes on everything of another module.
    #[serde(rename = "g")]
    pub is_glob: bool,
    /// Whether it uses a library for command lines.
    #[serde(rename = "l")]
    pub is_cli: bool,
}

/// A name and what it is.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) struct Definition(pub String, pub Kind, pub Option<String>, pub u32);

impl Definition {
    pub(crate) fn name(&self) -> &str {
        &self.0
    }

    pub(crate) fn kind(&self) -> Kind {
        self.1
    }

    /// The type or module around it.
    pub(crate) fn within(&self) -> Option<&str> {
        self.2.as_deref()
    }

    pub(crate) fn line(&self) -> u32 {
        self.3
    }
}

/// What a name is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) enum Kind {
    #[serde(rename = "t")]
    Type,
    #[serde(rename = "f")]
    Function,
    #[serde(rename = "c")]
    Constant,
    #[serde(rename = "m")]
    Module,
    /// A field, a property, an attribute.
    #[serde(rename = "p")]
    Field,
    #[serde(rename = "v")]
    Variant,
    /// Passed on from elsewhere.
    #[serde(rename = "r")]
    Reexport,
    /// Of an object literal, a struct's tag, or in a macro that defines things.
    #[serde(rename = "k")]
    Key,
    /// Of a function, where a library makes a flag of it.
    #[serde(rename = "a")]
    Parameter,
}

/// A route that code defines.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) struct Route(pub Option<String>, pub String, pub u32);

/// A name with its literal value.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) struct Value(pub String, pub String, pub u32);

impl Code {
    /// Names that another version says something else about; `None` when it says something else about all of them.
    pub(crate) fn difference(&self, other: &Self) -> Option<Vec<String>> {
        if (self.is_glob, self.is_cli) != (other.is_glob, other.is_cli) {
            return None;
        }
        let (one, other) = (self.said(), other.said());
        Some(
            one.symmetric_difference(&other)
                .flat_map(|(_, _, names)| names)
                .map(|name| (*name).to_owned())
                .collect(),
        )
    }

    /// Everything that is known, without lines: what it is, and the names that it is about.
    fn said(&self) -> BTreeSet<(&'static str, Option<Kind>, Vec<&str>)> {
        let mut said = BTreeSet::new();
        for Definition(name, kind, within, _) in &self.definitions {
            said.insert((
                "definition",
                Some(*kind),
                [name.as_str()].into_iter().chain(within.as_deref()).collect(),
            ));
        }
        said.extend(self.bases.iter().map(|(name, base)| ("base", None, vec![name.as_str(), base])));
        said.extend(self.routes.iter().map(|Route(verb, path, _)| {
            ("route", None, [path.as_str()].into_iter().chain(verb.as_deref()).collect())
        }));
        said.extend(
            self.values.iter().map(|Value(name, value, _)| ("value", None, vec![name.as_str(), value])),
        );
        said.extend(self.strings.iter().map(|it| ("text", None, vec![it.0.as_str()])));
        said.extend(self.flags.iter().map(|it| ("flag", None, vec![it.0.as_str()])));
        said.extend(self.commands.iter().map(|it| ("command", None, vec![it.0.as_str()])));
        said
    }

    /// The definitions of a name.
    pub(crate) fn defining(&self, name: &str) -> &[Definition] {
        let start = self.definitions.partition_point(|definition| definition.name() < name);
        let rest = self.definitions.get(start..).unwrap_or_default();
        let count = rest.partition_point(|definition| definition.name() == name);
        rest.get(..count).unwrap_or_default()
    }

    /// The values that a name is given.
    pub(crate) fn valued(&self, name: &str) -> &[Value] {
        let start = self.values.partition_point(|value| value.0.as_str() < name);
        let rest = self.values.get(start..).unwrap_or_default();
        let count = rest.partition_point(|value| value.0 == name);
        rest.get(..count).unwrap_or_default()
    }

    /// The first line on which a text stands.
    pub(crate) fn string(&self, text: &str) -> Option<u32> {
        line_of(&self.strings, text)
    }

    /// The line on which a flag is defined.
    pub(crate) fn flag(&self, name: &str) -> Option<u32> {
        line_of(&self.flags, name)
    }

    /// The line on which a subcommand is defined.
    pub(crate) fn command(&self, name: &str) -> Option<u32> {
        line_of(&self.commands, name)
    }
}

fn line_of(sorted: &[(String, u32)], name: &str) -> Option<u32> {
    let at = sorted.binary_search_by(|(known, _)| known.as_str().cmp(name)).ok()?;
    sorted.get(at).map(|(_, line)| *line)
}

/// A language whose definitions we see.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Language {
    Rust,
    Python,
    TypeScript,
    /// TypeScript with elements, which also reads JavaScript.
    Tsx,
    Go,
    Java,
}

fn language(path: &str) -> Option<Language> {
    let (_, extension) = path.rsplit_once('.')?;
    Some(match extension {
        "rs" => Language::Rust,
        "py" | "pyi" => Language::Python,
        "ts" | "mts" | "cts" => Language::TypeScript,
        "tsx" | "js" | "jsx" | "mjs" | "cjs" => Language::Tsx,
        "go" => Language::Go,
        "java" => Language::Java,
        _ => return None,
    })
}

impl Facts for Code {
    const NAME: &'static str = "code";
    const VERSION: u32 = 11;

    fn applies(path: &str) -> bool {
        language(path).is_some() && !path.ends_with(".min.js")
    }

    fn read(path: &str, bytes: &[u8]) -> Self {
        let Some(language) = language(path) else { return Self::default() };
        if bytes.len() > MAX_BYTES {
            return Self::default();
        }
        let text = String::from_utf8_lossy(bytes);
        if text.len() / (text.lines().count() + 1) > MAX_MEAN_LINE {
            return Self::default();
        }
        let Some(tree) = parse(language, &text) else { return Self::default() };
        let visit = match language {
            Language::Rust => rust::visit,
            Language::Python => python::visit,
            Language::TypeScript | Language::Tsx => script::visit,
            Language::Go => go::visit,
            Language::Java => java::visit,
        };
        let mut reader = Reader::new(path, &text);
        reader.walk(&tree, visit);
        reader.finish()
    }
}

fn parse(language: Language, text: &str) -> Option<Tree> {
    let grammar = match language {
        Language::Rust => tree_sitter_rust::LANGUAGE,
        Language::Python => tree_sitter_python::LANGUAGE,
        Language::TypeScript => tree_sitter_typescript::LANGUAGE_TYPESCRIPT,
        Language::Tsx => tree_sitter_typescript::LANGUAGE_TSX,
        Language::Go => tree_sitter_go::LANGUAGE,
        Language::Java => tree_sitter_java::LANGUAGE,
    };
    let mut parser = Parser::new();
    parser.set_language(&grammar.into()).ok()?;
    // The parser reports every hundred or so steps. Counting the reports bounds the work, and unlike a clock gives the same
    // answer every time.
    let mut left = 2_000 + text.len();
    let mut count = |_: &ParseState| {
        left = left.saturating_sub(1);
        if left == 0 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let mut input = |at: usize, _| text.as_bytes().get(at..).unwrap_or_default();
    let options = ParseOptions::new().progress_callback(&mut count);
    parser.parse_with_options(&mut input, None, Some(options))
}
