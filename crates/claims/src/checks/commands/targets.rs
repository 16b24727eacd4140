//! What the layout of files defines: programs, examples and tests of Cargo, packages of Go, modules of Python.

use super::{Query, folder, join};
use crate::{Outcome, Place};

impl Query<'_> {
    /// A target that `Cargo.toml` names, or that stands where Cargo looks for it.
    pub(super) fn cargo_target(&self) -> Outcome {
        let folder = match self.by {
            "cargo_bin" => "src/bin",
            "cargo_example" => "examples",
            "cargo_test" => "tests",
            _ => "benches",
        };
        let underscored = self.name.replace('-', "_");
        for name in [self.name, underscored.as_str()] {
            for tail in [format!("{folder}/{name}.rs"), format!("{folder}/{name}/main.rs")] {
                if let Some(path) = self.world.ending(&tail).first() {
                    return Outcome::valid(Place::of(*path));
                }
            }
        }
        // A package has a program of its own name.
        let package = self.manifests.0.iter().find(|(path, manifest)| {
            let main = join(super::folder(path), "src/main.rs");
            self.by == "cargo_bin"
                && manifest.name.as_deref() == Some(self.name)
                && main.is_some_and(|main| self.world.entry(&main).is_some())
        });
        match package {
            Some((path, _)) => Outcome::valid(Place::of(path)),
            None => self.defined(),
        }
    }

    /// A package, module or project that is a folder.
    pub(super) fn module(&self) -> Outcome {
        match self.by {
            "go_package" => self.go_package(),
            "python_module" => self.python_module(),
            _ => self.java_module(),
        }
    }

    fn folders(&self, name: &str) -> impl Iterator<Item = String> {
        let within = self.within.unwrap_or_default();
        let bases = [
            join("", within),
            join(folder(self.file), within),
            Some(String::new()),
            Some(folder(self.file).to_owned()),
        ];
        let name = name.to_owned();
        bases.into_iter().flatten().filter_map(move |base| join(&base, &name))
    }

    fn go_package(&self) -> Outcome {
        if let Some(path) = self.folders(self.name).find(|path| self.world.entry(path).is_some()) {
            return Outcome::valid(Place::of(path));
        }
        if let Some(path) = self.world.ending(self.name).first() {
            return Outcome::valid(Place::of(*path));
        }
        match self.world.named("go.mod").is_empty() {
            true => Outcome::NotOurs,
            false => Outcome::missing(format!("`{}/`", self.name)),
        }
    }

    fn python_module(&self) -> Outcome {
        let path = self.name.replace('.', "/");
        let is_package = |path: &str| {
            !self.world.ending(&format!("{path}/__init__.py")).is_empty()
                || !self.world.ending(&format!("{path}/__main__.py")).is_empty()
        };
        let found = [format!("{path}.py"), format!("{path}/__main__.py"), format!("{path}/__init__.py")]
            .iter()
            .find_map(|tail| self.world.ending(tail).first().map(|found| (*found).to_owned()));
        if let Some(found) = found {
            return Outcome::valid(Place::of(found));
        }
        // Anybody's module may be run so; it is ours when its package is.
        let top = path.split('/').next().unwrap_or(&path);
        match path.contains('/') && is_package(top) {
            true => Outcome::missing(format!("`{path}.py`")),
            false => Outcome::NotOurs,
        }
    }

    fn java_module(&self) -> Outcome {
        let path = self.name.replace(':', "/");
        let files = if self.by == "gradle_project" {
            ["build.gradle", "build.gradle.kts"]
        } else {
            ["pom.xml", "pom.xml"]
        };
        for file in files {
            if let Some(found) = self.world.ending(&format!("{path}/{file}")).first() {
                return Outcome::valid(Place::of(*found));
            }
        }
        // Projects may have names that are not those of their folders.
        let is_there = files.iter().any(|file| !self.world.named(file).is_empty());
        let is_folder = self.world.ending(&path).first().map(|found| Place::of(*found));
        match (is_folder, is_there) {
            (Some(found), _) => Outcome::valid(found),
            (None, true) => Outcome::missing(format!("`{path}/{}`", files[0])),
            (None, false) => Outcome::NotOurs,
        }
    }
}
