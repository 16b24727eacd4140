//! Files that can define a subcommand or a flag.
//!
//! The words of a command line (`run`, `name`, `user`) stand in half of a repository, and to parse all of that in every past
//! state costs more than everything else. Where a word stands behind a quote or dashes is known from the search.

use std::collections::HashSet;
use std::sync::Arc;

use super::flags::spellings;
use crate::World;
use crate::checks::marked;
use crate::facts::code::{COMMAND_DERIVES, COMMAND_LINE_LIBRARIES, variants};

/// Where a subcommand can be defined.
pub(super) struct CommandSites {
    quoted: Vec<Arc<[String]>>,
    decorated: Vec<Arc<[String]>>,
    derived: Vec<Arc<[String]>>,
}

impl CommandSites {
    pub(super) fn of(spelling: &str, world: &World) -> Self {
        Self {
            quoted: quoted(spelling).iter().map(|word| world.mentioning(word)).collect(),
            decorated: DECORATORS.iter().map(|word| world.mentioning(word)).collect(),
            derived: COMMAND_DERIVES.iter().map(|word| world.mentioning(word)).collect(),
        }
    }

    /// Whether a file has it as a text, or perhaps as a function of Python that a decorator makes a command, or as a variant
    /// of Rust that a derived trait makes one.
    pub(super) fn may_hold(&self, path: &String) -> bool {
        self.quoted.iter().any(|files| is_in(files, path))
            || is_rust(path) && self.derived.iter().any(|files| is_in(files, path))
            || is_python(path) && self.decorated.iter().any(|files| is_in(files, path))
    }
}

/// Where a flag can be defined.
pub(super) struct FlagSites {
    written: Vec<Arc<[String]>>,
    command_lines: Arc<CommandLines>,
}

/// Files that use a library for command lines: there keys and parameters are flags as well.
struct CommandLines(HashSet<String>);

impl FlagSites {
    pub(super) fn of(flag: &str, world: &World) -> Self {
        let command_lines = world.once(|world| {
            let words: Vec<String> = libraries().collect();
            world.look_for(&words);
            let files = |word: &String| {
                let is_text = !PYTHON_LIBRARIES.contains(&word.as_str());
                let files = world.mentioning(word);
                files.iter().filter(|path| is_text || is_python(path)).cloned().collect::<Vec<_>>()
            };
            CommandLines(words.iter().flat_map(files).collect())
        });
        let words = spellings(flag).into_iter().flat_map(|spelling| written(&spelling));
        Self { written: words.map(|word| world.mentioning(&word)).collect(), command_lines }
    }

    /// Whether a file has it as a text, with or without dashes; of Rust a field is enough.
    pub(super) fn may_hold(&self, path: &String) -> bool {
        is_rust(path)
            || self.command_lines.0.contains(path)
            || self.written.iter().any(|files| is_in(files, path))
    }
}

/// All that is looked for to know where a subcommand can be defined.
pub(super) fn words_of_command(name: &str) -> Vec<String> {
    let mut words: Vec<String> =
        DECORATORS.iter().chain(COMMAND_DERIVES).map(|&word| word.to_owned()).collect();
    for spelling in variants(name) {
        words.extend(quoted(&spelling));
    }
    words
}

/// All that is looked for to know where a flag can be defined.
pub(super) fn words_of_flag(flag: &str) -> Vec<String> {
    let written = spellings(flag).into_iter().flat_map(|spelling| written(&spelling));
    written.chain(libraries()).collect()
}

/// Decorators of Python that make a command.
const DECORATORS: &[&str] = &["callback", "command", "group"];

/// A name as the start of a text, or of one of the names in `'install|i'`.
fn quoted(name: &str) -> [String; 4] {
    ['"', '\'', '`', '|'].map(|mark| marked(mark, name))
}

/// A flag as the start of a text, or with its dashes in one.
fn written(name: &str) -> [String; 5] {
    ['"', '\'', '`', '|', '-'].map(|mark| marked(mark, name))
}

/// Words of files that use a library for command lines: in Python its name, elsewhere a text.
fn libraries() -> impl Iterator<Item = String> {
    let texts = COMMAND_LINE_LIBRARIES.iter().flat_map(|library| quoted(library));
    texts.chain(PYTHON_LIBRARIES.iter().chain(&["parseArgs"]).map(|&word| word.to_owned()))
}

/// Those of them that are modules of Python.
const PYTHON_LIBRARIES: &[&str] = &["argparse", "click", "cyclopts", "docopt", "fire", "tap", "typer"];

fn is_python(path: &str) -> bool {
    path.ends_with(".py") || path.ends_with(".pyi")
}

fn is_rust(path: &str) -> bool {
    path.ends_with(".rs")
}

/// Whether a path is one of the files that hold a word, which are sorted.
fn is_in(files: &[String], path: &String) -> bool {
    files.binary_search(path).is_ok()
}
