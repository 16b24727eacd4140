//! What stands inside of a line of a web page.

use super::address;
use super::content::is_noise;
use super::tree::Node;
use crate::markdown::{code_span, escape};

/// Text with its marks; white space is folded, `<br>` is a line break.
pub(super) fn markdown(node: Node<'_>, base: Option<&str>, depth: usize) -> String {
    let mut writer = Inline { out: String::new(), base };
    writer.children(node, depth);
    tidy(&writer.out)
}

/// Several nodes that form one paragraph.
pub(super) fn markdown_of(nodes: &[Node<'_>], base: Option<&str>, depth: usize) -> String {
    let mut writer = Inline { out: String::new(), base };
    for node in nodes {
        writer.node(*node, depth);
    }
    tidy(&writer.out)
}

/// Text without any marks, as it stands in a code block.
pub(super) fn verbatim(node: Node<'_>) -> String {
    let mut out = String::new();
    for inner in node.descendants() {
        if let Some(text) = inner.text().filter(|_| !has_noise_above(inner, node)) {
            out.push_str(text);
        } else if inner.is("br") {
            out.push('\n');
        }
    }
    out
}

/// Line numbers and copy buttons inside of code.
fn has_noise_above(text: Node<'_>, code: Node<'_>) -> bool {
    let mut above = text.ancestors().take(6).take_while(|above| *above != code);
    let is_number = |node: Node<'_>| {
        ["lineno", "linenos", "line-number", "line-numbers", "ln", "gutter"]
            .iter()
            .any(|class| node.has_class(class))
    };
    above.any(|node| is_noise(node) || is_number(node))
}

struct Inline<'a> {
    out: String,
    base: Option<&'a str>,
}

impl Inline<'_> {
    fn children(&mut self, node: Node<'_>, depth: usize) {
        for child in node.children() {
            self.node(child, depth);
        }
    }

    fn node(&mut self, node: Node<'_>, depth: usize) {
        if let Some(text) = node.text() {
            self.text(text);
            return;
        }
        let Some(name) = node.name().filter(|_| !is_noise(node)) else { return };
        let Some(depth) = depth.checked_sub(1) else {
            self.text(&node.text_below());
            return;
        };
        match name {
            "br" => self.out.push('\n'),
            "code" | "kbd" | "samp" | "tt" | "var" => {
                let code = node.text_below();
                let code = code.split_whitespace().collect::<Vec<_>>().join(" ");
                self.out.push_str(&code_span(&code));
            }
            "strong" | "b" => self.marked(node, "**", depth),
            "em" | "i" | "cite" | "dfn" => self.marked(node, "*", depth),
            "del" | "s" | "strike" => self.marked(node, "~~", depth),
            "a" => self.link(node, depth),
            "img" => self.text(node.attribute("alt").unwrap_or_default()),
            "sup" | "sub" => self.raised(node, name, depth),
            "q" => {
                self.out.push('“');
                self.children(node, depth);
                self.out.push('”');
            }
            "math" => {
                let tex = node.descendants().find(|inner| inner.is("annotation"));
                self.text(&tex.unwrap_or(node).text_below());
            }
            // Blocks inside of a cell of a table or of a term.
            "li" | "p" | "div" | "ul" | "ol" | "dl" | "dt" | "dd" | "tr" | "table" | "pre" | "blockquote" => {
                self.out.push('\n');
                self.children(node, depth);
                self.out.push('\n');
            }
            _ => self.children(node, depth),
        }
    }

    fn text(&mut self, text: &str) {
        let mut before_is_space = self.out.ends_with([' ', '\n']);
        let mut folded = String::with_capacity(text.len());
        for char in text.chars() {
            // A soft hyphen and a zero-width space are layout.
            if matches!(char, '\u{ad}' | '\u{200b}' | '\u{feff}') {
                continue;
            }
            let is_space = char.is_whitespace();
            if !is_space {
                folded.push(char);
            } else if !before_is_space {
                folded.push(' ');
            }
            before_is_space = is_space;
        }
        self.out.push_str(&escape(&folded));
    }

    /// Emphasis around what is not empty; the space at its edges moves outside.
    fn marked(&mut self, node: Node<'_>, mark: &str, depth: usize) {
        let start = self.out.len();
        self.children(node, depth);
        let inside = self.out.split_off(start);
        let text = inside.trim();
        if text.is_empty() || text.contains('\n') || text.starts_with(mark) {
            self.out.push_str(&inside);
            return;
        }
        let lead = if inside.starts_with(' ') { " " } else { "" };
        let tail = if inside.ends_with(' ') { " " } else { "" };
        self.out.push_str(&format!("{lead}{mark}{text}{mark}{tail}"));
    }

    fn link(&mut self, node: Node<'_>, depth: usize) {
        let start = self.out.len();
        self.children(node, depth);
        let inside = self.out.split_off(start);
        let text = inside.trim();
        // Marks that a generator puts behind headings to link to them.
        if matches!(text, "¶" | "#" | "🔗" | "§" | "") {
            return;
        }
        let target = node.attribute("href").and_then(|href| address::absolute(href, self.base));
        let is_inside = |target: &String| self.base.is_none() && target.starts_with('#');
        match target.filter(|target| !is_inside(target)) {
            Some(target) if !text.contains("](") => {
                let target = target.replace(' ', "%20").replace('(', "%28").replace(')', "%29");
                self.out.push_str(&format!("[{}]({target})", text.replace('\n', " ")));
            }
            _ => self.out.push_str(&inside),
        }
    }

    /// `x<sup>2</sup>` is `x^2`; a footnote mark stays in its brackets.
    fn raised(&mut self, node: Node<'_>, name: &str, depth: usize) {
        let start = self.out.len();
        self.children(node, depth);
        let inside = self.out.split_off(start);
        let is_plain =
            inside.trim().chars().all(|char| char.is_alphanumeric() || matches!(char, '+' | '-' | '−'));
        if is_plain && !inside.trim().is_empty() && !self.out.ends_with([' ', '\n']) && !self.out.is_empty() {
            self.out.push(if name == "sup" { '^' } else { '_' });
        }
        self.out.push_str(&inside);
    }
}

/// Lines without space at their edges, and no empty ones.
fn tidy(text: &str) -> String {
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    lines.collect::<Vec<_>>().join("\n")
}
