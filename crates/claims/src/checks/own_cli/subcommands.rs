//! Subcommands, where libraries for command lines define them or code compares its arguments with texts.

use super::libraries::{defines_commands, uses_library};
use super::sites::CommandSites;
use crate::checks::known::{Packages, is_aside};
use crate::facts::code::{Code, Value, variants};
use crate::{Facts, Outcome, Place, World};

/// What libraries and frameworks add to any program.
const OF_LIBRARIES: &[&str] = &["completion", "completions", "help", "version"];

/// A subcommand; below another one only what is defined beside it, or in a file or folder of its name: the word may as well
/// be an argument.
pub(super) fn subcommand(program: &str, name: &str, above: Option<&String>, world: &World) -> Outcome {
    let packages = Packages::of(world);
    let phrase =
        above.map_or_else(|| format!("{program} {name}"), |above| format!("{program} {above} {name}"));
    let above = above.map(|above| variants(above));
    let is_below = |path: &str, code: &Code| {
        above.as_ref().is_none_or(|above| {
            let mut words = path.split(['/', '.', '-', '_']);
            above.iter().any(|above| code.command(above).is_some())
                || words.any(|word| {
                    above.iter().any(|above| above == word.strip_suffix('s').unwrap_or(word) || above == word)
                })
        })
    };
    let mut found = Vec::new();
    let mut is_argument = false;
    let mut is_open = OF_LIBRARIES.contains(&name);
    for spelling in variants(name) {
        let sites = CommandSites::of(&spelling, world);
        let files = world.mentioning(&spelling);
        let is_site = |path: &&String| sites.may_hold(path) || is_file_of(path, &spelling, above.as_deref());
        world.expect::<Code>(files.iter().filter(is_site));
        for path in files.iter().filter(is_site) {
            let Some(code) = world.facts::<Code>(path) else { continue };
            if !is_below(path, &code) {
                continue;
            }
            // Another program of ours has it: what is called so in the page may be that one.
            if packages.is_of_another(path, program) {
                is_open |= above.is_none() && !is_aside(path) && code.command(name).is_some();
                continue;
            }
            // A function or a list of the program's own may make a command of a text; one that is the value of a key is
            // said to be something else.
            is_open |= above.is_none()
                && code.is_cli
                && !is_aside(path)
                && code.string(name).is_some()
                && !code.values.iter().any(|value| value.1 == name);
            let defined = code.command(name).or_else(|| code.command(&spelling));
            // Programs that only use a library for their flags compare the first argument with texts; one that defines
            // its subcommands has other texts for other things.
            let is_compared =
                code.is_cli && code.commands.is_empty() && !is_aside(path) && !defines_commands(world);
            let compared = || code.string(name).filter(|_| is_compared);
            // `command = "pipeline"`, in a class of its own.
            let assigned = || {
                let is_name =
                    |key: &str| matches!(key, "cmd" | "command" | "command_name" | "name" | "subcommand");
                let own = |value: &&Value| value.1 == name && is_name(&value.0);
                code.values.iter().find(own).map(|value| value.2)
            };
            // The file may hold no more than an import of what a dependency defines.
            let own = || is_file_of(path, &spelling, above.as_deref()).then_some(1);
            if above.is_some() && defined.is_none() && own().is_none() {
                // Beside the command above it may be an argument, one of a list of names.
                is_argument |= !is_aside(path) && (code.string(name).is_some() || assigned().is_some());
                continue;
            }
            let defined = defined.or_else(assigned).or_else(compared).or_else(own);
            found.extend(defined.map(|line| Place::at(path.clone(), line)));
        }
    }
    if found.is_empty() {
        return if uses_library(world) && !is_argument && !is_open && !is_said(&phrase, world) {
            Outcome::missing(format!("subcommands with the name `{name}`"))
        } else {
            Outcome::NotOurs
        };
    }
    found.truncate(5);
    Outcome::Valid { found }
}

/// Whether code still speaks of the command, as in a text of help: what it does may have moved into a dependency.
fn is_said(phrase: &str, world: &World) -> bool {
    let is_comment =
        |line: &str| ["//", "#", "*", "--"].iter().any(|mark| line.trim_start().starts_with(mark));
    let is_said = |path: &String| {
        let bytes = world.read(path).unwrap_or_default();
        String::from_utf8_lossy(&bytes).lines().any(|line| line.contains(phrase) && !is_comment(line))
    };
    let code = |path: &&String| Code::applies(path) && !is_aside(path);
    world.mentioning(phrase).iter().filter(code).any(is_said)
}

/// Whether a command has this file to itself: `cli/commands/lock.py`, `src/commands/lock/index.ts`, `cmd/import_cmd.go`; one
/// that is below another in a folder of that name.
fn is_file_of(path: &str, name: &str, above: Option<&[String]>) -> bool {
    const FOLDERS: &[&str] = &["cmd", "cmds", "command", "commands", "subcommands"];
    let mut parts = path.rsplit('/');
    let mut stem = parts.next().and_then(|file| file.split('.').next()).unwrap_or_default();
    if matches!(stem, "__init__" | "index" | "main" | "mod") {
        stem = parts.next().unwrap_or_default();
    }
    let stem = ["_cmd", "_command", "-cmd", "-command"]
        .iter()
        .find_map(|end| stem.strip_suffix(end))
        .unwrap_or(stem);
    let is_folder = |folder: &str| match above {
        Some(above) => above.iter().any(|above| above == folder),
        None => FOLDERS.contains(&folder),
    };
    stem == name && parts.next().is_some_and(is_folder) && !is_aside(path)
}
