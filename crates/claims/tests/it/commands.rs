//! Scripts, targets, tasks, packages and features that manifests define.

use docent_claims::{ClaimType, Outcome, Subject, World, checks, extract};

const FILES: &[(&str, &str)] = &[
    (
        "package.json",
        r#"{"name": "root", "scripts": {"build": "x", "test": "y"}, "devDependencies": {"vitest": "1", "@changesets/cli": "2"}}"#,
    ),
    ("ui/package.json", r#"{"name": "@a/ui", "scripts": {"dev": "x"}}"#),
    (
        "Makefile",
        "CC := gcc\nVAR = a:b\n.PHONY: lint\n\nall: build\n\tcc\nbuild run-server: x.c\nlint:\n%.o: %.c\ninclude more.mk\n",
    ),
    ("more.mk", "extra:\n"),
    ("tools/Makefile", "only-here:\n"),
    (
        "justfile",
        "set shell := [\"sh\"]\nx := 'y'\nalias t := test\n\ntest *args: build\n  go\n@quiet a='b':\nmod docs\n",
    ),
    (
        "Taskfile.yml",
        "version: '3'\nincludes:\n  web: ./web\ntasks:\n  build:\n    aliases: [b]\n    cmds:\n      - x\n  docs:serve:\n    cmds: []\n  'run:*':\n    cmds: []\n",
    ),
    (
        "Cargo.toml",
        "[package]\nname = \"tool\"\n[features]\nfast = []\n[dependencies]\nserde = { version = \"1\", optional = true }\n[[bin]]\nname = \"other\"\npath = \"x.rs\"\n",
    ),
    (".cargo/config.toml", "[alias]\nxtask = \"run -p xtask --\"\n"),
    ("src/main.rs", ""),
    ("src/bin/third.rs", ""),
    ("examples/demo.rs", ""),
    ("go.mod", ""),
    ("cmd/server/main.go", ""),
    ("src/pkg/__init__.py", ""),
    ("src/pkg/run.py", ""),
    ("compose.yaml", "services:\n  web:\n    image: x\n  db:\n    image: y\nvolumes:\n  data:\n"),
    ("deno.json", "{\n  // x\n  \"tasks\": {\n    \"dev\": \"x\"\n  },\n  \"y\": 1\n}\n"),
    (
        "tox.toml",
        "env_list = [\n  \"fix\",\n  \"3.14\",\n]\nskip = 1\n[env.docs]\ncommands = [[\"x\", \"gone\"]]\n",
    ),
    ("noxfile.py", "@nox.session\ndef run_tests(session):\n    pass\n"),
    ("core/build.gradle", ""),
];

/// One letter for each manifest claim of a page: `v`alid, `m`issing, `-` not ours.
fn check_with(files: &[(&str, &str)], text: &str, expected: &str) {
    let world = World::of_files(files);
    let letter = |outcome| match outcome {
        Outcome::Valid { .. } => 'v',
        Outcome::Missing { .. } => 'm',
        Outcome::Differs { .. } => 'd',
        Outcome::NotOurs => '-',
    };
    let claims = extract("README.md", text);
    let defined = claims.iter().filter(|claim| matches!(claim.subject, Subject::Defined { .. }));
    let outcomes: String = defined.map(|claim| letter(checks::check(claim, "README.md", &world))).collect();
    assert_eq!(outcomes, expected, "{text}: {claims:#?}");
}

fn check(text: &str, expected: &str) {
    check_with(FILES, text, expected);
}

#[test]
fn scripts_of_package_managers() {
    check("`npm run build` `npm test` `pnpm run dev` `npm run gone` `npm start`", "vvvmm");
    check("```sh\ncd ui && npm run dev\n```\n\n```sh\ncd ui && npm run build\n```", "vm");
    check("```sh\ngit clone x/repo\ncd repo\nnpm run build\n```", "v");
    check("`npm --prefix ui run dev` `pnpm --filter @a/ui run dev` `yarn workspace @a/ui gone`", "vvvm");
    check("`yarn build` `yarn vitest` `yarn changeset` `yarn gone`", "vvvm");
    check("`npm run build -w @a/gone`", "-m");
}

#[test]
fn targets_of_make() {
    check(
        "`make build` `make run-server` `make lint` `make extra` `make x.o` `make gone` `make VAR`",
        "vvvvvmm",
    );
    check("`make -C tools only-here` `make -C tools build`", "vm");
    check_with(&[("Makefile", "include $(X)/a\n")], "`make gone`", "-");
    check_with(&[("README.md", "")], "`make gone`", "m");
}

#[test]
fn recipes_and_tasks() {
    check("`just test` `just t` `just quiet` `just docs::x` `just gone` `just set`", "vvvvmm");
    check(
        "`task build` `task b` `task docs:serve` `task web:any` `task run:x` `task gone` `task cmds`",
        "vvvvvmm",
    );
    check("`deno task dev` `deno task y` `nox -s run_tests` `nox -s gone`", "vmvm");
    check("`tox -e fix` `tox -e docs` `tox -e py312` `tox -e gone`", "vvvm");
    check("`docker compose up web db` `docker compose logs data` `docker compose run web sh`", "vvm");
}

#[test]
fn packages_targets_and_features_of_cargo() {
    check("`cargo run -p tool` `cargo test -p gone` `cargo build --features fast,serde,gone`", "vmvvm");
    check(
        "`cargo run --bin tool` `cargo run --bin other` `cargo run --bin third` `cargo run --bin gone`",
        "vvvm",
    );
    check("`cargo run --example demo` `cargo run --example gone` `cargo xtask x` `cargo gone x`", "vmvm");
    check_with(&[("Cargo.toml", "")], "`cargo gone x`", "-");
}

#[test]
fn modules_that_are_folders() {
    check(
        "`go run ./cmd/server` `go run ./cmd/gone` `python -m pkg.run` `python -m pkg.gone` `python -m venv x`",
        "vmvm-",
    );
    check("`./gradlew :core:test` `./gradlew :gone:test`", "vm");
}

#[test]
fn the_closest_name_is_suggested() {
    let (then, now) = (World::of_files(&[("Makefile", "server:\nbuild:\n")]), World::of_files(FILES));
    let suggestion = |text: &str| {
        let claims = extract("README.md", text);
        let claim = claims.iter().find(|claim| claim.claim_type == ClaimType::Command).unwrap();
        checks::suggest(claim, "README.md", &now, &then).map(|suggestion| suggestion.replacement)
    };
    assert_eq!(suggestion("`make server`").as_deref(), Some("make run-server"));
    assert_eq!(suggestion("`make lintt`").as_deref(), Some("make lint"));
    assert_eq!(suggestion("`make something-else`"), None);
    assert_eq!(suggestion("`task docs:serv`").as_deref(), Some("task docs:serve"));
}

#[test]
fn a_package_is_followed_in_its_manifest() {
    let manifest = |name: &str| format!("[package]\nname = \"{name}\"\n");
    let suggestion = |now: &[(&str, &str)]| {
        let then = [("sdk/Cargo.toml", manifest("acme-sdk")), ("one/Cargo.toml", manifest("acme-sd"))];
        let then = World::of_files(&then.each_ref().map(|(path, text)| (*path, text.as_str())));
        let claims = extract("README.md", "`cargo test -p acme-sdk`");
        let claim = claims.iter().find(|claim| claim.kind == "cargo_package").unwrap();
        checks::suggest(claim, "README.md", &World::of_files(now), &then).map(|it| it.replacement)
    };
    let (acme, one, other) = (manifest("acme"), manifest("acme-sd"), manifest("acme-sdks"));
    let renamed = [("sdk/Cargo.toml", acme.as_str()), ("one/Cargo.toml", &one)];
    assert_eq!(suggestion(&renamed).as_deref(), Some("cargo test -p acme"));
    // What was there beside it is not what became of it.
    assert_eq!(suggestion(&[("one/Cargo.toml", &one)]), None);
    let new = [("two/Cargo.toml", other.as_str()), ("one/Cargo.toml", &one)];
    assert_eq!(suggestion(&new).as_deref(), Some("cargo test -p acme-sdks"));
}
