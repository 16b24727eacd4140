//! Commands in fences and spans: what a manifest must define for them, the files that they name, and calls of programs.

mod cargo;
mod flags;
mod managers;
mod programs;
mod runners;

use std::ops::Range;

use super::page::{Kind, Piece};
use super::paths::named_path;
use super::placeholders::{has_known_ending, is_placeholder};
use super::shell::{self, Simple, Word};
use super::sink::{Sink, pieces};
use crate::{ClaimType, Link, Subject};

use programs::is_known;

/// Languages of fences that hold commands.
#[rustfmt::skip]
const SHELLS: &[&str] = &[
    "bash", "bat", "batch", "cli", "cmd", "command", "commandline", "console", "csh", "elvish", "fish", "ksh", "nu",
    "nushell", "posh", "powershell", "ps1", "pwsh", "sh", "shell", "shell-session", "shellscript", "shellsession",
    "terminal", "zsh",
];

pub(super) fn find(sink: &mut Sink<'_, '_>) {
    let page = sink.page;
    for piece in pieces(page, |kind| matches!(kind, Kind::Span | Kind::Fence(_))) {
        let source = page.source(&piece.bytes);
        if matches!(piece.kind, Kind::Span) && source.starts_with('-') {
            flags::in_span(sink, piece, source);
            continue;
        }
        for (simple, context) in in_piece(source, piece) {
            Command {
                sink,
                block: piece.block,
                context: &context,
                is_span: matches!(piece.kind, Kind::Span),
            }
            .read(&simple);
        }
        if matches!(&piece.kind, Kind::Fence(language) if is_help(language, source)) {
            let context = Context::default();
            let mut command = Command { sink, block: piece.block, context: &context, is_span: false };
            command.listed_flags(page.source(&piece.bytes), piece.bytes.start);
        }
        if matches!(&piece.kind, Kind::Fence(language) if matches!(language.as_str(), "yaml" | "yml" | "json" | "jsonc" | "toml"))
        {
            let context = Context::default();
            let mut command = Command { sink, block: piece.block, context: &context, is_span: false };
            command.passed_flags(page.source(&piece.bytes), piece.bytes.start);
        }
    }
    flags::in_prose(sink);
    managers::in_headings(sink);
}

/// Whether a fence may hold what a program prints as its help.
fn is_help(language: &str, source: &str) -> bool {
    matches!(language, "" | "console" | "help" | "output" | "plain" | "plaintext" | "text" | "txt")
        || SHELLS.contains(&language) && source.lines().any(|line| line.trim_start().starts_with("Usage:"))
}

/// The commands of a piece, each with where it runs.
pub(super) fn in_piece(source: &str, piece: &Piece) -> Vec<(Simple, Context)> {
    let simples = match &piece.kind {
        Kind::Fence(language) if SHELLS.contains(&language.as_str()) => {
            let is_console =
                matches!(language.as_str(), "console" | "shell-session" | "shellsession" | "terminal");
            shell::commands(source, piece.bytes.start, is_console)
        }
        Kind::Fence(language)
            if matches!(language.as_str(), "" | "text" | "txt") && looks_like_shell(source) =>
        {
            shell::commands(source, piece.bytes.start, false)
        }
        Kind::Span if source.len() < 400 => {
            let mut simples = shell::commands(source, piece.bytes.start, false);
            simples.retain(|simple| {
                simple.words.len() > 1
                    || simple
                        .words
                        .iter()
                        .any(|word| word.text.starts_with('-') || word.text.starts_with("./"))
            });
            simples
        }
        _ => Vec::new(),
    };
    let mut context = Context::default();
    let mut found = Vec::new();
    let mut end = piece.bytes.start;
    for mut simple in simples {
        let (first, last) = (simple.words.first(), simple.words.last());
        if let (Some(first), Some(last)) = (first, last) {
            let start = piece.bytes.start;
            let between = source.get(end.saturating_sub(start)..first.bytes.start.saturating_sub(start));
            if between.is_some_and(starts_anew) {
                context.folder = None;
            }
            end = last.bytes.end;
        }
        unwrap(&mut simple.words);
        context.step(&simple);
        found.push((simple, context.clone()));
    }
    found
}

/// Whether an empty line and a comment stand between two commands: then the second is another recipe, from where the first
/// began.
fn starts_anew(between: &str) -> bool {
    let mut lines = between.lines().skip(1).map(str::trim);
    lines.any(str::is_empty) && lines.any(|line| line.starts_with('#'))
}

