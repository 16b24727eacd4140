//! Walks a syntax tree and collects what the visitors of the languages report.

use std::collections::{BTreeMap, BTreeSet};

use tree_sitter::{Node, Tree};

use super::words::is_token;
use super::{Code, Definition, Kind, Route, Value};

/// Nothing that people write has more; a generated file shall not fill the store.
const MAX_FACTS: usize = 20_000;
/// A text beyond this is not searched for flags and variables.
const MAX_TEXT: usize = 20_000;

/// What is around a node.
enum Scope {
    Type(String),
    Module(String),
    Function,
}

/// Nodes whose children mean something else than elsewhere.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Parent {
    EnumBody,
    Statement,
    Other,
}

impl Parent {
    fn of(kind: &str) -> Self {
        match kind {
            "enum_body" => Self::EnumBody,
            "expression_statement" => Self::Statement,
            _ => Self::Other,
        }
    }
}

/// Collects the facts of one file.
pub(super) struct Reader<'a> {
    pub(super) path: &'a str,
    source: &'a str,
    depth: usize,
    /// What kind of node is around the current one; to ask a node for its parent is a walk from the root.
    parents: Vec<Parent>,
    scopes: Vec<(usize, Scope)>,
    /// Attributes and annotations that wait for what they are written on.
    pub(super) attributes: Vec<&'a str>,
    definitions: BTreeSet<Definition>,
    strings: BTreeMap<String, u32>,
    flags: BTreeMap<String, u32>,
    commands: BTreeMap<String, u32>,
    routes: BTreeSet<Route>,
    values: BTreeSet<Value>,
    bases: BTreeSet<(String, String)>,
    pub(super) is_glob: bool,
    /// Whether a library makes flags of the parameters of functions.
    pub(super) has_flags_of_parameters: bool,
}

impl<'a> Reader<'a> {
    pub(super) fn new(path: &'a str, source: &'a str) -> Self {
        Self {
            path,
            source,
            depth: 0,
            parents: Vec::new(),
            scopes: Vec::new(),
            attributes: Vec::new(),
            definitions: BTreeSet::new(),
            strings: BTreeMap::new(),
            flags: BTreeMap::new(),
            commands: BTreeMap::new(),
            routes: BTreeSet::new(),
            values: BTreeSet::new(),
            bases: BTreeSet::new(),
            is_glob: false,
            has_flags_of_parameters: PARAMETER_LIBRARIES.iter().any(|library| source.contains(library)),
        }
    }

