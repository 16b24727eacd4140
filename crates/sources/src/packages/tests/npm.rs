//! Packages of npm.

use super::Machine;
use crate::Package;

fn express() -> Machine {
    Machine::new(&[
        ("node_modules/express/package.json", r#"{"version": "5.1.0", "description": "Web framework"}"#),
        ("node_modules/express/Readme.md", "# Express\n"),
        ("node_modules/express/History.md", "# History\n"),
        ("node_modules/express/LICENSE.md", "# License\n"),
        ("node_modules/express/docs/a/b.md", "# B\n"),
        ("node_modules/express/docs/node_modules/x/README.md", "# X\n"),
        ("node_modules/express/lib/internals.md", "# Internals\n"),
        ("node_modules/express/node_modules/qs/README.md", "# Nested\n"),
        ("project/node_modules/@scope/tool/README", "Plain words.\n"),
    ])
}

#[test]
fn the_nearest_node_modules_upward_has_the_package() {
    let fetched = express().fetch(Package::Npm("express".to_owned())).unwrap();
    assert_eq!(fetched.paths(), ["History.md", "Readme.md", "docs/a/b.md"]);
    assert_eq!(fetched.about.version.as_deref(), Some("5.1.0"));
    assert_eq!(fetched.about.description.as_deref(), Some("Web framework"));
}

#[test]
fn a_scoped_package_with_a_plain_readme_and_no_manifest_is_read() {
    let fetched = express().fetch(Package::Npm("@scope/tool".to_owned())).unwrap();
    assert_eq!(fetched.pages["README.md"], "Plain words.\n");
    assert_eq!(fetched.about.version, None);
}

#[test]
fn what_is_unchanged_is_not_fetched_again() {
    let machine = express();
    let package = || Package::Npm("express".to_owned());
    let revision = machine.fetch(package()).unwrap().about.revision;
    assert!(machine.fetch_known(package(), revision.as_deref()).unwrap().is_none());
    machine.write("node_modules/express/Readme.md", b"# Express, again\n");
    assert!(machine.fetch_known(package(), revision.as_deref()).unwrap().is_some());
}

#[cfg(unix)]
#[test]
fn a_linked_package_is_followed_and_links_inside_are_not() {
    let machine = Machine::new(&[("store/tool/README.md", "# Tool\n"), ("secret.md", "# Secret\n")]);
    std::fs::create_dir_all(machine.path("project/node_modules")).unwrap();
    std::os::unix::fs::symlink(machine.path("store/tool"), machine.path("project/node_modules/tool"))
        .unwrap();
    std::os::unix::fs::symlink(machine.path("secret.md"), machine.path("store/tool/secret.md")).unwrap();
    let fetched = machine.fetch(Package::Npm("tool".to_owned())).unwrap();
    assert_eq!(fetched.paths(), ["README.md"]);
}

#[test]
fn files_that_are_too_large_or_not_text_are_noted() {
    let machine = express();
    machine.write("node_modules/express/big.md", &vec![b'a'; (16 << 20) + 1]);
    machine.write("node_modules/express/odd.md", b"\xff\xfe");
    let fetched = machine.fetch(Package::Npm("express".to_owned())).unwrap();
    let expected =
        ["big.md is over 16 MiB and was passed over", "odd.md is not UTF-8 text and was passed over"];
    assert_eq!(fetched.about.notes, expected);
}

#[test]
fn a_package_that_is_not_installed_says_where_was_looked() {
    let error = express().fetch(Package::Npm("koa".to_owned())).unwrap_err();
    let start = "the package koa is not installed: looked for node_modules/koa in ";
    assert!(error.message.starts_with(start), "{error}");
    assert_eq!(error.hint, "run `npm install koa` in the project");
}

#[test]
fn names_that_are_paths_are_refused() {
    for name in ["..", "a/b", "@a", "@/a", "@a/..", ""] {
        assert!(express().fetch(Package::Npm(name.to_owned())).unwrap_err().is_usage, "{name}");
    }
}
