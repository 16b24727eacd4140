//! A project in a temporary folder, and what comes out when docent runs in it.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// Every command, in the order of the help.
pub(crate) const COMMANDS: &[&str] = &[
    "index",
    "build",
    "search",
    "get",
    "list",
    "status",
    "watch",
    "add",
    "sync",
    "collections",
    "rename",
    "remove",
    "pack",
    "ingest",
    "forget",
    "convert",
    "serve",
    "eval",
    "eval run",
    "eval compare",
    "eval suggest",
    "install",
    "validate",
    "verify",
    "fix",
    "reports",
    "reports list",
    "reports show",
    "reports accept",
    "reports reject",
    "check",
    "config",
    "completions",
];

pub(crate) struct Project {
    dir: tempfile::TempDir,
}

/// How a run ended.
#[derive(Debug)]
pub(crate) struct Ran {
    pub(crate) code: Option<i32>,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl Project {
    /// An empty project.
    pub(crate) fn empty() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let project = Self { dir };
        fs::create_dir_all(project.path("project/docs")).unwrap();
        fs::write(project.path("project/docent.toml"), "").unwrap();
        project
    }

    /// A project with a few pages.
    pub(crate) fn new() -> Self {
        let project = Self::empty();
        project.write("docs/guides/retries.md", RETRIES);
        project.write("docs/services.md", SERVICES);
        project.write("docs/start.md", START);
        project
    }

    /// A project with many generated pages.
    pub(crate) fn large(pages: usize) -> Self {
        let project = Self::empty();
        for number in 0..pages {
            project.write_page(number, "first");
        }
        project
    }

    /// Writes one of the generated pages, with a word of its own.
    pub(crate) fn write_page(&self, number: usize, word: &str) {
        let words: String =
            (0..200).map(|word| format!("word{} ", (number * 7 + word * 13) % 5000)).collect();
        let text = format!("# Page {number}\n\n{words}\n\n## Details of {number}\n\n{word} {words}\n");
        self.write(&format!("docs/part{}/page{number}.md", number % 10), text);
    }

    pub(crate) fn path(&self, path: &str) -> PathBuf {
        fs::canonicalize(self.dir.path()).unwrap().join(path)
    }

    /// The project's folder.
    pub(crate) fn root(&self) -> PathBuf {
        self.path("project")
    }

    pub(crate) fn write(&self, path: &str, text: impl AsRef<[u8]>) {
        let full = self.root().join(path);
        fs::create_dir_all(full.parent().unwrap()).unwrap();
        fs::write(full, text).unwrap();
    }

    /// A command with the hash embedder, in the project, away from the user's own files.
    pub(crate) fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_docent"));
        self.surround(&mut command);
        command.args(args);
        command
    }

    /// Sets folder and environment of a command.
    pub(crate) fn surround(&self, command: &mut Command) {
        command.current_dir(self.root()).stdin(Stdio::null());
        for (name, _) in std::env::vars_os() {
            let text = name.to_string_lossy();
            if text.starts_with("DOCENT_") || text.starts_with("OPENAI_") || text.starts_with("CLICOLOR") {
                command.env_remove(&name);
            }
        }
        command.env_remove("NO_COLOR").env_remove("RUST_BACKTRACE");
        command.env("HOME", self.path("home")).env("XDG_CACHE_HOME", self.path("home/.cache"));
        command.env("XDG_CONFIG_HOME", self.path("home/.config"));
        command.env("DOCENT_EMBEDDER", "hash").env("COLUMNS", "100");
    }

    pub(crate) fn run(&self, args: &[&str]) -> Ran {
        ran(self.command(args).output().unwrap())
    }

    /// Runs and expects success.
    pub(crate) fn ok(&self, args: &[&str]) -> String {
        let ran = self.run(args);
        assert_eq!(ran.code, Some(0), "docent {}: {ran:?}", args.join(" "));
        ran.out
    }

    pub(crate) fn json(&self, args: &[&str]) -> serde_json::Value {
        serde_json::from_str(&self.ok(args)).unwrap()
    }

    /// Output without what differs between runs and machines.
    pub(crate) fn redact(&self, text: &str) -> String {
        let root = fs::canonicalize(self.dir.path()).unwrap();
        let text = text.replace(root.to_str().unwrap(), "[TMP]");
        // A cursor is signed with a key of the index's own.
        let cursor = |line: &str| match line.trim_start().starts_with("\"next_cursor\": \"") {
            true => "  \"next_cursor\": \"[CURSOR]\",".to_owned(),
            false => redact_line(line),
        };
        text.lines().map(cursor).collect::<Vec<_>>().join("\n")
    }
}

