//! What a team's database knows of where its collections came from.

use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};

use crate::postgres::{Team, serve};
use crate::support::ran;

fn head(clone: &Path) -> String {
    let output = Command::new("git").args(["rev-parse", "HEAD"]).current_dir(clone).output().unwrap();
    String::from_utf8(output.stdout).unwrap().trim().to_owned()
}

/// A repository with a page that names a file, committed, indexed and verified.
pub(crate) fn verified(team: &Team, repository: &str, folder: &str) {
    let clone = team.clone_of(repository, folder);
    fs::create_dir_all(clone.join("src")).unwrap();
    fs::write(clone.join("src/server.py"), "print('hello')\n").unwrap();
    fs::write(clone.join("docs/setup.md"), "# Set-up\n\nThe wallaby starts in `src/server.py`.\n").unwrap();
    team.commit(&clone);
    team.ok(&clone, &["index"]);
    team.ok(&clone, &["verify"]);
}

#[test]
fn citations_name_the_commit_that_was_indexed() {
    let Some(team) = Team::on(0) else { return };
    let clone = team.clone_of("acme/shop", "one");
    team.commit(&clone);
    team.ok(&clone, &["index"]);
    let outside = team.project.root();
    let found = team.json(&outside, &["search", "retry backoff", "--json"]);
    assert_eq!(found["results"][0]["metadata"]["commit"], json!(head(&clone)), "{found}");
    let listed = team.json(&outside, &["collections", "--json"]);
    assert_eq!(listed["collections"][0]["source"], "git+https://github.com/acme/shop", "{listed}");
}

#[test]
fn a_repository_does_not_take_the_place_of_another() {
    let Some(team) = Team::on(0) else { return };
    let (one, two) = (team.clone_of("acme/shop", "one"), team.clone_of("acme/shop", "two"));
    team.ok(&one, &["index"]);
    let elsewhere = "[remote \"origin\"]\n\turl = https://gitlab.example/acme/shop.git\n";
    fs::write(two.join(".git/config"), elsewhere).unwrap();
    fs::remove_file(two.join("docs/start.md")).unwrap();
    let refused = ran(team.command(&two, &team.database.url(), &["index"]).output().unwrap());
    refused.check_error(1, "is git+https://github.com/acme/shop", "docent remove acme/shop");
    assert_eq!(team.ok(&one, &["list"]).lines().count(), 3);
    // The same repository by another address is the same.
    fs::write(two.join(".git/config"), "[remote \"origin\"]\n\turl = git@github.com:acme/shop.git\n")
        .unwrap();
    team.ok(&two, &["index"]);
    assert_eq!(team.ok(&one, &["list"]).lines().count(), 2);
}

#[test]
fn a_folder_does_not_take_the_place_of_another() {
    let Some(team) = Team::on(0) else { return };
    let places = ["first/handbook", "second/handbook"].map(|place| team.project.path(place));
    for place in &places {
        fs::create_dir_all(place).unwrap();
        fs::write(place.join("a.md"), "# A\n\nquokka\n").unwrap();
    }
    let index = |place: &Path| {
        let args = ["index", "--docs", place.to_str().unwrap()];
        ran(team.command(place, &team.database.url(), &args).output().unwrap())
    };
    assert_eq!(index(&places[0]).code, Some(0));
    index(&places[1]).check_error(1, "handbook", "docent remove");
    assert_eq!(index(&places[0]).code, Some(0));
}

#[test]
fn who_indexes_an_older_state_is_told() {
    let Some(team) = Team::on(0) else { return };
    let clone = team.clone_of("acme/shop", "one");
    team.commit(&clone);
    let older = head(&clone);
    fs::write(clone.join("docs/new.md"), "# New\n").unwrap();
    team.commit(&clone);
    let index = || ran(team.command(&clone, &team.database.url(), &["index"]).output().unwrap());
    assert!(!index().err.contains("behind"));
    let reset = Command::new("git").args(["reset", "--quiet", "--hard", &older]).current_dir(&clone).status();
    assert!(reset.unwrap().success());
    let told = index();
    assert!(told.code == Some(0) && told.err.contains("this clone is behind it"), "{told:?}");
}

#[test]
fn docs_health_is_told_where_there_is_no_clone() {
    let Some(team) = Team::on(0) else { return };
    verified(&team, "acme/shop", "one");
    let (outside, url) = (team.project.root(), team.database.url());
    let health =
        |answers: &[Value]| answers[0]["result"]["structuredContent"]["health"]["total_claims"].clone();
    let calls = [("get_doc_health", json!({})), ("search_docs", json!({ "query": "wallaby" }))];
    let answers = serve(&team, &outside, &url, &calls);
    assert_eq!(health(&answers), 1, "{answers:?}");
    let hit = &answers[1]["result"]["structuredContent"]["results"][0];
    assert_eq!(hit["verification"]["status"], "verified", "{hit}");
    // With more repositories each hit is told of by its own; no single one is the server's.
    verified(&team, "acme/bank", "two");
    let found = team.json(&outside, &["search", "wallaby", "--verified-only", "--json"]);
    let hits = found["results"].as_array().unwrap();
    let told = |name: &str| {
        let of = |hit: &&Value| hit["metadata"]["collection"] == name;
        hits.iter().find(of).map(|hit| hit["verification"]["status"].clone())
    };
    for name in ["acme/shop", "acme/bank"] {
        assert_eq!(told(name), Some("verified".into()), "{found}");
    }
    assert_eq!(hits.len(), 2, "{found}");
}

#[test]
fn a_clone_that_nobody_has_indexed_is_told() {
    let Some(team) = Team::on(0) else { return };
    let (one, two) = (team.clone_of("acme/shop", "one"), team.clone_of("acme/new", "two"));
    team.ok(&one, &["index"]);
    let found = ran(team.command(&two, &team.database.url(), &["search", "retry"]).output().unwrap());
    assert!(found.err.contains("`acme/new` is not in the database"), "{found:?}");
}