/// Whether a fence without a language starts with a command.
fn looks_like_shell(source: &str) -> bool {
    let mut lines = source.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'));
    let first = lines.next();
    // Examples of one program, as it prints them: each line starts with it, or the first one has a flag.
    let is_example = || {
        let (line, head) = (first?, first?.split_whitespace().next()?);
        let is_program = head.starts_with(|c: char| c.is_ascii_lowercase())
            && head.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-');
        let starts = |line: &str| line.split_whitespace().next() == Some(head);
        let is_told =
            source.trim_start().starts_with('#') && (line.contains(" --") || lines.clone().any(starts));
        Some(is_program && is_told)
    };
    is_example() == Some(true)
        || first.is_some_and(|line| {
            let line = line.strip_prefix("$ ").unwrap_or(line);
            // `NAME=value` may stand in front, and take lines of its own.
            let mut words = line.split_whitespace().skip_while(|word| shell::is_assignment(word));
            let is_set = || line.split_whitespace().next().is_some_and(shell::is_assignment);
            words.next().is_some_and(|head| {
                is_known(head)
                    || head.starts_with("./") && (has_known_ending(head) || is_set())
                    || head == "\\" && is_set()
            })
        })
}

/// Takes away what only says how a command is run: `sudo`, `time`, `uv run`.
fn unwrap(words: &mut Vec<Word>) {
    for _ in 0..4 {
        let text = |at: usize| words.get(at).map_or("", |word| word.text.as_str());
        let taken = match (text(0), text(1)) {
            ("sudo" | "time" | "nohup" | "exec" | "command" | "env", next) if !next.starts_with('-') => 1,
            ("uv" | "poetry" | "pdm" | "pipenv" | "hatch" | "rye" | "pixi", "run")
                if !text(2).starts_with('-') =>
            {
                2
            }
            ("bundle" | "mise", "exec") => 2,
            ("xvfb-run" | "dotenvx" | "dotenv" | "winpty", _) => 1,
            _ => 0,
        };
        if taken == 0 || taken >= words.len() {
            break;
        }
        words.drain(..taken);
        while words.first().is_some_and(|word| shell::is_assignment(&word.text)) {
            words.remove(0);
        }
    }
}

/// A folder with a longer path is not followed.
const LONGEST_FOLDER: usize = 500;

/// Where a command runs.
#[derive(Debug, Clone, Default)]
pub(super) struct Context {
    /// A folder of the repository; `None` at the start.
    folder: Option<String>,
    /// It is somewhere that cannot be told.
    is_elsewhere: bool,
    /// A repository was cloned: the next `cd` goes to its root.
    is_cloned: bool,
}

impl Context {
    fn step(&mut self, simple: &Simple) {
        let text = |at: usize| simple.words.get(at).map_or("", |word| word.text.as_str());
        if text(0) != "cd" && text(0) != "pushd" {
            // What is made outside of the repository is not looked at.
            let makes = ["create", "init", "new", "startproject", "startapp", "generate"];
            let is_elsewhere = matches!(
                text(0),
                "aws"
                    | "az"
                    | "docker"
                    | "eksctl"
                    | "gcloud"
                    | "gh"
                    | "git"
                    | "helm"
                    | "k3d"
                    | "kind"
                    | "kubectl"
                    | "minikube"
                    | "oc"
                    | "podman"
                    | "terraform"
                    | "vault"
            );
            if makes.contains(&text(1)) && !is_elsewhere {
                self.is_elsewhere = true;
            }
            self.is_cloned |= text(1) == "clone" || text(2) == "clone";
            return;
        }
        let Some(target) = simple.words.get(1) else { return };
        let folder = target.text.trim_end_matches('/');
        match folder {
            _ if self.is_elsewhere => {}
            _ if std::mem::take(&mut self.is_cloned) && !target.text.contains('/') => self.folder = None,
            _ if target.is_dynamic || folder.starts_with('/') || is_placeholder(folder) => {
                self.is_elsewhere = true
            }
            "-" => self.folder = None,
            "." | "" => {}
            _ => {
                let joined = match &self.folder {
                    Some(known) => format!("{known}/{folder}"),
                    None => folder.to_owned(),
                };
                // Nobody goes that deep, and each command carries its folder.
                self.is_elsewhere |= joined.len() > LONGEST_FOLDER;
                self.folder = Some(joined).filter(|_| !self.is_elsewhere);
            }
        }
    }
}

/// One command, on its way into claims.
struct Command<'s, 'p, 't> {
    sink: &'s mut Sink<'p, 't>,
    block: usize,
    context: &'s Context,
    is_span: bool,
}

