//! Where output goes and what it looks like there.

use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};

use crate::support::{Project, ran};

#[test]
fn colour_is_off_when_nobody_can_see_it() {
    let project = Project::new();
    assert!(!project.ok(&["search", "backoff"]).contains('\u{1b}'));
    assert!(project.ok(&["search", "backoff", "--color", "always"]).contains('\u{1b}'));
    let forced = ran(project.command(&["search", "backoff"]).env("CLICOLOR_FORCE", "1").output().unwrap());
    assert!(forced.out.contains('\u{1b}'));
    let never =
        project.command(&["search", "backoff", "--color", "never"]).env("CLICOLOR_FORCE", "1").output();
    assert!(!ran(never.unwrap()).out.contains('\u{1b}'));
}

#[test]
fn a_reader_that_goes_away_is_no_error() {
    let project = Project::large(3000);
    project.ok(&["index", "--no-embed"]);
    let mut child = project.command(&["list"]).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut first = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut first).unwrap();
    let ran = ran(child.wait_with_output().unwrap());
    assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""), "after {first}");
}

#[test]
fn quiet_says_nothing_but_results_and_errors() {
    let project = Project::new();
    let index = project.run(&["index", "--quiet"]);
    assert_eq!((index.code, index.out.as_str(), index.err.as_str()), (Some(0), "", ""));
    project.write("docs/more.md", "# More\n");
    let search = project.run(&["search", "-q", "backoff", "--wait", "0"]);
    assert!(search.err.is_empty() && !search.out.is_empty(), "{search:?}");
    project.run(&["get", "nothing.md", "--quiet"]).check_error(1, "No page", "");
}

#[test]
fn verbose_tells_what_is_done() {
    let project = Project::new();
    assert!(project.run(&["list", "--verbose"]).err.contains("looked at 3 files"));
}

#[test]
fn nothing_of_an_unwritable_stdout_is_lost_silently() {
    let project = Project::new();
    project.ok(&["index"]);
    let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let ran = ran(project.command(&["list"]).stdout(full).output().unwrap());
    ran.check_error(3, "cannot write the output", "stdout");
}

#[test]
fn a_terminal_gets_colour_and_a_header() {
    let project = Project::new();
    let docent = env!("CARGO_BIN_EXE_docent");
    let mut command = Command::new("script");
    project.surround(&mut command);
    let line = format!("{docent} get services.md#ports; {docent} search backoff");
    let Ok(output) = command.args(["-qec", &line, "/dev/null"]).env("TERM", "xterm").output() else {
        // No `script` on this machine: nothing to look at a terminal with.
        return;
    };
    let seen = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(seen.contains("services.md:5-7 · Services > Ports"), "{seen}");
    assert!(seen.contains("\u{1b}[1m") && seen.contains("\u{1b}[31m"), "{seen}");
}
