//! Cuts Rust source into tokens: words, literals, brackets with their partners, and doc comments.
//!
//! It knows just enough of the language to tell code from text: comments nest, strings may be raw, and a quote begins a
//! character or a lifetime. Everything else is left to the parser of items. One pass, nothing is looked at twice.

/// What a token is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// An identifier or a keyword.
    Word,
    /// A string, a character, a number or a lifetime.
    Literal,
    /// A single character of punctuation.
    Punct,
    /// `(`, `[` or `{`.
    Open,
    /// `)`, `]` or `}`.
    Close,
    /// `/// …` or `/** … */`.
    OuterDoc,
    /// `//! …` or `/*! … */`.
    InnerDoc,
}

/// A piece of the source.
#[derive(Debug, Clone, Copy)]
pub(super) struct Token {
    pub(super) kind: Kind,
    pub(super) start: usize,
    pub(super) end: usize,
    /// Of an opening bracket: the number of the token that closes it, or the number of tokens.
    pub(super) partner: usize,
}

/// Reads a whole file.
pub(super) fn tokens(text: &str) -> Vec<Token> {
    let mut lexer = Lexer { bytes: text.as_bytes(), at: 0, tokens: Vec::new(), open: Vec::new() };
    while lexer.at < lexer.bytes.len() {
        lexer.step();
    }
    let count = lexer.tokens.len();
    for open in lexer.open {
        if let Some(token) = lexer.tokens.get_mut(open) {
            token.partner = count;
        }
    }
    lexer.tokens
}

struct Lexer<'a> {
    bytes: &'a [u8],
    at: usize,
    tokens: Vec<Token>,
    /// Brackets that wait for their partner.
    open: Vec<usize>,
}

