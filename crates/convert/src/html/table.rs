//! Tables of a web page.

use dom_query::NodeRef;

use super::inline;

/// The rows of a table, the head first; cells over several columns leave empty ones behind them.
pub(super) fn rows(
    table: &NodeRef<'_>,
    base: Option<&str>,
    depth: usize,
    columns: usize,
) -> Vec<Vec<String>> {
    let mut rows = Vec::new();
    let mut head = Vec::new();
    for row in table.descendants_it().filter(|node| node.has_name("tr")) {
        // Rows of a table inside of this one are part of its cell.
        let owner = row.ancestors_it(Some(4)).find(|node| node.has_name("table"));
        if owner.is_none_or(|owner| owner.id != table.id) {
            continue;
        }
        let mut cells = Vec::new();
        let mut is_head = true;
        for cell in row.children_it(false).filter(|node| node.has_name("td") || node.has_name("th")) {
            is_head &= cell.has_name("th");
            cells.push(inline::markdown(&cell, base, depth));
            let span = cell.attr("colspan").and_then(|span| span.parse::<usize>().ok()).unwrap_or(1);
            let end = (cells.len() + span.saturating_sub(1)).min(columns);
            cells.resize(end.max(cells.len()), String::new());
        }
        cells.truncate(columns);
        let is_head = is_head || row.parent().is_some_and(|parent| parent.has_name("thead"));
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
pub(super) fn is_layout(table: &NodeRef<'_>) -> bool {
    let mut rows = 0;
    let mut widest = 0;
    for node in table.descendants_it() {
        let name = node.node_name().unwrap_or_default();
        match name.as_ref() {
            "th" => return false,
            "tr" => {
                rows += 1;
                widest = widest.max(node.element_children().len());
            }
            "pre" | "table" | "h1" | "h2" | "h3" => return true,
            _ => {}
        }
    }
    rows <= 1 || widest <= 1
}
