//! Rules of DocAlign's specification that a connection has to keep, each by its section, on every server.
//!
//! What a connection is set to is asked inside of it: the table of claims is a view here, which tells.

use std::time::{Duration, Instant};

use docent_index::health::{HealthError, HealthStore, NewReport, Recorded};
use docent_store_postgres::PostgresHealth;
use docent_testkit::health::{claim, document};
use docent_testkit::{Database, Postgres};

/// DocAlign's tables with one repository; reading its claims does what `telling` says.
fn docaligns(server: usize, telling: &str) -> Option<(PostgresHealth, Database, String)> {
    let database = Postgres::server(server).map(Postgres::database)?;
    database.sql(&format!(
        "CREATE TABLE repos (id uuid PRIMARY KEY DEFAULT gen_random_uuid(), github_owner text, github_repo text,
             updated_at timestamptz DEFAULT now());
         INSERT INTO repos (github_owner, github_repo) VALUES ('acme', 'shop');
         CREATE TABLE kept (id uuid DEFAULT gen_random_uuid(), source_file text, line_number integer, claim_text text,
             claim_type text, verification_status text, last_verified_at timestamptz);
         INSERT INTO kept (source_file, line_number, claim_text, claim_type, verification_status)
             VALUES ('a.md', 1, 'x', 'command', 'drifted');
         CREATE FUNCTION tell() RETURNS boolean VOLATILE LANGUAGE plpgsql AS $$ BEGIN {telling} RETURN true; END $$;
         CREATE VIEW claims AS SELECT k.*, r.id AS repo_id FROM kept k, repos r WHERE tell()"
    ));
    let store = PostgresHealth::open(&database.url(), true).unwrap();
    let repo = store.repo("acme", "shop").unwrap().unwrap().id;
    Some((store, database, repo))
}

/// What reading claims and counting them is told of a setting.
fn told(server: usize, setting: &str) -> Option<(String, String)> {
    let telling = format!("RAISE EXCEPTION 'it is %', current_setting('{setting}');");
    let (store, _database, repo) = docaligns(server, &telling)?;
    let words = |error: HealthError| match error {
        HealthError::Query { detail, .. } => detail,
        other => panic!("{other:?}"),
    };
    let (claims, counts) = (store.claims(&repo).unwrap_err(), store.counts(&repo).unwrap_err());
    Some((words(claims), words(counts)))
}

#[test]
fn docalign_4_0_1_reading_connections_are_read_only_by_default() {
    for server in 0..3 {
        let Some((claims, counts)) = told(server, "default_transaction_read_only") else { return };
        assert!(claims.contains("it is on") && counts.contains("it is on"), "{claims} {counts}");
    }
}

#[test]
fn docalign_5_4_claims_have_five_seconds_and_all_else_three() {
    for server in 0..3 {
        let Some((claims, counts)) = told(server, "statement_timeout") else { return };
        assert!(claims.contains("it is 5s") && counts.contains("it is 3s"), "{claims} {counts}");
    }
}

#[test]
fn docalign_5_4_a_query_that_takes_longer_is_ended_on_the_server() {
    for server in 0..3 {
        let Some((store, database, repo)) = docaligns(server, "PERFORM pg_sleep(60);") else { return };
        let begun = Instant::now();
        assert!(matches!(store.counts(&repo), Err(HealthError::Timeout)));
        let counting = begun.elapsed();
        assert!(matches!(store.claims(&repo), Err(HealthError::Timeout)));
        let reading = begun.elapsed() - counting;
        // A busy machine may be late, never early.
        assert!(
            counting >= Duration::from_secs(3) && reading >= Duration::from_secs(5),
            "{counting:?} {reading:?}"
        );
        let running = "SELECT count(*) FROM pg_stat_activity WHERE query LIKE '%claims%' AND state = 'active'
            AND pid <> pg_backend_pid() AND datname = current_database()";
        assert_eq!(database.sql(running), "0");
    }
}

