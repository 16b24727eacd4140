//! Rich Text Format: paragraphs, emphasis, links, lists, tables.
//!
//! `tokens` cuts the file into groups, words and text; here they are given a meaning. Headings are taken from outline levels
//! only: bold lines are not guessed to be headings.

mod tokens;

use encoding_rs::Encoding;

use crate::document::Draft;
use crate::markdown::{self, escape_start};
use crate::runs::{Look, Runs};
use crate::{ConvertError, Converted, Format, Limits, Source};
use tokens::{Token, Tokens};

/// Groups that hold no text of the document.
const SILENT: [&str; 22] = [
    "fonttbl",
    "colortbl",
    "stylesheet",
    "listtable",
    "listoverridetable",
    "rsidtbl",
    "generator",
    "pict",
    "object",
    "header",
    "headerl",
    "headerr",
    "headerf",
    "footer",
    "footerl",
    "footerr",
    "footerf",
    "xmlnstbl",
    "themedata",
    "datastore",
    "latentstyles",
    "filetbl",
];

/// Converts a file.
pub(crate) fn convert(file: Source<'_>) -> Result<Converted, ConvertError> {
    let mut draft = Draft::default();
    let mut reader = Reader::new(&mut draft, file.limits);
    for token in Tokens::new(file.bytes) {
        reader.take(token)?;
    }
    reader.end_paragraph();
    reader.end_table();
    for (number, text) in (1..).zip(std::mem::take(&mut reader.footnotes)) {
        reader.draft.block(&format!("[^{number}]: {}", markdown::escape(&text)));
    }
    draft.finish(Format::Rtf, file.limits)
}

/// Where the text of a group goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    Text,
    Nowhere,
    Title,
    /// The instruction of a field.
    Instruction,
    /// The mark of a list item.
    Mark,
    Footnote,
}

#[derive(Clone)]
struct State {
    place: Place,
    is_hidden: bool,
    look: Look,
    /// Bytes that stand behind a Unicode character for readers that do not know it.
    fallback: usize,
}

struct Reader<'a> {
    draft: &'a mut Draft,
    limits: &'a Limits,
    state: State,
    groups: Vec<State>,
    encoding: &'static Encoding,
    runs: Runs,
    /// Bytes in the encoding of the file that are not decoded yet.
    pending: Vec<u8>,
    to_skip: usize,
    title: String,
    instruction: String,
    mark: String,
    footnote: String,
    footnotes: Vec<String>,
    outline: Option<usize>,
    in_table: bool,
    row: Vec<String>,
    rows: Vec<Vec<String>>,
    /// Whether the last word was the star that marks what may be ignored.
    is_optional: bool,
    high_surrogate: Option<u16>,
}

impl<'a> Reader<'a> {
    fn new(draft: &'a mut Draft, limits: &'a Limits) -> Self {
        Self {
            draft,
            limits,
            state: State { place: Place::Text, is_hidden: false, look: Look::default(), fallback: 1 },
            groups: Vec::new(),
            encoding: encoding_rs::WINDOWS_1252,
            runs: Runs::default(),
            pending: Vec::new(),
            to_skip: 0,
            title: String::new(),
            instruction: String::new(),
            mark: String::new(),
            footnote: String::new(),
            footnotes: Vec::new(),
            outline: None,
            in_table: false,
            row: Vec::new(),
            rows: Vec::new(),
            is_optional: false,
            high_surrogate: None,
        }
    }

    fn take(&mut self, token: Token<'_>) -> Result<(), ConvertError> {
        if !matches!(token, Token::Byte(_)) {
            self.flush();
        }
        match token {
            Token::Open => {
                if self.groups.len() >= self.limits.depth {
                    let depth = self.limits.depth;
                    return Err(ConvertError::too_large(format_args!("groups nested deeper than {depth}")));
                }
                self.groups.push(self.state.clone());
                self.to_skip = 0;
            }
            Token::Close => self.close(),
            Token::Byte(byte) => {
                if self.to_skip > 0 {
                    self.to_skip -= 1;
                } else {
                    self.pending.push(byte);
                }
            }
            Token::Word(word, number) => {
                let was_optional = std::mem::take(&mut self.is_optional);
                if word != "u" && self.to_skip > 0 && matches!(word, "tab" | "line") {
                    self.to_skip -= 1;
                } else {
                    self.word(word, number, was_optional);
                }
            }
            Token::Symbol(symbol) => match symbol {
                '*' => self.is_optional = true,
                '~' => self.text(" "),
                '_' => self.text("-"),
                _ => {}
            },
        }
        Ok(())
    }

