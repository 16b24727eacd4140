//! Versions that files other than manifests state: toolchain files, locks, containers, CI, requirements; and the licence.

use serde::{Deserialize, Serialize};

use super::Facts;
use super::package::{Package, Stated};

/// What one file states.
#[derive(Debug, Default, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Pins {
    /// All of it.
    pub values: Vec<Stated>,
}

impl Facts for Pins {
    const NAME: &'static str = "pins";
    const VERSION: u32 = 1;

    fn applies(path: &str) -> bool {
        reader(path).is_some()
    }

    fn read(path: &str, bytes: &[u8]) -> Self {
        let mut package = Package::default();
        if let (Some(read), true) = (reader(path), bytes.len() <= 8 << 20) {
            read(&String::from_utf8_lossy(bytes), &mut package);
        }
        Self { values: package.values }
    }
}

type Read = fn(&str, &mut Package);

fn reader(path: &str) -> Option<Read> {
    let name = path.rsplit('/').next().unwrap_or(path);
    let upper = name.to_ascii_uppercase();
    Some(match name {
        ".nvmrc" | ".node-version" => |text, package| only("node", text, package),
        ".python-version" => |text, package| only("python", text, package),
        ".ruby-version" => |text, package| only("ruby", text, package),
        ".java-version" => |text, package| only("java", text, package),
        ".go-version" => |text, package| only("go", text, package),
        "rust-toolchain" | "rust-toolchain.toml" => toolchain,
        ".tool-versions" | "mise.toml" | ".mise.toml" => tools,
        "Cargo.lock" | "poetry.lock" | "uv.lock" => lock,
        "pom.xml" => maven,
        "build.gradle" | "build.gradle.kts" => gradle,
        _ if name.starts_with("requirements") && name.ends_with(".txt") => requirements,
        _ if name.starts_with("Dockerfile")
            || name.ends_with(".Dockerfile")
            || name.ends_with(".dockerfile") =>
        {
            container
        }
        _ if path.starts_with(".github/workflows/") || name == ".gitlab-ci.yml" => workflow,
        _ if ["LICENSE", "LICENCE", "COPYING", "UNLICENSE"].iter().any(|start| upper.starts_with(start)) => {
            licence
        }
        _ => return None,
    })
}

fn only(runtime: &str, text: &str, package: &mut Package) {
    let version = text.lines().next().unwrap_or_default().trim().trim_start_matches('v');
    if version.starts_with(|first: char| first.is_ascii_digit()) {
        package.state("runtime", runtime, version, 1);
    }
}

fn toolchain(text: &str, package: &mut Package) {
    for (number, line) in (1u32..).zip(text.lines()) {
        let value = line.split_once('=').map_or(line, |(_, value)| value).trim().trim_matches('"');
        if value.starts_with(|first: char| first.is_ascii_digit())
            && (line.contains("channel") || !line.contains('='))
        {
            package.state("runtime", "rust", value, number);
        }
    }
}

fn tools(text: &str, package: &mut Package) {
    for (number, line) in (1u32..).zip(text.lines()) {
        let mut words = line.split([' ', '=', '"']).filter(|word| !word.is_empty());
        if let (Some(tool), Some(version)) = (words.next(), words.next()) {
            let runtime = match tool {
                "nodejs" => "node",
                "golang" => "go",
                tool => tool,
            };
            if version.starts_with(|first: char| first.is_ascii_digit()) {
                package.state("runtime", runtime, version, number);
            }
        }
    }
}

fn lock(text: &str, package: &mut Package) {
    let mut name: Option<&str> = None;
    for (number, line) in (1u32..).zip(text.lines()) {
        let Some((key, value)) = line.split_once(" = ") else { continue };
        let value = value.trim_matches('"');
        match (key, name) {
            ("name", _) => name = Some(value),
            ("version", Some(name)) => package.state("locked", name, value, number),
            _ => {}
        }
    }
}

fn requirements(text: &str, package: &mut Package) {
    for (number, line) in (1u32..).zip(text.lines()) {
        let line = line.split([';', '#']).next().unwrap_or_default().trim();
        if let Some(end) = line.find(['=', '>', '<', '~']) {
            let (name, version) = line.split_at(end);
            let name = name.split('[').next().unwrap_or(name).trim();
            package.state("dependency", name, version, number);
        }
    }
}

