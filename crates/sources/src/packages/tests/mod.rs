//! Packages in folders that the tests build, fetched as a user would.

mod man;
mod npm;
mod pypi;
mod rust_crate;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::places::Places;
use crate::{Context, Fetched, Outcome, Package, SourceError};

/// A machine of our own: a home, a project, a system.
struct Machine {
    folder: tempfile::TempDir,
}

impl Machine {
    /// Files by their paths, such as `home/.cargo/registry/…` or `project/Cargo.lock`.
    fn new(files: &[(&str, &str)]) -> Machine {
        let machine = Machine { folder: tempfile::tempdir().unwrap() };
        for folder in ["home", "project", "system"] {
            std::fs::create_dir_all(machine.path(folder)).unwrap();
        }
        for (path, text) in files {
            machine.write(path, text.as_bytes());
        }
        machine
    }

    fn path(&self, path: &str) -> PathBuf {
        self.folder.path().join(path)
    }

    fn write(&self, path: &str, bytes: &[u8]) {
        let path = self.path(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, bytes).unwrap();
    }

    fn fetch(&self, package: Package) -> Result<Collection, SourceError> {
        self.fetch_known(package, None).map(|outcome| outcome.expect("fetched"))
    }

    /// Nothing when the known revision is still the one.
    fn fetch_known(&self, package: Package, known: Option<&str>) -> Result<Option<Collection>, SourceError> {
        let home = self.path("home");
        let variable = |name: &str| (name == "HOME").then(|| home.clone().into_os_string());
        let places = Places::new(self.path("project"), &self.path("system"), &variable);
        let into = tempfile::tempdir().unwrap();
        let context = Context {
            cache: into.path(),
            project: None,
            known_revision: known,
            expected_hash: None,
            is_cancelled: &|| false,
        };
        Ok(match super::fetch_from(&places, &package, &context, into.path())? {
            Outcome::Unchanged => None,
            Outcome::Fetched(about) => Some(Collection { about: *about, pages: read_pages(into.path()) }),
        })
    }
}

/// What was fetched.
#[derive(Debug)]
struct Collection {
    about: Fetched,
    pages: BTreeMap<String, String>,
}

impl Collection {
    fn paths(&self) -> Vec<&str> {
        self.pages.keys().map(String::as_str).collect()
    }
}

fn read_pages(root: &Path) -> BTreeMap<String, String> {
    let paths = super::files::walk(root, &|_| true).into_iter();
    paths.map(|path| (path.clone(), std::fs::read_to_string(root.join(&path)).unwrap())).collect()
}

#[test]
fn paths_of_pages_stay_inside_and_are_plain() {
    let check = |path: &str, expected: &str| assert_eq!(super::pages::safe_path(path), expected);
    check("docs/a.md", "docs/a.md");
    check("docs/A.Markdown", "docs/A.md");
    check("README", "README.md");
    check("../../etc/passwd", "etc/passwd.md");
    check("/a//b/./c.md", "a/b/c.md");
    check("a:b\\c?.md", "a_b_c_.md");
    check(".hidden/.md", "_hidden/_md.md");
    check("", "page.md");
    check("[.1.md", "_.1.md");
}
