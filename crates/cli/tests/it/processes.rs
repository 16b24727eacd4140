//! Several processes share one index.

use std::process::Stdio;

use crate::support::{Project, ran};

#[test]
fn two_runs_at_once_both_succeed() {
    let project = Project::large(300);
    let children: Vec<_> = (0..3)
        .map(|_| {
            let mut command = project.command(&["index", "--json"]);
            command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
        })
        .collect();
    for child in children {
        let ran = ran(child.wait_with_output().unwrap());
        assert_eq!(ran.code, Some(0), "{ran:?}");
        let report: serde_json::Value = serde_json::from_str(&ran.out).unwrap();
        assert_eq!((report["files"].as_u64(), &report["embedded"]), (Some(300), &report["passages"]));
    }
    project.ok(&["check"]);
}

#[test]
fn a_search_answers_while_another_process_embeds() {
    let project = Project::large(300);
    let mut command = project.command(&["index"]);
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let answer = project.json(&["search", "Details of 299", "--json", "--wait", "0"]);
    assert_eq!(answer["results"][0]["metadata"]["file_path"], "part9/page299.md");
    assert_eq!(ran(child.wait_with_output().unwrap()).code, Some(0));
}

/// A process that indexes for a long time, or hangs, does not keep others from answering.
#[test]
fn readers_do_not_wait_for_a_process_that_indexes() {
    let project = Project::large(100);
    project.ok(&["index", "--quiet"]);
    // Files that were read within the grain of the clock after they were written are looked at once more.
    std::thread::sleep(std::time::Duration::from_millis(100));
    project.ok(&["index", "--quiet"]);
    let lock = std::fs::File::open(project.root().join(".docent/ingest.lock")).unwrap();
    lock.lock().unwrap();
    let begun = std::time::Instant::now();
    assert!(!project.json(&["search", "--json", "word7"])["results"].as_array().unwrap().is_empty());
    project.ok(&["status"]);
    assert!(begun.elapsed() < std::time::Duration::from_secs(3), "waited with nothing to do");
    for number in 0..100 {
        project.write_page(number, "second");
    }
    let answer = project.json(&["search", "--json", "word7"]);
    assert!(!answer["results"].as_array().unwrap().is_empty());
    let degraded = answer["searched"]["degraded"].to_string();
    assert!(degraded.contains("another process is indexing"), "{degraded}");
}
