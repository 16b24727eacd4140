//! Manifests in TOML: Cargo.toml and pyproject.toml.

use toml::{Table, Value};

use super::{Package, line_with};

pub(super) fn cargo(text: &str, package: &mut Package) {
    let Ok(manifest) = text.parse::<Table>() else { return };
    let section = |name: &str| manifest.get(name).and_then(Value::as_table);
    let name_in = |section: Option<&Table>| {
        section.and_then(|table| table.get("name")).and_then(Value::as_str).map(str::to_owned)
    };
    if let Some(name) = name_in(section("package")) {
        package.state("package_name", "cargo", &name, line_with(text, "name"));
        package.names.push(name.replace('-', "_"));
        package.programs.push(name);
    }
    package.names.extend(name_in(section("lib")));
    for program in manifest.get("bin").and_then(Value::as_array).into_iter().flatten() {
        package.programs.extend(name_in(program.as_table()));
    }
    for owner in [
        section("package"),
        section("workspace").and_then(|table| table.get("package")).and_then(Value::as_table),
    ] {
        let Some(owner) = owner else { continue };
        for (key, of, name) in [
            ("rust-version", "runtime", "rust"),
            ("edition", "edition", "rust"),
            ("license", "licence", "licence"),
            ("version", "version", "package"),
        ] {
            if let Some(value) = owner.get(key).and_then(Value::as_str) {
                package.state(of, name, value, line_with(text, key));
            }
        }
    }
    dependencies(&manifest, text, package, 0);
}

/// Every table whose name ends in `dependencies`, at any place (`target.'cfg(unix)'.dependencies`, `workspace.dependencies`).
fn dependencies(table: &Table, text: &str, package: &mut Package, depth: usize) {
    for (key, value) in table {
        let Some(inner) = value.as_table() else { continue };
        if !key.ends_with("dependencies") {
            if depth < 4 {
                dependencies(inner, text, package, depth + 1);
            }
            continue;
        }
        for (name, wanted) in inner {
            let version = wanted.as_str().or_else(|| wanted.get("version").and_then(Value::as_str));
            if let Some(version) = version {
                package.state("dependency", name, version, line_with(text, name));
            }
        }
    }
}

pub(super) fn pyproject(text: &str, package: &mut Package) {
    let Ok(manifest) = text.parse::<Table>() else { return };
    let project = manifest.get("project").and_then(Value::as_table);
    let poetry = manifest.get("tool").and_then(|tool| tool.get("poetry")).and_then(Value::as_table);
    for owner in [project, poetry].into_iter().flatten() {
        if let Some(name) = owner.get("name").and_then(Value::as_str) {
            package.state("package_name", "python", name, line_with(text, "name"));
            package.names.push(name.replace('-', "_"));
        }
        for key in ["scripts", "gui-scripts"] {
            let scripts = owner.get(key).and_then(Value::as_table);
            package.programs.extend(scripts.into_iter().flatten().map(|(name, _)| name.clone()));
        }
        if let Some(wanted) = owner.get("requires-python").and_then(Value::as_str) {
            package.state("runtime", "python", wanted, line_with(text, "requires-python"));
        }
        let licence = owner.get("license");
        if let Some(name) =
            licence.and_then(|value| value.as_str().or_else(|| value.get("text").and_then(Value::as_str)))
        {
            package.state("licence", "licence", name, line_with(text, "license"));
        }
        if let Some(version) = owner.get("version").and_then(Value::as_str) {
            package.state("version", "package", version, line_with(text, "version"));
        }
        let groups = owner.get("optional-dependencies").and_then(Value::as_table);
        let lists = groups.into_iter().flatten().map(|(_, list)| list).chain(owner.get("dependencies"));
        for requirement in lists.filter_map(Value::as_array).flatten().filter_map(Value::as_str) {
            requirement_of(requirement, text, package);
        }
        for (name, wanted) in owner.get("dependencies").and_then(Value::as_table).into_iter().flatten() {
            let version = wanted.as_str().or_else(|| wanted.get("version").and_then(Value::as_str));
            match (name.as_str(), version) {
                ("python", Some(version)) => {
                    package.state("runtime", "python", version, line_with(text, name))
                }
                (_, Some(version)) => package.state("dependency", name, version, line_with(text, name)),
                _ => {}
            }
        }
    }
}

/// `requests[socks]>=2.31 ; python_version < "3.9"`
pub(super) fn requirement_of(requirement: &str, text: &str, package: &mut Package) {
    let requirement = requirement.split([';', '#']).next().unwrap_or_default().trim();
    let end =
        requirement.find(|c: char| !(c.is_alphanumeric() || "-_.".contains(c))).unwrap_or(requirement.len());
    let (name, rest) = requirement.split_at(end);
    let version = rest.rsplit(']').next().unwrap_or(rest).trim();
    let line = text.lines().position(|line| line.contains(requirement)).map_or(1, |at| at + 1);
    if !name.is_empty() && version.starts_with(['=', '>', '<', '~', '!', '^']) {
        package.state("dependency", name, version, u32::try_from(line).unwrap_or(1));
    }
}