pub(crate) fn ran(output: Output) -> Ran {
    Ran {
        code: output.status.code(),
        out: String::from_utf8(output.stdout).unwrap(),
        err: String::from_utf8(output.stderr).unwrap(),
    }
}

impl Ran {
    /// Exit code, stdout and stderr in one text.
    pub(crate) fn shown(&self, project: &Project) -> String {
        let code = self.code.map_or("killed".to_owned(), |code| code.to_string());
        let (out, err) = (project.redact(&self.out), project.redact(&self.err));
        format!("exit {code}\n--- stdout\n{out}\n--- stderr\n{err}")
    }

    /// Expects an error of two lines and nothing on stdout.
    pub(crate) fn check_error(&self, code: i32, error: &str, hint: &str) {
        assert_eq!(self.code, Some(code), "{self:?}");
        assert_eq!(self.out, "", "{self:?}");
        let lines: Vec<&str> = self.err.lines().collect();
        assert_eq!(lines.len(), 2, "{self:?}");
        assert!(lines[0].starts_with("error: ") && lines[0].contains(error), "{self:?}");
        assert!(lines[1].starts_with("hint: ") && lines[1].contains(hint), "{self:?}");
    }
}

/// Times, sizes, scores and hashes become placeholders.
fn redact_line(line: &str) -> String {
    let key = |name: &str| line.trim_start().starts_with(&format!("\"{name}\":"));
    let numbers = [
        "score",
        "similarity",
        "query_ms",
        "chunk_bm25",
        "page_bm25",
        "lexical",
        "vector",
        "index_bytes",
        "read_seconds",
        "embed_seconds",
        "db_size_bytes",
        "generation",
    ];
    let texts = ["last_modified", "last_indexed", "content_hash", "version"];
    let comma = if line.ends_with(',') { "," } else { "" };
    let start = &line[..line.find(": ").map_or(0, |at| at + 2)];
    if numbers.iter().any(|name| key(name)) && !line.ends_with('{') && !line.ends_with("true,") {
        return format!("{start}[NUMBER]{comma}");
    }
    if texts.iter().any(|name| key(name)) {
        return format!("{start}\"[TEXT]\"{comma}");
    }
    let mut words: Vec<String> = line.split(' ').map(redact_word).collect();
    for at in 1..words.len() {
        let unit = words[at].trim_end_matches([')', ',']).to_owned();
        let number = words[at - 1].trim_start_matches('(').to_owned();
        let is_number = number == "N" || (!number.is_empty() && number.chars().all(|c| c.is_ascii_digit()));
        if words[at - 1] == "generation" {
            words[at] = "N".to_owned();
        }
        if is_number && ["ms", "s", "B", "kB", "MB"].contains(&unit.as_str()) {
            words[at - 1] = words[at - 1].replace(&number, "N");
            words[at] = words[at].replace(&unit, "UNIT");
        }
    }
    words.join(" ")
}

/// `0.93` → `N`, `2026-11-15T11:19:56.381Z` → `TIME`; other words stay.
fn redact_word(word: &str) -> String {
    let core = word.trim_matches(|c: char| !c.is_ascii_alphanumeric());
    let is_decimal = core.contains('.')
        && core.split('.').all(|part| !part.is_empty() && part.chars().all(|c| c.is_ascii_digit()));
    let is_time = core.len() == 24 && core.ends_with('Z') && core.contains('T');
    match (is_decimal, is_time) {
        (true, _) => word.replace(core, "N"),
        (_, true) => word.replace(core, "TIME"),
        _ => word.to_owned(),
    }
}

/// Whether file permissions stop this user.
pub(crate) fn is_root() -> bool {
    let probe = tempfile::tempdir().unwrap();
    let file = probe.path().join("probe");
    fs::write(&file, "x").unwrap();
    set_mode(&file, 0o000);
    fs::read(&file).is_ok()
}

pub(crate) fn set_mode(path: &Path, mode: u32) {
    use std::os::unix::fs::PermissionsExt;
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
}

const RETRIES: &str = "\
---
metadata:
  language: rust
---
# Retries

What happens after a failure.

## Backoff strategy

Use exponential **backoff** with `maxRetries` set to 5. Requests that fail are retried after a pause.

```yaml
retry:
  backoff: exponential
```

## Limits

No more than ten attempts are made.
";

const SERVICES: &str = "\
# Services

You expose a pod through a service of type NodePort.

## Ports

A port is a number between 30000 and 32767.
";

const START: &str = "Text before any heading.\n\n# Getting started\n\nInstall the program, then run it.\n";
