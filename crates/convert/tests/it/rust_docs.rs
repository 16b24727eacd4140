//! Pages of Rust crates.

use std::collections::BTreeMap;

use docent_convert::rust_docs::pages;
use proptest::prelude::*;

fn pages_of(files: &[(&str, &str)]) -> BTreeMap<String, String> {
    let sources = files.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned())).collect();
    pages("toy", "src/lib.rs", &sources).into_iter().map(|page| (page.path, page.text)).collect()
}

/// What the page of a crate of one file has below its title.
fn check(source: &str, expected: &str) {
    let found = pages_of(&[("src/lib.rs", source)]).remove("api/toy.md").unwrap_or_default();
    let found = found.strip_prefix("# toy\n").unwrap_or(&found);
    assert_eq!(found.trim(), expected.trim());
}

#[test]
fn a_function_has_its_signature_and_its_words() {
    check(
        "/// Adds.\n///\n/// # Examples\n///\n/// ```\n/// # use toy::add;\n/// add(1, 2);\n/// ```\npub const fn add(a: u32, b: u32) -> u32 { a + b }",
        "## fn add\n\n```rust\npub const fn add(a: u32, b: u32) -> u32\n```\n\nAdds.\n\n### Examples\n\n```rust\nadd(1, 2);\n```",
    );
}

#[test]
fn private_hidden_and_test_items_are_left_out() {
    check(
        "/// A.\nfn a() {}\n/// B.\npub(crate) fn b() {}\n/// C.\n#[doc(hidden)]\npub fn c() {}\n\
         #[cfg(test)]\nmod tests { /// D.\npub fn d() {} }\npub fn undocumented() {}",
        "",
    );
}

#[test]
fn methods_stand_below_their_type() {
    check(
        "/// A map.\npub struct Map<K, V> where K: Eq { inner: (K, V) }\n\
         impl<K: Eq, V> Map<K, V> {\n    /// Puts.\n    #[inline]\n    pub fn insert(&mut self, key: K) {}\n    /// Hidden.\n    fn private(&self) {}\n}\n\
         impl<K, V> Clone for Map<K, V> { /// Not shown.\n fn clone(&self) -> Self { loop {} } }",
        "## struct Map\n\n```rust\npub struct Map<K, V> where K: Eq\n```\n\nA map.\n\n### Map::insert\n\n```rust\npub fn insert(&mut self, key: K)\n```\n\nPuts.",
    );
}

#[test]
fn traits_show_all_their_members() {
    check(
        "/// Speaks.\npub trait Speak: Sized {\n    /// What.\n    type Word;\n    /// Says.\n    fn say(&self) -> Self::Word;\n    /// By default.\n    fn shout(&self) { { } }\n}",
        "## trait Speak\n\n```rust\npub trait Speak: Sized\n```\n\nSpeaks.\n\n### Speak::Word\n\n```rust\ntype Word;\n```\n\nWhat.\n\n\
         ### Speak::say\n\n```rust\nfn say(&self) -> Self::Word\n```\n\nSays.\n\n### Speak::shout\n\n```rust\nfn shout(&self)\n```\n\nBy default.",
    );
}

#[test]
fn variants_and_public_fields_are_lists() {
    check(
        "/// E.\npub enum E {\n    /// One.\n    ///\n    /// More.\n    A(Vec<u8>, u8),\n    B { x: u8 },\n    C = 3,\n}\n\
         /// S.\npub struct S { /// F.\n pub f: BTreeMap<u8, u8>, g: u8 }\n/// T.\npub struct T(pub u8);\n/// U.\npub struct U(u8);",
        "## enum E\n\n```rust\npub enum E\n```\n\nE.\n\n**Variants**\n\n- `A(Vec<u8>, u8)`: One.\n\n  More.\n- `B { x: u8 }`\n- `C = 3`\n\n\
         ## struct S\n\n```rust\npub struct S\n```\n\nS.\n\n**Fields**\n\n- `f: BTreeMap<u8, u8>`: F.\n\n\
         ## struct T\n\n```rust\npub struct T(pub u8);\n```\n\nT.\n\n## struct U\n\n```rust\npub struct U(..);\n```\n\nU.",
    );
}

#[test]
fn exported_macros_show_what_they_take() {
    check(
        "/// Makes.\n#[macro_export]\nmacro_rules! make {\n    ($a:expr $(,)?) => { $a };\n    (@inner) => {};\n    () => {};\n}\n/// Not exported.\nmacro_rules! inner { () => {} }",
        "## macro make!\n\n```rust\nmacro_rules! make {\n    ($a:expr $(,)?) => { ... };\n    () => { ... };\n}\n```\n\nMakes.",
    );
}

