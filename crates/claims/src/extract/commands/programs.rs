//! Scripts of the repository, and calls of programs that it may build.

use super::{Command, bare, option};
use crate::extract::placeholders::{has_known_ending, is_placeholder};
use crate::extract::shell::Word;
use crate::{ClaimType, Subject};

/// Programs that come with a system or that everybody installs; never built here under these names.
#[rustfmt::skip]
const SYSTEM: &[&str] = &[
    "alias", "ansible", "apk", "apt", "apt-get", "awk", "aws", "az", "base64", "bash", "bat", "brew",
    "bundle", "bunx", "bzip2", "cat", "cd", "chmod", "choco", "chown", "clang", "cmake", "composer",
    "conda", "cp", "curl", "cut", "date", "deno", "df", "diff", "dig", "dnf", "docker", "docker-compose",
    "dotnet", "du", "echo", "env", "eslint", "eval", "exit", "export", "fd", "ffmpeg", "find", "flutter",
    "gcc", "gcloud", "gem", "gh", "git", "gofmt", "golangci-lint", "gpg", "grep", "gunzip", "gzip", "head",
    "helm", "htop", "if", "ip", "java", "javac", "jest", "jq", "kill", "kubectl", "less", "let", "ln", "ls",
    "lsof", "mamba", "man", "mkdir", "mongo", "mv", "mvn", "mypy", "mysql", "nano", "nix", "nix-shell",
    "node", "npm", "npx", "nvm", "open", "openssl", "pacman", "patch", "perl", "php", "ping", "pip", "pip3",
    "pipx", "pkill", "pnpm", "podman", "poetry", "port", "pre-commit", "printf", "ps", "psql", "pwd",
    "pyenv", "pytest", "python", "python3", "rake", "read", "redis-cli", "rg", "rm", "rsync", "ruby",
    "ruff", "rustc", "rustfmt", "rustup", "scoop", "scp", "sed", "select", "set", "sh", "sleep", "snap",
    "sort", "source", "sqlite3", "ssh", "sudo", "systemctl", "tail", "tar", "tee", "terraform", "test",
    "tmux", "touch", "tr", "tree", "tsc", "ulimit", "uniq", "unset", "unzip", "vagrant", "vi", "vim",
    "virtualenv", "vitest", "volta", "wc", "wget", "where", "which", "winget", "xargs", "yum", "zip", "zsh",
    "zypper",
];

/// Programs whose arguments are going to be made, changed or taken away.
const MAKES: &[&str] =
    &["curl", "echo", "export", "git", "ln", "mkdir", "mv", "printf", "rm", "tee", "touch", "wget"];

/// The words behind one of them.
pub(super) fn after<'w>(words: &'w [Word], word: &Word) -> &'w [Word] {
    let at = words.iter().position(|other| other.bytes == word.bytes).map_or(words.len(), |at| at + 1);
    words.get(at..).unwrap_or_default()
}

/// Whether a program is known to come from elsewhere.
fn is_system(program: &str) -> bool {
    SYSTEM.binary_search(&program).is_ok()
}

/// Whether a line that starts with this word is a command.
pub(super) fn is_known(head: &str) -> bool {
    is_system(head)
        && !matches!(
            head,
            "if" | "let"
                | "select"
                | "read"
                | "test"
                | "set"
                | "open"
                | "find"
                | "where"
                | "sort"
                | "date"
                | "head"
                | "tree"
                | "man"
                | "port"
                | "cut"
                | "patch"
                | "which"
                | "source"
        )
        || matches!(
            head,
            "yarn"
                | "bun"
                | "cargo"
                | "make"
                | "just"
                | "task"
                | "go"
                | "uv"
                | "tox"
                | "nox"
                | "gradle"
                | "./gradlew"
                | "uvx"
        )
}

