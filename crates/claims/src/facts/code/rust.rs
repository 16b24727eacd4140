//! Rust: items, members, re-exports, what attributes of clap and serde rename, and what macros at item level list.

use tree_sitter::Node;

use super::Kind;
use super::reader::{Reader, unquoted};
use super::words::{kebab, screaming};

/// What makes the variants of an enumeration subcommands.
pub(crate) const COMMAND_DERIVES: &[&str] = &["Clap", "Parser", "StructOpt", "Subcommand"];

pub(super) fn visit(node: Node<'_>, reader: &mut Reader<'_>) {
    match node.kind() {
        "attribute_item" | "inner_attribute_item" => attribute(node, reader),
        "function_item" | "function_signature_item" => {
            reader.attributes.clear();
            if let Some(name) = reader.field(node, "name") {
                reader.define(Kind::Function, name, node);
            }
            reader.open_function();
        }
        "struct_item" | "enum_item" | "union_item" | "trait_item" => type_item(node, reader),
        "type_item" | "associated_type" => named(Kind::Type, node, reader),
        "const_item" | "static_item" => {
            reader.attributes.clear();
            let Some(name) = reader.field(node, "name") else { return };
            reader.define(Kind::Constant, name, node);
            if let Some(value) = node.child_by_field_name("value") {
                reader.value(name, value);
            }
        }
        "mod_item" => {
            reader.attributes.clear();
            if let Some(name) = reader.field(node, "name") {
                reader.define(Kind::Module, name, node);
                reader.open_module(name);
            }
        }
        "macro_definition" => named(Kind::Function, node, reader),
        "impl_item" => {
            reader.attributes.clear();
            let Some(name) = reader.field(node, "type") else { return };
            if let Some(base) = reader.field(node, "trait") {
                reader.base(name, base);
            }
            reader.open_type(name);
        }
        "field_declaration" => member(Kind::Field, node, reader),
        "enum_variant" => member(Kind::Variant, node, reader),
        "use_declaration" => re_export(node, reader),
        "macro_invocation" => {
            if !reader.is_in_function() {
                listed(node, reader);
            }
            built(node, reader);
        }
        "field_initializer" => {
            if let (Some(name), Some(value)) =
                (reader.field(node, "field"), node.child_by_field_name("value"))
            {
                reader.value(name, value);
            }
        }
        "call_expression" => call(node, reader),
        "string_literal" | "raw_string_literal" => reader.string(reader.text(node), node),
        _ => {}
    }
}

fn named(kind: Kind, node: Node<'_>, reader: &mut Reader<'_>) {
    reader.attributes.clear();
    if let Some(name) = reader.field(node, "name") {
        reader.define(kind, name, node);
    }
}

fn attribute<'a>(node: Node<'_>, reader: &mut Reader<'a>) {
    let text = reader.text(node);
    if text.len() > 4_000 {
        return;
    }
    reader.attributes.push(text);
    // `#[get("/users")]`
    let inner = text.trim_start_matches(['#', '!', '[']);
    let name = inner.split(['(', '=', ']', ' ']).next().unwrap_or_default();
    let strings = quoted(inner);
    reader.call(name, &strings, node);
    for string in strings {
        reader.string(string, node);
    }
}

fn type_item(node: Node<'_>, reader: &mut Reader<'_>) {
    let attributes = std::mem::take(&mut reader.attributes);
    let Some(name) = reader.field(node, "name") else { return };
    reader.define(Kind::Type, name, node);
    for attribute in attributes {
        let Some((_, derived)) = attribute.split_once("derive(") else { continue };
        for base in derived.split([',', ')', ']']).map(str::trim).filter(|base| !base.is_empty()) {
            reader.base(name, base);
        }
    }
    if let Some(bounds) = reader.field(node, "bounds") {
        for base in bounds.trim_start_matches(':').split('+') {
            reader.base(name, base.trim());
        }
    }
    reader.open_type(name);
}

fn member(kind: Kind, node: Node<'_>, reader: &mut Reader<'_>) {
    let attributes = std::mem::take(&mut reader.attributes);
    let Some(name) = reader.field(node, "name") else { return };
    reader.define(kind, name, node);
    if kind == Kind::Variant {
        let within = reader.within_type().unwrap_or_default();
        if COMMAND_DERIVES.iter().any(|base| reader.is_a(within, base)) {
            reader.command(&kebab(name), node);
        }
        if let Some(value) = node.child_by_field_name("value") {
            reader.value(name, value);
        }
    }
    for attribute in attributes {
        let inner = unconditional(attribute);
        let is_clap = ["arg", "clap", "command", "structopt", "argh", "cli"]
            .iter()
            .any(|path| inner.strip_prefix(path).is_some_and(|rest| rest.starts_with('(')));
        for string in quoted(inner) {
            let text = unquoted(string);
            if is_clap {
                reader.flag(text, node);
                reader.command(text, node);
            }
            if inner.starts_with("serde") {
                reader.define(Kind::Key, text, node);
            }
        }
        if is_clap && kind == Kind::Field {
            // Arguments without `long` are positional; to take them for flags only keeps a claim alive.
            reader.flag(&kebab(name), node);
            if inner.contains("env") {
                reader.string(&screaming(name), node);
            }
            if let Some(value) = default(inner) {
                reader.named_value(name, value, node);
            }
        }
    }
}