impl Command<'_, '_, '_> {
    fn read(&mut self, simple: &Simple) {
        let words = simple.words.as_slice();
        let Some(head) = words.first() else { return };
        if self.is_span && words.len() == 1 {
            return;
        }
        if head.is_dynamic || words.len() > 400 {
            return;
        }
        if head.text.starts_with('-') {
            // A line of a program's help, where the value follows; or arguments that shall be added to a call.
            let rest = if simple.assignments.is_empty() { words } else { &words[..1] };
            for word in rest.iter().take_while(|word| word.text != "--") {
                self.flag_alone(word);
            }
            return;
        }
        match head.text.as_str() {
            "npm" | "pnpm" | "yarn" | "bun" => self.package_manager(words),
            "npx" | "bunx" | "pnpx" | "uvx" | "pipx" => self.foreign_call(words),
            "make" | "gmake" => self.make(words),
            "just" => self.just(words),
            "task" | "go-task" => self.task(words),
            "cargo" => self.cargo(words),
            "go" => self.go(words),
            "python" | "python3" | "py" => self.python(words),
            "docker" | "docker-compose" | "podman-compose" | "podman" => self.compose(words),
            "gradle" | "./gradlew" | "gradlew" => self.gradle(words),
            "mvn" | "./mvnw" | "mvnw" => self.maven(words),
            "deno" => self.deno(words),
            "tox" | "nox" => self.sessions(words),
            _ if head.text.contains('/') => self.script(words),
            _ => self.other(words),
        }
    }

    /// A name that some manifest has to define. The claim names everything from the program up to the name.
    fn defined(&mut self, by: &str, head: &Word, name: &Word, text: &str, within: Option<String>) {
        if name.is_dynamic || self.context.is_elsewhere || !is_name(text) || is_placeholder(text) {
            return;
        }
        let within = within.or_else(|| self.context.folder.clone());
        let subject = Subject::Defined { by: by.to_owned(), name: text.to_owned(), within };
        let span: Range<usize> = head.bytes.start..name.bytes.end;
        self.sink.add(span, self.block, ClaimType::Command, by, subject);
    }

    /// A file that a command reads, in the folder that it runs in.
    fn argument(&mut self, word: &Word) {
        if word.is_dynamic || self.context.is_elsewhere {
            return;
        }
        let bytes = word.bytes.clone();
        // Quotes are not part of the path.
        if self.sink.page.source(&bytes) == word.text {
            let within = self.context.folder.as_deref();
            named_path(self.sink, self.block, bytes, Link::Argument, within);
        }
    }

    /// Files that any command may name: only what has a folder and the ending of a file, and is not going to be written.
    fn files(&mut self, words: &[Word]) {
        let mut is_output = false;
        for word in words.iter().skip(1) {
            let text = word.text.as_str();
            let is_named = text.contains('/') && has_known_ending(text) && !text.starts_with('-');
            if is_named && !is_output {
                self.argument(word);
            }
            is_output = WRITTEN.contains(&text);
        }
    }
}

/// Options whose value is a file that is going to be written.
const WRITTEN: &[&str] =
    &["-o", "-O", "--out", "--outfile", "--output", "--output-file", "--outdir", "--out-dir", "--dest"];

/// Whether it could be the name of a script, target or package.
fn is_name(text: &str) -> bool {
    text.len() <= 100
        && text.starts_with(|c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '@' | ':'))
        && text.bytes().any(|byte| byte.is_ascii_alphabetic())
        && text
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b'.' | b':' | b'/' | b'@' | b'+'))
}

/// The value of an option, written `--x value`, `--x=value` or `-xvalue`; the word that holds it, and its text.
fn option<'w>(words: &'w [Word], names: &[&str]) -> Option<(&'w Word, &'w str)> {
    for (at, word) in words.iter().enumerate() {
        if word.text == "--" {
            return None;
        }
        if names.contains(&word.text.as_str()) {
            return words.get(at + 1).map(|value| (value, value.text.as_str()));
        }
        if let Some((name, value)) = word.text.split_once('=')
            && names.contains(&name)
        {
            return Some((word, value));
        }
    }
    None
}

/// Words that are no options, and not the values of options in `valued`.
fn bare<'w>(words: &'w [Word], valued: &[&str]) -> Vec<&'w Word> {
    let mut found = Vec::new();
    let mut skips = false;
    for word in words {
        if std::mem::take(&mut skips) {
            continue;
        }
        if word.text == "--" {
            break;
        }
        if word.text.starts_with('-') {
            skips = valued.contains(&word.text.as_str());
        } else {
            found.push(word);
        }
    }
    found
}
