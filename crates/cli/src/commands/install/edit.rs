//! What becomes of a configuration when our entry is put in or taken out: a function from text to text.
//!
//! Whatever the editors of the two formats do, the result is read back and must hold everything that was there before;
//! otherwise nothing is written.

use serde_json::Value;

use super::clients::{Client, Format};
use super::{rewrite, toml_text};
use docent_authoring::jsonc::{self, Broken};

/// What is to be done with the entry of this name.
#[derive(Debug)]
pub(super) enum Wish<'a> {
    Set(&'a Value),
    Remove,
}

/// What it comes to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Action {
    /// The entry is new.
    Added,
    /// Another entry of this name was there.
    Replaced,
    /// The entry was there already.
    Unchanged,
    /// The entry was taken out.
    Removed,
    /// There was nothing to take out.
    Absent,
}

impl Action {
    /// Whether the file has to be written.
    pub(super) fn changes(self) -> bool {
        matches!(self, Self::Added | Self::Replaced | Self::Removed)
    }
}

/// Why there is no new text.
#[derive(Debug)]
pub(super) enum Problem {
    /// The text that is there cannot be read.
    Broken(Broken),
    /// The new text would have lost something.
    Unsafe,
}

impl From<Broken> for Problem {
    fn from(broken: Broken) -> Self {
        Self::Broken(broken)
    }
}

/// The new text, and what was done to come to it.
pub(super) fn apply(
    client: &Client,
    text: &str,
    name: &str,
    wish: &Wish<'_>,
) -> Result<(Action, String), Problem> {
    let (format, key) = (client.format, client.key);
    let before = read(format, text)?;
    let old = before.get(key).and_then(|servers| servers.get(name));
    let (action, entry) = match (wish, old) {
        (Wish::Set(entry), Some(old)) if old == *entry => (Action::Unchanged, Some(*entry)),
        (Wish::Set(entry), Some(_)) => (Action::Replaced, Some(*entry)),
        (Wish::Set(entry), None) => (Action::Added, Some(*entry)),
        (Wish::Remove, Some(_)) => (Action::Removed, None),
        (Wish::Remove, None) => (Action::Absent, None),
    };
    if !action.changes() {
        return Ok((action, text.to_owned()));
    }
    let new = match (format, entry) {
        (Format::Json, Some(entry)) => rewrite::set(text, key, name, entry)?,
        (Format::Json, None) => rewrite::remove(text, key, name)?,
        (Format::Toml, Some(entry)) => toml_text::set(text, key, name, entry)?,
        (Format::Toml, None) => toml_text::remove(text, key, name)?,
    };
    let after = read(format, &new).map_err(|_| Problem::Unsafe)?;
    let found = after.get(key).and_then(|servers| servers.get(name));
    if found == entry && without(&before, key, name) == without(&after, key, name) {
        Ok((action, new))
    } else {
        Err(Problem::Unsafe)
    }
}

/// Whether the text has an entry of this name.
pub(super) fn has(client: &Client, text: &str, name: &str) -> Result<bool, Broken> {
    let value = read(client.format, text)?;
    Ok(value.get(client.key).is_some_and(|servers| servers.get(name).is_some()))
}

fn read(format: Format, text: &str) -> Result<Value, Broken> {
    match format {
        Format::Json => {
            Ok(jsonc::parse(text)?.map_or_else(|| Value::Object(Default::default()), |node| node.to_value()))
        }
        Format::Toml => toml_text::to_json(text),
    }
}

/// Everything but our entry. Servers that are none are as good as no servers.
fn without(value: &Value, key: &str, name: &str) -> Value {
    let mut rest = value.clone();
    if let Some(top) = rest.as_object_mut() {
        let servers = top.get_mut(key).and_then(Value::as_object_mut);
        let empty = servers.is_some_and(|servers| {
            servers.shift_remove(name);
            servers.is_empty()
        });
        if empty {
            top.shift_remove(key);
        }
    }
    rest
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::clients::{CLIENTS, find};
    use super::*;

    fn action(client: &str, text: &str, wish: &Wish<'_>) -> Action {
        apply(find(client).unwrap(), text, "docent", wish).unwrap().0
    }

    #[test]
    fn every_client_can_be_set_twice_and_removed() {
        let (entry, other) = (json!({ "command": "docent", "args": ["serve"] }), json!({ "command": "x" }));
        for client in CLIENTS {
            let (added, text) = apply(client, "", "docent", &Wish::Set(&entry)).unwrap();
            assert_eq!(added, Action::Added);
            assert!(has(client, &text, "docent").unwrap() && !has(client, &text, "other").unwrap());
            assert_eq!(action(client.name, &text, &Wish::Set(&entry)), Action::Unchanged);
            assert_eq!(action(client.name, &text, &Wish::Set(&other)), Action::Replaced);
            let (removed, text) = apply(client, &text, "docent", &Wish::Remove).unwrap();
            assert_eq!(removed, Action::Removed);
            assert_eq!(action(client.name, &text, &Wish::Remove), Action::Absent);
        }
    }

    #[test]
    fn an_entry_that_only_looks_different_is_the_same() {
        let entry = json!({ "command": "docent", "args": ["serve"] });
        let text =
            "{\"mcpServers\": { /* ours */ \"docent\": {\"args\": [\"serve\",], \"command\": \"docent\"}}}";
        assert_eq!(action("cursor", text, &Wish::Set(&entry)), Action::Unchanged);
    }

    #[test]
    fn broken_texts_are_refused() {
        for (client, text) in [
            ("cursor", "{"),
            ("codex", "a = "),
            ("cursor", "{\"mcpServers\": []}"),
            ("codex", "mcp_servers = 1"),
        ] {
            let entry = json!({});
            assert!(apply(find(client).unwrap(), text, "docent", &Wish::Set(&entry)).is_err(), "{text}");
        }
    }
}
