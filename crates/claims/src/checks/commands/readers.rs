//! Readers of manifests. What is broken or computed has no definitions; nothing is ever executed.

use serde_json::Value;

use super::manifest::Manifest;

/// Lines with their numbers.
fn lines(text: &str) -> impl Iterator<Item = (u32, &str)> {
    text.lines().zip(1..).map(|(line, number)| (number, line))
}

/// The first line that holds a key, for manifests whose parser tells no lines.
fn line_of(text: &str, key: &str) -> u32 {
    lines(text).find(|(_, line)| line.contains(key)).map_or(1, |(number, _)| number)
}

pub(super) fn npm(text: &str) -> Manifest {
    let mut manifest = Manifest::default();
    let Ok(Value::Object(root)) = serde_json::from_str::<Value>(text) else { return manifest };
    manifest.name = root.get("name").and_then(Value::as_str).map(str::to_owned);
    if let Some(name) = manifest.name.clone() {
        manifest.add("npm_workspace", name, line_of(text, "\"name\""));
    }
    let keys = |field: &str| {
        root.get(field).and_then(Value::as_object).into_iter().flat_map(|map| map.keys()).take(2000)
    };
    for script in keys("scripts") {
        manifest.add("npm_script", script, line_of(text, &format!("\"{script}\"")));
    }
    for field in ["dependencies", "devDependencies", "optionalDependencies"] {
        for name in keys(field) {
            manifest.add("npm_dependency", name, 1);
        }
    }
    manifest
}

pub(super) fn deno(text: &str) -> Manifest {
    let mut manifest = Manifest::default();
    // Comments make it no JSON, so the lines between `"tasks": {` and `}` are read.
    let mut depth = None;
    for (number, line) in lines(text) {
        let content = line.trim();
        if content.starts_with("\"tasks\"") {
            depth = Some(0usize);
        } else if let Some(inside) = &mut depth {
            if *inside == 0
                && let Some((key, _)) = content.strip_prefix('"').and_then(|rest| rest.split_once('"'))
            {
                manifest.add("deno_task", key, number);
            }
            *inside += content.matches('{').count();
            match inside.checked_sub(content.matches('}').count()) {
                Some(left) => *inside = left,
                None => depth = None,
            }
        }
    }
    manifest
}

pub(super) fn cargo(text: &str) -> Manifest {
    let mut manifest = Manifest::default();
    let Ok(root) = toml::from_str::<toml::Table>(text) else { return manifest };
    let table =
        |value: Option<&toml::Value>| value.and_then(toml::Value::as_table).cloned().unwrap_or_default();
    let name_of = |value: &toml::Value| value.get("name").and_then(toml::Value::as_str).map(str::to_owned);
    if let Some(name) = root.get("package").and_then(name_of) {
        manifest.add("cargo_package", name.clone(), line_of(text, "name"));
        manifest.name = Some(name);
    }
    for kind in ["bin", "example", "test", "bench"] {
        for target in root.get(kind).and_then(toml::Value::as_array).into_iter().flatten().filter_map(name_of)
        {
            let line = line_of(text, &format!("\"{target}\""));
            manifest.add(&format!("cargo_{kind}"), target, line);
        }
    }
    let features = table(root.get("features"));
    for feature in features.keys().map(String::as_str).chain(["default"]) {
        manifest.add("cargo_feature", feature, line_of(text, &format!("{feature} =")));
    }
    let all = std::iter::once(&root).chain(root.get("workspace").and_then(toml::Value::as_table));
    for section in all {
        for (name, value) in table(section.get("dependencies")) {
            if value.get("optional").and_then(toml::Value::as_bool) == Some(true) {
                let line = line_of(text, &name);
                manifest.add("cargo_feature", name, line);
            }
        }
    }
    for profile in table(root.get("profile")).keys() {
        manifest.add("cargo_profile", profile.as_str(), line_of(text, &format!("profile.{profile}")));
    }
    manifest
}

