//! Web pages: the main content becomes Markdown, what surrounds it goes.
//!
//! `parse` builds the `tree`, `content` picks the element that holds the text, `heading` what it is called, `blocks` walks it and `inline` writes what
//! stands inside of a line. The tree is walked by hand instead of with a general HTML-to-Markdown library because headings
//! must yield origins (their anchors), code its language, and the depth must be bounded.

mod address;
mod blocks;
mod content;
mod heading;
mod inline;
mod nesting;
mod parse;
mod table;
mod tree;
mod xhtml;

use crate::document::Draft;
use crate::{ConvertError, Converted, Format, Source, charset};

/// Converts a page; its address, when the name is one, makes links absolute.
pub(crate) fn convert(file: Source<'_>) -> Result<Converted, ConvertError> {
    let text = charset::decode(file.bytes, declared_encoding(file.bytes).as_deref());
    nesting::check(&text)?;
    let mut draft = Draft::default();
    let tree = tree_of(&text, &mut draft);
    let base = content::base(&tree, file.name);
    let main = content::main(&tree);
    let above = heading::above(&tree, main);
    let mut walker = blocks::Walker::new(&mut draft, base, file.limits);
    if let Some(above) = above {
        walker.heading_above(above);
    }
    walker.run(main);
    if draft.is_empty() && content::has_scripts(&tree) {
        return Err(ConvertError::new(
            crate::ErrorKind::NoText,
            "the page has no text without running its scripts",
            "save the page from a browser after it has loaded, or give its source",
        ));
    }
    // A heading of the first rank is better than the title of the window, and that is better than any other heading.
    if above.is_none()
        && !heading::has_own(main)
        && let Some(title) = heading::of_window(&tree)
    {
        draft.set_title(&title);
    }
    let mut page = draft.finish(Format::Html, file.limits)?;
    page.title = page.title.or_else(|| heading::of_window(&tree));
    Ok(page)
}

/// Writes the body of a page of a book, whose links lead nowhere outside of it.
pub(crate) fn append(draft: &mut Draft, bytes: &[u8], limits: &crate::Limits) -> Result<(), ConvertError> {
    let declared = crate::xml::declared_encoding(bytes).or_else(|| declared_encoding(bytes));
    let text = charset::decode(bytes, declared.as_deref());
    nesting::check(&text)?;
    let tree = tree_of(&text, draft);
    blocks::Walker::new(draft, Some("a book"), limits).run(content::body(&tree));
    Ok(())
}

/// The tree of a page, with a note in the draft if it is not all of it.
fn tree_of(text: &str, draft: &mut Draft) -> tree::Tree {
    let (tree, is_cut) = parse::parse(&xhtml::spelt_out(text));
    if is_cut {
        draft.note("the end of the page was left out: elements that are never closed multiply its parts");
    }
    tree
}

/// The encoding that a `<meta>` element names.
fn declared_encoding(bytes: &[u8]) -> Option<String> {
    let head = String::from_utf8_lossy(bytes.get(..2048).unwrap_or(bytes)).to_ascii_lowercase();
    let value = head.split("charset").nth(1)?.trim_start().strip_prefix('=')?;
    let value = value.trim_start_matches(['"', '\'', ' ']);
    let end = value.find(|char: char| !char.is_ascii_alphanumeric() && !matches!(char, '-' | '_' | ':'))?;
    value.get(..end).filter(|name| !name.is_empty()).map(str::to_owned)
}
