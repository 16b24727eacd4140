//! Blocks of mdoc(7): sections, lists, displays. What stands inside of a line is in `mdoc_inline`.

use super::control::split_arguments;
use super::roff::Page;
use super::spans::{Span, Style, plain};

/// What an mdoc page is in the middle of.
#[derive(Debug, Default)]
pub(super) struct Mdoc {
    /// What `.Nm` names.
    pub(super) name: String,
    pub(super) is_synopsis: bool,
    /// `.Sm off`: words stand without spaces.
    pub(super) is_tight: bool,
    lists: Vec<List>,
    /// Displays that are code, innermost last.
    displays: Vec<bool>,
    /// Parts of a reference.
    reference: Option<Vec<String>>,
}

#[derive(Debug)]
struct List {
    kind: Kind,
    number: usize,
    rows: Vec<Vec<String>>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Bullet,
    Number,
    Plain,
    Term,
    Column,
}

impl Page {
    /// Does what a macro says; false for one that is not known.
    pub(super) fn mdoc_macro(&mut self, name: &str, rest: &str) -> bool {
        match name {
            "Dd" | "Dt" | "Os" | "Bk" | "Ek" | "Db" | "Id" | "UC" | "Hf" => {}
            "Sh" => {
                self.close_lists();
                let title = self.words_plain(rest);
                self.push_heading(2, &[Span::new(Style::Roman, title.clone())]);
                if let Some(mdoc) = &mut self.mdoc {
                    mdoc.is_synopsis = title.eq_ignore_ascii_case("synopsis");
                }
            }
            "Ss" => {
                self.close_lists();
                let spans = self.mdoc_words(rest);
                self.push_heading(3, &spans);
            }
            "Pp" | "Lp" | "sp" | "PP" => self.out.end_paragraph(),
            "br" => self.out.line_break(),
            "Bl" => self.begin_list(rest),
            "It" => self.item(rest),
            "El" => self.end_list(),
            "Bd" => {
                let is_code = ["-literal", "-unfilled"].iter().any(|kind| rest.contains(kind));
                match is_code {
                    true => self.out.begin_code(),
                    false => self.out.end_paragraph(),
                }
                if let Some(mdoc) = &mut self.mdoc {
                    mdoc.displays.push(is_code);
                }
            }
            "Ed" => {
                let is_code = self.mdoc.as_mut().and_then(|mdoc| mdoc.displays.pop()).unwrap_or(false);
                match is_code {
                    true => self.out.end_code(),
                    false => self.out.end_paragraph(),
                }
            }
            "D1" | "Dl" => {
                let spans = self.mdoc_words(rest);
                let is_code = self.out.is_code();
                self.out.begin_code();
                self.out.text(spans, false);
                if !is_code {
                    self.out.end_code();
                }
            }
            "Nd" => {
                let mut spans = vec![Span::new(Style::Roman, "- ")];
                spans.extend(self.mdoc_words(rest));
                self.out.text(spans, false);
            }
            "Rs" => {
                if let Some(mdoc) = &mut self.mdoc {
                    mdoc.reference = Some(Vec::new());
                }
            }
            "Re" => {
                let parts = self.mdoc.as_mut().and_then(|mdoc| mdoc.reference.take()).unwrap_or_default();
                if !parts.is_empty() {
                    let text = format!("{}.", parts.join(", "));
                    self.out.text(vec![Span::new(Style::Roman, text)], false);
                }
            }
            "TS" => self.table(),
            "nf" => self.out.begin_code(),
            "fi" => self.out.end_code(),
            _ if name.starts_with('%') => {
                let text = self.words_plain(rest);
                if let Some(parts) = self.mdoc.as_mut().and_then(|mdoc| mdoc.reference.as_mut()) {
                    parts.push(text);
                }
            }
            _ => return self.mdoc_inline_macro(name, rest),
        }
        true
    }

    fn words_plain(&mut self, rest: &str) -> String {
        let spans = self.mdoc_words(rest);
        plain(&spans).trim().to_owned()
    }

    fn close_lists(&mut self) {
        while self.mdoc.as_ref().is_some_and(|mdoc| !mdoc.lists.is_empty()) {
            self.end_list();
        }
        self.out.end_code();
        if let Some(mdoc) = &mut self.mdoc {
            mdoc.displays.clear();
            mdoc.is_tight = false;
        }
    }

    fn begin_list(&mut self, rest: &str) {
        let kind = rest.split_whitespace().find_map(|word| match word {
            "-bullet" | "-dash" | "-hyphen" => Some(Kind::Bullet),
            "-enum" => Some(Kind::Number),
            "-item" => Some(Kind::Plain),
            "-column" => Some(Kind::Column),
            "-tag" | "-hang" | "-ohang" | "-inset" | "-diag" => Some(Kind::Term),
            _ => None,
        });
        let is_nested = self.mdoc.as_ref().is_some_and(|mdoc| !mdoc.lists.is_empty());
        if is_nested {
            self.out.indent_more();
        } else {
            self.out.end_paragraph();
        }
        if let Some(mdoc) = &mut self.mdoc {
            mdoc.lists.push(List { kind: kind.unwrap_or(Kind::Term), number: 0, rows: Vec::new() });
        }
    }

    fn item(&mut self, rest: &str) {
        let Some(list) = self.mdoc.as_mut().and_then(|mdoc| mdoc.lists.last_mut()) else {
            let spans = self.mdoc_words(rest);
            self.out.term(&spans);
            return;
        };
        list.number += 1;
        let number = list.number;
        match list.kind {
            Kind::Bullet => self.out.item("-"),
            Kind::Number => self.out.item(&format!("{number}.")),
            Kind::Plain => self.out.paragraph(),
            Kind::Column => {
                let row = self.columns(rest);
                if let Some(list) = self.mdoc.as_mut().and_then(|mdoc| mdoc.lists.last_mut()) {
                    list.rows.push(row);
                }
            }
            Kind::Term => {
                let spans = self.mdoc_words(rest);
                self.out.term(&spans);
            }
        }
    }

    /// Cells of a row: separated by `Ta` or by tabs.
    fn columns(&mut self, rest: &str) -> Vec<String> {
        let rest = rest.replace(" Ta ", "\t");
        let cells: Vec<&str> = rest.split('\t').collect();
        cells.into_iter().map(|cell| super::spans::markdown(&self.mdoc_words(cell))).collect()
    }

    fn end_list(&mut self) {
        let Some(list) = self.mdoc.as_mut().and_then(|mdoc| mdoc.lists.pop()) else { return };
        if list.kind == Kind::Column {
            self.push_table(&list.rows, false);
        }
        if self.mdoc.as_ref().is_some_and(|mdoc| !mdoc.lists.is_empty()) {
            self.out.indent_less();
        } else {
            self.out.paragraph();
        }
    }

    /// Words of a line whose macros are resolved.
    pub(super) fn mdoc_words(&mut self, rest: &str) -> Vec<Span> {
        let words = split_arguments(rest);
        self.mdoc_spans(&words)
    }
}
