//! TypeScript and JavaScript: declarations, members, exports, and keys of objects, which is how options are defined.

use tree_sitter::Node;

use super::Kind;
use super::reader::{Parent, Reader, bare, unquoted};

pub(super) fn visit(node: Node<'_>, reader: &mut Reader<'_>) {
    match node.kind() {
        "function_declaration" | "generator_function_declaration" | "function_signature" => {
            named(Kind::Function, node, reader);
            reader.open_function();
        }
        "arrow_function" | "function_expression" | "generator_function" => reader.open_function(),
        "class_declaration"
        | "abstract_class_declaration"
        | "class"
        | "interface_declaration"
        | "enum_declaration" => {
            class(node, reader);
        }
        "type_alias_declaration" => {
            named(Kind::Type, node, reader);
            if let Some(name) = reader.field(node, "name") {
                if let Some(value) =
                    node.child_by_field_name("value").filter(|value| value.kind() != "object_type")
                {
                    reader.base(name, reader.text(value));
                }
                reader.open_type(name);
            }
        }
        "internal_module" | "module" => {
            if let Some(name) = reader.field(node, "name") {
                reader.define(Kind::Module, name, node);
                reader.open_module(bare(name));
            }
        }
        "method_definition" | "method_signature" | "abstract_method_signature" => {
            named(Kind::Function, node, reader);
            if node.kind() == "method_definition" {
                reader.open_function();
            }
        }
        "property_signature" | "public_field_definition" | "field_definition" => {
            let name = reader.field(node, "name").or_else(|| reader.field(node, "property"));
            let Some(name) = name else { return };
            reader.define(Kind::Field, name, node);
            if let Some(value) = node.child_by_field_name("value") {
                reader.value(name, value);
                if value.kind() == "string" {
                    reader.named_text(name, reader.text(value), node);
                }
            }
        }
        "enum_assignment" => {
            named(Kind::Variant, node, reader);
            if let (Some(name), Some(value)) = (reader.field(node, "name"), node.child_by_field_name("value"))
            {
                reader.value(name, value);
            }
        }
        "property_identifier" if reader.is_in(Parent::EnumBody) => {
            reader.define(Kind::Variant, reader.text(node), node);
        }
        "variable_declarator" => variable(node, reader),
        "assignment_expression" => assignment(node, reader),
        "required_parameter" | "optional_parameter" => parameter(node, reader),
        "pair" => {
            let Some(name) = reader.field(node, "key") else { return };
            reader.define(Kind::Key, name, node);
            if let Some(value) = node.child_by_field_name("value") {
                reader.value(name, value);
                match value.kind() {
                    "string" => reader.named_text(bare(name), reader.text(value), node),
                    "object" => {
                        routes_of(name, value, reader);
                        reader.open_module(bare(name));
                    }
                    _ => {}
                }
            }
        }
        "shorthand_property_identifier" => reader.define(Kind::Key, reader.text(node), node),
        "object_assignment_pattern" => {
            if let (Some(name), Some(value)) = (reader.field(node, "left"), node.child_by_field_name("right"))
            {
                reader.value(name, value);
            }
        }
        "export_specifier" => {
            for name in [reader.field(node, "name"), reader.field(node, "alias")].into_iter().flatten() {
                reader.define(Kind::Reexport, name, node);
            }
        }
        // `export * as name from './file'`
        "namespace_export" => {
            let mut cursor = node.walk();
            let name = node.named_children(&mut cursor).next().map(|name| reader.text(name));
            if let Some(name) = name {
                reader.define(Kind::Reexport, name, node);
            }
        }
        "export_statement" => {
            let text = reader.text(node);
            reader.is_glob |= text.starts_with("export *") || text.starts_with("export type *");
        }
        "member_expression" => {
            // `process.env.NAME`, `import.meta.env.NAME`
            let object = reader.field(node, "object").unwrap_or_default();
            if let (true, Some(name)) = (object.ends_with(".env"), reader.field(node, "property")) {
                reader.string(name, node);
            }
        }
        "call_expression" => call(node, reader),
        "string" | "template_string" => reader.string(reader.text(node), node),
        _ => {}
    }
}

/// `'/users': { GET: …, POST: … }`
fn routes_of(name: &str, methods: Node<'_>, reader: &mut Reader<'_>) {
    let path = unquoted(name);
    if !path.starts_with('/') {
        return;
    }
    let mut cursor = methods.walk();
    for pair in methods.named_children(&mut cursor).take(40) {
        let key = reader.field(pair, "key").or_else(|| reader.field(pair, "name")).map(unquoted);
        if let Some(verb) =
            key.filter(|key| matches!(*key, "GET" | "POST" | "PUT" | "PATCH" | "DELETE" | "HEAD" | "OPTIONS"))
        {
            reader.route(Some(verb), path, pair);
        }
    }
}

