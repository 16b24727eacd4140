//! Versions of runtimes and dependencies, editions, licences, names of packages.

use std::collections::HashSet;
use std::sync::Arc;

use super::super::known::{Packages, is_about_this};
use crate::facts::code::parts;
use crate::facts::package::{Package, Stated};
use crate::facts::pins::Pins;
use crate::{Claim, Facts, Outcome, Place, Subject, World};

/// Everything that manifests and their kin state, with the files.
struct Statements(Vec<(String, Stated)>);

/// Everything that manifests depend on, by name.
pub(crate) struct Dependencies(pub(crate) HashSet<String>);

impl Dependencies {
    pub(crate) fn of(world: &World) -> Arc<Self> {
        world.once(|world| {
            let all = Statements::of(world);
            let dependencies = all.0.iter().filter(|(_, stated)| stated.of == "dependency");
            Self(dependencies.map(|(_, stated)| stated.name.clone()).collect())
        })
    }

    /// Whether code of Rust can call one of them this.
    pub(in crate::checks) fn have_crate(&self, name: &str) -> bool {
        self.0.contains(name) || name.contains('_') && self.0.contains(&name.replace('_', "-"))
    }
}

impl Statements {
    fn of(world: &World) -> Arc<Self> {
        world.once(|world| {
            let mut all = Vec::new();
            for path in world.files().filter(|path| is_about_this(path)) {
                if Package::applies(path) {
                    let package = world.facts::<Package>(path);
                    all.extend(
                        package
                            .iter()
                            .flat_map(|package| package.values.clone())
                            .map(|stated| (path.to_owned(), stated)),
                    );
                } else if Pins::applies(path) {
                    let pins = world.facts::<Pins>(path);
                    all.extend(
                        pins.iter()
                            .flat_map(|pins| pins.values.clone())
                            .map(|stated| (path.to_owned(), stated)),
                    );
                }
            }
            Self(all)
        })
    }

    fn about(&self, is_right: impl Fn(&str, &Stated) -> bool) -> Vec<(&str, &Stated)> {
        self.0
            .iter()
            .filter(|(path, stated)| is_right(path, stated))
            .map(|(path, stated)| (path.as_str(), stated))
            .collect()
    }
}

/// Words in the paths of files that pin a runtime, or use one.
pub(super) const PINS: &[&str] = &[
    "Dockerfile",
    "dockerfile",
    "gitlab-ci",
    "go-version",
    "java-version",
    "mise",
    "node-version",
    "nvmrc",
    "package",
    "python-version",
    "ruby-version",
    "rust-toolchain",
    "tool-versions",
    "workflows",
];

/// "Node 18 or later": what a manifest requires decides; a version that somebody pins, or tests with, only has to do.
pub(super) fn minimum(name: &str, value: &str, file: &str, world: &World) -> Outcome {
    let all = Statements::of(world);
    let is_pinned = |path: &str, stated: &Stated| {
        stated.of == "image"
            || Pins::applies(path) && !path.ends_with("pom.xml") && !path.contains("build.gradle")
            // `packageManager`
            || matches!(name, "npm" | "pnpm" | "yarn") && stated.value.starts_with(|c: char| c.is_ascii_digit())
    };
    let is_named = |stated: &Stated| matches!(stated.of.as_str(), "image" | "runtime") && stated.name == name;
    let required = all.about(|path, stated| is_named(stated) && !is_pinned(path, stated));
    let outcome = of_own_package(compare_least(value, file, &required), file, world);
    if !matches!(outcome, Outcome::NotOurs | Outcome::Missing { .. }) {
        return outcome;
    }
    let wanted = numbers(value).first().map(|number| sortable(number)).unwrap_or_default();
    let does = |stated: &Stated| numbers(&stated.value).iter().any(|number| sortable(number) >= wanted);
    let pinned = all.about(|path, stated| is_named(stated) && is_pinned(path, stated) && does(stated));
    match pinned.first() {
        Some(first) => Outcome::valid(place(first)),
        None => outcome,
    }
}

