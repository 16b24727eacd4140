//! Flags without their program: in a span or a sentence, in a program's help, in a list of arguments.

use super::{Command, Context};
use crate::extract::page::Piece;
use crate::extract::shell::Word;
use crate::extract::sink::Sink;
use crate::extract::words::unmarked;
use crate::{ClaimType, Subject};

/// Flags that nobody has marked as code.
pub(super) fn in_prose(sink: &mut Sink<'_, '_>) {
    let page = sink.page;
    for (number, block) in page.blocks.iter().enumerate().filter(|(_, block)| block.is_prose) {
        let context = Context::default();
        let mut command = Command { sink, block: number, context: &context, is_span: false };
        for word in unmarked(page, block).into_iter().filter(|word| word.text.starts_with("--")) {
            let word = Word { text: word.text.to_owned(), bytes: word.bytes, is_dynamic: false };
            command.flag_alone(&word);
        }
    }
}

/// A span that starts with a flag: `--port`, `-p, --port <number>`. What else a shell would see in it does not matter.
pub(super) fn in_span(sink: &mut Sink<'_, '_>, piece: &Piece, source: &str) {
    let context = Context::default();
    let mut command = Command { sink, block: piece.block, context: &context, is_span: true };
    let mut at = piece.bytes.start;
    for part in source.split_inclusive([' ', ',', '|', '\t']) {
        let text = part.trim_end_matches([' ', ',', '|', '\t']);
        let is_first = at == piece.bytes.start;
        if text == "--" {
            break;
        }
        if is_first || text.starts_with("--") {
            let bytes = at..at + text.len();
            command.flag_alone(&Word { text: text.to_owned(), bytes, is_dynamic: false });
        }
        at += part.len();
    }
}

/// The flag that a comment begins to name.
fn told(comment: &str) -> Option<&str> {
    let after = |mark: &str| comment.find(mark).map(|at| at + mark.len());
    let start = after("flag: ").or_else(|| Some(after("--")? - 2))?;
    comment.get(start..).filter(|rest| rest.starts_with('-'))
}

impl Command<'_, '_, '_> {
    /// A flag without its program.
    pub(super) fn flag_alone(&mut self, word: &Word) {
        let is_long = word.text.starts_with('-') && word.text.len() > 2;
        if is_long {
            self.flag("", &[], word);
        }
    }

    /// The flags in what a program prints as its help: `  -p, --port int   the port`.
    pub(super) fn listed_flags(&mut self, source: &str, base: usize) {
        if source.to_ascii_lowercase().contains("usage:") {
            self.bracketed(source, base);
        }
        let mut at = base;
        for line in source.split_inclusive('\n') {
            let start = at + (line.len() - line.trim_start().len());
            at += line.len();
            let content = line.trim();
            // `-p, ` may stand in front.
            let short = content.strip_prefix('-').filter(|rest| !rest.starts_with('-'));
            let long = match short.and_then(|rest| rest.split_once(", ")) {
                Some((short, long)) if short.len() <= 3 => long.trim_start(),
                _ => content,
            };
            let end = long.find([' ', '=', '[', '<', ',', ':', '\t']).unwrap_or(long.len());
            // One dash is a flag of Go's own library, where it has another inside.
            let is_flag = |text: &&str| {
                text.strip_prefix('-').is_some_and(|rest| rest.starts_with('-') || rest.contains(['-', '.']))
            };
            let Some(text) = long.get(..end).filter(is_flag) else { continue };
            // Behind a flag comes its value or, after a gap, what it is for.
            let is_listed = start > at - line.len() || long.len() == end || long.contains("  ");
            if is_listed {
                let from = start + (content.len() - long.len());
                let bytes = from..from + text.len();
                self.flag("", &[], &Word { text: text.to_owned(), bytes, is_dynamic: false });
            }
        }
    }

    /// The flags of a synopsis: `usage: tool [--port PORT] [--verbose]`.
    fn bracketed(&mut self, source: &str, base: usize) {
        for (found, mark) in source.match_indices("[--") {
            let start = found + mark.len() - 2;
            let rest = source.get(start..).unwrap_or_default();
            let end = rest.find(|c: char| c.is_whitespace() || matches!(c, ']' | '=' | '[' | '|'));
            let text = rest.get(..end.unwrap_or(rest.len())).unwrap_or_default();
            let bytes = base + start..base + start + text.len();
            self.flag_alone(&Word { text: text.to_owned(), bytes, is_dynamic: false });
        }
    }

    /// Flags in a list of arguments (`- --port=80`, `"--port",`), and in what a comment says (`# flag: -port`, `# same as
    /// '--port'`).
    pub(super) fn passed_flags(&mut self, source: &str, base: usize) {
        let mut at = base;
        for line in source.split_inclusive('\n') {
            let start = at;
            at += line.len();
            // `"-image", "host/name:v1.2.0@sha256:…"` shows a release as it was.
            if line.contains("@sha256:") {
                continue;
            }
            let content = line.trim_start().trim_start_matches("- ").trim_start_matches(['"', '\'']);
            let named = match line.trim_start().strip_prefix('#') {
                Some(comment) => told(comment),
                None => Some(content),
            };
            let Some(rest) = named.filter(|rest| rest.starts_with('-') && rest.len() < line.len()) else {
                continue;
            };
            let end = rest.find(|c: char| c.is_whitespace() || matches!(c, '=' | '"' | '\'' | ','));
            let text = rest.get(..end.unwrap_or(rest.len())).unwrap_or_default();
            let from = start + (line.len() - rest.len());
            let bytes = from..from + text.len();
            self.flag_alone(&Word { text: text.to_owned(), bytes, is_dynamic: false });
        }
    }

    pub(super) fn flag(&mut self, program: &str, subcommands: &[String], word: &Word) {
        let name = word.text.split(['=', '[']).next().unwrap_or_default();
        let name = name.trim_end_matches('.');
        let is_part = |part: &str| {
            part.starts_with(|c: char| c.is_ascii_alphanumeric())
                && part.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'))
        };
        let is_flag = |letters: &str| {
            letters.starts_with(|c: char| c.is_ascii_alphabetic()) && letters.split('.').all(is_part)
        };
        let letters = name.trim_start_matches('-');
        // Go's own library takes one dash; without a dot or a dash inside it may be a bundle of letters.
        let is_whole = match name.len() - letters.len() {
            2 => true,
            1 => {
                letters.len() == 1
                    || letters.starts_with(|c: char| c.is_ascii_lowercase()) && letters.contains(['.', '-'])
            }
            _ => false,
        };
        let at = word.bytes.start..word.bytes.start + name.len();
        // Quotes would shift the bytes.
        if !is_whole || !is_flag(letters) || self.sink.page.source(&at) != name {
            return;
        }
        let subject = Subject::OwnCli {
            program: program.to_owned(),
            subcommands: subcommands.to_vec(),
            flag: Some(name.to_owned()),
        };
        self.sink.add(at, self.block, ClaimType::Command, "flag", subject);
    }
}
