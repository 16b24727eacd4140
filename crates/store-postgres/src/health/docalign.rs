//! A database that DocAlign's own application filled: its tables in the schema `public`, read as they are.
//!
//! They have fewer columns than ours, some versions of it fewer than others, and `agent_drift_reports` may be missing. Which
//! columns there are, and may be read by this role, is asked for; what is missing is as good as empty.

use std::collections::HashMap;

use deadpool_postgres::{Client, GenericClient};
use docent_index::health::{ClaimRow, Decision, HealthCount, NewReport, RepoRow, ReportRow};

use super::{queries, record, reports};
use crate::fault::Outcome;

/// Seconds after which everything is read again.
const AGE: u32 = 60;

/// The repository, when DocAlign knows it.
pub(super) async fn repo(client: &impl GenericClient, owner: &str, name: &str) -> Outcome<Option<RepoRow>> {
    let tables = Tables::read(client).await?;
    if !tables.are_docaligns() {
        return Ok(None);
    }
    let commit = tables.column("repos", "last_scanned_commit", "NULL");
    let updated = tables.column("repos", "updated_at", "NULL");
    let table = format!(
        "(SELECT id, github_owner, github_repo, {commit} AS last_scanned_commit, {updated}::timestamptz AS updated_at
          FROM public.repos) r"
    );
    queries::repo(client, &table, owner, name).await
}

/// Whether DocAlign's tables are there, and this role may read them.
pub(crate) async fn is_there(client: &impl GenericClient) -> Outcome<bool> {
    Ok(Tables::read(client).await?.are_docaligns())
}

/// Another number when something was changed, as far as that can be told: nobody counts changes there. What cannot be told is
/// noticed when the time is over for which an answer may be kept.
pub(super) async fn generation(client: &impl GenericClient, repo: &str) -> Outcome<u64> {
    let tables = Tables::read(client).await?;
    let (id, verified) = (tables.repo(), tables.verified());
    let updated = tables.column("repos", "updated_at", "NULL");
    let row = client
        .query_one(
            &format!(
                "SELECT concat_ws(' ', count(*), max({verified}),
                     count(*) FILTER (WHERE verification_status::text = 'verified'),
                     count(*) FILTER (WHERE verification_status::text = 'drifted'),
                     (SELECT {updated} FROM public.repos WHERE id = {id}),
                     floor(extract(epoch FROM clock_timestamp()) / {AGE}))
                 FROM public.claims WHERE repo_id = {id}"
            ),
            &[&repo],
        )
        .await?;
    let [a, b, c, d, e, f, g, h, ..] = *blake3::hash(row.get::<_, &str>(0).as_bytes()).as_bytes();
    Ok(u64::from_le_bytes([a, b, c, d, e, f, g, h]) >> 1)
}

pub(super) async fn claims(client: &impl GenericClient, repo: &str) -> Outcome<Vec<ClaimRow>> {
    let tables = Tables::read(client).await?;
    let id = tables.repo();
    let verified = match tables.kind("claims", "last_verified_at") {
        Some(_) => queries::seconds("c.last_verified_at::timestamptz"),
        None => "NULL::bigint".to_owned(),
    };
    let of_claim = |column: &str, missing: &str| match tables.kind("claims", column) {
        Some(_) => format!("c.{column}"),
        None => missing.to_owned(),
    };
    let (end, heading) = (of_claim("end_line", "c.line_number"), of_claim("section_heading", "NULL"));
    let keywords = match tables.kind("claims", "keywords") {
        Some("_text" | "_varchar") => {
            "ARRAY(SELECT word FROM unnest(c.keywords::text[]) AS word WHERE word IS NOT NULL)"
        }
        _ => "'{}'::text[]",
    };
    let of_result = |column: &str, missing: &str| match tables.kind("verification_results", column) {
        Some(_) => format!("r.{column}"),
        None => missing.to_owned(),
    };
    let (confidence, severity) = (of_result("confidence", "NULL"), of_result("severity", "NULL"));
    let has_results =
        ["claim_id", "created_at"].iter().all(|c| tables.kind("verification_results", c).is_some());
    // Without an index where they are of different types, and all the same answered.
    let is_same = tables.kind("verification_results", "claim_id") == tables.kind("claims", "id");
    let same = if is_same { "v.claim_id = c.id" } else { "v.claim_id::text = c.id::text" };
    let latest = match has_results {
        true => format!(
            "LEFT JOIN LATERAL (SELECT * FROM public.verification_results v WHERE {same}
                 ORDER BY v.created_at DESC LIMIT 1) r ON true"
        ),
        false => String::new(),
    };
    let rows = client
        .query(
            &format!(
                "SELECT c.id::text, c.source_file::text, least(coalesce(c.line_number, 0), 2147483647)::integer,
                     least(coalesce({end}, c.line_number, 0), 2147483647)::integer, {heading}::text,
                     coalesce(c.claim_text::text, ''), coalesce(c.claim_type::text, ''), '', coalesce(c.claim_text::text, ''), {keywords}, coalesce(c.verification_status::text, 'pending'), '',
                     {confidence}::double precision, coalesce({severity}::text, ''), '', NULL::text, NULL::text, NULL::text,
                     {verified}
                 FROM public.claims c {latest} WHERE c.repo_id = {id} AND c.source_file IS NOT NULL
                 ORDER BY c.source_file::text COLLATE \"C\", c.line_number, c.id::text COLLATE \"C\""
            ),
            &[&repo],
        )
        .await?;
    rows.iter().map(queries::claim).collect()
}