pub(super) fn runtime(name: &str, value: &str, file: &str, world: &World) -> Outcome {
    let all = Statements::of(world);
    let required = all.about(|_, stated| stated.of == "runtime" && stated.name == name);
    let tested = all.about(|_, stated| stated.of == "image" && stated.name == name);
    let outcome = of_own_package(compare(value, file, &required), file, world);
    if outcome.is_valid() || tested.is_empty() {
        return outcome;
    }
    // What a container or CI uses says nothing about what is needed where a manifest says that.
    match (compare(value, file, &tested), outcome) {
        (_, outcome @ Outcome::Differs { .. }) => outcome,
        (Outcome::Valid { found }, _) => Outcome::Valid { found },
        (other, Outcome::NotOurs) => other,
        (_, outcome) => outcome,
    }
}

/// A page in a package that states nothing itself is not refuted by other packages.
fn of_own_package(outcome: Outcome, file: &str, world: &World) -> Outcome {
    let Outcome::Differs { found, .. } = &outcome else { return outcome };
    let is_elsewhere = found.iter().all(|place| !is_above(&place.path, file));
    let is_own = |manifest: &String| manifest.contains('/') && is_above(manifest, file);
    let in_package = || {
        ["Cargo.toml", "package.json", "pyproject.toml"]
            .iter()
            .any(|name| world.named(name).iter().any(is_own))
    };
    if is_elsewhere && in_package() { Outcome::NotOurs } else { outcome }
}

/// A version of one of our packages, or of one that we depend on too.
pub(super) fn dependency(claim: &Claim, file: &str, world: &World) -> Outcome {
    let Subject::Value { name, value, .. } = &claim.subject else { return Outcome::NotOurs };
    let (ecosystem, bare) = name.split_once(':').unwrap_or(("", name));
    let bare = bare_name(bare);
    let is_ecosystem = |path: &str| {
        let manifest = path.rsplit('/').next().unwrap_or(path);
        match ecosystem {
            "cargo" => manifest.starts_with("Cargo."),
            "npm" => manifest == "package.json",
            "pypi" => {
                manifest.ends_with(".txt")
                    || manifest.ends_with(".toml")
                    || manifest.starts_with("setup")
                    || manifest.ends_with(".lock")
            }
            "go" => manifest == "go.mod",
            "maven" => manifest == "pom.xml" || manifest.starts_with("build.gradle"),
            _ => true,
        }
    };
    let is_name = |stated: &Stated| same_name(&stated.name, bare);
    let all = Statements::of(world);
    let owns = |path: &str| {
        world
            .facts::<Package>(path)
            .is_some_and(|package| package.names.iter().any(|own| same_name(own, bare)))
    };
    let own = all.about(|path, stated| stated.of == "version" && is_ecosystem(path) && owns(path));
    if !own.is_empty() {
        let outcome = compare(value, file, &own);
        // Readers install the last release, which nothing states while the next one is being made.
        if let Some(next) = own.iter().find(|(_, stated)| is_prerelease(&stated.value)) {
            return Outcome::valid(place(next));
        }
        let range = Range::of(claim, value, ecosystem);
        let does = |(_, stated): &&(&str, &Stated)| range.takes(value, &stated.value);
        return match own.iter().find(does) {
            Some(found) if !outcome.is_valid() => Outcome::valid(place(found)),
            _ => outcome,
        };
    }
    // In the manifest of a package of their own readers depend on what they like.
    if claim.kind == "sample_manifest" {
        return Outcome::NotOurs;
    }
    // Only a manifest above the document speaks for it; a page about a package manager installs anything.
    let is_ecosystem = |path: &str| is_ecosystem(path) && is_above(path, file);
    let wanted = all.about(|path, stated| stated.of == "dependency" && is_ecosystem(path) && is_name(stated));
    let outcome = compare(value, file, &wanted);
    if outcome.is_valid() {
        return outcome;
    }
    let does = |(_, stated): &&(&str, &Stated)| {
        ecosystem == "cargo" && Range::Compatible.takes(value, &stated.value)
    };
    if let Some(found) = wanted.iter().find(does) {
        return Outcome::valid(place(found));
    }
    let locked = all.about(|path, stated| stated.of == "locked" && is_ecosystem(path) && is_name(stated));
    match compare(value, file, &locked) {
        Outcome::Valid { found } => Outcome::Valid { found },
        _ => outcome,
    }
}

