//! `get_status` as Anvil specifies it.

use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};

use crate::world::{Setup, Vectors, World};

fn status(world: &World) -> Value {
    world.client().call("get_status", json!({}))
}

fn pages() -> World {
    World::quiet(&[("a.md", "# A\n\nx\n\n## B\n\ny\n"), ("sub/c.md", "# C\n\nz\n")])
}

#[test]
fn the_server_tells_version_uptime_and_root() {
    let world = pages();
    let server = &status(&world)["server"];
    assert_eq!(server["version"], env!("CARGO_PKG_VERSION"));
    assert!(server["uptime_seconds"].as_u64().unwrap() < 600);
    assert_eq!(server["docs_root"], world.docs.to_str().unwrap());
}

#[test]
fn get_status_counts_what_is_in_the_index() {
    let world = pages();
    let mut client = world.client();
    let check = |client: &mut crate::client::Client| {
        let status = client.call("get_status", json!({}));
        let list = client.call("list_pages", json!({}));
        assert_eq!(status["index"]["total_pages"], list["total_pages"]);
        let chunks: u64 =
            list["pages"].as_array().unwrap().iter().map(|page| page["chunk_count"].as_u64().unwrap()).sum();
        assert_eq!(status["index"]["total_chunks"], chunks);
        (list["total_pages"].as_u64().unwrap(), chunks)
    };
    assert_eq!(check(&mut client), (2, 3));
    world.write("d.md", "# D\n\n## E\n\n## F\n");
    assert_eq!(check(&mut client), (3, 6));
    world.remove("a.md");
    assert_eq!(check(&mut client), (2, 4));
}

#[test]
fn the_index_is_a_file_with_a_size() {
    let world = pages();
    let index = &status(&world)["index"];
    let place = Path::new(index["db_path"].as_str().unwrap());
    assert!(place.exists() && place.starts_with(&world.index), "{}", place.display());
    assert!(index["db_size_bytes"].as_u64().unwrap() > 1000);
}

#[test]
fn last_indexed_is_a_time_once_something_was_indexed() {
    let world = pages();
    let time = status(&world)["index"]["last_indexed"].as_str().unwrap().to_owned();
    assert!(time.starts_with("20") && time.ends_with('Z') && time.contains('T'), "{time}");
}

#[test]
fn before_anything_is_indexed_the_counts_are_zero_and_last_indexed_is_null() {
    let world = World::new(&[]);
    let index = &status(&world)["index"];
    assert_eq!(index["last_indexed"], Value::Null);
    assert_eq!((&index["total_pages"], &index["total_chunks"]), (&json!(0), &json!(0)));
}

#[test]
fn the_embedding_model_is_named() {
    let world = pages();
    let embedding = &status(&world)["embedding"];
    assert_eq!((&embedding["model"], &embedding["dimensions"]), (&json!("hash-256"), &json!(256)));
    assert_eq!(embedding["pending"], 0);
}

#[test]
fn the_built_in_model_is_all_minilm_l6_v2_with_384_dimensions_and_local() {
    let world = Setup { vectors: Vectors::MiniLm, ..Setup::new(&[("a.md", "# A\n")]) }.start();
    let embedding = &status(&world)["embedding"];
    assert_eq!(embedding["model"], "all-MiniLM-L6-v2");
    assert_eq!(embedding["dimensions"], 384);
    assert_eq!(embedding["provider"], "local");
}

#[test]
fn without_a_model_the_embedding_is_none() {
    let world = Setup { vectors: Vectors::None, ..Setup::new(&[("a.md", "# A\n")]) }.start();
    let embedding = &status(&world)["embedding"];
    assert_eq!((&embedding["model"], &embedding["provider"]), (&json!("none"), &json!("none")));
    assert_eq!(embedding["dimensions"], 0);
}

#[test]
fn get_status_takes_no_parameters() {
    let world = pages();
    let told = world.client().refused("get_status", json!({"verbose": true}));
    assert!(told.contains("There is no parameter `verbose`"), "{told}");
}

#[test]
fn files_that_could_not_be_indexed_are_named_with_the_reason() {
    let world = pages();
    std::fs::write(world.docs.join("broken.md"), b"\xff\xff\x00\x01").unwrap();
    let status = status(&world);
    assert_eq!(status["failed_files"][0]["path"], "broken.md");
    assert!(!status["failed_files"][0]["reason"].as_str().unwrap().is_empty());
    assert!(status["degraded"].to_string().contains("could not be indexed"), "{status}");
    world.remove("broken.md");
    assert_eq!(self::status(&world)["failed_files"], json!([]));
}

