//! Collections from the shell: added, synced, renamed, removed, packed, and found again.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use docent_sources::bundle::{BundleCard, BundleCounts, BundleModel, Writer};
use docent_sources::{BundledVectors, Context, Outcome, Spec};
use serde_json::Value;

use crate::support::Project;

/// A repository outside the project with two pages about tides.
fn repository(project: &Project) -> PathBuf {
    let repository = project.path("").join("upstream");
    fs::create_dir_all(repository.join("docs")).unwrap();
    git(project, &["init", "--quiet", "--initial-branch", "main"]);
    commit(project, "docs/tides.md", "# Tides\n\nThe moon pulls the harbour water up twice a day.\n");
    commit(project, "docs/ebb.md", "# Ebb\n\nAfter the flood the mudflats fall dry.\n");
    repository
}

fn commit(project: &Project, path: &str, text: &str) {
    fs::write(project.path("upstream").join(path), text).unwrap();
    git(project, &["add", "--all"]);
    git(project, &["commit", "--quiet", "--message", path]);
}

fn git(project: &Project, args: &[&str]) {
    let mut git = Command::new("git");
    git.current_dir(project.path("upstream")).args(["-c", "user.name=t", "-c", "user.email=t@example.com"]);
    git.env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_NOSYSTEM", "1");
    let done = git.args(args).output().unwrap();
    assert!(done.status.success(), "{done:?}");
}

fn source(project: &Project) -> String {
    format!("git+file://{}", project.path("upstream").display())
}

fn settings(project: &Project) -> String {
    fs::read_to_string(project.root().join("docent.toml")).unwrap()
}

/// Paths of the best hits.
fn found(project: &Project, args: &[&str]) -> Vec<String> {
    let answer = project.json(&[&["search", "--json"], args].concat());
    let hit = |hit: &Value| {
        format!("{}:{}", text(&hit["metadata"]["collection"]), text(&hit["metadata"]["file_path"]))
    };
    answer["results"].as_array().unwrap().iter().map(hit).collect()
}

fn text(value: &Value) -> String {
    value.as_str().unwrap().to_owned()
}

fn folder(project: &Project, name: &str, page: &str, text: &str) -> String {
    let folder = project.path("").join(name);
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join(page), text).unwrap();
    folder.display().to_string()
}

#[test]
fn a_folder_is_read_where_it_is_and_always_current() {
    let project = Project::new();
    let other =
        folder(&project, "handbook", "leave.md", "# Leave\n\nEverybody has thirty days of vacation.\n");
    let out = project.ok(&["add", "handbook", &other, "--description", "House rules"]);
    assert!(out.starts_with("Added handbook: 1 document, 1 chunk"), "{out}");
    assert_eq!(found(&project, &["thirty days of vacation", "-k", "1"]), ["handbook:leave.md"]);
    fs::write(project.path("handbook/leave.md"), "# Leave\n\nNow it is forty days of absence.\n").unwrap();
    assert_eq!(found(&project, &["forty days of absence", "-k", "1"]), ["handbook:leave.md"]);
    assert_eq!(
        found(&project, &["-c", "docs", "forty days of absence", "-k", "1"])[0].split(':').next(),
        Some("docs")
    );
}

#[test]
fn an_entry_leaves_the_rest_of_the_settings_alone() {
    let project = Project::new();
    project.ok(&["index"]);
    project
        .write("docent.toml", "# ours\nexclude = [\"drafts/**\"] # later\n\n[chunking]\nmax_chars = 4000\n");
    let other = folder(&project, "project/vendor/notes", "a.md", "# A\n\nNotes.\n");
    project.ok(&["add", "notes@2", &other, "--alias", "n", "--include", "*.md"]);
    let expected = "# ours\nexclude = [\"drafts/**\"] # later\n\n[chunking]\nmax_chars = 4000\n\n\
        [collections.\"notes@2\"]\nsource = \"./vendor/notes\"\naliases = [\"n\"]\ninclude = [\"*.md\"]\n";
    assert_eq!(settings(&project), expected);
    project.ok(&["rename", "notes", "memos@2"]);
    assert!(settings(&project).contains("[collections.\"memos@2\"]\nsource"));
    assert_eq!(found(&project, &["-c", "memos", "notes"]), ["memos@2:a.md"]);
    project.ok(&["remove", "memos@2"]);
    assert_eq!(settings(&project).trim_end(), expected.split("\n\n[collections").next().unwrap());
    project.run(&["search", "-c", "memos", "notes"]).check_error(1, "there is no collection `memos`", "docs");
}

