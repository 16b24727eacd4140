//! Subcommands and flags of this repository's programs.

use docent_claims::{Claim, Subject, World, checks};

use crate::outcomes::{claim, said};

/// `program sub sub --flag`
fn command(line: &str) -> Claim {
    let mut words = line.split(' ');
    let program = words.next().unwrap().to_owned();
    let (flags, subcommands): (Vec<&str>, Vec<&str>) = words.partition(|word| word.starts_with('-'));
    let subject = Subject::OwnCli {
        program,
        subcommands: subcommands.into_iter().map(str::to_owned).collect(),
        flag: flags.first().map(|&flag| flag.to_owned()),
    };
    claim("own_cli", line, subject)
}

#[track_caller]
fn check(files: &[(&str, &str)], cases: &[(&str, &str)]) {
    for (line, expected) in cases {
        assert_eq!(said(files, &command(line)), *expected, "{line}");
    }
}

const CARGO: (&str, &str) = ("Cargo.toml", "[package]\nname = \"tool\"\n[[bin]]\nname = \"second\"\n");

#[test]
fn clap_derive() {
    let code = r#"
        use clap::Parser;
        #[derive(Parser)] struct Cli { #[arg(long, short)] max_count: u8, #[arg(long = "colour", alias = "color")] c: u8, #[clap(flatten)] rest: u8 }
        #[derive(Subcommand)] enum Command { BuildAll { #[arg(long)] deep_scan: bool }, #[command(name = "ls", visible_alias = "list")] Enumerate }
        enum Other { NotOne }
        struct Plain { just_data: u8 }
    "#;
    let files = [CARGO, ("src/main.rs", code)];
    check(
        &files,
        &[
            ("tool", "valid"),
            ("second", "valid"),
            ("third", "not ours"),
            ("tool --max-count", "valid"),
            ("tool --colour", "valid"),
            ("tool --color", "valid"),
            ("tool build-all --deep-scan", "valid"),
            ("tool ls", "valid"),
            ("tool list", "valid"),
            ("tool not-one", "missing"),
            ("tool gone", "missing"),
            ("tool --gone", "missing"),
            ("tool --just-data", "missing"),
            ("tool --help", "not ours"),
            ("tool -m", "not ours"),
        ],
    );
}

#[test]
fn clap_builder() {
    let code = r#"fn f() { clap::Command::new("tool").subcommand(Command::new("sync")).arg(Arg::new("x").long("dry-run").short('n')); }"#;
    check(
        &[CARGO, ("src/main.rs", code)],
        &[("tool sync --dry-run", "valid"), ("tool sync --wet-run", "missing"), ("tool fetch", "missing")],
    );
}

#[test]
fn argparse_click_and_typer() {
    let manifest =
        ("pyproject.toml", "[project]\nname = \"aid\"\n[project.scripts]\naid = \"aid.main:main\"\n");
    let argparse = "import argparse\nparser = argparse.ArgumentParser()\nparser.add_argument('--auto-commits', action=argparse.BooleanOptionalAction)\nparser.add_argument('-m', '--model')\nsub.add_parser('serve')\n";
    check(
        &[manifest, ("aid/args.py", argparse)],
        &[
            ("aid --auto-commits", "valid"),
            ("aid --no-auto-commits", "valid"),
            ("aid serve --model", "valid"),
            ("aid --models", "missing"),
        ],
    );
    let click = "import click\n@click.command()\n@click.option('--shout/--no-shout')\n@click.option('-n', '--num-of', type=int)\ndef hello_world(): pass\n@cli.command('init')\ndef x(): pass\n";
    check(
        &[manifest, ("aid/a.py", click)],
        &[("aid hello-world --no-shout", "valid"), ("aid init --num-of", "valid")],
    );
    let typer =
        "import typer\n@app.command()\ndef create_user(name: str, admin_rights: bool = False): pass\n";
    check(
        &[manifest, ("aid/a.py", typer)],
        &[
            ("aid create-user --admin-rights", "valid"),
            ("aid create-user --no-admin-rights", "valid"),
            ("aid create-user --gone-now", "missing"),
        ],
    );
}

