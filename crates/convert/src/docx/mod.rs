//! Word documents.
//!
//! `styles` says which paragraphs are headings, code or quotes, `lists` counts items, `paragraph` reads what stands inside of
//! a line and `body` puts blocks together. Changes that were tracked are read as accepted; comments, headers and footers are
//! left out.

mod body;
mod lists;
mod paragraph;
mod styles;

pub(crate) use paragraph::is_code_font;

use std::collections::HashMap;

use crate::document::Draft;
use crate::package::{Package, resolve};
use crate::xml::Element;
use crate::{ConvertError, Converted, Format, Source};

/// Converts a document.
pub(crate) fn convert(file: Source<'_>) -> Result<Converted, ConvertError> {
    let mut package = Package::open(file.bytes, file.limits)?;
    let main = main_part(&mut package)?;
    let document = package.required_xml(&main)?;
    let body = document.child("body").ok_or_else(|| ConvertError::damaged("the document has no body"))?;
    let links = relations(&mut package, &main)?;
    let styles = package.xml(&resolve(&main, "styles.xml"))?;
    let numbering = package.xml(&resolve(&main, "numbering.xml"))?;
    let mut draft = Draft::default();
    if let Some(title) = stated_title(&mut package)? {
        draft.set_title(&title);
    }
    let mut writer = body::Writer {
        draft: &mut draft,
        styles: styles::Styles::new(styles.as_ref()),
        lists: lists::Lists::new(numbering.as_ref()),
        links: &links,
        limits: file.limits,
        indents: Default::default(),
        code: Vec::new(),
        deeper: 0,
    };
    writer.document(body);
    for part in ["footnotes.xml", "endnotes.xml"] {
        if let Some(notes) = package.xml(&resolve(&main, part))? {
            writer.footnotes(&notes, part.starts_with("endnotes"));
        }
    }
    draft.finish(Format::Docx, file.limits)
}

/// The part with the text, which need not be `word/document.xml`.
fn main_part(package: &mut Package<'_>) -> Result<String, ConvertError> {
    let relations = package.xml("_rels/.rels")?;
    let target = relations.as_ref().and_then(|relations| {
        let is_main = |relation: &&Element| {
            relation.attribute("Type").is_some_and(|kind| kind.ends_with("/officeDocument"))
        };
        relations.elements().find(is_main)?.attribute("Target")
    });
    Ok(target.map_or_else(|| "word/document.xml".to_owned(), |target| resolve("", target)))
}

/// Targets by their ids, of a part: links and the names of other parts.
pub(crate) fn relations(
    package: &mut Package<'_>,
    part: &str,
) -> Result<HashMap<String, String>, ConvertError> {
    let (folder, name) = part.rsplit_once('/').unwrap_or(("", part));
    let relations = package.xml(&format!("{folder}/_rels/{name}.rels"))?;
    let found = relations.iter().flat_map(Element::elements).filter_map(|relation| {
        Some((relation.attribute("Id")?.to_owned(), relation.attribute("Target")?.to_owned()))
    });
    Ok(found.collect())
}

/// The title among the properties of an Office file.
pub(crate) fn stated_title(package: &mut Package<'_>) -> Result<Option<String>, ConvertError> {
    let properties = package.xml("docProps/core.xml")?;
    let title = properties.as_ref().and_then(|properties| properties.child("title")).map(Element::text);
    Ok(title.filter(|title| !title.trim().is_empty()))
}