pub(super) fn cargo_config(text: &str) -> Manifest {
    let mut manifest = Manifest::default();
    let Ok(root) = toml::from_str::<toml::Table>(text) else { return manifest };
    for (section, kind) in [("alias", "cargo_alias"), ("profile", "cargo_profile")] {
        for name in
            root.get(section).and_then(toml::Value::as_table).into_iter().flat_map(|table| table.keys())
        {
            manifest.add(kind, name.as_str(), line_of(text, name));
        }
    }
    manifest
}

pub(super) fn make(text: &str) -> Manifest {
    let mut manifest = Manifest::default();
    let mut continues = false;
    // Names that are declared, and have a rule elsewhere in the file or by a pattern.
    let mut phony = Vec::new();
    let mut has_pattern = false;
    for (number, line) in lines(text) {
        let was_continued = std::mem::replace(&mut continues, line.ends_with('\\'));
        if line.starts_with(['\t', '#']) || was_continued && !line.contains(':') {
            continue;
        }
        let content = line.trim();
        if content.starts_with("include")
            || content.starts_with("-include")
            || content.starts_with("sinclude")
        {
            // Files of the repository are read on their own; computed ones cannot be.
            manifest.is_open |= content.contains('$') && !content.ends_with(".mk");
            continue;
        }
        manifest.is_open |= content.contains("$(eval");
        let Some((targets, rest)) = line.split_once(':') else { continue };
        // `A := b`, `A ::= b`; and `A = b:c`.
        if rest.starts_with('=')
            || rest.starts_with(":=")
            || targets.contains('=')
            || targets.contains("$(shell")
        {
            continue;
        }
        if targets.trim() == ".PHONY" {
            phony.extend(rest.split_whitespace().map(|name| (name, number)));
            continue;
        }
        has_pattern |= targets.contains('%');
        // `%:` hands everything on.
        manifest.is_open |= targets.trim() == "%";
        for target in targets.split_whitespace().filter(|target| *target != "\\" && *target != "%") {
            manifest.is_open |= target.contains("$(") && target.starts_with('$');
            manifest.add("make_target", target, number);
        }
    }
    let is_computed = has_pattern || manifest.is_open;
    for (name, number) in phony.into_iter().filter(|_| is_computed) {
        manifest.add("make_target", name, number);
    }
    manifest
}

pub(super) fn just(text: &str) -> Manifest {
    let mut manifest = Manifest::default();
    let is_name = |name: &str| {
        name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
            && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'))
    };
    for (number, line) in lines(text) {
        if line.starts_with([' ', '\t', '#', '[']) {
            continue;
        }
        let mut words = line.split_whitespace();
        match (words.next(), words.next()) {
            (Some("alias"), Some(name)) => manifest.add("just_recipe", name, number),
            (Some("mod" | "mod?"), Some(name)) => {
                manifest.add("just_module", name, number);
                manifest.add("just_recipe", name, number);
            }
            _ => {}
        }
        let head = line.trim_start_matches('@');
        let Some((recipe, _)) = head.split_once(':').filter(|(_, rest)| !rest.starts_with('=')) else {
            continue;
        };
        let name = recipe.split_whitespace().next().unwrap_or_default();
        if is_name(name) && !matches!(name, "set" | "export" | "import") {
            manifest.add("just_recipe", name, number);
        }
    }
    manifest
}

/// The keys right below a top-level key of a YAML file, with their lines and the lines below each. Templates in a file
/// do not hinder this, as they would a parser.
fn yaml_keys<'t>(text: &'t str, section: &str) -> Vec<(&'t str, u32, Vec<&'t str>)> {
    let mut found: Vec<(&str, u32, Vec<&str>)> = Vec::new();
    let mut indent = None;
    let mut is_inside = false;
    for (number, line) in lines(text) {
        let content = line.trim_start();
        if content.is_empty() || content.starts_with('#') {
            continue;
        }
        let depth = line.len() - content.len();
        if depth == 0 {
            is_inside = content.strip_prefix(section).is_some_and(|rest| rest.trim_start().starts_with(':'));
            indent = None;
            continue;
        }
        if !is_inside {
            continue;
        }
        let level = *indent.get_or_insert(depth);
        if depth > level {
            if let Some((_, _, below)) = found.last_mut() {
                below.push(line);
            }
            continue;
        }
        // A key may hold colons: `docs:build:`.
        let key = match content.strip_prefix(['"', '\'']) {
            Some(quoted) => quoted.split(['"', '\'']).next(),
            None => content.split(": ").next().map(|key| key.trim_end().trim_end_matches(':')),
        };
        found.extend(
            key.filter(|key| !key.is_empty() && !key.starts_with('-')).map(|key| (key, number, Vec::new())),
        );
    }
    found
}

