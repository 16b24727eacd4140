//! Manual pages.

use std::io::Write;

use super::{Collection, Machine};
use crate::Package;

const MAN: &str = "system/usr/share/man";

fn page(name: &str) -> String {
    format!(".TH {name} 1\n.SH NAME\n{name} \\- does {name}\n.SH OPTIONS\nNone.\n")
}

fn machine() -> Machine {
    let machine = Machine::new(&[]);
    for path in
        ["man1/git.1", "man1/git-commit.1", "man1/gitk.1", "man3/printf.3", "man3/printf.3p", "man1/printf.1"]
    {
        let name = path.split(['/', '.']).nth(1).unwrap();
        machine.write(&format!("{MAN}/{path}"), page(name).as_bytes());
    }
    machine.write(&format!("{MAN}/de/man1/git.1"), page("deutsch").as_bytes());
    machine
}

fn fetch(machine: &Machine, wanted: &str) -> Collection {
    machine.fetch(Package::Man(wanted.to_owned())).unwrap()
}

fn check(wanted: &str, expected: &[&str]) {
    assert_eq!(fetch(&machine(), wanted).paths(), expected, "man:{wanted}");
}

#[test]
fn a_name_stands_for_its_page_in_all_sections_and_for_those_below_it() {
    check("git", &["man1/git-commit.1.md", "man1/git.1.md"]);
    check("printf", &["man1/printf.1.md", "man3/printf.3.md", "man3/printf.3p.md"]);
}

#[test]
fn a_section_narrows_a_name_or_stands_alone() {
    check("printf.1", &["man1/printf.1.md"]);
    check("printf.3p", &["man3/printf.3p.md"]);
    check("3", &["man3/printf.3.md", "man3/printf.3p.md"]);
    check("3p", &["man3/printf.3p.md"]);
}

#[test]
fn a_star_stands_for_all_pages_in_english() {
    let all = fetch(&machine(), "*");
    assert_eq!(all.pages.len(), 6);
    assert_eq!(all.about.name.as_deref(), Some("man"));
}

#[test]
fn the_description_names_the_page_that_was_asked_for() {
    let description = |wanted: &str| fetch(&machine(), wanted).about.description.unwrap();
    assert_eq!(description("git"), "Manual pages: git(1) and 1 more");
    assert_eq!(description("gitk"), "Manual page gitk(1): does gitk");
    assert_eq!(description("3"), "Manual pages of section 3 (2 pages)");
    assert_eq!(description("3p"), "Manual pages of section 3p (1 page)");
    assert_eq!(description("*"), "Manual pages (6 pages)");
}

#[test]
fn packed_and_older_encodings_are_read() {
    let machine = machine();
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    packed.write_all(b".TH x 7\n.SH NAME\nx \\- caf\xe9\n").unwrap();
    machine.write(&format!("{MAN}/man7/x.7.gz"), &packed.finish().unwrap());
    assert_eq!(fetch(&machine, "x").pages["man7/x.7.md"], "# x(7)\n\nx - café\n");
}

#[test]
fn pages_that_are_packed_otherwise_are_noted() {
    let machine = machine();
    machine.write(&format!("{MAN}/man7/y.7.xz"), b"");
    let note = "1 pages are packed with xz, bzip2 or zstd and were passed over; only gzip is read";
    assert_eq!(fetch(&machine, "git").about.notes, [note]);
}

#[test]
fn a_page_that_stands_for_another_is_that_page() {
    let machine = machine();
    machine.write(&format!("{MAN}/man3/vprintf.3"), b".so man3/printf.3\n");
    let alone = fetch(&machine, "vprintf");
    assert!(alone.pages["man3/vprintf.3.md"].starts_with("# vprintf(3)\n\nprintf - does printf\n"));
    assert_eq!(fetch(&machine, "3").paths(), ["man3/printf.3.md", "man3/printf.3p.md"]);
}

#[test]
fn pages_that_stand_for_each_other_are_passed_over() {
    let machine = machine();
    machine.write(&format!("{MAN}/man3/self.3"), b".so man3/self.3\n");
    machine.write(&format!("{MAN}/man3/ping.3"), b".so man3/pong.3\n");
    machine.write(&format!("{MAN}/man3/pong.3"), b".so man3/ping.3\n");
    for wanted in ["self", "ping"] {
        let error = machine.fetch(Package::Man(wanted.to_owned())).unwrap_err();
        assert!(
            error.message.contains(&format!("{wanted}.3 stands for pages that stand for others")),
            "{error}"
        );
    }
    let section = fetch(&machine, "3");
    assert_eq!(section.paths(), ["man3/printf.3.md", "man3/printf.3p.md"]);
    assert_eq!(section.about.notes.len(), 3, "{:?}", section.about.notes);
}

#[test]
fn links_do_not_lead_out_of_the_folders_of_manual_pages() {
    let machine = machine();
    machine.write("secret", page("secret").as_bytes());
    machine.write(&format!("{MAN}/man1/evil.1"), b".so ../../../../secret\n");
    assert!(machine.fetch(Package::Man("evil".to_owned())).is_err());
}

#[cfg(unix)]
#[test]
fn a_linked_file_is_shown_once_and_only_from_inside() {
    let machine = machine();
    machine.write("secret", page("secret").as_bytes());
    let link = |from: &str, to: &str| {
        std::os::unix::fs::symlink(from, machine.path(&format!("{MAN}/man1/{to}"))).unwrap()
    };
    link("git.1", "git-alias.1");
    link(machine.path("secret").to_str().unwrap(), "git-secret.1");
    assert_eq!(fetch(&machine, "git").paths(), ["man1/git-commit.1.md", "man1/git.1.md"]);
    assert_eq!(fetch(&machine, "git-alias").paths(), ["man1/git-alias.1.md"]);
}

#[test]
fn what_is_unchanged_is_not_fetched_again() {
    let machine = machine();
    let git = || Package::Man("git".to_owned());
    let revision = machine.fetch(git()).unwrap().about.revision;
    assert!(machine.fetch_known(git(), revision.as_deref()).unwrap().is_none());
    machine.write(&format!("{MAN}/man1/git.1"), b".TH git 1\n.SH NAME\ngit \\- another\n");
    assert!(machine.fetch_known(git(), revision.as_deref()).unwrap().is_some());
}

#[test]
fn a_page_that_is_not_there_says_where_was_looked() {
    let error = machine().fetch(Package::Man("nope".to_owned())).unwrap_err();
    assert!(error.message.starts_with("no manual page for nope: looked in "), "{error}");
    for wanted in ["", "..", "git.", "../git"] {
        assert!(machine().fetch(Package::Man(wanted.to_owned())).is_err(), "{wanted}");
    }
}