    /// Shows every node to `visit`, parents first. Without recursion: code can be nested as deep as its author likes.
    pub(super) fn walk(&mut self, tree: &Tree, visit: impl Fn(Node<'_>, &mut Self)) {
        let mut cursor = tree.walk();
        loop {
            let node = cursor.node();
            visit(node, self);
            if cursor.goto_first_child() {
                self.parents.push(Parent::of(node.kind()));
                self.depth += 1;
                continue;
            }
            loop {
                while self.scopes.last().is_some_and(|(depth, _)| *depth >= self.depth) {
                    self.scopes.pop();
                }
                if cursor.goto_next_sibling() {
                    break;
                }
                if !cursor.goto_parent() {
                    return;
                }
                self.parents.pop();
                self.depth = self.depth.saturating_sub(1);
            }
        }
    }

    pub(super) fn finish(self) -> Code {
        let is_text = |library: &&str| self.strings.contains_key(*library);
        let is_cli = COMMAND_LINE_LIBRARIES.iter().any(is_text)
            || self.imports(COMMAND_LINE_LIBRARIES)
            || self.source.contains("parseArgs(");
        Code {
            definitions: self.definitions.into_iter().collect(),
            bases: self.bases.into_iter().collect(),
            strings: self.strings.into_iter().collect(),
            flags: self.flags.into_iter().collect(),
            commands: self.commands.into_iter().collect(),
            routes: self.routes.into_iter().collect(),
            values: self.values.into_iter().collect(),
            is_glob: self.is_glob,
            is_cli,
        }
    }

    /// Whether a line imports one of these Python modules.
    fn imports(&self, modules: &[&str]) -> bool {
        let is_import = |line: &str| {
            let mut words = line.split_whitespace();
            let is_one = |name: &str| name.split('.').next().is_some_and(|first| modules.contains(&first));
            matches!(words.next(), Some("import" | "from")) && words.next().is_some_and(is_one)
        };
        self.path.ends_with(".py") && self.source.lines().any(is_import)
    }

    /// The text of a node.
    pub(super) fn text(&self, node: Node<'_>) -> &'a str {
        self.source.get(node.byte_range()).unwrap_or_default()
    }

    /// The text of a field of a node.
    pub(super) fn field(&self, node: Node<'_>, name: &str) -> Option<&'a str> {
        node.child_by_field_name(name).map(|child| self.text(child))
    }

    /// Whether the current node stands directly in such a one.
    pub(super) fn is_in(&self, parent: Parent) -> bool {
        self.parents.last() == Some(&parent)
    }

    /// Whether a type is known to inherit from, implement or derive another.
    pub(super) fn is_a(&self, name: &str, base: &str) -> bool {
        self.bases.contains(&(name.to_owned(), base.to_owned()))
    }

    /// Everything below this node is inside a type.
    pub(super) fn open_type(&mut self, name: &str) {
        self.scopes.push((self.depth, Scope::Type(bare(name).to_owned())));
    }

    /// Everything below this node is inside a module.
    pub(super) fn open_module(&mut self, name: &str) {
        self.scopes.push((self.depth, Scope::Module(name.to_owned())));
    }

    /// Everything below this node is inside a function.
    pub(super) fn open_function(&mut self) {
        self.scopes.push((self.depth, Scope::Function));
    }

    /// The innermost type or module.
    pub(super) fn within(&self) -> Option<&str> {
        self.scopes.iter().rev().find_map(|(_, scope)| match scope {
            Scope::Type(name) | Scope::Module(name) => Some(name.as_str()),
            Scope::Function => None,
        })
    }

    /// The innermost type.
    pub(super) fn within_type(&self) -> Option<&str> {
        self.scopes.iter().rev().find_map(|(_, scope)| match scope {
            Scope::Type(name) => Some(name.as_str()),
            _ => None,
        })
    }

    pub(super) fn is_in_function(&self) -> bool {
        self.scopes.iter().any(|(_, scope)| matches!(scope, Scope::Function))
    }

    /// A name is defined in what is around the node.
    pub(super) fn define(&mut self, kind: Kind, name: &str, node: Node<'_>) {
        let within = self.within().map(str::to_owned);
        self.define_in(kind, name, within, node);
    }

    /// A name is defined in something else.
    pub(super) fn define_in(&mut self, kind: Kind, name: &str, within: Option<String>, node: Node<'_>) {
        let name = bare(name);
        if !name.is_empty() && name.len() <= 120 && self.definitions.len() < MAX_FACTS {
            self.definitions.insert(Definition(name.to_owned(), kind, within, line(node)));
        }
    }

    /// A type inherits from, implements or derives another.
    pub(super) fn base(&mut self, name: &str, base: &str) {
        let (name, base) = (bare(name), bare(base));
        if !name.is_empty() && !base.is_empty() && self.bases.len() < MAX_FACTS {
            self.bases.insert((name.to_owned(), base.to_owned()));
        }
    }

    /// A text stands in the code.
    pub(super) fn string(&mut self, literal: &str, node: Node<'_>) {
        let text = unquoted(literal);
        if self.strings.len() >= MAX_FACTS || text.len() > MAX_TEXT {
            return;
        }
        let line = line(node);
        if is_token(text) {
            self.strings.entry(text.to_owned()).or_insert(line);
        }
        for word in
            text.split(|character: char| !(character.is_ascii_alphanumeric() || "_-".contains(character)))
        {
            let is_variable = word.contains('_')
                && word.starts_with(|first: char| first.is_ascii_uppercase())
                && word.chars().all(|character| {
                    character.is_ascii_uppercase() || character.is_ascii_digit() || character == '_'
                });
            if is_variable && is_token(word) {
                self.strings.entry(word.to_owned()).or_insert(line);
            }
        }
        let is_flag = |character: char| character.is_ascii_alphanumeric() || "_-.".contains(character);
        for word in text.split(|character: char| !is_flag(character)).filter(|word| word.starts_with("--")) {
            let word = word.trim_end_matches('.');
            if is_token(word) {
                self.strings.entry(word.to_owned()).or_insert(line);
            }
        }
    }

    pub(super) fn flag(&mut self, name: &str, node: Node<'_>) {
        let name = name.trim_start_matches('-');
        let is_flag = |character: char| character.is_ascii_alphanumeric() || "-_.".contains(character);
        if name.len() > 1 && name.chars().all(is_flag) && self.flags.len() < MAX_FACTS {
            self.flags.entry(name.to_owned()).or_insert_with(|| line(node));
        }
    }

    pub(super) fn command(&mut self, name: &str, node: Node<'_>) {
        let is_name = |character: char| character.is_ascii_alphanumeric() || "-_:".contains(character);
        if !name.is_empty() && name.chars().all(is_name) && self.commands.len() < MAX_FACTS {
            self.commands.entry(name.to_owned()).or_insert_with(|| line(node));
        }
    }

    pub(super) fn route(&mut self, method: Option<&str>, path: &str, node: Node<'_>) {
        if self.routes.len() < MAX_FACTS {
            self.routes.insert(Route(method.map(str::to_uppercase), path.to_owned(), line(node)));
        }
    }

    /// A name is given a value; kept when the value is a number, a word or a truth value.
    pub(super) fn value(&mut self, name: &str, value: Node<'_>) {
        // `port: given ?? 8080`, `port = given or 8080`
        let operator = value.child_by_field_name("operator").map(|operator| self.text(operator));
        let last =
            value.child_by_field_name("right").filter(|_| matches!(operator, Some("??" | "||" | "or")));
        let value = last.unwrap_or(value);
        self.named_value(name, self.text(value), value);
    }

    /// The same for a value that has no node of its own.
    pub(super) fn named_value(&mut self, name: &str, text: &str, node: Node<'_>) {
        let is_plain = text.len() <= 60
            && text.starts_with(|first: char| first.is_ascii_digit() || "\"'`-".contains(first))
            || matches!(text, "true" | "false" | "True" | "False");
        let plain = unquoted(text);
        if is_plain
            && !plain.is_empty()
            && !plain.contains(char::is_whitespace)
            && self.values.len() < MAX_FACTS
        {
            self.values.insert(Value(bare(name).to_owned(), plain.to_owned(), line(node)));
        }
        // `const flagNamePort = "port"`
        let is_text = text.starts_with(['"', '\'', '`']);
        if is_text && is_plain && bare(name).to_ascii_lowercase().contains("flag") {
            self.flag(plain, node);
        }
    }
}

/// Of a node, from 1.
fn line(node: Node<'_>) -> u32 {
    u32::try_from(node.start_position().row).unwrap_or(u32::MAX - 1) + 1
}

/// The last name of a path, without arguments: `a::B<T>` → `B`, `*pkg.T` → `T`, `'key'` → `key`.
pub(super) fn bare(name: &str) -> &str {
    let name = unquoted(name);
    let end = name.find(['<', '[', '(', '{', ' ', '\n']).unwrap_or(name.len());
    let name = name.get(..end).unwrap_or(name);
    name.rsplit([':', '.', '&', '*', '#', '@']).next().unwrap_or(name)
}

/// What stands between the quotes of a literal, in any of the languages.
pub(super) fn unquoted(literal: &str) -> &str {
    let Some(start) = literal.find(['"', '\'', '`']) else { return literal };
    // Only prefixes such as `r#`, `b`, `f` may stand before the quote.
    if start > 3
        || literal
            .get(..start)
            .is_some_and(|prefix| prefix.contains(|c: char| !c.is_ascii_alphabetic() && c != '#'))
    {
        return literal;
    }
    let quote = literal.get(start..).and_then(|rest| rest.chars().next()).unwrap_or('"');
    literal.get(start..).unwrap_or_default().trim_end_matches('#').trim_matches(quote)
}

/// Words of Python files whose functions have flags as their parameters.
const PARAMETER_LIBRARIES: &[&str] = &["typer", "cyclopts", "import fire", "jsonargparse"];

/// In whose files the keys of objects and the parameters of functions can be flags.
pub(crate) const COMMAND_LINE_LIBRARIES: &[&str] = &[
    "@oclif/core",
    "arg",
    "argparse",
    "cac",
    "citty",
    "cleye",
    "click",
    "clipanion",
    "command-line-args",
    "commander",
    "cyclopts",
    "docopt",
    "fire",
    "meow",
    "minimist",
    "mri",
    "node:util",
    "sade",
    "tap",
    "typer",
    "yargs",
    "yargs-parser",
];
