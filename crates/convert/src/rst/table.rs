//! Tables of reStructuredText: drawn as a grid, with borders of `=`, or written as lists.

/// The rows of a table that is drawn; `None` when cells go over several rows or columns.
pub(super) fn drawn(lines: &[&str]) -> Option<Vec<Vec<String>>> {
    let indent = lines.first()?.len() - lines.first()?.trim_start().len();
    let lines: Vec<&str> = lines.iter().map(|line| line.get(indent..).unwrap_or_default()).collect();
    if lines.first()?.starts_with('+') { grid(&lines) } else { simple(&lines) }
}

/// The rows of a directive that holds a table.
pub(super) fn of_directive(name: &str, body: &str) -> Option<Vec<Vec<String>>> {
    match name {
        "list-table" => list(body),
        "csv-table" => {
            let rows = body.lines().filter(|line| !line.trim().is_empty()).map(fields);
            Some(rows.collect()).filter(|rows: &Vec<Vec<String>>| !rows.is_empty())
        }
        _ => None,
    }
}

/// Whether a line is a border of a simple table.
pub(super) fn is_border(line: &str) -> bool {
    let line = line.trim();
    line.starts_with("==") && line.bytes().all(|byte| matches!(byte, b'=' | b' '))
}

fn grid(lines: &[&str]) -> Option<Vec<Vec<String>>> {
    let border = lines.first()?;
    let edges: Vec<usize> =
        border.char_indices().filter(|(_, char)| *char == '+').map(|(at, _)| at).collect();
    let mut rows = Vec::new();
    let mut row: Vec<String> = Vec::new();
    for line in lines.iter().skip(1) {
        if line.starts_with('+') {
            // A border with fewer edges or text in it belongs to a cell over several rows or columns.
            let is_whole = line.bytes().all(|byte| matches!(byte, b'+' | b'-' | b'='));
            let has_edges = edges.iter().all(|&at| line.as_bytes().get(at) == Some(&b'+'));
            if !is_whole || !has_edges {
                return None;
            }
            rows.push(std::mem::take(&mut row));
            continue;
        }
        // Columns are counted in characters.
        let chars: Vec<char> = line.chars().collect();
        row.resize(edges.len().saturating_sub(1), String::new());
        for (column, pair) in edges.windows(2).enumerate() {
            let (&[from, to], Some(cell)) = (pair, row.get_mut(column)) else { continue };
            if chars.get(from) != Some(&'|') || chars.get(to) != Some(&'|') {
                return None;
            }
            let text: String = chars.get(from + 1..to)?.iter().collect();
            push(cell, &text);
        }
    }
    row.is_empty().then_some(rows)
}

fn simple(lines: &[&str]) -> Option<Vec<Vec<String>>> {
    let border = lines.first().filter(|line| is_border(line))?;
    let mut starts = Vec::new();
    let mut before = ' ';
    for (at, char) in border.char_indices() {
        if char == '=' && before != '=' {
            starts.push(at);
        }
        before = char;
    }
    let has_head = lines.iter().filter(|line| is_border(line)).count() >= 3;
    let mut rows: Vec<Vec<String>> = Vec::new();
    for line in lines.iter().filter(|line| !is_border(line) && !line.trim().is_empty()) {
        // A line of dashes joins columns.
        if line.trim().bytes().all(|byte| matches!(byte, b'-' | b' ')) && line.trim().len() > 2 {
            return None;
        }
        let chars: Vec<char> = line.chars().collect();
        let cells = starts.iter().enumerate().map(|(column, &from)| {
            let to = starts.get(column + 1).copied().unwrap_or(chars.len()).min(chars.len());
            let text: String = chars.get(from.min(to)..to).unwrap_or_default().iter().collect();
            text.trim().to_owned()
        });
        let cells: Vec<String> = cells.collect();
        // Without a first cell it goes on with the row above.
        match rows.last_mut().filter(|_| cells.first().is_some_and(String::is_empty)) {
            Some(above) => above.iter_mut().zip(&cells).for_each(|(cell, text)| push(cell, text)),
            None => rows.push(cells),
        }
    }
    if rows.is_empty() {
        return None;
    }
    if !has_head {
        rows.insert(0, vec![String::new(); starts.len()]);
    }
    Some(rows)
}

/// `* - cell` begins a row, `  - cell` goes on with it.
fn list(body: &str) -> Option<Vec<Vec<String>>> {
    let mut rows: Vec<Vec<String>> = Vec::new();
    for line in body.lines() {
        let (is_row, cell) = match line.strip_prefix("* -") {
            Some(cell) => (true, Some(cell)),
            None => (false, line.strip_prefix("  -").filter(|cell| cell.is_empty() || cell.starts_with(' '))),
        };
        if is_row {
            rows.push(Vec::new());
        }
        let row = match rows.last_mut() {
            Some(row) => row,
            None if line.trim().is_empty() => continue,
            None => return None,
        };
        match (cell, row.last_mut()) {
            (Some(cell), _) => row.push(cell.trim().to_owned()),
            (None, Some(last)) => push(last, line),
            (None, None) => return None,
        }
    }
    (!rows.is_empty()).then_some(rows)
}

/// Fields of a line of a `csv-table`.
fn fields(line: &str) -> Vec<String> {
    let mut fields = vec![String::new()];
    let mut is_quoted = false;
    for char in line.chars() {
        match (char, fields.last_mut()) {
            ('"', _) => is_quoted = !is_quoted,
            (',', _) if !is_quoted => fields.push(String::new()),
            (char, Some(field)) => field.push(char),
            (_, None) => {}
        }
    }
    fields.iter().map(|field| field.trim().to_owned()).collect()
}

fn push(cell: &mut String, text: &str) {
    let text = text.trim();
    if !cell.is_empty() && !text.is_empty() {
        cell.push(' ');
    }
    cell.push_str(text);
}
