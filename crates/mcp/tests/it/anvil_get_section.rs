//! `get_section` as Anvil specifies it: exact breadcrumbs, parts joined, misses that help.

use serde_json::{Value, json};

use crate::world::{World, fixture};

fn nested() -> World {
    World::new(&[("nested.md", &fixture("docs-tools/nested-headings.md"))])
}

fn section(world: &World, file: &str, heading: &str) -> Value {
    world.client().call("get_section", json!({"file_path": file, "heading_path": heading}))
}

fn miss(world: &World, file: &str, heading: &str) -> String {
    world.client().refused("get_section", json!({"file_path": file, "heading_path": heading}))
}

fn check(world: &World, heading: &str, level: u64, content: &str) {
    let section = section(world, "nested.md", heading);
    assert_eq!(section["content"], content);
    assert_eq!(section["metadata"]["heading_path"], heading);
    assert_eq!(section["metadata"]["heading_level"], level);
    assert_eq!(section["metadata"]["char_count"], content.chars().count());
}

#[test]
fn get_section_with_exact_heading_path_returns_the_content() {
    let world = nested();
    check(&world, "Observatory > Dome", 2, "## Dome\n\nThe dome turns on forty wheels.\n\n");
    check(&world, "Observatory > Dome > Drive", 3, "### Drive\n\nA motor moves the dome.\n\n");
    check(
        &world,
        "Observatory > Telescopes > Drive",
        3,
        "### Drive\n\nThe telescope follows the sky by clockwork.\n\n",
    );
}

#[test]
fn get_section_reaches_the_deepest_heading() {
    let world = nested();
    check(
        &world,
        "Observatory > Dome > Drive > Gearbox > Bearings > Grease",
        6,
        "###### Grease\n\nUse the grease in the blue tin only.\n\n",
    );
}

#[test]
fn get_section_reads_the_text_before_the_first_heading() {
    let world = nested();
    check(&world, "(root)", 0, "Before the first heading stands a remark about the author.\n\n");
}

#[test]
fn unicode_in_heading_paths_is_matched_as_it_is() {
    let world = nested();
    check(
        &world,
        "Observatory > Größe der Spiegel",
        2,
        "## Größe der Spiegel\n\nDer größte Spiegel misst zwei Meter.\n\n",
    );
    check(&world, "Observatory > 観測記録", 2, "## 観測記録\n\n晴れた夜だけ記録する。\n\n");
}

#[test]
fn a_heading_path_has_no_markup() {
    let world = nested();
    check(
        &world,
        "Observatory > Staff & Visitors (2026)",
        2,
        "## Staff & *Visitors* (`2026`)\n\nVisitors come on Fridays.\n",
    );
}

#[test]
fn composed_and_decomposed_letters_are_different_headings() {
    let world = World::new(&[("a.md", "# Caf\u{e9}\n\none\n\n# Cafe\u{301}\n\ntwo\n")]);
    assert_eq!(section(&world, "a.md", "Caf\u{e9}")["content"], "# Caf\u{e9}\n\none\n\n");
    assert_eq!(section(&world, "a.md", "Cafe\u{301}")["content"], "# Cafe\u{301}\n\ntwo\n");
}

#[test]
fn get_section_carries_all_metadata() {
    let world = nested();
    let metadata = &section(&world, "nested.md", "Observatory > Dome")["metadata"];
    assert_eq!(metadata["file_path"], "nested.md");
    assert!(metadata["last_modified"].as_str().unwrap().ends_with('Z'));
    assert_eq!((&metadata["start_line"], &metadata["end_line"]), (&json!(7), &json!(10)));
    assert_eq!(metadata["title"], "Observatory");
    assert_eq!(metadata["content_hash"].as_str().unwrap().len(), 64);
}

fn clock() -> (World, String) {
    let text = fixture("docs-tools/multi-part-section.md");
    let world = World::new(&[("clock.md", &text)]);
    let start = text.find("## Yearly").unwrap();
    let end = text.find("## After").unwrap();
    (world, text[start..end].to_owned())
}

#[test]
fn get_section_with_multi_part_heading_returns_concatenated_content() {
    let (world, whole) = clock();
    let section = section(&world, "clock.md", "Tower Clock > Yearly Inspection");
    assert_eq!(section["content"], whole);
    assert_eq!(section["metadata"]["char_count"], whole.chars().count());
}

#[test]
fn the_part_indicator_is_stripped_from_the_heading_path() {
    let (world, whole) = clock();
    let plain = section(&world, "clock.md", "Tower Clock > Yearly Inspection");
    assert_eq!(plain["metadata"]["heading_path"], "Tower Clock > Yearly Inspection");
    let asked = section(&world, "clock.md", "Tower Clock > Yearly Inspection [part 2/3]");
    assert_eq!(asked["content"], whole);
    assert_eq!(asked["metadata"]["heading_path"], "Tower Clock > Yearly Inspection");
    assert_eq!((&asked["metadata"]["start_line"], &asked["metadata"]["end_line"]), (&json!(5), &json!(173)));
}

