//! The roff machine: reads lines, keeps strings, registers, macros and fonts, follows conditions.
//!
//! Only as much of roff as manual pages use. What pages define is bounded by a budget, so that macros which call
//! themselves come to an end.

use std::collections::HashMap;

use super::escapes::name_after;
use super::mdoc::Mdoc;
use super::spans::Style;
use super::writer::Writer;

/// Macros that run inside of each other.
const MAX_FRAMES: usize = 12;

/// A page while it is read.
pub(super) struct Page {
    pub(super) out: Writer,
    pub(super) font: Style,
    pub(super) previous_font: Style,
    pub(super) state: super::macros::State,
    pub(super) mdoc: Option<Mdoc>,
    frames: Vec<Frame>,
    strings: HashMap<String, String>,
    registers: HashMap<String, i64>,
    macros: HashMap<String, Vec<String>>,
    /// Outcomes of `.ie`, for the `.el` that follows.
    conditions: Vec<bool>,
    /// How much may still be made out of definitions.
    budget: usize,
}

/// Lines that are being read, with the arguments of the macro that they are of.
struct Frame {
    lines: Vec<String>,
    at: usize,
    arguments: Vec<String>,
}

impl Page {
    pub(super) fn new(source: &str) -> Page {
        let lines: Vec<String> = source.lines().map(|line| line.trim_end_matches('\r').to_owned()).collect();
        let starts = |name: &str| lines.iter().any(|line| line.starts_with(name));
        let is_mdoc = !starts(".TH") && (starts(".Dd") || starts(".Dt") || starts(".Sh"));
        Page {
            out: Writer::default(),
            font: Style::Roman,
            previous_font: Style::Roman,
            state: super::macros::State::default(),
            mdoc: is_mdoc.then(Mdoc::default),
            budget: source.len().saturating_mul(4).saturating_add(1 << 16),
            frames: vec![Frame { lines, at: 0, arguments: Vec::new() }],
            strings: HashMap::new(),
            registers: HashMap::new(),
            macros: HashMap::new(),
            conditions: Vec::new(),
        }
    }

    /// Reads to the end.
    pub(super) fn run(&mut self) {
        while let Some(line) = self.next_line() {
            self.line(&line);
        }
        self.finish_blocks();
    }

    pub(super) fn finish(self) -> (String, String) {
        self.out.finish()
    }

    /// The next line, with those joined to it that a backslash continues.
    pub(super) fn next_line(&mut self) -> Option<String> {
        let mut line = self.next_raw_line()?;
        while line.ends_with('\\') && line.chars().rev().take_while(|&char| char == '\\').count() % 2 == 1 {
            line.pop();
            match self.next_raw_line() {
                Some(next) => line.push_str(&next),
                None => break,
            }
        }
        Some(line)
    }

    fn next_raw_line(&mut self) -> Option<String> {
        while let Some(frame) = self.frames.last_mut() {
            if let Some(line) = frame.lines.get_mut(frame.at) {
                frame.at += 1;
                let line = std::mem::take(line);
                return Some(if self.frames.len() > 1 { self.with_arguments(&line) } else { line });
            }
            if self.frames.len() == 1 {
                return None;
            }
            self.frames.pop();
        }
        None
    }

    /// A line of a macro, with the arguments of the call in their places.
    fn with_arguments(&mut self, line: &str) -> String {
        let mut out = String::with_capacity(line.len());
        let mut rest = line;
        while let Some(at) = rest.find("\\$") {
            out.push_str(rest.get(..at).unwrap_or_default());
            let (name, after) = name_after(rest.get(at + 2..).unwrap_or_default());
            let value = match (name, name.parse::<usize>()) {
                ("*" | "@", _) => self.arguments().join(" "),
                (_, Ok(number)) => {
                    number.checked_sub(1).and_then(|at| self.arguments().get(at).cloned()).unwrap_or_default()
                }
                _ => String::new(),
            };
            if self.spend(value.len()) {
                out.push_str(&value);
            }
            rest = after;
        }
        out.push_str(rest);
        out
    }

    /// Does what a line says; a condition may leave another line behind it.
    fn line(&mut self, line: &str) {
        let mut left = Some(line);
        while let Some(line) = left.take() {
            if let Some((name, rest)) = control(line) {
                left = self.request(name, rest);
            } else if line.trim().is_empty() {
                self.empty_line();
            } else {
                self.text_line(line);
            }
        }
    }

