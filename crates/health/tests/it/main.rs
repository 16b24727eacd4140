//! The façade over a real store: what is recorded is what is answered.
#![allow(clippy::unwrap_used, reason = "tests")]

use std::path::Path;
use std::sync::Arc;

use docent_claims::{
    Blame, Breaking, Claim, ClaimType, Class, Cues, Evidence, Judged, Severity, Subject, Suggestion, Verdict,
};
use docent_health::{Decision, Findings, Health, Identity, NewReport, Service, Status, VerifiedDocument};
use docent_store_embedded::EmbeddedHealth;

const NOW: i64 = 1_770_000_000;

fn health(folder: &Path) -> Health {
    let identity = Identity {
        root: "/repo".into(),
        owner: "acme".to_owned(),
        name: "shop".to_owned(),
        others: Vec::new(),
        origin: None,
        is_git: true,
    };
    Health::new(Arc::new(EmbeddedHealth::new(folder)), identity).with_clock(|| NOW)
}

fn judged(line: u32, heading: Option<&str>, named: &str, verdict: Verdict) -> Judged {
    let is_broken = verdict != Verdict::Verified;
    Judged {
        claim: Claim {
            file: "docs/a.md".to_owned(),
            line,
            end_line: line,
            span: 0..named.len(),
            section_heading: heading.map(str::to_owned),
            claim_type: ClaimType::Command,
            kind: "make_target".to_owned(),
            named: named.to_owned(),
            text: format!("Type `{named}` to go on."),
            subject: Subject::Variable { name: named.to_owned() },
            cues: Cues::default(),
            source: None,
            again: Vec::new(),
        },
        verdict,
        class: if is_broken { Class::BrokeAt } else { Class::Holds },
        confidence: 0.9,
        severity: Severity::High,
        evidence: match is_broken {
            false => Evidence::default(),
            true => Evidence {
                blame: Some(Blame {
                    commit: "915a9df00".to_owned(),
                    time: 1_740_900_000,
                    path: String::new(),
                    line,
                }),
                breaking: Some(Breaking {
                    commit: Some("4c1d77e00".to_owned()),
                    time: 1_757_800_000,
                    subject: "split server".to_owned(),
                    kind: "deleted".to_owned(),
                    renamed_to: None,
                }),
                suggestion: Some(Suggestion {
                    replacement: "make run-server".to_owned(),
                    is_certain: false,
                    reason: "alike".to_owned(),
                }),
                ..Evidence::default()
            },
        },
        suppressed: None,
    }
}

fn record(health: &Health, file: &str, claims: Vec<Judged>) -> u64 {
    let document = VerifiedDocument { file: file.to_owned(), content_hash: "h1".to_owned(), claims };
    let found = Findings { verified_at: NOW, documents: vec![document], ..Findings::default() };
    health.record(&found).unwrap()
}

#[test]
fn before_anything_was_verified_everything_is_empty() {
    let folder = tempfile::tempdir().unwrap();
    let health = health(folder.path());
    assert_eq!(health.score(None).unwrap().unwrap().total_claims, 0);
    assert_eq!(health.score(Some("docs")).unwrap(), None);
    assert!(
        health.stale(10).unwrap().is_empty() && health.view().unwrap().find("server", false, 10).is_empty()
    );
    assert_eq!(health.view().unwrap().lines("docs/a.md", 1..=9, ""), None);
    assert_eq!(health.reports(None).unwrap(), []);
}

