//! Cuts an RTF file into braces, control words and bytes of text.

/// A piece of the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Token<'a> {
    Open,
    Close,
    /// `\word` or `\word123`.
    Word(&'a str, Option<i32>),
    /// `\*` and other single characters.
    Symbol(char),
    /// A byte of text in the encoding of the file.
    Byte(u8),
}

pub(super) struct Tokens<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Tokens<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, at: 0 }
    }

    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn length_of(&self, wanted: impl Fn(&u8) -> bool, most: usize) -> usize {
        self.bytes
            .get(self.at..)
            .unwrap_or_default()
            .iter()
            .take(most)
            .take_while(|byte| wanted(byte))
            .count()
    }

    fn taken(&mut self, length: usize) -> &'a str {
        let text = self.bytes.get(self.at..self.at + length).unwrap_or_default();
        self.at += length;
        std::str::from_utf8(text).unwrap_or_default()
    }

    /// What follows a backslash.
    fn control(&mut self) -> Option<Token<'a>> {
        let first = self.peek()?;
        if first.is_ascii_alphabetic() {
            let length = self.length_of(u8::is_ascii_alphabetic, 32);
            let word = self.taken(length);
            let sign = usize::from(self.peek() == Some(b'-'));
            self.at += sign;
            let length = self.length_of(u8::is_ascii_digit, 10);
            let number = self.taken(length).parse::<i32>().ok();
            let number = number.map(|number| if sign == 1 { -number } else { number });
            if self.peek() == Some(b' ') {
                self.at += 1;
            }
            if word == "bin" {
                // Raw bytes that may look like anything.
                self.at = self.at.saturating_add(usize::try_from(number.unwrap_or(0)).unwrap_or(0));
            }
            return Some(Token::Word(word, number));
        }
        self.at += 1;
        Some(match first {
            b'\'' => {
                let length = self.length_of(u8::is_ascii_hexdigit, 2);
                let digits = self.taken(length);
                Token::Byte(u8::from_str_radix(digits, 16).unwrap_or(b'?'))
            }
            b'\\' | b'{' | b'}' => Token::Byte(first),
            b'\n' | b'\r' => Token::Word("par", None),
            byte => Token::Symbol(char::from(byte)),
        })
    }
}

impl<'a> Iterator for Tokens<'a> {
    type Item = Token<'a>;

    fn next(&mut self) -> Option<Token<'a>> {
        loop {
            let byte = self.peek()?;
            self.at += 1;
            return Some(match byte {
                b'{' => Token::Open,
                b'}' => Token::Close,
                b'\\' => return self.control(),
                // Line breaks only wrap the file; a zero byte pads it.
                b'\n' | b'\r' | 0 => continue,
                byte => Token::Byte(byte),
            });
        }
    }
}
