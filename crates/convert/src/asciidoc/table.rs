//! Tables of AsciiDoc: cells begin with a bar, rows have as many as the first line or the `cols` attribute says.

/// Rows of a table, the head first.
pub(super) fn rows(
    lines: &[&str],
    style: &str,
    separator: char,
    inline: impl Fn(&str) -> String,
) -> Vec<Vec<String>> {
    let mut cells: Vec<String> = Vec::new();
    let mut first_width = 0;
    for line in lines {
        let before = cells.len();
        if separator == ',' {
            cells.extend(line.split(',').map(str::to_owned));
        } else {
            cut(line, &mut cells);
        }
        if first_width == 0 && cells.len() > before {
            first_width = cells.len() - before;
        }
    }
    let width = columns(style).unwrap_or(first_width).clamp(1, 64);
    let mut rows: Vec<Vec<String>> = Vec::new();
    for row in cells.chunks(width) {
        rows.push(row.iter().map(|cell| inline(cell.trim())).collect());
    }
    rows
}

/// Cuts a line at its bars; what stands before the first one belongs to the cell above.
fn cut(line: &str, cells: &mut Vec<String>) {
    let mut current: Option<String> = None;
    let mut rest = line;
    loop {
        let (text, after) = match bar(rest) {
            Some(at) => (rest.get(..at).unwrap_or_default(), rest.get(at + 1..)),
            None => (rest, None),
        };
        // `a|` and `2+|` say how the next cell is laid out.
        let text = if after.is_some() { without_layout(text) } else { text };
        match current.as_mut() {
            Some(cell) => cell.push_str(text),
            None => {
                if let Some(above) = cells.last_mut().filter(|_| !text.trim().is_empty()) {
                    above.push('\n');
                    above.push_str(text);
                }
            }
        }
        let Some(after) = after else { break };
        cells.extend(current.take());
        current = Some(String::new());
        rest = after;
    }
    cells.extend(current.map(|cell| cell.replace("\\|", "|")));
}

/// The next bar that is not escaped.
fn bar(text: &str) -> Option<usize> {
    text.match_indices('|')
        .map(|(at, _)| at)
        .find(|&at| !text.get(..at).is_some_and(|before| before.ends_with('\\')))
}

fn without_layout(text: &str) -> &str {
    let kept = text.trim_end_matches(|char: char| char.is_ascii_digit() || "aehlmsd.+<>^".contains(char));
    let layout = text.get(kept.len()..).unwrap_or_default();
    let stands_alone = kept.is_empty() || kept.ends_with(' ');
    if stands_alone && layout.len() <= 6 { kept } else { text }
}

/// How many columns `cols="1,2a,3"` or `cols="3*"` sets.
fn columns(style: &str) -> Option<usize> {
    let value = style.split_once("cols=")?.1;
    let value = match value.strip_prefix('"') {
        Some(quoted) => quoted.split('"').next().unwrap_or_default(),
        None => value.split(',').next().unwrap_or_default(),
    };
    let mut count = 0_usize;
    for column in value.split([',', ';']) {
        let times = column.split_once('*').and_then(|(times, _)| times.trim().parse::<usize>().ok());
        count = count.saturating_add(times.unwrap_or(1));
    }
    (count > 0).then_some(count)
}
