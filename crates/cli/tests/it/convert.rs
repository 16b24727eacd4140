//! `docent convert`: what it prints, what it writes, and what it leaves alone.

use std::fs;
use std::os::unix::fs::symlink;

use crate::ingest::fixture;
use crate::support::Project;

#[test]
fn markdown_is_printed_or_written() {
    let project = Project::empty();
    let (csv, docx) = (fixture("convert/table.csv"), fixture("convert/handbook.docx"));
    let expected = fs::read_to_string(fixture("convert/table.expected.md")).unwrap();
    assert_eq!(project.ok(&["convert", &csv]), expected);
    project.write("other/table.csv", "a,b\n1,2\n");
    project.ok(&["convert", &csv, &docx, "other/table.csv", "--out", "out"]);
    let written = |name: &str| fs::read_to_string(project.root().join("out").join(name)).unwrap();
    assert_eq!(written("table.md"), expected);
    assert!(written("table.csv.md").contains("| a | b |"));
    assert!(written("handbook.md").starts_with("# The pump"));
    let failed = project.run(&["convert", &csv, &fixture("convert-pdf/scanned.pdf")]);
    assert_eq!((failed.code, failed.out), (Some(1), format!("<!-- {csv} -->\n\n{expected}\n")));
    assert!(failed.err.contains("scanned.pdf: no text"), "{}", failed.err);
    let rows = project.json(&["convert", &docx, "--json"]);
    assert_eq!(rows["files"][0]["format"], "docx");
}

#[test]
fn a_file_that_is_converted_is_never_written_over() {
    let project = Project::empty();
    let source = "# A  \n\n\n\ntext\n";
    project.write("x.md", source);
    project.write("y.csv", "a,b\n1,2\n");
    project.write("y.md", source);
    fs::hard_link(project.root().join("x.md"), project.root().join("z.md")).unwrap();
    project.write("z.csv", "a,b\n1,2\n");
    for args in [&["x.md"][..], &["y.csv", "y.md"], &["x.md", "z.csv"]] {
        for force in [&[][..], &["--force"]] {
            let ran = project.run(&[&["convert", "--out", "."], args, force].concat());
            assert_eq!(ran.code, Some(1), "{ran:?}");
            assert!(ran.err.contains("is one of the files to convert"), "{ran:?}");
            for name in ["x.md", "y.md", "z.md"] {
                assert_eq!(fs::read_to_string(project.root().join(name)).unwrap(), source, "{args:?}");
            }
        }
    }
}

#[test]
fn what_is_there_already_is_replaced_only_when_asked_for() {
    let project = Project::empty();
    project.write("a.csv", "a,b\n1,2\n");
    project.write("out/a.md", "mine");
    let read = || fs::read_to_string(project.root().join("out/a.md")).unwrap();
    let ran = project.run(&["convert", "a.csv", "--out", "out"]);
    ran.check_error(1, "out/a.md exists already and was left as it is", "add --force");
    assert_eq!(read(), "mine");
    project.ok(&["convert", "a.csv", "--out", "out", "--force"]);
    assert!(read().contains("| a | b |"));
    // The same again is no loss.
    project.ok(&["convert", "a.csv", "--out", "out"]);
    let rows =
        project.run(&["convert", "a.csv", fixture("convert/notes.md").as_str(), "--out", "out", "--json"]);
    assert_eq!(rows.code, Some(0), "{rows:?}");
}

#[test]
fn nothing_is_written_through_a_link() {
    let project = Project::empty();
    project.write("a.csv", "a,b\n1,2\n");
    project.write("elsewhere.md", "mine");
    let link = project.root().join("out/a.md");
    fs::create_dir_all(link.parent().unwrap()).unwrap();
    for target in ["../elsewhere.md", "../nowhere.md"] {
        symlink(target, &link).unwrap();
        let ran = project.run(&["convert", "a.csv", "--out", "out"]);
        ran.check_error(1, "exists already", "--force");
        project.ok(&["convert", "a.csv", "--out", "out", "--force"]);
        assert!(link.symlink_metadata().unwrap().is_file());
        assert_eq!(fs::read_to_string(project.root().join("elsewhere.md")).unwrap(), "mine");
        assert!(!project.root().join("nowhere.md").exists());
        fs::remove_file(&link).unwrap();
    }
}
