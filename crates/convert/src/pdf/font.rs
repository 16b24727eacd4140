//! Fonts as far as text needs them: what a code means, how wide it is, and whether the face is bold or monospaced.
//!
//! Encodings, `ToUnicode` maps and widths are read by `hayro-font`; weight and pitch come from the font's dictionary.

use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;

use hayro_cmap::BfString;
use hayro_font::{Font, FontCache, FontGlyph, FontQuery};
use hayro_syntax::object::{Array, Dict, FromBytes, Name, Object, Rect, Stream};
use hayro_syntax::page::Resources;

use super::limits;

/// What the look of a glyph says about its role.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Style {
    pub(super) bold: bool,
    pub(super) mono: bool,
}

/// What one character code of a font stands for.
#[derive(Debug, Clone)]
pub(super) struct Code {
    /// Its text; nothing where the file does not tell.
    pub(super) text: Option<Rc<str>>,
    /// Its width in thousandths of the font size.
    pub(super) advance: f64,
}

/// A font that is in use, with what was already looked up.
pub(super) struct LoadedFont<'a> {
    font: Font<'a>,
    pub(super) style: Style,
    /// What the size of this font has to be multiplied with: Type 3 fonts have units of their own.
    pub(super) scale: f64,
    is_composite: bool,
    /// Whether its codes are those of Unicode, which a file says with a name instead of a map.
    is_unicode: bool,
    codes: std::cell::RefCell<HashMap<u32, Code>>,
}

impl LoadedFont<'_> {
    /// The code at a place in a string, how many bytes it takes, and its meaning.
    pub(super) fn read(&self, bytes: &[u8], at: usize) -> (u32, usize, Code) {
        let (code, length) = self.font.read_code(bytes, at);
        let length = length.max(1);
        if let Some(known) = self.codes.borrow().get(&code) {
            return (code, length, known.clone());
        }
        let meaning = Code { text: self.text_of(code), advance: self.advance(code) };
        self.codes.borrow_mut().insert(code, meaning.clone());
        (code, length, meaning)
    }

    pub(super) fn is_horizontal(&self) -> bool {
        self.font.is_horizontal()
    }

    fn advance(&self, code: u32) -> f64 {
        let advance = self.font.code_advance(code);
        let along = if self.font.is_horizontal() { advance.x } else { advance.y };
        if along.is_finite() { along } else { 0.0 }
    }

    fn text_of(&self, code: u32) -> Option<Rc<str>> {
        let unicode = match self.font.glyph(self.font.map_code(code), code) {
            FontGlyph::Outline(glyph) => glyph.as_unicode(),
            FontGlyph::Type3(glyph) => glyph.as_unicode(),
        };
        let text = match unicode {
            Some(BfString::Char(char)) => char.to_string(),
            Some(BfString::String(text)) => text,
            None if self.is_unicode => char::from_u32(code)?.to_string(),
            // A simple font without a map is nearly always ASCII at heart.
            None if !self.is_composite => {
                char::from_u32(code).filter(|char| matches!(char, ' '..='~'))?.to_string()
            }
            None => return None,
        };
        let text = text.get(..text.floor_char_boundary(limits::GLYPH_TEXT)).unwrap_or(&text);
        Some(Rc::from(readable(text)))
    }
}

/// The fonts of a document, each loaded once.
pub(super) struct Fonts<'a> {
    cache: FontCache<'a>,
    loaded: HashMap<(u32, i32), Option<Rc<LoadedFont<'a>>>>,
    resolver: hayro_font::FontResolverFn,
    cmaps: hayro_font::CMapResolverFn,
    /// How often a font was loaded that has no number to know it by.
    without_key: usize,
}

/// The font of a page that names one which it does not have.
const PLAIN: &[u8] = b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>";
/// No object has this number.
const PLAIN_KEY: (u32, i32) = (0, -1);

