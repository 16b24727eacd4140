//! Excel workbooks: sheets in their order, formulas with the values that were last computed.

use std::collections::HashMap;
use std::ops::ControlFlow;

use super::Sheet;
use super::numbers::{self, Shown};
use crate::document::Draft;
use crate::docx::{relations, stated_title};
use crate::package::{Package, resolve};
use crate::xml::{self, Element};
use crate::{ConvertError, Converted, Format, Limits, Source};

const WORKBOOK: &str = "xl/workbook.xml";

/// Columns that a sheet can have.
const MOST_CELLS: usize = 16_384;

/// Sheets that are shown.
const MOST_SHEETS: usize = 500;

/// Cells that are kept of all rows of a sheet.
const MOST_FILLED: usize = 500_000;

/// Converts a workbook.
pub(crate) fn convert(file: Source<'_>) -> Result<Converted, ConvertError> {
    let limits = file.limits;
    let mut package = Package::open(file.bytes, limits)?;
    let workbook = package.required_xml(WORKBOOK)?;
    let parts = relations(&mut package, WORKBOOK)?;
    let strings = strings(&mut package, limits)?;
    let styles = package.xml("xl/styles.xml")?;
    let is_1904 = workbook.child("workbookPr").and_then(|properties| properties.attribute("date1904"));
    let book =
        Book { strings, shown: shown(styles.as_ref()), is_1904: matches!(is_1904, Some("1" | "true")) };
    let mut draft = Draft::default();
    if let Some(title) = stated_title(&mut package)? {
        draft.set_title(&title);
    }
    let mut sheets = workbook.child("sheets").into_iter().flat_map(|sheets| sheets.all("sheet"));
    for sheet in sheets.by_ref().take(MOST_SHEETS) {
        if draft.len() > limits.markdown_bytes {
            break;
        }
        let name = sheet.attribute("name").unwrap_or_default();
        if sheet.attribute("state").is_some_and(|state| state != "visible") {
            draft.note(format!("the hidden sheet \"{name}\" was left out"));
            continue;
        }
        let part =
            sheet.attribute("r:id").and_then(|id| parts.get(id)).map(|target| resolve(WORKBOOK, target));
        let Some(bytes) = part.map(|part| package.read(&part)).transpose()?.flatten() else {
            draft.note(format!("sheet \"{name}\" has no content"));
            continue;
        };
        book.sheet(name, &bytes, limits)?.write(&mut draft, limits, true);
    }
    if sheets.next().is_some() {
        draft.note(format!("the sheets after the first {MOST_SHEETS} were left out"));
    }
    draft.finish(Format::Xlsx, limits)
}

/// The texts that cells refer to by their number.
fn strings(package: &mut Package<'_>, limits: &Limits) -> Result<Vec<Box<str>>, ConvertError> {
    let mut strings = Vec::new();
    let Some(bytes) = package.read("xl/sharedStrings.xml")? else { return Ok(strings) };
    xml::each(&bytes, limits, "si", |string| {
        strings.push(string_of(string).into_boxed_str());
        ControlFlow::Continue(())
    })?;
    Ok(strings)
}

/// What all sheets share.
struct Book {
    strings: Vec<Box<str>>,
    /// How numbers of a cell style are shown.
    shown: Vec<Shown>,
    is_1904: bool,
}

impl Book {
    fn sheet(&self, name: &str, bytes: &[u8], limits: &Limits) -> Result<Sheet, ConvertError> {
        let mut sheet = Sheet { name: name.to_owned(), ..Sheet::default() };
        let mut filled = 0;
        xml::each(bytes, limits, "row", |row| {
            let mut cells = Vec::new();
            for (number, cell) in row.all("c").enumerate().take(MOST_CELLS) {
                let column = cell.attribute("r").and_then(column_of).unwrap_or(number);
                let text = self.value(cell);
                if !text.trim().is_empty() {
                    cells.push((column, text));
                }
            }
            filled += cells.len();
            sheet.push(cells, limits);
            sheet.is_cut |= filled > MOST_FILLED;
            if sheet.is_cut { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        })?;
        Ok(sheet)
    }

    fn value(&self, cell: &Element) -> String {
        let stored = || cell.child("v").map(Element::text).unwrap_or_default();
        match cell.attribute("t").unwrap_or("n") {
            "s" => {
                let at = stored().trim().parse::<usize>().ok();
                at.and_then(|at| self.strings.get(at)).map(|text| text.to_string()).unwrap_or_default()
            }
            "inlineStr" => cell.child("is").map(string_of).unwrap_or_default(),
            "b" => if stored().trim() == "1" { "TRUE" } else { "FALSE" }.to_owned(),
            "n" => {
                let style = cell.attribute("s").and_then(|style| style.parse::<usize>().ok()).unwrap_or(0);
                let shown = self.shown.get(style).copied().unwrap_or(Shown::Plain);
                numbers::show(&stored(), shown, self.is_1904)
            }
            _ => stored(),
        }
    }
}

/// How numbers are shown, by the number of the style.
fn shown(styles: Option<&Element>) -> Vec<Shown> {
    let Some(styles) = styles else { return Vec::new() };
    let own =
        styles.child("numFmts").into_iter().flat_map(|formats| formats.all("numFmt")).filter_map(|format| {
            Some((
                format.attribute("numFmtId")?.parse::<u32>().ok()?,
                numbers::shown_by(format.attribute("formatCode")?),
            ))
        });
    let own: HashMap<u32, Shown> = own.collect();
    let cells = styles.child("cellXfs").into_iter().flat_map(|cells| cells.all("xf"));
    let shown = cells.map(|cell| {
        let id = cell.attribute("numFmtId").and_then(|id| id.parse::<u32>().ok()).unwrap_or(0);
        own.get(&id).copied().unwrap_or_else(|| numbers::built_in(id))
    });
    shown.collect()
}

/// The text of a string, of all its runs, without the reading aids of Japanese.
fn string_of(string: &Element) -> String {
    let mut out = String::new();
    for part in string.elements() {
        match part.name() {
            "t" => out.push_str(&part.text()),
            "r" => out.push_str(&part.child("t").map(Element::text).unwrap_or_default()),
            _ => {}
        }
    }
    out
}

/// The column of `AB12`, counted from 0.
fn column_of(reference: &str) -> Option<usize> {
    let letters = reference.bytes().take_while(u8::is_ascii_alphabetic).take(4);
    let number = letters
        .fold(0_usize, |number, letter| number * 26 + usize::from(letter.to_ascii_uppercase() - b'A') + 1);
    number.checked_sub(1)
}