fn container(text: &str, package: &mut Package) {
    for (number, line) in (1u32..).zip(text.lines()) {
        let mut words = line.split_whitespace();
        if !words.next().is_some_and(|word| word.eq_ignore_ascii_case("from")) {
            continue;
        }
        let Some((image, tag)) =
            words.find(|word| !word.starts_with("--")).and_then(|image| image.split_once(':'))
        else {
            continue;
        };
        let runtime = match image.rsplit('/').next().unwrap_or(image) {
            "golang" => "go",
            "openjdk" | "eclipse-temurin" | "amazoncorretto" => "java",
            image => image,
        };
        let version = tag.split('-').next().unwrap_or(tag);
        if version.starts_with(|first: char| first.is_ascii_digit()) {
            package.state("image", runtime, version, number);
        }
    }
}

/// `node-version: [18, 20]`
fn workflow(text: &str, package: &mut Package) {
    for (number, line) in (1u32..).zip(text.lines()) {
        let line = line.trim().trim_start_matches("- ");
        for (key, runtime) in
            [("node", "node"), ("python", "python"), ("go", "go"), ("java", "java"), ("ruby", "ruby")]
        {
            let Some(rest) = line.strip_prefix(key).and_then(|rest| rest.strip_prefix("-version")) else {
                continue;
            };
            let rest = rest.trim_start_matches('s').trim_start_matches([':', ' ', '[']);
            for version in rest
                .split([',', ' ', ']', '"', '\''])
                .filter(|word| word.starts_with(|c: char| c.is_ascii_digit()))
            {
                package.state("image", runtime, version, number);
            }
        }
    }
}

fn maven(text: &str, package: &mut Package) {
    let mut artifact: Option<String> = None;
    for (number, line) in (1u32..).zip(text.lines()) {
        let line = line.trim();
        let Some((tag, rest)) = line.strip_prefix('<').and_then(|line| line.split_once('>')) else {
            continue;
        };
        let value = rest.split('<').next().unwrap_or_default();
        match tag {
            "artifactId" => artifact = Some(value.to_owned()),
            "version" if !value.starts_with('$') => {
                if let Some(artifact) = artifact.take() {
                    package.state("dependency", &artifact, value, number);
                }
            }
            "maven.compiler.release" | "maven.compiler.source" | "java.version" | "release"
                if value.len() < 6 =>
            {
                package.state("runtime", "java", value, number);
            }
            _ => {}
        }
    }
}

fn gradle(text: &str, package: &mut Package) {
    for (number, line) in (1u32..).zip(text.lines()) {
        let is_java = ["sourceCompatibility", "JavaLanguageVersion.of", "JavaVersion.VERSION_"]
            .iter()
            .any(|word| line.contains(word));
        let digits: String = line
            .chars()
            .skip_while(|c| !c.is_ascii_digit())
            .take_while(|c| c.is_ascii_digit() || *c == '.')
            .collect();
        if is_java && !digits.is_empty() {
            package.state("runtime", "java", &digits, number);
        }
        for quoted in line.split(['"', '\'']).skip(1).step_by(2).take(4) {
            if let [_, artifact, version] = quoted.split(':').collect::<Vec<_>>().as_slice() {
                package.state("dependency", artifact, version, number);
            }
        }
    }
}

/// By the words that only one licence has.
fn licence(text: &str, package: &mut Package) {
    let words: String = text.split_whitespace().take(400).collect::<Vec<_>>().join(" ").to_lowercase();
    let marks: &[(&str, &[&str])] = &[
        ("Apache-2.0", &["apache license", "version 2.0"]),
        ("AGPL-3.0", &["gnu affero general public license", "version 3"]),
        ("LGPL-3.0", &["gnu lesser general public license", "version 3"]),
        ("GPL-3.0", &["gnu general public license", "version 3"]),
        ("GPL-2.0", &["gnu general public license", "version 2"]),
        ("MPL-2.0", &["mozilla public license", "2.0"]),
        ("MIT", &["permission is hereby granted, free of charge", "the software is provided"]),
        ("BSD-3-Clause", &["redistribution and use in source and binary forms", "neither the name"]),
        ("BSD-2-Clause", &["redistribution and use in source and binary forms"]),
        ("ISC", &["permission to use, copy, modify, and/or distribute"]),
        ("Unlicense", &["this is free and unencumbered software"]),
    ];
    if let Some((id, _)) = marks.iter().find(|(_, marks)| marks.iter().all(|mark| words.contains(mark))) {
        package.state("licence", "licence", id, 1);
    }
}
