//! Names that code in other languages defines, told from its lines.
//!
//! For Kotlin, Swift, C and thirty more there is no grammar here. Nearly all of them write a word such as `fun` or `class` before
//! what they define, or a type before it and a parenthesis behind. That is enough to tell a definition from a call: who only
//! uses a name may have it from elsewhere. Members of enumerations and what macros make are not seen, and so not judged.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::Facts;
use super::code::Code;

/// What one file defines.
#[derive(Debug, Default, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Outline {
    /// Names in order, with the first line that defines them.
    names: Vec<(String, u32)>,
}

impl Outline {
    /// The line on which a name is defined.
    pub(crate) fn defining(&self, name: &str) -> Option<u32> {
        let at = self.names.binary_search_by(|(known, _)| known.as_str().cmp(name)).ok()?;
        self.names.get(at).map(|(_, line)| *line)
    }
}

#[rustfmt::skip]
const EXTENSIONS: &[&str] = &[
    "astro", "bash", "bat", "c", "cc", "clj", "cmake", "cpp", "cs", "cu", "cuh", "cxx", "dart", "el", "elm",
    "erl", "ex", "exs", "f90", "fish", "fs", "gleam", "gradle", "graphql", "groovy", "h", "hh", "hpp", "hs",
    "hxx", "inl", "jl", "kt", "kts", "lua", "m", "metal", "ml", "mm", "nim", "nix", "php", "pl", "pm",
    "proto", "ps1", "pxd", "pyx", "r", "R", "rb", "scala", "scm", "sh", "sql", "svelte", "swift", "tf",
    "thrift", "v", "vim", "vue", "zig", "zsh",
];

impl Facts for Outline {
    const NAME: &'static str = "outline";
    const VERSION: u32 = 1;

    fn applies(path: &str) -> bool {
        let name = path.rsplit('/').next().unwrap_or(path);
        let extension = name.rsplit_once('.').map_or("", |(_, extension)| extension);
        let is_named = matches!(name, "Makefile" | "Dockerfile" | "justfile" | "Justfile");
        (EXTENSIONS.contains(&extension) || is_named) && !Code::applies(path)
    }

    fn read(path: &str, bytes: &[u8]) -> Self {
        let mut names: BTreeMap<String, u32> = BTreeMap::new();
        let is_plain = [".tf", ".nix", ".graphql", ".hs", ".elm", ".erl", "Makefile", "ustfile"]
            .iter()
            .any(|end| path.ends_with(end));
        for (number, line) in String::from_utf8_lossy(bytes).lines().enumerate().take(MOST_LINES) {
            if line.len() > LONGEST_LINE || names.len() >= MOST_NAMES {
                continue;
            }
            let number = u32::try_from(number).unwrap_or(u32::MAX - 1) + 1;
            let found =
                after_keywords(line).chain(after_type(line)).chain(assigned(line).filter(|_| is_plain));
            for name in found {
                names.entry(name.to_owned()).or_insert(number);
            }
        }
        Self { names: names.into_iter().collect() }
    }
}

/// Nothing that people write has more.
const MOST_LINES: usize = 50_000;
const MOST_NAMES: usize = 20_000;
const LONGEST_LINE: usize = 2_000;

/// Words before the name of what is defined.
#[rustfmt::skip]
const KEYWORDS: &[&str] = &[
    "abstract", "actor", "alias", "associatedtype", "atom", "class", "concept", "const", "data", "def", "define",
    "defmacro", "defmodule", "defn", "defp", "defun", "delegate", "enum", "event", "extension", "fn", "fun", "func",
    "function", "input", "instance", "interface", "let", "local", "macro", "message", "mod", "module", "namespace",
    "newtype", "object", "operator", "package", "proc", "procedure", "property", "protocol", "record", "rpc",
    "scalar", "service", "struct", "sub", "table", "trait", "type", "typealias", "typedef", "union", "using",
    "val", "var", "view",
];

