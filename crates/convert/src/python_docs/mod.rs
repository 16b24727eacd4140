//! Documentation of a Python module from the docstrings in its source.
//!
//! Nothing is imported or run: the source is cut into logical lines, and of these only `class`, `def`, docstrings and a
//! plain `__all__` are looked at.

mod docstring;
mod lines;
mod outline;

use crate::markdown::push_code;
use outline::{Definition, Outline};

/// Longer parameters are left out of a heading.
const HEADING: usize = 60;
/// Longer signatures have one parameter a line.
const LINE: usize = 96;

/// The page of a module, or nothing when it says nothing about itself.
pub fn module_page(module: &str, source: &str) -> Option<String> {
    let outline = Outline::of(source);
    let mut out = format!("# {module}\n\n");
    let bare = out.len();
    push_docs(&mut out, &outline.docs);
    for definition in outline.definitions.iter().filter(|definition| outline.is_public(&definition.name)) {
        match definition.is_class {
            true => push_class(&mut out, definition),
            false => push_function(&mut out, definition),
        }
    }
    (out.len() > bare).then(|| format!("{}\n", out.trim_end()))
}

fn push_class(out: &mut String, class: &Definition) {
    let is_shown = |method: &&Definition| !method.name.starts_with('_') && !method.docs.is_empty();
    let constructor = class.methods.iter().find(|method| method.name == "__init__");
    let docs_of_constructor = constructor.map(|method| method.docs.as_str()).unwrap_or_default();
    if class.docs.is_empty()
        && docs_of_constructor.is_empty()
        && !class.methods.iter().any(|method| is_shown(&method))
    {
        return;
    }
    out.push_str(&format!("## class {}\n\n", class.name));
    let mut signature = format!("class {}{}", class.name, class.parameters);
    if let Some(constructor) = constructor {
        signature.push_str(&format!("\n\n{}{}", class.name, without_self(&constructor.parameters)));
    }
    push_code(out, "python", &broken(&signature));
    push_docs(out, &class.docs);
    push_docs(out, docs_of_constructor);
    for method in class.methods.iter().filter(is_shown) {
        let parameters = without_self(&method.parameters);
        let shown = match method.is_property {
            true => String::new(),
            false => short(&parameters),
        };
        out.push_str(&format!(
            "### {}.{}{}\n\n",
            class.name,
            method.name,
            crate::markdown::escape_heading(&shown)
        ));
        if !method.is_property {
            push_code(out, "python", &broken(&method.signature()));
        }
        push_docs(out, &method.docs);
    }
}

fn push_function(out: &mut String, function: &Definition) {
    if function.docs.is_empty() {
        return;
    }
    let parameters = crate::markdown::escape_heading(&short(&function.parameters));
    out.push_str(&format!("## def {}{parameters}\n\n", function.name));
    push_code(out, "python", &broken(&function.signature()));
    push_docs(out, &function.docs);
}

fn push_docs(out: &mut String, docs: &str) {
    let text = docstring::markdown(docs);
    if !text.is_empty() {
        out.push_str(&text);
        out.push_str("\n\n");
    }
}

/// Parameters as a caller sees them.
fn without_self(parameters: &str) -> String {
    let inside = parameters.strip_prefix('(').unwrap_or(parameters);
    for own in ["self", "cls"] {
        if let Some(rest) = inside.strip_prefix(own)
            && rest.starts_with([',', ')', '/'])
        {
            let rest = rest.trim_start_matches(',').trim_start();
            return format!("({}", rest.strip_prefix("/, ").unwrap_or(rest));
        }
    }
    parameters.to_owned()
}

fn short(parameters: &str) -> String {
    if parameters.len() <= HEADING { parameters.to_owned() } else { "(…)".to_owned() }
}

/// A long signature with one parameter a line.
fn broken(signature: &str) -> String {
    let mut out = String::with_capacity(signature.len());
    for line in signature.lines() {
        if !out.is_empty() {
            out.push('\n');
        }
        let span = line.find('(').zip(line.rfind(')')).filter(|_| line.len() > LINE);
        let Some((open, close)) = span.filter(|(open, close)| open < close) else {
            out.push_str(line);
            continue;
        };
        out.push_str(line.get(..=open).unwrap_or_default());
        let mut depth = 0_usize;
        out.push_str("\n    ");
        for char in line.get(open + 1..close).unwrap_or_default().chars() {
            match char {
                '(' | '[' | '{' => depth += 1,
                ')' | ']' | '}' => depth = depth.saturating_sub(1),
                _ => {}
            }
            if char == ' ' && depth == 0 && out.ends_with(',') {
                out.push_str("\n    ");
            } else {
                out.push(char);
            }
        }
        out.push_str(",\n");
        out.push_str(line.get(close..).unwrap_or_default());
    }
    out
}