#[test]
fn docalign_b_3_the_name_of_a_connection_tells_reading_from_writing() {
    for server in 0..3 {
        let Some((claims, counts)) = told(server, "application_name") else { return };
        assert!(claims.contains("it is docent (") && counts.contains("it is docent ("), "{claims} {counts}");
        let Some(database) = Postgres::server(server).map(Postgres::database) else { return };
        let store = PostgresHealth::open(&database.url(), true).unwrap();
        let repo = store.put_repo("acme", "shop", 1).unwrap().id;
        database.sql(
            "CREATE TABLE seen (name text); CREATE FUNCTION see() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
                 INSERT INTO public.seen VALUES (current_setting('application_name')); RETURN NULL; END $$;
             CREATE TRIGGER see AFTER INSERT ON docent.claims FOR EACH STATEMENT EXECUTE FUNCTION see();
             CREATE TRIGGER see AFTER INSERT ON docent.agent_drift_reports FOR EACH STATEMENT EXECUTE FUNCTION see()",
        );
        let documents = vec![document("a.md", vec![claim(1, "make x")])];
        store.record(&repo, &Recorded { verified_at: 5, documents, ..Recorded::default() }).unwrap();
        store.add_report(&repo, &NewReport { doc_file: "a.md".to_owned(), ..NewReport::default() }).unwrap();
        assert_eq!(database.sql("SELECT DISTINCT name FROM seen"), "docent-write");
        let open = "SELECT DISTINCT application_name FROM pg_stat_activity WHERE datname = current_database()
            AND application_name LIKE 'docent%'";
        assert_eq!(database.sql(open), "docent", "the name is given back with the transaction");
    }
}

#[test]
fn docalign_4_0_1_of_repositories_with_one_name_the_last_changed_counts() {
    for server in 0..3 {
        let Some((store, database, _)) = docaligns(server, "NULL;") else { return };
        let newer = "00000000-0000-0000-0000-000000000007";
        database.sql(&format!(
            "INSERT INTO repos (id, github_owner, github_repo, updated_at)
                 VALUES ('{newer}', 'acme', 'shop', now() + interval '1 hour'), (DEFAULT, 'acme', 'shop', '2020-01-01')"
        ));
        assert_eq!(store.repo("acme", "shop").unwrap().unwrap().id, newer);
    }
}

#[test]
fn docalign_appendix_d_errors_are_told_apart() {
    for server in 0..3 {
        let Some((store, database, repo)) = docaligns(server, "NULL;") else { return };
        assert_eq!(store.claims(&repo).unwrap().len(), 1);
        database.sql("ALTER TABLE kept RENAME COLUMN claim_text TO words; DROP VIEW claims; CREATE VIEW claims AS SELECT k.*, r.id AS repo_id, 1/0 AS claim_text FROM kept k, repos r");
        assert!(matches!(store.claims(&repo), Err(HealthError::Query { .. })), "{:?}", store.claims(&repo));
        // Nobody is let in any more, and those who are in are put out.
        let name = database.sql("SELECT current_database()");
        let Some(server) = Postgres::server(server) else { return };
        server.sql("postgres", &format!("ALTER DATABASE {name} ALLOW_CONNECTIONS false"));
        server.sql(
            "postgres",
            &format!(
                "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE datname = '{name}'"
            ),
        );
        let begun = Instant::now();
        let refused = store.claims(&repo);
        assert!(matches!(refused, Err(HealthError::Connection { .. })), "{refused:?}");
        assert!(begun.elapsed() < Duration::from_secs(5), "{:?}", begun.elapsed());
        server.sql("postgres", &format!("ALTER DATABASE {name} ALLOW_CONNECTIONS true"));
        assert!(
            matches!(store.claims(&repo), Err(HealthError::Query { .. })),
            "it is connected again by itself"
        );
    }
}
