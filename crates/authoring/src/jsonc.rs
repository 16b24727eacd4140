//! Reads JSON with comments and trailing commas, and remembers where everything stands.
//!
//! Only what editing needs is kept: the span of each value, and for objects the place of each key and comma. With these
//! one entry of a file is changed and every other byte is left alone, and a finding can name its line.

use std::ops::Range;

use serde_json::{Map, Value};

/// Deeper nesting than this is refused instead of overflowing the stack.
const DEEPEST: usize = 128;

/// A value and where it stands.
#[derive(Debug)]
pub struct Node {
    /// Its bytes.
    pub span: Range<usize>,
    /// What it is.
    pub kind: Kind,
}

/// What a value is.
#[derive(Debug)]
pub enum Kind {
    /// In braces; the members in their order, a key perhaps twice.
    Object(Vec<Member>),
    /// In brackets.
    Array(Vec<Node>),
    /// Text, number, truth or nothing.
    Scalar(Value),
}

/// A key of an object with its value.
#[derive(Debug)]
pub struct Member {
    /// The key, unescaped.
    pub key: String,
    /// Where the key starts.
    pub start: usize,
    /// Where the key ends.
    pub key_end: usize,
    /// What it stands for.
    pub value: Node,
    /// Where the comma after the value is.
    pub comma: Option<usize>,
}

/// What is wrong with a text, and at which byte.
#[derive(Debug, PartialEq, Eq)]
pub struct Broken {
    /// The byte.
    pub at: usize,
    /// A sentence without a full stop.
    pub message: String,
}

impl Broken {
    /// What is wrong at a byte.
    pub fn new(at: usize, message: impl Into<String>) -> Self {
        Self { at, message: message.into() }
    }

    /// Line and column, from 1, for people.
    pub fn position(&self, text: &str) -> (usize, usize) {
        let before = text.get(..self.at).unwrap_or(text);
        let line = 1 + before.matches('\n').count();
        let column =
            1 + before.rsplit('\n').next().unwrap_or_default().trim_start_matches('\u{feff}').chars().count();
        (line, column)
    }
}

impl Node {
    /// A value that has no place in a text.
    pub fn from_value(value: &Value) -> Node {
        let kind = match value {
            Value::Object(members) => Kind::Object(members.iter().map(Member::from_pair).collect()),
            Value::Array(items) => Kind::Array(items.iter().map(Node::from_value).collect()),
            scalar => Kind::Scalar(scalar.clone()),
        };
        Node { span: 0..0, kind }
    }

    /// The value without its place. Of a key that is there twice the last one counts, as in every client.
    pub fn to_value(&self) -> Value {
        match &self.kind {
            Kind::Scalar(value) => value.clone(),
            Kind::Array(items) => items.iter().map(Self::to_value).collect(),
            Kind::Object(members) => {
                let members = members.iter().map(|member| (member.key.clone(), member.value.to_value()));
                Value::Object(members.collect::<Map<_, _>>())
            }
        }
    }
}

impl Member {
    fn from_pair((key, value): (&String, &Value)) -> Member {
        Member { key: key.clone(), start: 0, key_end: 0, value: Node::from_value(value), comma: None }
    }
}

/// Reads a text. One that holds nothing but space and comments has no value.
pub fn parse(text: &str) -> Result<Option<Node>, Broken> {
    let start = if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
    let mut reader = Reader { text, at: start, depth: 0 };
    reader.skip()?;
    if reader.at == text.len() {
        return Ok(None);
    }
    let node = reader.value()?;
    reader.skip()?;
    match reader.peek() {
        None => Ok(Some(node)),
        Some(found) => Err(Broken::new(reader.at, format!("expected the end of the file, found `{found}`"))),
    }
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
    depth: usize,
}