pub(super) fn edition(value: &str, file: &str, world: &World) -> Outcome {
    let all = Statements::of(world);
    compare(value, file, &all.about(|_, stated| stated.of == "edition"))
}

/// What the nearest folder above a page says that says anything.
pub(super) fn licence(id: &str, value: &str, file: &str, world: &World) -> Outcome {
    let id = if id.is_empty() { value } else { id };
    let all = Statements::of(world);
    let mut stated = all.about(|path, stated| stated.of == "licence" && is_above(path, file));
    let depth = |(path, _): &(&str, &Stated)| path.matches('/').count();
    let nearest = stated.iter().map(depth).max();
    stated.retain(|it| Some(depth(it)) == nearest);
    let wanted = plain(id);
    let found: Vec<Place> =
        stated.iter().filter(|(_, stated)| plain(&stated.value).contains(&wanted)).map(place).collect();
    if !found.is_empty() {
        return Outcome::Valid { found };
    }
    match stated.as_slice() {
        [] => Outcome::NotOurs,
        [first, ..] => Outcome::Differs { actual: first.1.value.clone(), found: vec![place(first)] },
    }
}

/// An install line is about this repository when it installs one of its packages, now or once.
pub(super) fn package_name(ecosystem: &str, value: &str, world: &World) -> Outcome {
    // `tool@latest`
    let value = value.rfind('@').filter(|at| *at > 0).and_then(|at| value.get(..at)).unwrap_or(value);
    let all = Statements::of(world);
    let kind = match ecosystem {
        "pypi" => "python",
        other => other,
    };
    let own = all.about(|_, stated| stated.of == "package_name" && stated.name == kind);
    let is_inside = |stated: &Stated| {
        same_name(&stated.value, value)
            || kind == "go"
                && value.strip_prefix(stated.value.as_str()).is_some_and(|rest| rest.starts_with('/'))
    };
    let found: Vec<Place> = own.iter().filter(|(_, stated)| is_inside(stated)).map(place).take(5).collect();
    if !found.is_empty() {
        return Outcome::Valid { found };
    }
    // A release may be made under a name that no manifest has.
    if !world.mentioning(value).is_empty() {
        return Outcome::NotOurs;
    }
    // Packages of others are installed everywhere; one that is called like a program of ours may have been ours.
    let words = parts(value);
    let is_like = |name: &str| parts(name).iter().any(|part| part.len() > 3 && words.contains(part));
    let programs = &Packages::of(world).programs;
    if own.iter().any(|(_, stated)| is_like(&stated.value)) || programs.iter().any(|(name, _)| is_like(name))
    {
        return Outcome::missing("names of this repository's packages");
    }
    Outcome::NotOurs
}

/// `0.9.0-alpha.1`, `2.0.0.dev3`, `3.0.0-SNAPSHOT`
fn is_prerelease(version: &str) -> bool {
    let version = version.trim_start_matches('v').to_lowercase();
    let is_number = version.starts_with(|c: char| c.is_ascii_digit());
    is_number
        && ["alpha", "beta", "canary", "dev", "next", "rc", "snapshot"]
            .iter()
            .any(|mark| version.contains(mark))
}

/// The name without its group: `org.apache.tika:tika-core` → `tika-core`.
pub(super) fn bare_name(name: &str) -> &str {
    name.rsplit(':').next().unwrap_or(name)
}

fn same_name(left: &str, right: &str) -> bool {
    let fold = |name: &str| name.to_lowercase().replace(['_', '.'], "-");
    fold(left) == fold(right)
}

/// A licence's name in letters and digits.
fn plain(licence: &str) -> String {
    licence.to_lowercase().replace("license", "").chars().filter(|c| c.is_alphanumeric()).collect()
}

