//! Signatures as one would write them: on one line, or with one parameter a line.

use super::attributes::Attributes;
use super::items::Item;
use super::lexer::Kind;
use super::parser::Parser;

/// Longer signatures are broken into lines.
const LINE: usize = 96;
/// Longer values of constants are left out.
const VALUE: usize = 120;
/// Arms of a macro that are shown.
const ARMS: usize = 8;

impl Parser<'_> {
    /// The tokens between two places, without comments and attributes, with one space where there was any.
    pub(super) fn normalised(&self, start: usize, end: usize) -> String {
        let mut out = String::new();
        let mut at = start;
        let mut last_end = None;
        while at < end.min(self.tokens.len()) {
            let Some(token) = self.token(at) else { break };
            if matches!(token.kind, Kind::OuterDoc | Kind::InnerDoc) {
                at += 1;
                continue;
            }
            if self.word(at) == "#" && self.word(at + 1) == "[" {
                at = self.skip(at + 1);
                continue;
            }
            let word = self.word(at);
            let is_apart = last_end.is_some_and(|last| token.start > last);
            if token.kind == Kind::Close && !word.starts_with('}') {
                if out.ends_with(',') && !out.ends_with("(,") {
                    out.pop();
                }
            } else if is_apart && !out.ends_with(['(', '[']) {
                out.push(' ');
            }
            out.push_str(word);
            last_end = Some(token.end);
            at += 1;
        }
        out
    }

    /// What stands before a body.
    pub(super) fn signature(&self, start: usize, body: usize) -> String {
        let line = self.normalised(start, body);
        let line = line.trim_end().trim_end_matches(',');
        if line.len() <= LINE { line.to_owned() } else { broken(line) }
    }

    /// A constant or a type alias: with its value, if that is short.
    pub(super) fn declaration(&self, start: usize, after: usize) -> String {
        let whole = self.normalised(start, after);
        if whole.len() <= VALUE {
            return whole;
        }
        let equals = self.find(start, after, &["="]);
        format!("{};", self.normalised(start, equals).trim_end())
    }

    /// `pub struct Name(pub A, pub B);`, or dots for what is private.
    pub(super) fn tuple_struct(&self, start: usize, open: usize, after: usize) -> String {
        let close = self.skip(open).min(after);
        let fields = self.separated(open + 1, close.saturating_sub(1));
        let all_public = fields.iter().all(|&(start, end)| {
            let mut at = start;
            Attributes::read(self, &mut at, end, None);
            self.word(at) == "pub" && self.word(at + 1) != "("
        });
        if all_public {
            return self.signature(start, after);
        }
        let tail = self.normalised(close, after);
        format!("{}(..){}{tail}", self.normalised(start, open), if tail == ";" { "" } else { " " })
    }

    /// What commas separate, as ranges of tokens.
    fn separated(&self, start: usize, end: usize) -> Vec<(usize, usize)> {
        let mut parts = Vec::new();
        let mut at = start;
        while at < end {
            let comma = self.find_outside_angles(at, end, &[","]);
            if comma > at {
                parts.push((at, comma));
            }
            at = comma + 1;
        }
        parts
    }

    /// The public fields of a struct.
    pub(super) fn fields(&self, start: usize, end: usize) -> Vec<Item> {
        let parts = self.separated(start, end).into_iter();
        let field = |(mut at, end)| {
            let about = Attributes::read(self, &mut at, end, None);
            let is_public = self.word(at) == "pub" && self.word(at + 1) != "(";
            let shown = is_public && !about.is_left_out && self.is(at + 1, Kind::Word);
            shown.then(|| Item {
                kind: "field",
                name: self.word(at + 1).to_owned(),
                signature: self.normalised(at + 1, end),
                docs: about.docs,
                ..Item::default()
            })
        };
        parts.filter_map(field).collect()
    }

    /// The variants of an enum.
    pub(super) fn variants(&self, start: usize, end: usize) -> Vec<Item> {
        let parts = self.separated(start, end).into_iter();
        let variant = |(mut at, end)| {
            let about = Attributes::read(self, &mut at, end, None);
            (!about.is_left_out && self.is(at, Kind::Word)).then(|| Item {
                kind: "variant",
                name: self.word(at).to_owned(),
                signature: self.normalised(at, end),
                docs: about.docs,
                ..Item::default()
            })
        };
        parts.filter_map(variant).collect()
    }

    /// A `macro_rules!`, with what its arms take.
    pub(super) fn macro_rules(&self, at: usize, after: usize) -> Item {
        let name = self.word(at + 2).to_owned();
        let mut arms = Vec::new();
        let mut arm = at + 4;
        while arm + 1 < after && arms.len() < ARMS && self.is(arm, Kind::Open) {
            arms.push(self.normalised(arm, self.skip(arm)));
            arm = self.find(arm, after, &[";"]) + 1;
        }
        // Arms that begin with `@` are the macro talking to itself.
        arms.retain(|arm| !arm.contains('@') && arm.len() <= LINE);
        let mut signature = format!("macro_rules! {name} {{\n");
        for arm in &arms {
            signature.push_str(&format!("    {arm} => {{ ... }};\n"));
        }
        signature.push('}');
        if arms.is_empty() {
            signature = format!("macro_rules! {name} {{ ... }}");
        }
        Item { kind: "macro", name, signature, ..Item::default() }
    }
}

