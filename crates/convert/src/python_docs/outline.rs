//! What a module defines: functions and classes with their parameters and docstrings.

use std::collections::HashSet;

use super::lines::{Line, logical_lines};

/// A module.
#[derive(Debug, Default)]
pub(super) struct Outline {
    pub(super) docs: String,
    pub(super) definitions: Vec<Definition>,
    /// Names of a plain `__all__`.
    exported: Option<HashSet<String>>,
}

/// A class or a function.
#[derive(Debug, Default)]
pub(super) struct Definition {
    pub(super) name: String,
    pub(super) is_class: bool,
    pub(super) is_async: bool,
    pub(super) is_property: bool,
    /// With their parentheses, on one line; the bases of a class.
    pub(super) parameters: String,
    /// What a function returns.
    pub(super) returns: String,
    pub(super) docs: String,
    pub(super) methods: Vec<Definition>,
}

impl Definition {
    /// `async def name(a, b) -> int`.
    pub(super) fn signature(&self) -> String {
        let asynchronous = if self.is_async { "async " } else { "" };
        let arrow = if self.returns.is_empty() { "" } else { " -> " };
        format!("{asynchronous}def {}{}{arrow}{}", self.name, self.parameters, self.returns)
    }
}

/// What the lines being read belong to.
enum Scope {
    /// A class of the module.
    Class,
    /// A function of the module.
    Function,
    /// A method of the last class.
    Method,
    /// Something deeper, which is not shown.
    Other,
}

impl Outline {
    pub(super) fn of(source: &str) -> Outline {
        let source = source.strip_prefix('\u{feff}').unwrap_or(source);
        let mut outline = Outline::default();
        let mut scopes: Vec<(usize, Scope)> = Vec::new();
        let mut decorators: Vec<&str> = Vec::new();
        // Whether a string that comes next is the docstring of the innermost scope.
        let mut expects_docs = true;
        for line in logical_lines(source) {
            while scopes.last().is_some_and(|(indent, _)| *indent >= line.indent) {
                scopes.pop();
            }
            if let Some(decorator) = line.text.strip_prefix('@') {
                decorators.push(decorator.trim());
                expects_docs = false;
                continue;
            }
            if let Some((definition, rest)) = definition(&line, &decorators) {
                let scope = outline.add(definition, scopes.last().map(|(_, scope)| scope));
                scopes.push((line.indent, scope));
                expects_docs = rest.is_empty();
                decorators.clear();
                continue;
            }
            decorators.clear();
            if expects_docs && let Some(text) = docstring(line.text) {
                outline.document(scopes.last().map(|(_, scope)| scope), text);
            }
            expects_docs = false;
            if scopes.is_empty() {
                outline.read_exports(line.text);
            }
        }
        outline
    }

    pub(super) fn is_public(&self, name: &str) -> bool {
        match &self.exported {
            Some(exported) => exported.contains(name),
            None => !name.starts_with('_'),
        }
    }

    fn add(&mut self, definition: Definition, around: Option<&Scope>) -> Scope {
        match (around, definition.is_class) {
            (None, is_class) => {
                self.definitions.push(definition);
                if is_class { Scope::Class } else { Scope::Function }
            }
            (Some(Scope::Class), false) => match self.definitions.last_mut() {
                Some(class) => {
                    class.methods.push(definition);
                    Scope::Method
                }
                None => Scope::Other,
            },
            _ => Scope::Other,
        }
    }

    fn document(&mut self, scope: Option<&Scope>, text: String) {
        let last = self.definitions.last_mut();
        let target = match scope {
            None => Some(&mut self.docs),
            Some(Scope::Class | Scope::Function) => last.map(|definition| &mut definition.docs),
            Some(Scope::Method) => {
                last.and_then(|class| class.methods.last_mut()).map(|method| &mut method.docs)
            }
            Some(Scope::Other) => None,
        };
        if let Some(target) = target {
            *target = text;
        }
    }

    fn read_exports(&mut self, line: &str) {
        let Some(rest) = line.strip_prefix("__all__") else { return };
        let value = rest.trim_start().strip_prefix('=').map(str::trim);
        let inside = value.and_then(|value| {
            value
                .strip_prefix('[')
                .and_then(|value| value.strip_suffix(']'))
                .or_else(|| value.strip_prefix('(').and_then(|value| value.strip_suffix(')')))
        });
        // Anything but a plain list of strings, or a list that grows later, says nothing.
        self.exported = inside.and_then(plain_strings).filter(|_| self.exported.is_none());
    }
}

/// Strings between commas, with comments between the lines.
fn plain_strings(text: &str) -> Option<HashSet<String>> {
    let mut names = HashSet::new();
    let lines = text.lines().map(|line| line.split('#').next().unwrap_or_default());
    for part in lines.flat_map(|line| line.split(',')).map(str::trim).filter(|part| !part.is_empty()) {
        let quote = part.chars().next().filter(|quote| matches!(quote, '"' | '\''))?;
        let name = part.strip_prefix(quote)?.strip_suffix(quote)?;
        names.insert(name.to_owned());
    }
    Some(names)
}

