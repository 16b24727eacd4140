//! Scripts, targets, tasks, packages and features that a manifest defines.
//!
//! A name is looked for in the manifest of the folder or package that the command names, and otherwise in all of them: a
//! page rarely says from where its commands are to be run. That none defines it is only said of kinds that nothing else
//! could bring; whether it ever was otherwise is for history to say.

mod manifest;
mod readers;
mod targets;

use std::sync::Arc;

use manifest::Manifest;

use super::paths::{folder, join, shared};
use crate::{Claim, Facts, Outcome, Place, Subject, Suggestion, World};

/// All manifests of a state, with their paths.
struct Manifests(Vec<(String, Arc<Manifest>)>);

impl Manifests {
    fn of(world: &World) -> Self {
        let is_foreign = |path: &str| {
            path.split('/').any(|part| matches!(part, "node_modules" | "vendor" | "third_party"))
        };
        let paths = world.files().filter(|path| Manifest::applies(path) && !is_foreign(path));
        Self(paths.filter_map(|path| Some((path.to_owned(), world.facts::<Manifest>(path)?))).collect())
    }

    /// Manifests that define things of this kind.
    fn of_kind<'m>(&'m self, kind: &'m str) -> impl Iterator<Item = &'m (String, Arc<Manifest>)> {
        self.0.iter().filter(move |(path, _)| manifest::defines(path, kind))
    }
}

/// A command, where it stands, and the state in which it is looked up.
struct Query<'q> {
    by: &'q str,
    name: &'q str,
    within: Option<&'q str>,
    file: &'q str,
    world: &'q World,
    manifests: Arc<Manifests>,
}

/// Which manifests a command means.
enum Scope {
    Anywhere,
    In(Vec<String>),
    /// It names a folder or package that is not there.
    Unknown,
}

impl Scope {
    fn holds(&self, path: &String) -> bool {
        match self {
            Self::Anywhere => true,
            Self::In(paths) => paths.contains(path),
            Self::Unknown => false,
        }
    }
}

pub(super) fn check(claim: &Claim, file: &str, world: &World) -> Outcome {
    let Subject::Defined { by, name, within } = &claim.subject else { return Outcome::NotOurs };
    let manifests = world.once(Manifests::of);
    let query = Query { by, name, within: within.as_deref(), file, world, manifests };
    match by.as_str() {
        "go_package" | "python_module" | "gradle_project" | "maven_module" => query.module(),
        "cargo_bin" | "cargo_example" | "cargo_test" | "cargo_bench" => query.cargo_target(),
        "npm_script_or_program" => query.script_or_program(),
        "cargo_alias" => query.cargo_alias(),
        "cargo_profile" if matches!(name.as_str(), "dev" | "release" | "test" | "bench") => Outcome::NotOurs,
        _ => query.defined(),
    }
}

pub(super) fn needles(claim: &Claim) -> Vec<String> {
    match &claim.subject {
        // Files and folders are enough for these.
        Subject::Defined { by, .. }
            if matches!(
                by.as_str(),
                "go_package"
                    | "python_module"
                    | "gradle_project"
                    | "maven_module"
                    | "cargo_bin"
                    | "cargo_example"
                    | "cargo_test"
                    | "cargo_bench"
            ) =>
        {
            Vec::new()
        }
        Subject::Defined { name, .. } => {
            let last = name.rsplit(['/', ':']).next().unwrap_or(name);
            vec![last.to_owned()]
        }
        _ => Vec::new(),
    }
}

