//! Blocks of a Word document: headings, paragraphs, lists, code, tables, footnotes.

use std::collections::HashMap;

use super::lists::Lists;
use super::paragraph::{Content, Reader};
use super::styles::{Role, Styles};
use crate::Limits;
use crate::document::Draft;
use crate::markdown::{self, escape_start, indented};
use crate::runs::Indents;
use crate::xml::Element;

pub(super) struct Writer<'a> {
    pub(super) draft: &'a mut Draft,
    pub(super) styles: Styles,
    pub(super) lists: Lists,
    pub(super) links: &'a HashMap<String, String>,
    pub(super) limits: &'a Limits,
    pub(super) indents: Indents,
    /// Lines of code whose block is not finished.
    pub(super) code: Vec<String>,
    /// By how much headings are lowered: below a title they begin on the second level.
    pub(super) deeper: usize,
}

impl Writer<'_> {
    /// Writes the body.
    pub(super) fn document(&mut self, body: &Element) {
        let has_title = body.all("p").any(|paragraph| self.styles.role(style_of(paragraph)) == Role::Title);
        self.deeper = usize::from(has_title);
        self.blocks(body);
        self.end_code();
    }

    /// Writes footnotes as definitions.
    pub(super) fn footnotes(&mut self, notes: &Element, are_endnotes: bool) {
        let prefix = if are_endnotes { "e" } else { "" };
        for note in notes.elements() {
            // The first two are the lines that separate notes from text.
            let is_line = note.attribute("w:type").is_some_and(|kind| kind != "normal");
            let Some(id) = note.attribute("w:id").filter(|_| !is_line) else { continue };
            let text = self.cell(note);
            if !text.trim().is_empty() {
                self.draft.block(&indented(&text, &format!("[^{prefix}{id}]: "), "    "));
            }
        }
    }

    fn blocks(&mut self, parent: &Element) {
        for element in parent.elements() {
            match element.name() {
                "p" => self.paragraph(element),
                "tbl" => self.table(element),
                "sdt" => {
                    // A generated table of contents is a block of its own kind.
                    let kind = element
                        .at(&["sdtPr", "docPartObj", "docPartGallery"])
                        .and_then(|kind| kind.attribute("w:val"));
                    if kind != Some("Table of Contents") {
                        self.blocks(element);
                    }
                }
                "sdtContent" | "ins" | "moveTo" | "customXml" | "smartTag" | "txbxContent" => {
                    self.blocks(element)
                }
                "AlternateContent" => {
                    if let Some(chosen) = element.child("Choice").or_else(|| element.child("Fallback")) {
                        self.blocks(chosen);
                    }
                }
                _ => {}
            }
        }
    }

    fn read<'e>(&self, paragraph: &'e Element) -> Content<'e> {
        Reader { styles: &self.styles, links: self.links }.read(paragraph)
    }

    fn paragraph(&mut self, paragraph: &Element) {
        let style = style_of(paragraph);
        let content = self.read(paragraph);
        let own_outline = paragraph.at(&["pPr", "outlineLvl"]).and_then(|level| level.attribute("w:val"));
        let own_outline =
            own_outline.and_then(|level| level.parse::<usize>().ok()).filter(|&level| level < 9);
        let role = match (self.styles.role(style), own_outline) {
            (Role::Text, Some(level)) => Role::Heading(level + 1),
            (role, _) => role,
        };
        let list = self.list_of(paragraph, style);
        let is_code = role == Role::Code || (role == Role::Text && list.is_none() && content.runs.is_code());
        if is_code {
            self.code.push(content.runs.plain());
            return;
        }
        if content.runs.is_blank() && content.boxes.is_empty() {
            return;
        }
        self.end_code();
        match role {
            Role::Contents => {}
            Role::Title => self.heading(1, &content),
            Role::Heading(level) => self.heading(level + self.deeper, &content),
            Role::Quote => {
                self.indents.end();
                self.draft.block(&indented(&content.runs.markdown(), "> ", "> "));
            }
            Role::Text | Role::Code => {
                match list.and_then(|(list, level)| Some((self.lists.mark(&list, level)?, level))) {
                    Some((mark, level)) => {
                        let item = self.indents.item(level, &mark, &content.runs.markdown());
                        self.draft.item(&item);
                    }
                    None => {
                        self.indents.end();
                        self.draft.block(&lines(&content.runs.markdown()));
                    }
                }
            }
        }
        for text_box in content.boxes {
            self.blocks(text_box);
        }
    }

    fn heading(&mut self, level: usize, content: &Content<'_>) {
        self.indents.end();
        let text = content.runs.heading();
        self.draft.heading(level, &text);
        if !self.draft.has_title() {
            self.draft.set_title(&markdown::plain(&text));
        }
    }

    /// The list that a paragraph belongs to; number 0 takes it out of the list of its style.
    fn list_of(&self, paragraph: &Element, style: &str) -> Option<(String, usize)> {
        let Some(own) = paragraph.at(&["pPr", "numPr"]) else {
            return self.styles.list(style).filter(|(list, _)| list != "0");
        };
        let value = |name: &str| own.child(name).and_then(|found| found.attribute("w:val"));
        let level = value("ilvl").and_then(|level| level.parse().ok()).unwrap_or(0);
        value("numId").filter(|&list| list != "0").map(|list| (list.to_owned(), level))
    }

    fn end_code(&mut self) {
        if self.code.iter().any(|line| !line.trim().is_empty()) {
            self.indents.end();
            self.draft.code("", self.code.join("\n").trim_matches('\n'));
        }
        self.code.clear();
    }

    fn table(&mut self, table: &Element) {
        self.end_code();
        self.indents.end();
        let mut rows: Vec<Vec<String>> = Vec::new();
        for row in table.all("tr") {
            if rows.len() > self.limits.rows {
                self.draft.note(format!("a table was cut after {} rows", self.limits.rows));
                break;
            }
            let mut cells = Vec::new();
            for cell in row.all("tc").take(self.limits.columns) {
                let merged = cell.at(&["tcPr", "vMerge"]);
                let goes_on = merged.is_some_and(|merged| merged.attribute("w:val") != Some("restart"));
                cells.push(if goes_on { String::new() } else { self.cell(cell) });
                let span = cell.at(&["tcPr", "gridSpan"]).and_then(|span| span.attribute("w:val"));
                let span = span.and_then(|span| span.parse::<usize>().ok()).unwrap_or(1);
                let end = (cells.len() + span.saturating_sub(1)).min(self.limits.columns);
                cells.resize(end.max(cells.len()), String::new());
            }
            rows.push(cells);
        }
        // One cell is a frame around text, not a table.
        match rows.as_slice() {
            [only] if only.len() <= 1 => {
                if let Some(cell) = table.child("tr").and_then(|row| row.child("tc")) {
                    self.blocks(cell);
                }
            }
            _ => self.draft.block(&markdown::table(&rows)),
        }
    }

    /// The text of a cell or a footnote: its paragraphs, one a line.
    fn cell(&self, parent: &Element) -> String {
        let mut lines = Vec::new();
        for element in parent.elements() {
            let text = match element.name() {
                "p" => self.read(element).runs.markdown(),
                "tbl" | "tr" | "tc" | "sdt" | "sdtContent" | "ins" => self.cell(element),
                _ => continue,
            };
            if !text.is_empty() {
                lines.push(text);
            }
        }
        lines.join("\n")
    }
}

fn style_of(paragraph: &Element) -> &str {
    paragraph.at(&["pPr", "pStyle"]).and_then(|style| style.attribute("w:val")).unwrap_or_default()
}

/// A paragraph none of whose lines begins a heading or a list.
fn lines(text: &str) -> String {
    text.lines().map(escape_start).collect::<Vec<_>>().join("\n")
}
