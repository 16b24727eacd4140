-- A role that may read some collections and nothing else, so that whoever gets hold of its password cannot read more:
--
--   psql -v role=docent_acme -v collections='acme/%' -f limited-reader.sql DATABASE
--
-- Run it as a superuser, or as the owner of docent's tables where that has CREATEROLE or the role is there already; after
-- the first `docent index`, and again when docent was updated or its embedding model was changed: tables that came since
-- are not readable for the role until then. `collections` is a pattern of LIKE. Roles that this was not run for see what
-- they saw before. The role gets no password here.
--
-- From then on whoever indexes has to own the tables, act as their owner (ALTER ROLE ci SET role = docent_writer) or have
-- BYPASSRLS: PostgreSQL copies no rows into a table whose policies hold for a role.
\set ON_ERROR_STOP on
BEGIN;
-- That a policy was not there to be dropped is no news.
SET LOCAL client_min_messages = warning;

SELECT format('CREATE ROLE %I LOGIN', :'role')
WHERE NOT EXISTS (SELECT FROM pg_roles WHERE rolname = :'role') \gexec
GRANT USAGE ON SCHEMA docent TO :"role";

-- Nothing in these says what is in a document or what a collection is called.
GRANT SELECT ON docent.state, docent.migrations, docent.batches, docent.removed, docent.models TO :"role";

-- Which rows belong to a collection, partitions included, because vectors are read from those.
CREATE TEMPORARY TABLE guarded ON COMMIT DROP AS
SELECT format('docent.%I', c.relname) AS name,
       CASE
           WHEN c.relname = 'collections' THEN format('name LIKE %L', :'collections')
           -- Docs health is of a whole repository: for who may read all that is, or will be, in it.
           WHEN c.relname = 'repos' THEN format(
               'github_owner || ''/'' || github_repo LIKE %1$L AND github_owner || ''/'' || github_repo || ''/x'' LIKE %1$L', :'collections')
           WHEN a.attname = 'collection_id' THEN 'collection_id IN (SELECT id FROM docent.collections)'
           ELSE 'repo_id IN (SELECT id FROM docent.repos)'
       END AS condition
FROM pg_class c
JOIN pg_namespace n ON n.oid = c.relnamespace AND n.nspname = 'docent'
LEFT JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname IN ('collection_id', 'repo_id') AND NOT a.attisdropped
WHERE c.relkind IN ('r', 'p') AND (a.attname IS NOT NULL OR c.relname IN ('collections', 'repos'));

SELECT format('GRANT SELECT ON %s TO %I', name, :'role') FROM guarded \gexec
SELECT format('ALTER TABLE %s ENABLE ROW LEVEL SECURITY', name) FROM guarded \gexec

-- For everybody else nothing changes; for this role both policies have to hold.
SELECT format('DROP POLICY IF EXISTS docent_rights ON %s', name) FROM guarded \gexec
SELECT format('CREATE POLICY docent_rights ON %s USING (true)', name) FROM guarded \gexec
SELECT format('DROP POLICY IF EXISTS %I ON %s', :'role' || '_only', name) FROM guarded \gexec
SELECT format('CREATE POLICY %I ON %s AS RESTRICTIVE TO %I USING (%s)', :'role' || '_only', name, :'role', condition)
FROM guarded \gexec

COMMIT;
