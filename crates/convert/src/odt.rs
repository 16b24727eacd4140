//! OpenDocument texts.

use std::collections::HashMap;

use crate::document::Draft;
use crate::docx::is_code_font;
use crate::markdown::{self, escape_start, indented};
use crate::package::Package;
use crate::runs::{Indents, Look, Runs};
use crate::xml::{Element, Node};
use crate::{ConvertError, Converted, Format, Limits, Source};

/// Converts a text.
pub(crate) fn convert(file: Source<'_>) -> Result<Converted, ConvertError> {
    let mut package = Package::open(file.bytes, file.limits)?;
    refuse_encrypted(&mut package)?;
    let content = package.required_xml("content.xml")?;
    let named = package.xml("styles.xml")?;
    let mut draft = Draft::default();
    if let Some(title) = stated_title(&mut package)? {
        draft.set_title(&title);
    }
    let body =
        content.at(&["body", "text"]).ok_or_else(|| ConvertError::damaged("the document has no text"))?;
    let mut styles = HashMap::new();
    for part in named.iter().chain([&content]) {
        for group in part.elements().filter(|group| matches!(group.name(), "styles" | "automatic-styles")) {
            for style in group.elements() {
                let name = style.attribute("style:name").unwrap_or_default();
                styles.insert((style.name() == "list-style", name.to_owned()), style);
            }
        }
    }
    let mut writer = Writer {
        draft: &mut draft,
        styles: Styles(styles),
        limits: file.limits,
        indents: Indents::default(),
        code: Vec::new(),
        footnotes: Vec::new(),
    };
    writer.blocks(body, None);
    writer.end_code();
    for (id, text) in std::mem::take(&mut writer.footnotes) {
        writer.draft.block(&indented(&text, &format!("[^{id}]: "), "    "));
    }
    draft.finish(Format::Odt, file.limits)
}

/// The title among the properties of an OpenDocument file.
pub(crate) fn stated_title(package: &mut Package<'_>) -> Result<Option<String>, ConvertError> {
    let meta = package.xml("meta.xml")?;
    let title = meta.as_ref().and_then(|meta| meta.at(&["meta", "title"])).map(Element::text);
    Ok(title.filter(|title| !title.trim().is_empty()))
}

/// A file with a password says so in its manifest.
pub(crate) fn refuse_encrypted(package: &mut Package<'_>) -> Result<(), ConvertError> {
    let manifest = package.xml("META-INF/manifest.xml")?;
    let is_encrypted = manifest.is_some_and(|manifest| manifest.find("encryption-data").is_some());
    if is_encrypted { Err(ConvertError::encrypted()) } else { Ok(()) }
}

/// Styles by name, those of lists apart.
struct Styles<'a>(HashMap<(bool, String), &'a Element>);

impl Styles<'_> {
    /// A style and those that it is based on; a circle ends after a few.
    fn chain(&self, name: &str) -> impl Iterator<Item = &Element> {
        let first = self.0.get(&(false, name.to_owned())).copied();
        let next = |style: &&Element| {
            let parent = style.attribute("style:parent-style-name")?;
            self.0.get(&(false, parent.to_owned())).copied()
        };
        std::iter::successors(first, next).take(12)
    }

    /// Whether a style or one above it has a name with one of these words.
    fn is_named(&self, name: &str, words: &[&str]) -> bool {
        let has_word = |name: &str| words.iter().any(|word| name.to_lowercase().contains(word));
        has_word(name)
            || self.chain(name).any(|style| {
                ["style:name", "style:display-name", "style:parent-style-name"]
                    .iter()
                    .any(|attribute| style.attribute(attribute).is_some_and(has_word))
            })
    }

    fn look(&self, name: &str, outer: &Look) -> Look {
        let mut look = outer.clone();
        let property = |name: &str, attribute: &str| {
            self.chain(name)
                .find_map(|style| Some(style.child("text-properties")?.attribute(attribute)?.to_owned()))
        };
        look.bold |=
            property(name, "fo:font-weight").is_some_and(|weight| weight == "bold" || weight == "700");
        look.italic |= property(name, "fo:font-style").is_some_and(|style| style == "italic");
        look.strike |= property(name, "style:text-line-through-style").is_some_and(|style| style != "none");
        look.code |= property(name, "style:font-name").is_some_and(|font| is_code_font(&font));
        look.code |= self.is_named(name, &["source_20_text", "source text", "teletype"]);
        look
    }

    /// Whether a list has numbers on a level.
    fn is_numbered(&self, list: &str, level: usize) -> bool {
        let style = self.0.get(&(true, list.to_owned()));
        let levels = style.into_iter().flat_map(|style| style.elements());
        let wanted = (level + 1).to_string();
        let mut levels = levels.filter(|found| found.attribute("text:level") == Some(wanted.as_str()));
        levels.next().is_some_and(|found| found.name() == "list-level-style-number")
    }
}

struct Writer<'a> {
    draft: &'a mut Draft,
    styles: Styles<'a>,
    limits: &'a Limits,
    indents: Indents,
    /// Lines of code whose block is not finished.
    code: Vec<String>,
    footnotes: Vec<(String, String)>,
}

