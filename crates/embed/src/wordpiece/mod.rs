//! Text to the token ids of an uncased BERT model.
//!
//! The ids are exactly those of the tokeniser the model was trained behind, with one deliberate difference: names of
//! special tokens in text, such as `[SEP]`, are ordinary text here. A document must not be able to steer the model.
//!
//! Work stops once enough tokens are found, so a huge text costs no more than its beginning; only characters that
//! give no token (control characters, one endless word) are read on.

mod characters;
mod tables;
mod vocabulary;

use std::ops::ControlFlow;

use self::characters::{Character, characters};
use self::vocabulary::Vocabulary;

/// Longer words, in characters, become the unknown token.
const LONGEST_WORD: usize = 100;

/// A WordPiece tokeniser over a vocabulary.
#[derive(Debug)]
pub struct WordPiece {
    vocabulary: Vocabulary,
    unknown: u32,
    first: u32,
    last: u32,
}

impl WordPiece {
    /// A tokeniser from a text with one word piece a line; `None` if `[UNK]`, `[CLS]` or `[SEP]` are missing.
    pub fn new(vocabulary: &'static str) -> Option<WordPiece> {
        let vocabulary = Vocabulary::new(vocabulary);
        let id = |name| vocabulary.id(name);
        let (unknown, first, last) = (id("[UNK]")?, id("[CLS]")?, id("[SEP]")?);
        Some(WordPiece { vocabulary, unknown, first, last })
    }

    /// The ids of a text between `[CLS]` and `[SEP]`, cut to `limit` ids in all (at least two).
    pub fn encode(&self, text: &str, limit: usize) -> Vec<u32> {
        let mut encoding = Encoding {
            tokeniser: self,
            ids: vec![self.first],
            limit: limit.max(2) - 1,
            word: String::with_capacity(LONGEST_WORD),
            characters: 0,
        };
        let _ = characters(text, |character| encoding.push(character));
        encoding.finish()
    }
}

/// An encoding under way: the ids so far and the word that is being read.
struct Encoding<'a> {
    tokeniser: &'a WordPiece,
    ids: Vec<u32>,
    limit: usize,
    word: String,
    characters: usize,
}

impl Encoding<'_> {
    fn push(&mut self, character: Character) -> ControlFlow<()> {
        match character {
            Character::OfWord(character) => {
                // What is beyond the limit is counted but not kept: a word can be as long as the text.
                if self.characters < LONGEST_WORD {
                    self.word.push(character);
                }
                self.characters += 1;
                return ControlFlow::Continue(());
            }
            Character::Space => self.end_word(),
            Character::Alone(character) => {
                self.end_word();
                self.word.push(character);
                self.characters = 1;
                self.end_word();
            }
        }
        if self.ids.len() >= self.limit { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    fn end_word(&mut self) {
        if self.characters == 0 {
            return;
        }
        let known = self.characters <= LONGEST_WORD
            && self.tokeniser.vocabulary.split(self.word.as_bytes(), &mut self.ids);
        if !known {
            self.ids.push(self.tokeniser.unknown);
        }
        self.word.clear();
        self.characters = 0;
    }

    fn finish(mut self) -> Vec<u32> {
        self.end_word();
        self.ids.truncate(self.limit);
        self.ids.push(self.tokeniser.last);
        self.ids
    }
}
