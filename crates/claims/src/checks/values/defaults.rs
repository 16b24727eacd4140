//! Defaults of options, and ports.

use super::super::known::Known;
use crate::facts::code::{Code, parts, variants};
use crate::facts::settings::Settings;
use crate::{Outcome, Place, World};

/// Whether an option's default is what the document says.
pub(super) fn default(name: &str, value: &str, world: &World) -> Outcome {
    let mut stated: Vec<(String, Place)> = Vec::new();
    let wanted = words(name);
    let mut files: Vec<String> =
        needles(name).iter().flat_map(|word| world.mentioning(word).to_vec()).collect();
    files.sort();
    files.dedup();
    for path in files.iter().filter(|path| !is_aside(path)) {
        if let Some(code) = world.facts::<Code>(path) {
            let same = code.values.iter().filter(|stated| words(&stated.0) == wanted);
            stated.extend(same.map(|stated| (plain(&stated.1), Place::at(path.clone(), stated.2))));
        } else if let Some(settings) = world.facts::<Settings>(path) {
            for (_, value, line) in settings.keys.iter().filter(|(key, ..)| words(key) == wanted) {
                stated.extend(value.iter().map(|value| (plain(value), Place::at(path.clone(), *line))));
            }
        }
    }
    let value = plain(value);
    let found: Vec<Place> =
        stated.iter().filter(|(other, _)| *other == value).map(|(_, place)| place.clone()).take(5).collect();
    if !found.is_empty() {
        return Outcome::Valid { found };
    }
    let mut values: Vec<&String> = stated.iter().map(|(value, _)| value).collect();
    values.sort();
    values.dedup();
    match values.as_slice() {
        [] => Outcome::NotOurs,
        [only] => Outcome::Differs {
            actual: (*only).clone(),
            found: stated.iter().map(|(_, place)| place.clone()).take(5).collect(),
        },
        _ => Outcome::missing(format!("{} values of `{name}`", values.len())),
    }
}

/// Names under which a default may be kept: `port`, `DEFAULT_PORT`, `defaultPort`.
pub(super) fn needles(name: &str) -> Vec<String> {
    let leaf = leaf(name);
    let mut all = variants(leaf);
    all.extend(variants(&format!("default-{leaf}")));
    for spelling in [leaf.to_owned(), format!("default-{leaf}"), format!("{leaf}-default")] {
        all.push(parts(&spelling).join("_").to_uppercase());
    }
    all.sort();
    all.dedup();
    all
}

/// Whether a port stands anywhere where ports are set.
pub(super) fn port(value: &str, world: &World) -> Outcome {
    let known = Known::about(value, world);
    let mut found = Vec::new();
    for path in known.files.iter().filter(|path| !is_aside(path)) {
        if let Some(code) = world.facts::<Code>(path) {
            let is_port =
                |name: &str| name.to_lowercase().contains("port") || name.to_lowercase().contains("addr");
            let given = code
                .values
                .iter()
                .find(|stated| stated.1 == value && is_port(&stated.0))
                .map(|stated| stated.2);
            let ends = |text: &str| text.split([':', '/']).any(|part| part == value);
            let written = || code.strings.iter().find(|(text, _)| ends(text)).map(|(_, line)| *line);
            found.extend(given.or_else(written).map(|line| Place::at(path.clone(), line)));
        } else if !path.contains("lock") {
            found.push(Place::of(path.clone()));
        }
    }
    if !found.is_empty() {
        found.truncate(5);
        return Outcome::Valid { found };
    }
    if known.is_mentioned() {
        Outcome::NotOurs
    } else {
        Outcome::missing("ports in code, containers and configuration")
    }
}

fn leaf(name: &str) -> &str {
    let name = name.trim_start_matches('-');
    name.rsplit('.').next().unwrap_or(name)
}

/// The words of a name, without those that only say that it is a default.
fn words(name: &str) -> Vec<String> {
    let mut words = parts(leaf(name));
    words.retain(|word| word != "default");
    words
}

/// A value without quotes, separators and capitals.
fn plain(value: &str) -> String {
    let value = value.trim_matches(['"', '\'', '`']);
    let is_number = value.starts_with(|first: char| first.is_ascii_digit());
    if is_number { value.replace('_', "") } else { value.to_lowercase() }
}

/// Tests and examples set options to anything.
fn is_aside(path: &str) -> bool {
    path.split('/').any(|component| {
        let stem = component.split('.').next().unwrap_or(component);
        matches!(
            component,
            "test"
                | "tests"
                | "__tests__"
                | "examples"
                | "example"
                | "fixtures"
                | "testdata"
                | "playground"
                | "benches"
                | "node_modules"
                | "vendor"
        ) || stem.ends_with("_test")
            || stem.starts_with("test_")
            || component.contains(".test.")
            || component.contains(".spec.")
    })
}
