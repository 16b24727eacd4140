//! Reading by name.

use docent_engine::Got;

use crate::world::World;

const GUIDE: &str =
    "intro\n\n# Guide\n\nhello\n\n## Examples\n\none\n\n## Examples\n\ntwo\n\n## Setup\n\n### Linux\n\nx\n";

fn section(target: &str) -> Result<(String, String), String> {
    let world = World::new(&[("guides/a.md", GUIDE), ("b #1.md", "# B\n\n## Setup\n\ny\n")]);
    match world.synced().get(&[], target) {
        Ok(Got::Section(section)) => Ok((section.metadata.heading_path, section.content)),
        Ok(Got::Page(page)) => Ok(("page".to_owned(), page.text)),
        Err(error) => Err(format!("{}\n{}", error.message, error.hint)),
    }
}

fn check(target: &str, heading: &str, content: &str) {
    let (found, text) = section(target).unwrap();
    assert_eq!((found.as_str(), text.trim_end()), (heading, content));
}

#[test]
fn a_path_names_a_page_byte_for_byte() {
    check("guides/a.md", "page", GUIDE.trim_end());
    check("./guides/a.md", "page", GUIDE.trim_end());
    check("/guides/a.md", "page", GUIDE.trim_end());
}

#[test]
fn a_chunk_id_names_a_section() {
    check("guides/a.md#guide/examples", "Guide > Examples", "## Examples\n\none");
    check("guides/a.md#guide/examples-2", "Guide > Examples [2]", "## Examples\n\ntwo");
    check("guides/a.md#_preamble", "(root)", "intro");
}

#[test]
fn an_unambiguous_tail_is_enough() {
    check("guides/a.md#linux", "Guide > Setup > Linux", "### Linux\n\nx");
    check("guides/a.md#setup/linux", "Guide > Setup > Linux", "### Linux\n\nx");
}

#[test]
fn a_heading_path_works_too() {
    check("guides/a.md#Guide > Setup > Linux", "Guide > Setup > Linux", "### Linux\n\nx");
}

#[test]
fn a_path_with_spaces_and_a_hash_works() {
    check("b #1.md#setup", "B > Setup", "## Setup\n\ny");
}

#[test]
fn an_ambiguous_tail_lists_the_candidates() {
    let world = World::new(&[("a.md", "# A\n\n## X\n\n### Same\n\n1\n\n## Y\n\n### Same\n\n2\n")]);
    let error = world.synced().get(&[], "a.md#same").unwrap_err();
    assert!(error.hint.contains("a.md#a/x/same") && error.hint.contains("a.md#a/y/same"), "{error:?}");
}

#[test]
fn a_miss_says_what_is_near() {
    let missing_page = section("guides/aa.md").unwrap_err();
    assert!(missing_page.contains("No page found at path: guides/aa.md. Use list_pages"), "{missing_page}");
    assert!(missing_page.contains("did you mean guides/a.md"), "{missing_page}");
    let missing_section = section("guides/a.md#exmples").unwrap_err();
    assert!(
        missing_section.contains("No section found at heading: exmples in guides/a.md"),
        "{missing_section}"
    );
    assert!(missing_section.contains("Guide > Examples"), "{missing_section}");
}

#[test]
fn long_sections_are_joined_from_their_parts() {
    let long: String = (0..400).map(|i| format!("Paragraph number {i} of a long section.\n\n")).collect();
    let world = World::new(&[("a.md", &format!("# Long\n\n{long}"))]);
    let engine = world.synced();
    let page = engine.page(&[], "a.md").unwrap();
    assert!(page.chunks.len() > 1);
    assert!(page.chunks[0].heading_path.starts_with("Long [part 1/"));
    let section = engine.section(&[], "a.md", "Long").unwrap();
    assert_eq!(section.content, format!("# Long\n\n{long}"));
    assert_eq!(section.metadata.heading_path, "Long");
    assert_eq!(engine.section(&[], "a.md", "Long [part 2/9]").unwrap().content, section.content);
}

#[test]
fn lists_are_by_path_and_prefix() {
    let world =
        World::new(&[("b.md", "# B\n"), ("epics/a.md", "# A\n\n## H\n\n### No\n"), ("epics2/c.md", "# C\n")]);
    let engine = world.synced();
    let all = engine.list(&[], None).unwrap();
    assert_eq!(all.total_pages, 3);
    for prefix in ["epics", "epics/", "./epics"] {
        let pages = engine.list(&[], Some(prefix)).unwrap().pages;
        assert_eq!(pages.len(), 1, "{prefix}");
        assert_eq!(pages[0].headings, ["A", "H"]);
    }
    assert_eq!(engine.list(&[], Some("nope")).unwrap().total_pages, 0);
}

#[test]
fn documents_are_listed_in_pages_with_the_size_of_their_whole_text() {
    let world = World::new(&[("b.md", "---\na: b\n---\n# Größe\n"), ("a.md", "text\n"), ("c/d.md", "# D\n")]);
    let engine = world.synced();
    let listed = |offset: usize, limit: usize| {
        let list = engine.documents("docs", offset, limit).unwrap();
        assert_eq!(list.total, 3);
        list.documents
            .into_iter()
            .map(|document| (document.path, document.title, document.size))
            .collect::<Vec<_>>()
    };
    let line = |path: &str, title: &str, size: usize| (path.to_owned(), title.to_owned(), size);
    let all = [line("a.md", "a.md", 5), line("b.md", "Größe", 21), line("c/d.md", "D", 4)];
    assert_eq!(listed(0, 10), all);
    assert_eq!(listed(1, 1), all[1..2]);
    assert_eq!(listed(3, 1), []);
    assert_eq!(engine.documents("another", 0, 10).unwrap().total, 0);
    world.remove("b.md");
    assert_eq!(engine.documents("docs", 0, 10).unwrap().total, 2, "what is gone is not listed");
}

#[test]
fn an_outline_has_the_sections_as_written() {
    let world = World::new(&[("guides/a.md", GUIDE)]);
    let outline = world.synced().outline(&[], "./guides/a.md").unwrap();
    let sections: Vec<_> = outline
        .sections
        .iter()
        .map(|section| (section.id.as_str(), section.start_line, section.end_line, section.subtree_end_line))
        .collect();
    let expected = [
        ("_preamble", 1, 2, 2),
        ("guide", 3, 6, 19),
        ("guide/examples", 7, 10, 10),
        ("guide/examples-2", 11, 14, 14),
        ("guide/setup", 15, 16, 19),
        ("guide/setup/linux", 17, 19, 19),
    ];
    assert_eq!(sections, expected);
    assert!(!outline.sections[4].has_body && outline.sections[5].has_body);
    assert_eq!((outline.title.as_str(), outline.text.as_str()), ("Guide", GUIDE));
}
