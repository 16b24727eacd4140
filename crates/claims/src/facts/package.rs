//! What a manifest says about the package it stands for: its names, its programs, and the values that it states.

mod cargo;
mod other;

use serde::{Deserialize, Serialize};

use super::Facts;

/// What one manifest says.
#[derive(Debug, Default, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Package {
    /// Under which names others import it.
    pub names: Vec<String>,
    /// Programs that it installs.
    pub programs: Vec<String>,
    /// Values that it states.
    pub values: Vec<Stated>,
}

/// A value that a manifest states.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Stated {
    /// As in `Subject::Value`: `runtime`, `dependency`, `licence` …
    pub of: String,
    /// Whose value.
    pub name: String,
    /// As written.
    pub value: String,
    /// Where, from 1.
    pub line: u32,
}

impl Facts for Package {
    const NAME: &'static str = "package";
    const VERSION: u32 = 1;

    fn applies(path: &str) -> bool {
        reader(path).is_some()
    }

    fn read(path: &str, bytes: &[u8]) -> Self {
        let mut package = Self::default();
        if let (Some(read), true) = (reader(path), bytes.len() <= 8 << 20) {
            read(&String::from_utf8_lossy(bytes), &mut package);
        }
        package
    }
}

type Read = fn(&str, &mut Package);

fn reader(path: &str) -> Option<Read> {
    let name = path.rsplit('/').next().unwrap_or(path);
    Some(match name {
        "Cargo.toml" => cargo::cargo,
        "pyproject.toml" => cargo::pyproject,
        "package.json" => other::package_json,
        "setup.cfg" | "setup.py" => other::setup,
        "go.mod" => other::go_mod,
        name if name.ends_with(".cabal") => other::cabal,
        ".goreleaser.yml" | ".goreleaser.yaml" | "goreleaser.yml" | "goreleaser.yaml" => other::goreleaser,
        _ => return None,
    })
}

impl Package {
    pub(super) fn state(&mut self, of: &str, name: &str, value: &str, line: u32) {
        let value = value.trim();
        if !value.is_empty() && value.len() <= 100 && self.values.len() < 20_000 {
            self.values.push(Stated {
                of: of.to_owned(),
                name: name.to_owned(),
                value: value.to_owned(),
                line,
            });
        }
    }
}

/// The first line that holds a key, from 1; manifests are short, and parsers of data formats keep no lines.
fn line_with(text: &str, key: &str) -> u32 {
    let at = text.lines().position(|line| {
        let line = line.trim_start().trim_start_matches(['"', '\'']);
        line.strip_prefix(key).is_some_and(|rest| {
            rest.trim_start_matches(['"', '\'']).trim_start().starts_with(['=', ':', '.'])
        })
    });
    u32::try_from(at.map_or(0, |at| at + 1)).unwrap_or(0).max(1)
}