fn place((path, stated): &(&str, &Stated)) -> Place {
    Place::at(*path, stated.line)
}

/// As [`compare`], for the least that is needed: the first of several ranges decides, `16` of `^16.10 || ^18`.
fn compare_least(value: &str, file: &str, stated: &[(&str, &Stated)]) -> Outcome {
    let outcome = compare(value, file, stated);
    let Outcome::Valid { found } = &outcome else { return outcome };
    let Some(wanted) = numbers(value).into_iter().next() else { return outcome };
    let is_found = |path: &str, stated: &Stated| found.contains(&place(&(path, stated)));
    let least = |stated: &Stated| numbers(&stated.value).into_iter().min_by_key(|number| sortable(number));
    let is_least = |(path, stated): &(&str, &Stated)| {
        !is_found(path, stated) || least(stated).is_some_and(|least| is_same(&wanted, &least))
    };
    if stated.iter().all(is_least) { outcome } else { Outcome::NotOurs }
}

/// Whether a statement agrees, of those that are nearest to the document: another package may need something else.
fn compare(value: &str, file: &str, stated: &[(&str, &Stated)]) -> Outcome {
    let Some(wanted) = numbers(value).into_iter().next() else { return Outcome::NotOurs };
    let numbered: Vec<_> = stated.iter().filter(|(_, stated)| !numbers(&stated.value).is_empty()).collect();
    let Some(nearest) = numbered.iter().map(|(path, _)| distance(file, path)).min() else {
        return Outcome::NotOurs;
    };
    // The manifest of a site is nearest to its pages, and they are about what lies above.
    let is_near = |path: &str| distance(file, path) == nearest;
    let agrees = |stated: &Stated| numbers(&stated.value).iter().any(|other| is_same(&wanted, other));
    let found: Vec<Place> = numbered
        .iter()
        .filter(|(path, stated)| (is_near(path) || is_above(path, file)) && agrees(stated))
        .map(|stated| place(stated))
        .take(5)
        .collect();
    let near: Vec<_> = numbered.into_iter().filter(|(path, _)| is_near(path)).collect();
    if !found.is_empty() {
        return Outcome::Valid { found };
    }
    // Another package than the nearest may be meant: a site has a manifest above its pages.
    // And the modules of a build for the JVM state what differs from the whole.
    let is_module = |(path, _): &(&str, &Stated)| path.ends_with("pom.xml") || path.contains("build.gradle");
    if (nearest > 0 || stated.iter().any(is_module)) && of_any(&wanted, stated) {
        return Outcome::NotOurs;
    }
    // Of `^20 || ^22` the first is what is needed at least.
    let mut values: Vec<String> = near
        .iter()
        .filter_map(|(_, stated)| numbers(&stated.value).into_iter().min_by_key(|number| sortable(number)))
        .map(|number| number.get(..wanted.len().min(number.len())).unwrap_or(&number).join("."))
        .collect();
    values.sort();
    values.dedup();
    match values.as_slice() {
        [only] => Outcome::Differs {
            actual: only.clone(),
            found: near.iter().map(|near| place(near)).take(5).collect(),
        },
        several => Outcome::missing(format!("values {}", several.join(", "))),
    }
}

/// Which versions a document asks for, by the sign before the one that it names.
enum Range {
    /// `1.2.3`
    Exact,
    /// `^1.2.3`, which Cargo means without a sign: later ones that change nothing that one can rely on.
    Compatible,
    /// `~1.2.3`, `~>1.2.3`: later ones of the same 1.2.
    Near,
    /// `>=1.2.3`
    Later,
}

impl Range {
    fn of(claim: &Claim, value: &str, ecosystem: &str) -> Self {
        let before = claim.named.split(value).next().unwrap_or_default().trim_end_matches([' ', '=', 'v']);
        match before.chars().next_back() {
            Some('^') => Self::Compatible,
            Some('~') => Self::Near,
            Some('>') if before.ends_with("~>") => Self::Near,
            Some('>') => Self::Later,
            _ if ecosystem == "cargo" => Self::Compatible,
            _ => Self::Exact,
        }
    }

