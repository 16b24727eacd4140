//! `docent install`: configurations of clients that do not exist, in a home that is made up.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use insta::assert_snapshot;
use serde_json::Value;

use crate::support::{Project, Ran, ran, set_mode};

/// A machine with a home, a project and `docent` on PATH.
struct Machine(Project);

impl Machine {
    fn new() -> Self {
        let project = Project::new();
        for folder in ["home", "bin"] {
            fs::create_dir_all(project.path(folder)).unwrap();
        }
        std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_docent"), project.path("bin/docent")).unwrap();
        Self(project)
    }

    fn command(&self, args: &[&str]) -> Command {
        let mut command = self.0.command(&[&["install"], args].concat());
        for name in ["CLAUDE_CONFIG_DIR", "CODEX_HOME", "GEMINI_CLI_HOME", "XDG_CONFIG_HOME"] {
            command.env_remove(name);
        }
        command.env("PATH", self.0.path("bin"));
        command
    }

    fn run(&self, args: &[&str]) -> Ran {
        ran(self.command(args).output().unwrap())
    }

    fn ok(&self, args: &[&str]) -> Ran {
        let ran = self.run(args);
        assert_eq!(ran.code, Some(0), "{args:?}: {ran:?}");
        ran
    }

    fn json(&self, args: &[&str]) -> Value {
        serde_json::from_str(&self.ok(&[args, &["--json"]].concat()).out).unwrap()
    }

    fn shown(&self, args: &[&str]) -> String {
        let shown = self.run(args).shown(&self.0);
        shown.replace(env!("CARGO_BIN_EXE_docent"), "[DOCENT]")
    }

