//! Environment variables.

use docent_claims::{Subject, World, checks};

use crate::outcomes::{claim, said};

#[track_caller]
fn check(path: &str, text: &str, name: &str, expected: &str) {
    let claim = claim("variable", name, Subject::Variable { name: name.to_owned() });
    assert_eq!(said(&[(path, text)], &claim), expected, "{name} in {text}");
}

#[test]
fn code_reads_them() {
    check("a.rs", r#"fn f() { std::env::var("APP_TOKEN"); }"#, "APP_TOKEN", "valid");
    check("a.rs", r#"const X: &str = env!("APP_TOKEN");"#, "APP_TOKEN", "valid");
    check("a.rs", r#"struct A { #[arg(long, env = "APP_TOKEN")] token: u8 }"#, "APP_TOKEN", "valid");
    check("a.rs", r"struct A { #[arg(long, env)] app_token: u8 }", "APP_TOKEN", "valid");
    check("a.ts", "const x = process.env.APP_TOKEN", "APP_TOKEN", "valid");
    check("a.ts", "const x = process.env['APP_TOKEN']", "APP_TOKEN", "valid");
    check("a.ts", "const { APP_TOKEN, OTHER_ONE: x } = process.env", "OTHER_ONE", "valid");
    check("a.py", "x = os.environ['APP_TOKEN']", "APP_TOKEN", "valid");
    check("a.py", "x = os.getenv(\"APP_TOKEN\", '')", "APP_TOKEN", "valid");
    check("a.go", "package a\nvar x = os.Getenv(\"APP_TOKEN\")", "APP_TOKEN", "valid");
    check("a.go", "package a\ntype C struct { T string `env:\"APP_TOKEN\"` }", "APP_TOKEN", "valid");
    check("A.java", "class A { String x = System.getenv(\"APP_TOKEN\"); }", "APP_TOKEN", "valid");
    check("a.rb", "ENV['APP_TOKEN']", "APP_TOKEN", "valid");
}

#[test]
fn settings_set_them() {
    for path in [
        ".env.example",
        "docker-compose.yml",
        ".github/workflows/ci.yml",
        "Dockerfile",
        "run.sh",
        "charts/values.yaml",
    ] {
        check(path, "APP_TOKEN=1", "APP_TOKEN", "valid");
    }
}

#[test]
fn a_text_about_a_variable_does_not_set_it() {
    check("data/help.yaml", "long: |\n  Use `APP_TOKEN` to log in.", "APP_TOKEN", "not ours");
    check("vendor/x/a.go", "package a\nvar x = os.Getenv(\"APP_TOKEN\")", "APP_TOKEN", "not ours");
    check("a.yaml", "run: echo ${APP_TOKEN}", "APP_TOKEN", "valid");
    check("a.yaml", "- APP_TOKEN=1", "APP_TOKEN", "valid");
}

#[test]
fn constants_are_told_in_the_same_way() {
    check("a.rs", "pub const MAX_DEPTH: usize = 3;", "MAX_DEPTH", "valid");
}

#[test]
fn libraries_compose_them() {
    check(
        "a.go",
        "package a\nfunc f() { viper.SetEnvPrefix(\"app\"); viper.BindEnv(\"server.port\") }",
        "APP_SERVER_PORT",
        "valid",
    );
    check(
        "a.go",
        "package a\nfunc f() { os.Getenv(\"TASK_\" + k); get(\"REMOTE_DIR\") }",
        "TASK_REMOTE_DIR",
        "valid",
    );
    check(
        "a.py",
        "class S(BaseSettings):\n    api_key: str\n    model_config = dict(env_prefix='MYAPP_')",
        "MYAPP_API_KEY",
        "valid",
    );
    check("a.py", "class S(BaseSettings):\n    api_key: str", "API_KEY", "valid");
    check("a.py", "class S(Other):\n    api_key: str", "API_KEY", "missing");
    check(
        "a.rs",
        "struct C { server_port: u16 } fn f() { Env::prefixed(\"APP_\"); }",
        "APP_SERVER_PORT",
        "valid",
    );
    check("a.rs", "struct C { server_port: u16 }", "APP_SERVER_PORT", "missing");
}

#[test]
fn a_name_in_a_comment_decides_nothing_and_a_missing_one_is_missing() {
    check("a.rs", "// APP_TOKEN was read here once", "APP_TOKEN", "not ours");
    check("a.rs", "fn f() {}", "APP_TOKEN", "missing");
    check("a.rs", "fn f() {}", "RUST_BACKTRACE", "not ours");
}

#[test]
fn the_variable_that_replaced_it_is_suggested() {
    let claim = claim("variable", "`APP_TOKEN`", Subject::Variable { name: "APP_TOKEN".to_owned() });
    let then = World::of_files(&[("a.rs", r#"fn f() { env::var("APP_TOKEN"); env::var("APP_PORT"); }"#)]);
    let now = World::of_files(&[("a.rs", r#"fn f() { env::var("APP_API_TOKEN"); env::var("APP_PORT"); }"#)]);
    let suggestion = checks::suggest(&claim, "README.md", &now, &then);
    assert_eq!(suggestion.map(|suggestion| suggestion.replacement).as_deref(), Some("`APP_API_TOKEN`"));
}

#[test]
fn a_prefix_and_a_name_that_nothing_puts_together_decide_nothing() {
    check("a.py", "x = 'APP_'\ny = {'host': 1}", "APP_HOST", "not ours");
    check("a.py", "x = 'app'\ndef f(host): pass", "APP_HOST", "missing");
    check(
        "a.go",
        "package a\nfunc f() { viper.SetEnvPrefix(\"app\"); viper.Get(\"host\") }",
        "APP_HOST",
        "valid",
    );
}

#[test]
fn a_word_beside_something_that_reads_variables_is_no_prefix() {
    check("a.go", "package a\nfunc f() { os.Getenv(x); g(\"rocm\"); g(\"path\") }", "ROCM_PATH", "missing");
    check("a.go", "package a\nfunc f() { os.Getenv(\"ROCM_\" + x); g(\"path\") }", "ROCM_PATH", "valid");
}

#[test]
fn templates_of_settings_set_variables() {
    check("cli/env-stub.liquid", "# LIMITER_REDIS=\"redis://x\"\n", "LIMITER_REDIS", "valid");
    check("cli/page.liquid", "# LIMITER_REDIS=\"redis://x\"\n", "LIMITER_REDIS", "not ours");
}

#[test]
fn a_variable_that_is_not_marked_as_code_is_ours_only_outside_of_tests() {
    let files = [("tests/a.ts", "process.env.WEATHER_KEY"), ("src/a.ts", "process.env.APP_TOKEN")];
    for (name, expected) in [("APP_TOKEN", "valid"), ("WEATHER_KEY", "not ours"), ("GONE_TOKEN", "missing")] {
        let claim = claim("plain_variable", name, Subject::Variable { name: name.to_owned() });
        assert_eq!(said(&files, &claim), expected, "{name}");
    }
}

#[test]
fn words_of_code_that_is_not_parsed_make_up_no_name() {
    let code = "void f() { path = getenv(name); cublas(path); }";
    check("a.cpp", code, "CUBLAS_PATH", "missing");
}

#[test]
fn nested_settings_that_are_still_there_decide_nothing() {
    let code = "POOL = settings.get('db.max_age')\nx = {'reports': {'backend': 1}, 'error_reports': y}";
    check("a.py", code, "APP_DB__MAX_AGE", "not ours");
    check("a.py", code, "APP_STORAGE__REPORTS__BACKEND", "not ours");
    check("a.py", code, "APP_ERROR_REPORTS__BACKEND", "not ours");
    check("a.py", code, "APP_OTHER_REPORTS__BACKEND", "missing");
    check("a.py", code, "APP_DB__MIN_AGE", "missing");
    check("a.py", code, "APP_STORAGE__MEDIA__BACKEND", "missing");
    check("a.py", code, "APP_STORAGE__BACKEND", "missing");
    check("tests/a.py", code, "APP_DB__MAX_AGE", "missing");
}