impl Writer<'_> {
    fn blocks(&mut self, parent: &Element, list: Option<(&str, usize)>) {
        for element in parent.elements() {
            match element.name() {
                "h" => {
                    self.end_code();
                    let level = element.attribute("text:outline-level").and_then(|level| level.parse().ok());
                    let text = self.runs(element).heading();
                    self.draft.heading(level.unwrap_or(1), &text);
                }
                "p" => self.paragraph(element),
                "list" => {
                    let level = list.map_or(0, |(_, level)| level + 1);
                    let style = element
                        .attribute("text:style-name")
                        .or(list.map(|(style, _)| style))
                        .unwrap_or_default();
                    self.list(element, style, level);
                    if level == 0 {
                        self.indents.end();
                    }
                }
                "table" => self.table(element),
                // Deleted text is kept there; the other one is generated.
                "tracked-changes" | "table-of-content" | "sequence-decls" | "forms" => {}
                _ => self.blocks(element, list),
            }
        }
    }

    fn paragraph(&mut self, paragraph: &Element) {
        let style = paragraph.attribute("text:style-name").unwrap_or_default();
        let runs = self.runs(paragraph);
        if self.styles.is_named(style, &["preformatted", "code", "listing"]) || runs.is_code() {
            self.code.push(runs.plain());
            return;
        }
        if runs.is_blank() {
            return;
        }
        self.end_code();
        if self.styles.is_named(style, &["title"]) && !self.styles.is_named(style, &["subtitle"]) {
            self.draft.heading(1, &runs.heading());
        } else if self.styles.is_named(style, &["quotation"]) {
            self.draft.block(&indented(&runs.markdown(), "> ", "> "));
        } else {
            let text = runs.markdown();
            self.draft.block(&text.lines().map(escape_start).collect::<Vec<_>>().join("\n"));
        }
    }

    fn list(&mut self, list: &Element, style: &str, level: usize) {
        self.end_code();
        let is_numbered = self.styles.is_numbered(style, level);
        for (number, item) in (1_u32..).zip(list.elements()) {
            let mark = if is_numbered { format!("{number}. ") } else { "- ".to_owned() };
            let mut text = Vec::new();
            for paragraph in item.elements().filter(|inner| matches!(inner.name(), "p" | "h")) {
                text.push(self.runs(paragraph).markdown());
            }
            let item_text = self.indents.item(level, &mark, text.join("\n").trim());
            self.draft.item(&item_text);
            for inner in item.all("list") {
                let style = inner.attribute("text:style-name").unwrap_or(style);
                self.list(inner, style, level + 1);
            }
        }
    }

    fn table(&mut self, table: &Element) {
        self.end_code();
        let mut rows = Vec::new();
        self.rows(table, &mut rows);
        self.draft.block(&markdown::table(&rows));
    }

    fn rows(&mut self, parent: &Element, rows: &mut Vec<Vec<String>>) {
        for element in parent.elements() {
            match element.name() {
                "table-row" if rows.len() > self.limits.rows => {
                    self.draft.note(format!("a table was cut after {} rows", self.limits.rows));
                    return;
                }
                "table-row" => {
                    let cells = element.elements().filter(|cell| cell.name().ends_with("table-cell"));
                    let cells = cells.take(self.limits.columns).collect::<Vec<_>>();
                    let cells = cells.into_iter().map(|cell| self.cell(cell)).collect();
                    rows.push(cells);
                }
                "table-header-rows" | "table-rows" | "table-row-group" => self.rows(element, rows),
                _ => {}
            }
        }
    }

    fn cell(&mut self, cell: &Element) -> String {
        let mut lines = Vec::new();
        for element in cell.elements() {
            let line = match element.name() {
                "p" | "h" => self.runs(element).markdown(),
                _ => self.cell(element),
            };
            if !line.is_empty() {
                lines.push(line);
            }
        }
        lines.join("\n")
    }

    fn end_code(&mut self) {
        if self.code.iter().any(|line| !line.trim().is_empty()) {
            self.draft.code("", self.code.join("\n").trim_matches('\n'));
        }
        self.code.clear();
    }

    fn runs(&mut self, paragraph: &Element) -> Runs {
        let mut runs = Runs::default();
        self.inside(paragraph, &Look::default(), &mut runs);
        runs
    }

    fn inside(&mut self, parent: &Element, look: &Look, runs: &mut Runs) {
        for node in &parent.children {
            let element = match node {
                Node::Text(text) => {
                    runs.push(&text.replace('\n', " "), look);
                    continue;
                }
                Node::Element(element) => element,
            };
            match element.name() {
                "s" => {
                    let count =
                        element.attribute("text:c").and_then(|count| count.parse().ok()).unwrap_or(1_usize);
                    runs.push(&" ".repeat(count.min(200)), look);
                }
                "tab" => runs.push("\t", look),
                "line-break" => runs.push("\n", look),
                "span" => {
                    let style = element.attribute("text:style-name").unwrap_or_default();
                    let look = self.styles.look(style, look);
                    self.inside(element, &look, runs);
                }
                "a" => {
                    let target = element.attribute("xlink:href").filter(|target| target.contains(':'));
                    let look = Look { link: target.map(str::to_owned), ..look.clone() };
                    self.inside(element, &look, runs);
                }
                "note" => {
                    let id = (self.footnotes.len() + 1).to_string();
                    runs.push_raw(format!("[^{id}]"));
                    let text = element.child("note-body").map(|body| self.cell(body)).unwrap_or_default();
                    self.footnotes.push((id, text));
                }
                "annotation" | "annotation-end" | "bookmark" | "bookmark-start" | "change-start" => {}
                // The words for a picture.
                "title" | "desc" => runs.push(&element.text(), look),
                _ => self.inside(element, look, runs),
            }
        }
    }
}
