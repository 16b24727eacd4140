//! OpenDocument spreadsheets. Cells and rows that repeat are stored once with a count, which may be a million.

use super::Sheet;
use crate::document::Draft;
use crate::package::Package;
use crate::xml::Element;
use crate::{ConvertError, Converted, Format, Limits, Source, odt};

/// Converts a workbook.
pub(crate) fn convert(file: Source<'_>) -> Result<Converted, ConvertError> {
    let mut package = Package::open(file.bytes, file.limits)?;
    odt::refuse_encrypted(&mut package)?;
    let content = package.required_xml("content.xml")?;
    let mut draft = Draft::default();
    if let Some(title) = odt::stated_title(&mut package)? {
        draft.set_title(&title);
    }
    let tables = content.at(&["body", "spreadsheet"]).into_iter().flat_map(|sheets| sheets.all("table"));
    for table in tables {
        sheet(table, file.limits).write(&mut draft, file.limits, true);
    }
    draft.finish(Format::Ods, file.limits)
}

fn sheet(table: &Element, limits: &Limits) -> Sheet {
    let mut sheet =
        Sheet { name: table.attribute("table:name").unwrap_or_default().to_owned(), ..Sheet::default() };
    read_rows(table, limits, &mut sheet);
    sheet
}

fn read_rows(parent: &Element, limits: &Limits, sheet: &mut Sheet) {
    for element in parent.elements() {
        match element.name() {
            "table-row" => {
                let cells = cells(element, limits);
                let count =
                    if cells.is_empty() { 0 } else { repeated(element, "table:number-rows-repeated") };
                for _ in 0..count {
                    sheet.push(cells.clone(), limits);
                    if sheet.is_cut {
                        return;
                    }
                }
            }
            "table-header-rows" | "table-row-group" | "table-rows" => read_rows(element, limits, sheet),
            _ => {}
        }
    }
}

fn cells(row: &Element, limits: &Limits) -> Vec<(usize, String)> {
    let mut column = 0_usize;
    let mut cells = Vec::new();
    for cell in row.elements().filter(|cell| matches!(cell.name(), "table-cell" | "covered-table-cell")) {
        let count = repeated(cell, "table:number-columns-repeated");
        let paragraphs: Vec<String> = cell.all("p").map(Element::text).collect();
        let text = paragraphs.join("\n");
        if !text.trim().is_empty() {
            for at in 0..count.min(limits.columns.saturating_sub(cells.len())) {
                cells.push((column.saturating_add(at), text.clone()));
            }
        }
        column = column.saturating_add(count);
    }
    cells
}

fn repeated(element: &Element, attribute: &str) -> usize {
    element.attribute(attribute).and_then(|count| count.parse().ok()).unwrap_or(1)
}