fn named(kind: Kind, node: Node<'_>, reader: &mut Reader<'_>) {
    if let Some(name) = reader.field(node, "name") {
        reader.define(kind, name, node);
    }
}

fn class(node: Node<'_>, reader: &mut Reader<'_>) {
    let Some(name) = reader.field(node, "name") else { return };
    reader.define(Kind::Type, name, node);
    let mut cursor = node.walk();
    for child in node.named_children(&mut cursor).take(12) {
        if matches!(
            child.kind(),
            "class_heritage" | "extends_type_clause" | "extends_clause" | "implements_clause"
        ) {
            let text = reader.text(child);
            for base in text
                .split([',', ' ', '\n'])
                .filter(|word| !matches!(*word, "" | "extends" | "implements"))
                .take(20)
            {
                reader.base(name, base);
            }
        }
    }
    reader.open_type(name);
}

fn variable(node: Node<'_>, reader: &mut Reader<'_>) {
    let Some(name) = node.child_by_field_name("name") else { return };
    let value = node.child_by_field_name("value");
    let is_function =
        value.is_some_and(|value| matches!(value.kind(), "arrow_function" | "function_expression"));
    if name.kind() == "identifier" && (is_function || !reader.is_in_function()) {
        let kind = if is_function { Kind::Function } else { Kind::Constant };
        reader.define(kind, reader.text(name), node);
    } else if name.kind() == "object_pattern" {
        // `const { NAME } = process.env`
        let is_environment = value.is_some_and(|value| reader.text(value).ends_with(".env"));
        let mut cursor = name.walk();
        for child in name.named_children(&mut cursor).take(100) {
            let text = reader.text(child);
            let text = text.split([':', '=', ' ']).next().unwrap_or(text);
            if is_environment {
                reader.string(text, child);
            } else if !reader.is_in_function() {
                reader.define(Kind::Constant, text, child);
            }
        }
    }
    if let Some(value) = value {
        reader.value(reader.text(name), value);
        // `const Client = class …` and `const routes = { … }` have members.
        if matches!(value.kind(), "object" | "class" | "as_expression" | "satisfies_expression")
            && !reader.is_in_function()
        {
            reader.open_type(reader.text(name));
        }
    }
}

/// `exports.name = …`, `Client.prototype.name = …`, `this.name = …`
fn assignment(node: Node<'_>, reader: &mut Reader<'_>) {
    let Some(left) = node.child_by_field_name("left") else { return };
    if left.kind() != "member_expression" {
        return;
    }
    let (Some(object), Some(name)) = (reader.field(left, "object"), reader.field(left, "property")) else {
        return;
    };
    let within = match object {
        "this" => reader.within_type().map(str::to_owned),
        "exports" | "module" | "module.exports" => None,
        object => Some(bare(object.trim_end_matches(".prototype")).to_owned()),
    };
    reader.define_in(Kind::Field, name, within, node);
    if let Some(value) = node.child_by_field_name("right") {
        reader.value(name, value);
    }
}

/// `constructor(private readonly name: string)` defines a property.
fn parameter(node: Node<'_>, reader: &mut Reader<'_>) {
    let Some(name) = reader.field(node, "pattern") else { return };
    let text = reader.text(node);
    if ["public ", "private ", "protected ", "readonly "].iter().any(|word| text.starts_with(word)) {
        reader.define(Kind::Field, name, node);
    }
    if let Some(value) = node.child_by_field_name("value") {
        reader.value(name, value);
    }
}

fn call<'a>(node: Node<'_>, reader: &mut Reader<'a>) {
    let Some(function) = node.child_by_field_name("function") else { return };
    let Some(arguments) = node.child_by_field_name("arguments") else { return };
    let last = function.child_by_field_name("property").unwrap_or(function);
    let mut cursor = arguments.walk();
    let strings: Vec<&'a str> = arguments
        .named_children(&mut cursor)
        .take(8)
        .filter(|argument| matches!(argument.kind(), "string" | "template_string"))
        .map(|argument| reader.text(argument))
        .collect();
    let callee = reader.text(last);
    if callee.len() <= 80 {
        reader.call(callee, &strings, node);
    }
}