    /// Whether the range from `wanted` on takes a version.
    fn takes(&self, wanted: &str, version: &str) -> bool {
        let number = |text: &str| numbers(text).first().map(|number| sortable(number)).unwrap_or_default();
        let (wanted, version) = (number(wanted), number(version));
        let kept = match self {
            Self::Exact => return false,
            Self::Compatible => {
                wanted.iter().position(|part| *part > 0).map_or(wanted.len(), |first| first + 1)
            }
            Self::Near => wanted.len().min(2),
            Self::Later => 0,
        };
        !wanted.is_empty() && wanted.get(..kept) == version.get(..kept) && version >= wanted
    }
}

/// Whether any of the statements agrees.
fn of_any(wanted: &[String], stated: &[(&str, &Stated)]) -> bool {
    stated.iter().any(|(_, stated)| numbers(&stated.value).iter().any(|other| is_same(wanted, other)))
}

/// Whether a manifest lies in the folder of a document, or above it.
fn is_above(manifest: &str, file: &str) -> bool {
    manifest
        .rsplit_once('/')
        .is_none_or(|(folder, _)| file.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/')))
}

/// How many folders a document and a manifest do not share.
fn distance(file: &str, manifest: &str) -> usize {
    let folders = |path: &str| {
        path.split('/')
            .rev()
            .skip(1)
            .collect::<Vec<_>>()
            .into_iter()
            .rev()
            .map(str::to_owned)
            .collect::<Vec<_>>()
    };
    let (file, manifest) = (folders(file), folders(manifest));
    let shared = file.iter().zip(&manifest).take_while(|(left, right)| left == right).count();
    // A manifest above a document speaks for it; one in another branch less.
    (manifest.len() - shared) * 10 + (file.len() - shared)
}

/// A version by which it can be put in order.
fn sortable(version: &[String]) -> Vec<u64> {
    version.iter().map(|part| part.parse().unwrap_or(0)).collect()
}

/// Whether the first of two versions is the lower one.
pub(crate) fn is_lower(one: &str, other: &str) -> bool {
    let first = |version: &str| numbers(version).first().map(|number| sortable(number));
    matches!((first(one), first(other)), (Some(one), Some(other)) if one < other)
}

/// The same as far as both go.
fn is_same(left: &[String], right: &[String]) -> bool {
    left.iter().zip(right).all(|(left, right)| left == right || right == "x" || right == "*")
}

/// The versions in a requirement, without upper bounds: `^20.19.0 || >=22.12` → 20.19.0 and 22.12.
fn numbers(requirement: &str) -> Vec<Vec<String>> {
    let mut found = Vec::new();
    let words = requirement
        .split(|c: char| c.is_whitespace() || c == ',' || c == '|')
        .filter(|word| !word.is_empty());
    let mut is_upper = false;
    for word in words {
        is_upper |= word.starts_with('<') || word.starts_with("!=");
        let number = word.trim_start_matches(|c: char| !c.is_ascii_digit());
        if number.is_empty() {
            continue;
        }
        if !std::mem::take(&mut is_upper) {
            let end = number
                .find(|c: char| !(c.is_ascii_alphanumeric() || ".*".contains(c)))
                .unwrap_or(number.len());
            let number = number.get(..end).unwrap_or(number);
            found.push(number.trim_end_matches('.').split('.').map(str::to_owned).collect());
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::numbers;

    #[test]
    fn the_versions_of_a_requirement() {
        let read = |text: &str| numbers(text).iter().map(|number| number.join(".")).collect::<Vec<_>>();
        assert_eq!(read("^20.19.0 || >=22.12.0"), ["20.19.0", "22.12.0"]);
        assert_eq!(read(">=3.9,<4.0"), ["3.9"]);
        assert_eq!(read(">= 3.9, < 4.0"), ["3.9"]);
        assert_eq!(read("v1.2.3"), ["1.2.3"]);
        assert_eq!(read("1.80"), ["1.80"]);
        assert!(read("workspace:*").is_empty());
        assert!(read("latest").is_empty());
    }
}
