//! Values that the repository states too: versions, defaults, ports, the licence, the name of a package.
//!
//! A value agrees when it is the same as far as the document goes: `18` agrees with `>=18.12`. When several places state
//! a value, one that agrees is enough; when none does, the nearest manifest says what the value is.

mod defaults;
mod versions;

use crate::{Claim, Outcome, Subject, Suggestion, World};
pub(super) use versions::{Dependencies, is_lower};

pub(super) fn check(claim: &Claim, file: &str, world: &World) -> Outcome {
    let Subject::Value { of, name, value } = &claim.subject else { return Outcome::NotOurs };
    match of.as_str() {
        "minimum" => versions::minimum(name, value, file, world),
        "runtime" => versions::runtime(name, value, file, world),
        "dependency" => versions::dependency(claim, file, world),
        "edition" => versions::edition(value, file, world),
        "licence" => versions::licence(name, value, file, world),
        "package_name" => versions::package_name(name, value, world),
        "default" => defaults::default(name, value, file, world),
        "port" => defaults::port(value, world),
        _ => Outcome::NotOurs,
    }
}

pub(super) fn needles(claim: &Claim) -> Vec<String> {
    let Subject::Value { of, name, value } = &claim.subject else { return Vec::new() };
    match of.as_str() {
        "default" => {
            let mut needles = defaults::needles(name);
            needles.extend(defaults::text_of(value).map(str::to_owned));
            needles
        }
        "port" => vec![value.clone()],
        "dependency" => {
            let name = versions::bare_name(name);
            vec![name.to_owned(), name.replace('-', "_"), name.replace('_', "-")]
        }
        // A package of Go may be inside of the module that is named.
        "package_name" => {
            let ends = value.match_indices('/').map(|(at, _)| at).chain([value.len()]);
            ends.filter_map(|end| value.get(..end)).filter(|name| *name != "@").map(str::to_owned).collect()
        }
        "licence" => Vec::new(),
        // Files such as `.nvmrc` hold nothing but the value.
        _ => {
            let major = value.split('.').next().unwrap_or(value);
            let mut needles =
                vec![name.clone(), value.clone(), major.to_owned(), format!("v{major}"), format!("v{value}")];
            // A pin that is higher does as well, and is known by the path of its file.
            let pins = versions::PINS.iter().filter(|_| of == "minimum");
            needles.extend(pins.map(|pin| (*pin).to_owned()));
            needles
        }
    }
}

/// The value that is stated now, in place of the old one.
pub(super) fn suggest(claim: &Claim, file: &str, now: &World, _then: &World) -> Option<Suggestion> {
    let Subject::Value { value, .. } = &claim.subject else { return None };
    let Outcome::Differs { actual, found } = check(claim, file, now) else { return None };
    let whole = whole_matches(&claim.named, value);
    let at = match whole.as_slice() {
        [at, ..] => *at,
        [] if claim.named.contains('%') => return None,
        [] => claim.named.find(value.as_str())?,
    };
    let mut replacement = claim.named.clone();
    replacement.replace_range(at..at + value.len(), &actual);
    let place = found.first()?;
    let line = place.line.map(|line| format!(":{line}")).unwrap_or_default();
    Some(Suggestion {
        replacement,
        // A line that has the other value already lists several.
        is_certain: whole.len() == 1
            && whole_matches(&claim.text, &actual).is_empty()
            && (claim.named.contains('%') || claim.named.matches(value.as_str()).count() == 1),
        reason: format!("{}{line} says `{actual}`", place.path),
    })
}

/// Where a value stands as a word of its own, and not in an escape of an address: `20` in `node-%20%3E%3D%2020`.
fn whole_matches(text: &str, value: &str) -> Vec<usize> {
    let is_escape = |at: usize| {
        let bytes = text.as_bytes();
        bytes.get(at) == Some(&b'%')
            && bytes.get(at + 1..at + 3).is_some_and(|hex| hex.iter().all(u8::is_ascii_hexdigit))
    };
    let is_inside = |at: usize| (1..3).any(|back| at.checked_sub(back).is_some_and(is_escape));
    let is_word = |c: char| c.is_alphanumeric() || c == '.';
    let stands = |at: usize| {
        let after_escape = at.checked_sub(3).is_some_and(is_escape);
        let before = text.get(..at).is_some_and(|before| before.ends_with(is_word));
        let after = text.get(at + value.len()..).is_some_and(|after| after.starts_with(is_word));
        !is_inside(at) && (after_escape || !before) && !after
    };
    text.match_indices(value).map(|(at, _)| at).filter(|at| stands(*at)).collect()
}

#[cfg(test)]
mod tests {
    use super::whole_matches;

    #[test]
    fn a_value_is_a_word_and_no_escape() {
        assert_eq!(whole_matches("node-%20%3E%3D%2020-47c219", "20"), [17]);
        assert_eq!(whole_matches("node 20, not 120 or 20.1", "20"), [5]);
        assert_eq!(whole_matches("v20", "20"), Vec::<usize>::new());
        assert_eq!(whole_matches("%", "%"), [0]);
    }
}