#[test]
fn what_broke_is_told_with_the_commit_and_what_to_write_instead() {
    let folder = tempfile::tempdir().unwrap();
    let health = health(folder.path());
    record(
        &health,
        "docs/a.md",
        vec![judged(3, None, "make x", Verdict::Verified), judged(17, None, "make server", Verdict::Drifted)],
    );
    let lines = health.view().unwrap().lines("docs/a.md", 10..=20, "h1").unwrap();
    assert_eq!(
        (lines.status, lines.verified, lines.drifted, lines.is_outdated),
        (Status::Drifted, 0, 1, false)
    );
    assert_eq!(
        lines.problems[0].reason,
        "`make server` existed when this line was written (915a9df, 2025-03-02); gone since 4c1d77e \"split server\" \
         (2025-09-13); closest now: `make run-server`"
    );
    assert_eq!(lines.problems[0].suggested_fix.as_deref(), Some("make run-server"));
    let shown = serde_json::to_value(&lines).unwrap();
    assert_eq!(
        (&shown["status"], &shown["last_verified"]),
        (&"drifted".into(), &"2026-02-02T02:40:00Z".into())
    );
    assert!(health.view().unwrap().lines("docs/a.md", 1..=9, "h2").unwrap().is_outdated);
    assert_eq!(health.view().unwrap().lines("docs/a.md", 4..=9, "h1"), None);
}

#[test]
fn sections_are_neighbours_under_one_heading() {
    let folder = tempfile::tempdir().unwrap();
    let health = health(folder.path());
    let claims = vec![
        judged(1, None, "make a", Verdict::Verified),
        judged(5, Some("Build"), "make b", Verdict::Verified),
        judged(5, Some("Build"), "make c", Verdict::Drifted),
        judged(9, Some("Test"), "make d", Verdict::Uncertain),
        judged(20, Some("Build"), "make e", Verdict::Verified),
    ];
    record(&health, "docs/a.md", claims);
    let spots = [5, 20, 5, 1].map(|line| ("docs/a.md".to_owned(), line));
    let found = health.view().unwrap().sections(spots).into_iter();
    let found: Vec<_> = found.map(|spot| health.view().unwrap().section(spot).unwrap()).collect();
    let shown: Vec<(&str, u32, Status, u64)> =
        found.iter().map(|it| (it.section.as_str(), it.start_line, it.status, it.claims)).collect();
    let expected = [
        ("Build", 5, Status::Drifted, 2),
        ("Build", 20, Status::Verified, 1),
        ("(root)", 1, Status::Verified, 1),
    ];
    assert_eq!(shown, expected);
    assert_eq!(found[0].content, "Type `make b` to go on.\nType `make c` to go on.");
    record(&health, "plain.md", vec![judged(1, None, "make a", Verdict::Verified)]);
    assert_eq!(health.view().unwrap().section(("plain.md".to_owned(), 1)).unwrap().section, "plain.md");
}

#[test]
fn pages_are_called_what_the_repository_calls_them() {
    let folder = tempfile::tempdir().unwrap();
    let health = health(folder.path());
    let check = |root: &str, page: &str, expected: Option<&str>| {
        assert_eq!(health.file_of(Path::new(root), page).as_deref(), expected, "{root} {page}");
    };
    check("/repo/docs", "guides/a.md", Some("docs/guides/a.md"));
    check("/repo", "README.md", Some("README.md"));
    check("/", "repo/docs/a.md", Some("docs/a.md"));
    check("/elsewhere", "a.md", None);
    check("/repo-two", "a.md", None);
}

#[test]
fn an_answer_is_kept_until_something_was_verified() {
    let folder = tempfile::tempdir().unwrap();
    let health = health(folder.path());
    let made = std::cell::Cell::new(0);
    let ask = || {
        let make = || {
            made.set(made.get() + 1);
            Ok::<_, docent_health::HealthError>(made.get().into())
        };
        health.cached("key", make).unwrap().as_i64().unwrap()
    };
    assert_eq!((ask(), ask()), (1, 1));
    record(&health, "a.md", Vec::new());
    assert_eq!((ask(), ask()), (2, 2));
}

