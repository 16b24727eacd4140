//! documents-tools-v2: one section of a document.

use serde_json::{Value, json};

use crate::documents_world::{GUIDE, at, setup, values, world};
use crate::world::World;

const SECTION: &str = "documents_get_section";

fn arguments(document: &str, section: &str) -> Value {
    let mut arguments = at("docs", document);
    arguments["section"] = json!(section);
    arguments
}

/// Checks a section of a document whose text is known: heading, level, lines, and that the content is these lines.
fn check(world: &World, text: &str, mut given: Value, expected: (&str, u8, usize, usize)) {
    let document = given["document"].as_str().unwrap().to_owned();
    given["document"] = json!(document);
    let answer = world.client().call(SECTION, given.clone());
    let (section, level, start, end) = expected;
    assert_eq!((&answer["section"], &answer["level"]), (&json!(section), &json!(level)), "{given}");
    assert_eq!((&answer["startLine"], &answer["endLine"]), (&json!(start), &json!(end)), "{given}");
    let lines: String = text.split_inclusive('\n').skip(start - 1).take(end + 1 - start).collect();
    assert_eq!(answer["content"], lines, "{given}");
    assert_eq!(answer["document"], json!(document));
}

fn check_guide(section: &str, expected: (&str, u8, usize, usize)) {
    check(&world(), GUIDE, arguments("guides/set-up.md", section), expected);
}

#[test]
fn documents_tools_get_section_extracts_correct_content() {
    check_guide("Limits", ("Limits", 2, 33, 36));
    check_guide("On Linux", ("On Linux", 3, 20, 27));
    check_guide("Second way", ("Second way", 2, 28, 32));
    check_guide("Set up again", ("Set up again", 1, 37, 39));
}

#[test]
fn documents_tools_get_section_includes_nested_subsections_by_default() {
    check_guide("Install", ("Install", 2, 11, 27));
    check_guide("Set up", ("Set up", 1, 7, 36));
}

#[test]
fn documents_tools_get_section_respects_include_subsections() {
    let world = world();
    let own = |section: &str, expected| {
        let mut arguments = arguments("guides/set-up.md", section);
        arguments["includeSubsections"] = json!(false);
        check(&world, GUIDE, arguments, expected);
    };
    own("Set up", ("Set up", 1, 7, 10));
    own("Install", ("Install", 2, 11, 19));
    own("Deep down", ("Deep down", 4, 24, 27));
    let mut arguments = arguments("guides/set-up.md", "Install");
    arguments["includeSubsections"] = json!("no");
    assert_eq!(
        world.client().refused(SECTION, arguments),
        "includeSubsections must be true or false, not \"no\". Leave it out to get true."
    );
}

#[test]
fn documents_tools_get_section_matches_any_letter_case_and_a_part_of_the_heading() {
    check_guide("INSTALL", ("Install", 2, 11, 27));
    check_guide("linux", ("On Linux", 3, 20, 27));
    check_guide("  second WAY ", ("Second way", 2, 28, 32));
}

#[test]
fn documents_tools_get_section_prefers_the_exact_heading_to_the_first_that_contains_it() {
    let text = "# About hosts\n\na\n\n# Hosts and more\n\nb\n\n# hosts\n\nc\n";
    let world = setup().folder("x", &[("a.md", text)]).start();
    let mut given = json!({"collection": "x", "document": "a.md", "section": "Hosts"});
    check(&world, text, given.clone(), ("hosts", 1, 9, 11));
    given["section"] = json!("host");
    check(&world, text, given, ("About hosts", 1, 1, 4));
}

