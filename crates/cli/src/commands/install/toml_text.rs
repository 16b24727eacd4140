//! Changes one entry of a TOML text and keeps comments, order and line ends of everything else.
//!
//! `toml_edit` does the editing. What it does not keep is put right after it: line ends, a byte order mark, and the
//! comments above a table that is removed.

use serde_json::Value as Json;
use toml_edit::{Array, DocumentMut, InlineTable, Item, Table, TableLike, Value};

use docent_authoring::jsonc::Broken;

const BYTE_ORDER_MARK: char = '\u{feff}';

/// The text with `key`.`name` set to `entry`.
pub(super) fn set(text: &str, key: &str, name: &str, entry: &Json) -> Result<String, Broken> {
    let mut document = parse(text)?;
    let place = place_of(&document, key);
    let servers = document.as_table_mut().entry(key).or_insert_with(|| {
        let mut table = Table::new();
        table.set_implicit(true);
        Item::Table(table)
    });
    match servers {
        Item::Table(servers) => match servers.get_mut(name) {
            Some(Item::Table(old)) => {
                old.clear();
                old.set_implicit(false);
                fill(old, entry);
            }
            Some(old) => *old = Item::Value(Value::InlineTable(inline(entry))),
            None => {
                let mut table = Table::new();
                fill(&mut table, entry);
                servers.insert(name, Item::Table(table));
            }
        },
        Item::Value(Value::InlineTable(servers)) => {
            servers.insert(name, Value::InlineTable(inline(entry)));
        }
        _ => return Err(Broken::new(place, format!("`{key}` should be a table"))),
    }
    Ok(as_it_was_written(text, &document.to_string()))
}

/// The text without `key`.`name`.
pub(super) fn remove(text: &str, key: &str, name: &str) -> Result<String, Broken> {
    let mut document = parse(text)?;
    let place = place_of(&document, key);
    let Some(servers) = document.get_mut(key) else { return Ok(text.to_owned()) };
    let Some(entries) = servers.as_table_like_mut() else {
        return Err(Broken::new(place, format!("`{key}` should be a table")));
    };
    let Some(old) = entries.remove(name) else { return Ok(text.to_owned()) };
    if servers.as_table().is_some_and(|servers| servers.is_implicit() && servers.is_empty()) {
        document.remove(key);
    }
    if let Item::Table(old) = &old {
        let above = old.decor().prefix().and_then(|prefix| prefix.as_str()).unwrap_or_default();
        if above.contains('#') {
            keep_comments(&mut document, old.position(), above);
        }
    }
    Ok(as_it_was_written(text, &document.to_string()))
}

/// The whole text as JSON, to compare with.
pub(super) fn to_json(text: &str) -> Result<Json, Broken> {
    parse(text)?;
    let table: toml::Table = toml::from_str(text).map_err(|error| broken(error.span(), error.message()))?;
    serde_json::to_value(table).map_err(|error| Broken::new(0, error.to_string()))
}

fn parse(text: &str) -> Result<DocumentMut, Broken> {
    text.parse::<DocumentMut>().map_err(|error| broken(error.span(), error.message()))
}

fn broken(span: Option<std::ops::Range<usize>>, message: &str) -> Broken {
    Broken::new(span.map_or(0, |span| span.start), message)
}

/// Where a key stands in the text that was read.
fn place_of(document: &DocumentMut, key: &str) -> usize {
    document.key(key).and_then(|key| key.span()).map_or(0, |span| span.start)
}

fn fill(table: &mut dyn TableLike, entry: &Json) {
    for (key, json) in entry.as_object().into_iter().flatten() {
        table.insert(key, Item::Value(value(json)));
    }
}

fn inline(entry: &Json) -> InlineTable {
    let mut table = InlineTable::new();
    fill(&mut table, entry);
    table
}

fn value(json: &Json) -> Value {
    match json {
        Json::Array(items) => Value::Array(items.iter().map(value).collect::<Array>()),
        Json::Object(_) => Value::InlineTable(inline(json)),
        Json::Bool(yes) => Value::from(*yes),
        Json::String(text) => Value::from(text.as_str()),
        other => Value::from(other.to_string()),
    }
}

