//! Texts that a caller hands over under a name.

use docent_library::Status;

use crate::world::{MAX_BYTES, World};

#[test]
fn a_text_is_known_by_its_name() {
    let world = World::new();
    let first = world.content("# Minutes\n\nWe met in Oslo.\n", "minutes of May").unwrap();
    assert_eq!((first.status, first.source.as_str()), (Status::Indexed, "minutes of May"));
    assert_eq!(
        world.content("# Minutes\n\nWe met in Oslo.\n", "minutes of May").unwrap().status,
        Status::Skipped
    );
    let changed = world.content("# Minutes\n\nWe met in Rome.\n", "minutes of May").unwrap();
    assert_eq!((changed.status, changed.doc_id), (Status::Replaced, first.doc_id));
    assert_eq!(world.found("Rome"), ["minutes of May"]);
}

#[test]
fn the_extension_says_what_it_is_and_markdown_is_the_rule() {
    let world = World::new();
    let check = |content: &str, name: &str, expected: &str| {
        world.content(content, name).unwrap();
        let known = world.engine.handed("default", name).unwrap().unwrap();
        assert_eq!(known.details.file_type, expected, "{name}");
    };
    check("# A\n\ntext\n", "notes", "md");
    check("# A\n\ntext\n", "Release 2.1", "md");
    check("a,b\n1,2\n", "table.csv", "csv");
    check("<p>Hello</p>", "page.html", "html");
    check("text", "plain.txt", "txt");
}

#[test]
fn impossible_names_and_sizes_are_refused() {
    let world = World::new();
    for name in ["", " ", "a\nb", "a\u{202e}b"] {
        assert!(world.content("text", name).unwrap_err().message.contains("not a name"), "{name:?}");
    }
    let large = "a".repeat(MAX_BYTES as usize + 1);
    assert!(world.content(&large, "large.md").unwrap_err().message.contains("at most 1048576"));
}