    fn request<'a>(&mut self, name: &str, rest: &'a str) -> Option<&'a str> {
        match name {
            "" => {}
            "\\}" => return Some(rest).filter(|rest| !rest.trim().is_empty()),
            "if" | "ie" => {
                let (holds, rest) = self.condition(rest);
                if name == "ie" {
                    self.conditions.push(holds);
                }
                return self.branch(holds, rest);
            }
            "el" => {
                let holds = !self.conditions.pop().unwrap_or(true);
                return self.branch(holds, rest);
            }
            "while" => return self.branch(false, rest),
            "de" | "de1" | "dei" | "am" => self.define(name, rest),
            "ig" => {
                let end = rest.split_whitespace().next().unwrap_or(".").to_owned();
                while let Some(line) = self.next_raw_line() {
                    if control(&line).is_some_and(|(name, _)| name == end) {
                        break;
                    }
                }
            }
            "ds" | "as" => {
                let (key, value) = rest.trim_start().split_once([' ', '\t']).unwrap_or((rest.trim(), ""));
                let value = without_comment(value.trim_start());
                let value = value.strip_prefix('"').unwrap_or(value);
                let mut whole =
                    if name == "as" { self.string(key).unwrap_or_default() } else { String::new() };
                whole.push_str(value.trim_end_matches("\\}"));
                if self.spend(whole.len()) {
                    self.strings.insert(key.to_owned(), whole);
                }
            }
            "nr" => {
                let mut words = rest.split_whitespace();
                if let (Some(key), Some(value)) = (words.next(), words.next()) {
                    let value = super::numbers::evaluate(&self.expand_plain(value));
                    self.registers.insert(key.to_owned(), value);
                }
            }
            "ft" => {
                let name = rest.trim().to_owned();
                self.set_font(&name);
            }
            _ => self.call(name, rest),
        }
        None
    }

    /// A macro: one of ours, or one that the page defines.
    fn call(&mut self, name: &str, rest: &str) {
        let rest = without_comment(rest);
        let handled = match self.mdoc.is_some() {
            true => self.mdoc_macro(name, rest),
            false => self.man_macro(name, rest),
        };
        if handled {
            return;
        }
        if let Some(lines) = self.macros.get(name).cloned()
            && self.frames.len() < MAX_FRAMES
        {
            let size = lines.iter().map(|line| line.len() + 16).sum();
            let arguments = split_arguments(rest);
            if self.spend(size) {
                self.frames.push(Frame { lines, at: 0, arguments });
            }
        }
    }

    /// Goes on behind a condition: with the rest of the line, and past a block that does not apply.
    fn branch<'a>(&mut self, holds: bool, rest: &'a str) -> Option<&'a str> {
        let rest = rest.trim_start();
        if holds {
            let rest = rest.strip_prefix("\\{").unwrap_or(rest).trim_start();
            return Some(rest.strip_suffix("\\}").unwrap_or(rest)).filter(|rest| !rest.is_empty());
        }
        let mut depth = depth_change(rest);
        while depth > 0 {
            depth += depth_change(&self.next_raw_line()?);
        }
        None
    }

    fn define(&mut self, kind: &str, rest: &str) {
        let mut words = without_comment(rest).split_whitespace();
        let (name, end) =
            (words.next().unwrap_or_default().to_owned(), words.next().unwrap_or(".").to_owned());
        let mut lines = Vec::new();
        while let Some(line) = self.next_raw_line() {
            let is_end = control(&line).is_some_and(|(name, _)| name == end);
            if is_end {
                break;
            }
            // What is escaped twice is meant for the time of the call.
            lines.push(line.replace("\\\\", "\\"));
        }
        if kind != "am" {
            self.macros.insert(name, lines);
        }
    }

    pub(super) fn string(&self, name: &str) -> Option<String> {
        let known = match name {
            "--" => "--",
            "PI" => "π",
            "L\"" | "lq" | "Lq" => "“",
            "R\"" | "rq" | "Rq" => "”",
            "C`" | "C'" if !self.strings.contains_key(name) => "",
            "Tm" => "™",
            "R" => "®",
            "Aq" | "aq" => "'",
            "Ba" => "|",
            "Le" | "<=" => "≤",
            "Ge" | ">=" => "≥",
            "Ne" => "≠",
            "Pm" => "±",
            "Am" => "&",
            "Lt" => "<",
            "Gt" => ">",
            "If" => "∞",
            "Na" => "NaN",
            "q" => "\"",
            "ua" => "↑",
            "aa" => "´",
            "ga" => "`",
            _ => return self.strings.get(name).cloned(),
        };
        Some(known.to_owned())
    }

    pub(super) fn register(&self, name: &str) -> i64 {
        match name {
            // We are groff, at a terminal of 78 columns.
            ".g" => 1,
            ".$" => self.arguments().len() as i64,
            ".l" => 78,
            _ => self.registers.get(name).copied().unwrap_or(0),
        }
    }

    pub(super) fn is_defined(&self, name: &str) -> bool {
        self.strings.contains_key(name) || self.macros.contains_key(name)
    }

    pub(super) fn is_register(&self, name: &str) -> bool {
        self.registers.contains_key(name) || name == ".g"
    }

    pub(super) fn arguments(&self) -> &[String] {
        self.frames.last().map(|frame| frame.arguments.as_slice()).unwrap_or_default()
    }

    /// Takes from the budget; false when there is no more.
    pub(super) fn spend(&mut self, size: usize) -> bool {
        match self.budget.checked_sub(size + 1) {
            Some(left) => {
                self.budget = left;
                true
            }
            None => false,
        }
    }
}