#[test]
fn documents_tools_get_section_names_other_matches_and_chooses_by_line() {
    let text = "# A\n\n## Example\n\none\n\n# B\n\n## Example\n\ntwo\n";
    let world = setup().folder("x", &[("a.md", text)]).start();
    let mut given = json!({"collection": "x", "document": "a.md", "section": "example"});
    let answer = world.client().call(SECTION, given.clone());
    assert_eq!(answer["otherMatches"], json!([{"level": 2, "text": "Example", "line": 9}]));
    check(&world, text, given.clone(), ("Example", 2, 3, 6));
    given["line"] = json!(9);
    check(&world, text, given.clone(), ("Example", 2, 9, 11));
    given["line"] = json!(1);
    assert!(world.client().told(SECTION, given.clone()).starts_with("Section \"example\" not found"));
    given["line"] = json!(0);
    assert!(
        world
            .client()
            .refused(SECTION, given)
            .starts_with("line must be a whole number of 1 or more, not 0.")
    );
}

#[test]
fn documents_tools_get_section_names_no_more_than_ten_other_matches() {
    let text: String = (0..50).map(|at| format!("# Step {at}\n\n")).collect();
    let world = setup().folder("x", &[("a.md", &text)]).start();
    let given = json!({"collection": "x", "document": "a.md", "section": "step"});
    let answer = world.client().call(SECTION, given);
    assert_eq!(values(&answer["otherMatches"], "text").len(), 10);
    let only = world.client().call(SECTION, arguments("z-last.md", "Last"));
    assert_eq!(only.get("otherMatches"), None);
}

#[test]
fn documents_tools_get_section_handles_missing_sections_gracefully() {
    let world = world();
    let mut client = world.client();
    assert_eq!(
        client.told(SECTION, arguments("guides/set-up.md", "Instal it")),
        "Section \"Instal it\" not found in document \"guides/set-up.md\". Closest headings: Install."
    );
    assert_eq!(
        client.told(SECTION, arguments("z-last.md", "xyz")),
        "Section \"xyz\" not found in document \"z-last.md\". Closest headings: Last."
    );
    assert_eq!(
        client.told(SECTION, arguments("guides/plain.md", "Any")),
        "Section \"Any\" not found in document \"guides/plain.md\". It has no headings; documents_get_document reads all of it."
    );
}

#[test]
fn documents_tools_get_section_does_not_find_what_is_no_heading() {
    let world = world();
    let mut client = world.client();
    for section in ["not a heading", "nor this", "Words before", "Not this one"] {
        let text = client.told(SECTION, arguments("guides/set-up.md", section));
        let expected = format!("Section \"{section}\" not found in document \"guides/set-up.md\".");
        assert!(text.starts_with(&expected), "{text}");
    }
}

#[test]
fn documents_tools_get_section_refuses_a_blank_section() {
    let world = world();
    let mut client = world.client();
    for section in [json!(""), json!("  \n"), json!(null)] {
        let mut arguments = at("docs", "guides/set-up.md");
        arguments["section"] = section;
        assert_eq!(
            client.refused(SECTION, arguments),
            "section parameter is required: a heading or a part of one, from documents_get_outline"
        );
    }
}

#[test]
fn documents_tools_get_section_keeps_line_ends_and_other_bytes() {
    let text = "# A\r\n\r\n\tone  \r\n\r\n## B\r\n\r\ntwo";
    let world = setup().folder("x", &[("a.md", text)]).start();
    let given = |section: &str| json!({"collection": "x", "document": "a.md", "section": section});
    check(&world, text, given("a"), ("A", 1, 1, 7));
    check(&world, text, given("b"), ("B", 2, 5, 7));
}

#[test]
fn documents_tools_get_section_finds_every_heading_of_the_outline() {
    let world = world();
    let mut client = world.client();
    let mut outline = at("docs", "guides/set-up.md");
    outline["maxDepth"] = json!(6);
    let outline = client.call("documents_get_outline", outline);
    for heading in outline["outline"].as_array().unwrap() {
        let answer = client.call(SECTION, arguments("guides/set-up.md", heading["text"].as_str().unwrap()));
        assert_eq!((&answer["startLine"], &answer["level"]), (&heading["line"], &heading["level"]));
        assert_eq!(answer["contentHash"], outline["contentHash"]);
    }
}
