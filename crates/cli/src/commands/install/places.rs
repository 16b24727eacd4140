//! Where things are on this machine: the user's folders, the project, the clients' files, programs on PATH.
//!
//! Everything is read from an environment that is handed in, so that tests can make up a machine.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use super::clients::{Client, UserFile};
use crate::args::InstallScope;
use crate::env_vars::{self, Lookup};
use crate::errors::CliError;
use crate::project;

/// The system, as far as paths are concerned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum System {
    Linux,
    MacOs,
    Windows,
}

impl System {
    pub(super) fn current() -> Self {
        match std::env::consts::OS {
            "windows" => Self::Windows,
            "macos" => Self::MacOs,
            _ => Self::Linux,
        }
    }
}

/// This machine, seen from the current folder.
pub(super) struct Places<'a> {
    pub(super) here: PathBuf,
    pub(super) home: PathBuf,
    /// The project around the current folder. A home folder under version control is not one.
    pub(super) project: Option<PathBuf>,
    system: System,
    lookup: Lookup<'a>,
}

impl<'a> Places<'a> {
    pub(super) fn find(system: System, here: &Path, lookup: Lookup<'a>) -> Result<Self, CliError> {
        let variable = if system == System::Windows { env_vars::USERPROFILE } else { env_vars::HOME };
        let home =
            lookup(variable).map(PathBuf::from).filter(|home| home.is_absolute()).ok_or_else(|| {
                CliError::failed("cannot find your home folder", format!("set {variable} to its path"))
            })?;
        let project = project::around(here).filter(|project| !same(project, &home));
        Ok(Self { here: here.to_path_buf(), home, project, system, lookup })
    }

    /// The client's file in this scope, if it has one. A current folder that is in no project stands for the project.
    pub(super) fn file(&self, client: &Client, scope: InstallScope) -> Option<PathBuf> {
        match scope {
            InstallScope::User => Some(self.user_file(&client.user)),
            InstallScope::Project => client.project.map(|path| self.project_folder().join(path)),
        }
    }

    /// The folder that project files are written to.
    pub(super) fn project_folder(&self) -> &Path {
        self.project.as_deref().unwrap_or(&self.here)
    }

    fn user_file(&self, file: &UserFile) -> PathBuf {
        if let Some((variable, under)) = file.moved
            && let Some(folder) = (self.lookup)(variable)
        {
            return self.here.join(folder).join(under);
        }
        let template = match self.system {
            System::Linux => file.linux,
            System::MacOs => file.macos,
            System::Windows => file.windows,
        };
        match template.split_once('/') {
            Some(("$XDG_CONFIG_HOME", under)) => {
                self.folder(env_vars::XDG_CONFIG_HOME, ".config").join(under)
            }
            Some(("$APPDATA", under)) => self.folder(env_vars::APPDATA, "AppData/Roaming").join(under),
            Some((_, under)) => self.home.join(under),
            None => self.home.join(template),
        }
    }

    /// A folder that a variable may name; anything but a full path does not count.
    fn folder(&self, variable: &str, usual: &str) -> PathBuf {
        let named = (self.lookup)(variable).map(PathBuf::from).filter(|folder| folder.is_absolute());
        named.unwrap_or_else(|| self.home.join(usual))
    }

    /// Whether the client seems to be on this machine: its program, its file, or the folder of its file.
    pub(super) fn detects(&self, client: &Client) -> bool {
        let file = self.user_file(&client.user);
        let folder = file.parent().filter(|folder| !same(folder, &self.home));
        file.exists()
            || folder.is_some_and(Path::is_dir)
            || client.programs.iter().any(|program| self.program(program).is_some())
    }

    /// The first program of this name on PATH.
    pub(super) fn program(&self, name: &str) -> Option<PathBuf> {
        let path: OsString = (self.lookup)(env_vars::PATH)?;
        let endings: &[&str] = if self.system == System::Windows { &[".exe", ".cmd"] } else { &[""] };
        std::env::split_paths(&path)
            .filter(|folder| folder.is_absolute())
            .flat_map(|folder| endings.iter().map(move |ending| folder.join(format!("{name}{ending}"))))
            .find(|file| is_program(file))
    }