/// Name and rest of a control line.
pub(super) fn control(line: &str) -> Option<(&str, &str)> {
    let inside = line.strip_prefix(['.', '\''])?.trim_start_matches([' ', '\t']);
    if inside.starts_with("\\\"") || inside.starts_with("\\#") {
        return Some(("", ""));
    }
    if let Some(rest) = inside.strip_prefix("\\}") {
        return Some(("\\}", rest));
    }
    let end = inside.find([' ', '\t']).unwrap_or(inside.len());
    let (name, rest) = inside.split_at(end);
    // A condition may follow its block directly: `.el\{`.
    for short in ["el", "ie", "if"] {
        if let Some(joined) = name.strip_prefix(short)
            && (joined.starts_with('\\') || joined.starts_with('!'))
        {
            return Some((inside.get(..2).unwrap_or_default(), inside.get(2..).unwrap_or_default()));
        }
    }
    Some((name.split("\\\"").next().unwrap_or_default(), rest))
}

/// The text before a comment.
pub(super) fn without_comment(text: &str) -> &str {
    let mut from = 0;
    while let Some(found) = text.get(from..).and_then(|rest| rest.find("\\\"")) {
        let at = from + found;
        let before = text.get(..at).unwrap_or_default();
        if before.bytes().rev().take_while(|&byte| byte == b'\\').count() % 2 == 0 {
            return before;
        }
        from = at + 2;
    }
    text
}

/// Words, of which quotes may hold several together; a doubled quote is one.
pub(super) fn split_arguments(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut chars = text.chars().peekable();
    loop {
        while chars.next_if(|char| matches!(char, ' ' | '\t')).is_some() {}
        let Some(&first) = chars.peek() else { break };
        let mut word = String::new();
        let is_quoted = first == '"';
        if is_quoted {
            chars.next();
        }
        while let Some(char) = chars.next() {
            match char {
                '\\' => {
                    word.push(char);
                    word.extend(chars.next());
                }
                '"' if is_quoted => match chars.next_if_eq(&'"') {
                    Some(quote) => word.push(quote),
                    None => break,
                },
                ' ' | '\t' if !is_quoted => break,
                _ => word.push(char),
            }
        }
        found.push(word);
    }
    found
}

/// How many blocks a line opens more than it closes.
fn depth_change(line: &str) -> i64 {
    let mut change = 0;
    let mut rest = line;
    while let Some(at) = rest.find('\\') {
        let escape = rest.get(at + 1..).unwrap_or_default();
        match escape.bytes().next() {
            Some(b'{') => change += 1,
            Some(b'}') => change -= 1,
            Some(b'"') => break,
            _ => {}
        }
        let skip = escape.chars().next().map_or(0, char::len_utf8);
        rest = escape.get(skip..).unwrap_or_default();
    }
    change
}

impl Page {
    /// Whether a condition holds, and what stands behind it.
    pub(super) fn condition<'a>(&mut self, text: &'a str) -> (bool, &'a str) {
        let text = text.trim_start();
        let positive = text.trim_start_matches('!');
        let is_negated = (text.len() - positive.len()) % 2 == 1;
        let (holds, rest) = self.positive_condition(positive.trim_start());
        (holds != is_negated, rest)
    }

    fn positive_condition<'a>(&mut self, text: &'a str) -> (bool, &'a str) {
        let first = text.chars().next().unwrap_or(' ');
        let behind = text.get(first.len_utf8()..).unwrap_or_default();
        match first {
            'n' | 'o' if !behind.starts_with(|char: char| char.is_alphanumeric()) => (true, behind),
            't' | 'e' | 'v' if !behind.starts_with(|char: char| char.is_alphanumeric()) => (false, behind),
            'd' | 'r' | 'c' | 'm' | 'F' | 'S' => {
                let behind = behind.trim_start();
                let end = behind.find([' ', '\t']).unwrap_or(behind.len());
                let (name, rest) = behind.split_at(end);
                let holds = match first {
                    'd' => self.is_defined(name),
                    'r' => self.is_register(name),
                    _ => first == 'c',
                };
                (holds, rest)
            }
            '\'' | '"' => {
                let mut parts = behind.splitn(3, first);
                let (a, b) = (parts.next().unwrap_or_default(), parts.next().unwrap_or_default());
                let rest = parts.next().unwrap_or_default();
                (self.expand_plain(a) == self.expand_plain(b), rest)
            }
            _ => {
                let (expression, rest) = expression_end(text);
                let value = self.expand_plain(expression);
                (super::numbers::evaluate(&value) > 0, rest)
            }
        }
    }
}

/// Where an expression ends: at white space outside of parentheses, or where a block begins.
fn expression_end(text: &str) -> (&str, &str) {
    let mut depth = 0_usize;
    let mut rest = text;
    while let Some(char) = rest.chars().next() {
        match char {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            ' ' | '\t' if depth == 0 => break,
            '\\' if rest.starts_with("\\{") => break,
            '\\' if rest.starts_with("\\n") => {
                rest = name_after(rest.get(2..).unwrap_or_default()).1;
                continue;
            }
            _ => {}
        }
        rest = rest.get(char.len_utf8()..).unwrap_or_default();
    }
    text.split_at(text.len() - rest.len())
}
