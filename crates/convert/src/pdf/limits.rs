//! What a hostile file may cost.

/// Most pages that are converted; what follows is named in a note.
pub(super) const PAGES: usize = 20_000;
/// The longest side of a page in points that is believed; the format's own limit is 14,400.
pub(super) const PAGE_SIDE: f32 = 100_000.0;
/// Most operations of one page, its forms included.
pub(super) const PAGE_OPERATIONS: usize = 4_000_000;
/// Most operations of all pages together: a thousand pages of a book have about six million.
pub(super) const DOCUMENT_OPERATIONS: usize = 30_000_000;
/// Most glyphs of one page; one of a newspaper has about thirty thousand.
pub(super) const PAGE_GLYPHS: usize = 100_000;
/// Most bytes of text of all pages together, before any of it is laid out.
pub(super) const DOCUMENT_TEXT: usize = 24 << 20;
/// Most bytes that one glyph may stand for: a ligature has a few letters.
pub(super) const GLYPH_TEXT: usize = 64;
/// Most bytes of the text that a file gives for a group of glyphs.
pub(super) const ACTUAL_TEXT: usize = 2_048;
/// Most codes whose widths one font states.
pub(super) const FONT_WIDTHS: i64 = 200_000;
/// How often fonts are loaded that are written where they are used, so that they cannot be kept.
pub(super) const DIRECT_FONTS: usize = 20_000;
/// Most links of one page.
pub(super) const PAGE_LINKS: usize = 1_000;
/// Most ruled lines of one page; charts have more, tables do not.
pub(super) const PAGE_RULES: usize = 6_000;
/// What it counts for to draw a form or a picture, among operations: forms that draw forms multiply.
pub(super) const DRAW_OPERATIONS: usize = 20;
/// How deep forms may be nested.
pub(super) const FORM_DEPTH: usize = 12;
/// Most bytes that one stream may decode to: fonts with all signs of Chinese have twenty million.
pub(super) const STREAM_BYTES: usize = 32 << 20;
/// Most bytes that all streams together may decode to, images not counted: they are never decoded.
pub(super) const ALL_STREAM_BYTES: usize = 256 << 20;
/// How deep dictionaries may be nested.
pub(super) const DICT_DEPTH: usize = 200;
/// Most trailers: each time that a file is saved without being written anew adds one.
pub(super) const TRAILERS: usize = 5_000;