/// The class or function that a line defines, and what stands behind its colon.
fn definition<'a>(line: &Line<'a>, decorators: &[&str]) -> Option<(Definition, &'a str)> {
    let text = line.text;
    let (is_async, text) = match text.strip_prefix("async") {
        Some(rest) if rest.starts_with([' ', '\t']) => (true, rest.trim_start()),
        _ => (false, text),
    };
    let is_class = text.starts_with("class");
    let rest = text.strip_prefix("class").or_else(|| text.strip_prefix("def"))?;
    let rest = rest.strip_prefix([' ', '\t'])?.trim_start();
    let end = rest.find(|char: char| !(char.is_alphanumeric() || char == '_')).unwrap_or(rest.len());
    let (name, rest) = rest.split_at(end);
    let (head, body) = split_at_colon(rest)?;
    let (parameters, returns) = split_at_arrow(head);
    let parameters = one_line(parameters);
    let is_overload = decorators.iter().any(|decorator| decorator.ends_with("overload"));
    let is_property = decorators.iter().any(|decorator| {
        let name = decorator.split('(').next().unwrap_or_default();
        name == "property" || name.ends_with("cached_property") || name.ends_with("abstractproperty")
    });
    let is_setter =
        decorators.iter().any(|decorator| decorator.ends_with(".setter") || decorator.ends_with(".deleter"));
    // These are no names that anybody looks for; `_` keeps them out of the page.
    let name = if is_overload || is_setter || name.is_empty() { "_" } else { name };
    let definition = Definition {
        name: name.to_owned(),
        is_class,
        is_async,
        is_property,
        parameters: if is_class && parameters == "()" { String::new() } else { parameters },
        returns: one_line(returns),
        ..Definition::default()
    };
    Some((definition, body.trim()))
}

/// Before and behind the colon that begins a block.
fn split_at_colon(text: &str) -> Option<(&str, &str)> {
    let at = find_outside_brackets(text, |rest| rest.starts_with(':'))?;
    Some((text.get(..at)?, text.get(at + 1..)?))
}

fn split_at_arrow(text: &str) -> (&str, &str) {
    match find_outside_brackets(text, |rest| rest.starts_with("->")) {
        Some(at) => (text.get(..at).unwrap_or_default(), text.get(at + 2..).unwrap_or_default()),
        None => (text, ""),
    }
}

/// Where something stands that is in no bracket and no string.
fn find_outside_brackets(text: &str, is_it: impl Fn(&str) -> bool) -> Option<usize> {
    let mut depth = 0_usize;
    let mut quote = None;
    for (at, char) in text.char_indices() {
        match (quote, char) {
            (Some(open), _) if open == char => quote = None,
            (Some(_), _) => {}
            (None, '"' | '\'') => quote = Some(char),
            (None, '(' | '[' | '{') => depth += 1,
            (None, ')' | ']' | '}') => depth = depth.saturating_sub(1),
            _ if depth == 0 && is_it(text.get(at..).unwrap_or_default()) => return Some(at),
            _ => {}
        }
    }
    None
}

/// Parameters on one line, without comments and without a comma at their end.
fn one_line(text: &str) -> String {
    let without_comment = |line: &str| -> String {
        let at = comment_start(line);
        line.get(..at).unwrap_or(line).trim().to_owned()
    };
    let parts: Vec<String> = text.lines().map(without_comment).filter(|line| !line.is_empty()).collect();
    let joined = parts.join(" ");
    let joined = joined.replace("( ", "(").replace(", )", ")").replace(",)", ")").replace(" )", ")");
    joined.trim().to_owned()
}

/// Where the comment of a line begins.
fn comment_start(line: &str) -> usize {
    let mut quote = None;
    for (at, char) in line.char_indices() {
        match (quote, char) {
            (Some(open), _) if open == char => quote = None,
            (None, '"' | '\'') => quote = Some(char),
            (None, '#') => return at,
            _ => {}
        }
    }
    line.len()
}

/// The value of a line that is nothing but a string.
fn docstring(line: &str) -> Option<String> {
    let quotes = line.find(['"', '\''])?;
    let (prefix, literal) = line.split_at(quotes);
    let is_raw = prefix.eq_ignore_ascii_case("r");
    if !(prefix.is_empty() || is_raw || prefix.eq_ignore_ascii_case("u")) {
        return None;
    }
    let delimiter = ["\"\"\"", "'''", "\"", "'"].into_iter().find(|quotes| literal.starts_with(quotes))?;
    let inner = literal.strip_prefix(delimiter)?;
    let inner = inner.strip_suffix(delimiter)?;
    if delimiter.len() == 1 && inner.contains(delimiter) && !inner.contains('\\') {
        return None;
    }
    Some(if is_raw { inner.to_owned() } else { unescaped(inner) })
}

fn unescaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars();
    while let Some(char) = chars.next() {
        if char != '\\' {
            out.push(char);
            continue;
        }
        match chars.next() {
            Some('n') => out.push('\n'),
            Some('t') => out.push('\t'),
            Some('\n') => {}
            Some(quote @ ('\\' | '"' | '\'')) => out.push(quote),
            Some(other) => out.extend(['\\', other]),
            None => out.push('\\'),
        }
    }
    out
}
