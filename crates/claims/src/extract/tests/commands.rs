//! Commands, their flags and the files that they name.

use super::*;

#[test]
fn scripts_of_manifests() {
    check_subjects(
        "```sh\n$ npm run build -- --x\n```",
        "npm_script",
        &[defined("npm_script", "build", None)],
    );
    check("Run `npm run build:all`.", "npm_script", &["npm run build:all"]);
    check("`npm test` `npm install` `yarn add x`", "npm_script", &["npm test"]);
    check("```bash\ncd ui && pnpm dev\n```", "npm_script_or_program", &["pnpm dev"]);
    check_subjects(
        "```bash\ncd ui && pnpm run dev\n```",
        "npm_script",
        &[defined("npm_script", "dev", Some("ui"))],
    );
    check_subjects(
        "`pnpm --filter @a/b run dev`",
        "npm_script",
        &[defined("npm_script", "dev", Some("@a/b"))],
    );
    check("```\nnpm create vite\ncd x\nnpm run dev\n```", "npm_script", &[]);
    check(
        "```sh\nmake -C lib -j8 all test CC=gcc\n```",
        "make_target",
        &["make -C lib -j8 all", "make -C lib -j8 all test"],
    );
    check("You can `make it work`; `make build`", "make_target", &["make build"]);
    check("`just test --x` `task build:all V=1`", "just_recipe", &["just test"]);
    check("`just test --x` `task build:all V=1`", "task", &["task build:all"]);
    check("`make $TARGET` `npm run <script>` `just foo`", "make_target", &[]);
}

#[test]
fn cargo_and_other_tools() {
    let text = "```sh\ncargo +nightly run -p a --bin b --features x,y -- --flag\n```";
    check_subjects(
        text,
        "cargo_feature",
        &[defined("cargo_feature", "x", Some("a")), defined("cargo_feature", "y", Some("a"))],
    );
    check(text, "cargo_bin", &["cargo +nightly run -p a --bin b"]);
    check(text, "flag", &["--flag"]);
    check(
        "`cargo xtask docs` `cargo nextest run` `cargo build` `cargo install -p x`",
        "cargo_alias",
        &["cargo xtask"],
    );
    let both = "`cargo test --test one` `cargo xtask run --test two`";
    check(both, "cargo_test", &["cargo test --test one"]);
    check("`go run ./cmd/x` `go test ./...` `go run main.go`", "go_package", &["go run ./cmd/x"]);
    check("`python -m pkg.mod --x`", "python_module", &["python -m pkg.mod"]);
    check(
        "`docker compose up -d web db` `docker run x`",
        "compose_service",
        &["docker compose up -d web", "docker compose up -d web db"],
    );
    check(
        "```sh\n./scripts/a.sh x\nbash b.sh\npython tools/c.py\ncp .env.example .env\ncd a/b\n```",
        "argument",
        &["./scripts/a.sh", "b.sh", "tools/c.py", ".env.example", "a/b"],
    );
    check("`./gradlew :core:test`", "gradle_project", &["./gradlew :core:test"]);
}

#[test]
fn calls_of_programs() {
    check("`tool sub deep --flag=1 -v`", "subcommand", &["tool sub", "tool sub deep"]);
    check("`tool sub deep --flag=1 -v` and `--alone`", "flag", &["--flag", "-v", "--alone"]);
    check("`git commit --amend` `ls -l`", "flag", &[]);
    check("```console\n$ tool a\nother b\n```", "subcommand", &["tool a"]);
    check("```\nsome prose here\n```", "subcommand", &[]);
    check("```sh\nA_B=1 sudo tool go # rest\n```", "subcommand", &["tool go"]);
}

