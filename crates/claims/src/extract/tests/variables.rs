//! Environment variables and settings of modules.

use super::*;

#[test]
fn variables() {
    check(
        "`API_KEY` `$HOME_DIR` `${A_BC}` `A_BC=1` `JSON` `a_b` `YOUR_KEY`",
        "variable",
        &["API_KEY", "HOME_DIR", "A_BC"],
    );
    check(
        "```sh\nexport X_YY=1\nZ_WW=2 run\n```\n```env\n# C_DD=1\nE_FF=2\n```",
        "variable",
        &["X_YY", "Z_WW", "C_DD", "E_FF"],
    );
}

#[test]
fn variables_in_settings_and_code_of_fences() {
    check("```\n# The key:\n#API_KEY=\nAPI_PORT=1\n```", "variable", &["API_KEY", "API_PORT"]);
    check("```\nsome text\nAPI_PORT=1\n```", "variable", &[]);
    check("```sh\n# API_KEY=1 and more\nAPI_PORT=2 run\n```", "variable", &["API_KEY", "API_PORT"]);
    check(
        "```yaml\nenv:\n  - name: API_KEY\n    value: x\n  - API_PORT=1\n  API_HOST: y\n```",
        "variable",
        &["API_KEY", "API_PORT", "API_HOST"],
    );
    check("```json\n{ \"env\": {\n  \"API_KEY\": \"x\" } }\n```", "variable", &["API_KEY"]);
    check(
        "```ts\nconst a = process.env.API_KEY\n```\n```python\nos.environ[\"API_PORT\"]\n```",
        "sample_variable",
        &["API_KEY", "API_PORT"],
    );
    check("```sh\ndocker run -e API_KEY=x image\n```", "variable", &["API_KEY"]);
}

#[test]
fn settings_that_a_module_holds() {
    let page = "```python\nCACHE_TIMEOUT = 60\nSITE_NAME: str = 'x'\nif A_B == 1:\n    INNER_NAME = 2\nlower_case = 3\n```\n";
    check(page, "setting", &["CACHE_TIMEOUT", "SITE_NAME"]);
    check("```go\nMAX_SIZE = 60\n```\n", "setting", &[]);
}

#[test]
fn variables_that_are_inserted_into_settings() {
    let page =
        "```yaml\nurl: ${APP_URL:jdbc:h2}\nuser: ${APP_USER:-sa}\nx: ${APP_X}/${lower} ${APP_BAD!}\n```\n";
    check(page, "variable", &["APP_URL", "APP_USER", "APP_X"]);
}

#[test]
fn variables_of_make() {
    check("`make start PROFILE_NAME=minimal UI=false`", "variable", &["PROFILE_NAME"]);
}
