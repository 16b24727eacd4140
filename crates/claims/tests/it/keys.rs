//! Keys of the configuration, and fences that repeat code.

use docent_claims::{Claim, Subject, World, checks};

use crate::outcomes::{claim, said};

#[track_caller]
fn check(path: &str, text: &str, key: &str, expected: &str) {
    let parts = key.split('.').map(str::to_owned).collect();
    assert_eq!(said(&[(path, text)], &claim("key", key, Subject::Key { path: parts })), expected, "{key}");
}

#[test]
fn fields_renames_and_configuration_files_have_keys() {
    check("a.rs", "struct Server { listen_port: u16 }", "server.listen-port", "valid");
    check("a.rs", "struct S { #[serde(rename = \"kind-of\")] kind: u8 }", "s.kind-of", "valid");
    check("a.ts", "interface Options { outDir: string }", "build.outDir", "valid");
    check("a.go", "package a\ntype C struct { X int `yaml:\"max_age\"` }", "c.max_age", "valid");
    check("schema.json", "{\"properties\": {\n \"maxAge\": {}\n}}", "cache.maxAge", "valid");
    check("default.toml", "[cache]\nmax-age = 3", "cache.max-age", "valid");
    check("a.rs", "struct Server { listen_port: u16 }", "server.bind-port", "missing");
    check("a.rs", "// bind_port is no more", "server.bind-port", "not ours");
}

#[test]
fn the_key_that_replaced_it_is_suggested() {
    let claim =
        claim("key", "cache.max-age", Subject::Key { path: vec!["cache".to_owned(), "max-age".to_owned()] });
    let then = World::of_files(&[("a.toml", "[cache]\nmax-age = 3\nsize = 1")]);
    let now = World::of_files(&[("a.toml", "[cache]\nmaximum-age = 3\nsize = 1")]);
    let suggestion = checks::suggest(&claim, "README.md", &now, &then);
    assert_eq!(suggestion.map(|suggestion| suggestion.replacement).as_deref(), Some("cache.maximum-age"));
}

#[test]
fn a_snippet_is_the_same_however_it_is_laid_out() {
    let text = "fn open_everything() {\n    first_step();\n    second_step();\n}\n";
    let snippet =
        claim("snippet", text, Subject::Snippet { language: "rust".to_owned(), text: text.to_owned() });
    let same = "mod a {\n    fn open_everything() {\n        first_step(); second_step();\n    }\n}";
    let changed = "fn open_everything() {\n    first_step();\n    third_step();\n}\n";
    assert_eq!(said(&[("a.rs", same)], &snippet), "valid");
    assert_eq!(said(&[("a.rs", changed)], &snippet), "missing");
    let (then, now) = (World::of_files(&[("a.rs", same)]), World::of_files(&[("a.rs", changed)]));
    let suggestion = checks::suggest(&snippet, "README.md", &now, &then);
    assert_eq!(suggestion.map(|suggestion| suggestion.replacement).as_deref(), Some(changed));
}

#[test]
fn a_key_that_the_chart_beside_a_page_has_no_more_is_missing() {
    let key = |key: &str| {
        let path = key.split('.').map(str::to_owned).collect();
        Claim { file: "deploy/README.md".to_owned(), ..claim("key", key, Subject::Key { path }) }
    };
    let files = [
        ("deploy/Chart.yaml", "name: shop\n"),
        ("deploy/values.yaml", "webhook:\n  replicas: 1\n  # serviceType: x\n"),
        ("deploy/templates/a.yaml", "{{ .Values.webhook.hidden }}\n"),
        ("other/a.yaml", "serviceName: x\nelsewhere: y\n"),
    ];
    for (name, expected) in [
        ("webhook.replicas", "valid"),
        ("webhook.serviceName", "missing"),
        ("webhook.serviceType", "valid"),
        ("webhook.hidden", "not ours"),
        ("redis.elsewhere", "valid"),
    ] {
        assert_eq!(said(&files, &key(name)), expected, "{name}");
    }
}