#[test]
fn a_single_file_is_a_collection() {
    let project = Project::new();
    folder(&project, "notes", "a [1].md", "# One\n\nThe quick brown fox.\n");
    folder(&project, "notes", "b.md", "# Two\n\nThe quick brown fox.\n");
    let file = project.path("notes").join("a [1].md").display().to_string();
    project.ok(&["add", "fox", &file]);
    assert_eq!(found(&project, &["-c", "fox", "quick brown fox"]), ["fox:a [1].md"]);
}

#[test]
fn a_repository_is_fetched_and_synced_incrementally() {
    let project = Project::new();
    repository(&project);
    let added = project.json(&["add", "harbour", &format!("{}#main:docs", source(&project)), "--json"]);
    assert_eq!((&added["state"], &added["documents"]), (&"added".into(), &2.into()), "{added}");
    assert_eq!(added["revision"].as_str().unwrap().len(), 40);
    assert_eq!(found(&project, &["moon pulls the water", "-k", "1"]), ["harbour:tides.md"]);
    let same = project.json(&["sync", "--json"]);
    assert_eq!(same["collections"][0]["state"], "unchanged");
    commit(&project, "docs/spring.md", "# Spring tide\n\nSun and moon in one line.\n");
    let synced = project.json(&["sync", "harbour", "--json"]);
    let synced = &synced["collections"][0];
    assert_eq!(
        (&synced["state"], &synced["added"], &synced["unchanged"]),
        (&"changed".into(), &1.into(), &2.into())
    );
    assert_ne!(synced["revision"], added["revision"]);
    assert_eq!(found(&project, &["sun and moon in one line", "-k", "1"]), ["harbour:spring.md"]);
    let hit = &project.json(&["search", "--json", "mudflats"])["results"][0];
    assert_eq!(hit["metadata"]["commit"], synced["revision"]);
}

#[test]
fn a_failed_sync_leaves_everything_as_it_was() {
    let project = Project::new();
    repository(&project);
    project.ok(&["add", "harbour", &source(&project)]);
    let before = settings(&project);
    fs::rename(project.path("upstream"), project.path("").join("moved")).unwrap();
    let ran = project.run(&["sync"]);
    assert_eq!(ran.code, Some(3), "{ran:?}");
    assert!(ran.err.contains("error: harbour: ") && ran.err.contains("it stays as it was"), "{ran:?}");
    assert_eq!(settings(&project), before);
    assert_eq!(found(&project, &["moon pulls", "-k", "1"]), ["harbour:docs/tides.md"]);
}

#[test]
fn what_cannot_be_fetched_is_not_written_down() {
    let project = Project::new();
    let before = settings(&project);
    let missing = format!("git+file://{}/nowhere", project.path("").display());
    assert_eq!(project.run(&["add", "x", &missing]).code, Some(3));
    assert_eq!(project.run(&["add", "x", "./nowhere"]).code, Some(2));
    let empty = project.path("").join("empty");
    fs::create_dir_all(&empty).unwrap();
    project.run(&["add", "x", empty.to_str().unwrap()]).check_error(1, "no documents", "--include");
    assert_eq!(settings(&project), before);
    project.run(&["collections"]).check_error(1, "no collection is listed", "docent add");
}