impl Command<'_, '_, '_> {
    /// `./scripts/x.sh`, `scripts/x.sh`
    pub(super) fn script(&mut self, words: &[Word]) {
        let Some(head) = words.first() else { return };
        // Programs that were built or installed right there.
        let is_output = ["target/", "build/", "bin/", "dist/", "node_modules/", "venv/", ".venv/", "out/"]
            .iter()
            .any(|folder| head.text.trim_start_matches("./").starts_with(folder));
        if (head.text.starts_with("./") || has_known_ending(&head.text)) && !is_output {
            self.argument(head);
        }
        let name = head.text.rsplit('/').next().unwrap_or_default();
        if is_output && !name.is_empty() {
            self.call_named(name, &words[1..]);
        } else {
            self.script_flags(&head.text, &words[1..]);
        }
        self.files(words);
    }

    /// The flags of a script of the repository, which is named by its path or as a module.
    pub(super) fn script_flags(&mut self, script: &str, arguments: &[Word]) {
        let script = script.trim_start_matches("./");
        if script.is_empty() || is_placeholder(script) || script.starts_with(['.', '/']) {
            return;
        }
        let script = match &self.context.folder {
            Some(folder) => format!("{folder}/{script}"),
            None => script.to_owned(),
        };
        // Its name must tell it from a program that is installed.
        if script.contains(['/', '.']) && !self.context.is_elsewhere {
            for word in arguments.iter().take_while(|word| word.text != "--") {
                self.flag(&script, &[], word);
            }
        }
    }

    /// Programs that read a file of the repository, and all others.
    pub(super) fn other(&mut self, words: &[Word]) {
        let Some(head) = words.first() else { return };
        let first = bare(&words[1..], &["-m", "-k", "-o", "-t", "-c"]).into_iter().next();
        match (head.text.as_str(), first) {
            (
                "bash" | "sh" | "zsh" | "source" | "." | "node" | "ruby" | "perl" | "php" | "tsx" | "ts-node"
                | "pytest" | "Rscript" | "lua",
                Some(file),
            ) => {
                let own = words[1..].iter().take_while(|word| word.bytes != file.bytes);
                if has_known_ending(&file.text)
                    && !own.clone().any(|word| matches!(word.text.as_str(), "-c" | "-e"))
                {
                    self.argument(file);
                    self.script_flags(&file.text, after(words, file));
                }
                self.files(words);
            }
            ("cp", Some(source)) if has_known_ending(&source.text) || source.text.contains(".example") => {
                self.argument(source)
            }
            ("cd" | "pushd", Some(folder))
                if self.context.folder.as_deref() == Some(folder.text.trim_end_matches('/')) =>
            {
                // The name alone is mostly that of the clone.
                if folder.text.trim_end_matches('/').contains('/') && !self.context.is_elsewhere {
                    let bytes = folder.bytes.clone();
                    if self.sink.page.source(&bytes) == folder.text {
                        super::named_path(self.sink, self.block, bytes, crate::Link::Argument, None);
                    }
                }
            }
            ("pip" | "pip3" | "uv", _) => {
                if let Some((file, _)) = option(words, &["-r", "--requirement", "-e"])
                    && (has_known_ending(&file.text) || file.text.starts_with("./"))
                {
                    self.argument(file);
                }
                self.files(words);
            }
            ("kubectl", _) => {
                if let Some((file, _)) = option(words, &["-f", "--filename", "-k"])
                    && !file.text.contains("://")
                {
                    self.argument(file);
                }
            }
            _ if MAKES.contains(&head.text.as_str()) => {}
            _ if is_system(&head.text) => self.files(words),
            _ => {
                self.files(words);
                self.call(words);
            }
        }
    }

    /// `program sub sub --flag`
    pub(super) fn call(&mut self, words: &[Word]) {
        let Some(head) = words.first() else { return };
        let name = head.text.split('@').next().filter(|name| !name.is_empty()).unwrap_or(&head.text);
        let is_program = |name: &str| {
            name.len() > 1
                && name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '@')
                && name
                    .bytes()
                    .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b'.' | b'/' | b'@'))
        };
        let is_sentence = self.is_span && head.text.starts_with(|c: char| c.is_ascii_uppercase());
        if head.is_dynamic || !is_program(name) || is_system(name) || is_sentence || is_placeholder(name) {
            return;
        }
        let name = name.to_owned();
        let subcommands = subcommands(&words[1..]);
        // What follows a subcommand may be its argument, so the first one is a claim of its own.
        for length in [1, subcommands.len()] {
            let Some((chain, last)) =
                subcommands.get(..length).and_then(|chain| Some((chain, chain.last()?)))
            else {
                continue;
            };
            let subject = Subject::OwnCli {
                program: name.clone(),
                subcommands: chain.iter().map(|word| word.text.clone()).collect(),
                flag: None,
            };
            let span = head.bytes.start..last.bytes.end;
            self.sink.add(span, self.block, ClaimType::Command, "subcommand", subject);
        }
        self.call_named(&name, &words[1..]);
    }

    /// The flags of a call.
    pub(super) fn call_named(&mut self, program: &str, arguments: &[Word]) {
        let subcommands: Vec<String> = subcommands(arguments).iter().map(|word| word.text.clone()).collect();
        for word in arguments.iter().take_while(|word| word.text != "--") {
            self.flag(program, &subcommands, word);
        }
    }
}

/// Bare words at the start.
fn subcommands(words: &[Word]) -> Vec<&Word> {
    let is_subcommand = |word: &&Word| {
        !word.is_dynamic
            && word.text.len() < 40
            && word.text.starts_with(|c: char| c.is_ascii_lowercase())
            && word
                .text
                .bytes()
                .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || matches!(b, b'-' | b'_'))
            && !is_placeholder(&word.text)
    };
    words.iter().take_while(is_subcommand).take(4).collect()
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_table_is_sorted() {
        assert_eq!(super::SYSTEM.windows(2).find(|pair| pair[0] >= pair[1]), None);
    }
}
