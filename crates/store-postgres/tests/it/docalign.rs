//! Databases that DocAlign's own application filled, as it leaves them after its migrations.

use docent_index::health::{Decision, HealthError, HealthStore, NewReport, Recorded, Status};
use docent_store_postgres::{PostgresHealth, Standing};
use docent_testkit::{Database, Postgres};

const TABLES: &str = "
CREATE TABLE repos (
    id uuid PRIMARY KEY DEFAULT gen_random_uuid(), github_owner varchar(255) NOT NULL, github_repo varchar(255) NOT NULL,
    github_installation_id bigint, default_branch text DEFAULT 'main', status text DEFAULT 'active',
    health_score real, last_scanned_commit text, config jsonb DEFAULT '{}',
    created_at timestamptz NOT NULL DEFAULT now(), updated_at timestamptz NOT NULL DEFAULT now());
CREATE TABLE claims (
    id uuid PRIMARY KEY DEFAULT gen_random_uuid(), repo_id uuid NOT NULL REFERENCES repos (id) ON DELETE CASCADE,
    source_file text NOT NULL, line_number integer NOT NULL, claim_text text NOT NULL, claim_type varchar(50) NOT NULL,
    testability text, extracted_value jsonb, keywords text[] DEFAULT '{}', extraction_confidence real,
    verification_status varchar(20) NOT NULL DEFAULT 'pending', last_verified_at timestamptz,
    created_at timestamptz NOT NULL DEFAULT now(), updated_at timestamptz NOT NULL DEFAULT now());
CREATE TABLE verification_results (
    id uuid PRIMARY KEY DEFAULT gen_random_uuid(), claim_id uuid NOT NULL REFERENCES claims (id) ON DELETE CASCADE,
    repo_id uuid NOT NULL, verdict varchar(20) NOT NULL, confidence real NOT NULL, severity varchar(20), reasoning text,
    created_at timestamptz NOT NULL DEFAULT now());
INSERT INTO repos (id, github_owner, github_repo, updated_at) VALUES
    ('00000000-0000-0000-0000-000000000001', 'acme', 'shop', '2026-01-01'),
    ('00000000-0000-0000-0000-000000000002', 'acme', 'shop', '2026-02-01');
INSERT INTO claims (id, repo_id, source_file, line_number, claim_text, claim_type, keywords, verification_status,
        last_verified_at) VALUES
    ('00000000-0000-0000-0000-00000000000b', '00000000-0000-0000-0000-000000000002', 'docs/auth.md', 12,
     'Authentication uses bcrypt', 'behavior', '{bcrypt,auth}', 'drifted', '2026-02-07T14:23:00Z'),
    ('00000000-0000-0000-0000-00000000000a', '00000000-0000-0000-0000-000000000002', 'README.md', 3,
     'Run `make build`', 'command', NULL, 'verified', '2026-02-07T14:23:00Z'),
    ('00000000-0000-0000-0000-00000000000c', '00000000-0000-0000-0000-000000000002', 'docs/auth.md', 20,
     'Sessions last a day', 'behavior', '{}', 'pending', NULL);
INSERT INTO verification_results (claim_id, repo_id, verdict, confidence, severity, created_at) VALUES
    ('00000000-0000-0000-0000-00000000000b', '00000000-0000-0000-0000-000000000002', 'verified', 0.5, NULL, '2026-01-07'),
    ('00000000-0000-0000-0000-00000000000b', '00000000-0000-0000-0000-000000000002', 'drifted', 0.75, 'high', '2026-02-07')";
const REPORTS: &str = "
CREATE TABLE agent_drift_reports (
    id uuid PRIMARY KEY DEFAULT gen_random_uuid(), repo_id uuid NOT NULL REFERENCES repos (id),
    claim_id uuid REFERENCES claims (id), doc_file text NOT NULL, line_number integer, claim_text text NOT NULL,
    actual_behavior text NOT NULL, evidence_files {files}, agent_type text, verification_status text NOT NULL DEFAULT 'pending',
    created_at timestamptz NOT NULL DEFAULT now())";
const NOW: i64 = 1_770_000_000;

fn database(reports: Option<&str>) -> Option<(PostgresHealth, Database)> {
    let database = Postgres::server(0).map(Postgres::database)?;
    database.sql(TABLES);
    if let Some(files) = reports {
        database.sql(&REPORTS.replace("{files}", files));
    }
    Some((PostgresHealth::open(&database.url(), true).unwrap(), database))
}

