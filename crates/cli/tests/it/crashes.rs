//! A full disk, Ctrl-C and `kill -9`: nothing is lost, and the next run goes on.

use std::io::{BufRead, BufReader, Read};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::thread;
use std::time::Duration;

use crate::support::{Project, ran};

/// How long a change may take to be noticed on a machine that is busy with other tests.
const PATIENCE: Duration = Duration::from_secs(30);

/// Kills per run; `DOCENT_TEST_KILLS=50` is the long version.
fn kills() -> u64 {
    std::env::var("DOCENT_TEST_KILLS").ok().and_then(|text| text.parse().ok()).unwrap_or(5)
}

#[test]
fn killed_runs_lose_nothing() {
    let project = Project::large(400);
    let kills = kills();
    for kill in 0..kills {
        let mut child = spawn(&project, &["index", "--quiet"]);
        thread::sleep(Duration::from_millis(10 + kill * 600 / kills));
        // It may have finished first.
        let _ = child.kill();
        child.wait().unwrap();
        let check = project.run(&["check"]);
        assert!(
            check.code == Some(0) || check.err.contains("there is no index"),
            "after kill {kill}: {check:?}"
        );
        // Enough work for the next run that it is killed in the middle of it.
        for number in 0..300 {
            project.write_page(number, &format!("round{kill}"));
        }
    }
    let report = project.json(&["index", "--json"]);
    assert_eq!(report["files"].as_u64(), Some(400));
    assert_eq!(report["embedded"], report["passages"]);
    project.ok(&["check"]);
    assert!(project.ok(&["search", "Details of 399"]).contains("page399.md"));
}

#[test]
fn ctrl_c_stops_and_says_what_is_kept() {
    let project = Project::large(2000);
    let child = spawn(&project, &["index"]);
    let record = project.root().join(".docent/record.sqlite");
    while !record.exists() {
        thread::sleep(Duration::from_millis(5));
    }
    interrupt(&child);
    let ran = ran(child.wait_with_output().unwrap());
    assert_eq!(ran.code, Some(130), "{ran:?}");
    assert!(ran.err.starts_with("stopped; ") && ran.err.contains("the next run goes on"), "{ran:?}");
    project.ok(&["check"]);
    assert_eq!(project.json(&["index", "--json"])["files"], 2000);
}

#[test]
fn a_full_disk_is_told_and_loses_nothing() {
    let project = Project::large(300);
    let docent = env!("CARGO_BIN_EXE_docent");
    let mut limited = Command::new("bash");
    project.surround(&mut limited);
    // Files end at 64 kB: writes beyond that fail like writes to a full disk.
    limited.args(["-c", &format!("trap '' XFSZ; ulimit -f 64; exec {docent} index")]);
    let limited = ran(limited.output().unwrap());
    assert_eq!(limited.code, Some(3), "{limited:?}");
    let told = limited.err.contains("no space left for the index");
    assert!(limited.err.starts_with("error: ") && told, "{limited:?}");
    assert!(limited.err.lines().nth(1).is_some_and(|line| line.starts_with("hint: ")), "{limited:?}");
    assert_eq!(project.json(&["index", "--json"])["files"], 300);
    project.ok(&["check"]);
}

#[test]
fn watch_tells_each_change_and_stops() {
    let project = Project::new();
    let mut child = spawn(&project, &["watch", "--json"]);
    let events = events(&mut child);
    let expect = |event: &str, path: Option<&str>| {
        let wanted =
            |seen: &serde_json::Value| seen["event"] == event && path.is_none_or(|path| seen["path"] == path);
        while !wanted(&events.recv_timeout(PATIENCE).unwrap()) {}
    };
    expect("ready", None);
    project.write("docs/new.md", "# New\n\nFresh.\n");
    expect("added", Some("new.md"));
    project.write("docs/new.md", "# New\n\nFresher.\n");
    expect("changed", Some("new.md"));
    std::fs::remove_file(project.root().join("docs/new.md")).unwrap();
    expect("removed", Some("new.md"));
    interrupt(&child);
    expect("stopped", None);
    assert_eq!(child.wait().unwrap().code(), Some(0));
}

#[test]
fn one_signal_ends_what_waits_for_its_reader() {
    let project = Project::empty();
    project.write("docs/long.md", format!("# Long\n\n{}", "words that fill a pipe\n".repeat(40_000)));
    let mut child = spawn(&project, &["get", "long.md"]);
    // The first byte says that it listens and writes; nobody reads the rest, so it waits.
    let mut out = child.stdout.take().unwrap();
    out.read_exact(&mut [0]).unwrap();
    interrupt(&child);
    assert_eq!(child.wait().unwrap().code(), Some(130));
    drop(out);
}

/// What a process that prints JSON lines has to say, as it comes.
fn events(child: &mut Child) -> Receiver<serde_json::Value> {
    let (sender, receiver) = mpsc::channel();
    let out = BufReader::new(child.stdout.take().unwrap());
    thread::spawn(move || {
        for line in out.lines().map_while(Result::ok) {
            if sender.send(serde_json::from_str(&line).unwrap()).is_err() {
                return;
            }
        }
    });
    receiver
}

fn spawn(project: &Project, args: &[&str]) -> Child {
    project.command(args).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
}

fn interrupt(child: &Child) {
    let status = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(status.success());
}
