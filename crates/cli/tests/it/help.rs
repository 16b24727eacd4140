//! Help texts are read more often than documentation.

use insta::assert_snapshot;

use crate::support::{COMMANDS, Project};

#[test]
fn every_command_has_help() {
    let project = Project::empty();
    assert_snapshot!("help", project.ok(&["--help"]));
    for command in COMMANDS {
        let args: Vec<&str> = command.split(' ').chain(["--help"]).collect();
        assert_snapshot!(format!("help_{}", command.replace(' ', "_")), project.ok(&args));
    }
}

#[test]
fn no_command_shows_help() {
    let ran = Project::empty().run(&[]);
    assert_eq!(ran.code, Some(2));
    assert!(ran.err.contains("Usage: docent"), "{ran:?}");
}
