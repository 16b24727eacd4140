//! Libraries keep their names and their documents, whatever becomes of folders and of the record.

use std::fs;

use serde_json::Value;

use crate::ingest::found;
use crate::support::Project;

/// A project with a library `papers` of one document.
fn with_papers() -> Project {
    let project = Project::empty();
    project.write("in/a.md", "# Whales\n\nNarwhals have a tusk.\n");
    project.write("other/b.md", "# Birds\n\nHerons wade.\n");
    project.ok(&["ingest", "in/a.md", "--library", "papers"]);
    project
}

fn check_papers(project: &Project) {
    let source = project.root().join("in/a.md").display().to_string();
    for scope in [&["-c", "papers"][..], &[]] {
        let hits = found(project, &[scope, &["--mode", "lexical", "narwhals"]].concat());
        assert_eq!(hits.first().map(|hit| &hit.0), Some(&source), "{scope:?}");
    }
    assert!(project.ok(&["collections"]).contains("a library"));
}

fn lose_record(project: &Project) {
    for name in ["record.sqlite", "record.sqlite-wal", "record.sqlite-shm"] {
        let _ = fs::remove_file(project.root().join(".docent").join(name));
    }
}

#[test]
fn nothing_takes_the_name_of_a_library() {
    let project = with_papers();
    fs::create_dir_all(project.root().join("empty")).unwrap();
    let already = "there is a library `papers` already";
    for source in ["other", "empty"] {
        project.run(&["add", "papers", source]).check_error(2, already, "docent ingest --library papers");
        check_papers(&project);
    }
    project.ok(&["ingest", "other/b.md", "--library", "birds"]);
    project.run(&["rename", "birds", "papers"]).check_error(2, already, "choose another name");
    project.ok(&["add", "found", "other"]);
    project.run(&["rename", "found", "papers"]).check_error(2, already, "choose another name");
    project.run(&["ingest", "in/a.md", "--library", "found"]).check_error(2, "`found` is", "another");
    check_papers(&project);
}

#[test]
fn a_library_does_not_take_the_name_of_a_folder_that_is_indexed_later() {
    let project = Project::empty();
    project.write("x.md", "# X\n\nnarwhal\n");
    project.write("other/a.md", "# A\n\nbeluga\n");
    project.write("docent.toml", "[collections.other]\nsource = \"other\"\n");
    for (name, whose) in [("docs", "the documents folder"), ("other", "a collection that")] {
        let ran = project.run(&["ingest", "x.md", "--library", name]);
        ran.check_error(2, &format!("`{name}` is the name of {whose}"), "name another library");
    }
    project.write("docs/a.md", "# A\n\norca\n");
    project.ok(&["ingest", "x.md", "--library", "mine"]);
    project.ok(&["index"]);
    assert_eq!(found(&project, &["--mode", "lexical", "-c", "docs", "orca"]).len(), 1);
    project.run(&["ingest", "x.md", "--library", "docs"]).check_error(2, "`docs` is the name of", "another");
}

#[test]
fn a_listed_folder_with_the_name_of_a_library_is_left_out_and_both_stay() {
    let project = with_papers();
    let settings = "[collections.papers]\nsource = \"./other\"\n";
    project.write("docent.toml", settings);
    let synced = project.run(&["sync"]);
    assert!(synced.code == Some(3) && synced.err.contains("there is a library `papers`"), "{synced:?}");
    let searched = project.run(&["search", "--mode", "lexical", "herons"]);
    assert!(searched.err.contains("`papers` is left out: there is a library"), "{searched:?}");
    check_papers(&project);
    let removed = project.run(&["remove", "papers"]);
    removed.check_error(2, "`papers` is a library, and a collection that", "docent rename papers OTHER");
    check_papers(&project);
    assert_eq!(fs::read_to_string(project.root().join("docent.toml")).unwrap(), settings);
    project.ok(&["rename", "papers", "whales"]);
    assert_eq!(found(&project, &["-c", "papers", "--mode", "lexical", "herons"]).len(), 1);
    assert_eq!(found(&project, &["-c", "whales", "--mode", "lexical", "narwhals"]).len(), 1);
}

#[test]
fn a_lost_record_is_filled_again_before_the_first_answer() {
    let project = with_papers();
    let source = project.root().join("in/a.md").display().to_string();
    let answers = [
        vec!["search", "narwhals"],
        vec!["search", "-c", "papers", "narwhals"],
        vec!["list"],
        vec!["get", source.as_str()],
        vec!["collections"],
    ];
    for args in answers {
        lose_record(&project);
        let ran = project.run(&args);
        let is_found = ran.out.contains("a.md") || ran.out.contains("Narwhals") || ran.out.contains("papers");
        assert!(ran.code == Some(0) && is_found, "{args:?}: {ran:?}");
        assert!(ran.err.contains("put back") && ran.err.contains("1 of `papers`"), "{args:?}: {ran:?}");
        assert!(!project.run(&args).err.contains("put back"), "{args:?}");
    }
}

#[test]
fn what_cannot_be_restored_is_named_until_it_is_dropped() {
    for drop_it in [&["forget"][..], &["remove", "papers"]] {
        let project = with_papers();
        project.ok(&["ingest", "other/b.md", "--library", "birds"]);
        let listed = project.json(&["ingest", "in/a.md", "--library", "papers", "--json"]);
        let id = listed["results"][0]["doc_id"].as_str().unwrap().to_owned();
        let entry = project.root().join(format!(".docent/library/entries/{id}.json"));
        let entry: Value = serde_json::from_slice(&fs::read(entry).unwrap()).unwrap();
        let object = entry["object"].as_str().unwrap();
        fs::remove_file(project.root().join(".docent/library/objects").join(object)).unwrap();
        lose_record(&project);
        for args in [&["list"][..], &["search", "herons"]] {
            let ran = project.run(args);
            assert!(ran.err.contains("in/a.md of `papers`") && ran.err.contains(&id), "{args:?}: {ran:?}");
        }
        project.ok(&match drop_it {
            ["forget"] => vec!["forget", &id],
            other => other.to_vec(),
        });
        assert_eq!(project.run(&["search", "--mode", "lexical", "herons"]).err, "");
        assert_eq!(project.run(&["list"]).err, "");
    }
}