/// The name that is closest to the one that is gone.
pub(super) fn suggest(claim: &Claim, file: &str, now: &World, then: &World) -> Option<Suggestion> {
    let Subject::Defined { by, name, within } = &claim.subject else { return None };
    let manifests = now.once(Manifests::of);
    let query =
        Query { by, name, within: within.as_deref(), file, world: now, manifests: Arc::clone(&manifests) };
    let before = then.once(Manifests::of);
    let was_known = |candidate: &str| {
        before.of_kind(by).any(|(_, manifest)| manifest.line(query.kind(), candidate).is_some())
    };
    let replaced = |candidate: &str| {
        let at = claim.named.rfind(name.as_str())?;
        Some(format!("{}{candidate}{}", &claim.named[..at], &claim.named[at + name.len()..]))
    };
    // A manifest has one package, and another one in its place is the same under a new name.
    let is_package = matches!(by.as_str(), "cargo_package" | "npm_workspace");
    if is_package {
        let mut manifests = before.of_kind(by).filter(|(_, manifest)| manifest.line(by, name).is_some());
        let (path, _) = manifests.next()?;
        let here = manifests.next().is_none().then(|| now_at(&query, path)).flatten();
        if let Some(candidate) = here.filter(|candidate| !was_known(candidate)) {
            let reason = format!("the package of `{path}` now");
            return Some(Suggestion { replacement: replaced(&candidate)?, is_certain: false, reason });
        }
    }
    let scope = query.scope();
    let mut best: Option<(usize, &str)> = None;
    let mut is_tied = false;
    for (path, manifest) in manifests.of_kind(query.kind()) {
        if !scope.holds(path) {
            continue;
        }
        for candidate in manifest.names(query.kind()) {
            // What stood beside it is not what it became: `uninstall` for `install`.
            if was_known(candidate) {
                continue;
            }
            let distance = distance(name, candidate);
            match best {
                Some((known, other)) if known == distance && other != candidate => is_tied = true,
                Some((known, _)) if known <= distance => {}
                _ => {
                    best = Some((distance, candidate));
                    is_tied = false;
                }
            }
        }
    }
    let (distance, candidate) = best?;
    let is_close = distance <= (name.len() / 3).max(1) || is_part(name, candidate);
    if is_tied || !is_close {
        return None;
    }
    let replacement = replaced(candidate)?;
    Some(Suggestion { replacement, is_certain: false, reason: "the closest name that is defined".to_owned() })
}

/// The package of a manifest, when it has one.
fn now_at(query: &Query<'_>, path: &str) -> Option<String> {
    let mut here = query.manifests.of_kind(query.kind()).filter(|(known, _)| *known == path);
    let (_, manifest) = here.next()?;
    manifest.names(query.kind()).next().map(str::to_owned)
}

/// Whether one name is the other with more words: `server` and `run-server`.
fn is_part(name: &str, candidate: &str) -> bool {
    let parts = |text: &str| text.split(['-', ':', '_', '.']).map(str::to_owned).collect::<Vec<_>>();
    let (short, long) = (parts(name), parts(candidate));
    short.iter().all(|part| long.contains(part)) || long.iter().all(|part| short.contains(part))
}

/// How many letters have to be changed.
fn distance(one: &str, other: &str) -> usize {
    let other: Vec<char> = other.chars().take(100).collect();
    let mut row: Vec<usize> = (0..=other.len()).collect();
    for (at, letter) in one.chars().take(100).enumerate() {
        let mut diagonal = row[0];
        row[0] = at + 1;
        for (column, known) in other.iter().enumerate() {
            let changed = diagonal + usize::from(letter != *known);
            diagonal = row[column + 1];
            row[column + 1] = changed.min(diagonal + 1).min(row[column] + 1);
        }
    }
    row.last().copied().unwrap_or_default()
}

