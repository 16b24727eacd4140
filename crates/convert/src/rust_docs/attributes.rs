//! Doc comments and attributes before an item: what they say, and whether it is to be shown at all.

use super::doc_text::{comment_text, literal_text};
use super::lexer::Kind;
use super::parser::Parser;

/// What stands before an item.
#[derive(Debug, Default, Clone)]
pub(super) struct Attributes {
    pub(super) docs: String,
    /// `#[doc(hidden)]` or `#[cfg(test)]`.
    pub(super) is_left_out: bool,
    /// `#[cfg(test)]`.
    pub(super) is_test: bool,
    /// `#[macro_export]`.
    pub(super) is_exported: bool,
    /// What `#[path = "…"]` says.
    pub(super) path: Option<String>,
    /// What `#[cfg_attr(…, path = "…")]` says.
    pub(super) path_under_condition: Option<String>,
    /// Of the function behind a procedural macro: what it is, and its name where that is not the function's.
    pub(super) procedural_macro: Option<(&'static str, Option<String>)>,
}

impl Attributes {
    /// Reads comments and attributes from `at` on; what is said about the module around goes to `around`.
    pub(super) fn read(
        parser: &Parser<'_>,
        at: &mut usize,
        end: usize,
        mut around: Option<&mut String>,
    ) -> Attributes {
        let mut found = Attributes::default();
        while *at < end {
            let Some(token) = parser.token(*at) else { break };
            match token.kind {
                Kind::OuterDoc => add_line(&mut found.docs, &comment_text(parser.word(*at))),
                Kind::InnerDoc => {
                    if let Some(around) = around.as_deref_mut() {
                        add_line(around, &comment_text(parser.word(*at)));
                    }
                }
                Kind::Punct if parser.word(*at) == "#" && parser.word(*at + 1) == "[" => {
                    *at += 1;
                    found.attribute(parser, *at + 1);
                }
                Kind::Punct if parser.word(*at) == "#" && parser.word(*at + 2) == "[" => {
                    *at += 2;
                    let mut inner = Attributes::default();
                    inner.attribute(parser, *at + 1);
                    if let Some(around) = around.as_deref_mut().filter(|_| !inner.docs.is_empty()) {
                        add_line(around, inner.docs.trim_end_matches('\n'));
                    }
                }
                _ => break,
            }
            *at = parser.skip(*at);
        }
        *at = (*at).min(end);
        found
    }

    /// These, and others behind them.
    pub(super) fn and(mut self, others: Attributes) -> Attributes {
        self.docs.push_str(&others.docs);
        self.is_left_out |= others.is_left_out;
        self.is_exported |= others.is_exported;
        self
    }

    /// Reads what stands in the brackets of one.
    fn attribute(&mut self, parser: &Parser<'_>, at: usize) {
        let inside = |number: usize| parser.word(at + number);
        match (inside(0), inside(1), inside(2)) {
            ("doc", "=", literal) => {
                if let Some(text) = literal_text(literal) {
                    add_line(&mut self.docs, &text);
                }
            }
            ("doc", "(", "hidden") => self.is_left_out = true,
            ("cfg", "(", "test") => (self.is_test, self.is_left_out) = (true, true),
            ("cfg", "(", "all") if inside(4) == "test" => (self.is_test, self.is_left_out) = (true, true),
            ("cfg_attr", "(", _) => {
                let end = parser.skip(at + 1);
                let path = parser.find(at + 2, end, &["path"]);
                if parser.word(path + 1) == "=" {
                    self.path_under_condition = literal_text(parser.word(path + 2));
                }
            }
            ("macro_export", ..) => self.is_exported = true,
            ("path", "=", literal) => self.path = literal_text(literal),
            ("proc_macro", ..) => self.procedural_macro = Some(("macro", None)),
            ("proc_macro_attribute", ..) => self.procedural_macro = Some(("attribute", None)),
            ("proc_macro_derive", "(", name) => {
                self.procedural_macro = Some(("derive", Some(name.to_owned())));
            }
            _ => {}
        }
    }
}

fn add_line(docs: &mut String, line: &str) {
    docs.push_str(line);
    docs.push('\n');
}
