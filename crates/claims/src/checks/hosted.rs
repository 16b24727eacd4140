//! Files that are named by their address at the host of the repository.
//!
//! Which repository this one is stands in its manifests and its README; a clone does not always know where it came from.

use std::collections::BTreeMap;

use super::paths::same_content;
use crate::{Claim, Outcome, Place, Subject, Suggestion, World};

pub(super) fn check(claim: &Claim, _file: &str, world: &World) -> Outcome {
    let Subject::Hosted { repository, path, .. } = &claim.subject else { return Outcome::NotOurs };
    if !is_ours(repository, world) {
        return Outcome::NotOurs;
    }
    match world.entry(path) {
        Some(_) => Outcome::valid(Place::of(path.clone())),
        None => Outcome::missing(format!("`{path}` from the root")),
    }
}

pub(super) fn needles(_claim: &Claim) -> Vec<String> {
    Vec::new()
}

/// The only file with the same content.
pub(super) fn suggest(claim: &Claim, _file: &str, now: &World, then: &World) -> Option<Suggestion> {
    let Subject::Hosted { repository, path, .. } = &claim.subject else { return None };
    let is_same_owner = now.once(Own::of).0.as_ref().is_some_and(|own| own.eq_ignore_ascii_case(repository));
    let other = same_content(now, then, path)?;
    Some(Suggestion {
        replacement: format!("/{}", crate::world::encoded(&other)),
        is_certain: is_same_owner && !other.contains(char::is_control),
        reason: "the same content is there now".to_owned(),
    })
}

/// Whether `owner/name` is this repository, perhaps under an earlier owner.
fn is_ours(repository: &str, world: &World) -> bool {
    world.once(Own::of).0.as_ref().is_some_and(|own| name_of(own) == name_of(repository))
}

/// Whether `owner/name` is not this repository, as far as this one says what it is called.
pub(super) fn is_another(repository: &str, world: &World) -> bool {
    world.once(Own::of).0.as_ref().is_some_and(|own| name_of(own) != name_of(repository))
}

/// `owner/name`, as this repository calls itself.
pub(super) fn own_name(world: &World) -> Option<String> {
    world.once(Own::of).0.clone()
}

/// Whether `owner/name` is another repository of the same owner.
pub(super) fn is_sibling(repository: &str, world: &World) -> bool {
    let owner = |repository: &str| repository.split('/').next().unwrap_or_default().to_lowercase();
    let is_same_owner = |own: &String| owner(own) == owner(repository);
    is_another(repository, world) && world.once(Own::of).0.as_ref().is_some_and(is_same_owner)
}

fn name_of(repository: &str) -> String {
    repository.rsplit('/').next().unwrap_or_default().to_lowercase()
}

/// `owner/name` as the repository calls itself.
struct Own(Option<String>);

/// Manifests at the root that say where a project lives; what they say counts more than a link in the README.
const MANIFESTS: &[&str] = &[
    "Cargo.toml",
    "composer.json",
    "go.mod",
    "mkdocs.yml",
    "package.json",
    "pom.xml",
    "pyproject.toml",
    "setup.cfg",
    "setup.py",
];
const READMES: &[&str] = &["README.md", "README.markdown", "README.rst", "Readme.md", "readme.md"];
const HOSTS: &[&str] = &["github.com/", "github.com:", "gitlab.com/", "codeberg.org/"];

impl Own {
    fn of(world: &World) -> Self {
        let mut counts: BTreeMap<String, usize> = BTreeMap::new();
        let files = MANIFESTS.iter().map(|name| (name, 5)).chain(READMES.iter().map(|name| (name, 1)));
        for (file, weight) in files {
            let Some(bytes) = world.read(file) else { continue };
            let text = String::from_utf8_lossy(&bytes);
            for line in text.lines().filter(|line| weight == 1 || is_about_itself(line)) {
                let named = HOSTS.iter().flat_map(|host| line.match_indices(host));
                for (at, host) in named {
                    let rest = line.get(at + host.len()..).unwrap_or_default();
                    if let Some(repository) = owner_and_name(rest) {
                        *counts.entry(repository).or_default() += weight;
                    }
                }
            }
        }
        Self(counts.into_iter().max_by_key(|(_, count)| *count).map(|(repository, _)| repository))
    }
}

/// Whether a line of a manifest says where the project lives, and not from where it takes something.
fn is_about_itself(line: &str) -> bool {
    const KEYS: &[&str] = &[
        "repo",
        "homepage",
        "bugs",
        "issues",
        "<url>",
        "<connection>",
        "\"url\"",
        "url =",
        "url=",
        "source",
    ];
    let line = line.trim_start().to_lowercase();
    let is_taken = line.contains("git =") || line.contains(" @ git+");
    line.starts_with("module ") || KEYS.iter().any(|key| line.contains(key)) && !is_taken
}

fn owner_and_name(address: &str) -> Option<String> {
    let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    let (owner, rest) = address.split_once('/')?;
    let name = rest.split(|c: char| !is_part(c)).next()?;
    let name = name.strip_suffix(".git").unwrap_or(name).trim_end_matches('.');
    let is_named = !owner.is_empty() && owner.chars().all(is_part) && !name.is_empty();
    (is_named && owner.len() < 60 && name.len() < 120).then(|| format!("{owner}/{name}").to_lowercase())
}
