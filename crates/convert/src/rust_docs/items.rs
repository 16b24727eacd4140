//! Reads the items of a module: what is public, what is said about it, and its signature.
//!
//! Not a parser of Rust: it finds where items begin and end, skips bodies by their brackets and passes over what it does not
//! know. Invocations of macros between items are read like a block of items, because crates wrap whole modules into
//! macros that only add a `cfg`.

use std::collections::HashMap;

use super::attributes::Attributes;
use super::lexer::{Kind, tokens};
use super::parser::Parser;
use super::uses::{Use, leaves};

/// Modules and macros inside of each other that are followed.
const MAX_DEPTH: usize = 48;

/// What a module has.
#[derive(Debug, Default)]
pub(super) struct Module {
    pub(super) docs: String,
    pub(super) items: Vec<Item>,
    pub(super) uses: Vec<Use>,
    pub(super) impls: Vec<Impl>,
    pub(super) modules: Vec<Submodule>,
    /// Items that a macro without parameters makes where it is called.
    pub(super) templates: Vec<(String, Module)>,
    /// Macros that are called without arguments.
    pub(super) calls: Vec<String>,
    /// What macros that take an item put before it.
    wrappers: HashMap<String, Attributes>,
}

/// A module inside of a module.
#[derive(Debug)]
pub(super) struct Submodule {
    pub(super) name: String,
    pub(super) is_public: bool,
    pub(super) docs: String,
    /// What `#[path = "…"]` says, always or under a condition.
    pub(super) path: Option<String>,
    pub(super) path_under_condition: Option<String>,
    /// Of `mod name { … }`: what is inside.
    pub(super) inline: Option<Module>,
}

/// Something that can be documented.
#[derive(Debug, Default, Clone)]
pub(super) struct Item {
    /// `fn`, `struct`, `macro` …
    pub(super) kind: &'static str,
    pub(super) name: String,
    pub(super) signature: String,
    pub(super) docs: String,
    pub(super) is_public: bool,
    /// Of a macro that is exported: it belongs to the root of the crate.
    pub(super) is_exported: bool,
    /// Variants or fields.
    pub(super) parts: Vec<Item>,
    /// Methods, constants and types of a trait.
    pub(super) members: Vec<Item>,
}

/// An `impl` block without a trait.
#[derive(Debug)]
pub(super) struct Impl {
    /// Path of the type, without what stands in angle brackets.
    pub(super) target: Vec<String>,
    pub(super) members: Vec<Item>,
}

/// Reads a file.
pub(super) fn parse(text: &str) -> Module {
    let tokens = tokens(text);
    let parser = Parser { text, tokens: &tokens };
    let mut module = Module::default();
    parser.items(0, tokens.len(), 0, &mut module);
    module
}

