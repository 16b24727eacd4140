//! Names that code defines: functions, types, members, constants, modules.
//!
//! A definition anywhere makes a plain name valid. A qualified one (`Engine::search`) must be a member of that type or
//! stand in that module; what a type inherits counts. A name that stands in code and is not defined there belongs to
//! somebody else (the standard library, a dependency) and nothing is said about it. Only a name that stands nowhere, or a
//! member that its type does not have, is missing.

mod python;

use super::closest;
use super::known::{Known, Packages, is_aside};
use super::paths::folder;
use super::values::Dependencies;
use crate::facts::code::{Code, Definition, Kind};
use crate::{Claim, Outcome, Place, Subject, Suggestion, World};

pub(super) fn check(claim: &Claim, file: &str, world: &World) -> Outcome {
    let Some((containers, leaf)) = parts(claim) else { return Outcome::NotOurs };
    let packages = Packages::of(world);
    // `env::API_KEY` is how some settings name a variable.
    if containers == ["env"]
        && leaf.bytes().all(|b| b.is_ascii_uppercase() || b.is_ascii_digit() || b == b'_')
    {
        return Outcome::NotOurs;
    }
    // What comes with Rust is there whether code names it or not, and so is what a dependency brings.
    let is_others =
        |first: &str| ["std", "core", "alloc"].contains(&first) || Dependencies::of(world).have_crate(first);
    if claim.named.contains("::")
        && containers.first().is_some_and(|first| !packages.is_ours(first) && is_others(first))
    {
        return Outcome::NotOurs;
    }
    if claim.kind == "import" && !containers.first().is_some_and(|first| packages.is_ours(first)) {
        return Outcome::NotOurs;
    }
    // `typst::syntax::ast`, where `syntax` is another crate under a name of ours.
    if claim.named.contains("::") || claim.kind == "import" {
        let inner = containers.get(1..).unwrap_or_default();
        if inner.iter().any(|name| is_passed_on(name, world)) {
            return Outcome::NotOurs;
        }
    }
    if let Some(outcome) = python::module(claim, &containers, leaf, world) {
        return outcome;
    }
    match containers.last() {
        None if claim.kind == "name" => joined(leaf, world),
        None => plain(leaf, world),
        Some(container) if packages.is_ours(container) => plain(leaf, world),
        Some(container) => {
            // A package of Go need not be called like its folder, and a page in that folder is about it.
            let beside = Known::about(leaf, world).places(|path, found| {
                path.ends_with(".go") && found.within().is_none() && folder(path) == folder(file)
            });
            match beside.is_empty() {
                true => match member(container, leaf, claim.named.contains("::"), world) {
                    Outcome::Missing { .. } if is_imported_there(claim, &containers, leaf, world) => {
                        Outcome::NotOurs
                    }
                    outcome => outcome,
                },
                false => Outcome::Valid { found: beside },
            }
        }
    }
}

pub(super) fn needles(claim: &Claim) -> Vec<String> {
    let Some((containers, leaf)) = parts(claim) else { return Vec::new() };
    let is_word = |name: &&str| name.chars().all(|character| character.is_alphanumeric() || character == '_');
    std::iter::once(leaf).chain(containers.last().copied().filter(is_word)).map(str::to_owned).collect()
}

pub(super) fn suggest(claim: &Claim, file: &str, now: &World, then: &World) -> Option<Suggestion> {
    let (containers, leaf) = parts(claim)?;
    let Outcome::Valid { found } = check(claim, file, then) else { return None };
    // The member may be right and its type renamed.
    let Some(container) = containers.last().copied() else {
        return renamed(leaf, &found, now, then).map(|name| replace(claim, leaf, &name));
    };
    let known = Known::about(container, now);
    if !known.is_mentioned() {
        let places = Known::about(container, then).places(|_, _| true);
        return renamed(container, &places, now, then).map(|name| replace(claim, container, &name));
    }
    if let Some((path, moved)) = moved(container, leaf, now, then) {
        let reason = format!("`{leaf}` is defined in {path} now");
        let replacement = claim.named.replacen(container, moved.within()?, 1);
        return Some(Suggestion { replacement, is_certain: false, reason });
    }
    renamed(leaf, &found, now, then).map(|name| replace(claim, leaf, &name))
}