#[test]
fn versions_live_side_by_side_and_a_bare_name_is_the_newest() {
    let project = Project::new();
    for version in ["9", "10.1", "2"] {
        let text = format!("# Hooks\n\nVersion {version} of the hooks.\n");
        let folder = folder(&project, &format!("lib{version}"), "hooks.md", &text);
        project.ok(&["add", &format!("lib@{version}"), &folder]);
    }
    assert_eq!(found(&project, &["-c", "lib", "hooks"]), ["lib@10.1:hooks.md"]);
    assert_eq!(found(&project, &["-c", "lib@9", "hooks"]), ["lib@9:hooks.md"]);
    let mut both = found(&project, &["-c", "lib@2", "-c", "lib", "hooks"]);
    both.sort();
    assert_eq!(both, ["lib@10.1:hooks.md", "lib@2:hooks.md"]);
    project.run(&["get", "hooks.md"]).check_error(
        1,
        "hooks.md is in 3 collections",
        "-c: lib@10.1, lib@2, lib@9",
    );
    assert!(project.ok(&["get", "-c", "lib@2", "hooks.md"]).contains("Version 2"));
    assert_eq!(
        project.ok(&["list", "-c", "lib@2", "-c", "lib@9"]),
        "lib@2\thooks.md\tHooks\nlib@9\thooks.md\tHooks\n"
    );
}

#[test]
fn the_users_file_serves_every_project_and_the_projects_file_wins() {
    let project = Project::new();
    let (mine, ours) = ("# Mine\n\nPersonal kettle.\n", "# Ours\n\nShared kettle.\n");
    let mine = folder(&project, "mine", "kettle.md", mine);
    let ours = folder(&project, "ours", "kettle.md", ours);
    project.ok(&["add", "tea", &mine, "--user"]);
    let listed = project.json(&["collections", "--json"]);
    let tea = |listed: &Value| {
        let rows = listed["collections"].as_array().unwrap().clone();
        rows.into_iter().find(|row| row["name"] == "tea").unwrap()
    };
    assert_eq!(
        (tea(&listed)["listed_by"].as_str(), tea(&listed)["source"].as_str()),
        (Some("user"), Some(&*mine))
    );
    assert!(project.path("home/.config/docent/docent.toml").exists());
    assert!(!settings(&project).contains("tea"));
    project.ok(&["add", "tea", &ours]);
    let listed = project.json(&["collections", "--json"]);
    assert_eq!(
        (tea(&listed)["listed_by"].as_str(), tea(&listed)["source"].as_str()),
        (Some("project"), Some(&*ours))
    );
    assert!(project.ok(&["get", "-c", "tea", "kettle.md"]).contains("Shared"));
}

#[test]
fn a_collection_that_is_listed_and_not_here_is_said() {
    let project = Project::new();
    repository(&project);
    project.write("docent.toml", format!("[collections.harbour]\nsource = \"{}\"\n", source(&project)));
    let ran = project.run(&["search", "retry"]);
    assert_eq!(ran.code, Some(0));
    assert!(ran.err.contains("`harbour` is not here yet; `docent sync` fetches it"), "{ran:?}");
    project.run(&["search", "-c", "harbour", "moon"]).check_error(
        1,
        "no collection `harbour`",
        "docent sync harbour",
    );
    project.ok(&["sync"]);
    assert_eq!(found(&project, &["moon pulls", "-k", "1"]), ["harbour:docs/tides.md"]);
}

#[test]
fn wrong_names_and_sources_are_refused_with_the_next_step() {
    let project = Project::new();
    let other = folder(&project, "other", "a.md", "# A\n\nText.\n");
    let third = folder(&project, "third", "a.md", "# A\n\nText.\n");
    project.ok(&["index"]);
    project.run(&["add", "no good", &other]).check_error(
        2,
        "not a name for a collection: no good",
        "react@19",
    );
    project.run(&["add", "docs", &other]).check_error(2, "docs is the name of the folder", "another name");
    project.run(&["add", "own", "./docs"]).check_error(2, "own documents folder", "served already");
    project.ok(&["add", "other", &other]);
    project.run(&["add", "other", &third]).check_error(2, "other is listed in", "docent remove other");
    project.run(&["sync", "nope"]).check_error(1, "no collection `nope` is listed", "other");
    project.run(&["remove", "nope"]).check_error(1, "there is no collection `nope`", "docs, other");
    project.run(&["rename", "nope", "x"]).check_error(1, "no collection `nope` is listed", "other");
    project.run(&["rename", "other", "docs"]).check_error(
        2,
        "there is a collection `docs` already",
        "another name",
    );
}

