//! Versions, editions and licences: which ones are requirements of this repository.

use super::*;

#[test]
fn a_minimum_may_be_told_from_afar() {
    let page = "The minimum supported version of Rust for this tool is **1.85.0**, although older versions may work.";
    check_subjects(page, "runtime", &[value("runtime", "rust", "1.85.0")]);
    let claims = extract("a.md", page);
    assert!(claims.iter().all(|claim| !claim.cues.is_past));
    check("Rust for this is 1.85.0", "runtime", &[]);
}

#[test]
fn what_stands_below_requirements_is_required() {
    check("## Requirements\n\n* [Go 1.17](https://golang.org/dl/)\n", "runtime", &["Go 1.17"]);
    check("## Stories\n\n* [Go 1.17](https://golang.org/dl/)\n", "runtime", &[]);
}

#[test]
fn runtimes() {
    check_subjects(
        "Needs Node 18+ and **Python >= 3.9**.",
        "runtime",
        &[value("minimum", "node", "18"), value("minimum", "python", "3.9")],
    );
    check("requires Go 1.22", "runtime", &["Go 1.22"]);
    check("The MSRV is 1.70.", "runtime", &["MSRV is 1.70"]);
    check("Node.js version 20 or later, Java 17 is nice", "runtime", &["Node.js version 20"]);
    check(
        "![n](https://img.shields.io/badge/node-%3E%3D18-green)",
        "runtime",
        &["https://img.shields.io/badge/node-%3E%3D18-green"],
    );
}

#[test]
fn dependencies() {
    check_subjects("`npm i @a/b@1.2.3 c`", "install", &[value("dependency", "npm:@a/b", "1.2.3")]);
    check("`npm i @a/b@1.2.3 -D c`", "package_name", &["@a/b", "c"]);
    check_subjects("`pip install x==1.0`", "install", &[value("dependency", "pypi:x", "1.0")]);
    check_subjects(
        "```toml\n[dependencies]\nserde = \"1.0\"\nx = { version = \"0.3\" }\n```",
        "manifest",
        &[value("dependency", "cargo:serde", "1.0"), value("dependency", "cargo:x", "0.3")],
    );
    check_subjects(
        "```json\n{\"dependencies\": {\n \"a\": \"^1.2\"\n}}\n```",
        "manifest",
        &[value("dependency", "npm:a", "1.2")],
    );
    check_subjects(
        "```xml\n<groupId>g</groupId>\n<artifactId>a</artifactId>\n<version>1.2</version>\n```",
        "manifest",
        &[value("dependency", "maven:g:a", "1.2")],
    );
    // With which plugin readers build is theirs.
    check(
        "```xml\n<plugin>\n<artifactId>a</artifactId>\n<version>1.2</version>\n</plugin>\n```",
        "manifest",
        &[],
    );
}

#[test]
fn conventions() {
    check("Licensed under the MIT license or Apache-2.0.", "licence", &["MIT", "Apache-2.0"]);
    check("MIT is a university.", "licence", &[]);
    check("It uses edition 2021.", "edition", &["2021"]);
    check("```toml\nedition = \"2024\"\n```", "edition", &["2024"]);
}

#[test]
fn a_version_in_a_case_or_a_table_of_others_is_no_requirement() {
    check("If you are using Node 22+ it is faster.", "runtime", &[]);
    check("If you want to build it, you need Rust 1.85.", "runtime", &["Rust 1.85"]);
    check("- `1.47.x` - until September. (MSRV 1.70)\n", "runtime", &[]);
    check("| Range | Meaning |\n|---|---|\n| `>=3.7` | Python 3.7 and above |\n", "runtime", &[]);
    check("| Tool | Version |\n|---|---|\n| Python | Python 3.7+ |\n", "runtime", &["Python 3.7+"]);
}

#[test]
fn an_edition_of_another_manifest_is_not_ours() {
    check("```toml\n[package]\nname = \"my-tool\"\nedition = \"2021\"\n```", "edition", &[]);
    check("```toml\n[rust]\nedition = \"2021\"\n```", "edition", &[]);
    check("```toml\n[package]\nedition = \"2021\"\n```", "edition", &["2021"]);
}

#[test]
fn what_a_version_does_is_no_requirement() {
    check("Go 1.25 and later respects the limit.", "runtime", &[]);
    check("This needs Go 1.25 and later.", "runtime", &["Go 1.25"]);
    check("Go 1.25 or later is needed.", "runtime", &["Go 1.25"]);
    check("- Go 1.25 or later\n", "runtime", &["Go 1.25"]);
}

#[test]
fn a_fact_about_a_runtime_and_a_version_beside_any_are_no_requirements() {
    check("It uses `fetch`, which is available in browsers or in Node 18+.", "runtime", &[]);
    check("- Chrome 110+\n- Safari 16+\n- Node.js 20+\n", "runtime", &[]);
    check("It is available, and needs Node 18+.", "runtime", &["Node 18+"]);
    check("It uses the embed package from Go >1.20.", "runtime", &[]);
    let page = "```sh\n# Always use a specific version.\nnpx @acme/tool@2.4.1 get\n```\n";
    check(page, "install", &[]);
    check("```sh\nnpx @acme/tool@2.4.1 get\n```\n", "install", &["@acme/tool@2.4.1"]);
}
