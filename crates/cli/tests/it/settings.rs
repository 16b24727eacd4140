//! Defaults < docent.toml < environment < flags, and where things are kept.

use insta::assert_snapshot;
use serde_json::Value;

use crate::support::{Project, ran};

fn setting(config: &Value, key: &str) -> (String, String) {
    let rows = config["settings"].as_array().unwrap();
    let row = rows.iter().find(|row| row["key"] == key).unwrap();
    let value = row["value"].as_str().map_or_else(|| row["value"].to_string(), str::to_owned);
    (value, row["origin"].as_str().unwrap().to_owned())
}

#[test]
fn config_names_every_origin() {
    let project = Project::new();
    project.write("docent.toml", "include = ['**/*.md']\n[embedding]\nprovider = 'none'\n");
    assert_snapshot!(project.run(&["config", "--index", "elsewhere"]).shown(&project));
}

#[test]
fn later_layers_win() {
    let project = Project::new();
    project.write("docent.toml", "[embedding]\nprovider = 'none'\nmodel = 'from-file'\n");
    let config = |args: &[&str], model: Option<&str>, embedder: Option<&str>| -> Value {
        let mut command = project.command(&[&["config", "--json"], args].concat());
        command.env_remove("DOCENT_EMBEDDER");
        if let Some(model) = model {
            command.env("DOCENT_OPENAI_MODEL", model);
        }
        if let Some(embedder) = embedder {
            command.env("DOCENT_EMBEDDER", embedder);
        }
        serde_json::from_str(&ran(command.output().unwrap()).out).unwrap()
    };
    let file = project.root().join("docent.toml").display().to_string();
    let of = |value: &str, origin: &str| (value.to_owned(), origin.to_owned());
    assert_eq!(setting(&config(&[], None, None), "embedding.provider"), of("none", &file));
    assert_eq!(setting(&config(&[], None, None), "embedding.model"), of("from-file", &file));
    let from_environment = config(&[], Some("from-env"), Some("hash"));
    assert_eq!(setting(&from_environment, "embedding.provider"), of("hash", "environment DOCENT_EMBEDDER"));
    assert_eq!(
        setting(&from_environment, "embedding.model"),
        of("from-env", "environment DOCENT_OPENAI_MODEL")
    );
    let flag = config(&["--embedder", "minilm"], None, Some("hash"));
    assert_eq!(setting(&flag, "embedding.provider"), of("minilm", "--embedder"));
}

#[test]
fn config_says_where_ones_own_settings_would_be() {
    let project = Project::new();
    let own = project.path("home/.config/docent/docent.toml");
    let shown = own.display().to_string();
    let line = |out: &str| out.lines().find(|line| line.starts_with("own settings")).unwrap().to_owned();
    assert!(line(&project.ok(&["config"])).ends_with(&format!("{shown} (not there)")));
    std::fs::create_dir_all(own.parent().unwrap()).unwrap();
    std::fs::write(&own, "").unwrap();
    assert!(line(&project.ok(&["config"])).ends_with(&shown));
    let told: Value = serde_json::from_str(&project.ok(&["config", "--json"])).unwrap();
    assert_eq!(told["own_settings"], serde_json::json!({ "path": shown, "exists": true }));
}

#[test]
fn a_key_is_never_shown() {
    let project = Project::new();
    let output = project.command(&["config"]).env("OPENAI_API_KEY", "sk-secret").output().unwrap();
    let ran = ran(output);
    assert!(ran.out.contains("(set)") && !ran.out.contains("sk-secret"));
}

#[test]
fn the_index_of_a_project_is_in_it_and_stays_out_of_git() {
    let project = Project::new();
    project.ok(&["index"]);
    assert_eq!(std::fs::read_to_string(project.root().join(".docent/.gitignore")).unwrap(), "*\n");
}

#[test]
fn outside_a_project_the_index_is_in_the_cache() {
    let project = Project::new();
    let outside = project.path("outside");
    std::fs::create_dir_all(&outside).unwrap();
    std::fs::write(outside.join("a.md"), "# Zebras\n").unwrap();
    let found = project.ok(&["search", "zebras", "--docs", outside.to_str().unwrap()]);
    assert!(found.contains("a.md:1"));
    assert_eq!(std::fs::read_dir(&outside).unwrap().count(), 1);
    assert_eq!(std::fs::read_dir(project.path("home/.cache/docent/indexes")).unwrap().count(), 1);
}

#[test]
fn include_and_exclude_decide_what_is_read() {
    let project = Project::new();
    project.write("docs/notes.txt", "Zebras in plain text.\n");
    project.write("docent.toml", "include = ['**/*.md', '**/*.txt']\nexclude = ['guides/**']\n");
    assert_eq!(
        project.ok(&["list"]).lines().map(|line| line.split('\t').next().unwrap()).collect::<Vec<_>>(),
        ["notes.txt", "services.md", "start.md"]
    );
}

#[test]
fn one_index_holds_several_folders() {
    let project = Project::new();
    project.write("more/docs/zebras.md", "# Zebras\n\nStriped.\n");
    let index = project.path("shared").display().to_string();
    project.ok(&["index", "--index", &index]);
    assert_eq!(project.json(&["index", "more/docs", "--index", &index, "--json"])["collection"], "docs-2");
    let found = |args: &[&str]| {
        project.run(&[&["search", "--mode", "lexical", "zebras", "--index", &index], args].concat())
    };
    assert_eq!(found(&[]).code, Some(1));
    assert_eq!(found(&["-c", "docs-2"]).code, Some(0));
    assert_eq!(found(&["--all"]).code, Some(0));
    project.write("more/docs/zebras.md", "# Horses\n\nPlain.\n");
    assert_eq!(found(&["-c", "docs-2"]).code, Some(1), "other collections are kept up to date too");
}

#[test]
fn a_moved_project_keeps_its_index() {
    let project = Project::new();
    project.ok(&["index"]);
    std::fs::rename(project.root(), project.path("moved")).unwrap();
    let mut command = project.command(&["index", "--json"]);
    let report: Value =
        serde_json::from_str(&ran(command.current_dir(project.path("moved")).output().unwrap()).out).unwrap();
    assert_eq!((report["collection"].as_str(), report["added"].as_u64()), (Some("docs"), Some(0)));
}
