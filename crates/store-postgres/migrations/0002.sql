-- Docs health. Names are those of DocAlign's tables where these have the column.

CREATE TABLE docent.repos (
    id text PRIMARY KEY,
    github_owner text NOT NULL,
    github_repo text NOT NULL,
    health_score double precision,
    last_scanned_commit text,
    generation bigint NOT NULL DEFAULT 0,
    created_at timestamptz NOT NULL,
    updated_at timestamptz NOT NULL,
    UNIQUE (github_owner, github_repo)
);

-- What the content of each document was when it was verified.
CREATE TABLE docent.verified_documents (
    repo_id text NOT NULL REFERENCES docent.repos (id) ON DELETE CASCADE,
    source_file text NOT NULL,
    content_hash text NOT NULL,
    PRIMARY KEY (repo_id, source_file)
);

CREATE TABLE docent.claims (
    number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    id text NOT NULL UNIQUE,
    repo_id text NOT NULL REFERENCES docent.repos (id) ON DELETE CASCADE,
    source_file text NOT NULL,
    line_number integer NOT NULL,
    end_line integer NOT NULL,
    section_heading text,
    claim_text text NOT NULL,
    claim_type text NOT NULL,
    kind text NOT NULL,
    named text NOT NULL,
    ordinal integer NOT NULL,              -- among the claims of this document with this type and name
    keywords text[] NOT NULL,
    verification_status text NOT NULL,
    class text NOT NULL,
    confidence double precision,
    severity text NOT NULL,
    evidence text NOT NULL,                -- JSON
    blame_commit text,
    broke_commit text,
    suppressed text,
    last_verified_at timestamptz,
    created_at timestamptz NOT NULL
);
CREATE INDEX claims_by_place ON docent.claims (repo_id, source_file, line_number);

CREATE TABLE docent.verification_results (
    number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    id text NOT NULL UNIQUE,
    claim_id text NOT NULL REFERENCES docent.claims (id) ON DELETE CASCADE,
    repo_id text NOT NULL REFERENCES docent.repos (id) ON DELETE CASCADE,
    verdict text NOT NULL,
    class text NOT NULL,
    confidence double precision,
    severity text NOT NULL,
    evidence text NOT NULL,                -- JSON
    blame_commit text,
    broke_commit text,
    created_at timestamptz NOT NULL
);
CREATE INDEX results_by_claim ON docent.verification_results (claim_id, number);
CREATE INDEX results_by_repo ON docent.verification_results (repo_id);

CREATE TABLE docent.agent_drift_reports (
    number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    id text NOT NULL UNIQUE,
    repo_id text NOT NULL REFERENCES docent.repos (id) ON DELETE CASCADE,
    claim_id text REFERENCES docent.claims (id) ON DELETE SET NULL,
    doc_file text NOT NULL,
    line_number integer,
    claim_text text NOT NULL,
    actual_behavior text NOT NULL,
    evidence_files text[] NOT NULL,
    agent_type text NOT NULL,
    verification_status text NOT NULL,
    created_at timestamptz NOT NULL,
    decided_at timestamptz
);
CREATE INDEX reports_by_repo ON docent.agent_drift_reports (repo_id);
CREATE INDEX reports_by_claim ON docent.agent_drift_reports (claim_id);