#[test]
fn files_that_any_command_names() {
    check(
        "`uvx --with-requirements docs/req.txt -- mkdocs serve` `uv run --isolated scripts/make.py`",
        "argument",
        &["docs/req.txt", "scripts/make.py"],
    );
    check("```sh\ncat conf/rules.json | jq .\n```", "argument", &["conf/rules.json"]);
    check("`tool --config conf/a.toml -o out/b.json`", "argument", &["conf/a.toml"]);
    check("```sh\ntouch conf/a.toml\n```", "argument", &[]);
    check(
        "```sh\npython tools/run.py -c Agent data/a.json\n```",
        "argument",
        &["tools/run.py", "data/a.json"],
    );
    check("```nu\ncargo run -- crates/std/a.nu\n```", "argument", &["crates/std/a.nu"]);
    let subject = |target: &str| Subject::Path {
        target: target.to_owned(),
        anchor: None,
        lines: None,
        link: crate::Link::Argument,
    };
    check_subjects(
        "```sh\ncd web/app\nnode tools/x.js\n```",
        "argument",
        &[subject("web/app"), subject("web/app/tools/x.js")],
    );
}

#[test]
fn flags_of_scripts_and_in_lists() {
    let flag = |program: &str, flag: &str| Subject::OwnCli {
        program: program.to_owned(),
        subcommands: Vec::new(),
        flag: Some(flag.to_owned()),
    };
    check_subjects("```sh\npython -m a.b --deep\n```", "flag", &[flag("a/b", "--deep")]);
    check_subjects("```sh\n./tools/x.sh --deep\n```", "flag", &[flag("tools/x.sh", "--deep")]);
    check_subjects("`--deep DIR --wide`", "flag", &[flag("", "--deep"), flag("", "--wide")]);
    check("```\n  -p, --port int   the port\n      --wide       more\n```", "flag", &["--port", "--wide"]);
}

#[test]
fn features_of_packages_that_are_installed() {
    check_subjects(
        "`cargo install tool --features=a,b`",
        "cargo_feature",
        &[defined("cargo_feature", "a", Some("tool")), defined("cargo_feature", "b", Some("tool"))],
    );
}

#[test]
fn arguments_that_shall_be_added_to_a_call() {
    check(
        "```bash\n--moe-backend deep \\\n--mode auto \\\n--verbose\n```\n",
        "flag",
        &["--moe-backend", "--mode", "--verbose"],
    );
    check("`ExecStart=/usr/bin/x --app y --level z`", "flag", &["--app"]);
    check(
        "```bash\nScan\n\nUsage:\n  tool scan\n\nFlags\n      --exit-code int   code\n  -gc, --expose-gc      more\n```\n",
        "flag",
        &["--exit-code", "--expose-gc"],
    );
    check(
        "```yaml\n# Same as '--exit-code'\n# CLI flag: -a.b\n# - see --\nx: 1\n```\n",
        "flag",
        &["--exit-code", "-a.b"],
    );
    check("```\nAPP_URL=x \\\nAPP_KEY=y \\\n./tool run\n```\n", "variable", &["APP_URL", "APP_KEY"]);
}

#[test]
fn examples_of_a_program_without_a_language() {
    let page = "```\n  # Check\n  flux check --pre\n\n  # Remove\n  flux uninstall --crds\n```\n";
    check(page, "flag", &["--pre", "--crds"]);
    check(page, "subcommand", &["flux check", "flux uninstall"]);
    check("```\n# a list\nsome words here\nother words\n```\n", "subcommand", &[]);
}

#[test]
fn flags_of_a_synopsis() {
    let page =
        "```\nusage: tool run [-h] [--hot-reload] [--dir DIR]\n                [--quiet|--loud]\n```\n";
    check(page, "flag", &["--hot-reload", "--dir", "--quiet"]);
}

#[test]
fn images_by_their_digests_show_a_release_as_it_was() {
    let page = "```yaml\nargs: [\n  \"-git-image\", \"host/git:v0.28.1@sha256:83d5\",\n  \"-kept-image\", \"host/kept\",\n]\n```\n";
    check(page, "flag", &["-kept-image"]);
}