impl Reader<'_> {
    fn rest(&self) -> &str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn take(&mut self, wanted: char) -> bool {
        let found = self.peek() == Some(wanted);
        if found {
            self.at += wanted.len_utf8();
        }
        found
    }

    fn unexpected(&self, expected: &str) -> Broken {
        match self.peek() {
            Some(found) => Broken::new(self.at, format!("expected {expected}, found `{found}`")),
            None => Broken::new(self.at, format!("expected {expected}, but the file ends here")),
        }
    }

    /// Passes over space and comments.
    fn skip(&mut self) -> Result<(), Broken> {
        loop {
            let rest = self.rest();
            let space = rest.len() - rest.trim_start_matches([' ', '\t', '\r', '\n']).len();
            let comment = match rest.get(space..).unwrap_or_default() {
                rest if rest.starts_with("//") => rest.find('\n').unwrap_or(rest.len()),
                rest if rest.starts_with("/*") => match rest.find("*/") {
                    Some(end) => end + 2,
                    None => return Err(Broken::new(self.at + space, "this comment has no end")),
                },
                _ => 0,
            };
            self.at += space + comment;
            if space + comment == 0 {
                return Ok(());
            }
        }
    }

    fn value(&mut self) -> Result<Node, Broken> {
        let start = self.at;
        if self.depth == DEEPEST {
            return Err(Broken::new(start, "nested too deeply"));
        }
        self.depth += 1;
        let kind = match self.peek() {
            Some('{') => self.object()?,
            Some('[') => self.array()?,
            Some('"') => Kind::Scalar(Value::String(self.string()?)),
            _ => self.word()?,
        };
        self.depth -= 1;
        Ok(Node { span: start..self.at, kind })
    }

    fn object(&mut self) -> Result<Kind, Broken> {
        self.at += 1;
        let mut members: Vec<Member> = Vec::new();
        loop {
            self.skip()?;
            if self.take('}') {
                return Ok(Kind::Object(members));
            }
            if members.last().is_some_and(|member| member.comma.is_none()) {
                return Err(self.unexpected("`,` or `}`"));
            }
            let start = self.at;
            if self.peek() != Some('"') {
                return Err(self.unexpected("a key in double quotes or `}`"));
            }
            let key = self.string()?;
            let key_end = self.at;
            self.skip()?;
            if !self.take(':') {
                return Err(self.unexpected("`:`"));
            }
            self.skip()?;
            let value = self.value()?;
            self.skip()?;
            let at = self.at;
            let comma = self.take(',').then_some(at);
            members.push(Member { key, start, key_end, value, comma });
        }
    }

    fn array(&mut self) -> Result<Kind, Broken> {
        self.at += 1;
        let mut items = Vec::new();
        let mut comma = true;
        loop {
            self.skip()?;
            if self.take(']') {
                return Ok(Kind::Array(items));
            }
            if !comma {
                return Err(self.unexpected("`,` or `]`"));
            }
            items.push(self.value()?);
            self.skip()?;
            comma = self.take(',');
        }
    }

    fn string(&mut self) -> Result<String, Broken> {
        let start = self.at;
        let mut escaped = false;
        for (offset, character) in self.rest().char_indices().skip(1) {
            match character {
                _ if escaped => escaped = false,
                '\\' => escaped = true,
                '\n' => break,
                '"' => {
                    self.at = start + offset + 1;
                    let text = self.text.get(start..self.at).unwrap_or_default();
                    return serde_json::from_str(text).map_err(|_| {
                        Broken::new(start, "this string has an escape or a character that JSON does not know")
                    });
                }
                _ => {}
            }
        }
        Err(Broken::new(start, "this string has no end on its line"))
    }

    /// A number, `true`, `false` or `null`.
    fn word(&mut self) -> Result<Kind, Broken> {
        let rest = self.rest();
        let of_word = |c: char| c.is_ascii_alphanumeric() || ['+', '-', '.', '_'].contains(&c);
        let length = rest.find(|c: char| !of_word(c)).unwrap_or(rest.len());
        let word = rest.get(..length).unwrap_or_default();
        match serde_json::from_str(word) {
            Ok(value) => {
                self.at += length;
                Ok(Kind::Scalar(value))
            }
            Err(_) if word.is_empty() => Err(self.unexpected("a value")),
            Err(_) => Err(Broken::new(self.at, format!("`{word}` is not a value"))),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn check(text: &str, expected: Value) {
        assert_eq!(parse(text).unwrap().unwrap().to_value(), expected, "{text}");
    }

    fn check_broken(text: &str, line: usize, column: usize, message: &str) {
        let broken = parse(text).unwrap_err();
        assert_eq!(broken.position(text), (line, column), "{text}: {broken:?}");
        assert!(broken.message.contains(message), "{text}: {broken:?}");
    }

    #[test]
    fn plain_json() {
        check("{}", json!({}));
        check(
            r#" {"a": [1, -2.5e3, true, null, "x\n\u00e9\"}"]} "#,
            json!({"a": [1, -2.5e3, true, null, "x\né\"}"]}),
        );
        check(r#""alone""#, json!("alone"));
        check("{\"a\": 1, \"a\": 2}", json!({"a": 2}));
    }

    #[test]
    fn comments_and_trailing_commas() {
        check("// top\n{ /* a */ \"a\" /**/ : // b\n 1, /* end, } */ }\n// bottom", json!({"a": 1}));
        check("[1, 2,]", json!([1, 2]));
        check("{\"url\": \"http://x/*y*/\"}", json!({"url": "http://x/*y*/"}));
        check("\u{feff}{\"a\": 1}", json!({"a": 1}));
        assert!(parse("").unwrap().is_none());
        assert!(parse("\u{feff} // nothing\n/* here */").unwrap().is_none());
    }

    #[test]
    fn spans_are_exact() {
        let text = "{ \"a\": {\"b\": 1} , \"c\": 2 }";
        let Kind::Object(members) = parse(text).unwrap().unwrap().kind else { panic!() };
        assert_eq!(&text[members[0].value.span.clone()], "{\"b\": 1}");
        assert_eq!((members[0].start, members[0].comma), (2, Some(16)));
        assert_eq!(members[1].comma, None);
    }

    #[test]
    fn what_is_wrong_is_told_with_its_place() {
        check_broken("{\n  \"a\": 1\n  \"b\": 2\n}", 3, 3, "expected `,` or `}`, found `\"`");
        check_broken("{\n  \"a\": 1,\n", 3, 1, "the file ends here");
        check_broken("{\"é\": tru}", 1, 7, "`tru` is not a value");
        check_broken("{a: 1}", 1, 2, "a key in double quotes");
        check_broken("{\"a\" 1}", 1, 6, "expected `:`");
        check_broken("{\"a\": }", 1, 7, "expected a value, found `}`");
        check_broken("{} x", 1, 4, "expected the end of the file");
        check_broken("[1 2]", 1, 4, "expected `,` or `]`");
        check_broken("[,]", 1, 2, "expected a value");
        check_broken("{\"a\": \"b\n\"}", 1, 7, "no end on its line");
        check_broken("{\"a\": \"\\x\"}", 1, 7, "escape");
        check_broken("{ /* open", 1, 3, "no end");
        check_broken(&"[".repeat(100_000), 1, 129, "nested too deeply");
    }

    #[test]
    fn no_cut_of_a_text_panics() {
        let text = "\u{feff}{ // c\r\n \"é\": [1, {\"b\": \"\\u00e9\"}, /* x */], \"d\": -1.5e3, }";
        for (at, _) in text.char_indices() {
            for piece in [&text[..at], &text[at..]] {
                if let Err(broken) = parse(piece) {
                    assert!(broken.position(piece) >= (1, 1));
                }
            }
        }
    }
}