/// What an attribute says: of `#[cfg_attr(feature = "cli", arg(long))]` the `arg(long))]`.
fn unconditional(attribute: &str) -> &str {
    let inner = attribute.trim_start_matches(['#', '[']);
    let Some(conditional) = inner.strip_prefix("cfg_attr(") else { return inner };
    let mut depth = 0;
    for (at, character) in conditional.char_indices() {
        match character {
            '(' => depth += 1,
            ')' => depth -= 1,
            ',' if depth == 0 => return conditional.get(at + 1..).unwrap_or_default().trim_start(),
            _ => {}
        }
    }
    inner
}

/// The value of `default_value = "8080"` or `default_value_t = 8080`.
fn default(attribute: &str) -> Option<&str> {
    let at = attribute.find("default_value")?;
    let (_, value) = attribute.get(at..)?.split_once('=')?;
    let value = value.trim_start();
    let end = if let Some(rest) = value.strip_prefix('"') {
        rest.find('"')? + 2
    } else {
        value.find([',', ')'])?
    };
    value.get(..end).map(str::trim)
}

fn re_export(node: Node<'_>, reader: &mut Reader<'_>) {
    reader.attributes.clear();
    let text = reader.text(node);
    if !text.starts_with("pub") {
        return;
    }
    for name in text.split(|character: char| !(character.is_alphanumeric() || "_*".contains(character))) {
        match name {
            "" | "pub" | "use" | "crate" | "self" | "super" | "as" | "in" => {}
            "*" => reader.is_glob = true,
            name => reader.define(Kind::Reexport, name, node),
        }
    }
}

/// A macro between items defines some of the names that it lists.
fn listed(node: Node<'_>, reader: &mut Reader<'_>) {
    let text = reader.text(node);
    let Some((_, listed)) = text.split_once('!') else { return };
    for name in listed.split(|character: char| !(character.is_alphanumeric() || character == '_')).take(5_000)
    {
        if name.len() > 3 && !name.starts_with(|first: char| first.is_ascii_digit()) {
            reader.define(Kind::Key, name, node);
        }
    }
}

/// Commands that are made in the arguments of a macro, which have no syntax of their own: `vec![Command::new("list")]`.
fn built(node: Node<'_>, reader: &mut Reader<'_>) {
    for maker in ["Command::new(", "App::new(", "SubCommand::with_name("] {
        for arguments in reader.text(node).split(maker).skip(1).map(str::trim_start) {
            if let Some(name) = arguments.strip_prefix('"').and_then(|rest| rest.split('"').next()) {
                reader.command(name, node);
            }
        }
    }
}

fn call<'a>(node: Node<'_>, reader: &mut Reader<'a>) {
    let Some(function) = node.child_by_field_name("function") else { return };
    let Some(arguments) = node.child_by_field_name("arguments") else { return };
    // Of a chain of calls only the last name matters.
    let last = function.child_by_field_name("field").unwrap_or(function);
    let callee = reader.text(last);
    let mut cursor = arguments.walk();
    let strings: Vec<&'a str> = arguments
        .named_children(&mut cursor)
        .take(8)
        .filter(|argument| argument.kind().ends_with("string_literal"))
        .map(|argument| reader.text(argument))
        .collect();
    // axum: `.route("/users", get(list).post(create))`
    let verbs = if callee == "route" { reader.text(arguments) } else { "" };
    let mut methods: Vec<&str> = Vec::new();
    for verb in ["get", "post", "put", "patch", "delete", "head", "options"] {
        let is_called = |(at, _): (usize, &str)| {
            let before = verbs.get(..at).and_then(|before| before.chars().next_back());
            let after = verbs.get(at + verb.len()..).and_then(|after| after.chars().next());
            after == Some('(') && !before.is_some_and(|before| before.is_alphanumeric() || before == '_')
        };
        if verbs.len() < 2_000 && verbs.match_indices(verb).any(is_called) {
            methods.push(verb);
        }
    }
    if let (false, Some(path)) = (methods.is_empty(), strings.first()) {
        for method in methods {
            reader.route(Some(method), unquoted(path), node);
        }
        return;
    }
    reader.call(callee, &strings, node);
}

/// The texts in an attribute, with their quotes.
fn quoted(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut rest = text;
    while let Some(start) = rest.find('"') {
        let Some(after) = rest.get(start + 1..) else { break };
        let Some(end) = after.find('"') else { break };
        found.extend(rest.get(start..start + end + 2));
        rest = after.get(end + 1..).unwrap_or_default();
    }
    found
}
