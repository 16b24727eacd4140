//! Several collections in one index, with versions, aliases and what is said of them, for the tools of `collections`.

use docent_engine::Card;
use serde_json::{Value, json};

use crate::client::Client;
use crate::world::{Setup, World};

/// A guide with everything that an outline can get wrong.
pub(crate) const GUIDE: &str = "---
title: Not this one
---

Words before any heading.

# Set up

How it begins.

## Install

Run it.

```sh
# not a heading
## nor this
```

### On Linux

Use the package.

#### Deep down

Deep text.

Second way
----------

Set below its text.

## Limits ##

None that matter.

# Set up again

The end.
";

/// The server over all of them, with the toolsets of old and the `collections` tools.
pub(crate) fn world() -> World {
    setup().start()
}

pub(crate) fn setup() -> Setup {
    let mut setup = Setup::new(&[
        ("guides/set-up.md", GUIDE),
        ("guides/plain.md", "Only text, and no heading at all.\n"),
        ("z-last.md", "# Last\n\nThe last page is about walruses.\n"),
    ])
    .folder("react@18", &[("hooks.md", "# Hooks of eighteen\n\n## State\n\nuseState keeps a value.\n")])
    .folder(
        "react@19",
        &[
            ("hooks.md", "# Hooks of nineteen\n\n## State\n\nuseState keeps a value between renders.\n"),
            ("actions.md", "# Actions\n\nA form action runs on submit.\n"),
        ],
    )
    .folder("handbook", &[("holidays.md", "# Holidays\n\nThirty days of holidays a year.\n")]);
    setup.aliases = vec![("hb", "handbook"), ("latest", "react"), ("gone", "vue")];
    let said = |description: &str, version: &str| Card {
        description: Some(description.to_owned()),
        version: Some(version.to_owned()),
        ..Card::default()
    };
    setup.cards.insert("react@19".to_owned(), said("The library for interfaces", "19.1.0"));
    setup.cards.insert("handbook".to_owned(), said("What staff\nhave to\u{202e} know", "2026"));
    setup.options.choice.toolsets = vec!["docs".to_owned(), "collections".to_owned()];
    setup
}

/// One value of each object in a list.
pub(crate) fn values<'v>(list: &'v Value, field: &str) -> Vec<&'v Value> {
    list.as_array().unwrap_or_else(|| panic!("{list}")).iter().map(|object| &object[field]).collect()
}

/// Reads a cut answer to its end: the parts in order.
pub(crate) fn parts(client: &mut Client, tool: &str, mut arguments: Value) -> Vec<Value> {
    let mut parts = Vec::new();
    loop {
        let answer = client.call(tool, arguments.clone());
        assert_eq!(answer["truncated"] == true, answer["cursor"].is_string(), "{answer}");
        arguments["cursor"] = answer["cursor"].clone();
        let is_cut = answer["truncated"] == true;
        parts.push(answer);
        if !is_cut {
            return parts;
        }
        assert!(parts.len() < 1_000, "it never ends: {tool} {arguments}");
    }
}

/// The arguments that name a document.
pub(crate) fn at(collection: &str, document: &str) -> Value {
    json!({"collection": collection, "document": document})
}
