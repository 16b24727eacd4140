//! documents-tools-v2: whole documents and their outlines.

use serde_json::{Value, json};

use crate::documents_world::{GUIDE, at, setup, world};
use crate::world::Setup;

const OUTLINE: &str = "documents_get_outline";

/// The whole outline of [`GUIDE`].
const HEADINGS: [(u8, &str, u32); 7] = [
    (1, "Set up", 7),
    (2, "Install", 11),
    (3, "On Linux", 20),
    (4, "Deep down", 24),
    (2, "Second way", 28),
    (2, "Limits", 33),
    (1, "Set up again", 37),
];

fn check(answer: &Value, expected: &[(u8, &str, u32)]) {
    let expected: Vec<Value> = expected
        .iter()
        .map(|(level, text, line)| json!({"level": level, "text": text, "line": line}))
        .collect();
    assert_eq!(answer["outline"], Value::Array(expected));
}

#[test]
fn documents_tools_get_outline_returns_heading_structure() {
    let answer = world().client().call(OUTLINE, at("docs", "guides/set-up.md"));
    assert_eq!(answer["collection"], "docs");
    assert_eq!(answer["document"], "guides/set-up.md");
    assert_eq!(answer["title"], "Set up");
    let three: Vec<_> = HEADINGS.into_iter().filter(|(level, ..)| *level <= 3).collect();
    check(&answer, &three);
}

#[test]
fn documents_tools_get_outline_respects_max_depth() {
    let world = world();
    let mut client = world.client();
    for depth in 1..=6 {
        let mut arguments = at("docs", "guides/set-up.md");
        arguments["maxDepth"] = json!(depth);
        let within: Vec<_> = HEADINGS.into_iter().filter(|(level, ..)| *level <= depth).collect();
        check(&client.call(OUTLINE, arguments), &within);
    }
}

#[test]
fn documents_tools_get_outline_refuses_other_depths() {
    let world = world();
    let mut client = world.client();
    for (depth, shown) in [(json!(0), "0"), (json!(7), "7"), (json!("two"), "\"two\"")] {
        let mut arguments = at("docs", "guides/set-up.md");
        arguments["maxDepth"] = depth;
        assert_eq!(
            client.refused(OUTLINE, arguments),
            format!("maxDepth must be a whole number from 1 to 6, not {shown}. Leave it out to get 3.")
        );
    }
}

#[test]
fn documents_tools_get_outline_lines_are_those_of_the_file() {
    let answer = world().client().call(OUTLINE, at("docs", "guides/set-up.md"));
    let lines: Vec<&str> = GUIDE.lines().collect();
    for heading in answer["outline"].as_array().unwrap() {
        let line = lines[heading["line"].as_u64().unwrap() as usize - 1];
        assert!(line.contains(heading["text"].as_str().unwrap()), "{heading}: {line}");
    }
}

#[test]
fn documents_tools_get_outline_of_a_document_without_headings_is_empty() {
    let answer = world().client().call(OUTLINE, at("docs", "guides/plain.md"));
    check(&answer, &[]);
    assert_eq!(answer["title"], "plain.md");
}

#[test]
fn documents_tools_get_outline_sees_changes_on_disk() {
    let world = Setup { background: false, ..setup() }.start();
    let mut client = world.client();
    client.call(OUTLINE, at("docs", "z-last.md"));
    world.write("z-last.md", "text\n\n# Now\n");
    check(&client.call(OUTLINE, at("docs", "z-last.md")), &[(1, "Now", 3)]);
}

#[test]
fn documents_tools_get_document_gives_the_whole_document_byte_for_byte() {
    let odd = "\u{feff}---\ntitle: x\n---\r\n# A\r\n\ttext \u{1} \u{202e}x\rlone\n\n\nno end";
    let world = setup().folder("odd", &[("odd.md", odd), ("empty.md", ""), ("blank.md", "\n\n")]).start();
    let mut client = world.client();
    let mut check = |collection: &str, document: &str, text: &str, lines: u32| {
        let answer = client.call("documents_get_document", at(collection, document));
        assert_eq!(answer["content"], text, "{document}");
        assert_eq!(answer["size"], text.chars().count(), "{document}");
        assert_eq!((&answer["startLine"], &answer["endLine"]), (&json!(1), &json!(lines)), "{document}");
        assert_eq!(answer.get("truncated"), None, "{document}");
    };
    check("docs", "guides/set-up.md", GUIDE, 39);
    check("odd", "odd.md", odd, 9);
    check("odd", "empty.md", "", 1);
    check("odd", "blank.md", "\n\n", 2);
}

#[test]
fn documents_tools_get_document_says_which_version_was_read() {
    let world = Setup { background: false, ..setup() }.start();
    let mut client = world.client();
    let before = client.call("documents_get_document", at("docs", "z-last.md"));
    let listed = client.call("documents_list_documents", json!({"collection": "docs"}));
    assert_eq!(before["contentHash"], listed["documents"][2]["contentHash"]);
    assert_eq!(before["contentHash"].as_str().unwrap().len(), 64);
    assert_eq!(client.call(OUTLINE, at("docs", "z-last.md"))["contentHash"], before["contentHash"]);
    world.write("z-last.md", "# Other\n");
    let after = client.call("documents_get_document", at("docs", "z-last.md"));
    assert_eq!((&after["title"], &after["content"]), (&json!("Other"), &json!("# Other\n")));
    assert_ne!(after["contentHash"], before["contentHash"]);
}

#[test]
fn documents_tools_get_document_answers_the_id_however_it_was_spelled() {
    let world = world();
    let mut client = world.client();
    for spelling in ["./z-last.md", "/z-last.md", "docs/z-last.md"] {
        assert_eq!(client.call("documents_get_document", at("docs", spelling))["document"], "z-last.md");
    }
}