#[test]
fn cobra_flag_and_pflag() {
    let code = "package main\nimport \"github.com/spf13/cobra\"\nvar c = &cobra.Command{Use: \"up [name]\", Aliases: []string{\"start\"}}\nvar d = &own.Command{Name: \"call [options] [function]...\"}\nvar e = list(\"functions [options] [function]...\")\nfunc init() { pflag.BoolVarP(&x, \"list-all\", \"a\", false, \"\"); c.Flags().String(\"output\", \"\", \"\"); flag.Int(\"limit\", 1, \"\") }\n";
    check(
        &[("go.mod", "module example.com/x/task/v3\n"), ("cmd/task/main.go", code)],
        &[
            ("task up --list-all", "valid"),
            ("task start --output", "valid"),
            ("task --limit", "valid"),
            ("task call", "valid"),
            ("task functions", "valid"),
            ("task down", "missing"),
            ("task --list-none", "missing"),
        ],
    );
}

#[test]
fn commander_yargs_and_cac() {
    let manifest = ("package.json", r#"{"name": "@us/tool", "bin": {"tool": "./cli.js"}}"#);
    let commander = "import { program } from 'commander'\nprogram.command('build <dir>').option('-o, --out-dir <dir>', 'x').option('--no-minify')\nwithOptions('open [url]', 'say what is open')\n";
    check(
        &[manifest, ("cli.js", commander)],
        &[
            ("tool build --out-dir", "valid"),
            ("tool --no-minify", "valid"),
            ("tool --minify", "valid"),
            ("tool open", "valid"),
            ("tool say", "missing"),
            ("tool serve", "missing"),
        ],
    );
    let yargs = "const yargs = require('yargs')\nyargs.command('get [x]', '', y => y.option('fullPath', { type: 'string' })).options({ maxAge: {} })\n";
    check(
        &[manifest, ("cli.js", yargs)],
        &[("tool get --full-path", "valid"), ("tool --max-age", "valid"), ("tool --min-age", "missing")],
    );
    let by_hand = "if (process.argv.includes('--watch')) run()\n";
    check(
        &[manifest, ("cli.js", by_hand)],
        &[("tool --watch", "valid"), ("tool --run", "not ours"), ("tool --unheard-of", "missing")],
    );
}

#[test]
fn arguments_that_are_compared_with_texts() {
    let manifest = ("package.json", r#"{"name": "tool", "bin": "./cli.js"}"#);
    let code = "const { values } = parseArgs({ options: { 'top-k': {} } }); switch (command) { case 'search': run() }";
    check(&[manifest, ("cli.ts", code)], &[("tool search --top-k", "valid"), ("tool find", "missing")]);
}

#[test]
fn a_flag_alone_belongs_to_a_program_of_the_repository_or_to_nobody() {
    let code = "use clap::Parser; #[derive(Parser)] struct C { #[arg(long)] max_count: u8 } fn f() { git.arg(\"--porcelain\"); }";
    check(
        &[CARGO, ("src/main.rs", code)],
        &[(" --max-count", "valid"), (" --porcelain", "not ours"), (" --gone", "missing")],
    );
    // A site or a service has commands, and no manifest that names a program.
    check(&[("src/lib.rs", code)], &[(" --max-count", "valid"), (" --gone", "missing")]);
    check(&[("src/lib.rs", "fn f() { let max_count = 1; }")], &[(" --max-count", "not ours")]);
}

#[test]
fn a_word_that_stands_in_code_is_no_flag_unless_something_may_make_it_one() {
    let code = |more: &str| format!("use clap::Parser; fn f(senior: bool) {{ let x = senior; {more} }}");
    check(&[CARGO, ("src/main.rs", &code(""))], &[(" --senior", "missing")]);
    check(&[CARGO, ("src/main.rs", &code("flags.add(\"senior\");"))], &[(" --senior", "not ours")]);
    // So it is with several words.
    let code = "use clap::Parser; // --two-words\nfn f() { let two_words = 1; }\n";
    check(&[CARGO, ("src/main.rs", code)], &[(" --two-words", "missing"), (" --no-two-words", "missing")]);
    check(&[CARGO, ("src/main.rs", code), ("run.sh", "x --two-words")], &[(" --two-words", "not ours")]);
    let code = "use clap::Parser; fn f() { git.arg(\"--two-words\"); }";
    check(&[CARGO, ("src/main.rs", code)], &[(" --two-words", "not ours")]);
}

#[test]
fn flags_that_helpers_bind() {
    let manifest = ("go.mod", "module example.com/tool\n");
    let code = "package main\nfunc f(fs *flag.FlagSet) { b.EnumVar(&x, \"policy\", \"sync\"); s := flag.NewFlagSet(\"x\", 0) }\n";
    check(&[manifest, ("main.go", code)], &[(" --policy", "valid"), (" --gone", "missing")]);
    // Without any manifest, as before modules.
    check(&[("main.go", code)], &[(" -policy", "valid")]);
}

#[test]
fn commands_that_are_named_by_a_keyword() {
    let manifest =
        ("pyproject.toml", "[project]\nname = \"aid\"\n[project.scripts]\naid = \"aid.main:main\"\n");
    let code = "import cyclopts\napp = cyclopts.App(name='schedule', alias=\"schedules\")\n@app.command(name='pause')\ndef pause_it(): pass\n";
    let files = [manifest, ("aid/main.py", code), ("tests/test_a.py", "import click\nrun('other')\n")];
    check(
        &files,
        &[
            ("aid schedule pause", "valid"),
            ("aid schedules", "valid"),
            ("aid resume", "missing"),
            ("aid other", "missing"),
        ],
    );
}

#[test]
fn commands_that_are_attributes_of_classes() {
    let manifest =
        ("pyproject.toml", "[project]\nname = \"aid\"\n[project.scripts]\naid = \"aid.main:main\"\n");
    let code = "from argparse import ArgumentParser\nsub.add_parser('run')\nclass PipelineCommand(Base):\n    command = \"pipeline\"\n    help_text = 'other'\n";
    check(&[manifest, ("aid/main.py", code)], &[("aid pipeline", "valid"), ("aid other", "missing")]);
}

#[test]
fn a_single_word_is_a_flag_of_a_script_only_as_a_text() {
    let files =
        [CARGO, ("cmd/x/main.go", "package main\n// the config\nfunc f(config string) { g(\"level\") }\n")];
    check(&files, &[("cmd/x --level", "valid"), ("cmd/x --config", "not ours")]);
}

#[test]
fn what_follows_a_subcommand_may_be_its_argument() {
    let cli = "fn f() { clap::Command::new(\"run\"); clap::Command::new(\"watch\").subcommand(Command::new(\"start\")); }";
    let other = "fn g() { clap::Command::new(\"test\"); }";
    let files = [
        CARGO,
        ("src/main.rs", ""),
        ("src/cli.rs", cli),
        ("src/other.rs", other),
        ("src/remote/add.rs", &other.replace("test", "add")),
    ];
    check(
        &files,
        &[
            ("tool run", "valid"),
            ("tool run test", "missing"),
            ("tool test", "valid"),
            ("tool watch start", "valid"),
            ("tool gone start", "not ours"),
        ],
    );
    // A folder or a file of its name.
    let nested = [
        CARGO,
        ("src/main.rs", ""),
        ("src/cli.rs", &cli.replace("watch", "remote")),
        ("src/remote/add.rs", &other.replace("test", "add")),
    ];
    check(&nested, &[("tool remote add", "valid"), ("tool run add", "missing")]);
}

#[test]
fn the_commands_of_another_program_are_not_ours() {
    let code = |name: &str| format!("fn f() {{ clap::Command::new(\"{name}\"); }}");
    let manifest = |name: &str| format!("[package]\nname = \"{name}\"\n");
    let (one, other, shared) = (manifest("one"), manifest("other"), manifest("shared"));
    let (run, dev, list) = (code("run"), code("dev"), code("list"));
    let files = [
        ("crates/one/Cargo.toml", one.as_str()),
        ("crates/one/src/main.rs", run.as_str()),
        ("crates/other/Cargo.toml", other.as_str()),
        ("crates/other/src/main.rs", dev.as_str()),
        ("crates/shared/Cargo.toml", shared.as_str()),
        ("crates/shared/src/lib.rs", list.as_str()),
    ];
    check(
        &files,
        &[
            ("one run", "valid"),
            // Whose command it is cannot be told by its name.
            ("one dev", "not ours"),
            ("one gone", "missing"),
            ("other dev", "valid"),
            ("one list", "valid"),
            ("other list", "valid"),
        ],
    );
}

#[test]
fn flags_that_are_named_by_constants() {
    let manifest = ("go.mod", "module example.com/tool\n");
    let code = "package main\nconst (\n\tflagNamePKCS8 = \"pkcs8\"\n\tother = \"words\"\n)\nfunc f(c *cobra.Command) { c.Flags().Bool(flagNamePKCS8, false, \"\") }\n";
    check(
        &[manifest, ("main.go", code)],
        &[(" --pkcs8", "valid"), (" --words", "not ours"), (" --gone", "missing")],
    );
}

#[test]
fn a_custom_property_of_a_sheet_of_styles() {
    let files = [CARGO, ("src/a.scss", ".b { color: var(--v-button-color); --v-x: 1 }")];
    check(&files, &[(" --v-button-color", "valid"), (" --v-x", "valid"), (" --v-button", "not ours")]);
}

#[test]
fn a_help_text_is_a_second_source() {
    let manifest = ("pandoc.cabal", "executable pandoc\n  main-is: pandoc.hs\n");
    check(
        &[manifest, ("src/Opt.hs", "Option \"\" [\"reference-doc\"]")],
        &[("pandoc --reference-doc", "valid"), ("pandoc --reference-odt", "missing")],
    );
}

#[test]
fn the_flag_that_replaced_it_is_suggested() {
    let code = |flag: &str| {
        format!(
            "use clap::Parser; #[derive(Parser)] struct C {{ #[arg(long)] {flag}: u8, #[arg(long)] port: u8 }}"
        )
    };
    let (before, after) = (code("max_count"), code("max_number"));
    let then = World::of_files(&[CARGO, ("src/main.rs", &before)]);
    let now = World::of_files(&[CARGO, ("src/main.rs", &after)]);
    let suggestion = checks::suggest(&command("tool --max-count"), "README.md", &now, &then);
    assert_eq!(suggestion.map(|suggestion| suggestion.replacement).as_deref(), Some("tool --max-number"));
}

#[test]
fn flags_of_scripts_are_looked_up_in_the_script() {
    let files = [
        ("tools/run.sh", "case $1 in --deep) ;; esac"),
        ("pkg/send.py", "p.add_argument('--issue-number')"),
        ("pkg/other.py", "x = 'wide'"),
    ];
    check(
        &files,
        &[
            ("tools/run.sh --deep", "valid"),
            ("tools/run.sh --gone", "missing"),
            ("tools/run.sh --wide", "not ours"),
            ("tools/run.sh -d", "not ours"),
            ("pkg/send --issue-number", "valid"),
            ("pkg/send --user-name", "missing"),
            ("tools/none.sh --deep", "not ours"),
        ],
    );
}

#[test]
fn texts_of_a_file_that_defines_its_subcommands_are_none() {
    let code = "package a\nimport \"github.com/spf13/cobra\"\nvar c = &cobra.Command{Use: \"release\"}\nvar skips = []string{\"publish\"}";
    let files = [CARGO, ("cmd/release.go", code)];
    check(&files, &[("second release", "valid"), ("second publish", "missing")]);
}

#[test]
fn flags_with_dots_and_one_dash_are_defined_like_others() {
    let code = "package main\nimport \"github.com/alecthomas/kingpin/v2\"\nfunc f(a *kingpin.Application, s *flag.FlagSet) { a.Flag(\"web.max-age\", \"x\"); s.DurationVar(&x, \"store.wait\", 1, \"\") }\n";
    let files = [("go.mod", "module example.com/x/tool\n"), ("cmd/tool/main.go", code)];
    check(
        &files,
        &[
            ("tool --web.max-age", "valid"),
            ("tool -store.wait", "valid"),
            (" --web.max-age", "valid"),
            (" --web.min-age", "missing"),
            ("tool -store.hold", "missing"),
        ],
    );
}

#[test]
fn a_prefix_that_is_handed_down_makes_up_a_flag() {
    let code = "package main\nimport \"flag\"\nfunc f(s *flag.FlagSet) { cache(s, \"store.\"); }\nfunc cache(s *flag.FlagSet, prefix string) { s.IntVar(&x, prefix+\"cache.max-size\", 1, \"\") }\n";
    let files = [("go.mod", "module example.com/x/tool\n"), ("cmd/tool/main.go", code)];
    check(
        &files,
        &[
            (" -store.cache.max-size", "valid"),
            (" -index.cache.max-size", "missing"),
            (" -store.cache.min-size", "missing"),
        ],
    );
}

#[test]
fn a_flag_alone_of_several_words_may_be_named_by_a_key() {
    let manifest = ("package.json", r#"{"name": "tool", "bin": "./cli.js"}"#);
    let code = "import minimist from 'minimist'; export const options = { pluginSearchDir: { type: 'path' }, 'top-level': 1 }";
    let files = [manifest, ("src/options.js", code), ("tests/a.js", "const x = { setUpAll: 1 }")];
    check(
        &files,
        &[
            (" --plugin-search-dir", "valid"),
            (" --top-level", "valid"),
            (" --set-up-all", "missing"),
            (" --plugin-search-root", "missing"),
        ],
    );
}

#[test]
fn a_flag_of_very_many_parts_ends() {
    let code = "package main\nimport \"flag\"\nfunc f(s *flag.FlagSet) { s.Int(\"a\", 1, \"\"); s.Int(\"a.a\", 1, \"\"); s.Int(\"a.a.a\", 1, \"\") }\n";
    let files = [("go.mod", "module example.com/x/tool\n"), ("cmd/tool/main.go", code)];
    let long = format!(" --{}b", "a.".repeat(60));
    check(&files, &[(&long, "missing")]);
}

#[test]
fn a_command_may_have_a_file_to_itself() {
    let files = [
        ("pyproject.toml", "[project]\nname = \"tool\"\n[project.scripts]\ntool = \"tool.cli:main\"\n"),
        (
            "tool/cli/commands/lock.py",
            "p = argparse.ArgumentParser()\nclass Command:\n    \"\"\"lock\"\"\"\n",
        ),
        ("tool/cli/commands/self_cmd.py", "class Command:\n    self = 1\n"),
    ];
    check(&files, &[("tool lock", "valid"), ("tool self", "valid"), ("tool unlock", "missing")]);
}

#[test]
fn a_word_below_a_command_that_stands_beside_it_may_be_an_argument() {
    let go = "package cmd\nvar c = cobra.Command{Use: \"launch\"}\nvar x = \"editor\"\n";
    let files = [("go.mod", "module x.y/tool\n"), ("main.go", "package main\n"), ("cmd/launch.go", go)];
    check(&files, &[("tool launch editor", "not ours"), ("tool launch other", "missing")]);
}

#[test]
fn a_name_in_a_table_of_anything_is_no_command() {
    let go = "package cmd\nvar c = cobra.Command{Use: \"run\"}\nvar t = []Item{{Name: \"first\"}}\nvar u = []cli.Command{{Name: \"second\"}}\n";
    let files = [("go.mod", "module x.y/tool\n"), ("main.go", "package main\n"), ("cmd/run.go", go)];
    check(&files, &[("tool second", "valid"), ("tool run", "valid"), ("tool first", "missing")]);
}

#[test]
fn attributes_may_be_conditional_and_flags_may_be_told_by_their_opposite() {
    let rust = "#[derive(Parser)]\nstruct A {\n    #[cfg_attr(feature = \"clap\", arg(short = 'O', long = \"optimize\"))]\n    raw: u8,\n}\n";
    check(&[CARGO, ("src/main.rs", rust)], &[("tool --optimize", "valid"), ("tool --other", "missing")]);
    let script =
        "const optionator = require('optionator')\noptionator({ options: [{ option: 'config-lookup' }] })\n";
    let files = [("package.json", r#"{"name": "tool", "bin": "cli.js"}"#), ("cli.js", script)];
    check(&files, &[(" --no-config-lookup", "valid"), (" --no-other-lookup", "missing")]);
}

#[test]
fn a_command_that_code_still_speaks_of_may_be_defined_in_a_dependency() {
    let script = "const yargs = require('yargs')\nyargs.command('run').example('tool install reporter')\n";
    let files = [("package.json", r#"{"name": "tool", "bin": "cli.js"}"#), ("cli.js", script)];
    check(&files, &[("tool install", "not ours"), ("tool run", "valid"), ("tool remove", "missing")]);
}

#[test]
fn a_folder_may_be_called_by_the_plural_of_its_command() {
    let main = "use clap::Parser;\n#[derive(Parser)]\nenum Command { Migration(MigrationArgs) }\n";
    let below = "#[derive(Subcommand)]\nenum MigrationCommand { Run { dir: u8 }, Redo }\n";
    let files = [CARGO, ("src/main.rs", main), ("src/migrations/mod.rs", below)];
    check(&files, &[("tool migration run", "valid"), ("tool migration gone", "missing")]);
}

#[test]
fn commands_that_a_class_or_a_function_of_its_own_name_defines() {
    let class = "import yargs from 'yargs';\nclass E2e extends Module { command = 'e2e [project]'; }\n";
    let files = [("package.json", r#"{"name": "ng", "bin": {"ng": "a.js"}}"#), ("src/e2e/cli.ts", class)];
    check(&files, &[("ng e2e", "valid"), ("ng gone", "missing")]);
    let code = r#"package main
import "github.com/leaanthony/clir"
import "github.com/spf13/pflag"
func main() {
	app := clir.NewCli("tool", "The tool", "v3")
	app.NewSubCommandFunction("init", "Makes a project", start)
	exec.RunCommand("gone")
}
"#;
    let files = [("go.mod", "module example.com/tool\n"), ("cmd/tool/main.go", code)];
    check(&files, &[("tool init", "valid"), ("tool gone", "missing")]);
}

#[test]
fn commands_that_are_made_in_macros() {
    let code = r#"
        fn build() -> clap::Command {
            let all = vec![Command::new("policies").about("x"), pull()];
            Command::new("tool").subcommands(all)
        }
    "#;
    check(
        &[CARGO, ("src/main.rs", code)],
        &[("tool policies", "valid"), ("tool version", "not ours"), ("tool gone", "missing")],
    );
}

#[test]
fn a_text_beside_a_library_for_command_lines_may_be_a_subcommand() {
    let manifest = ("package.json", r#"{"name": "tool", "bin": {"tool": "cli.js"}}"#);
    let code = "import { program } from 'commander';\nprogram.command('run');\nwire('build', build);\nconst mode = 'plain';\n";
    check(
        &[manifest, ("cli.js", code)],
        &[
            ("tool run", "valid"),
            ("tool build", "not ours"),
            ("tool plain", "missing"),
            ("tool gone", "missing"),
        ],
    );
}