#[test]
fn a_heading_that_was_written_with_a_part_indicator_is_a_section_of_its_own() {
    let text = "# Tour\n\n## Rooms [part 1/2]\n\nattic\n\n## Rooms [part 2/2]\n\ncellar\n";
    let world = World::new(&[("tour.md", text)]);
    let section = section(&world, "tour.md", "Tour > Rooms [part 2/2]");
    assert_eq!(section["content"], "## Rooms [part 2/2]\n\ncellar\n");
    assert_eq!(section["metadata"]["heading_path"], "Tour > Rooms [part 2/2]");
}

#[test]
fn get_section_with_wrong_heading_path_is_refused_with_the_message_of_the_specification() {
    let world = nested();
    let told = miss(&world, "nested.md", "Observatory > Domes");
    let expected = "No section found at heading: Observatory > Domes in nested.md. Use get_page to see available sections.";
    assert!(told.starts_with(expected), "{told}");
}

#[test]
fn a_miss_names_the_closest_headings() {
    let world = nested();
    assert!(miss(&world, "nested.md", "Observatory > Domes").contains("Observatory > Dome"));
    assert!(miss(&world, "nested.md", "telescope").contains("Observatory > Telescopes"));
}

#[test]
fn a_partial_heading_does_not_match() {
    let world = nested();
    for partial in
        ["Dome", "Drive", "Dome > Drive", "Observatory >", "Observatory > Dome >", "Observatory > Do"]
    {
        assert!(miss(&world, "nested.md", partial).starts_with("No section found at heading:"), "{partial}");
    }
}

#[test]
fn the_match_is_exact_in_case_and_spelling() {
    let world = nested();
    for other in ["observatory > dome", "Observatory>Dome", "Observatory > dome", "Observatory / Dome"] {
        assert!(miss(&world, "nested.md", other).starts_with("No section found at heading:"), "{other}");
    }
}

#[test]
fn a_section_is_what_stands_under_its_own_heading() {
    let world = nested();
    let content = section(&world, "nested.md", "Observatory")["content"].as_str().unwrap().to_owned();
    assert_eq!(content, "# Observatory\n\nThe observatory has one dome and three telescopes.\n\n");
}

#[test]
fn the_second_section_of_the_same_name_has_its_number() {
    let world = World::new(&[("a.md", "# A\n\n## Example\n\none\n\n## Example\n\ntwo\n")]);
    assert_eq!(section(&world, "a.md", "A > Example")["content"], "## Example\n\none\n\n");
    assert_eq!(section(&world, "a.md", "A > Example [2]")["content"], "## Example\n\ntwo\n");
}

#[test]
fn a_heading_may_contain_the_separator() {
    let world = World::new(&[("a.md", "# A > B\n\n## C\n\ntext\n")]);
    assert_eq!(section(&world, "a.md", "A > B > C")["content"], "## C\n\ntext\n");
}

#[test]
fn a_short_section_keeps_its_own_breadcrumb() {
    let world = World::new(&[("a.md", "# A\n\n## One\n\n1\n\n## Two\n\n2\n\n## Empty\n")]);
    for (heading, content) in
        [("A > One", "## One\n\n1\n\n"), ("A > Two", "## Two\n\n2\n\n"), ("A > Empty", "## Empty\n")]
    {
        assert_eq!(section(&world, "a.md", heading)["content"], content);
    }
}

#[test]
fn an_unknown_page_is_told_apart_from_an_unknown_section() {
    let world = nested();
    let told = miss(&world, "nope.md", "Observatory");
    assert!(
        told.starts_with("No page found at path: nope.md. Use list_pages to discover available pages."),
        "{told}"
    );
}

#[test]
fn the_path_is_normalised_as_in_get_page() {
    let world = nested();
    let absolute = world.docs.join("nested.md");
    for path in ["./nested.md", "/nested.md", absolute.to_str().unwrap()] {
        assert_eq!(section(&world, path, "Observatory > Dome")["metadata"]["file_path"], "nested.md");
    }
}

#[test]
fn both_parameters_are_required() {
    let world = nested();
    let mut client = world.client();
    let told = client.refused("get_section", json!({"heading_path": "Observatory"}));
    assert!(told.contains("file_path parameter is required"), "{told}");
    let told = client.refused("get_section", json!({"file_path": "nested.md"}));
    assert!(told.contains("heading_path parameter is required"), "{told}");
    let told = client.refused("get_section", json!({"file_path": "nested.md", "heading_path": 3}));
    assert!(told.contains("heading_path must be a string"), "{told}");
}
