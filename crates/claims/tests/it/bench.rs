//! The benchmark: which commits are cases, and what counts as found, named and false.

use std::sync::Arc;

use docent_claims::{BenchReport, BenchRow, ClaimType, NoStore, Watch, bench};

use crate::support::Desk;

fn run(desk: &Desk) -> BenchReport {
    bench(&desk.open(), 10, Arc::new(NoStore), Watch::SILENT).unwrap()
}

fn paths(report: &BenchReport) -> BenchRow {
    report.rows.get(&ClaimType::PathReference).copied().unwrap_or_default()
}

/// A page that names three files.
fn desk() -> Desk {
    let mut desk = Desk::new();
    for name in ["a", "b", "c"] {
        desk.write(&format!("src/{name}.rs"), &format!("fn {name}() {{ let unique_{name} = 1; }}\n"));
    }
    desk.write("README.md", "[a](src/a.rs) and [b](src/b.rs)\n\nSee [c](src/c.rs).\n");
    desk.commit("first");
    desk
}

#[test]
fn what_an_author_deleted_and_mended_must_be_found_with_that_commit() {
    let mut desk = desk();
    desk.delete("src/c.rs");
    desk.write("README.md", "[a](src/a.rs) and [b](src/b.rs)\n\nSee [a](src/a.rs).\n");
    let commit = desk.commit("remove c");
    desk.commit_file("src/d.rs", "fn d() {}\n");
    let report = run(&desk);
    let row = paths(&report);
    assert_eq!((report.commits, row.cases, row.found, row.naive_found), (1, 1, 1, 1));
    assert_eq!((row.named, row.right, row.false_alarms, row.written), (1, 1, 0, 1));
    let case = &report.cases[0].spot;
    assert_eq!((case.named.as_str(), case.line, case.commit == commit), ("src/c.rs", 3, true));
    assert!(report.table().contains("| path_reference | 1 | 1.00 | 1.00 |"), "{}", report.table());
}

#[test]
fn a_commit_that_mends_only_the_document_is_no_case() {
    let mut desk = desk();
    desk.delete("src/c.rs");
    desk.commit("remove c");
    desk.write("README.md", "[a](src/a.rs) and [b](src/b.rs)\n");
    desk.commit("mend");
    assert_eq!(run(&desk).commits, 0);
}

#[test]
fn a_name_that_the_author_wrote_again_is_no_case() {
    let mut desk = desk();
    desk.delete("src/c.rs");
    desk.write("README.md", "[a](src/a.rs) and [b](src/b.rs)\n\nSee [c](src/c.rs) again.\n");
    desk.commit("remove c and rephrase");
    assert_eq!(run(&desk).commits, 0);
}

#[test]
fn alarms_are_confirmed_by_the_next_edit_of_their_section() {
    let mut desk = desk();
    desk.delete("src/c.rs");
    desk.commit("remove c");
    desk.delete("src/b.rs");
    desk.write("README.md", "[a](src/a.rs)\n\nSee nothing.\n");
    desk.commit("remove b and mend both");
    let report = run(&desk);
    let row = paths(&report);
    assert_eq!((row.cases, row.found), (1, 1));
    assert_eq!((row.confirmed, row.unconfirmed, row.open), (1, 0, 0));
}

#[test]
fn a_repository_without_commits_has_nothing_to_measure() {
    assert_eq!(run(&Desk::new()).commits, 0);
}

#[test]
fn a_commit_after_which_nearly_all_files_are_gone_is_no_case() {
    for kept in [0, 10] {
        let mut desk = desk();
        (0..30).for_each(|number| {
            desk.write(&format!("old/{number}.rs"), &format!("const A: u8 = {number};\n"))
        });
        (0..kept).for_each(|number| {
            desk.write(&format!("new/{number}.rs"), &format!("const B: u8 = {number};\n"))
        });
        desk.commit("much");
        desk.delete("src/c.rs");
        (0..30).for_each(|number| desk.delete(&format!("old/{number}.rs")));
        desk.write("README.md", "[a](src/a.rs) and [b](src/b.rs)\n");
        desk.commit("another tree");
        assert_eq!(run(&desk).commits, usize::from(kept == 10), "{kept}");
    }
}