#[test]
fn a_report_finds_its_claim_and_a_person_decides() {
    let folder = tempfile::tempdir().unwrap();
    let health = health(folder.path());
    record(&health, "docs/a.md", vec![judged(17, None, "make server", Verdict::Verified)]);
    let report = NewReport {
        doc_file: "./docs/a.md".to_owned(),
        line_number: Some(15),
        claim_text: "Type make server to go on".to_owned(),
        actual_behavior: "There is no such target".to_owned(),
        agent_type: "tests".to_owned(),
        created_at: NOW,
        ..NewReport::default()
    };
    let filed = health.report(report).unwrap();
    assert!(filed.matched_claim_id.is_some());
    assert_eq!(health.view().unwrap().lines("docs/a.md", 17..=17, "").unwrap().status, Status::Verified);
    health.decide(&filed.report_id, Decision::Accepted).unwrap().unwrap();
    let lines = health.view().unwrap().lines("docs/a.md", 17..=17, "").unwrap();
    assert_eq!(lines.status, Status::Drifted);
    assert_eq!(
        lines.problems[0].reason,
        "`make server` was reported to be wrong by tests, and a person agreed: There is no such target"
    );
}

#[test]
fn a_verifier_keeps_what_it_finds_and_again_after_changes() {
    let folder = tempfile::tempdir().unwrap();
    let health = Arc::new(health(folder.path()));
    let (told, heard) = std::sync::mpsc::channel();
    let (kept, mut round) = (Arc::clone(&health), 0);
    let verify = move |_: &(dyn Fn() -> bool + Sync)| {
        round += 1;
        kept.record(&Findings { verified_at: NOW, ..Findings::default() }).unwrap();
        told.send(round).unwrap();
        Ok(())
    };
    let mut states = ["a", "b"].into_iter();
    let state = move || states.next().unwrap_or("b").to_owned();
    let verifier = health.spawn_verifier(Box::new(verify), state, |_| ()).unwrap();
    let patience = std::time::Duration::from_secs(30);
    assert_eq!((heard.recv_timeout(patience), heard.recv_timeout(patience)), (Ok(1), Ok(2)));
    drop(verifier);
    assert_eq!(health.generation().unwrap(), 2);
}

#[test]
fn what_is_known_is_degraded_while_checks_fail() {
    let folder = tempfile::tempdir().unwrap();
    let health = Arc::new(health(folder.path()));
    let mut results = [Err("no such commit".to_owned())].into_iter();
    let verify = move |_: &(dyn Fn() -> bool + Sync)| results.next().unwrap_or(Ok(()));
    let (more, states) = std::sync::mpsc::channel();
    let mut now = "a".to_owned();
    let state = move || {
        now = states.try_recv().unwrap_or_else(|_| now.clone());
        now.clone()
    };
    let _verifier = health.spawn_verifier(Box::new(verify), state, |_| ()).unwrap();
    let until = |is_degraded: bool| {
        let end = std::time::Instant::now() + std::time::Duration::from_secs(30);
        while health.degraded().is_some() != is_degraded {
            assert!(std::time::Instant::now() < end, "{:?}", health.degraded());
            std::thread::sleep(std::time::Duration::from_millis(5));
        }
    };
    until(true);
    assert_eq!(
        health.degraded().unwrap(),
        "the documents could not be checked against the code: no such commit"
    );
    more.send("b".to_owned()).unwrap();
    until(false);
}

#[test]
fn a_verifier_ends_in_the_middle_of_what_it_is_at() {
    let folder = tempfile::tempdir().unwrap();
    let health = Arc::new(health(folder.path()));
    let (began, begun) = std::sync::mpsc::channel();
    let verify = move |is_cancelled: &(dyn Fn() -> bool + Sync)| {
        began.send(()).unwrap();
        while !is_cancelled() {
            std::thread::sleep(std::time::Duration::from_millis(1));
        }
        Err("cancelled".to_owned())
    };
    let tell = |reason: &str| panic!("{reason} is told");
    let verifier = health.spawn_verifier(Box::new(verify), String::new, tell).unwrap();
    begun.recv().unwrap();
    let start = std::time::Instant::now();
    drop(verifier);
    assert!(start.elapsed() < std::time::Duration::from_secs(2), "{:?}", start.elapsed());
}