fn git(folder: &Path, arguments: &[&str]) -> String {
    let identity = ["-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "init.defaultBranch=main"];
    let output = Command::new("git")
        .args(identity)
        .args(arguments)
        .current_dir(folder)
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_CONFIG_SYSTEM", "/dev/null")
        .output()
        .unwrap();
    assert!(output.status.success(), "git {arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap().trim().to_owned()
}

fn repository() -> World {
    let world = pages();
    git(&world.docs, &["init", "-q"]);
    git(&world.docs, &["add", "."]);
    git(&world.docs, &["commit", "-qm", "first"]);
    world
}

#[test]
fn outside_a_repository_git_is_null() {
    assert_eq!(status(&pages())["git"], Value::Null);
}

#[test]
fn in_a_repository_the_short_head_commit_is_told() {
    let world = repository();
    let head = status(&world)["git"]["head_commit"].as_str().unwrap().to_owned();
    assert!(head.len() >= 7 && head.len() < 40, "{head}");
    assert!(git(&world.docs, &["rev-parse", "HEAD"]).starts_with(&head));
}

#[test]
fn origin_main_is_null_until_it_is_known_and_then_its_short_commit() {
    let world = repository();
    assert_eq!(status(&world)["git"]["origin_main"], Value::Null);
    let first = git(&world.docs, &["rev-parse", "HEAD"]);
    git(&world.docs, &["update-ref", "refs/remotes/origin/main", &first]);
    git(&world.docs, &["commit", "-qm", "second", "--allow-empty"]);
    let git_state = &status(&world)["git"];
    assert!(first.starts_with(git_state["origin_main"].as_str().unwrap()));
    assert_ne!(git_state["head_commit"], git_state["origin_main"]);
}

#[test]
fn dirty_says_whether_the_documents_have_uncommitted_changes() {
    let world = repository();
    assert_eq!(status(&world)["git"]["dirty"], false);
    world.write("a.md", "# A\n\nchanged\n");
    assert_eq!(status(&world)["git"]["dirty"], true);
}

#[test]
fn dirty_looks_at_the_documents_only() {
    let world = pages();
    let project = world.docs.parent().unwrap();
    git(project, &["init", "-q"]);
    git(project, &["add", "docs"]);
    git(project, &["commit", "-qm", "first"]);
    std::fs::write(project.join("elsewhere.txt"), "x").unwrap();
    assert_eq!(status(&world)["git"]["dirty"], false);
}

#[test]
fn a_repository_without_a_commit_or_a_broken_one_is_no_error() {
    let world = pages();
    git(&world.docs, &["init", "-q"]);
    let state = &status(&world)["git"];
    assert_eq!((&state["head_commit"], &state["origin_main"]), (&Value::Null, &Value::Null));
    std::fs::write(world.docs.join(".git/HEAD"), b"\xff\xfe nonsense").unwrap();
    assert_eq!(status(&world)["git"]["dirty"], Value::Null);
}

#[test]
fn inside_a_repository_the_commit_travels_with_every_result() {
    let world = repository();
    let head = git(&world.docs, &["rev-parse", "HEAD"]);
    let mut client = world.client();
    let hit = client.call("search_docs", json!({"query": "x"}));
    assert_eq!(hit["results"][0]["metadata"]["commit"], *head);
    let section = client.call("get_section", json!({"file_path": "a.md", "heading_path": "A > B"}));
    assert_eq!(section["metadata"]["commit"], *head);
    assert_eq!(client.call("get_page", json!({"file_path": "a.md"}))["commit"], *head);
    assert_eq!(client.call("get_doc", json!({"chunk_id": "a.md#a/b"}))["metadata"]["commit"], *head);
}

#[test]
fn collections_that_are_not_served_are_told_apart() {
    let mut setup = Setup::new(&[("a.md", "# A\n")]).folder("other", &[("b.md", "# B\n")]);
    setup.options.collections = vec!["docs".to_owned()];
    let status = status(&setup.start());
    let collections = status["index"]["collections"].as_array().unwrap();
    let served: Vec<_> =
        collections.iter().map(|it| (&it["name"], &it["served"], &it["documents"])).collect();
    assert_eq!(
        served,
        [(&json!("docs"), &json!(true), &json!(1)), (&json!("other"), &json!(false), &json!(1))]
    );
}