/// Puts comments that stood above a table before what came after it.
fn keep_comments(document: &mut DocumentMut, gone: Option<isize>, comments: &str) {
    let next = gone.and_then(|gone| next_table(document.as_table_mut(), gone));
    match next {
        Some(table) => {
            let own = table.decor().prefix().and_then(|prefix| prefix.as_str()).unwrap_or_default();
            let all = format!("{comments}{own}");
            table.decor_mut().set_prefix(all);
        }
        None => {
            let own = document.trailing().as_str().unwrap_or_default();
            let all = format!("{comments}{own}");
            document.set_trailing(all);
        }
    }
}

/// The first table behind this position.
fn next_table(table: &mut Table, position: isize) -> Option<&mut Table> {
    let mut best: Option<&mut Table> = None;
    for (_, item) in table.iter_mut() {
        let tables: Vec<&mut Table> = match item {
            Item::Table(table) => vec![table],
            Item::ArrayOfTables(tables) => tables.iter_mut().collect(),
            _ => Vec::new(),
        };
        for table in tables {
            let own = table.position().filter(|own| *own > position && !table.is_implicit());
            let found = if own.is_some() { Some(table) } else { next_table(table, position) };
            let order = |table: &Table| table.position().unwrap_or(isize::MAX);
            if let Some(found) = found
                && best.as_ref().is_none_or(|best| order(found) < order(best))
            {
                best = Some(found);
            }
        }
    }
    best
}

