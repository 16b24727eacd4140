//! Puts what a verification found in the place of what was known: a handful of statements, however many claims there are.
//!
//! What is new, what stays and what goes is decided here; the rows travel to the server as one JSON list.

use std::collections::HashMap;

use deadpool_postgres::{Client, Transaction};
use docent_index::health::{NewClaim, Recorded, RepoRow};
use serde::Serialize;
use uuid::Uuid;

use super::queries;
use crate::fault::{Fault, Outcome};

/// The class of a claim that a person agreed has drifted.
pub(super) const REPORTED: &str = "reported";
/// The list of claims as a table.
const NEW: &str = "json_to_recordset($2::text::json) AS n(at integer, id text, is_new boolean, is_settled boolean, source_file text,
    line_number integer, end_line integer, section_heading text, claim_text text, claim_type text, kind text, named text,
    ordinal integer, keywords text, verification_status text, class text, confidence double precision, severity text,
    evidence text, blame_commit text, broke_commit text, suppressed text)";

pub(super) async fn put_repo(client: &mut Client, owner: &str, name: &str, now: i64) -> Outcome<RepoRow> {
    let tx = writing(client).await?;
    tx.execute(
        "INSERT INTO docent.repos (id, github_owner, github_repo, created_at, updated_at)
         VALUES ($1, $2, $3, to_timestamp($4::bigint), to_timestamp($4::bigint)) ON CONFLICT DO NOTHING",
        &[&Uuid::new_v4().to_string(), &owner, &name, &now],
    )
    .await?;
    let row = queries::repo(&tx, "docent.repos", owner, name).await?;
    tx.commit().await?;
    row.ok_or_else(|| Fault::Internal("the repository was removed meanwhile".to_owned()))
}

/// A transaction that may write, on a connection that reads otherwise.
pub(super) async fn writing(client: &mut Client) -> Outcome<Transaction<'_>> {
    let tx = client.build_transaction().read_only(false).start().await?;
    // Whoever watches the server can tell the two apart.
    tx.batch_execute(
        "SELECT set_config('application_name', current_setting('application_name') || '-write', true)",
    )
    .await?;
    Ok(tx)
}

pub(super) async fn record(client: &mut Client, repo: &str, recorded: &Recorded) -> Outcome<u64> {
    let tx = writing(client).await?;
    // As long as it takes: nobody waits for it, and half of it is worth nothing.
    tx.batch_execute("SET LOCAL statement_timeout = 0").await?;
    // One at a time.
    tx.execute("SELECT FROM docent.repos WHERE id = $1 FOR UPDATE", &[&repo]).await?;
    let now = recorded.verified_at;
    let files: Vec<&str> = recorded.documents.iter().map(|document| document.source_file.as_str()).collect();
    let (rows, gone) = plan(recorded, known(&tx, repo, &files).await?);
    tx.execute("DELETE FROM docent.claims WHERE number = ANY($1)", &[&gone]).await?;
    put_claims(&tx, repo, &serde_json::to_string(&rows)?, now).await?;
    let hashes: Vec<&str> =
        recorded.documents.iter().map(|document| document.content_hash.as_str()).collect();
    tx.execute(
        "INSERT INTO docent.verified_documents (repo_id, source_file, content_hash)
         SELECT DISTINCT ON (n.file) $1, n.file, n.hash FROM unnest($2::text[], $3::text[]) AS n(file, hash)
         ON CONFLICT (repo_id, source_file) DO UPDATE SET content_hash = excluded.content_hash",
        &[&repo, &files, &hashes],
    )
    .await?;
    tx.execute(
        "UPDATE docent.claims SET last_verified_at = to_timestamp($3::bigint)
         WHERE repo_id = $1 AND source_file = ANY($2)",
        &[&repo, &recorded.confirmed, &now],
    )
    .await?;
    if recorded.is_complete {
        let kept: Vec<&str> =
            files.iter().copied().chain(recorded.confirmed.iter().map(String::as_str)).collect();
        for table in ["claims", "verified_documents"] {
            let sql = format!("DELETE FROM docent.{table} WHERE repo_id = $1 AND source_file <> ALL($2)");
            tx.execute(&sql, &[&repo, &kept]).await?;
        }
    }
    let row = tx
        .query_opt(
            "UPDATE docent.repos SET updated_at = to_timestamp($2::bigint), generation = generation + 1,
                 last_scanned_commit = coalesce($3, last_scanned_commit),
                 health_score = (SELECT avg((verification_status = 'verified')::integer)::double precision
                     FROM docent.claims WHERE repo_id = $1 AND (verification_status = 'verified'
                         OR (verification_status = 'drifted' AND suppressed IS NULL)))
             WHERE id = $1 RETURNING generation",
            &[&repo, &now, &recorded.commit],
        )
        .await?;
    tx.commit().await?;
    Ok(row.map_or(0, |row| row.get::<_, i64>(0) as u64))
}

/// A claim as it was before.
struct Known {
    number: i64,
    id: String,
    claim_text: String,
    class: String,
}

/// What names a claim: its document, its type, what it names, and how often that came before.
type Key = (String, String, String, i32);

async fn known(tx: &Transaction<'_>, repo: &str, files: &[&str]) -> Outcome<HashMap<Key, Known>> {
    let rows = tx
        .query(
            "SELECT source_file, claim_type, named, ordinal, number, id, claim_text, class FROM docent.claims
             WHERE repo_id = $1 AND source_file = ANY($2)",
            &[&repo, &files],
        )
        .await?;
    let known = rows.iter().map(|row| {
        let known = Known { number: row.get(4), id: row.get(5), claim_text: row.get(6), class: row.get(7) };
        ((row.get(0), row.get(1), row.get(2), row.get(3)), known)
    });
    Ok(known.collect())
}