#[test]
fn procedural_macros_have_the_name_that_users_write() {
    check(
        "/// Derives.\n#[proc_macro_derive(Toy, attributes(toy))]\npub fn derive_toy(input: TokenStream) -> TokenStream { input }",
        "## derive Toy\n\nDerives.",
    );
}

#[test]
fn strings_comments_and_lifetimes_do_not_confuse_the_scanner() {
    check(
        "const A: &str = \"} pub fn no() {\"; const B: &str = r#\"\" }\"#; /* /* } */ { */ const C: char = '{';\n\
         const D: char = '\\''; fn f<'a>(x: &'a str) -> &'a str { x } const E: &[u8] = b\"{\\\"\";\n/// Yes.\npub fn yes<'a>() {}",
        "## fn yes\n\n```rust\npub fn yes<'a>()\n```\n\nYes.",
    );
}

#[test]
fn doc_attributes_and_block_comments_count() {
    check(
        "#![doc = \"The crate.\"]\n/**\n * Block.\n *\n *   Kept.\n */\npub fn a() {}\n#[doc = \" Attribute\\n with \\\"two\\\" lines.\"]\npub fn b() {}\n//// No doc.\npub fn c() {}",
        "The crate.\n\n## fn a\n\n```rust\npub fn a()\n```\n\nBlock.\n\n  Kept.\n\n## fn b\n\n```rust\npub fn b()\n```\n\nAttribute\nwith \"two\" lines.",
    );
}

#[test]
fn blocks_in_other_languages_are_kept_as_they_are() {
    check(
        "//! ```text\n//! # not hidden\n//! ```\n//! ```no_run\n//! # hidden\n//! #[shown]\n//! ## one mark\n//! ```\n//!\n//! Title\n//! =====\n//!\n//! text",
        "```text\n# not hidden\n```\n```rust\n#[shown]\n# one mark\n```\n\n## Title\n\ntext",
    );
}

#[test]
fn a_long_signature_has_one_parameter_a_line() {
    check(
        "/// L.\npub fn long<F>(first: impl Fn(u8, u8) -> Result<u8, Error>, second: BTreeMap<String, String>, third: F) -> u8\nwhere\n    F: Fn(),\n{}",
        "## fn long\n\n```rust\npub fn long<F>(\n    first: impl Fn(u8, u8) -> Result<u8, Error>,\n    second: BTreeMap<String, String>,\n    third: F,\n) -> u8\nwhere\n    F: Fn(),\n```\n\nL.",
    );
}

#[test]
fn modules_are_pages_and_private_ones_are_not() {
    let pages = pages_of(&[
        (
            "src/lib.rs",
            "//! Toy.\npub mod a;\nmod hidden;\n/// Outside.\npub mod inline { //! Inside.\n pub mod deep; }",
        ),
        ("src/a/mod.rs", "//! A module.\n//!\n//! More.\npub mod b;"),
        ("src/a/b.rs", "/// F.\npub fn f() {}"),
        ("src/hidden.rs", "/// H.\npub fn h() {}"),
        ("src/inline/deep.rs", "//! Deep."),
    ]);
    let paths: Vec<&String> = pages.keys().collect();
    assert_eq!(
        paths,
        ["api/toy.md", "api/toy/a.md", "api/toy/a/b.md", "api/toy/inline.md", "api/toy/inline/deep.md"]
    );
    let root =
        "# toy\n\nToy.\n\n## Modules\n\n- [a](toy/a.md): A module.\n- [inline](toy/inline.md): Outside.\n";
    assert_eq!(pages["api/toy.md"], root);
    assert_eq!(pages["api/toy/a/b.md"], "# toy::a::b\n\n## fn f\n\n```rust\npub fn f()\n```\n\nF.\n");
}

#[test]
fn re_exports_of_private_modules_stand_where_users_find_them() {
    let pages = pages_of(&[
        (
            "src/lib.rs",
            "mod error; mod util; pub mod shown;\npub use error::{Error, Other as Renamed};\npub use self::util::*;\npub use shown::Thing;\npub use std::fmt;",
        ),
        (
            "src/error.rs",
            "/// An error.\npub struct Error;\n/// Another.\npub struct Other;\nimpl crate::error::Error { /// New.\n pub fn new() {} }",
        ),
        ("src/util.rs", "/// Helps.\npub fn help() {}\nmod inner { }"),
        ("src/shown.rs", "/// A thing.\npub struct Thing;"),
    ]);
    let headings: Vec<&str> = pages["api/toy.md"].lines().filter(|line| line.starts_with('#')).collect();
    let expected = [
        "# toy",
        "## struct Error",
        "### Error::new",
        "## struct Renamed",
        "## fn help",
        "## Modules",
        "## Re-exports",
    ];
    assert_eq!(headings, expected);
    assert!(pages["api/toy.md"].contains("pub use shown::Thing;\npub use std::fmt;"));
    assert!(pages["api/toy/shown.md"].contains("A thing."));
}