fn report() -> NewReport {
    NewReport {
        claim_id: Some("00000000-0000-0000-0000-00000000000b".to_owned()),
        doc_file: "docs/auth.md".to_owned(),
        line_number: Some(12),
        claim_text: "Authentication uses bcrypt".to_owned(),
        actual_behavior: "argon2".to_owned(),
        evidence_files: vec!["src/auth.rs".to_owned()],
        agent_type: "tests".to_owned(),
        created_at: NOW,
    }
}

#[test]
fn claims_are_read_as_they_are() {
    let Some((store, database)) = database(None) else { return };
    let row = store.repo("acme", "shop").unwrap().unwrap();
    assert!(row.id.ends_with('2'), "the one that was changed last: {row:?}");
    assert_eq!(store.put_repo("acme", "shop", NOW).unwrap(), row);
    let claims = store.claims(&row.id).unwrap();
    let told: Vec<(&str, u32, Status)> = claims
        .iter()
        .map(|row| (row.source_file.as_str(), row.claim.line_number, row.claim.verification_status))
        .collect();
    assert_eq!(
        told,
        [
            ("README.md", 3, Status::Verified),
            ("docs/auth.md", 12, Status::Drifted),
            ("docs/auth.md", 20, Status::Pending)
        ]
    );
    let drifted = &claims[1].claim;
    assert_eq!((drifted.confidence, drifted.severity.as_str()), (0.75, "high"));
    assert_eq!(drifted.keywords, ["bcrypt", "auth"]);
    assert_eq!(store.counts(&row.id).unwrap().iter().map(|count| count.count).sum::<u64>(), 3);
    assert!(store.documents(&row.id).unwrap().is_empty());
    assert_eq!(database.sql("SELECT to_regnamespace('docent') IS NULL"), "t");
}

#[test]
fn odd_rows_are_read_as_far_as_they_go() {
    let Some((store, database)) = database(Some("text[]")) else { return };
    let repo = store.repo("acme", "shop").unwrap().unwrap().id;
    database.sql(
        "ALTER TABLE claims ALTER source_file DROP NOT NULL, ALTER claim_type DROP NOT NULL, ALTER line_number TYPE bigint;
         UPDATE claims SET keywords = ARRAY[NULL, 'a'], last_verified_at = 'infinity' WHERE line_number = 12;
         UPDATE claims SET keywords = ARRAY[['b', 'c'], ['d', 'e']], claim_type = NULL WHERE line_number = 20;
         UPDATE claims SET source_file = NULL WHERE line_number = 3;
         UPDATE claims SET line_number = 99999999999 WHERE line_number = 20;
         ALTER TABLE agent_drift_reports ALTER doc_file DROP NOT NULL, ALTER claim_text DROP NOT NULL;
         INSERT INTO agent_drift_reports (repo_id, actual_behavior) SELECT id, 'x' FROM repos",
    );
    let claims = store.claims(&repo).unwrap();
    let told: Vec<_> = claims
        .iter()
        .map(|row| (row.claim.line_number, row.claim.keywords.join(" "), row.last_verified_at))
        .collect();
    assert_eq!(told, [(12, "a".to_owned(), None), (i32::MAX as u32, "b c d e".to_owned(), None)]);
    assert_eq!(store.counts(&repo).unwrap().iter().map(|count| count.count).sum::<u64>(), 2);
    assert_eq!(store.reports(&repo, None).unwrap().len(), 1);
}

#[test]
fn times_are_the_same_wherever_they_are_asked_for() {
    let Some((store, database)) = database(None) else { return };
    let repo = store.repo("acme", "shop").unwrap().unwrap().id;
    database.sql("ALTER TABLE claims ALTER last_verified_at TYPE timestamp");
    let latest = |times: Vec<Option<i64>>| times.into_iter().flatten().max();
    let of_claims = latest(store.claims(&repo).unwrap().iter().map(|row| row.last_verified_at).collect());
    let counted = latest(store.counts(&repo).unwrap().iter().map(|count| count.last_verified_at).collect());
    assert!(of_claims.is_some());
    assert_eq!(of_claims, counted);
    database.sql("ALTER TABLE claims DROP COLUMN last_verified_at");
    assert!(store.claims(&repo).unwrap().iter().all(|row| row.last_verified_at.is_none()));
    assert_eq!(store.counts(&repo).unwrap().len(), 3);
}

#[test]
fn tables_of_a_newer_docent_are_left_alone() {
    let Some((store, database)) = database(None) else { return };
    let repo = store.put_repo("acme", "other", NOW).unwrap();
    database.sql("INSERT INTO docent.migrations (format) VALUES (99)");
    assert!(matches!(store.repo("acme", "other"), Err(HealthError::Newer { found: 99, .. })), "{repo:?}");
    assert!(matches!(store.put_repo("acme", "other", NOW), Err(HealthError::Newer { .. })));
}