/// A claim on its way to the server.
#[derive(Serialize)]
struct Row<'a> {
    at: usize,
    id: String,
    is_new: bool,
    /// Somebody looked at these very words and knows better than a check does.
    is_settled: bool,
    source_file: &'a str,
    line_number: u32,
    end_line: u32,
    section_heading: Option<String>,
    claim_text: String,
    claim_type: &'a str,
    kind: &'a str,
    named: String,
    ordinal: i32,
    /// An array of the server's, written out.
    keywords: String,
    verification_status: &'static str,
    class: &'a str,
    confidence: f64,
    severity: &'a str,
    evidence: String,
    blame_commit: Option<&'a str>,
    broke_commit: Option<&'a str>,
    suppressed: Option<String>,
}

/// The claims as they are to be, and the numbers of those that go.
fn plan(recorded: &Recorded, mut known: HashMap<Key, Known>) -> (Vec<Row<'_>>, Vec<i64>) {
    let mut rows = Vec::new();
    for document in &recorded.documents {
        let mut seen: HashMap<(&str, &str), i32> = HashMap::new();
        for claim in &document.claims {
            let ordinal = seen.entry((&claim.claim_type, &claim.named)).or_default();
            let named = clean(&claim.named);
            let key = (document.source_file.clone(), claim.claim_type.clone(), named, *ordinal);
            rows.push(row(rows.len(), &document.source_file, claim, *ordinal, known.remove(&key)));
            *ordinal += 1;
        }
    }
    (rows, known.into_values().map(|gone| gone.number).collect())
}

fn row<'a>(at: usize, file: &'a str, claim: &'a NewClaim, ordinal: i32, known: Option<Known>) -> Row<'a> {
    let text = clean(&claim.claim_text);
    let is_settled = known.as_ref().is_some_and(|known| known.class == REPORTED && known.claim_text == text);
    Row {
        at,
        is_new: known.is_none(),
        is_settled,
        id: known.map_or_else(|| Uuid::new_v4().to_string(), |known| known.id),
        source_file: file,
        line_number: claim.line_number,
        end_line: claim.end_line,
        section_heading: claim.section_heading.as_deref().map(clean),
        claim_text: text,
        claim_type: &claim.claim_type,
        kind: &claim.kind,
        named: clean(&claim.named),
        ordinal,
        keywords: array(&claim.keywords),
        verification_status: claim.verification_status.name(),
        class: &claim.class,
        confidence: claim.confidence,
        severity: &claim.severity,
        evidence: clean(&claim.evidence),
        blame_commit: claim.blame_commit.as_deref(),
        broke_commit: claim.broke_commit.as_deref(),
        suppressed: claim.suppressed.as_deref().map(clean),
    }
}

/// The database keeps no NUL, and a document may hold one.
fn clean(text: &str) -> String {
    text.replace('\0', "\u{fffd}")
}

fn array(words: &[String]) -> String {
    let quoted =
        words.iter().map(|word| format!("\"{}\"", clean(word).replace('\\', "\\\\").replace('"', "\\\"")));
    format!("{{{}}}", quoted.collect::<Vec<_>>().join(","))
}

async fn put_claims(tx: &Transaction<'_>, repo: &str, rows: &str, now: i64) -> Outcome<()> {
    let added = format!(
        "INSERT INTO docent.claims (id, repo_id, source_file, claim_type, named, ordinal, line_number, end_line,
             section_heading, claim_text, kind, keywords, verification_status, class, severity, evidence, created_at)
         SELECT n.id, $1, n.source_file, n.claim_type, n.named, n.ordinal, n.line_number, n.end_line, n.section_heading,
             n.claim_text, n.kind, n.keywords::text[], 'pending', '', '', '', to_timestamp($3::bigint)
         FROM {NEW} WHERE n.is_new ORDER BY n.at"
    );
    let moved = format!(
        "UPDATE docent.claims c SET line_number = n.line_number, end_line = n.end_line, section_heading = n.section_heading,
             claim_text = n.claim_text, kind = n.kind, keywords = n.keywords::text[],
             last_verified_at = to_timestamp($3::bigint)
         FROM {NEW} WHERE c.id = n.id AND c.repo_id = $1"
    );
    // A verdict becomes part of a claim's history unless it is the last one again.
    let history = format!(
        "INSERT INTO docent.verification_results (id, claim_id, repo_id, verdict, class, confidence, severity, evidence,
             blame_commit, broke_commit, created_at)
         SELECT gen_random_uuid()::text, n.id, $1, n.verification_status, n.class, n.confidence, n.severity, n.evidence,
             n.blame_commit, n.broke_commit, to_timestamp($3::bigint)
         FROM {NEW} LEFT JOIN LATERAL (
             SELECT * FROM docent.verification_results r WHERE r.claim_id = n.id ORDER BY r.number DESC LIMIT 1) r ON true
         WHERE (n.verification_status, n.class, n.confidence, n.severity, n.evidence)
             IS DISTINCT FROM (r.verdict, r.class, r.confidence, r.severity, r.evidence)
         ORDER BY n.at"
    );
    let judged = format!(
        "UPDATE docent.claims c SET verification_status = n.verification_status, class = n.class,
             confidence = n.confidence, severity = n.severity, evidence = n.evidence, blame_commit = n.blame_commit,
             broke_commit = n.broke_commit, suppressed = n.suppressed, last_verified_at = to_timestamp($3::bigint)
         FROM {NEW} WHERE c.id = n.id AND c.repo_id = $1 AND NOT n.is_settled"
    );
    for statement in [added, moved, history, judged] {
        tx.execute(&statement, &[&repo, &rows, &now]).await?;
    }
    Ok(())
}