pub(super) fn task(text: &str) -> Manifest {
    let mut manifest = Manifest::default();
    for (name, line, below) in yaml_keys(text, "tasks") {
        manifest.add("task", name, line);
        for alias in aliases(&below) {
            manifest.add("task", alias, line);
        }
    }
    for (namespace, line, below) in yaml_keys(text, "includes") {
        manifest.add("task_include", namespace, line);
        for alias in aliases(&below) {
            manifest.add("task_include", alias, line);
        }
    }
    manifest
}

/// `aliases: [a, b]`, or a list below.
fn aliases<'t>(below: &[&'t str]) -> Vec<&'t str> {
    let Some(at) = below.iter().position(|line| line.trim_start().starts_with("aliases:")) else {
        return Vec::new();
    };
    let clean = |name: &'t str| name.trim().trim_matches(['"', '\'']);
    let after = below[at].split_once(':').map_or("", |(_, rest)| rest.trim());
    if let Some(inside) = after.strip_prefix('[') {
        return inside.trim_end_matches(']').split(',').map(clean).filter(|name| !name.is_empty()).collect();
    }
    below[at + 1..].iter().map_while(|line| line.trim_start().strip_prefix("- ")).map(clean).collect()
}

pub(super) fn compose(text: &str) -> Manifest {
    let mut manifest =
        Manifest { is_open: text.lines().any(|line| line.starts_with("include:")), ..Manifest::default() };
    for (name, line, _) in yaml_keys(text, "services") {
        manifest.add("compose_service", name, line);
    }
    manifest
}

/// `tox.ini` and `tox.toml`.
pub(super) fn tox(text: &str) -> Manifest {
    let mut manifest = Manifest::default();
    let mut is_in_list = false;
    for (number, line) in lines(text) {
        let section = line.strip_prefix("[testenv:").or_else(|| line.strip_prefix("[env."));
        if let Some(name) = section.and_then(|rest| rest.split(']').next()) {
            manifest.add("tox_environment", name.trim_matches(['"', '\'']), number);
        }
        let is_list = line.trim_start().starts_with("envlist") || line.trim_start().starts_with("env_list");
        // The list goes on below, with spaces before its names.
        is_in_list = is_list || is_in_list && (line.starts_with([' ', '\t']) || line.trim().is_empty());
        // `py{38,39}-x` stands for many names.
        manifest.is_open |= line.contains('{') && (is_in_list || line.contains(','));
        let names = if is_list { line.split_once('=').map_or("", |(_, names)| names) } else { line };
        for name in
            names.split([',', ' ', '\t', '"', '\'', '[', ']']).filter(|name| is_in_list && !name.is_empty())
        {
            manifest.add("tox_environment", name, number);
        }
    }
    // Tox makes environments for all versions of Python.
    manifest.add("tox_environment", "py%", 1);
    manifest
}

pub(super) fn nox(text: &str) -> Manifest {
    let mut manifest = Manifest::default();
    let mut is_session = false;
    for (number, line) in lines(text) {
        if line.starts_with("@nox.session") || line.starts_with("@session") || line.starts_with("@nox_") {
            is_session = true;
            if let Some(name) = line.split_once("name=").and_then(|(_, rest)| rest.split(['"', '\'']).nth(1))
            {
                manifest.add("nox_session", name, number);
            }
        } else if let Some(name) =
            line.strip_prefix("def ").and_then(|rest| rest.split('(').next()).filter(|_| is_session)
        {
            manifest.add("nox_session", name, number);
            manifest.add("nox_session", name.replace('_', "-"), number);
            is_session = false;
        }
    }
    manifest
}
