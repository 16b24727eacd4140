//! Python: modules, classes with their attributes, functions, what `__init__` passes on, and the decorators of click,
//! typer, FastAPI and Flask.

use tree_sitter::Node;

use super::Kind;
use super::reader::{Parent, Reader, unquoted};
use super::words::kebab;

pub(super) fn visit(node: Node<'_>, reader: &mut Reader<'_>) {
    match node.kind() {
        "class_definition" => {
            let Some(name) = reader.field(node, "name") else { return };
            reader.define(Kind::Type, name, node);
            if let Some(bases) = reader.field(node, "superclasses") {
                for base in bases.trim_matches(['(', ')']).split(',').map(str::trim) {
                    // `metaclass=ABCMeta` says as little about the members as a foreign base.
                    reader.base(name, base.rsplit('=').next().unwrap_or(base));
                }
            }
            reader.open_type(name);
        }
        "function_definition" => {
            let Some(name) = reader.field(node, "name") else { return };
            reader.define(Kind::Function, name, node);
            reader.open_function();
        }
        "decorated_definition" => decorated(node, reader),
        "assignment" => assignment(node, reader),
        "typed_parameter" | "typed_default_parameter" | "default_parameter" => parameter(node, reader),
        "import_from_statement" if reader.path.ends_with("__init__.py") || reader.path.ends_with(".pyi") => {
            re_export(node, reader);
        }
        "call" => call(node, reader),
        "keyword_argument" => {
            if let (Some(name), Some(value)) = (reader.field(node, "name"), node.child_by_field_name("value"))
            {
                reader.value(name, value);
                if value.kind() == "string" {
                    reader.named_text(name, reader.text(value), node);
                }
            }
        }
        "pair" => {
            let key = node.child_by_field_name("key").filter(|key| key.kind() == "string");
            if let (Some(key), Some(value)) = (key, node.child_by_field_name("value")) {
                reader.value(reader.text(key), value);
            }
        }
        // A docstring is a document of its own.
        "string" if !reader.is_in(Parent::Statement) => reader.string(reader.text(node), node),
        _ => {}
    }
}

fn decorated(node: Node<'_>, reader: &mut Reader<'_>) {
    let Some(name) =
        node.child_by_field_name("definition").and_then(|definition| reader.field(definition, "name"))
    else {
        return;
    };
    let mut cursor = node.walk();
    for decorator in node.children(&mut cursor).filter(|child| child.kind() == "decorator").take(20) {
        let text = reader.text(decorator);
        let callee = text.trim_start_matches('@').split('(').next().unwrap_or_default().trim();
        let is_command = matches!(callee.rsplit('.').next(), Some("command" | "group" | "callback"));
        if is_command {
            reader.command(&kebab(name), node);
            reader.command(&kebab(name.trim_end_matches("_command").trim_end_matches("_cmd")), node);
        }
    }
}

fn assignment(node: Node<'_>, reader: &mut Reader<'_>) {
    let Some(left) = node.child_by_field_name("left") else { return };
    let right = node.child_by_field_name("right");
    match left.kind() {
        "identifier" if !reader.is_in_function() => {
            let kind = if reader.within_type().is_some() { Kind::Field } else { Kind::Constant };
            reader.define(kind, reader.text(left), node);
        }
        "attribute" => {
            let object = reader.field(left, "object");
            if let (Some("self" | "cls"), Some(name)) = (object, reader.field(left, "attribute")) {
                let within = reader.within_type().map(str::to_owned);
                reader.define_in(Kind::Field, name, within, node);
            }
        }
        "pattern_list" | "tuple_pattern" if !reader.is_in_function() => {
            let mut cursor = left.walk();
            for name in left.named_children(&mut cursor).filter(|child| child.kind() == "identifier").take(50)
            {
                reader.define(Kind::Constant, reader.text(name), node);
            }
        }
        _ => {}
    }
    if let Some(right) = right {
        reader.value(reader.text(left), right);
    }
}

fn parameter(node: Node<'_>, reader: &mut Reader<'_>) {
    let first = node.named_child(0).map(|child| reader.text(child));
    let Some(name) = reader.field(node, "name").or(first) else { return };
    if reader.has_flags_of_parameters {
        reader.define(Kind::Parameter, name, node);
    }
    if let Some(value) = node.child_by_field_name("value") {
        reader.value(name, value);
    }
}

fn re_export(node: Node<'_>, reader: &mut Reader<'_>) {
    let mut cursor = node.walk();
    let children: Vec<Node<'_>> = node.named_children(&mut cursor).take(500).collect();
    for child in children.into_iter().skip(1) {
        match child.kind() {
            "dotted_name" => reader.define(Kind::Reexport, reader.text(child), child),
            "aliased_import" => {
                if let Some(name) = reader.field(child, "alias") {
                    reader.define(Kind::Reexport, name, child);
                }
            }
            "wildcard_import" => reader.is_glob = true,
            _ => {}
        }
    }
}

/// `App(name="schedule")`, `@app.command(name="pause")`
fn named(callee: &str, argument: Node<'_>, reader: &mut Reader<'_>) {
    let is_command = matches!(
        callee.rsplit('.').next(),
        Some("App" | "Command" | "Group" | "Typer" | "add_command" | "add_typer" | "command" | "group")
    );
    let (key, value) = (reader.field(argument, "name"), argument.child_by_field_name("value"));
    if let (true, Some("name" | "alias"), Some(value)) = (is_command, key, value)
        && value.kind() == "string"
    {
        reader.command(unquoted(reader.text(value)), argument);
    }
}

fn call<'a>(node: Node<'_>, reader: &mut Reader<'a>) {
    let Some(callee) = reader.field(node, "function") else { return };
    let Some(arguments) = node.child_by_field_name("arguments") else { return };
    let mut strings: Vec<&'a str> = Vec::new();
    let mut is_negatable = false;
    let mut cursor = arguments.walk();
    for argument in arguments.named_children(&mut cursor).take(30) {
        match argument.kind() {
            "string" => strings.push(reader.text(argument)),
            "keyword_argument" => {
                let text = reader.text(argument);
                is_negatable |= text.contains("BooleanOptionalAction");
                // `methods=["POST"]`
                if text.starts_with("methods") && text.len() < 200 {
                    strings.extend(text.split(['"', '\'']).skip(1).step_by(2));
                }
                named(callee, argument, reader);
            }
            _ => {}
        }
    }
    if is_negatable {
        for flag in strings.iter().filter_map(|text| unquoted(text).strip_prefix("--")) {
            reader.flag(&format!("no-{flag}"), node);
        }
    }
    // `getattr(self, "name")` and chains are long; the end says what is called.
    let start = callee.len().saturating_sub(80);
    reader.call(callee.get(start..).unwrap_or(callee), &strings, node);
}
