//! Electronic books: chapters in the order of reading.

use std::collections::HashMap;

use crate::document::Draft;
use crate::package::{Package, resolve};
use crate::xml::Element;
use crate::{ConvertError, Converted, Format, Source, html, markdown};

/// Converts a book.
pub(crate) fn convert(file: Source<'_>) -> Result<Converted, ConvertError> {
    let mut package = Package::open(file.bytes, file.limits)?;
    refuse_protected(&mut package)?;
    let container = package.required_xml("META-INF/container.xml")?;
    let is_book = |root: &&Element| root.attribute("media-type") == Some("application/oebps-package+xml");
    let root = container.child("rootfiles").and_then(|roots| roots.elements().find(is_book));
    let root = root.and_then(|root| root.attribute("full-path"));
    let root =
        root.ok_or_else(|| ConvertError::damaged("the book does not say where its contents are"))?.to_owned();
    let book = package.required_xml(&root)?;
    let mut draft = Draft::default();
    if let Some(title) = book.child("metadata").and_then(|metadata| metadata.child("title")) {
        draft.set_title(&title.text());
    }
    let items: HashMap<&str, &Element> = book
        .child("manifest")
        .into_iter()
        .flat_map(Element::elements)
        .filter_map(|item| Some((item.attribute("id")?, item)))
        .collect();
    let titles = titles(&mut package, &root, items.values().copied());
    let chapters = book.child("spine").into_iter().flat_map(|spine| spine.all("itemref"));
    for chapter in chapters {
        let Some(item) = chapter.attribute("idref").and_then(|id| items.get(id)) else { continue };
        let is_contents = item.attribute("properties").is_some_and(|properties| properties.contains("nav"));
        let part = resolve(&root, &decoded(item.attribute("href").unwrap_or_default()));
        let is_page =
            item.attribute("media-type").is_none_or(|kind| kind.contains("html") || kind.contains("xml"));
        if is_contents || !is_page || draft.len() > file.limits.markdown_bytes {
            continue;
        }
        let Some(bytes) = package.read(&part)? else {
            draft.note(format!("the chapter {part} is missing"));
            continue;
        };
        let mut text = Draft::default();
        html::append(&mut text, &bytes, file.limits)?;
        // A cover is a picture.
        let Ok(mut text) = text.finish(Format::Html, file.limits) else { continue };
        let heading = markdown::first_heading(&text.markdown);
        if let Some(title) = titles.get(&part).filter(|_| heading.is_none()) {
            text.markdown = format!("# {}\n\n{}", markdown::escape(title), text.markdown);
            for origin in &mut text.origins {
                origin.line = origin.line.saturating_add(2);
            }
        }
        draft.append(&text, 0, &part);
    }
    draft.finish(Format::Epub, file.limits)
}

/// Titles of chapters from the table of contents, which is a page in version 3 and an XML file before.
fn titles<'e>(
    package: &mut Package<'_>,
    root: &str,
    items: impl Iterator<Item = &'e Element>,
) -> HashMap<String, String> {
    let mut found = HashMap::new();
    for item in items {
        let is_page = item.attribute("properties").is_some_and(|properties| properties.contains("nav"));
        let is_old = item.attribute("media-type") == Some("application/x-dtbncx+xml");
        if !is_page && !is_old {
            continue;
        }
        let part = resolve(root, &decoded(item.attribute("href").unwrap_or_default()));
        // Without it chapters only lack titles: one that cannot be read is no reason to stop.
        let Ok(Some(contents)) = package.xml(&part) else { continue };
        collect_titles(&contents, &part, &mut found);
    }
    found
}

fn collect_titles(element: &Element, part: &str, found: &mut HashMap<String, String>) {
    let (target, title) = match element.name() {
        "a" => (element.attribute("href"), Some(element.text())),
        "navPoint" => {
            let target = element.child("content").and_then(|content| content.attribute("src"));
            (target, element.child("navLabel").map(Element::text))
        }
        _ => (None, None),
    };
    if let (Some(target), Some(title)) = (target, title) {
        let title = title.split_whitespace().collect::<Vec<_>>().join(" ");
        if !title.is_empty() {
            found.entry(resolve(part, &decoded(target))).or_insert(title);
        }
    }
    for inner in element.elements() {
        collect_titles(inner, part, found);
    }
}

/// Only fonts may be scrambled; a scrambled page means that the book is protected.
fn refuse_protected(package: &mut Package<'_>) -> Result<(), ConvertError> {
    let Ok(Some(list)) = package.xml("META-INF/encryption.xml") else { return Ok(()) };
    let is_page = |data: &Element| {
        let target =
            data.find("CipherReference").and_then(|reference| reference.attribute("URI")).unwrap_or_default();
        target.ends_with("html") || target.ends_with(".htm") || target.ends_with(".xml")
    };
    if list.elements().any(is_page) {
        let hint = "give a copy without digital rights management";
        let what = "the book is protected with digital rights management";
        return Err(ConvertError::new(crate::ErrorKind::Encrypted, what, hint));
    }
    Ok(())
}

/// An address without its percent signs: `chapter%201.xhtml`.
fn decoded(address: &str) -> String {
    let mut out = Vec::with_capacity(address.len());
    let mut bytes = address.bytes();
    while let Some(byte) = bytes.next() {
        let mut ahead = bytes.clone();
        let digits = if byte == b'%' { ahead.next().zip(ahead.next()) } else { None };
        let value = digits.and_then(|(high, low)| {
            let digit = |byte: u8| char::from(byte).to_digit(16);
            u8::try_from(digit(high)? * 16 + digit(low)?).ok()
        });
        if value.is_some() {
            bytes = ahead;
        }
        out.push(value.unwrap_or(byte));
    }
    String::from_utf8_lossy(&out).into_owned()
}
