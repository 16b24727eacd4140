//! Tables of a web page.

use super::inline;
use super::tree::Node;

/// The rows of a table, the head first; cells over several columns leave empty ones behind them.
pub(super) fn rows(table: Node<'_>, base: Option<&str>, depth: usize, columns: usize) -> Vec<Vec<String>> {
    let mut rows = Vec::new();
    let mut head = Vec::new();
    for row in table.descendants().filter(|node| node.is("tr")) {
        // Rows of a table inside of this one are part of its cell.
        let owner = row.ancestors().take(4).find(|node| node.is("table"));
        if owner != Some(table) {
            continue;
        }
        let mut cells = Vec::new();
        let mut is_head = true;
        for cell in row.children().filter(|node| node.is("td") || node.is("th")) {
            is_head &= cell.is("th");
            cells.push(inline::markdown(cell, base, depth));
            let span = cell.attribute("colspan").and_then(|span| span.parse::<usize>().ok()).unwrap_or(1);
            let end = (cells.len() + span.saturating_sub(1)).min(columns);
            cells.resize(end.max(cells.len()), String::new());
        }
        cells.truncate(columns);
        let is_head = is_head || row.parent().is_some_and(|parent| parent.is("thead"));
        if is_head && head.is_empty() && rows.is_empty() {
            head = cells;
        } else if !cells.is_empty() {
            rows.push(cells);
        }
    }
    if head.is_empty() {
        // Markdown has no table without a head; an empty one says that there was none.
        let width = rows.iter().map(Vec::len).max().unwrap_or(0);
        head = vec![String::new(); width];
    }
    rows.insert(0, head);
    rows
}

/// Whether a table only arranges things on the page: code with line numbers, or blocks in cells.
pub(super) fn is_layout(table: Node<'_>) -> bool {
    let mut rows = 0;
    let mut widest = 0;
    for node in table.descendants() {
        match node.name().unwrap_or_default() {
            "th" => return false,
            "tr" => {
                rows += 1;
                widest = widest.max(node.elements().count());
            }
            "pre" | "table" | "h1" | "h2" | "h3" => return true,
            _ => {}
        }
    }
    rows <= 1 || widest <= 1
}