/// Whether code of Rust gives something else this name: `pub use nd_pdk_host as host;`.
fn is_passed_on(name: &str, world: &World) -> bool {
    let gives = |path: &String| {
        let bytes = world.read(path).unwrap_or_default();
        let text = String::from_utf8_lossy(&bytes);
        text.lines().any(|line| {
            let line = line.trim();
            line.starts_with("pub use ") && line.trim_end_matches(';').ends_with(&format!(" as {name}"))
        })
    };
    world.mentioning(name).iter().filter(|path| path.ends_with(".rs")).any(gives)
}

/// What is around the name, and the name.
fn parts(claim: &Claim) -> Option<(Vec<&str>, &str)> {
    let Subject::Symbol { path, .. } = &claim.subject else { return None };
    let is_relative =
        |name: &&str| matches!(*name, "" | "crate" | "self" | "super" | "this" | "Self" | "cls" | "*");
    let mut names: Vec<&str> = path.iter().map(String::as_str).filter(|name| !is_relative(name)).collect();
    let leaf = names.pop()?;
    Some((names, leaf))
}

/// Only what the code of the programs defines counts, and only a name that stands nowhere is missing.
fn joined(leaf: &str, world: &World) -> Outcome {
    let known = Known::about(leaf, world);
    let is_defined = |path: &str, found: &Definition| {
        matches!(found.kind(), Kind::Function | Kind::Constant | Kind::Field | Kind::Type) && !is_aside(path)
    };
    let found = known.places(is_defined);
    if !found.is_empty() {
        return Outcome::Valid { found };
    }
    if known.is_mentioned() {
        return Outcome::NotOurs;
    }
    Outcome::missing(format!("definitions of `{leaf}` in all code"))
}

fn plain(leaf: &str, world: &World) -> Outcome {
    let known = Known::about(leaf, world);
    let mut found = known.places(|_, _| true);
    if found.is_empty() {
        found = known.text_places();
    }
    if found.is_empty() {
        found = known.outlined(leaf, world);
    }
    if found.is_empty() {
        found.extend(module_files(leaf, world).first().map(|path| Place::of(*path)));
    }
    if !found.is_empty() {
        return Outcome::Valid { found };
    }
    if known.is_mentioned() {
        return Outcome::NotOurs;
    }
    Outcome::missing(format!("definitions of `{leaf}` in all code"))
}

/// Modules that come with Python; a file of that name is mostly about it.
const PYTHON: &[&str] = &[
    "abc",
    "asyncio",
    "collections",
    "contextlib",
    "dataclasses",
    "datetime",
    "enum",
    "functools",
    "io",
    "itertools",
    "json",
    "logging",
    "math",
    "os",
    "pathlib",
    "random",
    "re",
    "shutil",
    "socket",
    "subprocess",
    "sys",
    "tempfile",
    "threading",
    "time",
    "typing",
    "unittest",
    "urllib",
    "uuid",
];

