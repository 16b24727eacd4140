//! The clients that docent can be installed into: one table that the command, `--list`, the guide and the tests walk.
//!
//! A row says where a client keeps its MCP servers, under which key, and how an entry is spelled there. Everything that
//! differs between clients is in this file; the rest of the command knows only rows.

use clap::builder::{PossibleValue, PossibleValuesParser};

use crate::env_vars;

/// A client of MCP servers.
#[derive(Debug)]
pub(super) struct Client {
    /// What is typed on the command line.
    pub(super) name: &'static str,
    /// What people call it.
    pub(super) title: &'static str,
    /// How its configuration is written.
    pub(super) format: Format,
    /// Key of the servers at the top of the file.
    pub(super) key: &'static str,
    /// File inside a project, if a project can have one.
    pub(super) project: Option<&'static str>,
    /// File of the user.
    pub(super) user: UserFile,
    /// Programs that show that the client is there.
    pub(super) programs: &'static [&'static str],
    /// How an entry is spelled.
    pub(super) shape: Shape,
    /// Where a server of a project's file finds the project.
    pub(super) start: Start,
    /// What to do after a project's file has changed.
    pub(super) next_project: &'static str,
    /// What to do after the user's file has changed.
    pub(super) next_user: &'static str,
}

/// How a configuration is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Format {
    /// JSON, perhaps with comments and trailing commas.
    Json,
    /// TOML.
    Toml,
}

/// Where the user's file is. Paths start with `~/`, `$XDG_CONFIG_HOME/` or `$APPDATA/`.
#[derive(Debug)]
pub(super) struct UserFile {
    /// A variable that moves the file, and the file's path under the folder that the variable names.
    pub(super) moved: Option<(&'static str, &'static str)>,
    pub(super) linux: &'static str,
    pub(super) macos: &'static str,
    pub(super) windows: &'static str,
}

impl UserFile {
    const fn everywhere(path: &'static str) -> Self {
        Self { moved: None, linux: path, macos: path, windows: path }
    }

    const fn movable(path: &'static str, variable: &'static str, under: &'static str) -> Self {
        Self { moved: Some((variable, under)), linux: path, macos: path, windows: path }
    }
}

/// How an entry is spelled.
#[derive(Debug)]
pub(super) struct Shape {
    /// Which entries say `type`.
    pub(super) typed: Typed,
    /// Entries of commands carry an empty `env`, as the client itself writes them.
    pub(super) env: bool,
    /// Key of the address of an HTTP server.
    pub(super) url: &'static str,
    /// How a token from an environment variable is sent.
    pub(super) token: Token,
}

/// Which entries say `type`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Typed {
    /// All of them.
    All,
    /// Those of commands.
    Commands,
    /// None.
    Never,
}