#[test]
fn a_function_with_the_name_of_its_module_is_found() {
    let pages = pages_of(&[
        ("src/lib.rs", "mod io; pub use io::copy;"),
        ("src/io.rs", "mod copy; pub use copy::copy;"),
        ("src/io/copy.rs", "/// Copies.\npub fn copy() {}"),
    ]);
    assert_eq!(pages["api/toy.md"], "# toy\n\n## fn copy\n\n```rust\npub fn copy()\n```\n\nCopies.\n");
}

#[test]
fn macros_that_wrap_items_are_looked_into() {
    check(
        "cfg_net! {\n    /// Net.\n    pub fn net() {}\n}\nmacro_rules! doc {\n    ($item:item) => {\n        /// Chosen.\n        #[macro_export]\n        $item\n    };\n}\n\
         #[cfg(doc)]\ndoc! {macro_rules! choose { ($a:expr) => {} }}\nmacro_rules! root { () => { /// Made.\n pub fn made() {} }; }\nroot!();",
        "## fn net\n\n```rust\npub fn net()\n```\n\nNet.\n\n## fn made\n\n```rust\npub fn made()\n```\n\nMade.\n\n\
         ## macro choose!\n\n```rust\nmacro_rules! choose {\n    ($a:expr) => { ... };\n}\n```\n\nChosen.",
    );
}

#[test]
fn what_is_written_for_two_systems_is_shown_once() {
    check(
        "#[cfg(unix)]\n/// Unix.\npub fn f() {}\n#[cfg(windows)]\n/// Windows.\npub fn f() {}",
        "## fn f\n\n```rust\npub fn f()\n```\n\nUnix.",
    );
}

#[test]
fn modules_that_name_each_other_come_to_an_end() {
    let pages = pages_of(&[
        (
            "src/lib.rs",
            "//! Toy.\n#[path = \"lib.rs\"] pub mod again;\npub mod a;\npub use a::*; pub use a::x as y;",
        ),
        ("src/a.rs", "//! A.\npub use crate::*; pub use crate::y as x; #[path = \"a.rs\"] pub mod a;"),
    ]);
    assert_eq!(pages.keys().collect::<Vec<_>>(), ["api/toy.md", "api/toy/a.md"]);
}

#[test]
fn deep_nesting_does_not_exhaust_the_stack() {
    for opening in ["mod a {", "a! {", "pub trait A {", "use a::{", "/*", "(", "macro_rules! a { () => {"] {
        let deep = opening.repeat(100_000);
        let _ = pages_of(&[("src/lib.rs", &deep)]);
    }
}

const SAMPLE: &str = include_str!("../../src/rust_docs/items.rs");

proptest! {
    #[test]
    fn any_text_is_read_without_a_panic(text in "\\PC{0,200}") {
        let _ = pages_of(&[("src/lib.rs", &text)]);
    }

    #[test]
    fn any_mixture_of_tokens_is_read_without_a_panic(
        parts in prop::collection::vec(
            prop::sample::select(vec![
                "pub ", "fn ", "f", "(", ")", "{", "}", "[", "]", "<", ">", ";", ",", "struct ", "enum ", "impl ", "for ",
                "mod ", "use ", "::", "*", "'", "\"", "r#", "#", "!", "macro_rules", "/// d\n", "//! d\n", "/*", "*/", "/**",
                "=", "\\", "trait ", "where ", "const ", "as ", "#[doc = \"x\"]", "#[cfg(test)]", "é", "self", "crate", "a",
            ]),
            0..60,
        )
    ) {
        let _ = pages_of(&[("src/lib.rs", &parts.concat())]);
    }

    #[test]
    fn a_source_that_is_cut_off_is_read_without_a_panic(start in 0..SAMPLE.len(), end in 0..SAMPLE.len()) {
        let _ = pages_of(&[("src/lib.rs", SAMPLE.get(start..end).unwrap_or_default())]);
    }
}
