//! Libraries for command lines, by the words that stand where they are used.

use crate::checks::known::is_aside;
use crate::facts::code::Code;
use crate::{Facts, World};

/// Whether the repository defines command lines in a way that we see.
pub(super) fn uses_library(world: &World) -> bool {
    struct Uses(bool);
    let uses = world.once(|world| {
        look(world);
        let is_used = |word: &&str| world.mentioning(word).iter().any(|path| Code::applies(path));
        Uses(LIBRARIES.iter().any(is_used))
    });
    uses.0
}

/// Whether any file of code defines subcommands by a library: then others are not told from their texts.
pub(super) fn defines_commands(world: &World) -> bool {
    struct Defines(bool);
    let defines = world.once(|world| {
        look(world);
        let has_commands = |path: &String| {
            !is_aside(path)
                && world.facts::<Code>(path).is_some_and(|code| code.is_cli && code.commands.len() > 1)
        };
        Defines(LIBRARIES.iter().any(|word| world.mentioning(word).iter().any(has_commands)))
    });
    defines.0
}

fn look(world: &World) {
    let words: Vec<String> = LIBRARIES.iter().map(|&word| word.to_owned()).collect();
    world.look_for(&words);
}

/// Words that stand where a library for command lines is used.
pub(super) const LIBRARIES: &[&str] = &[
    "ArgumentParser",
    "FlagSet",
    "NewFlagSet",
    "add_argument",
    "cac",
    "clap",
    "click.command",
    "click.group",
    "click.option",
    "cobra",
    "commander",
    "cyclopts",
    "flag.Parse",
    "kingpin",
    "minimist",
    "oclif",
    "optionator",
    "parseArgs",
    "pflag",
    "picocli",
    "structopt",
    "typer",
    "urfave",
    "yargs",
];