    fn word(&mut self, word: &str, number: Option<i32>, is_optional: bool) {
        let is_on = number != Some(0);
        match word {
            "ansicpg" => self.encoding = code_page(number.unwrap_or(1252)),
            "mac" => self.encoding = encoding_rs::MACINTOSH,
            "uc" => self.state.fallback = usize::try_from(number.unwrap_or(1)).unwrap_or(1).min(16),
            "u" => self.unicode(number.unwrap_or(0)),
            "fldinst" => self.state.place = Place::Instruction,
            "fldrslt" => self.state.look.link = link(&self.instruction),
            "field" => self.instruction.clear(),
            "listtext" | "pntext" => {
                self.mark.clear();
                self.state.place = Place::Mark;
            }
            "info" => self.state.place = Place::Nowhere,
            "title" if self.state.place == Place::Nowhere => self.state.place = Place::Title,
            "footnote" if self.state.place == Place::Text => self.state.place = Place::Footnote,
            _ if SILENT.contains(&word) => self.state.place = Place::Nowhere,
            _ if is_optional && !matches!(word, "shptxt" | "shpinst") => self.state.place = Place::Nowhere,
            "b" => self.state.look.bold = is_on,
            "i" => self.state.look.italic = is_on,
            "strike" => self.state.look.strike = is_on,
            "v" => self.state.is_hidden = is_on,
            "plain" => {
                self.state.look = Look { link: self.state.look.link.take(), ..Look::default() };
            }
            "pard" => {
                self.outline = None;
                self.in_table = false;
            }
            "outlinelevel" => {
                self.outline = number.and_then(|level| usize::try_from(level).ok()).filter(|&level| level < 9)
            }
            "intbl" => self.in_table = true,
            "par" | "sect" | "page" if self.state.place == Place::Text => {
                if self.in_table {
                    self.text("\n");
                } else {
                    self.end_paragraph();
                }
            }
            "cell" | "nestcell" => {
                let cell = std::mem::take(&mut self.runs).markdown();
                if self.row.len() < self.limits.columns {
                    self.row.push(cell);
                }
            }
            "row" | "nestrow" => {
                if self.rows.len() < self.limits.rows {
                    self.rows.push(std::mem::take(&mut self.row));
                } else {
                    self.row.clear();
                    self.draft.note(format!("a table was cut after {} rows", self.limits.rows));
                }
                self.in_table = false;
            }
            "line" => self.text("\n"),
            "tab" => self.text("\t"),
            "emdash" => self.text("—"),
            "endash" => self.text("–"),
            "lquote" => self.text("‘"),
            "rquote" => self.text("’"),
            "ldblquote" => self.text("“"),
            "rdblquote" => self.text("”"),
            "bullet" => self.text("•"),
            _ => {}
        }
    }

    fn close(&mut self) {
        let closed = self.state.place;
        if let Some(outer) = self.groups.pop() {
            self.state = outer;
        }
        self.to_skip = 0;
        if closed == Place::Title && self.state.place != Place::Title {
            self.draft.set_title(&std::mem::take(&mut self.title));
        }
        if closed == Place::Footnote && self.state.place != Place::Footnote {
            let text = std::mem::take(&mut self.footnote);
            self.footnotes.push(text.split_whitespace().collect::<Vec<_>>().join(" "));
            self.runs.push_raw(format!("[^{}]", self.footnotes.len()));
        }
    }

    /// A character by its number; large ones are written negative, those beyond 16 bits as two.
    fn unicode(&mut self, number: i32) {
        let Ok(unit) = u16::try_from(number.rem_euclid(65_536)) else { return };
        self.to_skip = self.state.fallback;
        let high = self.high_surrogate.take();
        if (0xd800..0xdc00).contains(&unit) {
            self.high_surrogate = Some(unit);
            return;
        }
        let units: Vec<u16> = high.into_iter().chain([unit]).collect();
        let text = String::from_utf16_lossy(&units);
        self.text(&text);
    }

    fn flush(&mut self) {
        if self.pending.is_empty() {
            return;
        }
        let bytes = std::mem::take(&mut self.pending);
        let (text, _) = self.encoding.decode_without_bom_handling(&bytes);
        self.text(&text);
    }

    fn text(&mut self, text: &str) {
        match self.state.place {
            _ if self.state.is_hidden => {}
            Place::Text => self.runs.push(text, &self.state.look),
            Place::Footnote => self.footnote.push_str(text),
            Place::Nowhere => {}
            Place::Title => self.title.push_str(text),
            Place::Instruction => self.instruction.push_str(text),
            Place::Mark => self.mark.push_str(text),
        }
    }

    fn end_paragraph(&mut self) {
        self.flush();
        let runs = std::mem::take(&mut self.runs);
        let mark = std::mem::take(&mut self.mark);
        if runs.is_blank() {
            return;
        }
        self.end_table();
        if let Some(level) = self.outline {
            self.draft.heading(level + 1, &runs.heading());
            return;
        }
        let text = runs.markdown();
        let digits: String = mark.trim().chars().take_while(char::is_ascii_digit).take(9).collect();
        if mark.trim().is_empty() {
            self.draft.block(&text.lines().map(escape_start).collect::<Vec<_>>().join("\n"));
        } else if digits.is_empty() {
            self.draft.item(&markdown::indented(&text, "- ", "  "));
        } else {
            self.draft.item(&markdown::indented(&text, &format!("{digits}. "), "   "));
        }
    }

    fn end_table(&mut self) {
        let rows = std::mem::take(&mut self.rows);
        if !rows.is_empty() {
            self.draft.block(&markdown::table(&rows));
        }
    }
}

/// The address in `HYPERLINK "https://…"`.
fn link(instruction: &str) -> Option<String> {
    let rest = instruction.trim().strip_prefix("HYPERLINK")?.trim();
    let target = rest.strip_prefix('"').and_then(|quoted| quoted.split('"').next()).unwrap_or(rest);
    target.contains(':').then(|| target.to_owned())
}

fn code_page(number: i32) -> &'static Encoding {
    let label = match number {
        874 => "windows-874".to_owned(),
        932 => "shift_jis".to_owned(),
        936 => "gbk".to_owned(),
        949 => "euc-kr".to_owned(),
        950 => "big5".to_owned(),
        10_000 => "macintosh".to_owned(),
        65_001 => "utf-8".to_owned(),
        number => format!("windows-{number}"),
    };
    Encoding::for_label(label.as_bytes()).unwrap_or(encoding_rs::WINDOWS_1252)
}
