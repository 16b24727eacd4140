//! Values that the repository states too.

use docent_claims::{Claim, Subject, World, checks};

use crate::outcomes::{claim, said};

/// `of name value`
fn value(line: &str) -> Claim {
    let words: Vec<&str> = line.split(' ').collect();
    let [of, name, value] = words.as_slice() else { panic!("{line}") };
    let subject =
        Subject::Value { of: (*of).to_owned(), name: (*name).to_owned(), value: (*value).to_owned() };
    claim(of, &format!("{name} {value}"), subject)
}

#[track_caller]
fn check(path: &str, text: &str, line: &str, expected: &str) {
    assert_eq!(said(&[(path, text)], &value(line)), expected, "{line} with {path}");
}

#[test]
fn runtimes() {
    let engines = r#"{"name": "x", "engines": {"node": "^20.19.0 || >=22.12.0"}}"#;
    check("package.json", engines, "runtime node 20.19", "valid");
    check("package.json", engines, "runtime node 22", "valid");
    check("package.json", engines, "runtime node 18", "20");
    check("package.json", r#"{"engines": {"node": ">=20.1"}}"#, "runtime node 18", "20");
    check("package.json", r#"{"packageManager": "pnpm@9.1.0+sha512.x"}"#, "runtime pnpm 8.1", "9.1");
    check(".nvmrc", "v18.2.0\n", "runtime node 18", "valid");
    check(".tool-versions", "nodejs 18.2.0\npython 3.11\n", "runtime node 16", "18");
    check("Cargo.toml", "[package]\nname = \"x\"\nrust-version = \"1.80\"\n", "runtime rust 1.75", "1.80");
    check("Cargo.toml", "[workspace.package]\nrust-version = \"1.80\"\n", "runtime rust 1.80", "valid");
    check("rust-toolchain.toml", "[toolchain]\nchannel = \"1.80.1\"\n", "runtime rust 1.80", "valid");
    check(
        "pyproject.toml",
        "[project]\nname = \"x\"\nrequires-python = \">=3.10,<4\"\n",
        "runtime python 3.9",
        "3.10",
    );
    check("go.mod", "module x.y/z\n\ngo 1.22\n", "runtime go 1.21", "1.22");
    check(
        "pom.xml",
        "<properties>\n<maven.compiler.release>17</maven.compiler.release>\n</properties>",
        "runtime java 11",
        "17",
    );
    check(
        "build.gradle",
        "java { toolchain { languageVersion = JavaLanguageVersion.of(21) } }",
        "runtime java 21",
        "valid",
    );
    check("Dockerfile", "FROM node:18-alpine AS build\n", "runtime node 18", "valid");
    check(".github/workflows/ci.yml", "node-version: [18, 20]\n", "runtime node 20", "valid");
    check("src/main.rs", "fn main() {}", "runtime node 20", "not ours");
}

#[test]
fn dependencies_agree_as_far_as_the_document_goes() {
    let cargo = "[package]\nname = \"our-crate\"\nversion = \"0.4.1\"\n[dependencies]\nserde = { version = \"1.0.200\", features = [] }\ntokio = \"1\"\n";
    check("Cargo.toml", cargo, "dependency cargo:serde 1.0", "valid");
    check("Cargo.toml", cargo, "dependency cargo:tokio 1.40", "valid");
    check("Cargo.toml", cargo, "dependency cargo:serde 0.9", "1.0");
    check("Cargo.toml", cargo, "dependency cargo:our-crate 0.3", "0.4");
    check("Cargo.toml", cargo, "dependency cargo:our_crate 0.4", "valid");
    check("Cargo.toml", cargo, "dependency npm:serde 0.9", "not ours");
    check("Cargo.toml", cargo, "dependency cargo:rand 0.9", "not ours");
    check(
        "package.json",
        r#"{"dependencies": {"@scope/x": "^2.1.0"}}"#,
        "dependency npm:@scope/x 1.9",
        "2.1",
    );
    check("requirements.txt", "requests[socks]==2.31.0 ; x\n", "dependency pypi:requests 2.31", "valid");
    check(
        "pyproject.toml",
        "[project]\nname = \"x\"\ndependencies = [\"pydantic>=2.1\"]\n",
        "dependency pypi:pydantic 1.10",
        "2.1",
    );
    check(
        "go.mod",
        "module a.b/c\nrequire (\n\tgithub.com/spf13/cobra v1.8.0 // indirect\n)\n",
        "dependency go:github.com/spf13/cobra 1.7",
        "1.8",
    );
    check(
        "pom.xml",
        "<dependency>\n<artifactId>tika-core</artifactId>\n<version>3.1.0</version>\n",
        "dependency maven:org.apache.tika:tika-core 2.9",
        "3.1",
    );
}

#[test]
fn conventions() {
    check(
        "LICENSE",
        "Permission is hereby granted, free of charge, to any person … THE SOFTWARE IS PROVIDED \"AS IS\"",
        "licence MIT MIT",
        "valid",
    );
    check("LICENSE", "Apache License\nVersion 2.0, January 2004", "licence MIT MIT", "Apache-2.0");
    let nearest = [
        ("LICENSE", "Apache License\nVersion 2.0, January 2004"),
        ("src/fetch/package.json", r#"{"name": "fetch", "license": "MIT"}"#),
    ];
    let mit = value("licence MIT MIT");
    let world = World::of_files(&nearest);
    assert!(checks::check(&mit, "src/fetch/README.md", &world).is_valid());
    assert!(!checks::check(&mit, "README.md", &world).is_valid());
    check(
        "Cargo.toml",
        "[package]\nname = \"x\"\nlicense = \"MIT OR Apache-2.0\"\n",
        "licence Apache-2.0 Apache-2.0",
        "valid",
    );
    check("Cargo.toml", "[package]\nname = \"x\"\nedition = \"2024\"\n", "edition rust 2021", "2024");
    check("package.json", r#"{"name": "@us/tool", "bin": "x.js"}"#, "package_name npm @us/tool", "valid");
    check("package.json", r#"{"name": "@us/tool", "bin": "x.js"}"#, "package_name npm @old/tool", "missing");
    check("package.json", r#"{"name": "@us/tool", "bin": "x.js"}"#, "package_name npm react", "not ours");
    check("go.mod", "module x.y/z/v2\n", "package_name go x.y/z/v2/cmd/z", "valid");
}

#[test]
fn defaults() {
    check("a.rs", "pub const DEFAULT_PORT: u16 = 8_080;", "default port 8080", "valid");
    check("a.rs", "pub const DEFAULT_PORT: u16 = 9090;", "default server.port 8080", "9090");
    check("a.rs", "struct A { #[arg(long, default_value_t = 20)] top_k: u8 }", "default --top-k 20", "valid");
    check(
        "a.rs",
        "struct A { #[arg(long, default_value = \"auto\")] color: String }",
        "default --color never",
        "auto",
    );
    check(
        "a.rs",
        "impl Default for A { fn default() -> Self { Self { max_size: 10 } } }",
        "default max_size 10",
        "valid",
    );
    check("a.py", "def f(chunk_size: int = 500): pass", "default chunk_size 400", "500");
    check("a.py", "p.add_argument('--x')\nmax_age = 3", "default max-age 3", "valid");
    check("a.ts", "export const defaults = { outDir: 'dist', minify: true }", "default outDir dist", "valid");
    check("a.ts", "function f({ maxAge = 3 }) {}", "default maxAge 4", "3");
    check("a.go", "package a\nconst DefaultTimeout = 30", "default timeout 30", "valid");
    check("config/default.yaml", "server:\n  log_level: info\n", "default log_level debug", "info");
    check("a.rs", "const A_SIZE: u8 = 1;", "default other 1", "not ours");
}

#[test]
fn only_the_nearest_manifest_speaks_for_a_document() {
    let files = [
        ("package.json", r#"{"engines": {"node": ">=20"}}"#),
        ("tools/old/package.json", r#"{"engines": {"node": ">=16"}}"#),
        ("tools/requirements.txt", "requests==2.31.0"),
    ];
    assert_eq!(said(&files, &value("runtime node 16")), "20");
    assert_eq!(said(&files, &value("dependency pypi:requests 2.30")), "not ours");
}

#[test]
fn a_minimum_is_met_by_a_higher_pin_and_refuted_by_a_manifest() {
    check(".nvmrc", "20\n", "minimum node 18", "valid");
    check(".nvmrc", "16\n", "minimum node 18", "not ours");
    check("package.json", r#"{"packageManager": "pnpm@10.1.0"}"#, "minimum pnpm 9", "valid");
    check("package.json", r#"{"engines": {"node": ">=20"}}"#, "minimum node 18", "20");
    // One of several that do is not the least.
    let several = r#"{"engines": {"node": "^16.10.0 || ^18.1 || >=20.0.0"}}"#;
    check("package.json", several, "minimum node 16", "valid");
    check("package.json", several, "minimum node 18", "not ours");
    check(".github/workflows/ci.yml", "node-version: 18\n", "minimum node 20", "not ours");
}

#[test]
fn a_version_that_another_package_states_is_not_refuted_by_the_nearest() {
    let files = [
        ("docs/pyproject.toml", "[project]\nname = \"docs\"\nrequires-python = \">=3.11\"\n"),
        ("lib/pyproject.toml", "[project]\nname = \"lib\"\nrequires-python = \">=3.10\"\n"),
    ];
    let mut claim = value("minimum python 3.10");
    claim.file = "docs/guide/install.md".to_owned();
    assert_eq!(said(&files, &claim), "not ours");
    claim.file = "docs/README.md".to_owned();
    assert_eq!(said(&files, &claim), "3.11");
}

#[test]
fn a_range_takes_later_versions_that_change_nothing() {
    let files = [("package.json", r#"{"name": "tool", "version": "4.2.1"}"#)];
    let named = |named: &str, value: &str| {
        let of = |text: &str| text.to_owned();
        let subject = Subject::Value { of: of("dependency"), name: of("npm:tool"), value: of(value) };
        said(&files, &claim("manifest", named, subject))
    };
    assert_eq!(named("\"tool\": \"^4.0.0\"", "4.0.0"), "valid");
    assert_eq!(named("\"tool\": \"4.0.0\"", "4.0.0"), "4.2.1");
    assert_eq!(named("\"tool\": \"^3.0.0\"", "3.0.0"), "4.2.1");
    assert_eq!(named("\"tool\": \"~4.2.0\"", "4.2.0"), "valid");
    assert_eq!(named("\"tool\": \"~4.1.0\"", "4.1.0"), "4.2.1");
    assert_eq!(named("\"tool\": \">=3.1.0\"", "3.1.0"), "valid");
    assert_eq!(named("\"tool\": \">= 5.1\"", "5.1"), "4.2");
}

#[test]
fn a_line_that_lists_several_versions_has_more_than_one_remedy() {
    let manifest = [("pyproject.toml", "[project]\nname = \"a\"\nrequires-python = \">=3.10\"\n")];
    let world = World::of_files(&manifest);
    for (text, is_certain) in
        [("It runs on Python 3.9.", true), ("It runs on Python 3.9, 3.10, and 3.11.", false)]
    {
        let mut version = value("runtime python 3.9");
        (version.named, version.text) = ("Python 3.9".to_owned(), text.to_owned());
        let suggestion = checks::suggest(&version, "README.md", &world, &world).unwrap();
        assert_eq!(
            (suggestion.replacement.as_str(), suggestion.is_certain),
            ("Python 3.10", is_certain),
            "{text}"
        );
    }
}

#[test]
fn a_default_that_is_put_together_may_be_the_same() {
    check(
        "compose.yaml",
        "env:\n  SHOP_ENDPOINT: ${HOST}:${PORT}\n",
        "default SHOP_ENDPOINT shop:8080",
        "not ours",
    );
    check(
        "compose.yaml",
        "env:\n  SHOP_ENDPOINT: shop:9090\n",
        "default SHOP_ENDPOINT shop:8080",
        "shop:9090",
    );
}

#[test]
fn a_default_that_stands_in_code_in_another_way_is_not_refuted() {
    check("a.ts", "const a = { logLevel: given?.logLevel ?? 'info' }", "default logLevel info", "valid");
    check(
        "a.ts",
        "const a = { logLevel: 'warn' }; // logLevel was info",
        "default logLevel info",
        "not ours",
    );
    let files = [("a.ts", "const a = { service: 'tool' }"), ("b.ts", "const NAME = 'tool/broker'")];
    assert_eq!(said(&files, &value("default service tool/broker")), "not ours");
}

#[test]
fn several_values_are_no_statement_of_one() {
    let code = "fn f() { A { port: 1 }; B { port: 2 }; }";
    check("a.rs", code, "default port 2", "valid");
    // Something else may have so common a name.
    check("a.rs", code, "default port 3", "not ours");
    let code = "fn f() { A { max_port: 1 }; B { max_port: 2 }; }";
    check("a.rs", code, "default max_port 3", "missing");
}

#[test]
fn ports() {
    check("docker-compose.yml", "ports:\n  - \"8080:80\"\n", "port x 8080", "valid");
    check("a.rs", "const PORT: u16 = 8080;", "port x 8080", "valid");
    check("a.go", "package a\nvar x = \":8080\"", "port x 8080", "valid");
    check("a.go", "package a\nvar x = \":8081\"", "port x 8080", "missing");
    check("a.go", "package a\nvar retries = 8080", "port x 8080", "not ours");
}

#[test]
fn the_value_now_is_a_certain_suggestion() {
    let world = World::of_files(&[(".nvmrc", "20\n")]);
    let suggestion = checks::suggest(&value("runtime node 18"), "README.md", &world, &world).unwrap();
    assert_eq!(suggestion.replacement, "node 20");
    assert!(suggestion.is_certain);
}

#[test]
fn what_ci_uses_is_not_what_a_manifest_needs() {
    let files = [
        ("package.json", r#"{"name": "x", "engines": {"node": ">=22.0.0"}}"#),
        (".github/workflows/ci.yml", "node-version: [20, 22]\n"),
    ];
    let value = |value: &str| Subject::Value {
        of: "runtime".to_owned(),
        name: "node".to_owned(),
        value: value.to_owned(),
    };
    assert_eq!(said(&files, &claim("runtime", "Node 20+", value("20"))), "22");
    assert_eq!(said(&files, &claim("runtime", "Node 22+", value("22"))), "valid");
    assert_eq!(said(&files[1..], &claim("runtime", "Node 20+", value("20"))), "valid");
}

#[test]
fn while_a_release_is_being_made_the_last_one_is_what_readers_install() {
    let cargo = |version: &str| format!("[package]\nname = \"acme\"\nversion = \"{version}\"\n");
    check("Cargo.toml", &cargo("0.9.0-alpha.1"), "dependency cargo:acme 0.8", "valid");
    check("Cargo.toml", &cargo("0.9.0"), "dependency cargo:acme 0.8", "0.9");
}

/// What is said of a line of `README.md` beside these values of a chart.
#[track_caller]
fn beside(values: &str, line: &str, expected: &str) {
    let files = [
        ("Chart.yaml", "name: shop\n"),
        ("values.yaml", values),
        ("app/values.yaml", "tag: v9\nsize: 5\n"),
        ("app/Chart.yaml", ""),
    ];
    assert_eq!(said(&files, &value(line)), expected, "{line} beside {values}");
}

#[test]
fn a_page_beside_a_chart_tells_the_values_of_this_chart() {
    let values = "image:\n  tag: v1.2\nwebhook:\n  image:\n    tag: \"v3\"\nargs: []\n";
    beside(values, "default image.tag v1.2", "valid");
    beside(values, "default image.tag v3", "v1.2");
    beside(values, "default webhook.image.tag v3", "valid");
    beside(values, "default webhook.image.tag v1.2", "v3");
    // What the chart has no word for is looked up as anywhere else.
    beside(values, "default tag v9", "valid");
    // `app/` is a part of the chart.
    beside(values, "default app.tag v9", "valid");
    beside(values, "default app.tag v8", "v9");
    beside(values, "default webhook.sideSize 5", "missing");
    let elsewhere = [("values.yaml", values), ("a.py", "image_tag = 'v7'\n")];
    assert_eq!(said(&elsewhere, &value("default image.tag v7")), "not ours", "no chart is beside the page");
}

#[test]
fn a_long_key_on_a_page_elsewhere_is_that_of_the_only_chart_that_has_it() {
    let files = [
        ("charts/shop/Chart.yaml", "name: shop\n"),
        ("charts/shop/values.yaml", "collector:\n  image:\n    tag: \"0.158.0\"\n"),
        ("charts/other/Chart.yaml", "name: other\n"),
        ("charts/other/values.yaml", "image:\n  tag: v1\n"),
    ];
    assert_eq!(said(&files, &value("default collector.image.tag 0.158.0")), "valid");
    assert_eq!(said(&files, &value("default collector.image.tag 0.157.0")), "0.158.0");
    assert_eq!(said(&files, &value("default image.tag v2")), "not ours", "any chart may have it");
    let mut copied = files;
    copied[3].1 = "collector:\n  image:\n    tag: v1\n";
    assert_eq!(said(&copied, &value("default collector.image.tag 0.157.0")), "not ours");
}