impl Lexer<'_> {
    fn peek(&self, ahead: usize) -> u8 {
        self.bytes.get(self.at.saturating_add(ahead)).copied().unwrap_or(0)
    }

    fn push(&mut self, kind: Kind, start: usize) {
        let end = self.at.min(self.bytes.len());
        self.tokens.push(Token { kind, start, end, partner: 0 });
    }

    fn step(&mut self) {
        let start = self.at;
        let byte = self.peek(0);
        match byte {
            b'/' if self.peek(1) == b'/' => self.line_comment(),
            b'/' if self.peek(1) == b'*' => self.block_comment(),
            b'"' => self.string(start),
            b'\'' => self.quote(),
            b'(' | b'[' | b'{' => {
                self.at += 1;
                self.open.push(self.tokens.len());
                self.push(Kind::Open, start);
            }
            b')' | b']' | b'}' => {
                self.at += 1;
                self.close(byte);
                self.push(Kind::Close, start);
            }
            b'0'..=b'9' => self.number(),
            _ if is_word(byte) => self.word(),
            _ if byte.is_ascii_whitespace() => self.at += 1,
            _ => {
                self.at += 1;
                self.push(Kind::Punct, start);
            }
        }
    }

    /// A closing brace closes whatever stands open inside of it; a stray bracket of another kind closes nothing.
    fn close(&mut self, byte: u8) {
        let number = self.tokens.len();
        let opening = match byte {
            b')' => b'(',
            b']' => b'[',
            _ => b'{',
        };
        while let Some(&open) = self.open.last() {
            let Some(token) = self.tokens.get_mut(open) else { return };
            let matches = self.bytes.get(token.start) == Some(&opening);
            if !matches && byte != b'}' {
                return;
            }
            token.partner = number;
            self.open.pop();
            if matches {
                return;
            }
        }
    }

    fn line_comment(&mut self) {
        let start = self.at;
        let rest = self.bytes.get(self.at..).unwrap_or_default();
        self.at += rest.iter().position(|&byte| byte == b'\n').unwrap_or(rest.len());
        let comment = self.bytes.get(start..self.at).unwrap_or_default();
        if comment.starts_with(b"//!") {
            self.push(Kind::InnerDoc, start);
        } else if comment.starts_with(b"///") && !comment.starts_with(b"////") {
            self.push(Kind::OuterDoc, start);
        }
    }

    fn block_comment(&mut self) {
        let start = self.at;
        let mut depth = 0_usize;
        while self.at < self.bytes.len() {
            match (self.peek(0), self.peek(1)) {
                (b'/', b'*') => {
                    depth += 1;
                    self.at += 2;
                }
                (b'*', b'/') => {
                    depth -= 1;
                    self.at += 2;
                    if depth == 0 {
                        break;
                    }
                }
                _ => self.at += 1,
            }
        }
        let comment = self.bytes.get(start..self.at).unwrap_or_default();
        if comment.starts_with(b"/*!") {
            self.push(Kind::InnerDoc, start);
        } else if comment.starts_with(b"/**") && !comment.starts_with(b"/***") && comment != b"/**/" {
            self.push(Kind::OuterDoc, start);
        }
    }

    /// From the opening quote to behind the closing one.
    fn string(&mut self, start: usize) {
        self.at += 1;
        while self.at < self.bytes.len() {
            match self.peek(0) {
                b'\\' => self.at += 2,
                b'"' => {
                    self.at += 1;
                    break;
                }
                _ => self.at += 1,
            }
        }
        self.push(Kind::Literal, start);
    }

    /// From the quote behind the hashes to behind the last hash.
    fn raw_string(&mut self, start: usize, hashes: usize) {
        self.at += 1;
        while self.at < self.bytes.len() {
            self.at += 1;
            if self.bytes.get(self.at - 1) == Some(&b'"') {
                let rest = self.bytes.get(self.at..).unwrap_or_default();
                let found = rest.iter().take(hashes).take_while(|&&byte| byte == b'#').count();
                self.at += found;
                if found == hashes {
                    break;
                }
            }
        }
        self.push(Kind::Literal, start);
    }

    /// A character or a lifetime.
    fn quote(&mut self) {
        let start = self.at;
        self.at += 1;
        let width = match self.peek(0) {
            0..=0x7f => 1,
            0x80..=0xdf => 2,
            0xe0..=0xef => 3,
            _ => 4,
        };
        if self.peek(0) == b'\\' {
            self.at += 2;
            // The longest escape is `\u{10ffff}`; the bound keeps a stray quote from swallowing the file.
            let rest = self.bytes.get(self.at..).unwrap_or_default();
            if let Some(end) = rest.iter().take(12).position(|&byte| byte == b'\'') {
                self.at += end + 1;
            }
        } else if self.peek(width) == b'\'' {
            self.at += width + 1;
        } else {
            while is_word(self.peek(0)) {
                self.at += 1;
            }
        }
        self.push(Kind::Literal, start);
    }

    fn number(&mut self) {
        let start = self.at;
        while is_word(self.peek(0)) || (self.peek(0) == b'.' && self.peek(1).is_ascii_digit()) {
            self.at += 1;
        }
        self.push(Kind::Literal, start);
    }

    /// An identifier, or the prefix of a string.
    fn word(&mut self) {
        let start = self.at;
        while is_word(self.peek(0)) {
            self.at += 1;
        }
        let word = self.bytes.get(start..self.at).unwrap_or_default();
        match (word, self.peek(0)) {
            (b"b" | b"c", b'"') => return self.string(start),
            (b"b", b'\'') => return self.quote(),
            (b"r" | b"br" | b"cr", b'"' | b'#') => {
                let rest = self.bytes.get(self.at..).unwrap_or_default();
                let hashes = rest.iter().take_while(|&&byte| byte == b'#').count();
                if self.peek(hashes) == b'"' {
                    self.at += hashes;
                    return self.raw_string(start, hashes);
                }
                if hashes == 1 && is_word(self.peek(1)) {
                    self.at += 1;
                    while is_word(self.peek(0)) {
                        self.at += 1;
                    }
                }
            }
            _ => {}
        }
        self.push(Kind::Word, start);
    }
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80
}