/// `class Stack`, `fun <T> String.toName(`, `def self.name`, `function M.name(`: every part of what follows.
fn after_keywords(line: &str) -> impl Iterator<Item = &str> {
    let is_comment = is_comment(line);
    let words = words(line);
    let followed = words.clone().zip(words.skip(1));
    followed.filter(move |_| !is_comment).flat_map(move |((at, word), (next, _))| {
        let between = line.get(at + word.len()..next).unwrap_or_default();
        let is_keyword = KEYWORDS.contains(&word) && between.starts_with(char::is_whitespace);
        // Type parameters may stand between the two.
        let generic = between.trim_start().starts_with('<');
        let rest = match (is_keyword, generic) {
            (false, _) => "",
            (true, false) => line.get(next..).filter(|_| between.trim().is_empty()).unwrap_or_default(),
            (true, true) => {
                line.get(next..).and_then(|rest| rest.split_once("> ")).map_or("", |(_, rest)| rest)
            }
        };
        let end = rest.find(|c: char| !(is_letter(c) || c == '.' || c == ':')).unwrap_or(rest.len());
        let name = rest.get(..end).unwrap_or_default();
        name.split(['.', ':']).filter(|name| is_name(name))
    })
}

/// `int run(`, `static void Engine::start(`, `name() {`, `- (void)show:`, `public string Name { get; }`: a type or nothing before,
/// and no sign of an expression.
fn after_type(line: &str) -> impl Iterator<Item = &str> {
    const MODIFIERS: &[&str] =
        &["const", "final", "internal", "override", "private", "protected", "public", "readonly", "static"];
    const STATEMENTS: &[&str] = &[
        "and", "assert", "await", "case", "catch", "delete", "do", "echo", "else", "elseif", "except", "for",
        "foreach", "if", "import", "in", "include", "match", "new", "not", "or", "print", "raise", "require",
        "return", "switch", "throw", "try", "unless", "until", "use", "using", "when", "while", "with",
        "yield",
    ];
    let trimmed = line.trim();
    let first = words(trimmed).next().map_or("", |(_, word)| word);
    let is_left = is_comment(line) || STATEMENTS.contains(&first);
    let of_objective_c = trimmed
        .strip_prefix(['-', '+'])
        .and_then(|rest| rest.trim_start().strip_prefix('(')?.split_once(')'))
        .map(|(_, rest)| rest.trim_start());
    let is_modified = MODIFIERS.contains(&first);
    let end = trimmed.find(if is_modified { &['(', '{', '=', ';'][..] } else { &['('][..] });
    let before = end.and_then(|end| trimmed.get(..end)).unwrap_or_default().trim_end();
    let is_type = |c: char| is_letter(c) || c.is_whitespace() || "<>:*&[]?,@".contains(c);
    let name = words(before).last();
    let is_definition = name.is_some_and(|(at, word)| {
        let ahead = before.get(..at).unwrap_or_default();
        // Alone it is a call, unless a body follows.
        let is_bare = ahead.trim().is_empty();
        at + word.len() == before.len()
            && ahead.chars().all(is_type)
            && (!is_bare || trimmed.ends_with('{') && !trimmed.contains("=>"))
    });
    let found = name.map(|(_, word)| word).filter(|_| is_definition);
    let found = match of_objective_c {
        Some(rest) => words(rest).next().map(|(_, word)| word),
        None => found,
    };
    found.filter(|name| !is_left && is_name(name)).into_iter()
}

/// `name = value`, `name :: type`, `name(`, in languages in which a line begins with what it defines.
fn assigned(line: &str) -> impl Iterator<Item = &str> {
    let trimmed = line.trim_start();
    let (_, name) = words(trimmed).next().filter(|(at, _)| *at == 0).unwrap_or_default();
    let rest = trimmed.get(name.len()..).unwrap_or_default().trim_start();
    Some(name).filter(|name| is_name(name) && rest.starts_with(['=', ':', '('])).into_iter()
}