impl<'a> Fonts<'a> {
    pub(super) fn new() -> Fonts<'a> {
        Fonts {
            cache: FontCache::new(),
            loaded: HashMap::new(),
            resolver: Arc::new(|query| match query {
                FontQuery::Standard(font) => Some(font.get_font_data()),
                FontQuery::Fallback(query) => Some(query.pick_standard_font().get_font_data()),
            }),
            cmaps: Arc::new(hayro_cmap::load_embedded),
            without_key: 0,
        }
    }

    /// The font that a page calls by a name.
    pub(super) fn named(&mut self, name: &Name<'_>, resources: &Resources<'a>) -> Option<Rc<LoadedFont<'a>>> {
        let known = resources.get_font(name);
        // A page that forgot to say which font it means is drawn in a plain one.
        let key = match &known {
            Some(dict) => dict.obj_id().map(|id| (id.obj_number, id.gen_number)),
            None => Some(PLAIN_KEY),
        };
        if let Some(known) = key.and_then(|key| self.loaded.get(&key)) {
            return known.clone();
        }
        let dict = known.or_else(|| Dict::from_bytes(PLAIN))?;
        if key.is_none() {
            self.without_key += 1;
            if self.without_key > limits::DIRECT_FONTS {
                return None;
            }
        }
        let font = is_sane(&dict).then(|| self.cache.font(&dict, &self.resolver, &self.cmaps)).flatten();
        let font = font.map(|font| {
            Rc::new(LoadedFont {
                font,
                style: style_of(&dict),
                scale: type3_scale(&dict),
                is_composite: subtype_is(&dict, b"Type0"),
                is_unicode: dict
                    .get::<Name<'_>>(b"ToUnicode".as_slice())
                    .is_some_and(|name| name.as_ref().starts_with(b"Identity")),
                codes: HashMap::new().into(),
            })
        });
        if let Some(key) = key {
            self.loaded.insert(key, font.clone());
        }
        font
    }
}

/// Whether a font can be loaded without harm: its streams are no pictures, which were not counted, and the widths that it
/// states are not those of billions of codes.
fn is_sane(dict: &Dict<'_>) -> bool {
    let is_text = |dict: &Dict<'_>, key: &[u8]| {
        let stream = dict.get::<Stream<'_>>(key);
        stream.is_none_or(|stream| !subtype_is(stream.dict(), b"Image"))
    };
    let descendants = dict.get::<Array<'_>>(b"DescendantFonts".as_slice());
    let descendant = descendants.and_then(|fonts| fonts.iter::<Dict<'_>>().next());
    let described = descendant.as_ref().unwrap_or(dict);
    let descriptor = described.get::<Dict<'_>>(b"FontDescriptor".as_slice()).unwrap_or_default();
    let files: [&[u8]; 3] = [b"FontFile", b"FontFile2", b"FontFile3"];
    files.iter().all(|key| is_text(&descriptor, key))
        && is_text(dict, b"ToUnicode")
        && is_text(dict, b"Encoding")
        && is_text(described, b"CIDToGIDMap")
        && (widths(described, b"W", 1) + widths(described, b"W2", 3)) <= limits::FONT_WIDTHS
}

/// How many codes an array such as `[1 100 500]` gives widths of; `values` is how many numbers a range has behind it.
fn widths(font: &Dict<'_>, key: &[u8], values: usize) -> i64 {
    let Some(array) = font.get::<Array<'_>>(key) else { return 0 };
    let mut count = 0_i64;
    let mut numbers: Vec<i64> = Vec::new();
    for item in array.iter::<Object<'_>>() {
        match item {
            Object::Number(number) => numbers.push(number.as_i64()),
            _ => numbers.clear(),
        }
        if let [first, last, ..] = *numbers.as_slice()
            && numbers.len() == 2 + values
        {
            count = count.saturating_add(last.saturating_sub(first).clamp(0, i64::from(u32::MAX)));
            numbers.clear();
        }
    }
    count
}

fn subtype_is(dict: &Dict<'_>, subtype: &[u8]) -> bool {
    dict.get::<Name<'_>>(b"Subtype".as_slice()).is_some_and(|name| name.as_ref() == subtype)
}

/// The size of a Type 3 font at one point: the height of its box in the units of its matrix.
fn type3_scale(dict: &Dict<'_>) -> f64 {
    if !subtype_is(dict, b"Type3") {
        return 1.0;
    }
    let matrix = dict.get::<Array<'_>>(b"FontMatrix".as_slice());
    let unit = matrix.and_then(|matrix| matrix.iter::<f32>().nth(3)).map_or(0.001, |d| f64::from(d).abs());
    let height = dict.get::<Rect>(b"FontBBox".as_slice()).map_or(0.0, |area| area.height().abs());
    let scale = height * unit;
    if scale.is_finite() && scale > 0.05 && scale < 2000.0 { scale } else { 1.0 }
}

