//! What calls, annotations and named values of the usual libraries define: flags, subcommands, routes.
//!
//! Libraries agree on more than they differ: a flag is a text with two dashes or the first text of `option(…)`, a route
//! is a text after a verb. So the rules go by the name of what is called, whatever the language.

use tree_sitter::Node;

use super::reader::{Reader, unquoted};

impl<'a> Reader<'a> {
    /// Something is called with these texts as arguments: `callee` as written, such as `router.get`.
    pub(super) fn call(&mut self, callee: &str, strings: &[&'a str], node: Node<'_>) {
        let name = callee.rsplit(['.', ':', '>']).next().unwrap_or(callee);
        let texts: Vec<&str> = strings.iter().map(|text| unquoted(text)).collect();
        self.command_line(callee, name, &texts, node);
        self.routes(name, &texts, node);
    }

    /// A name is given a text, as a key of an object or a named argument.
    pub(super) fn named_text(&mut self, name: &str, text: &str, node: Node<'_>) {
        let text = unquoted(text);
        let first = text.split_whitespace().next().unwrap_or_default();
        match name {
            "Use" | "command" | "Command" => self.command(first, node),
            "Name" if is_usage(text) => self.command(first, node),
            "Name" | "Aliases" | "Alias" if first == text => {
                self.command(text, node);
                self.flag(text, node);
            }
            "prefix" | "url_prefix" | "basePath" | "path" | "url" | "root_path" if text.starts_with('/') => {
                self.route(None, text, node);
            }
            _ => {}
        }
    }

    fn command_line(&mut self, callee: &str, name: &str, texts: &[&str], node: Node<'_>) {
        let Some(first) = texts.first() else { return };
        match name {
            "long" | "long_flag" | "visible_alias" | "alias" | "aliases" | "visible_aliases" => {
                for text in texts {
                    self.flag(text, node);
                    self.command(text, node);
                }
            }
            "add_argument" | "option" | "Option" | "addOption" | "add_option" | "requiredOption"
            | "argument" | "flag" => {
                for text in texts {
                    let dashed =
                        text.split([' ', ',', '/', '=', '|', '<', '[']).filter(|part| part.starts_with("--"));
                    for flag in dashed {
                        self.flag(flag, node);
                    }
                }
                if name.eq_ignore_ascii_case("option") && !first.starts_with('-') {
                    self.flag(first, node);
                }
            }
            "command" | "createCommand" | "add_parser" | "addCommand" | "subcommand" | "with_name"
            | "Command" | "group" => {
                let words = first.split_whitespace().next().unwrap_or_default();
                for command in words.split('|') {
                    self.command(command, node);
                }
            }
            "new" if callee.contains("Command") || callee.contains("App") => self.command(first, node),
            "new" if callee.contains("Arg") => self.flag(first, node),
            _ if callee.to_ascii_lowercase().contains("flag")
                || callee.starts_with("fs.")
                || is_bound(name) =>
            {
                self.flag(first, node);
            }
            // `app.NewSubCommandFunction("init", …)`
            _ if adds_command(name) => self.command(first, node),
            // `withOptions('open [url]', …)`: a usage, handed to a function of their own.
            _ if is_usage(first) => self.command(first.split(' ').next().unwrap_or(first), node),
            _ => {}
        }
    }

    fn routes(&mut self, name: &str, texts: &[&str], node: Node<'_>) {
        let Some(first) = texts.first() else { return };
        let lower = name.to_ascii_lowercase();
        // Go's patterns carry the verb: `GET /users/{id}`.
        if let Some((verb, path)) = first.split_once(' ') {
            if verb_of(verb).is_some() && path.starts_with('/') && lower.starts_with("handle") {
                self.route(Some(verb), path, node);
            }
            return;
        }
        let annotated = lower.strip_suffix("mapping");
        let is_annotation = annotated.is_some()
            || matches!(name, "Path" | "Controller" | "Get" | "Post" | "Put" | "Delete" | "Patch");
        let path = if first.starts_with('/') {
            (*first).to_owned()
        } else if is_annotation && !first.contains(' ') {
            format!("/{first}")
        } else {
            return;
        };
        let verb = annotated.unwrap_or(&lower);
        match verb {
            "route" | "api_route" | "add_api_route" | "add_url_rule" => {
                // `methods=["POST"]` stands beside the path.
                let mut methods = texts.iter().skip(1).filter_map(|text| verb_of(text)).peekable();
                if methods.peek().is_none() {
                    self.route(None, &path, node);
                }
                for method in methods {
                    self.route(Some(method), &path, node);
                }
            }
            "all" | "any" | "handle" | "handlefunc" | "nest" | "mount" | "use" | "group" | "prefix"
            | "scope" | "service" | "resource" | "request" | "path" | "controller" | "nest_service"
            | "route_service" | "blueprint" | "register" => {
                self.route(None, &path, node);
            }
            "method" => {
                let method = texts.iter().find_map(|text| verb_of(text));
                self.route(method, &path, node);
            }
            // A client calls `axios.get("/users")` just the same; such a text is taken for a route, too, which at worst
            // keeps a route alive that is only called.
            _ => {
                if let Some(method) = verb_of(verb) {
                    self.route(Some(method), &path, node);
                }
            }
        }
    }
}

/// Whether a function is called as if it added a subcommand. Whoever runs a program calls it a command as well.
fn adds_command(name: &str) -> bool {
    let lower = name.to_ascii_lowercase();
    let rest = ["add", "define", "new", "register"].iter().find_map(|verb| lower.strip_prefix(verb));
    rest.is_some_and(|rest| rest.replace('_', "").contains("command"))
}

/// `open [url]`, `add <name...>`: a command and its arguments.
fn is_usage(text: &str) -> bool {
    let Some((name, arguments)) = text.split_once(' ') else { return false };
    let is_name = name.starts_with(|c: char| c.is_ascii_lowercase())
        && name.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-');
    let is_argument = |word: &str| {
        let word = word.trim_end_matches("...");
        let inner = word.strip_prefix('[').and_then(|word| word.strip_suffix(']'));
        let inner = inner.or_else(|| word.strip_prefix('<').and_then(|word| word.strip_suffix('>')));
        inner.is_some_and(|inner| inner.starts_with(|c: char| c.is_ascii_alphabetic()))
    };
    is_name && arguments.split(' ').all(is_argument)
}

/// Whether a call of Go's libraries binds a flag to a variable: `f.DurationVar(&wait, "wait", …)`, `BoolVarP`.
fn is_bound(name: &str) -> bool {
    let kind = name.strip_suffix('P').unwrap_or(name).strip_suffix("Var");
    kind.is_some_and(|kind| kind.is_empty() || kind.starts_with(|first: char| first.is_ascii_uppercase()))
}

/// The verb in capitals.
fn verb_of(word: &str) -> Option<&'static str> {
    const VERBS: [&str; 7] = ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"];
    VERBS.into_iter().find(|verb| verb.eq_ignore_ascii_case(word))
}
