//! PowerPoint presentations: a section for each slide, with its title, texts, tables and notes.

use std::collections::HashMap;

use crate::document::Draft;
use crate::docx::{relations, stated_title};
use crate::markdown::{self, escape_start};
use crate::package::{Package, resolve};
use crate::runs::{Indents, Look, Runs};
use crate::xml::Element;
use crate::{ConvertError, Converted, Format, Limits, Source};

const PRESENTATION: &str = "ppt/presentation.xml";

/// Converts a presentation.
pub(crate) fn convert(file: Source<'_>) -> Result<Converted, ConvertError> {
    let mut package = Package::open(file.bytes, file.limits)?;
    let presentation = package.required_xml(PRESENTATION)?;
    let parts = relations(&mut package, PRESENTATION)?;
    let mut draft = Draft::default();
    if let Some(title) = stated_title(&mut package)? {
        draft.set_title(&title);
    }
    let slides = presentation.child("sldIdLst").into_iter().flat_map(|list| list.all("sldId"));
    for (number, slide) in (1_u32..).zip(slides) {
        if draft.len() > file.limits.markdown_bytes {
            break;
        }
        let Some(target) = slide.attribute("r:id").and_then(|id| parts.get(id)) else { continue };
        let part = resolve(PRESENTATION, target);
        let Some(slide) = package.xml(&part)? else {
            draft.note(format!("slide {number} has no content"));
            continue;
        };
        if slide.attribute("show") == Some("0") {
            draft.note(format!("slide {number} is hidden"));
        }
        let links = relations(&mut package, &part)?;
        let notes =
            links.values().find(|target| target.contains("notesSlide")).map(|target| resolve(&part, target));
        let notes = notes.map(|notes| package.xml(&notes)).transpose()?.flatten();
        write_slide(&mut draft, number, &slide, notes.as_ref(), &links, file.limits);
    }
    draft.finish(Format::Pptx, file.limits)
}

fn write_slide(
    draft: &mut Draft,
    number: u32,
    slide: &Element,
    notes: Option<&Element>,
    links: &HashMap<String, String>,
    limits: &Limits,
) {
    let Some(shapes) = slide.at(&["cSld", "spTree"]) else { return };
    let mut writer = Writer { draft, links, limits, indents: Indents::default() };
    let title = writer.title(shapes).unwrap_or_default();
    let plain = markdown::plain(&title);
    let shown = if title.is_empty() { format!("Slide {number}") } else { title };
    writer.draft.origin(Some(number), Some(&plain));
    writer.draft.heading(2, &shown);
    writer.shapes(shapes);
    let Some(shapes) = notes.and_then(|notes| notes.at(&["cSld", "spTree"])) else { return };
    let texts = shapes.all("sp").filter(|shape| place(shape) == "body").map(|shape| {
        let paragraphs = shape.child("txBody").into_iter().flat_map(|body| body.all("p"));
        paragraphs.map(|paragraph| writer.runs(paragraph).markdown()).collect::<Vec<_>>().join("\n\n")
    });
    let text = texts.collect::<Vec<_>>().join("\n\n");
    if !text.trim().is_empty() {
        writer.draft.block(&format!("**Notes:** {}", text.trim()));
    }
}

struct Writer<'a> {
    draft: &'a mut Draft,
    links: &'a HashMap<String, String>,
    limits: &'a Limits,
    indents: Indents,
}