impl Query<'_> {
    /// The word under which manifests keep such names.
    fn kind(&self) -> &str {
        if self.by == "npm_script_or_program" { "npm_script" } else { self.by }
    }

    /// The manifests that the command means.
    fn scope(&self) -> Scope {
        let Some(within) = self.within else { return Scope::Anywhere };
        let candidates = [join(folder(self.file), within), join("", within)];
        if let Some(path) = candidates.into_iter().flatten().find(|path| self.world.entry(path).is_some()) {
            // Cargo knows all packages of a workspace.
            return match self.by.starts_with("cargo_") {
                true => Scope::Anywhere,
                false => Scope::In(self.nearest(&path)),
            };
        }
        let is_package = |manifest: &Manifest| manifest.name.as_deref() == Some(within);
        let of_package = self.manifests.0.iter().filter(|(_, manifest)| is_package(manifest));
        let of_package: Vec<String> = of_package.map(|(path, _)| path.clone()).collect();
        match of_package.is_empty() {
            false => Scope::In(of_package),
            // `cd name` is mostly the folder of the clone.
            true if !within.contains('/') => Scope::Anywhere,
            true => Scope::Unknown,
        }
    }

    /// The manifests in a folder, or in the next one above that has any.
    fn nearest(&self, mut at: &str) -> Vec<String> {
        loop {
            let is_here = |path: &&String| folder(path) == at || path.as_str() == at;
            let here = self.manifests.of_kind(self.kind()).map(|(path, _)| path).filter(is_here);
            let here: Vec<String> = here.cloned().collect();
            if !here.is_empty() || at.is_empty() {
                return here;
            }
            at = folder(at);
        }
    }

    fn defined(&self) -> Outcome {
        let scope = self.scope();
        // That the folder or package is not there is told by the claim about it.
        if matches!(scope, Scope::Unknown) {
            return Outcome::NotOurs;
        }
        let mut is_open = false;
        let mut looked = 0;
        // The nearest to the page first.
        let mut manifests: Vec<_> = self.manifests.of_kind(self.kind()).collect();
        manifests.sort_by_key(|(path, _)| std::cmp::Reverse(shared(path, self.file)));
        for (path, manifest) in manifests {
            if !scope.holds(path) {
                continue;
            }
            looked += 1;
            if let Some(line) = manifest.find(self.kind(), self.name) {
                return Outcome::valid(Place::at(path, line));
            }
            is_open |= manifest.is_open;
        }
        // Make knows how to build what is a file, or what an included file that is not here defines.
        let is_file = self.by == "make_target" && self.world.entry(self.name).is_some();
        if is_open || is_file {
            return Outcome::NotOurs;
        }
        Outcome::missing(match looked {
            0 => format!("no {}", manifest::described(self.kind())),
            1 => format!("one {}", manifest::described(self.kind())),
            many => format!("{many} {}s", manifest::described(self.kind())),
        })
    }

    /// `yarn x` runs a script, or a program that a dependency brings.
    fn script_or_program(&self) -> Outcome {
        let outcome = self.defined();
        let Outcome::Missing { .. } = outcome else { return outcome };
        let is_dependency = |name: &&str| {
            let bare = name.rsplit('/').next().unwrap_or(name);
            bare == self.name
                || bare.trim_end_matches("-cli") == self.name
                || name
                    .trim_start_matches('@')
                    .split('/')
                    .next()
                    .is_some_and(|scope| scope.trim_end_matches('s') == self.name)
        };
        let brings = |manifest: &Manifest| {
            let name = manifest.names("npm_dependency").find(is_dependency)?;
            manifest.line("npm_dependency", name)
        };
        let mut manifests = self.manifests.of_kind("npm_script").peekable();
        if manifests.peek().is_none() {
            return Outcome::NotOurs;
        }
        let brought = manifests.find_map(|(path, manifest)| Some(Place::at(path, brings(manifest)?)));
        brought.map_or(outcome, Outcome::valid)
    }

    /// An alias, or a package of the repository that adds a command.
    fn cargo_alias(&self) -> Outcome {
        let program = format!("cargo-{}", self.name);
        let package =
            self.manifests.0.iter().find(|(_, manifest)| manifest.name.as_deref() == Some(program.as_str()));
        if let Some((path, _)) = package {
            return Outcome::valid(Place::of(path));
        }
        let has_aliases = self.manifests.of_kind("cargo_alias").next().is_some();
        match self.defined() {
            Outcome::Missing { .. } if !has_aliases && self.name != "xtask" => Outcome::NotOurs,
            outcome => outcome,
        }
    }
}
