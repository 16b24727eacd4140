//! What stands inside of a paragraph of a Word document.

use std::collections::HashMap;

use super::styles::Styles;
use crate::runs::{Look, Runs};
use crate::xml::Element;

/// What a paragraph holds.
#[derive(Default)]
pub(super) struct Content<'a> {
    pub(super) runs: Runs,
    /// Text boxes that hang on the paragraph.
    pub(super) boxes: Vec<&'a Element>,
}

/// Reads runs, with what is known about the document.
pub(super) struct Reader<'a> {
    pub(super) styles: &'a Styles,
    pub(super) links: &'a HashMap<String, String>,
}

impl Reader<'_> {
    pub(super) fn read<'e>(&self, paragraph: &'e Element) -> Content<'e> {
        let mut content = Content::default();
        let mut field = Field::default();
        self.inside(paragraph, None, &mut field, &mut content);
        content
    }

    fn inside<'e>(
        &self,
        parent: &'e Element,
        link: Option<&str>,
        field: &mut Field,
        content: &mut Content<'e>,
    ) {
        for element in parent.elements() {
            match element.name() {
                "r" => self.run(element, link, field, content),
                "hyperlink" => {
                    let target =
                        element.attribute("r:id").and_then(|id| self.links.get(id)).map(String::as_str);
                    self.inside(element, target.or(link), field, content);
                }
                // Deleted and moved away; what was inserted falls through to the last arm.
                "del" | "moveFrom" | "pPr" | "rPr" | "sdtPr" | "instrText" => {}
                "AlternateContent" => {
                    if let Some(chosen) = element.child("Choice").or_else(|| element.child("Fallback")) {
                        self.inside(chosen, link, field, content);
                    }
                }
                "oMath" | "oMathPara" => {
                    let look = Look { code: true, ..Look::default() };
                    content.runs.push(element.text().trim(), &look);
                }
                _ => self.inside(element, link, field, content),
            }
        }
    }

    fn run<'e>(&self, run: &'e Element, link: Option<&str>, field: &mut Field, content: &mut Content<'e>) {
        let mut look = self.look(run.child("rPr"));
        if run.at(&["rPr", "vanish"]).is_some_and(is_on) {
            return;
        }
        look.link = link.map(str::to_owned).or_else(|| field.link.clone());
        for element in run.elements() {
            match element.name() {
                "t" => content.runs.push(&element.text(), &look),
                "tab" | "ptab" => content.runs.push("\t", &look),
                "br" | "cr" => content.runs.push("\n", &look),
                "noBreakHyphen" => content.runs.push("-", &look),
                "fldChar" => field.step(element.attribute("w:fldCharType").unwrap_or_default()),
                "instrText" => field.instruction.push_str(&element.text()),
                "footnoteReference" => push_note(content, element, ""),
                "endnoteReference" => push_note(content, element, "e"),
                "drawing" | "pict" | "object" | "AlternateContent" => drawing(element, &look, content),
                _ => {}
            }
        }
    }

    fn look(&self, properties: Option<&Element>) -> Look {
        let Some(properties) = properties else { return Look::default() };
        let has = |name: &str| properties.child(name).is_some_and(is_on);
        let style = properties.child("rStyle").and_then(|style| style.attribute("w:val"));
        let font =
            properties.child("rFonts").and_then(|fonts| fonts.attribute("w:ascii")).unwrap_or_default();
        Look {
            bold: has("b"),
            italic: has("i"),
            strike: has("strike") || has("dstrike"),
            code: style.is_some_and(|style| self.styles.is_code(style)) || is_code_font(font),
            link: None,
        }
    }
}

/// Fonts that people set code in.
pub(crate) fn is_code_font(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    ["courier", "consolas", "menlo", "monaco", "cascadia"].iter().any(|font| name.starts_with(font))
        || name.split([' ', '-']).any(|word| word == "mono" || word == "monospace")
}

/// A field is written as an instruction and what it shows; only links in instructions matter here.
#[derive(Default)]
struct Field {
    instruction: String,
    link: Option<String>,
}

impl Field {
    fn step(&mut self, kind: &str) {
        match kind {
            "separate" => {
                let words = self.instruction.trim().strip_prefix("HYPERLINK").map(str::trim);
                let target =
                    words.and_then(|words| words.strip_prefix('"')).and_then(|rest| rest.split('"').next());
                self.link = target.filter(|target| target.contains(':')).map(str::to_owned);
            }
            _ => *self = Self::default(),
        }
    }
}

fn push_note(content: &mut Content<'_>, element: &Element, prefix: &str) {
    if let Some(id) = element.attribute("w:id") {
        content.runs.push_raw(format!("[^{prefix}{id}]"));
    }
}

/// The words for a picture, and text boxes.
fn drawing<'e>(element: &'e Element, look: &Look, content: &mut Content<'e>) {
    for child in element.elements() {
        match child.name() {
            "docPr" => {
                let words = child.attribute("descr").filter(|words| !words.trim().is_empty());
                if let Some(words) = words {
                    content.runs.push(words, look);
                }
            }
            "txbxContent" => content.boxes.push(child),
            // The same box again, for old readers.
            "Fallback" if element.child("Choice").is_some() => {}
            _ => drawing(child, look, content),
        }
    }
}

/// `<w:b/>` is on, `<w:b w:val="0"/>` is off.
fn is_on(element: &Element) -> bool {
    !matches!(element.attribute("w:val"), Some("0" | "false" | "off" | "none"))
}