    /// A path for people: `~` for the home folder.
    pub(super) fn shown(&self, path: &Path) -> String {
        match path.strip_prefix(&self.home) {
            Ok(under) => format!("~{}{}", std::path::MAIN_SEPARATOR, under.display()),
            Err(_) => path.display().to_string(),
        }
    }
}

/// Whether both are the same place, links resolved.
pub(super) fn same(one: &Path, other: &Path) -> bool {
    let real = |path: &Path| std::fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf());
    one == other || real(one) == real(other)
}

#[cfg(unix)]
fn is_program(file: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    file.metadata().is_ok_and(|metadata| metadata.is_file() && metadata.permissions().mode() & 0o111 != 0)
}

#[cfg(not(unix))]
fn is_program(file: &Path) -> bool {
    file.is_file()
}

#[cfg(test)]
mod tests {
    use super::super::clients::{CLIENTS, find};
    use super::*;

    fn user_file(system: System, client: &str, variables: &[(&str, &str)]) -> String {
        let lookup = |name: &str| {
            let home = if name == "HOME" || name == "USERPROFILE" { Some("/home/u") } else { None };
            let named = variables.iter().find(|(variable, _)| *variable == name).map(|(_, value)| *value);
            named.or(home).map(OsString::from)
        };
        let places = Places::find(system, Path::new("/here"), &lookup).unwrap();
        places.user_file(&find(client).unwrap().user).to_str().unwrap().replace('\\', "/")
    }

    #[test]
    fn files_of_the_user_on_each_system() {
        let files = |system| -> Vec<String> {
            CLIENTS.iter().map(|client| user_file(system, client.name, &[])).collect()
        };
        insta::assert_snapshot!(files(System::Linux).join("\n"), @r"
        /home/u/.claude.json
        /home/u/.cursor/mcp.json
        /home/u/.config/Code/User/mcp.json
        /home/u/.codex/config.toml
        /home/u/.config/zed/settings.json
        /home/u/.codeium/windsurf/mcp_config.json
        /home/u/.gemini/settings.json
        ");
        insta::assert_snapshot!(files(System::MacOs).join("\n"), @r"
        /home/u/.claude.json
        /home/u/.cursor/mcp.json
        /home/u/Library/Application Support/Code/User/mcp.json
        /home/u/.codex/config.toml
        /home/u/.config/zed/settings.json
        /home/u/.codeium/windsurf/mcp_config.json
        /home/u/.gemini/settings.json
        ");
        insta::assert_snapshot!(files(System::Windows).join("\n"), @r"
        /home/u/.claude.json
        /home/u/.cursor/mcp.json
        /home/u/AppData/Roaming/Code/User/mcp.json
        /home/u/.codex/config.toml
        /home/u/AppData/Roaming/Zed/settings.json
        /home/u/.codeium/windsurf/mcp_config.json
        /home/u/.gemini/settings.json
        ");
    }

    #[test]
    fn variables_move_files() {
        let moved = |client, variable, value| user_file(System::Linux, client, &[(variable, value)]);
        assert_eq!(moved("claude-code", "CLAUDE_CONFIG_DIR", "/c"), "/c/.claude.json");
        assert_eq!(moved("codex", "CODEX_HOME", "/c"), "/c/config.toml");
        assert_eq!(moved("codex", "CODEX_HOME", "c"), "/here/c/config.toml");
        assert_eq!(moved("gemini", "GEMINI_CLI_HOME", "/g"), "/g/.gemini/settings.json");
        assert_eq!(moved("zed", "XDG_CONFIG_HOME", "/x"), "/x/zed/settings.json");
        assert_eq!(moved("zed", "XDG_CONFIG_HOME", "x"), "/home/u/.config/zed/settings.json");
        assert_eq!(
            user_file(System::MacOs, "zed", &[("XDG_CONFIG_HOME", "/x")]),
            "/home/u/.config/zed/settings.json"
        );
    }

    #[test]
    fn without_a_home_there_is_an_error() {
        let nothing = |_: &str| None;
        assert!(Places::find(System::Linux, Path::new("/here"), &nothing).is_err());
    }
}
