//! Web pages: the main content becomes Markdown, what surrounds it goes.
//!
//! `content` picks the element that holds the text, `blocks` walks it and `inline` writes what stands inside of a line. The
//! tree is walked by hand instead of with a general HTML-to-Markdown library because headings must yield origins (their
//! anchors), code its language, and the depth must be bounded.

mod address;
mod blocks;
mod content;
mod inline;
mod nesting;
mod table;
mod xhtml;

use dom_query::Document;

use crate::document::Draft;
use crate::{ConvertError, Converted, Format, Source, charset};

/// Converts a page; its address, when the name is one, makes links absolute.
pub(crate) fn convert(file: Source<'_>) -> Result<Converted, ConvertError> {
    let text = charset::decode(file.bytes, declared_encoding(file.bytes).as_deref());
    nesting::check(&text)?;
    let document = Document::from(xhtml::spelt_out(&text).as_ref());
    let base = content::base(&document, file.name);
    let mut draft = Draft::default();
    let mut walker = blocks::Walker::new(&mut draft, base.as_deref(), file.limits);
    walker.run(&content::main(&document));
    if draft.is_empty() && content::has_scripts(&document) {
        return Err(ConvertError::new(
            crate::ErrorKind::NoText,
            "the page has no text without running its scripts",
            "save the page from a browser after it has loaded, or give its source",
        ));
    }
    let mut page = draft.finish(Format::Html, file.limits)?;
    // The first heading is better than the title of the window, which carries the name of the site.
    page.title = page.title.or_else(|| content::title(&document));
    Ok(page)
}

/// Writes the body of a page of a book, whose links lead nowhere outside of it.
pub(crate) fn append(draft: &mut Draft, bytes: &[u8], limits: &crate::Limits) -> Result<(), ConvertError> {
    let declared = crate::xml::declared_encoding(bytes).or_else(|| declared_encoding(bytes));
    let text = charset::decode(bytes, declared.as_deref());
    nesting::check(&text)?;
    let document = Document::from(xhtml::spelt_out(&text).as_ref());
    let mut walker = blocks::Walker::new(draft, Some("a book"), limits);
    walker.run(&content::body(&document));
    Ok(())
}

/// The encoding that a `<meta>` element names.
fn declared_encoding(bytes: &[u8]) -> Option<String> {
    let head = String::from_utf8_lossy(bytes.get(..2048).unwrap_or(bytes)).to_ascii_lowercase();
    let value = head.split("charset").nth(1)?.trim_start().strip_prefix('=')?;
    let value = value.trim_start_matches(['"', '\'', ' ']);
    let end = value.find(|char: char| !char.is_ascii_alphanumeric() && !matches!(char, '-' | '_' | ':'))?;
    value.get(..end).filter(|name| !name.is_empty()).map(str::to_owned)
}
