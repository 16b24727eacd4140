//! Commands that ask go to a copy of the database, also while the database itself is away.

use std::time::{Duration, Instant};

use docent_testkit::Postgres;

use crate::support::{Project, Ran, ran};

#[test]
fn questions_are_answered_by_a_copy_of_the_database() {
    let Some(primary) = Postgres::own(0, "", &[]) else { return };
    let project = Project::new();
    let run = |args: &[&str], replica: Option<&str>| -> Ran {
        let mut command = project.command(args);
        command.env("DOCENT_DATABASE_URL", primary.url("postgres"));
        if let Some(url) = replica {
            command.env("DOCENT_READ_DATABASE_URL", url);
        }
        ran(command.output().unwrap())
    };
    let indexed = run(&["index"], None);
    assert_eq!(indexed.code, Some(0), "{indexed:?}");
    let standby = primary.standby();
    let reached = primary.sql("postgres", "SELECT pg_current_wal_insert_lsn()");
    let is_there = format!("SELECT pg_last_wal_replay_lsn() >= '{reached}'");
    let start = Instant::now();
    while standby.sql("postgres", &is_there) != "t" {
        assert!(start.elapsed() < Duration::from_secs(20), "the standby does not follow");
    }
    let copy = standby.url("postgres");
    let found = run(&["search", "retry backoff", "--json"], Some(&copy));
    assert!(found.code == Some(0) && found.out.contains("guides/retries.md"), "{found:?}");

    primary.stop();
    for args in [&["search", "retry backoff"][..], &["get", "start.md"], &["list"], &["status"]] {
        let ran = run(args, Some(&copy));
        assert_eq!(ran.code, Some(0), "{args:?} {ran:?}");
    }
    let refused = run(&["index"], Some(&copy));
    assert!(refused.code == Some(3) && refused.err.contains("cannot be reached"), "{refused:?}");
    primary.restart();

    // A copy that is away is worth a word, and no more.
    standby.stop();
    let found = run(&["search", "retry backoff"], Some(&copy));
    assert!(found.code == Some(0) && found.out.contains("retries.md"), "{found:?}");
    assert_eq!(found.err.matches("the replica at").count(), 1, "{found:?}");
    for (url, part) in
        [("postgres://me:secret@h/x?a=secret", "a parameter `a`"), ("sqlite:x", "copy of a Postgre")]
    {
        let refused = run(&["search", "x"], Some(url));
        assert!(refused.code == Some(2) && refused.err.contains(part), "{refused:?}");
        assert!(!refused.err.contains("secret"), "{refused:?}");
    }
    let mut command = project.command(&["search", "x"]);
    let refused = ran(command.env("DOCENT_READ_DATABASE_URL", &copy).output().unwrap());
    assert!(refused.code == Some(2) && refused.err.contains("nothing names the database"), "{refused:?}");
}
