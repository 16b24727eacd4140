//! Packages of Python.

use super::{Collection, Machine};
use crate::Package;
use crate::packages::python_metadata::{Description, Metadata};

const SITE: &str = "project/.venv/lib/python3.12/site-packages";

fn machine() -> Machine {
    let files = [
        (
            "My_Tool-1.2.dist-info/METADATA",
            "Name: My.Tool\nVersion: 1.2\nSummary: Tools\nDescription-Content-Type: text/markdown\n\n# My tool\n",
        ),
        (
            "My_Tool-1.2.dist-info/RECORD",
            "my_tool/__init__.py,sha256=x,1\nmy_tool/io.py,,\nmy_tool/_private.py,,\nmy_tool/tests/a.py,,\n\"my_tool/docs/guide.rst\",,\n\
             my_tool/LICENSE.md,,\nmy_tool/data.txt,,\n../../../bin/tool.md,,\n/etc/x.md,,\nmy_tool/gone.py,,\nMy_Tool-1.2.dist-info/METADATA,,\n",
        ),
        ("my_tool/__init__.py", "\"\"\"The tool.\"\"\"\n"),
        ("my_tool/io.py", "def read(path):\n    \"\"\"Reads.\"\"\"\n"),
        ("my_tool/_private.py", "\"\"\"Private.\"\"\"\n"),
        ("my_tool/tests/a.py", "\"\"\"Test.\"\"\"\n"),
        ("my_tool/docs/guide.rst", "Guide\n=====\n\nText.\n"),
        ("my_tool/LICENSE.md", "# License\n"),
        ("my_tool/data.txt", "data\n"),
    ];
    let machine = Machine::new(&[]);
    for (path, text) in files {
        machine.write(&format!("{SITE}/{path}"), text.as_bytes());
    }
    machine.write("project/.venv/bin/tool.md", b"# Outside\n");
    machine
}

fn fetch(machine: &Machine, name: &str) -> Collection {
    machine.fetch(Package::PyPi(name.to_owned())).unwrap()
}

#[test]
fn a_package_gives_its_description_its_documents_and_its_docstrings() {
    let fetched = fetch(&machine(), "my-tool");
    let expected = ["README.md", "api/my_tool.io.md", "api/my_tool.md", "my_tool/docs/guide.md"];
    assert_eq!(fetched.paths(), expected);
    assert_eq!(fetched.pages["README.md"], "# My tool\n");
    assert_eq!(fetched.pages["my_tool/docs/guide.md"], "# Guide\n\nText.\n");
    assert_eq!(fetched.about.name.as_deref(), Some("My.Tool"));
    assert_eq!(fetched.about.version.as_deref(), Some("1.2"));
    assert_eq!(fetched.about.description.as_deref(), Some("Tools"));
}

#[test]
fn names_are_compared_without_case_and_joints() {
    for name in ["MY_TOOL", "my.tool", "My--Tool"] {
        assert_eq!(fetch(&machine(), name).about.version.as_deref(), Some("1.2"), "{name}");
    }
}

#[test]
fn the_environment_of_the_project_goes_before_the_system() {
    let machine = machine();
    let other = "system/usr/lib/python3/dist-packages/my_tool-0.9.egg-info/PKG-INFO";
    machine.write(other, b"Name: my_tool\nVersion: 0.9\n\nOld.\n");
    assert_eq!(fetch(&machine, "my_tool").about.version.as_deref(), Some("1.2"));
}

#[test]
fn a_package_without_a_record_is_read_by_its_top_folders() {
    let machine = Machine::new(&[]);
    let site = "system/usr/lib/python3/dist-packages";
    machine.write(&format!("{site}/old-0.9.egg-info/PKG-INFO"), b"Name: old\nVersion: 0.9\n");
    machine.write(&format!("{site}/old-0.9.egg-info/top_level.txt"), b"old\n../evil\n");
    machine.write(&format!("{site}/old/__init__.py"), b"'''Old.'''\n");
    assert_eq!(fetch(&machine, "old").pages["api/old.md"], "# old\n\nOld.\n");
}

#[test]
fn what_is_unchanged_is_not_fetched_again() {
    let machine = machine();
    let package = || Package::PyPi("my-tool".to_owned());
    let revision = machine.fetch(package()).unwrap().about.revision;
    assert!(machine.fetch_known(package(), revision.as_deref()).unwrap().is_none());
}

#[test]
fn a_package_that_is_not_installed_says_where_was_looked() {
    let error = machine().fetch(Package::PyPi("nope".to_owned())).unwrap_err();
    assert!(error.message.starts_with("the package nope is not installed: looked in "), "{error}");
    assert!(machine().fetch(Package::PyPi("../x".to_owned())).unwrap_err().is_usage);
}

#[test]
fn of_many_places_three_are_named() {
    let machine = machine();
    for version in ["3.8", "3.9", "3.10", "3.11"] {
        std::fs::create_dir_all(machine.path(&format!("system/usr/lib/python{version}/site-packages")))
            .unwrap();
    }
    let error = machine.fetch(Package::PyPi("nope".to_owned())).unwrap_err();
    assert_eq!(error.message.matches("site-packages").count(), 3, "{error}");
    assert!(error.message.ends_with(" and 2 more"), "{error}");
}

#[test]
fn a_stray_byte_in_the_metadata_costs_nothing() {
    let machine = Machine::new(&[]);
    let metadata = b"Name: old\nVersion: 1\nAuthor: Ren\xe9\n\nCaf\xc3\xa9 and caf\xe9.\n";
    machine.write(&format!("{SITE}/old-1.dist-info/METADATA"), metadata);
    let fetched = fetch(&machine, "old");
    assert_eq!(fetched.pages["README.md"].trim_end(), "Café and café.");
    assert_eq!(fetched.about.version.as_deref(), Some("1"));
}

#[test]
fn metadata_knows_three_kinds_of_descriptions() {
    let check = |text: &str, expected: Option<Description>| {
        assert_eq!(Metadata::parse(text).description, expected, "{text}");
    };
    check("Name: a\n\nText\n", Some(Description::Rst("Text\n".to_owned())));
    check("Description-Content-Type: text/plain\n\nText", Some(Description::Plain("Text".to_owned())));
    let folded =
        "Description: First\n        second\nDescription-Content-Type: text/markdown; charset=UTF-8\n";
    check(folded, Some(Description::Markdown("First\nsecond".to_owned())));
    check("Name: a\nDescription: UNKNOWN\n", None);
}
