//! npm and its relatives: scripts, workspaces, and the packages that install lines name.

use super::{Command, Context, bare, option};
use crate::extract::placeholders::has_known_ending;
use crate::extract::shell::{self, Word};
use crate::extract::sink::Sink;

/// Words after a package manager that are its own commands.
#[rustfmt::skip]
const OWN: &[&str] = &[
    "access", "add", "adduser", "audit", "bin", "cache", "ci", "completion", "config", "create", "dedupe",
    "deploy", "dlx", "doctor", "exec", "explain", "fund", "generate-lock-entry", "global", "help", "i",
    "import", "info", "init", "install", "install-clean", "licenses", "link", "list", "login", "logout",
    "ls", "node", "outdated", "owner", "pack", "patch", "patch-commit", "pkg", "plugin", "pm", "policies",
    "prefix", "prune", "publish", "rebuild", "remove", "repl", "rm", "root", "run", "run-script", "search",
    "self-update", "set", "setup", "stage", "store", "tag", "team", "un", "uninstall", "unlink", "unplug",
    "up", "update", "upgrade", "upgrade-interactive", "version", "versions", "view", "whoami", "why",
    "workspace", "workspaces", "x",
];

/// Options that take the next word.
#[rustfmt::skip]
const VALUED: &[&str] = &[
    "--filter", "-F", "--prefix", "-C", "--dir", "--cwd", "-w", "--workspace", "--config", "--registry",
    "--loglevel", "--tag", "--filter-prod",
];

/// A heading that is a script's call: `#### npm run docs`.
pub(super) fn in_headings(sink: &mut Sink<'_, '_>) {
    let page = sink.page;
    for heading in &page.headings {
        let line = page.text.get(heading.start..).unwrap_or_default().lines().next().unwrap_or_default();
        let text = line.trim_start_matches(['#', ' ']);
        let is_call =
            ["npm run ", "pnpm run ", "yarn run ", "bun run "].iter().any(|start| text.starts_with(start));
        let block = page.blocks.partition_point(|block| block.bytes.start <= heading.start);
        let holds = |block: &usize| {
            page.blocks.get(*block).is_some_and(|block| block.bytes.start < heading.start + line.len())
        };
        if let (true, Some(block)) = (is_call, Some(block).filter(holds)) {
            let context = Context::default();
            for simple in shell::commands(text, heading.start + (line.len() - text.len()), false) {
                Command { sink, block, context: &context, is_span: true }.read(&simple);
            }
        }
    }
}

impl Command<'_, '_, '_> {
    pub(super) fn package_manager(&mut self, words: &[Word]) {
        let Some(head) = words.first() else { return };
        let within = self.package_folder(words, head);
        let bare = bare(&words[1..], VALUED);
        let mut bare = bare.into_iter();
        let Some(mut first) = bare.next() else { return };
        let mut within = within;
        if head.text == "yarn" && first.text == "workspace" {
            let Some(package) = bare.next() else { return };
            self.defined("npm_workspace", head, package, &package.text, None);
            within = Some(package.text.clone());
            match bare.next() {
                Some(next) => first = next,
                None => return,
            }
        }
        let script = match first.text.as_str() {
            "run" | "run-script" => bare.next(),
            "test" | "start" | "stop" | "restart" | "t" if head.text != "bun" => {
                let name = if first.text == "t" { "test" } else { first.text.as_str() };
                return self.defined("npm_script", head, first, name, within);
            }
            "exec" | "dlx" | "x" => return self.foreign_call(&words[1..]),
            own if OWN.binary_search(&own).is_ok() => None,
            // `yarn build`; npm has no such form, and bun runs files.
            _ if matches!(head.text.as_str(), "pnpm" | "yarn") && !first.text.contains(['/', '@', '.']) => {
                Some(first)
            }
            _ => None,
        };
        let Some(script) = script else { return };
        if head.text == "bun" && has_known_ending(&script.text) {
            return self.argument(script);
        }
        // `yarn tsc` runs a program of a dependency as well, so a name that no manifest has may still be right.
        let by = if matches!(first.text.as_str(), "run" | "run-script") {
            "npm_script"
        } else {
            "npm_script_or_program"
        };
        self.defined(by, head, script, &script.text, within);
    }

    /// The folder or package that the options name.
    fn package_folder(&mut self, words: &[Word], head: &Word) -> Option<String> {
        if let Some((_, folder)) = option(words, &["--prefix", "-C", "--dir", "--cwd"]) {
            return Some(folder.to_owned());
        }
        let (word, package) = option(words, &["--filter", "-F", "-w", "--workspace"])?;
        let is_pattern = word.is_dynamic || package.contains(['*', '.', '[', '{', '!', '^']);
        // `pnpm -w` is the root of the workspace and takes no value.
        if is_pattern || (head.text == "pnpm" && words.iter().any(|word| word.text == "-w")) {
            return None;
        }
        self.defined("npm_workspace", head, word, package, None);
        Some(package.to_owned())
    }

    /// A program that a package brings: `npx x`, `pnpm dlx x`.
    pub(super) fn foreign_call(&mut self, words: &[Word]) {
        let start = words
            .iter()
            .skip(1)
            .position(|word| !word.text.starts_with('-') && !matches!(word.text.as_str(), "run" | "install"));
        if let Some(start) = start {
            self.call(&words[start + 1..]);
        }
        self.files(words);
    }

    pub(super) fn deno(&mut self, words: &[Word]) {
        let (Some(head), Some(verb)) = (words.first(), words.get(1)) else { return };
        let arguments = bare(&words[2..], &["--config", "-c", "--import-map", "--cwd"]);
        match (verb.text.as_str(), arguments.first()) {
            ("task", Some(name)) => self.defined("deno_task", head, name, &name.text, None),
            ("run" | "test" | "bench" | "check", Some(file)) if has_known_ending(&file.text) => {
                self.argument(file)
            }
            _ => {}
        }
    }
}