/// How a token from an environment variable is sent.
#[derive(Debug, Clone, Copy)]
pub(super) enum Token {
    /// In a header; `VAR` stands for the variable's name.
    Header(&'static str),
    /// By naming the variable under this key.
    Key(&'static str),
    /// The client reads no variables.
    Unsupported,
}

/// Where a server of a project's file finds the project.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Start {
    /// The client starts servers in the project.
    InProject,
    /// It does so when `cwd` says this.
    WithFolder(&'static str),
    /// It starts them anywhere, but replaces this in arguments.
    Anywhere(&'static str),
}

const WORKSPACE: &str = "${workspaceFolder}";

pub(super) static CLIENTS: &[Client] = &[
    Client {
        name: "claude-code",
        title: "Claude Code",
        format: Format::Json,
        key: "mcpServers",
        project: Some(".mcp.json"),
        user: UserFile::movable("~/.claude.json", env_vars::CLAUDE_CONFIG_DIR, ".claude.json"),
        programs: &["claude"],
        shape: Shape { typed: Typed::All, env: true, url: "url", token: Token::Header("Bearer ${VAR}") },
        start: Start::InProject,
        next_project: "start `claude` in the project and approve the server when asked; `/mcp` shows its state",
        next_user: "start `claude` anew; `/mcp` shows the server's state",
    },
    Client {
        name: "cursor",
        title: "Cursor",
        format: Format::Json,
        key: "mcpServers",
        project: Some(".cursor/mcp.json"),
        user: UserFile::everywhere("~/.cursor/mcp.json"),
        programs: &["cursor", "cursor-agent"],
        shape: Shape {
            typed: Typed::Commands,
            env: false,
            url: "url",
            token: Token::Header("Bearer ${env:VAR}"),
        },
        start: Start::Anywhere(WORKSPACE),
        next_project: "open the project in Cursor and switch the server on under Settings, MCP",
        next_user: "look at Settings, MCP in Cursor; the server should be listed with its tools",
    },
    Client {
        name: "vscode",
        title: "VS Code",
        format: Format::Json,
        key: "servers",
        project: Some(".vscode/mcp.json"),
        user: UserFile {
            moved: None,
            linux: "$XDG_CONFIG_HOME/Code/User/mcp.json",
            macos: "~/Library/Application Support/Code/User/mcp.json",
            windows: "$APPDATA/Code/User/mcp.json",
        },
        programs: &["code"],
        shape: Shape { typed: Typed::All, env: false, url: "url", token: Token::Header("Bearer ${env:VAR}") },
        start: Start::WithFolder(WORKSPACE),
        next_project: "open the project in VS Code, run `MCP: List Servers`, start the server and trust it when asked",
        next_user: "run `MCP: List Servers` in VS Code, start the server and trust it when asked",
    },
    Client {
        name: "codex",
        title: "Codex",
        format: Format::Toml,
        key: "mcp_servers",
        project: Some(".codex/config.toml"),
        user: UserFile::movable("~/.codex/config.toml", env_vars::CODEX_HOME, "config.toml"),
        programs: &["codex"],
        shape: Shape {
            typed: Typed::Never,
            env: false,
            url: "url",
            token: Token::Key("bearer_token_env_var"),
        },
        start: Start::InProject,
        next_project: "start `codex` in the project and trust the project when asked; `/mcp` shows the server",
        next_user: "start `codex` anew; `/mcp` shows the server",
    },
    Client {
        name: "zed",
        title: "Zed",
        format: Format::Json,
        key: "context_servers",
        project: Some(".zed/settings.json"),
        user: UserFile {
            moved: None,
            linux: "$XDG_CONFIG_HOME/zed/settings.json",
            macos: "~/.config/zed/settings.json",
            windows: "$APPDATA/Zed/settings.json",
        },
        programs: &["zed", "zeditor"],
        shape: Shape { typed: Typed::Never, env: true, url: "url", token: Token::Unsupported },
        start: Start::InProject,
        next_project: "open the project in Zed and trust it; the settings of the Agent Panel show a green dot",
        next_user: "look at the settings of the Agent Panel in Zed; the server should have a green dot",
    },
    Client {
        name: "windsurf",
        title: "Windsurf",
        format: Format::Json,
        key: "mcpServers",
        project: None,
        user: UserFile::everywhere("~/.codeium/windsurf/mcp_config.json"),
        programs: &["windsurf"],
        shape: Shape {
            typed: Typed::Never,
            env: false,
            url: "serverUrl",
            token: Token::Header("Bearer ${env:VAR}"),
        },
        start: Start::InProject,
        next_project: "",
        next_user: "press Refresh in the MCP section of the Cascade panel, or start Windsurf anew",
    },
    Client {
        name: "gemini",
        title: "Gemini CLI",
        format: Format::Json,
        key: "mcpServers",
        project: Some(".gemini/settings.json"),
        user: UserFile::movable(
            "~/.gemini/settings.json",
            env_vars::GEMINI_CLI_HOME,
            ".gemini/settings.json",
        ),
        programs: &["gemini"],
        shape: Shape {
            typed: Typed::Never,
            env: false,
            url: "httpUrl",
            token: Token::Header("Bearer ${VAR}"),
        },
        start: Start::InProject,
        next_project: "start `gemini` in the project and trust the folder when asked; `/mcp` shows the server",
        next_user: "start `gemini` anew; `/mcp` shows the server",
    },
];

/// The client of this name.
pub(super) fn find(name: &str) -> Option<&'static Client> {
    CLIENTS.iter().find(|client| client.name == name)
}

/// The names, for the command line.
pub(crate) fn names() -> PossibleValuesParser {
    PossibleValuesParser::new(CLIENTS.iter().map(|client| PossibleValue::new(client.name).help(client.title)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_whole() {
        for client in CLIENTS {
            assert!(std::ptr::eq(find(client.name).unwrap(), client), "{} is there twice", client.name);
            assert_eq!(client.project.is_some(), !client.next_project.is_empty(), "{}", client.name);
            assert!(!client.next_user.is_empty() && !client.programs.is_empty(), "{}", client.name);
            for path in [client.user.linux, client.user.macos, client.user.windows] {
                let known = ["~/", "$XDG_CONFIG_HOME/", "$APPDATA/"];
                assert!(known.iter().any(|start| path.starts_with(start)), "{path}");
            }
            if let Token::Header(header) = client.shape.token {
                assert_eq!(header.matches("VAR").count(), 1, "{header}");
            }
        }
    }
}