#[test]
fn a_role_of_docaligns_needs_nothing_of_ours() {
    let Some((store, database)) = database(None) else { return };
    store.put_repo("acme", "other", NOW).unwrap();
    let role = format!("reads_{}", database.sql("SELECT current_database()"));
    database.sql(&format!("CREATE ROLE {role} LOGIN; GRANT SELECT ON ALL TABLES IN SCHEMA public TO {role}"));
    let url = database.url().replace("postgres@", &format!("{role}@"));
    let standing = Standing::of(&url).unwrap();
    assert!(standing.is_docaligns && !standing.has_index, "{standing:?}");
    let reader = PostgresHealth::open(&url, true).unwrap();
    let repo = reader.repo("acme", "shop").unwrap().unwrap();
    assert_eq!(reader.claims(&repo.id).unwrap().len(), 3);
    database.sql(&format!("DROP OWNED BY {role}; DROP ROLE {role}"));
}

#[test]
fn a_change_of_docaligns_is_noticed() {
    let Some((store, database)) = database(None) else { return };
    let repo = store.repo("acme", "shop").unwrap().unwrap().id;
    let before = store.generation(&repo).unwrap();
    assert_eq!(store.generation(&repo).unwrap(), before);
    database.sql("UPDATE claims SET verification_status = 'verified' WHERE line_number = 20");
    assert_ne!(store.generation(&repo).unwrap(), before);
}

#[test]
fn nothing_of_docaligns_is_changed() {
    let Some((store, _database)) = database(None) else { return };
    let repo = store.repo("acme", "shop").unwrap().unwrap().id;
    assert!(!store.takes_records(&repo));
    assert!(matches!(store.record(&repo, &Recorded::default()), Err(HealthError::ReadOnly { .. })));
    assert!(matches!(store.decide(&repo, "x", Decision::Accepted, NOW), Err(HealthError::ReadOnly { .. })));
    assert!(matches!(store.add_report(&repo, &report()), Err(HealthError::ReadOnly { .. })));
    assert!(store.reports(&repo, None).unwrap().is_empty());
}

#[test]
fn reports_go_where_docalign_looks_for_them() {
    for files in ["text[]", "jsonb", "json"] {
        let Some((store, database)) = database(Some(files)) else { return };
        let repo = store.repo("acme", "shop").unwrap().unwrap().id;
        let id = store.add_report(&repo, &report()).unwrap();
        let kept = store.reports(&repo, Some(Decision::Pending)).unwrap();
        assert_eq!((kept[0].id.as_str(), &kept[0].report), (id.as_str(), &report()), "{files}");
        assert_eq!(
            database.sql("SELECT count(*) FROM public.agent_drift_reports WHERE claim_id IS NOT NULL"),
            "1"
        );
    }
}

#[test]
fn a_repository_that_docalign_does_not_know_is_ours() {
    let Some((store, database)) = database(None) else { return };
    let repo = store.put_repo("acme", "other", NOW).unwrap().id;
    assert!(store.takes_records(&repo));
    store.record(&repo, &Recorded::default()).unwrap();
    assert_eq!(database.sql("SELECT count(*) FROM docent.repos"), "1");
    assert!(store.repo("acme", "shop").unwrap().unwrap().id.ends_with('2'));
}

#[test]
fn tables_of_another_program_with_such_names_are_left_alone() {
    let Some(database) = Postgres::server(0).map(Postgres::database) else { return };
    database.sql("CREATE TABLE repos (id integer, name text); CREATE TABLE claims (id integer)");
    let store = PostgresHealth::open(&database.url(), true).unwrap();
    assert_eq!(store.repo("acme", "shop").unwrap(), None);
}

#[test]
fn a_role_that_may_only_read_them_is_told_apart() {
    let Some((_, database)) = database(None) else { return };
    assert!(Standing::of(&database.url()).unwrap().has_index);
    let role = format!("docalign_{}", database.sql("SELECT current_database()"));
    database.sql(&format!("CREATE ROLE {role} LOGIN; GRANT SELECT ON ALL TABLES IN SCHEMA public TO {role}"));
    let url = database.url().replace("postgres@", &format!("{role}@"));
    let standing = Standing::of(&url).unwrap();
    assert!(!standing.has_index && standing.is_docaligns);
    database.sql(&format!("DROP OWNED BY {role}; DROP ROLE {role}"));
}