fn member(container: &str, leaf: &str, is_strict: bool, world: &World) -> Outcome {
    if !is_strict && PYTHON.contains(&container) {
        return Outcome::NotOurs;
    }
    let owner = Known::about(container, world);
    let known = Known::about(leaf, world);
    let found =
        known.places(|path, found| found.within() == Some(container) || is_in_module(path, container));
    if !found.is_empty() {
        return Outcome::Valid { found };
    }
    let outlined = known.outlined(leaf, world);
    let owners = owner.outlined(container, world);
    let is_in = |places: &[Place], place: &Place| places.iter().any(|other| other.path == place.path);
    if let Some(place) = outlined.iter().find(|place| is_in(&owners, place)) {
        return Outcome::valid(place.clone());
    }
    if owner.is_type() {
        // A type of that name in a language that we do not parse may be meant, and have it in a way that is not seen.
        return match inherited(container, leaf, &known, world) {
            Outcome::Missing { .. } if !owners.is_empty() && known.is_mentioned() => Outcome::NotOurs,
            outcome => outcome,
        };
    }
    let is_distinctive = leaf.len() > 5 && leaf.contains(|c: char| c == '_' || c.is_uppercase());
    let modules = module_files(container, world);
    let is_module =
        !modules.is_empty() || owner.definitions.iter().any(|(_, found)| found.kind() == Kind::Module);
    if is_module {
        let holds = |path: &&str| known.files.iter().any(|file| is_under(file, path));
        let is_glob = |path: &&str| world.facts::<Code>(path).is_some_and(|code| code.is_glob);
        let is_passed_on = modules.iter().any(|path| holds(path) || is_glob(path));
        let places = known.places(|_, _| true);
        if !places.is_empty() && (is_passed_on || !is_strict) {
            return Outcome::Valid { found: places };
        }
        return match (places.is_empty(), known.is_mentioned()) {
            (true, true) => Outcome::NotOurs,
            _ => Outcome::missing(format!("`{leaf}` in the module `{container}`")),
        };
    }
    // Code that we do not parse defines both, in several files; what it only names may be somebody else's.
    if let Some(place) = outlined.iter().find(|place| !owners.is_empty() && is_in(&owner.texts, place)) {
        return Outcome::valid(place.clone());
    }
    if known.texts.iter().any(|place| is_in(&owner.texts, place)) {
        return Outcome::NotOurs;
    }
    let is_value = container.starts_with(|first: char| first.is_lowercase()) || !owner.definitions.is_empty();
    if is_value {
        // `engine.search()`: what `engine` is cannot be known, only whether anything has such a member.
        let found = known.places(|_, found| found.within().is_some() || found.kind() == Kind::Function);
        return match (found.is_empty(), known.is_mentioned()) {
            (false, _) if is_distinctive => Outcome::Valid { found },
            (true, false) if is_distinctive => {
                Outcome::missing(format!("definitions of `{leaf}` in all code"))
            }
            _ => Outcome::NotOurs,
        };
    }
    if owner.is_mentioned() {
        return Outcome::NotOurs;
    }
    Outcome::missing(format!("definitions of `{container}` in all code"))
}

/// Looks for a member in everything that a type of this repository inherits from.
fn inherited(container: &str, leaf: &str, known: &Known, world: &World) -> Outcome {
    let missing = || Outcome::missing(format!("members of `{container}`"));
    // To look for more words costs a search of everything, so what the leaf alone decides comes first.
    if COMMON_MEMBERS.contains(&leaf) {
        return Outcome::NotOurs;
    }
    if !known.is_mentioned() {
        return missing();
    }
    let mut seen = vec![container.to_owned()];
    let mut at = 0;
    while let Some(name) = seen.get(at).cloned() {
        at += 1;
        let found = known.places(|_, found| found.within() == Some(name.as_str()));
        if !found.is_empty() {
            return Outcome::Valid { found };
        }
        let bases = &Known::about(&name, world).bases;
        let fresh: Vec<String> = bases
            .iter()
            .filter(|base| !seen.contains(base) && !DERIVED.contains(&base.as_str()))
            .cloned()
            .collect();
        let direct = known
            .places(|_, found| found.within().is_some_and(|within| fresh.iter().any(|base| base == within)));
        if !direct.is_empty() {
            return Outcome::Valid { found: direct };
        }
        world.look_for(&fresh);
        if seen.len() + fresh.len() > MAX_BASES
            || !fresh.iter().all(|base| Known::about(base, world).is_type())
        {
            return Outcome::NotOurs;
        }
        seen.extend(fresh);
    }
    missing()
}

/// Whether a file belongs to a module, by its name or a folder's.
fn is_in_module(path: &str, module: &str) -> bool {
    path.split('/').any(|component| component.split('.').next() == Some(module))
}

/// Code files and folders with that name.
fn module_files<'w>(module: &str, world: &'w World) -> Vec<&'w str> {
    let mut found: Vec<&str> = Vec::new();
    for extension in ["", ".rs", ".py", ".ts", ".tsx", ".js", ".mjs", ".go", ".java"] {
        found.extend(world.named(&format!("{module}{extension}")).iter().map(String::as_str));
    }
    found.retain(|path| {
        !path.split('/').any(|component| matches!(component, "docs" | "doc" | "website" | ".github"))
    });
    found
}

