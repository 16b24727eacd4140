//! What one manifest defines, whatever kind of manifest it is.

use serde::{Deserialize, Serialize};

use super::readers;
use crate::Facts;

/// Names that a manifest defines, each with its kind and line.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(super) struct Manifest {
    /// The name of the package that it describes.
    pub(super) name: Option<String>,
    /// Kind, name, line.
    pub(super) definitions: Vec<(String, String, u32)>,
    /// It also takes definitions from where nobody can look: computed names, files that are not here.
    pub(super) is_open: bool,
}

impl Facts for Manifest {
    const NAME: &'static str = "manifest";
    const VERSION: u32 = 4;

    fn applies(path: &str) -> bool {
        Kind::of(path).is_some()
    }

    fn read(path: &str, bytes: &[u8]) -> Self {
        let text = String::from_utf8_lossy(bytes);
        match Kind::of(path) {
            Some(Kind::Npm) => readers::npm(&text),
            Some(Kind::Cargo) => readers::cargo(&text),
            Some(Kind::CargoConfig) => readers::cargo_config(&text),
            Some(Kind::Make) => readers::make(&text),
            Some(Kind::Just) => readers::just(&text),
            Some(Kind::Task) => readers::task(&text),
            Some(Kind::Compose) => readers::compose(&text),
            Some(Kind::Deno) => readers::deno(&text),
            Some(Kind::Tox) => readers::tox(&text),
            Some(Kind::Nox) => readers::nox(&text),
            None => Self::default(),
        }
    }
}

impl Manifest {
    pub(super) fn add(&mut self, kind: &str, name: impl Into<String>, line: u32) {
        self.definitions.push((kind.to_owned(), name.into(), line));
    }

    /// All names of a kind.
    pub(super) fn names<'m>(&'m self, kind: &'m str) -> impl Iterator<Item = &'m str> {
        self.definitions.iter().filter(move |(known, _, _)| known == kind).map(|(_, name, _)| name.as_str())
    }

    /// The line of exactly this name.
    pub(super) fn line(&self, kind: &str, name: &str) -> Option<u32> {
        self.definitions
            .iter()
            .find(|(known, defined, _)| known == kind && defined == name)
            .map(|(_, _, line)| *line)
    }

    /// The line that makes a name work: its own, that of a pattern, or that of the module which it is in.
    pub(super) fn find(&self, kind: &str, name: &str) -> Option<u32> {
        let by_pattern = || {
            let patterns = self
                .definitions
                .iter()
                .filter(|(known, pattern, _)| known == kind && pattern.contains(['%', '*']));
            patterns.into_iter().find(|(_, pattern, _)| matches(pattern, name)).map(|(_, _, line)| *line)
        };
        let in_module = || match kind {
            "just_recipe" => name.split_once("::").and_then(|(module, _)| self.line("just_module", module)),
            "task" => name.split_once(':').and_then(|(namespace, _)| self.line("task_include", namespace)),
            "cargo_feature" => {
                let feature = name.rsplit(['/', ':']).next().filter(|feature| *feature != name)?;
                self.line(kind, feature)
            }
            _ => None,
        };
        self.line(kind, name).or_else(by_pattern).or_else(in_module)
    }
}

/// Whether a name fits a pattern with one `%` or `*`.
fn matches(pattern: &str, name: &str) -> bool {
    let Some((before, after)) = pattern.split_once(['%', '*']) else { return false };
    // A pattern without any letters fits everything, and says nothing.
    !(before.is_empty() && after.is_empty())
        && name.len() > before.len() + after.len()
        && name.starts_with(before)
        && name.ends_with(after)
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Npm,
    Cargo,
    CargoConfig,
    Make,
    Just,
    Task,
    Compose,
    Deno,
    Tox,
    Nox,
}

impl Kind {
    fn of(path: &str) -> Option<Self> {
        let name = path.rsplit('/').next().unwrap_or(path);
        let lower = name.to_ascii_lowercase();
        let is_yaml = lower.ends_with(".yml") || lower.ends_with(".yaml");
        Some(match lower.as_str() {
            "package.json" => Self::Npm,
            "cargo.toml" => Self::Cargo,
            "config.toml" | "config"
                if path.trim_end_matches(name).trim_end_matches('/').ends_with(".cargo") =>
            {
                Self::CargoConfig
            }
            "makefile" | "gnumakefile" => Self::Make,
            _ if lower.ends_with(".mk") || lower.starts_with("makefile.") => Self::Make,
            "justfile" | ".justfile" => Self::Just,
            _ if lower.ends_with(".just") => Self::Just,
            _ if is_yaml && lower.contains("taskfile") => Self::Task,
            _ if is_yaml && (lower.starts_with("docker-compose") || lower.starts_with("compose")) => {
                Self::Compose
            }
            "deno.json" | "deno.jsonc" => Self::Deno,
            "tox.ini" | "tox.toml" => Self::Tox,
            "noxfile.py" => Self::Nox,
            _ => return None,
        })
    }
}

/// Whether a manifest can define names of a kind.
pub(super) fn defines(path: &str, kind: &str) -> bool {
    let wanted: &[Kind] = match kind {
        "npm_script" | "npm_workspace" | "npm_dependency" => &[Kind::Npm],
        "cargo_alias" => &[Kind::CargoConfig],
        "cargo_profile" => &[Kind::Cargo, Kind::CargoConfig],
        "make_target" => &[Kind::Make],
        "just_recipe" => &[Kind::Just],
        "task" => &[Kind::Task],
        "compose_service" => &[Kind::Compose],
        "deno_task" => &[Kind::Deno, Kind::Npm],
        "tox_environment" => &[Kind::Tox],
        "nox_session" => &[Kind::Nox],
        _ => &[Kind::Cargo],
    };
    Kind::of(path).is_some_and(|of| wanted.contains(&of))
}

/// What a reader calls the manifests that define a kind.
pub(super) fn described(kind: &str) -> &'static str {
    match kind {
        "npm_script" | "npm_workspace" => "package.json",
        "cargo_alias" => ".cargo/config.toml",
        "make_target" => "makefile",
        "just_recipe" => "justfile",
        "task" => "taskfile",
        "compose_service" => "compose file",
        "deno_task" => "deno.json",
        "tox_environment" => "tox.ini or tox.toml",
        "nox_session" => "noxfile",
        _ => "Cargo.toml",
    }
}
