//! What is not said of this repository as it is: what readers have, what is commented out, what was.

use super::*;

#[test]
fn what_a_page_tells_its_reader_to_have_is_theirs() {
    let page = "```json\n{ \"scripts\": {\n  \"gen:all\": \"x\"\n} }\n```\n\nRun `npm run gen:all` and `npm run other`.\n";
    check(page, "npm_script", &["npm run other"]);
    let page = "```python\nfrom .crews import PoemCrew\n```\n\nThe `PoemCrew` and the `OtherCrew`.\n";
    check(page, "symbol", &["OtherCrew"]);
    let page = "```ts\nasync deleteProduct(id) {\n}\n```\n\n`deleteProduct` and `createProduct`\n";
    check(page, "name", &["createProduct"]);
    let page = "```\nmy-project/\n├── config/\n│   └── a.toml\n```\n\n`config/a.toml` and `src/a.rs`\n";
    check(page, "path", &["src/a.rs"]);
    for start in
        ["npx create-docusaurus@latest docs classic", "$ cargo new --lib docs", "npm create vite@latest docs"]
    {
        let page = format!("```sh\n{start}\n```\n\nEdit `docs/a.toml` and `src/a.rs`.\n");
        check(&page, "path", &["src/a.rs"]);
    }
    let page =
        "Add it to your `src/middleware.ts`.\n\nName `./src/middleware.ts` there, not `src/server.ts`.\n";
    check(page, "path", &["src/server.ts"]);
}

#[test]
fn signs_for_any_number_are_no_path() {
    check("It comes from `site/content/v#.#` and `src/a.rs#L3`.\n", "path", &["src/a.rs"]);
}

#[test]
fn comments_of_mdx_hold_no_claims() {
    check("{/* See [x](a.md). */}\n\n[y](b.md)\n", "link", &["b.md"]);
}

#[test]
fn another_recipe_begins_where_the_first_one_did() {
    let page = "```sh\n# UI\ncd ui\nmake first\n\n# All\nmake second\n```";
    check_subjects(
        page,
        "make_target",
        &[defined("make_target", "first", Some("ui")), defined("make_target", "second", None)],
    );
}

#[test]
fn old_names_and_what_is_denied_are_of_the_past() {
    let is_past =
        |page: &str| extract("docs/a.md", page).iter().map(|claim| claim.cues.is_past).collect::<Vec<_>>();
    assert_eq!(is_past("| Old name | New name |\n|---|---|\n| `src/a.rs` | `src/b.rs` |\n"), [true, false]);
    assert_eq!(is_past("There is no `src/a.rs`, see `src/b.rs`.\n"), [true, false]);
    assert_eq!(
        is_past("`oldName()` has been removed.\n\nCall `oldName()` or `newName()`.\n"),
        [true, true, false]
    );
    assert_eq!(is_past("~~Edit `src/a.rs`~~ Edit `src/b.rs`.\n"), [true, false]);
    assert_eq!(is_past("<del>Edit `src/a.rs`</del> Edit `src/b.rs`.\n"), [true, false]);
    assert_eq!(is_past("It was proposed to put it into `src/a.rs`.\n"), [true]);
    assert_eq!(is_past("## Parser (deprecated)\n\nEdit `src/a.rs`.\n"), [true]);
    assert_eq!(is_past("Use `src/a.rs` and not `src/b.rs`.\n"), [false, true]);
    assert_eq!(is_past("Write `src/a.rs`, **never** `src/b.rs`.\n"), [false, true]);
    assert_eq!(
        is_past("## Naming of files\n\nLike `src/a.rs`.\n\n## Use\n\nEdit `src/b.rs`.\n"),
        [true, false]
    );
    assert_eq!(
        is_past("## Phase 1 ✅ DONE\n\nEdit `src/a.rs`.\n\n## Done\n\nEdit `src/b.rs`.\n"),
        [true, false]
    );
    assert_eq!(is_past("In the example PR, it is in `src/a.rs`.\n"), [true]);
    assert_eq!(is_past("## Out of scope\n\nSee `src/a.rs`.\n"), [true]);
}

#[test]
fn what_a_program_prints_is_no_drawing_of_ours() {
    let drawing = "src\n├── a.rs\n└── b.rs\n";
    check(&format!("```\n{drawing}```\n"), "tree", &["a.rs", "b.rs"]);
    check(&format!("```\n> find --extension rs | tree\n{drawing}```\n"), "tree", &[]);
    check("```\n> find mod\nsrc/a/mod.rs\n```\n", "argument", &[]);
}

#[test]
fn a_name_that_is_written_with_gaps_is_cut_nowhere() {
    check("| NOT_NULL VALUE FLAG | 1 |\n|---|---|\n| NOT_EMPTY | 2 |\n", "plain_variable", &["NOT_EMPTY"]);
}