    fn write(&self, path: &str, text: &str) {
        let path = self.0.path(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn read(&self, path: &str) -> String {
        fs::read_to_string(self.0.path(path)).unwrap()
    }
}

fn repository(path: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..").join(path)
}

#[test]
fn adding_again_replacing_and_removing() {
    let machine = Machine::new();
    machine.write(
        "project/.mcp.json",
        "{\n    // our servers\n    \"mcpServers\": {\n        \"github\": { \"command\": \"gh\" } // theirs\n    }\n}\n",
    );
    let before = machine.read("project/.mcp.json");
    assert_snapshot!("install_add", machine.shown(&["claude-code"]));
    assert_snapshot!("install_again", machine.shown(&["claude-code"]));
    assert_snapshot!("install_replace", machine.shown(&["claude-code", "--embedder", "none"]));
    assert_snapshot!("install_remove", machine.shown(&["claude-code", "--remove"]));
    assert_eq!(machine.read("project/.mcp.json"), before);
    assert_snapshot!("install_remove_again", machine.shown(&["claude-code", "--remove"]));
    machine.ok(&["claude-code", "--scope", "user"]);
    let other = machine.ok(&["claude-code", "--remove"]).err;
    assert!(other.contains("docent is in ~/.claude.json; use --scope user"), "{other}");
}

#[test]
fn a_dry_run_writes_nothing() {
    let machine = Machine::new();
    assert_snapshot!("install_dry_run", machine.shown(&["vscode", "--dry-run"]));
    assert!(!machine.0.path("project/.vscode").exists());
}

#[test]
fn the_users_file_names_full_paths() {
    let machine = Machine::new();
    machine.write("home/.codex/config.toml", "# mine\nmodel = \"o\" # best\n\n[history]\nmax = 1\n");
    assert_snapshot!("install_user", machine.shown(&["codex", "--scope", "user"]));
    let moved = machine.0.path("elsewhere");
    let output = machine.command(&["codex", "--scope", "user"]).env("CODEX_HOME", &moved).output().unwrap();
    assert_eq!(ran(output).code, Some(0));
    assert!(moved.join("config.toml").exists());
}

#[test]
fn without_docent_on_path_a_project_gets_the_full_path_and_a_note() {
    let machine = Machine::new();
    fs::remove_file(machine.0.path("bin/docent")).unwrap();
    assert_snapshot!("install_not_on_path", machine.shown(&["gemini"]));
}

#[test]
fn documents_are_named_as_the_server_will_see_them() {
    let machine = Machine::new();
    fs::create_dir_all(machine.0.path("outside")).unwrap();
    let args = |args: &[&str]| {
        let entry = machine.json(&[args, &["--dry-run"]].concat())["entry"].clone();
        machine.0.redact(&entry["args"].to_string())
    };
    assert_eq!(args(&["zed"]), r#"["serve"]"#);
    assert_eq!(args(&["zed", "--docs", "docs/guides"]), r#"["serve","--docs","docs/guides"]"#);
    assert_eq!(args(&["zed", "--docs", "."]), r#"["serve","--docs","."]"#);
    assert_eq!(args(&["zed", "--docs", "../outside"]), r#"["serve","--docs","[TMP]/outside"]"#);
    assert_eq!(args(&["zed", "--index", "idx"]), r#"["serve","--index","idx"]"#);
    assert_eq!(args(&["cursor"]), r#"["serve","--docs","${workspaceFolder}/docs"]"#);
    assert_eq!(args(&["cursor", "--docs", "."]), r#"["serve","--docs","${workspaceFolder}"]"#);
    assert_eq!(args(&["zed", "--scope", "user"]), r#"["serve","--docs","[TMP]/project/docs"]"#);
    assert_eq!(machine.json(&["vscode", "--dry-run"])["entry"]["cwd"], "${workspaceFolder}");
    assert_eq!(machine.json(&["vscode", "--dry-run", "--scope", "user"])["entry"]["cwd"], Value::Null);
}

#[test]
fn the_list_says_what_is_where() {
    let machine = Machine::new();
    machine.ok(&["claude-code"]);
    machine.ok(&["windsurf"]);
    machine.write("bin/zed", "");
    set_mode(&machine.0.path("bin/zed"), 0o755);
    machine.write("home/.cursor/mcp.json", "{\n  \"mcpServers\": oops\n}");
    assert_snapshot!("install_list", machine.shown(&["--list"]));
    let list = machine.json(&["--list"]);
    assert_eq!(list["clients"].as_array().unwrap().len(), 7);
    assert_eq!(list["clients"][0]["scopes"][0]["installed"], true);
    assert_eq!(list["clients"][1]["scopes"][1]["installed"], Value::Null);
}

#[test]
fn every_client_goes_both_ways_in_both_scopes() {
    let machine = Machine::new();
    let list = machine.json(&["--list"]);
    for client in list["clients"].as_array().unwrap() {
        for place in client["scopes"].as_array().unwrap() {
            let (client, scope) = (client["client"].as_str().unwrap(), place["scope"].as_str().unwrap());
            let path = place["path"].as_str().unwrap();
            let target = [client, "--scope", scope];
            let added = machine.json(&target);
            assert_eq!((&added["action"], &added["written"]), (&"added".into(), &true.into()), "{added}");
            let again = machine.json(&target);
            assert_eq!(
                (&again["action"], &again["written"]),
                (&"unchanged".into(), &false.into()),
                "{again}"
            );
            let http = machine.json(&[&target[..], &["--http", "http://127.0.0.1:7331/mcp"]].concat());
            assert_eq!((&http["action"], &http["path"]), (&"replaced".into(), &path.into()), "{http}");
            assert!(fs::read_to_string(path).unwrap().contains("http://127.0.0.1:7331/mcp"));
            let removed = machine.json(&[&target[..], &["--remove"]].concat());
            assert_eq!(removed["action"], "removed", "{removed}");
            assert!(!fs::read_to_string(path).unwrap().contains("docent"));
        }
    }
}

#[test]
fn a_broken_configuration_is_left_alone() {
    let check = |client: &str, path: &str, text: &str, error: &str| {
        let machine = Machine::new();
        machine.write(path, text);
        machine.run(&[client]).check_error(3, error, "put the file right");
        assert_eq!(machine.read(path), text);
    };
    check(
        "zed",
        "project/.zed/settings.json",
        "{\n  // c\n  \"a\": 1\n  \"b\": 2\n}",
        "line 4, column 3: expected `,`",
    );
    check(
        "zed",
        "project/.zed/settings.json",
        "{\"context_servers\": []}",
        "`context_servers` should be an object",
    );
    check("codex", "project/.codex/config.toml", "a = 1\nb = = 2\n", "line 2, column 5");
}

#[test]
fn links_lead_to_the_real_file() {
    let machine = Machine::new();
    machine.write("dotfiles/claude.json", "{\"numStartups\": 3}");
    set_mode(&machine.0.path("dotfiles/claude.json"), 0o600);
    let link = machine.0.path("home/.claude.json");
    std::os::unix::fs::symlink(machine.0.path("dotfiles/claude.json"), &link).unwrap();
    machine.ok(&["claude-code", "--scope", "user"]);
    assert!(link.is_symlink());
    let value: Value = serde_json::from_str(&machine.read("dotfiles/claude.json")).unwrap();
    assert_eq!(value["numStartups"], 3);
    assert_eq!(value["mcpServers"]["docent"]["command"], machine.0.path("bin/docent").to_str().unwrap());
    assert_eq!(fs::read_dir(machine.0.path("dotfiles")).unwrap().count(), 1);
}

#[test]
fn a_home_under_version_control_is_no_project() {
    let machine = Machine::new();
    machine.write("home/.git/HEAD", "");
    machine.write("home/notes/a.md", "# Notes\n");
    let run = |folder: &str, args: &[&str]| {
        ran(machine.command(args).current_dir(machine.0.path(folder)).output().unwrap())
    };
    for folder in ["home", "home/notes"] {
        run(folder, &["claude-code"]).check_error(2, "not a documents folder", "--docs");
    }
    let named = run("home/notes", &["cursor", "--docs", ".", "--json"]);
    let done: Value = serde_json::from_str(&named.out).unwrap();
    assert_eq!(done["scope"], "user");
    assert_eq!(done["entry"]["args"][2], machine.0.path("home/notes").to_str().unwrap());
}

#[test]
fn wrong_usage_is_told() {
    let check = |args: &[&str], error: &str, hint: &str| {
        let machine = Machine::new();
        machine.run(args).check_error(2, error, hint);
        assert_eq!(fs::read_dir(machine.0.path("home")).unwrap().count(), 0);
    };
    check(&[], "CLIENT", "docent install --help");
    check(&["emacs"], "invalid value 'emacs'", "claude-code, cursor, vscode, codex, zed, windsurf, gemini");
    check(
        &["windsurf", "--scope", "project"],
        "Windsurf reads no configuration from a project",
        "--scope user",
    );
    check(&["zed", "--name", "a b"], "--name `a b`", "letters");
    check(&["zed", "--http", "localhost:1"], "localhost:1 is not the address", "http://127.0.0.1:7331/mcp");
    check(&["zed", "--http", "http://u:p@h/mcp"], "no secrets", "--token-env");
    check(&["zed", "--http", "http://h/mcp", "--token-env", "T"], "Zed cannot take a token", "--token-env");
    check(&["zed", "--http", "http://h/mcp", "--docs", "docs"], "--docs has no effect", "--docs");
    check(&["zed", "--token-env", "T"], "--http", "docent install --help");
    check(&["zed", "--docs", "nowhere"], "cannot read the documents folder", "--docs");
    check(&["zed", "--list"], "--list", "docent install --help");
}

#[test]
fn an_address_of_a_database_is_not_written_and_that_is_said() {
    let machine = Machine::new();
    let url = "postgresql://me:hush@db.example/docs";
    let mut command = machine.command(&["claude-code", "--yes"]);
    let told = ran(command.env("DOCENT_DATABASE_URL", url).output().unwrap());
    assert_eq!(told.code, Some(0), "{told:?}");
    for part in ["set DOCENT_DATABASE_URL where Claude Code is started", "database_url into", "docent.toml"] {
        assert!(told.err.contains(part), "{part}: {told:?}");
    }
    assert!(!machine.read("project/.mcp.json").contains("hush") && !told.err.contains("hush"), "{told:?}");
    // Whoever has it in their own settings needs nothing else.
    machine.write("home/.config/docent/docent.toml", &format!("database_url = '{url}'\n"));
    let told = machine.ok(&["claude-code", "--yes"]);
    assert!(!told.err.contains("database"), "{told:?}");
}

/// After a change: UPDATE_DOCS=1 cargo test -p docent --test it install
#[test]
fn the_guide_shows_what_is_written() {
    let machine = Machine::new();
    let guide = repository("docs/guide/install.md");
    let mut text = fs::read_to_string(&guide).unwrap();
    let list = machine.json(&["--list"]);
    for client in list["clients"].as_array().unwrap() {
        let (name, title) = (client["client"].as_str().unwrap(), client["title"].as_str().unwrap());
        for place in client["scopes"].as_array().unwrap() {
            let path = place["path"].as_str().unwrap();
            let project = format!("{}/", machine.0.root().display());
            let home = machine.0.path("home").display().to_string();
            let path = path.replace(&project, "").replace(&home, "~");
            assert!(text.contains(&format!("`{path}`")), "the guide does not name `{path}`");
        }
        let done = machine.json(&[name]);
        let written = fs::read_to_string(done["path"].as_str().unwrap()).unwrap();
        let written = written
            .replace(machine.0.path("bin").to_str().unwrap(), "/home/you/.cargo/bin")
            .replace(machine.0.root().to_str().unwrap(), "/home/you/project");
        let section =
            text.find(&format!("\n### {title}\n")).unwrap_or_else(|| panic!("no section for {title}"));
        let open = section + text[section..].find("\n```").unwrap() + 1;
        let start = open + text[open..].find('\n').unwrap() + 1;
        let end = start + text[start..].find("```").unwrap();
        if std::env::var_os("UPDATE_DOCS").is_some() {
            text.replace_range(start..end, &written);
            fs::write(&guide, &text).unwrap();
        } else {
            assert_eq!(&text[start..end], written, "the guide is stale for {title}: UPDATE_DOCS=1");
            let readme = fs::read_to_string(repository("README.md")).unwrap();
            assert!(readme.contains(&written), "the README does not show what is written for {title}");
        }
    }
}

#[test]
fn the_registry_entry_is_current() {
    let entry: Value = serde_json::from_str(&fs::read_to_string(repository("server.json")).unwrap()).unwrap();
    let version = env!("CARGO_PKG_VERSION");
    assert_eq!(entry["version"], version);
    assert_eq!(entry["packages"][0]["version"], version);
    assert_eq!(entry["packages"][0]["identifier"], env!("CARGO_PKG_NAME"));
    assert!(entry["description"].as_str().unwrap().chars().count() <= 100);
    let name = entry["name"].as_str().unwrap();
    assert_eq!(name.matches('/').count(), 1);
    let guide = fs::read_to_string(repository("docs/guide/install.md")).unwrap();
    assert!(guide.contains(&format!("mcp-name: {name}")));
}

#[test]
fn toolsets_are_passed_on_to_the_server() {
    let machine = Machine::new();
    let entry = machine.json(&["claude-code", "--toolsets", "docs,collections"])["entry"].clone();
    assert_eq!(entry["args"], serde_json::json!(["serve", "--toolsets", "docs,collections"]));
    let entry = machine.json(&["claude-code"])["entry"].clone();
    assert_eq!(entry["args"], serde_json::json!(["serve"]));
    machine.run(&["claude-code", "--toolsets", "docs,books"]).check_error(
        2,
        "there is no toolset `books`",
        "--toolsets docs,collections",
    );
    let url = "http://127.0.0.1:7331/mcp";
    let refused = machine.run(&["claude-code", "--toolsets", "docs", "--http", url]);
    assert!(refused.code == Some(2) && refused.err.contains("--toolsets"), "{refused:?}");
}
