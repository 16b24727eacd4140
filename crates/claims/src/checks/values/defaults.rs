//! Defaults of options, and ports.

use super::super::chart;
use super::super::known::{Known, is_aside};
use crate::facts::code::{Code, parts, variants};
use crate::facts::settings::Settings;
use crate::{Facts, Outcome, Place, World};

/// Whether an option's default is what the document says. Beside a chart of Helm its values decide.
pub(super) fn default(name: &str, value: &str, file: &str, world: &World) -> Outcome {
    if let Some((Some(actual), place)) = chart::stated(name, file, world) {
        let found = vec![place];
        return if plain(&actual) == plain(value) {
            Outcome::Valid { found }
        } else {
            Outcome::Differs { actual, found }
        };
    }
    if chart::lacks(name, file, world) {
        return Outcome::missing("the values of the chart beside the page");
    }
    let mut stated: Vec<(String, Place)> = Vec::new();
    for spelling in needles(name) {
        for path in world.mentioning(&spelling).iter().filter(|path| !is_aside(path)) {
            if let Some(code) = world.facts::<Code>(path) {
                let same = code.valued(&spelling).iter();
                stated.extend(same.map(|stated| (stated.1.clone(), Place::at(path.clone(), stated.2))));
            } else if let Some(settings) = world.facts::<Settings>(path) {
                for (_, value, line) in settings.key(&spelling) {
                    stated.extend(value.iter().map(|value| (value.clone(), Place::at(path.clone(), *line))));
                }
            }
        }
    }
    let wanted = plain(value);
    let agrees = stated.iter().filter(|(value, _)| plain(value) == wanted);
    let found: Vec<Place> = agrees.map(|(_, place)| place.clone()).take(5).collect();
    if !found.is_empty() {
        return Outcome::Valid { found };
    }
    // What else in a chart is called so has another whole key; and what is put together may come to the same.
    let is_open = chart::is_beside(file, world) || stated.iter().any(|(value, _)| is_put_together(value));
    let Some((actual, _)) = stated.first().filter(|_| !is_open) else { return Outcome::NotOurs };
    let is_one = stated.iter().all(|(value, _)| plain(value) == plain(actual));
    // Something else may have that name as well, and had the value that is no more.
    let is_common = !is_one && parts(leaf(name)).len() < 2;
    if is_common || is_text(value, world) || stands_beside(name, &wanted, world) {
        return Outcome::NotOurs;
    }
    if !is_one {
        return Outcome::missing(format!("several values of `{name}`"));
    }
    let found = stated.iter().map(|(_, place)| place.clone()).take(5).collect();
    Outcome::Differs { actual: actual.clone(), found }
}

/// Whether a value is made of others: `${HOST}:${PORT}`.
fn is_put_together(value: &str) -> bool {
    value.contains("${") || value.contains("{{") || value.contains("$(")
}

/// The value, when it is a text such as `druid/broker` that says what it is by itself.
pub(super) fn text_of(value: &str) -> Option<&str> {
    let value = value.trim_matches(['"', '\'', '`']);
    let is_text = value.len() >= 6 && value.contains(|c: char| c.is_ascii_alphabetic());
    Some(value).filter(|_| is_text)
}

/// Whether such a text stands in code: then something may use it.
fn is_text(value: &str, world: &World) -> bool {
    let texts = |value| Known::about(value, world).texts.iter().any(|place| !is_aside(&place.path));
    text_of(value).is_some_and(texts)
}

/// Whether a line of code has both the option and the value, in a way that is not understood: then it is not refuted.
fn stands_beside(name: &str, wanted: &str, world: &World) -> bool {
    let stands = |line: &str, spelling: &str| {
        line.match_indices(spelling).any(|(at, _)| {
            let rest = line.get(at + spelling.len()..).unwrap_or_default();
            let is_part = |c: char| !(c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.' | '/' | ':'));
            rest.split(is_part).any(|word| plain(word.trim_matches([':', '.'])) == *wanted)
        })
    };
    let is_read = |path: &str| Code::applies(path) || sets_ports(path) && !Settings::applies(path);
    needles(name).iter().any(|spelling| {
        let files = world.mentioning(spelling);
        let mut code = files.iter().filter(|path| !is_aside(path) && is_read(path)).take(MOST_FILES);
        code.any(|path| {
            let bytes = world.read(path).unwrap_or_default();
            String::from_utf8_lossy(&bytes).lines().any(|line| line.len() < 400 && stands(line, spelling))
        })
    })
}

/// Files that are read for one default.
const MOST_FILES: usize = 40;

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
        } else if sets_ports(path) {
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

/// Whether a file that is no code is one that sets a program up.
fn sets_ports(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    let is_script = [".sh", ".bash", ".rb", ".php", ".kt", ".cs", ".ex", ".nix", ".tf"]
        .iter()
        .any(|ending| name.ends_with(ending));
    Settings::applies(path)
        || is_script
        || name.contains("Dockerfile")
        || matches!(name, "Makefile" | "justfile" | "Procfile")
}

fn leaf(name: &str) -> &str {
    let name = name.trim_start_matches('-');
    name.rsplit('.').next().unwrap_or(name)
}

/// A value without quotes, separators and capitals.
fn plain(value: &str) -> String {
    let value = value.trim_matches(['"', '\'', '`']);
    let number = value.replace('_', "");
    number.parse::<f64>().map_or_else(|_| value.to_lowercase(), |number| number.to_string())
}