/// Whether code imports a name from a file of ours that names it: that file may have it from others.
fn is_imported_there(claim: &Claim, containers: &[&str], leaf: &str, world: &World) -> bool {
    let module = containers.join("/");
    let known = Known::about(leaf, world);
    let is_module = |file: &String| {
        let stem = file.rsplit_once('.').map_or(file.as_str(), |(stem, _)| stem);
        let stem = stem.strip_suffix("/__init__").or_else(|| stem.strip_suffix("/index")).unwrap_or(stem);
        stem.strip_suffix(module.as_str()).is_some_and(|rest| rest.is_empty() || rest.ends_with('/'))
    };
    claim.kind == "import" && known.files.iter().any(is_module)
}

fn is_under(file: &str, folder: &str) -> bool {
    file.strip_prefix(folder).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// The same member in another type that did not have it then, when it is the only one.
fn moved(container: &str, leaf: &str, now: &World, then: &World) -> Option<(String, Definition)> {
    let (known, before) = (Known::about(leaf, now), Known::about(leaf, then));
    let is_member = |found: &Definition| {
        let had_it = before.definitions.iter().any(|(_, old)| old.within() == found.within());
        found.within().is_some_and(|within| within != container) && found.kind() != Kind::Key && !had_it
    };
    let mut others = known.definitions.iter().filter(|(_, found)| is_member(found));
    match (others.next(), others.next()) {
        (Some(only), None) => Some(only.clone()),
        _ => None,
    }
}

/// The new name of something that was defined in one of these places: a name that is new in the same file and close to the
/// old one.
fn renamed(name: &str, places: &[Place], now: &World, then: &World) -> Option<String> {
    let mut fresh: Vec<String> = Vec::new();
    for place in places {
        let Some(before) = then.facts::<Code>(&place.path) else { continue };
        let old =
            before.defining(name).first().map(|found| (found.kind(), found.within().map(str::to_owned)));
        let Some(after) = now.facts::<Code>(&place.path).or_else(|| same_name(&place.path, now)) else {
            continue;
        };
        let is_fresh = |found: &&Definition| {
            before.defining(found.name()).is_empty()
                && old.as_ref().is_none_or(|(kind, _)| found.kind() == *kind)
        };
        fresh.extend(after.definitions.iter().filter(is_fresh).map(|found| found.name().to_owned()));
    }
    closest::name(name, &fresh)
}

/// The facts of the only file with the same name, for a file that has moved.
fn same_name(path: &str, now: &World) -> Option<std::sync::Arc<Code>> {
    let name = path.rsplit('/').next().unwrap_or(path);
    match now.named(name) {
        [only] => now.facts::<Code>(only),
        _ => None,
    }
}

fn replace(claim: &Claim, old: &str, new: &str) -> Suggestion {
    let at = claim.named.rfind(old);
    let mut replacement = claim.named.clone();
    if let Some(at) = at {
        replacement.replace_range(at..at + old.len(), new);
    }
    let reason = format!("`{new}` was added where `{old}` was defined");
    Suggestion { replacement, is_certain: false, reason }
}

/// How many bases of a type are followed.
const MAX_BASES: usize = 12;
/// Bases that add nothing but [`COMMON_MEMBERS`].
const DERIVED: &[&str] = &[
    "Clone",
    "Copy",
    "Debug",
    "Default",
    "Eq",
    "Hash",
    "Ord",
    "PartialEq",
    "PartialOrd",
    "object",
    "Object",
    "Send",
    "Sync",
];
/// Members that everything has in its language, or derives.
const COMMON_MEMBERS: &[&str] = &[
    "clone",
    "cmp",
    "default",
    "deserialize",
    "eq",
    "equals",
    "fmt",
    "from",
    "from_str",
    "hash",
    "hashCode",
    "into",
    "len",
    "length",
    "name",
    "new",
    "parse",
    "prototype",
    "serialize",
    "toString",
    "to_owned",
    "to_string",
    "try_from",
    "valueOf",
    "values",
];