impl Writer<'_> {
    fn title(&self, shapes: &Element) -> Option<String> {
        let shape = shapes.all("sp").find(|shape| matches!(place(shape), "title" | "ctrTitle"))?;
        let lines = shape.child("txBody")?.all("p").map(|paragraph| self.runs(paragraph).heading());
        Some(lines.collect::<Vec<_>>().join(" ").split_whitespace().collect::<Vec<_>>().join(" "))
    }

    fn shapes(&mut self, shapes: &Element) {
        for shape in shapes.elements() {
            match shape.name() {
                "sp" => self.shape(shape),
                "grpSp" => self.shapes(shape),
                "graphicFrame" => match shape.find("tbl") {
                    Some(table) => self.table(table),
                    None => self.words(shape),
                },
                "pic" => self.words(shape),
                "AlternateContent" => {
                    if let Some(chosen) = shape.child("Choice").or_else(|| shape.child("Fallback")) {
                        self.shapes(chosen);
                    }
                }
                _ => {}
            }
        }
    }

    fn shape(&mut self, shape: &Element) {
        let place = place(shape);
        // The title stands in the heading; date, number and footer are the same on every slide.
        if matches!(place, "title" | "ctrTitle" | "dt" | "sldNum" | "ftr" | "hdr") {
            return;
        }
        let is_list = matches!(place, "body" | "obj") || shape.at(&["nvSpPr", "nvPr", "ph", "idx"]).is_some();
        let is_list = is_list || (place == "other" && shape.at(&["nvSpPr", "nvPr", "ph"]).is_some());
        for paragraph in shape.child("txBody").into_iter().flat_map(|body| body.all("p")) {
            let runs = self.runs(paragraph);
            if runs.is_blank() {
                continue;
            }
            let properties = paragraph.child("pPr");
            let has = |name: &str| properties.is_some_and(|properties| properties.child(name).is_some());
            let level = properties.and_then(|properties| properties.attribute("lvl"));
            let level = level.and_then(|level| level.parse::<usize>().ok()).unwrap_or(0);
            if has("buAutoNum") || has("buChar") || (is_list && !has("buNone")) {
                let mark = if has("buAutoNum") { "1. " } else { "- " };
                let item = self.indents.item(level, mark, &runs.markdown());
                self.draft.item(&item);
            } else {
                self.indents.end();
                let text = runs.markdown();
                self.draft.block(&text.lines().map(escape_start).collect::<Vec<_>>().join("\n"));
            }
        }
        self.indents.end();
    }

    fn table(&mut self, table: &Element) {
        let mut rows = Vec::new();
        for row in table.all("tr").take(self.limits.rows) {
            let cells = row.all("tc").take(self.limits.columns).map(|cell| {
                let paragraphs = cell.child("txBody").into_iter().flat_map(|body| body.all("p"));
                paragraphs.map(|paragraph| self.runs(paragraph).markdown()).collect::<Vec<_>>().join("\n")
            });
            rows.push(cells.collect());
        }
        self.draft.block(&markdown::table(&rows));
    }

    /// The words that describe a picture or a diagram.
    fn words(&mut self, shape: &Element) {
        let words = shape.find("cNvPr").and_then(|properties| properties.attribute("descr"));
        if let Some(words) = words.filter(|words| !words.trim().is_empty()) {
            self.draft.block(&markdown::escape(words));
        } else if shape.name() == "graphicFrame" {
            self.draft.note("charts and diagrams were left out");
        }
    }

    fn runs(&self, paragraph: &Element) -> Runs {
        let mut runs = Runs::default();
        for element in paragraph.elements() {
            let properties = element.child("rPr");
            let is_set = |name: &str| properties.and_then(|found| found.attribute(name));
            let link = properties.and_then(|found| found.child("hlinkClick")?.attribute("r:id"));
            let font = properties.and_then(|found| found.child("latin")?.attribute("typeface"));
            let look = Look {
                bold: matches!(is_set("b"), Some("1" | "true")),
                italic: matches!(is_set("i"), Some("1" | "true")),
                strike: is_set("strike").is_some_and(|strike| strike != "noStrike"),
                code: font.is_some_and(crate::docx::is_code_font),
                link: link.and_then(|id| self.links.get(id)).filter(|link| link.contains(':')).cloned(),
            };
            match element.name() {
                "r" | "fld" => runs.push(&element.child("t").map(Element::text).unwrap_or_default(), &look),
                "br" => runs.push("\n", &look),
                _ => {}
            }
        }
        runs
    }
}

/// What a shape is for: `title`, `body`, `other` for a placeholder of no kind, empty for a shape of its own.
fn place(shape: &Element) -> &str {
    let place = shape.at(&["nvSpPr", "nvPr", "ph"]);
    place.map_or("", |place| place.attribute("type").unwrap_or("other"))
}
