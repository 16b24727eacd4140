//! Crates: which version, what is read, what is said when there is none.

use std::io::Write;

use super::{Collection, Machine};
use crate::{Package, SourceError};

const REGISTRY: &str = "home/.cargo/registry/src/index.crates.io-1";

fn package(name: &str, version: Option<&str>) -> Package {
    Package::RustCrate { name: name.to_owned(), version: version.map(str::to_owned) }
}

/// A machine on which these versions of the crate `toy` are unpacked.
fn with_versions(versions: &[&str]) -> Machine {
    let machine = Machine::new(&[]);
    for version in versions {
        let folder = format!("{REGISTRY}/toy-{version}");
        let manifest =
            format!("[package]\nname = \"toy\"\nversion = \"{version}\"\ndescription = \"A\\n  toy.\"\n");
        machine.write(&format!("{folder}/Cargo.toml"), manifest.as_bytes());
        machine.write(&format!("{folder}/README.md"), format!("# Toy {version}\n").as_bytes());
    }
    machine
}

fn check_version(versions: &[&str], asked: Option<&str>, expected: &str) {
    let fetched = with_versions(versions).fetch(package("toy", asked)).unwrap();
    assert_eq!(fetched.about.version.as_deref(), Some(expected));
    assert_eq!(fetched.pages["README.md"], format!("# Toy {expected}\n"));
}

#[test]
fn without_a_version_the_newest_release_is_taken() {
    check_version(&["1.9.0", "1.10.0", "2.0.0-rc.1"], None, "1.10.0");
    check_version(&["0.1.0-alpha.2", "0.1.0-alpha.10"], None, "0.1.0-alpha.10");
}

#[test]
fn a_version_is_given_whole_or_by_its_first_parts() {
    check_version(&["1.9.0", "1.10.0", "2.0.0"], Some("1"), "1.10.0");
    check_version(&["1.1.0", "1.10.0"], Some("1.1"), "1.1.0");
    check_version(&["1.1.0", "1.10.0"], Some("1.10.0"), "1.10.0");
    check_version(&["1.1.0", "2.0.0-rc.1"], Some("2.0.0-rc.1"), "2.0.0-rc.1");
    check_version(&["1.1.0+zlib.3"], Some("1.1.0"), "1.1.0+zlib.3");
}

#[test]
fn the_version_of_the_lock_file_goes_before_a_newer_one() {
    let machine = with_versions(&["1.0.0", "1.5.0"]);
    machine.write("project/Cargo.lock", b"[[package]]\nname = \"toy\"\nversion = \"1.0.0\"\n");
    assert_eq!(machine.fetch(package("toy", None)).unwrap().about.version.as_deref(), Some("1.0.0"));
    assert_eq!(machine.fetch(package("toy", Some("1"))).unwrap().about.version.as_deref(), Some("1.5.0"));
}

#[test]
fn a_lock_file_with_two_versions_says_nothing() {
    let machine = with_versions(&["1.0.0", "2.0.0"]);
    let entry = |version| format!("[[package]]\nname = \"toy\"\nversion = \"{version}\"\n");
    machine.write("project/Cargo.lock", format!("{}{}", entry("1.0.0"), entry("0.9.0")).as_bytes());
    assert_eq!(machine.fetch(package("toy", None)).unwrap().about.version.as_deref(), Some("2.0.0"));
}

#[test]
fn a_locked_version_that_is_not_here_is_noted() {
    let machine = with_versions(&["1.0.0"]);
    machine.write("project/Cargo.lock", b"[[package]]\nname = \"toy\"\nversion = \"1.2.0\"\n");
    let notes = machine.fetch(package("toy", None)).unwrap().about.notes;
    assert_eq!(notes, ["Cargo.lock names toy 1.2.0, which is not on this machine; this is 1.0.0"]);
}

#[test]
fn the_manifest_says_what_the_crate_is_about() {
    let fetched = with_versions(&["1.0.0"]).fetch(package("toy", None)).unwrap();
    assert_eq!(fetched.about.name.as_deref(), Some("toy"));
    assert_eq!(fetched.about.description.as_deref(), Some("A toy."));
    assert_eq!(fetched.about.metadata["language"], "rust");
}

#[test]
fn a_revision_that_is_known_is_not_fetched_again() {
    let machine = with_versions(&["1.0.0"]);
    assert!(machine.fetch_known(package("toy", None), Some("1.0.0")).unwrap().is_none());
    assert!(machine.fetch_known(package("toy", None), Some("0.9.0")).unwrap().is_some());
}

fn full_crate() -> Vec<(&'static str, &'static str)> {
    vec![
        ("Cargo.toml", "[package]\nname = \"my-toy\"\nversion = \"1.0.0\"\nreadme = \"docs/intro.md\"\n"),
        ("docs/intro.md", "# Intro\n"),
        ("docs/more/deep.md", "# Deep\n"),
        ("CHANGELOG.md", "# Changes\n"),
        ("LICENSE.md", "# License\n"),
        ("tests/notes.md", "# Tests\n"),
        ("examples/a/README.md", "# Example\n"),
        ("examples/a/data.md", "# Data\n"),
        ("src/lib.rs", "//! A toy.\npub mod play;\n"),
        ("src/play.rs", "/// Plays.\npub fn play() {}\n"),
    ]
}

fn check_full_crate(fetched: &Collection) {
    let expected = [
        "CHANGELOG.md",
        "README.md",
        "api/my_toy.md",
        "api/my_toy/play.md",
        "docs/more/deep.md",
        "examples/a/README.md",
    ];
    assert_eq!(fetched.paths(), expected);
    assert_eq!(fetched.pages["README.md"], "# Intro\n");
    let page = "# my_toy::play\n\n## fn play\n\n```rust\npub fn play()\n```\n\nPlays.\n";
    assert_eq!(fetched.pages["api/my_toy/play.md"], page);
}

