//! The roff machine: reads lines, keeps strings, registers, macros and fonts, follows conditions.
//!
//! Only as much of roff as manual pages use. What pages define is bounded by a budget, so that macros which call
//! themselves come to an end.

use std::collections::HashMap;

use super::control::{control, depth_change, split_arguments, without_comment};
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
                let end = without_comment(rest).split_whitespace().next().unwrap_or(".").to_owned();
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