/// The words of a line, with where they start.
fn words(line: &str) -> impl Iterator<Item = (usize, &str)> + Clone {
    let mut start = None;
    let ends = line.char_indices().chain([(line.len(), ' ')]);
    ends.filter_map(move |(at, character)| {
        if is_letter(character) {
            start.get_or_insert(at);
            return None;
        }
        let start = start.take()?;
        Some((start, line.get(start..at)?))
    })
}

fn is_letter(character: char) -> bool {
    character.is_alphanumeric() || character == '_'
}

fn is_name(word: &str) -> bool {
    word.starts_with(|first: char| first.is_alphabetic() || first == '_') && word.len() <= 120
}

fn is_comment(line: &str) -> bool {
    let line = line.trim_start();
    ["//", "/*", "* ", "--", ";;", "# "].iter().any(|mark| line.starts_with(mark))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(path: &str, source: &str, expected: &[&str]) {
        assert!(Outline::applies(path), "{path}");
        let outline = Outline::read(path, source.as_bytes());
        let names: Vec<&str> = outline.names.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, expected, "{source}");
    }

    #[test]
    fn words_before_a_name() {
        let source = "open class Stack(\n  val axis: Axis\n) {\n  companion object {\n    fun vertical(gap: Int = 0) = Stack(gap)\n    fun <T> String.toName(): T = other.run()\n";
        check("a.kt", source, &["Stack", "String", "axis", "toName", "vertical"]);
        check("a.swift", "public func start(_ now: Bool) { engine.stop() }\n", &["start"]);
        check("a.rb", "module Tool\n  def self.call(x)\n    Other.new(x)\n", &["Tool", "call", "self"]);
        check("a.lua", "local M = {}\nfunction M.setup(given)\n", &["M", "setup"]);
        check("a.ex", "defmodule Shop.Cart do\n  def add(item), do: put(item)\n", &["Cart", "Shop", "add"]);
        check(
            "a.proto",
            "message Order {\n  string name = 1;\n}\nservice Shop { rpc Buy(Order) returns (Order); }\n",
            &["Buy", "Order", "Shop"],
        );
    }

    #[test]
    fn types_before_a_name() {
        check(
            "a.c",
            "static int run_all(struct it *it)\n{\n  return run_one(it);\n  stop(it);\n}\n#define MOST 5\n",
            &["MOST", "it", "run_all"],
        );
        check(
            "a.cpp",
            "void Engine::start(int a) {\n  auto x = make(a);\n  if (ready(a)) go();\n",
            &["start"],
        );
        check(
            "a.cs",
            "public string Name { get; set; }\nprivate readonly int count;\nvar x = Call();\n",
            &["Name", "count", "x"],
        );
        check("a.sh", "build() {\n  make all\n}\n", &["build"]);
        check("a.m", "- (void)showAll:(BOOL)now {\n", &["showAll"]);
        check("a.vue", "export default { methods: {\n  open(now) {\n    this.close(now)\n", &["open"]);
    }

    #[test]
    fn what_is_only_used_is_not_defined() {
        check(
            "a.kt",
            "import com.other.HtmlChunk\nval text = HtmlChunk.text(\"a\").wrap()\n  .withBackground(color)\n// fun old() {}\n",
            &["text"],
        );
    }

    #[test]
    fn names_at_the_start_of_a_line() {
        check("a.tf", "name = \"x\"\n", &["name"]);
        check("a.hs", "readMarkdown :: Text -> Pandoc\n", &["readMarkdown"]);
        check("Makefile", "build: all\n\techo $(call x)\n", &["build"]);
        check("a.kt", "name = \"x\"\n", &[]);
    }

    #[test]
    fn hostile_lines_end() {
        let long = format!("{}\n{}\n", "class ".repeat(300), "(".repeat(1_900));
        Outline::read("a.kt", long.as_bytes());
        Outline::read("a.kt", &[0xff, 0xfe, b'\n', 0]);
    }
}