#[test]
fn an_unpacked_crate_gives_its_markdown_and_its_doc_comments() {
    let machine = Machine::new(&[]);
    for (path, text) in full_crate() {
        machine.write(&format!("{REGISTRY}/my-toy-1.0.0/{path}"), text.as_bytes());
    }
    check_full_crate(&machine.fetch(package("my_toy", None)).unwrap());
}

#[test]
fn a_vendored_crate_is_found_in_the_project() {
    let machine = Machine::new(&[]);
    for (path, text) in full_crate() {
        machine.write(&format!("project/vendor/my-toy/{path}"), text.as_bytes());
    }
    check_full_crate(&machine.fetch(package("my-toy", Some("1"))).unwrap());
}

#[test]
fn a_readme_that_is_there_twice_is_one_page() {
    let check = |other: &str, text: &str, expected: &[&str]| {
        let machine = with_versions(&["1.0.0"]);
        machine.write(&format!("{REGISTRY}/toy-1.0.0/{other}"), text.as_bytes());
        let fetched = machine.fetch(package("toy", None)).unwrap();
        assert_eq!(fetched.paths(), expected, "{other}");
    };
    check("README-2.md", "# Toy 1.0.0\n", &["README.md"]);
    check("docs/README.md", "# Toy 1.0.0\n", &["README.md"]);
    check("docs/README.md", "# Another\n", &["README.md", "docs/README.md"]);
    let machine = with_versions(&["1.0.0"]);
    let manifest = b"[package]\nname = \"toy\"\nversion = \"1.0.0\"\nreadme = \"docs/README.md\"\n";
    machine.write(&format!("{REGISTRY}/toy-1.0.0/Cargo.toml"), manifest);
    machine.write(&format!("{REGISTRY}/toy-1.0.0/docs/README.md"), b"# Toy 1.0.0\n");
    assert_eq!(machine.fetch(package("toy", None)).unwrap().paths(), ["README.md"]);
}

/// An archive as cargo downloads it.
fn archive(files: &[(&str, &str)]) -> Vec<u8> {
    let mut builder =
        tar::Builder::new(flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast()));
    for (path, text) in files {
        let mut header = tar::Header::new_gnu();
        header.set_size(text.len() as u64);
        header.set_mode(0o644);
        // Written as bytes, because the library refuses the paths of an attacker.
        header.as_old_mut().name[..path.len()].copy_from_slice(path.as_bytes());
        header.set_cksum();
        builder.append(&header, text.as_bytes()).unwrap();
    }
    builder.into_inner().unwrap().finish().unwrap()
}

#[test]
fn a_crate_that_is_only_downloaded_is_read_from_its_archive() {
    let files: Vec<(String, &str)> =
        full_crate().into_iter().map(|(path, text)| (format!("my-toy-1.0.0/{path}"), text)).collect();
    let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (path.as_str(), *text)).collect();
    let machine = Machine::new(&[]);
    machine.write("home/.cargo/registry/cache/x/my-toy-1.0.0.crate", &archive(&files));
    check_full_crate(&machine.fetch(package("my-toy", None)).unwrap());
}

#[test]
fn paths_that_lead_out_of_an_archive_are_passed_over() {
    let files = [
        ("toy-1.0.0/Cargo.toml", "[package]\nname = \"toy\"\nversion = \"1.0.0\"\n"),
        ("toy-1.0.0/README.md", "# Toy\n"),
        ("toy-1.0.0/../../evil.md", "# Evil\n"),
        ("/toy-1.0.0/evil.md", "# Evil\n"),
        ("other-1/README.md", "# Evil\n"),
        ("other-1/docs/evil.md", "# Evil\n"),
    ];
    let machine = Machine::new(&[]);
    machine.write("home/.cargo/registry/cache/x/toy-1.0.0.crate", &archive(&files));
    assert_eq!(machine.fetch(package("toy", None)).unwrap().paths(), ["README.md"]);
}

#[test]
fn a_broken_archive_is_an_error_with_the_next_step() {
    let machine = Machine::new(&[]);
    let mut file = std::io::Cursor::new(archive(&[("toy-1.0.0/README.md", "# Toy\n")]));
    file.set_position(12);
    file.write_all(&[0xff; 30]).unwrap();
    machine.write("home/.cargo/registry/cache/x/toy-1.0.0.crate", file.get_ref());
    let error = machine.fetch(package("toy", None)).unwrap_err();
    assert!(error.message.starts_with("cannot read "), "{error}");
    assert_eq!(error.hint, "delete the file and run `cargo fetch`");
}

fn error_for(asked: Package) -> SourceError {
    with_versions(&["1.0.0", "2.1.0"]).fetch(asked).unwrap_err()
}

#[test]
fn a_version_that_is_not_here_names_those_that_are() {
    let error = error_for(package("toy", Some("3")));
    assert_eq!(error.message, "toy 3 is not on this machine; there is 2.1.0, 1.0.0");
    assert_eq!(error.hint, "name one of these versions, or run `cargo fetch` in a project that uses it");
}

#[test]
fn a_crate_that_is_not_here_says_where_was_looked_and_what_is_near() {
    let error = error_for(package("toy_box", None));
    assert!(error.message.starts_with("the crate toy_box is not on this machine: looked in "), "{error}");
    assert!(error.message.ends_with("; near it there is toy"), "{error}");
    assert_eq!(error.hint, "run `cargo fetch` in a project that uses it");
}

#[test]
fn a_name_with_a_path_in_it_is_refused() {
    assert!(error_for(package("../toy", None)).is_usage);
    assert!(error_for(package("", None)).is_usage);
}