fn style_of(dict: &Dict<'_>) -> Style {
    let descendant = dict
        .get::<Array<'_>>(b"DescendantFonts".as_slice())
        .and_then(|fonts| fonts.iter::<Dict<'_>>().next());
    let described = descendant.as_ref().unwrap_or(dict);
    let descriptor = described.get::<Dict<'_>>(b"FontDescriptor".as_slice()).unwrap_or_default();
    let name = dict.get::<Name<'_>>(b"BaseFont".as_slice());
    let name = name.map(|name| name.as_str().to_ascii_lowercase()).unwrap_or_default();
    let name = name.split_once('+').map_or(name.as_str(), |(_, rest)| rest);
    let flags = descriptor.get::<u32>(b"Flags".as_slice()).unwrap_or(0);
    let weight = descriptor.get::<f32>(b"FontWeight".as_slice()).unwrap_or(0.0);
    Style {
        bold: weight >= 600.0 || flags & (1 << 18) != 0 || name_is_bold(name),
        mono: flags & 1 != 0 || name_is_mono(name),
    }
}

/// Computer Modern and its kin say it with letters: `cmbx10`, `sfbx1000`.
fn name_is_bold(name: &str) -> bool {
    ["bold", "black", "heavy", "-bd", "-demi", "cmbx", "sfbx", "cmssbx", "ecbx", "-medi"]
        .iter()
        .any(|part| name.contains(part))
        && !name.contains("nimbusmon")
        || name.contains("nimbusmonl-bold")
}

fn name_is_mono(name: &str) -> bool {
    [
        "mono",
        "courier",
        "consol",
        "menlo",
        "typewriter",
        "fixed",
        "inconsolata",
        "nimbusmon",
        "sourcecode",
        "firacode",
    ]
    .iter()
    .any(|part| name.contains(part))
        || ["cmtt", "sftt", "ectt", "cmsltt", "lmtt"].iter().any(|part| name.starts_with(part))
}

/// Ligatures taken apart, private signs of symbol fonts by what they show, control characters away.
fn readable(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for char in text.chars() {
        match char {
            '\u{fb00}' => out.push_str("ff"),
            '\u{fb01}' => out.push_str("fi"),
            '\u{fb02}' => out.push_str("fl"),
            '\u{fb03}' => out.push_str("ffi"),
            '\u{fb04}' => out.push_str("ffl"),
            '\u{fb05}' | '\u{fb06}' => out.push_str("st"),
            '\u{f0b7}' | '\u{f0a7}' | '\u{f076}' => out.push('•'),
            '\u{f0d8}' => out.push('➢'),
            '\u{a0}' | '\u{2000}'..='\u{200a}' | '\u{202f}' | '\u{3000}' | '\t' | '\n' | '\r' => {
                out.push(' ')
            }
            '\u{200b}' | '\u{feff}' | '\u{fffd}' => {}
            char if char.is_control() => {}
            char => out.push(char),
        }
    }
    out
}

/// The text of an `ActualText` or another string that the file gives for reading.
pub(super) fn text_string(bytes: &[u8]) -> String {
    let text = if let Some(utf16) = bytes.strip_prefix(&[0xfe, 0xff]) {
        let units = utf16.chunks_exact(2).map(|pair| u16::from_be_bytes([pair[0], pair[1]]));
        char::decode_utf16(units).map(|char| char.unwrap_or(' ')).collect()
    } else if let Some(utf16) = bytes.strip_prefix(&[0xff, 0xfe]) {
        let units = utf16.chunks_exact(2).map(|pair| u16::from_le_bytes([pair[0], pair[1]]));
        char::decode_utf16(units).map(|char| char.unwrap_or(' ')).collect()
    } else if let Some(utf8) = bytes.strip_prefix(&[0xef, 0xbb, 0xbf]) {
        String::from_utf8_lossy(utf8).into_owned()
    } else {
        bytes.iter().map(|&byte| pdf_doc_char(byte)).collect::<String>()
    };
    readable(&text)
}

/// PDFDocEncoding, which is Latin 1 but for two rows.
fn pdf_doc_char(byte: u8) -> char {
    const ROW_18: [char; 8] = ['˘', 'ˇ', 'ˆ', '˙', '˝', '˛', '˚', '˜'];
    const ROW_80: [char; 33] = [
        '•', '†', '‡', '…', '—', '–', 'ƒ', '⁄', '‹', '›', '−', '‰', '„', '“', '”', '‘', '’', '‚', '™', 'ﬁ',
        'ﬂ', 'Ł', 'Œ', 'Š', 'Ÿ', 'Ž', 'ı', 'ł', 'œ', 'š', 'ž', '\u{fffd}', '€',
    ];
    match byte {
        0x18..=0x1f => ROW_18.get(usize::from(byte - 0x18)).copied().unwrap_or(' '),
        0x80..=0xa0 => ROW_80.get(usize::from(byte - 0x80)).copied().unwrap_or(' '),
        _ => char::from(byte),
    }
}