impl Parser<'_> {
    fn items(&self, mut at: usize, end: usize, depth: usize, module: &mut Module) {
        while at < end {
            let attributes = Attributes::read(self, &mut at, end, Some(&mut module.docs));
            if at >= end {
                break;
            }
            at = self.item(at, end, depth, attributes, module).max(at + 1);
        }
    }

    /// Reads the item that begins here; returns where the next one does.
    fn item(&self, start: usize, end: usize, depth: usize, about: Attributes, module: &mut Module) -> usize {
        let (is_public, mut at) = self.visibility(start);
        while self.is_qualifier(at) {
            at += 1;
        }
        let name = || self.word(at + 1).to_owned();
        match self.word(at) {
            "mod" => {
                let body = self.find(at, end, &["{", ";"]);
                let after = self.skip(body);
                if about.is_test {
                    return after;
                }
                let is_inline = self.word(body) == "{";
                let inline = is_inline.then(|| self.inner(body, after.min(end), depth));
                module.modules.push(Submodule {
                    name: name(),
                    is_public: is_public && !about.is_left_out,
                    docs: about.docs,
                    path: about.path,
                    path_under_condition: about.path_under_condition,
                    inline,
                });
                after
            }
            "use" => {
                let after = self.find(at, end, &[";"]);
                if !about.is_left_out {
                    module.uses.extend(leaves(self, at + 1, after, is_public));
                }
                after + 1
            }
            "impl" => {
                let body = self.find(at, end, &["{", ";"]);
                let after = self.skip(body);
                if !about.is_left_out && self.word(body) == "{" {
                    module.impls.extend(self.implementation(at, body, after.min(end)));
                }
                after
            }
            "macro_rules" if self.word(at + 1) == "!" => {
                let after = self.skip(at + 3);
                self.define(at, after.min(end), depth, about, module);
                after
            }
            _ if self.is(at, Kind::Word) && self.word(at + 1) == "!" => {
                let open = if self.is(at + 2, Kind::Open) { at + 2 } else { at + 3 };
                let after = self.skip(open);
                if !about.is_left_out {
                    self.invocation(self.word(at), open, after.min(end), depth, module);
                }
                after
            }
            _ => match self.simple_item(start, at, end, is_public, about) {
                Some((item, after)) => {
                    module.items.extend(item);
                    after
                }
                None => self.skip(start),
            },
        }
    }

    /// What stands in braces, read as items of their own.
    fn inner(&self, open: usize, after: usize, depth: usize) -> Module {
        let mut inner = Module::default();
        if depth < MAX_DEPTH {
            self.items(open + 1, after.saturating_sub(1), depth + 1, &mut inner);
        }
        inner
    }

    /// A `macro_rules!`: an item when it is exported, else possibly one that makes items.
    fn define(&self, at: usize, after: usize, depth: usize, about: Attributes, module: &mut Module) {
        let mut item = self.macro_rules(at, after);
        if about.is_exported {
            item.is_exported = true;
            item.docs = about.docs;
            if !about.is_left_out {
                module.items.push(item);
            }
            return;
        }
        let takes = at + 4;
        let makes = self.skip(takes) + 2;
        if !self.is(takes, Kind::Open) || self.word(makes) != "{" || makes >= after {
            return;
        }
        let end = self.skip(makes).min(after);
        match (self.word(takes + 1), self.word(takes + 4)) {
            (")", _) => module.templates.push((item.name, self.inner(makes, end, depth))),
            ("$", "item") => {
                let before = Attributes::read(self, &mut (makes + 1), end, None);
                module.wrappers.insert(item.name, before);
            }
            _ => {}
        }
    }

    /// A macro that is called between items: what it is given may be items.
    fn invocation(&self, name: &str, open: usize, after: usize, depth: usize, module: &mut Module) {
        if open + 2 >= after {
            module.calls.push(name.to_owned());
            return;
        }
        if depth >= MAX_DEPTH {
            return;
        }
        let (mut at, end) = (open + 1, after.saturating_sub(1));
        match module.wrappers.get(name).cloned() {
            Some(before) => {
                let about = Attributes::read(self, &mut at, end, None);
                self.item(at, end, depth + 1, before.and(about), module);
            }
            None if self.word(open) == "{" => self.items(at, end, depth + 1, module),
            None => {}
        }
    }

    /// Functions, types, traits, constants: what stands in a module or below a type.
    fn simple_item(
        &self,
        start: usize,
        at: usize,
        end: usize,
        is_public: bool,
        about: Attributes,
    ) -> Option<(Option<Item>, usize)> {
        let kind = match self.word(at) {
            "fn" => "fn",
            "struct" => "struct",
            "enum" => "enum",
            "union" if self.is(at + 1, Kind::Word) => "union",
            "trait" => "trait",
            "type" => "type",
            "const" => "const",
            "static" => "static",
            "macro" if self.is(at + 1, Kind::Word) => "macro",
            _ => return None,
        };
        let name_at = if self.word(at + 1) == "mut" { at + 2 } else { at + 1 };
        if !self.is(name_at, Kind::Word) {
            return None;
        }
        let (body, after) = self.extent(kind, name_at, end);
        if about.is_left_out {
            return Some((None, after));
        }
        let mut item = Item { kind, name: self.word(name_at).to_owned(), is_public, ..Item::default() };
        item.signature = match kind {
            "const" | "static" | "type" => self.declaration(start, after),
            "struct" if self.word(body) == "(" => self.tuple_struct(start, body, after),
            _ => self.signature(start, body),
        };
        let inside = (body + 1)..after.saturating_sub(1).min(end);
        match kind {
            "struct" | "union" if self.word(body) == "{" => {
                item.parts = self.fields(inside.start, inside.end)
            }
            "enum" => item.parts = self.variants(inside.start, inside.end),
            "trait" => item.members = self.members(inside.start, inside.end, true),
            _ => {}
        }
        item.docs = about.docs;
        if let Some((kind, name)) = about.procedural_macro {
            item.signature = String::new();
            (item.kind, item.is_exported) = (kind, true);
            item.name = name.unwrap_or(item.name);
        }
        Some((Some(item), after))
    }

    /// Where the body of an item begins (or its end, without one), and where the next item does.
    fn extent(&self, kind: &str, name: usize, end: usize) -> (usize, usize) {
        let body = match kind {
            "struct" => self.find_outside_angles(name, end, &["{", "(", ";"]),
            "const" | "static" | "type" => self.find(name, end, &[";"]),
            _ => self.find(name, end, &["{", ";"]),
        };
        if self.word(body) == "(" {
            return (body, self.find(body, end, &[";"]) + 1);
        }
        (body, self.skip(body))
    }

    /// Items of the body of a trait, or the public ones of an `impl` block.
    fn members(&self, mut at: usize, end: usize, all: bool) -> Vec<Item> {
        let mut found = Vec::new();
        while at < end {
            let start_of_attributes = at;
            let about = Attributes::read(self, &mut at, end, None);
            let start = at;
            let (is_public, mut keyword) = self.visibility(at);
            while self.is_qualifier(keyword) {
                keyword += 1;
            }
            // Only these: no item that has members of its own, which would let them nest without a bound.
            let is_member = matches!(self.word(keyword), "fn" | "type" | "const");
            let item = is_member.then(|| self.simple_item(start, keyword, end, is_public || all, about));
            match item.flatten() {
                Some((item, after)) => {
                    found.extend(item.filter(|item| item.is_public));
                    at = after;
                }
                None => at = self.skip(start),
            }
            at = at.max(start_of_attributes + 1);
        }
        found
    }

    /// An `impl` block; nothing for one of a trait, whose methods the trait documents.
    fn implementation(&self, at: usize, body: usize, after: usize) -> Option<Impl> {
        let mut name = at + 1;
        if self.word(name) == "<" {
            name = self.find_outside_angles(name + 1, body, &[">"]) + 1;
        }
        let last = self.find_outside_angles(name, body, &["for", "where"]);
        if self.word(last) == "for" {
            return None;
        }
        let mut target = Vec::new();
        let stop = self.find(name, last, &["<"]);
        for number in name..stop {
            if self.is(number, Kind::Word) {
                target.push(self.word(number).to_owned());
            }
        }
        let members = self.members(body + 1, after.saturating_sub(1), false);
        (!target.is_empty() && !members.is_empty()).then_some(Impl { target, members })
    }

    fn visibility(&self, at: usize) -> (bool, usize) {
        match (self.word(at), self.word(at + 1)) {
            ("pub", "(") => (false, self.skip(at + 1)),
            ("pub", _) => (true, at + 1),
            _ => (false, at),
        }
    }

    /// Whether the token stands between visibility and keyword.
    fn is_qualifier(&self, at: usize) -> bool {
        match self.word(at) {
            "async" | "unsafe" | "default" | "auto" | "safe" => self.is(at + 1, Kind::Word),
            "const" => matches!(self.word(at + 1), "fn" | "unsafe" | "async" | "extern"),
            "extern" => self.word(at + 1) == "fn" || self.word(at + 2) == "fn",
            word => word.starts_with('"') && self.word(at + 1) == "fn",
        }
    }
}