pub(super) async fn counts(client: &impl GenericClient, repo: &str) -> Outcome<Vec<HealthCount>> {
    let tables = Tables::read(client).await?;
    let verified = tables.verified();
    let table = format!(
        "(SELECT repo_id, source_file, coalesce(claim_type::text, '') AS claim_type,
             coalesce(verification_status::text, 'pending') AS verification_status,
             {verified}::timestamptz AS last_verified_at FROM public.claims WHERE source_file IS NOT NULL) c"
    );
    queries::counts(client, &table, &tables.repo(), "false", repo).await
}

/// Keeps a report where DocAlign looks for it; `None` when this version of it does not.
pub(super) async fn add_report(
    client: &mut Client,
    repo: &str,
    report: &NewReport,
) -> Outcome<Option<String>> {
    let tables = Tables::read(client).await?;
    if tables.kind("agent_drift_reports", "repo_id").is_none() {
        return Ok(None);
    }
    let (repo_id, claim_id) = (tables.repo(), tables.key("claims", "id", "$2"));
    let files = match tables.kind("agent_drift_reports", "evidence_files") {
        Some("json") => "to_json($7::text[])",
        Some("jsonb") => "to_jsonb($7::text[])",
        Some("text" | "varchar") => "to_json($7::text[])::text",
        _ => "$7::text[]",
    };
    let tx = record::writing(client).await?;
    let row = tx
        .query_one(
            &format!(
                "INSERT INTO public.agent_drift_reports (id, repo_id, claim_id, doc_file, line_number, claim_text,
                     actual_behavior, evidence_files, agent_type, verification_status, created_at)
                 VALUES (gen_random_uuid(), {repo_id}, (SELECT id FROM public.claims WHERE id = {claim_id}), $3, $4, $5, $6,
                     {files}, $8, 'pending', to_timestamp($9::bigint)) RETURNING id::text"
            ),
            &[
                &repo,
                &report.claim_id,
                &report.doc_file,
                &reports::line(report),
                &report.claim_text,
                &report.actual_behavior,
                &report.evidence_files,
                &report.agent_type,
                &report.created_at,
            ],
        )
        .await?;
    tx.commit().await?;
    Ok(Some(row.get(0)))
}

pub(super) async fn reports(
    client: &impl GenericClient,
    repo: &str,
    status: Option<Decision>,
) -> Outcome<Vec<ReportRow>> {
    let tables = Tables::read(client).await?;
    if tables.kind("agent_drift_reports", "repo_id").is_none() {
        return Ok(Vec::new());
    }
    let (id, columns) = (tables.repo(), reports::columns("NULL::timestamptz"));
    let rows = client
        .query(
            &format!(
                "SELECT {columns} FROM public.agent_drift_reports
                 WHERE repo_id = {id} AND ($2::text IS NULL OR verification_status::text = $2)
                 ORDER BY created_at DESC, id::text"
            ),
            &[&repo, &status.map(Decision::name)],
        )
        .await?;
    rows.iter().map(reports::report).collect()
}

/// The columns of DocAlign's tables that this role may read, with their types.
struct Tables(HashMap<(String, String), String>);

impl Tables {
    async fn read(client: &impl GenericClient) -> Outcome<Self> {
        let rows = client
            .query(
                "SELECT table_name::text, column_name::text, udt_name::text FROM information_schema.columns
                 WHERE table_schema = 'public'
                     AND table_name IN ('repos', 'claims', 'verification_results', 'agent_drift_reports')",
                &[],
            )
            .await?;
        Ok(Self(rows.iter().map(|row| ((row.get(0), row.get(1)), row.get(2))).collect()))
    }

    /// Others call a table `repos`, too.
    fn are_docaligns(&self) -> bool {
        let repos = ["id", "github_owner", "github_repo"].map(|column| ("repos", column));
        let claims = [
            "id",
            "repo_id",
            "source_file",
            "line_number",
            "claim_text",
            "claim_type",
            "verification_status",
        ]
        .map(|column| ("claims", column));
        repos.into_iter().chain(claims).all(|(table, column)| self.kind(table, column).is_some())
    }

    fn kind(&self, table: &str, column: &str) -> Option<&str> {
        self.0.get(&(table.to_owned(), column.to_owned())).map(String::as_str)
    }

    /// The column, or what stands for it.
    fn column<'a>(&self, table: &str, column: &'a str, missing: &'a str) -> &'a str {
        if self.kind(table, column).is_some() { column } else { missing }
    }

    fn verified(&self) -> &'static str {
        self.column("claims", "last_verified_at", "NULL")
    }

    /// The first parameter as an id of a repository.
    fn repo(&self) -> String {
        self.key("repos", "id", "$1")
    }

    /// A parameter as what a column holds: ids travel as texts.
    fn key(&self, table: &str, column: &str, parameter: &str) -> String {
        match self.kind(table, column) {
            Some("uuid") => format!("{parameter}::text::uuid"),
            Some("int2" | "int4" | "int8") => format!("{parameter}::text::bigint"),
            _ => format!("{parameter}::text"),
        }
    }
}