#[test]
fn a_bundle_is_ready_elsewhere_without_embedding_anything() {
    let here = Project::new();
    let out = here.path("").join("docs.docent");
    let packed = here.json(&["pack", "docs", "-o", out.to_str().unwrap(), "--json"]);
    assert_eq!((&packed["name"], &packed["documents"]), (&"docs".into(), &3.into()), "{packed}");
    let again = here.path("").join("again.docent");
    here.ok(&["pack", "docs", "-o", again.to_str().unwrap()]);
    assert_eq!(fs::read(&out).unwrap(), fs::read(&again).unwrap());

    let there = Project::empty();
    there.write("docs/own.md", "# Own\n\nNothing of it.\n");
    let hash = packed["hash"].as_str().unwrap();
    let added = there.json(&["add", "manual@2", out.to_str().unwrap(), "--hash", hash, "--json"]);
    assert_eq!((&added["state"], &added["documents"]), (&"added".into(), &3.into()), "{added}");
    assert_eq!(added["vectors_fetched"], packed["vectors"]);
    assert_eq!((&added["version"], &added["revision"]), (&"2".into(), &packed["hash"]));
    let asked = ["retry policy with backoff", "-k", "1"];
    let (one, other) = (found(&here, &asked), found(&there, &asked));
    assert_eq!(other[0].replace("manual@2:", "docs:"), one[0]);
    let page = there.ok(&["get", "-c", "manual", "guides/retries.md"]);
    assert_eq!(page, here.ok(&["get", "guides/retries.md"]));
}

#[test]
fn a_damaged_bundle_is_refused_and_what_was_there_stays() {
    let project = Project::new();
    let bundle = project.path("").join("docs.docent");
    project.ok(&["pack", "docs", "-o", bundle.to_str().unwrap()]);
    let whole = fs::read(&bundle).unwrap();
    project.ok(&["add", "manual", bundle.to_str().unwrap()]);
    let before = settings(&project);
    for at in [10, whole.len() / 2, whole.len() - 9] {
        let mut damaged = whole.clone();
        damaged[at] ^= 0x20;
        fs::write(&bundle, &damaged).unwrap();
        let ran = project.run(&["sync", "--force"]);
        assert_eq!(ran.code, Some(3), "byte {at}: {ran:?}");
        fs::write(&bundle, &whole[..at]).unwrap();
        let ran = project.run(&["add", "other", bundle.to_str().unwrap()]);
        assert_eq!(ran.code, Some(3), "cut at {at}: {ran:?}");
    }
    assert_eq!(settings(&project), before);
    assert_eq!(found(&project, &["-c", "manual", "retry policy", "-k", "1"]), ["manual:guides/retries.md"]);
    fs::write(&bundle, &whole).unwrap();
    let wrong = format!("blake3:{}", "0".repeat(64));
    let ran = project.run(&["add", "third", bundle.to_str().unwrap(), "--hash", &wrong]);
    assert_eq!(ran.code, Some(3), "{ran:?}");
    assert!(ran.err.contains(&wrong), "{ran:?}");
}

#[test]
fn a_bundle_has_a_name_that_is_recognised() {
    let project = Project::new();
    project.run(&["pack", "docs", "-o", "docs.zip"]).check_error(
        2,
        "does not end in .docent",
        "docs.zip.docent",
    );
    project.run(&["pack", "nope", "-o", "x.docent"]).check_error(1, "there is no collection `nope`", "docs");
    let ran = project.run(&["pack", "docs", "-o", "nowhere/x.docent"]);
    assert!(ran.code == Some(3) && ran.err.contains("cannot write"), "{ran:?}");
}