/// Breaks a long signature at its parameters and its `where`.
fn broken(line: &str) -> String {
    let (head, bounds) = match line.rfind(" where ") {
        Some(at) => line.split_at(at),
        None => (line, ""),
    };
    let mut out = String::with_capacity(line.len() + 64);
    let parameters = if head.len() > LINE { parameters(head) } else { None };
    match parameters {
        Some((open, close)) => {
            out.push_str(head.get(..=open).unwrap_or_default());
            out.push('\n');
            for parameter in split_commas(head.get(open + 1..close).unwrap_or_default()) {
                out.push_str(&format!("    {parameter},\n"));
            }
            out.push_str(head.get(close..).unwrap_or_default());
        }
        None => out.push_str(head),
    }
    if let Some(bounds) = bounds.trim_start().strip_prefix("where") {
        out.push_str("\nwhere\n");
        for bound in split_commas(bounds) {
            out.push_str(&format!("    {bound},\n"));
        }
    }
    out.trim_end().to_owned()
}

/// Where the parentheses of a function's parameters stand: the first ones outside of angle brackets.
fn parameters(head: &str) -> Option<(usize, usize)> {
    if !head.contains("fn ") {
        return None;
    }
    let open = first_outside_angles(head)?;
    let mut depth = 0_usize;
    for (at, byte) in head.bytes().enumerate().skip(open) {
        match byte {
            b'(' => depth += 1,
            b')' => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    return Some((open, at));
                }
            }
            _ => {}
        }
    }
    None
}

fn first_outside_angles(head: &str) -> Option<usize> {
    let mut depth = 0_usize;
    let mut last = 0;
    for (at, byte) in head.bytes().enumerate() {
        match byte {
            b'<' => depth += 1,
            b'>' if !matches!(last, b'-' | b'=') => depth = depth.saturating_sub(1),
            b'(' if depth == 0 => return Some(at),
            _ => {}
        }
        last = byte;
    }
    None
}

/// The parts between commas that stand in no bracket.
fn split_commas(text: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let (mut depth, mut start, mut last) = (0_usize, 0, 0);
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'(' | b'[' | b'{' | b'<' => depth += 1,
            b'>' if matches!(last, b'-' | b'=') => {}
            b')' | b']' | b'}' | b'>' => depth = depth.saturating_sub(1),
            b',' if depth == 0 => {
                parts.push(text.get(start..at).unwrap_or_default());
                start = at + 1;
            }
            _ => {}
        }
        last = byte;
    }
    parts.push(text.get(start..).unwrap_or_default());
    parts.into_iter().map(str::trim).filter(|part| !part.is_empty()).collect()
}
