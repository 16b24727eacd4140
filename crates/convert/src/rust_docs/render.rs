//! Writes the page of a module.

use std::collections::HashSet;

use super::Methods;
use super::doc_text::{markdown, summary};
use super::items::Item;
use super::tree::Tree;
use crate::markdown::{code_span, end_paragraph, push_code};

/// Re-exports that are named on a page.
const MAX_FOREIGN: usize = 200;

/// What a page is made of.
pub(super) struct ModulePage<'a> {
    pub(super) tree: &'a Tree,
    pub(super) methods: &'a Methods<'a>,
    pub(super) path: &'a [String],
    pub(super) module: usize,
    pub(super) items: &'a [(usize, usize, String)],
    pub(super) submodules: &'a [(String, usize)],
    pub(super) foreign: &'a [String],
}

impl ModulePage<'_> {
    /// The page, or nothing when there is nothing to say.
    pub(super) fn render(&self) -> Option<String> {
        let mut out = format!("# {}\n\n", self.path.join("::"));
        let bare = out.len();
        let docs = self.tree.nodes.get(self.module).map_or("", |node| &node.docs);
        push_text(&mut out, &markdown(docs, 1));
        let mut shown = HashSet::new();
        for &(module, at, ref name) in self.items {
            if let Some(item) = self.tree.item(module, at)
                && shown.insert((item.kind, name))
            {
                let methods = self.methods.get(&(module, at)).map(Vec::as_slice).unwrap_or_default();
                push_item(&mut out, item, name, methods);
            }
        }
        self.push_modules(&mut out);
        if !self.foreign.is_empty() {
            out.push_str("## Re-exports\n\n");
            let lines: Vec<String> =
                self.foreign.iter().take(MAX_FOREIGN).map(|path| format!("pub use {path};")).collect();
            push_code(&mut out, "rust", &lines.join("\n"));
        }
        (out.len() > bare).then(|| format!("{}\n", out.trim_end()))
    }

    fn push_modules(&self, out: &mut String) {
        if self.submodules.is_empty() {
            return;
        }
        out.push_str("## Modules\n\n");
        let folder = self.path.last().map_or("", String::as_str);
        for (name, module) in self.submodules {
            let about = self.tree.nodes.get(*module).map(|node| summary(&node.docs)).unwrap_or_default();
            let colon = if about.is_empty() { "" } else { ": " };
            out.push_str(&format!("- [{name}]({folder}/{name}.md){colon}{about}\n"));
        }
        out.push('\n');
    }
}

fn push_item(out: &mut String, item: &Item, name: &str, methods: &[&Item]) {
    // What is written twice, for two systems or features, is shown once.
    let mut shown = HashSet::new();
    let all = item.members.iter().chain(methods.iter().copied()).filter(|member| is_documented(member));
    let members: Vec<&Item> = all.filter(|member| shown.insert(&member.name)).collect();
    let has_parts = item.parts.iter().any(is_documented);
    if !is_documented(item) && members.is_empty() && !has_parts {
        return;
    }
    let bang = if item.kind == "macro" { "!" } else { "" };
    out.push_str(&format!("## {} {name}{bang}\n\n", item.kind));
    push_signature(out, &item.signature);
    push_text(out, &markdown(&item.docs, 2));
    push_parts(out, item);
    for member in members {
        out.push_str(&format!("### {name}::{}\n\n", member.name));
        push_signature(out, &member.signature);
        push_text(out, &markdown(&member.docs, 3));
    }
}

/// Fields or variants, as a list.
fn push_parts(out: &mut String, item: &Item) {
    if item.parts.is_empty() {
        return;
    }
    out.push_str(if item.kind == "enum" { "**Variants**\n\n" } else { "**Fields**\n\n" });
    for part in &item.parts {
        out.push_str(&format!("- {}", code_span(&part.signature)));
        let docs = markdown(&part.docs, 5);
        for (number, line) in docs.lines().enumerate() {
            match (number, line.is_empty()) {
                (0, _) => out.push_str(": "),
                (_, true) => out.push('\n'),
                (_, false) => out.push_str("\n  "),
            }
            out.push_str(line);
        }
        out.push('\n');
    }
    out.push('\n');
}

fn push_signature(out: &mut String, signature: &str) {
    if !signature.is_empty() {
        push_code(out, "rust", signature);
    }
}

fn push_text(out: &mut String, text: &str) {
    if !text.is_empty() {
        out.push_str(text);
        end_paragraph(out);
    }
}

fn is_documented(item: &Item) -> bool {
    !item.docs.trim().is_empty()
}