#[test]
fn a_service_verifies_a_repository_and_keeps_what_it_finds() {
    let folder = tempfile::tempdir().unwrap();
    let root = std::fs::canonicalize(folder.path()).unwrap().join("shop");
    let write = |path: &str, text: &str| {
        std::fs::create_dir_all(root.join(path).parent().unwrap()).unwrap();
        std::fs::write(root.join(path), text).unwrap();
    };
    let git = |args: &[&str]| {
        let identity = ["-c", "user.name=t", "-c", "user.email=t@example.org"];
        let ran =
            std::process::Command::new("git").args(identity).args(args).current_dir(&root).output().unwrap();
        assert!(ran.status.success(), "{args:?}: {ran:?}");
    };
    write("src/main.rs", "fn main() {}\n");
    write("src/payments.rs", "pub fn pay() {}\n");
    write(
        "README.md",
        "# Shop\n\nBegin at [main](src/main.rs).\n\n## Payments\n\nThey are handled in [payments](src/payments.rs).\n",
    );
    git(&["init", "-q"]);
    git(&["add", "."]);
    git(&["commit", "-qm", "first"]);
    git(&["rm", "-q", "src/payments.rs"]);
    git(&["commit", "-qm", "drop payments"]);
    let store = Arc::new(EmbeddedHealth::new(folder.path()));
    let health = Arc::new(Health::new(store, Identity::around(&root)).with_clock(|| NOW));
    let mut service = Service::new(Arc::clone(&health), None, Arc::new(docent_claims::NoStore));
    let options = docent_claims::Options { today: "2026-02-02".to_owned(), ..Default::default() };
    let found = service.run(&options, docent_claims::Watch::SILENT).unwrap().clone();
    let score = health.score(Some("README.md")).unwrap().unwrap();
    assert_eq!((score.verified, score.drifted), (1, 1));
    let lines = health.view().unwrap().lines("README.md", 7..=7, "").unwrap();
    assert!(lines.problems[0].reason.contains("drop payments"), "{:?}", lines.problems);
    // Another process goes on from there.
    let generation = health.generation().unwrap();
    let mut next = Service::new(Arc::clone(&health), Some(found), Arc::new(docent_claims::NoStore));
    next.run(&options, docent_claims::Watch::SILENT).unwrap();
    assert!(health.generation().unwrap() > generation);
    assert_eq!(health.score(None).unwrap().unwrap().drifted, 1);
}

/// Lines of the sections that are found for a query; the name of a claim is its sentence.
fn found(health: &Health, query: &str, verified_only: bool) -> Vec<u32> {
    let found = health.view().unwrap().find(query, verified_only, 10);
    found.into_iter().map(|(_, line)| line).collect()
}

#[test]
fn the_more_words_of_the_query_a_section_claims_the_better() {
    let folder = tempfile::tempdir().unwrap();
    let health = health(folder.path());
    let claims = vec![
        judged(1, Some("A"), "Authentication uses argon2id for password hashing.", Verdict::Verified),
        judged(2, Some("B"), "The server listens on port 8080.", Verdict::Drifted),
        judged(3, Some("C"), "Set AUTH_SECRET for authentication of the server.", Verdict::Verified),
    ];
    record(&health, "a.md", claims);
    assert_eq!(found(&health, "how is the password hashed", false), [1]);
    let both = found(&health, "server authentication", false);
    assert_eq!((both[0], both.len()), (3, 3), "{both:?}");
    assert_eq!(found(&health, "server", true), [3]);
    assert_eq!(found(&health, "AUTH_SECRET", false).first(), Some(&3));
    for query in ["zebra", "  ", "\" OR * NEAR( -"] {
        assert!(found(&health, query, false).is_empty(), "{query}");
    }
}

#[test]
fn what_has_no_words_is_found_as_it_is_written() {
    let folder = tempfile::tempdir().unwrap();
    let health = health(folder.path());
    let odd = judged(4, Some("A"), "--no-verify or 100%_x", Verdict::Verified);
    record(&health, "a.md", vec![odd, judged(5, Some("B"), "other", Verdict::Verified)]);
    for query in ["o-veri", "100%_", "--NO-VERIFY"] {
        assert_eq!(found(&health, query, false), [4], "{query}");
    }
}
