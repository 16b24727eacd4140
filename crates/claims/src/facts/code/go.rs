//! Go: declarations with their receivers, fields with their tags, and named texts of cobra and its kin.

use tree_sitter::Node;

use super::Kind;
use super::reader::{Reader, bare};

pub(super) fn visit(node: Node<'_>, reader: &mut Reader<'_>) {
    match node.kind() {
        "package_clause" => {
            if let Some(name) = node.named_child(0).map(|child| reader.text(child)) {
                reader.define(Kind::Module, name, node);
            }
        }
        "function_declaration" => {
            if let Some(name) = reader.field(node, "name") {
                reader.define(Kind::Function, name, node);
            }
            reader.open_function();
        }
        "method_declaration" => {
            let receiver = reader.field(node, "receiver").unwrap_or_default();
            let receiver = receiver.trim_matches(['(', ')']).rsplit([' ', '*']).next().unwrap_or_default();
            if let Some(name) = reader.field(node, "name") {
                reader.define_in(Kind::Function, name, Some(bare(receiver).to_owned()), node);
            }
            reader.open_function();
        }
        "type_spec" | "type_alias" => {
            let Some(name) = reader.field(node, "name") else { return };
            reader.define(Kind::Type, name, node);
            let value = node.child_by_field_name("type");
            if let Some(value) =
                value.filter(|value| !matches!(value.kind(), "struct_type" | "interface_type"))
            {
                reader.base(name, reader.text(value));
            }
            reader.open_type(name);
        }
        "field_declaration" => field(node, reader),
        "method_elem" | "method_spec" => {
            if let Some(name) = reader.field(node, "name") {
                reader.define(Kind::Function, name, node);
            }
        }
        "type_elem" => {
            // An embedded interface.
            if let Some(within) = reader.within_type().map(str::to_owned) {
                reader.base(&within, reader.text(node));
            }
        }
        "const_spec" | "var_spec" if !reader.is_in_function() => {
            let mut cursor = node.walk();
            let names: Vec<Node<'_>> = node.children_by_field_name("name", &mut cursor).take(50).collect();
            for name in &names {
                reader.define(Kind::Constant, reader.text(*name), node);
            }
            let value = node.child_by_field_name("value").and_then(|values| values.named_child(0));
            if let (Some(name), Some(value)) = (names.first(), value) {
                reader.value(reader.text(*name), value);
            }
        }
        "keyed_element" => {
            let (Some(key), Some(value)) = (node.named_child(0), node.named_child(1)) else { return };
            let (name, text) = (reader.text(key), reader.text(value));
            if value.byte_range().len() <= 200 {
                let is_name = matches!(name, "Name" | "Aliases" | "Alias");
                if is_name && !is_of_command_line(node, reader) {
                    // A name in a table of anything.
                } else if text.starts_with(['"', '`']) {
                    reader.named_text(name, text, node);
                } else if is_name {
                    for alias in text.split('"').skip(1).step_by(2) {
                        reader.named_text(name, alias, node);
                    }
                }
                if let Some(literal) = value.named_child(0) {
                    reader.value(name, literal);
                }
            }
        }
        "call_expression" => call(node, reader),
        "interpreted_string_literal" | "raw_string_literal" => reader.string(reader.text(node), node),
        _ => {}
    }
}

/// Whether a key belongs to a literal such as `cli.Command{…}` or `[]cli.Flag{{…}}`.
fn is_of_command_line(node: Node<'_>, reader: &Reader<'_>) -> bool {
    let mut above = node.parent();
    // A few levels: the type may be named by the list around the literal.
    for _ in 0..8 {
        let Some(node) = above else { return false };
        if let Some(kind) = reader.field(node, "type").filter(|_| node.kind() == "composite_literal") {
            return ["App", "Command", "Flag", "cli."].iter().any(|part| kind.contains(part));
        }
        above = node.parent();
    }
    false
}

fn field(node: Node<'_>, reader: &mut Reader<'_>) {
    let mut cursor = node.walk();
    let names: Vec<Node<'_>> = node.children_by_field_name("name", &mut cursor).take(50).collect();
    for name in &names {
        reader.define(Kind::Field, reader.text(*name), node);
    }
    if names.is_empty() {
        // An embedded type lends its members.
        let embedded = reader.field(node, "type").map(bare);
        if let (Some(base), Some(within)) = (embedded, reader.within_type().map(str::to_owned)) {
            reader.define(Kind::Field, base, node);
            reader.base(&within, base);
        }
    }
    // `yaml:"port,omitempty" env:"PORT"`
    let tag = reader.field(node, "tag").unwrap_or_default();
    for text in tag.split('"').skip(1).step_by(2).take(20) {
        let name = text.split(',').next().unwrap_or(text);
        reader.define(Kind::Key, name, node);
        reader.string(name, node);
    }
}

fn call<'a>(node: Node<'_>, reader: &mut Reader<'a>) {
    let Some(callee) = reader.field(node, "function") else { return };
    let Some(arguments) = node.child_by_field_name("arguments") else { return };
    let mut cursor = arguments.walk();
    let strings: Vec<&'a str> = arguments
        .named_children(&mut cursor)
        .take(8)
        .filter(|argument| argument.kind().ends_with("string_literal"))
        .map(|argument| reader.text(argument))
        .collect();
    let start = callee.len().saturating_sub(80);
    reader.call(callee.get(start..).unwrap_or(callee), &strings, node);
}
