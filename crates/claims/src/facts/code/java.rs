//! Java: types, members, constants, and the annotations of Spring and JAX-RS.

use tree_sitter::Node;

use super::Kind;
use super::reader::Reader;

pub(super) fn visit(node: Node<'_>, reader: &mut Reader<'_>) {
    match node.kind() {
        "class_declaration"
        | "interface_declaration"
        | "enum_declaration"
        | "record_declaration"
        | "annotation_type_declaration" => class(node, reader),
        "method_declaration" | "constructor_declaration" | "annotation_type_element_declaration" => {
            if let Some(name) = reader.field(node, "name") {
                reader.define(Kind::Function, name, node);
            }
            reader.open_function();
        }
        "enum_constant" => {
            if let Some(name) = reader.field(node, "name") {
                reader.define(Kind::Variant, name, node);
            }
        }
        "variable_declarator" if !reader.is_in_function() => {
            let Some(name) = reader.field(node, "name") else { return };
            reader.define(Kind::Field, name, node);
            if let Some(value) = node.child_by_field_name("value") {
                reader.value(name, value);
            }
        }
        "formal_parameter" if !reader.is_in_function() => {
            // The components of a record.
            if let Some(name) = reader.field(node, "name") {
                reader.define(Kind::Field, name, node);
            }
        }
        "annotation" => annotation(node, reader),
        "method_invocation" => {
            let (Some(name), Some(arguments)) =
                (reader.field(node, "name"), node.child_by_field_name("arguments"))
            else {
                return;
            };
            let mut cursor = arguments.walk();
            let strings: Vec<&str> = arguments
                .named_children(&mut cursor)
                .take(8)
                .filter(|argument| argument.kind() == "string_literal")
                .map(|argument| reader.text(argument))
                .collect();
            reader.call(name, &strings, node);
        }
        "string_literal" => reader.string(reader.text(node), node),
        _ => {}
    }
}

fn class(node: Node<'_>, reader: &mut Reader<'_>) {
    let Some(name) = reader.field(node, "name") else { return };
    reader.define(Kind::Type, name, node);
    let mut cursor = node.walk();
    for child in node.named_children(&mut cursor).take(12) {
        if matches!(child.kind(), "superclass" | "super_interfaces" | "extends_interfaces") {
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

fn annotation<'a>(node: Node<'_>, reader: &mut Reader<'a>) {
    let Some(name) = reader.field(node, "name") else { return };
    let arguments: &'a str = reader.field(node, "arguments").unwrap_or_default();
    if arguments.len() > 2_000 {
        return;
    }
    let strings: Vec<&str> = arguments.split('"').skip(1).step_by(2).collect();
    match name {
        // picocli and JCommander
        "Option" | "Parameter" => {
            for text in strings {
                for flag in text.split([',', ' ']).filter(|part| part.starts_with("--")) {
                    reader.flag(flag, node);
                }
            }
        }
        "Command" => reader.call("command", &strings, node),
        "RequestMapping" => {
            let method = arguments.split_once("RequestMethod.").map(|(_, rest)| rest);
            let method = method.and_then(|rest| rest.split(|c: char| !c.is_ascii_uppercase()).next());
            for path in strings.iter().filter(|path| !path.contains(' ')).take(5) {
                reader.route(method, &format!("/{}", path.trim_start_matches('/')), node);
            }
        }
        _ => reader.call(name, &strings, node),
    }
}