/// Lines that did not change get their own line ends back; new ones end as the first line does. A byte order mark stays.
fn as_it_was_written(old: &str, new: &str) -> String {
    if let Some(old) = old.strip_prefix(BYTE_ORDER_MARK) {
        return format!("{BYTE_ORDER_MARK}{}", as_it_was_written(old, new));
    }
    if !old.contains('\r') {
        return new.to_owned();
    }
    let ends = if old.find("\r\n").is_some_and(|at| !old[..at].contains('\n')) { "\r\n" } else { "\n" };
    let plain = |line: &str| line.trim_end_matches(['\r', '\n']).to_owned();
    let before: Vec<&str> = old.split_inclusive('\n').collect();
    let after: Vec<&str> = new.split_inclusive('\n').collect();
    let start = before.iter().zip(&after).take_while(|(old, new)| plain(old) == plain(new)).count();
    let shorter = before.len().min(after.len()) - start;
    let from_end = before.iter().rev().zip(after.iter().rev());
    let end = from_end.take(shorter).take_while(|(old, new)| plain(old) == plain(new)).count();
    let middle = after[start..after.len() - end].iter().map(|line| line.replace('\n', ends));
    let kept = before[..start].iter().map(|line| (*line).to_owned());
    kept.chain(middle).chain(before[before.len() - end..].iter().map(|line| (*line).to_owned())).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn entry() -> Json {
        json!({ "command": "docent", "args": ["serve", "--docs", "a\"b"] })
    }

    fn check(text: &str, expected: &str) {
        let new = set(text, "mcp_servers", "docent", &entry()).unwrap();
        assert_eq!(new, expected);
        assert_eq!(to_json(&new).unwrap()["mcp_servers"]["docent"], entry());
        assert_eq!(set(&new, "mcp_servers", "docent", &entry()).unwrap(), new);
    }

    fn check_both_ways(text: &str, expected: &str) {
        check(text, expected);
        assert_eq!(remove(expected, "mcp_servers", "docent").unwrap(), text);
    }

    const OURS: &str = "[mcp_servers.docent]\ncommand = \"docent\"\nargs = [\"serve\", \"--docs\", 'a\"b']\n";

    #[test]
    fn a_new_table() {
        check_both_ways("", OURS);
        check_both_ways("# mine\nmodel = \"o\" # best\n", &format!("# mine\nmodel = \"o\" # best\n\n{OURS}"));
        check_both_ways(
            "[a]\nb = 1\n\n# end\n[mcp_servers.x]\ncommand = 'y'\n\n[z]\n# last\n",
            &format!("[a]\nb = 1\n\n# end\n[mcp_servers.x]\ncommand = 'y'\n\n{OURS}\n[z]\n# last\n"),
        );
    }

    #[test]
    fn an_old_entry_is_exchanged() {
        check(
            "# top\n[mcp_servers.docent] # ours\ncommand = \"old\"\ncwd = \"/\"\n[mcp_servers.docent.env]\nA = \"b\"\n\n# next\n[z]\n",
            &format!("# top\n{}\n# next\n[z]\n", OURS.replace("docent]\n", "docent] # ours\n")),
        );
        check(
            "[mcp_servers]\ndocent = { command = \"old\" }\nother = {}\n",
            "[mcp_servers]\ndocent = { command = \"docent\", args = [\"serve\", \"--docs\", 'a\"b'] }\nother = {}\n",
        );
        check(
            "mcp_servers = { x = {} }\n",
            "mcp_servers = { x = {} , docent = { command = \"docent\", args = [\"serve\", \"--docs\", 'a\"b'] } }\n",
        );
    }

    #[test]
    fn odd_layouts() {
        let args = "[\"serve\", \"--docs\", 'a\"b']";
        check(
            "[mcp_servers]\ndocent.command = \"old\" # c\ndocent.env.A = \"b\"\nx.command = 1\n",
            &format!("[mcp_servers]\ndocent.command = \"docent\"\ndocent.args = {args}\nx.command = 1\n"),
        );
        check("[mcp_servers.docent.env]\nA = \"b\"\n[z]\n", &format!("{OURS}[z]\n"));
        check("mcp_servers.x.command = 1\n", &format!("mcp_servers.x.command = 1\n\n{OURS}"));
        check_both_ways("\u{feff}a = 1\n", &format!("\u{feff}a = 1\n\n{OURS}"));
        check("a = 1", &format!("a = 1\n\n{OURS}"));
    }

    #[test]
    fn comments_above_a_table_outlive_it() {
        let remove = |text: &str| remove(text, "mcp_servers", "docent").unwrap();
        let text = format!("a = 1\n\n# above\n{OURS}\n# below\n[z]\nb = 1\n[[y]]\nc = 1\n");
        assert_eq!(remove(&text), "a = 1\n\n# above\n\n# below\n[z]\nb = 1\n[[y]]\nc = 1\n");
        assert_eq!(remove(&format!("a = 1\n# above\n{OURS}# end\n")), "a = 1\n# above\n# end\n");
        assert_eq!(remove("[mcp_servers]\n# mine\n"), "[mcp_servers]\n# mine\n");
    }

    #[test]
    fn line_ends_stay() {
        let crlf = |text: &str| text.replace('\n', "\r\n");
        check_both_ways(
            &crlf("# mine\na = 1\n\n[z]\nb = 2\n"),
            &crlf(&format!("# mine\na = 1\n\n[z]\nb = 2\n\n{OURS}")),
        );
        check(
            "a = 1\r\nb = 2\nc = 3\r\n",
            &format!("a = 1\r\nb = 2\nc = 3\r\n{}", crlf(&format!("\n{OURS}"))),
        );
    }

    #[test]
    fn what_is_wrong_is_told_with_its_place() {
        let place = |text: &str| {
            let broken = set(text, "mcp_servers", "docent", &entry()).unwrap_err();
            broken.position(text)
        };
        assert_eq!(place("a = 1\nb = = 2\n"), (2, 5));
        assert_eq!(place("a = 1\n[mcp_servers\n").0, 2);
        assert!(set("mcp_servers = 1", "mcp_servers", "docent", &entry()).is_err());
        assert!(set("[[mcp_servers]]\na = 1", "mcp_servers", "docent", &entry()).is_err());
        assert!(remove("mcp_servers = 1", "mcp_servers", "docent").is_err());
    }
}
