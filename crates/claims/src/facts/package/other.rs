//! Manifests of JavaScript, Go, older Python and Haskell packages.

use serde_json::Value;

use super::{Package, line_with};

pub(super) fn package_json(text: &str, package: &mut Package) {
    let Ok(manifest) = serde_json::from_str::<Value>(text) else { return };
    let name = manifest.get("name").and_then(Value::as_str);
    if let Some(name) = name {
        package.names.push(name.to_owned());
        package.state("package_name", "npm", name, line_with(text, "name"));
    }
    match manifest.get("bin") {
        Some(Value::String(_)) => {
            package.programs.extend(name.map(|name| name.rsplit('/').next().unwrap_or(name).to_owned()))
        }
        Some(Value::Object(programs)) => package.programs.extend(programs.keys().cloned()),
        _ => {}
    }
    for (runtime, wanted) in manifest.get("engines").and_then(Value::as_object).into_iter().flatten() {
        if let Some(wanted) = wanted.as_str() {
            package.state("runtime", runtime, wanted, line_with(text, runtime));
        }
    }
    if let Some((manager, version)) =
        manifest.get("packageManager").and_then(Value::as_str).and_then(|text| text.split_once('@'))
    {
        let version = version.split('+').next().unwrap_or(version);
        package.state("runtime", manager, version, line_with(text, "packageManager"));
    }
    for (key, of) in [("license", "licence"), ("version", "version")] {
        if let Some(value) = manifest.get(key).and_then(Value::as_str) {
            package.state(of, if of == "version" { "package" } else { of }, value, line_with(text, key));
        }
    }
    for group in ["dependencies", "devDependencies", "peerDependencies", "optionalDependencies"] {
        for (name, wanted) in manifest.get(group).and_then(Value::as_object).into_iter().flatten() {
            if let Some(wanted) = wanted.as_str() {
                package.state("dependency", name, wanted, line_with(text, name));
            }
        }
    }
}

/// `setup.cfg` and `setup.py`, by their texts: nothing of a repository is ever executed.
pub(super) fn setup(text: &str, package: &mut Package) {
    for line in text.lines() {
        let line = line.trim().trim_matches([',', '"', '\'', '[', ']']);
        if let Some((program, target)) = line.split_once('=') {
            let (program, target) = (program.trim(), target.trim());
            let is_name = |text: &str, extra: &str| {
                !text.is_empty() && text.chars().all(|c| c.is_alphanumeric() || c == '_' || extra.contains(c))
            };
            let is_entry = target
                .split_once(':')
                .is_some_and(|(module, function)| is_name(module, ".") && is_name(function, "."));
            if is_entry && is_name(program, "-.") {
                package.programs.push(program.to_owned());
            }
            if program == "name" && is_name(target.trim_matches(['"', '\'']), "-.") {
                package.names.push(target.trim_matches(['"', '\'']).replace('-', "_"));
            }
            if program == "python_requires" {
                let number =
                    text.lines().position(|other| other.contains("python_requires")).map_or(1, |at| at + 1);
                package.state(
                    "runtime",
                    "python",
                    target.trim_matches(['"', '\'']),
                    u32::try_from(number).unwrap_or(1),
                );
            }
        }
    }
}

pub(super) fn go_mod(text: &str, package: &mut Package) {
    for (number, line) in (1u32..).zip(text.lines()) {
        let line = line.split("//").next().unwrap_or_default().trim();
        let line = line.strip_prefix("require ").unwrap_or(line).trim();
        let mut words = line.split_whitespace();
        match (words.next(), words.next()) {
            (Some("module"), Some(module)) => {
                package.names.push(module.to_owned());
                let segments = module.rsplit('/').find(|segment| !is_major(segment));
                package.programs.extend(segments.map(str::to_owned));
                package.state("package_name", "go", module, number);
            }
            (Some("go"), Some(version)) => package.state("runtime", "go", version, number),
            (Some(name), Some(version)) if version.starts_with('v') && name.contains('.') => {
                package.state("dependency", name, version, number);
            }
            _ => {}
        }
    }
}

/// `v3` of `github.com/go-task/task/v3`
fn is_major(segment: &str) -> bool {
    segment
        .strip_prefix('v')
        .is_some_and(|digits| !digits.is_empty() && digits.chars().all(|c| c.is_ascii_digit()))
}

pub(super) fn cabal(text: &str, package: &mut Package) {
    for line in text.lines() {
        if let Some(name) = line.strip_prefix("executable ") {
            package.programs.push(name.trim().to_owned());
        }
    }
}

pub(super) fn goreleaser(text: &str, package: &mut Package) {
    for line in text.lines() {
        if let Some(name) = line.trim().trim_start_matches("- ").strip_prefix("binary:") {
            package.programs.push(name.trim().trim_matches(['"', '\'']).to_owned());
        }
    }
}