#[test]
fn one_entry_that_is_wrong_does_not_keep_others_from_being_used() {
    let project = Project::new();
    let other = folder(&project, "other", "a.md", "# A\n\nThe kettle whistles.\n");
    let packed = project.path("").join("packed.docent");
    project.ok(&["add", "gone", &other]);
    project.ok(&["pack", "gone", "-o", packed.to_str().unwrap()]);
    project.ok(&["add", "bundle", packed.to_str().unwrap()]);
    fs::remove_dir_all(project.path("other")).unwrap();
    fs::remove_file(&packed).unwrap();
    let with_wrong = format!("{}\n[collections.wrong]\nsource = \"ftp://example.com\"\n", settings(&project));
    project.write("docent.toml", with_wrong);
    let ran = project.run(&["search", "kettle", "--json"]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert!(ran.err.contains("collection `gone`: ") && ran.err.contains("as it was indexed"), "{ran:?}");
    assert!(ran.err.contains("collection `wrong`: ") && !ran.err.contains("packed.docent"), "{ran:?}");
    let mut found = found(&project, &["kettle", "-k", "2"]);
    found.sort();
    assert_eq!(found, ["bundle:a.md", "gone:a.md"]);
    for command in ["status", "collections", "list", "config", "index"] {
        assert_eq!(project.run(&[command]).code, Some(0), "{command}");
    }
    let ran = project.run(&["sync"]);
    assert_eq!(ran.code, Some(3), "{ran:?}");
    for name in ["bundle", "gone", "wrong"] {
        assert!(ran.err.contains(&format!("error: {name}: ")), "{ran:?}");
    }
    project.ok(&["remove", "gone", "wrong", "bundle"]);
    assert_eq!(settings(&project), "");
}

#[test]
fn a_relative_path_stays_relative_to_the_file() {
    let project = Project::new();
    folder(&project, "handbook/docs", "a.md", "# A\n\nText.\n");
    project.ok(&["add", "handbook", "../handbook/docs"]);
    assert!(settings(&project).contains("source = \"../handbook/docs\""), "{}", settings(&project));
    let mut inside = project.command(&["add", "again", "../../handbook/docs"]);
    assert!(inside.current_dir(project.root().join("docs")).output().unwrap().status.success());
    assert!(settings(&project).contains("[collections.again]\nsource = \"../handbook/docs\""));
    assert_eq!(found(&project, &["-c", "again", "text"]), ["again:a.md"]);
}

#[test]
fn adding_again_keeps_what_is_not_said_anew() {
    let project = Project::new();
    let other = folder(&project, "other", "a.md", "# A\n\nText.\n");
    project.ok(&["add", "other", &other, "--alias", "o", "--include", "*.md"]);
    project.ok(&["add", "other", &other, "--description", "Other things"]);
    let expected = format!(
        "[collections.other]\nsource = \"{other}\"\ndescription = \"Other things\"\naliases = [\"o\"]\ninclude = [\"*.md\"]\n"
    );
    assert_eq!(settings(&project), expected);
}

#[test]
fn an_add_that_finds_nothing_leaves_nothing() {
    let project = Project::new();
    let other = folder(&project, "other", "a.md", "# A\n\nText.\n");
    project.run(&["add", "y", &other, "--include", "*.txt"]).check_error(1, "no documents in", "--include");
    project.run(&["list", "-c", "y"]).check_error(1, "there is no collection `y`", "docs");
    project.run(&["add", &other, "y"]).check_error(2, "no such file", "the name comes first: docent add y");
    let hash = format!("blake3:{}", "0".repeat(64));
    project.run(&["add", "y", &other, "--hash", &hash]).check_error(2, "cannot be held to a hash", "--hash");
    project.ok(&["index"]);
    project.run(&["remove", "docs"]).check_error(2, "own documents folder", "--docs");
}

#[test]
fn vectors_are_made_for_what_was_asked_for_and_not_for_other_collections() {
    let project = Project::new();
    let apart = folder(&project, "apart", "a.md", "# Apart\n\nNobody waits for the lighthouse.\n");
    let near = folder(&project, "near", "b.md", "# Near\n\nThe harbour is at hand.\n");
    let embedded = |name: &str| {
        let answer = project.json(&["search", "--json", "--wait", "0", "-c", name, "harbour lighthouse"]);
        let vector = &answer["searched"]["vector"];
        (vector["embedded"].as_u64().unwrap(), vector["total"].as_u64().unwrap())
    };
    project.ok(&["add", "apart", &apart, "--no-embed"]);
    let check_apart = |after: &str| assert_eq!(embedded("apart"), (0, 1), "after {after}");
    project.ok(&["add", "near", &near]);
    assert_eq!(embedded("near"), (1, 1));
    check_apart("add");
    project.ok(&["pack", "near", "--out", "near.docent"]);
    check_apart("pack");
    let ran = project.run(&["search", "harbour"]);
    assert!(ran.err.contains("`docent sync` makes the rest of the vectors"), "{}", ran.err);
    let (own, total) = embedded("docs");
    assert!(own == total && total > 0, "a search waits for the folder itself: {own} of {total}");
    check_apart("search");
    project.write("docs/new.md", "# New\n\nFresh words.\n");
    project.ok(&["index"]);
    check_apart("index");
    project.ok(&["sync", "near"]);
    check_apart("sync of another");
    project.ok(&["sync"]);
    assert_eq!(embedded("apart"), (1, 1));
}

#[test]
fn a_folder_outside_that_a_project_lists_is_not_read_before_somebody_agrees() {
    let project = Project::new();
    let outside = folder(&project, "private", "diary.md", "# Diary\n\nThe midnight confession.\n");
    folder(&project, "project/vendor", "inside.md", "# Inside\n\nThe midnight train.\n");
    let listed = |include: &str| {
        format!(
            "[collections.out]\nsource = \"{outside}\"\ninclude = [\"{include}\"]\n[collections.in]\nsource = \"./vendor\"\n"
        )
    };
    project.write("docent.toml", listed("*.md"));
    assert_eq!(found(&project, &["midnight", "-k", "1"]), ["in:inside.md"]);
    let ran = project.run(&["search", "midnight confession"]);
    assert!(ran.err.contains("`out` is not here yet; `docent sync` fetches it"), "{ran:?}");
    project.run(&["search", "-c", "out", "midnight"]).check_error(
        1,
        "no collection `out`",
        "docent sync out",
    );
    project.ok(&["sync", "out"]);
    assert_eq!(found(&project, &["midnight confession", "-k", "1"]), ["out:diary.md"]);
    // Reading more than was agreed to needs another word.
    fs::write(project.path("private/keys.txt"), "midnight key").unwrap();
    project.write("docent.toml", listed("**/*"));
    project.ok(&["search", "midnight"]);
    assert!(!project.ok(&["list", "-c", "out"]).contains("keys.txt"));
}

#[test]
fn several_processes_add_at_once() {
    let project = Project::new();
    project.ok(&["index"]);
    let names: Vec<String> = (0..6).map(|number| format!("set{number}")).collect();
    let adding: Vec<_> = names
        .iter()
        .map(|name| {
            let folder = folder(&project, name, "a.md", "# A\n\nText.\n");
            let mut command = project.command(&["add", name, &folder]);
            command.stdout(std::process::Stdio::null()).stderr(std::process::Stdio::piped()).spawn().unwrap()
        })
        .collect();
    for child in adding {
        let done = child.wait_with_output().unwrap();
        assert!(done.status.success(), "{done:?}");
    }
    for name in &names {
        assert!(settings(&project).contains(&format!("[collections.{name}]")), "{name}");
    }
}

#[test]
fn an_alias_that_means_something_already_is_refused() {
    let project = Project::new();
    let one = folder(&project, "one", "a.md", "# A\n\nText.\n");
    let other = folder(&project, "other", "a.md", "# A\n\nText.\n");
    project.ok(&["add", "one", &one, "--alias", "o"]);
    project.run(&["add", "other", &other, "--alias", "o"]).check_error(
        2,
        "o is a name of one",
        "another alias",
    );
    project.run(&["add", "other", &other, "--alias", "one"]).check_error(
        2,
        "one is a name of one",
        "another alias",
    );
}

/// The vectors of a bundle.
fn vectors_of(bundle: &Path) -> BundledVectors {
    let dir = tempfile::tempdir().unwrap();
    let (cache, into) = (dir.path().join("cache"), dir.path().join("into"));
    fs::create_dir_all(&into).unwrap();
    let context = Context {
        cache: &cache,
        project: None,
        known_revision: None,
        expected_hash: None,
        is_cancelled: &|| false,
    };
    let spec = Spec::parse(bundle.to_str().unwrap(), Path::new("/")).unwrap();
    match docent_sources::fetch(&spec, &context, &into).unwrap() {
        Outcome::Fetched(fetched) => fetched.vectors.unwrap(),
        Outcome::Unchanged => panic!("nothing is known yet"),
    }
}

/// A sealed bundle of one document with vectors of somebody's choice.
fn forged(bundle: &Path, text: &str, vectors: BundledVectors) {
    let model = BundleModel { id: vectors.model, name: "hash-256".to_owned(), dimensions: 256 };
    let card = BundleCard {
        docent: "1".to_owned(),
        name: "forged".to_owned(),
        model: Some(model.clone()),
        counts: BundleCounts {
            documents: 1,
            vectors: vectors.vectors.len() as u64,
            ..BundleCounts::default()
        },
        ..BundleCard::default()
    };
    let mut writer = Writer::create(fs::File::create(bundle).unwrap(), &card).unwrap();
    writer.document("start.md", text.as_bytes(), 0, &[]).unwrap();
    writer.vectors(&model, vectors.vectors).unwrap();
    writer.finish().unwrap();
}

#[test]
fn a_bundle_cannot_touch_the_vectors_of_anything_else() {
    let project = Project::new();
    let bundle = project.path("").join("x.docent");
    project.ok(&["pack", "docs", "-o", bundle.to_str().unwrap()]);
    let mut stolen = vectors_of(&bundle);
    for (_, vector) in &mut stolen.vectors {
        vector.values.reverse();
    }
    let clean = project.json(&["search", "--mode", "semantic", "--json", "retry policy"]);

    let other = Project::empty();
    other.write("docs/own.md", "# Own\n\nNothing.\n");
    forged(&bundle, "# Harmless\n\nNothing to see.\n", stolen);
    let added = other.json(&["add", "forged", bundle.to_str().unwrap(), "--json"]);
    assert_eq!(added["vectors_fetched"], 0, "{added}");
    // The victim's documents, indexed by the same user.
    for page in ["guides/retries.md", "services.md", "start.md"] {
        let text = fs::read(project.root().join("docs").join(page)).unwrap();
        other.write(&format!("docs/{page}"), text);
    }
    let after = other.json(&["search", "-c", "docs", "--mode", "semantic", "--json", "retry policy"]);
    assert_eq!(after["results"][0]["similarity"], clean["results"][0]["similarity"]);
}

#[test]
fn vectors_that_do_not_belong_to_their_texts_are_not_used() {
    let project = Project::new();
    let bundle = project.path("").join("x.docent");
    project.ok(&["pack", "docs", "-o", bundle.to_str().unwrap()]);
    let mut wrong = vectors_of(&bundle);
    for (_, vector) in &mut wrong.vectors {
        vector.values.reverse();
    }
    let text = fs::read_to_string(project.root().join("docs/start.md")).unwrap();
    forged(&bundle, &text, wrong);
    let ran = project.run(&["add", "forged", bundle.to_str().unwrap(), "--json"]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert!(ran.err.contains("they do not belong to its texts; its documents are embedded here"), "{ran:?}");
    let similarity = |name: &str| {
        let answer = project.json(&["search", "-c", name, "--path", "start.md", "--json", "start"]);
        answer["results"][0]["similarity"].clone()
    };
    assert_eq!(similarity("forged"), similarity("docs"));
}

#[test]
fn the_version_of_a_manifest_is_more_exact_than_the_name() {
    let project = Project::new();
    repository(&project);
    let manifest = r#"{"name": "tides", "version": "2.1.0", "sources": {"glob": "docs/*.md"}}"#;
    commit(&project, "manifest.json", manifest);
    let added = project.json(&["add", "tides@2", &source(&project), "--json"]);
    assert_eq!((&added["version"], &added["documents"]), (&"2.1.0".into(), &2.into()), "{added}");
    let listed = project.json(&["collections", "--json"]);
    assert_eq!(listed["collections"][0]["version"], "2.1.0");
}
