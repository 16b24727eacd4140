-- Every row belongs to a collection, whose number leads every key and by which the large tables are partitioned.
-- `changed`, `batch` and `died` name batches; a batch becomes a generation when it is committed.

CREATE TABLE docent.state (
    one boolean PRIMARY KEY DEFAULT true CHECK (one),
    uuid text NOT NULL,
    secret bytea NOT NULL,
    generation bigint NOT NULL,            -- any change
    documents_generation bigint NOT NULL,  -- last change of documents' content
    floor bigint NOT NULL,                 -- batches up to this generation are not listed any more
    last_applied_ms bigint
);

CREATE SEQUENCE docent.batch_numbers;
CREATE SEQUENCE docent.document_numbers;
CREATE SEQUENCE docent.segment_numbers;

CREATE TABLE docent.batches (
    batch bigint PRIMARY KEY,
    generation bigint NOT NULL UNIQUE,
    at timestamptz NOT NULL DEFAULT now()
);

-- Documents that went, for readers that catch up. Their rows stay for a while, so that older snapshots can be read.
CREATE TABLE docent.removed (
    batch bigint NOT NULL,
    document bigint NOT NULL,
    PRIMARY KEY (batch, document)
);

CREATE TABLE docent.collections (
    id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    name text NOT NULL UNIQUE,
    known boolean NOT NULL DEFAULT false,  -- rows are made before they are locked, and known once something is in them
    root text NOT NULL DEFAULT '',
    cut text NOT NULL DEFAULT '',
    about text NOT NULL DEFAULT ''         -- JSON
);

CREATE TABLE docent.documents (
    collection_id integer NOT NULL,
    settled boolean NOT NULL,
    id bigint NOT NULL,
    changed bigint NOT NULL,
    died bigint,
    size bigint NOT NULL,
    mtime_ns bigint NOT NULL,
    ctime_ns bigint NOT NULL,
    inode bigint NOT NULL,
    char_count bigint NOT NULL,
    chunk_count integer NOT NULL,
    passage_count integer NOT NULL,
    uuid text NOT NULL,
    path text NOT NULL,
    title text NOT NULL,
    content_hash bytea NOT NULL,           -- of the file
    text_hash bytea NOT NULL,              -- of the text that was made from it
    fingerprint bytea NOT NULL,            -- of all that is derived from it
    headings text NOT NULL,
    facets text NOT NULL,
    hidden text NOT NULL,                  -- ordinals of chunks that search does not return
    details text NOT NULL,                 -- JSON
    pages text NOT NULL,                   -- page of each chunk
    PRIMARY KEY (collection_id, id)
) PARTITION BY LIST (collection_id);
CREATE TABLE docent.documents_rest PARTITION OF docent.documents DEFAULT;
CREATE UNIQUE INDEX documents_by_place ON docent.documents (collection_id, path) WHERE died IS NULL;
CREATE INDEX documents_by_change ON docent.documents (changed);
CREATE INDEX documents_by_death ON docent.documents (died) WHERE died IS NOT NULL;

-- Texts in pieces of 64 KiB, numbered like chunks.
CREATE TABLE docent.texts (
    collection_id integer NOT NULL,
    id bigint NOT NULL,
    bytes bytea NOT NULL,
    PRIMARY KEY (collection_id, id)
) PARTITION BY LIST (collection_id);
CREATE TABLE docent.texts_rest PARTITION OF docent.texts DEFAULT;

CREATE TABLE docent.chunks (
    collection_id integer NOT NULL,
    id bigint NOT NULL,                    -- document << 18 | ordinal
    start_line integer NOT NULL,
    end_line integer NOT NULL,
    char_count integer NOT NULL,
    start_byte integer NOT NULL,
    end_byte integer NOT NULL,
    heading_level smallint NOT NULL,
    searchable boolean NOT NULL,
    chunk_id text NOT NULL,
    heading_path text NOT NULL,
    PRIMARY KEY (collection_id, id)
) PARTITION BY LIST (collection_id);
CREATE TABLE docent.chunks_rest PARTITION OF docent.chunks DEFAULT;

CREATE TABLE docent.passages (
    collection_id integer NOT NULL,
    id bigint NOT NULL,                    -- chunk << 14 | number
    hash bytea NOT NULL,
    text text NOT NULL,
    PRIMARY KEY (collection_id, id)
) PARTITION BY LIST (collection_id);
CREATE TABLE docent.passages_rest PARTITION OF docent.passages DEFAULT;

CREATE TABLE docent.failures (
    collection_id integer NOT NULL,
    settled boolean NOT NULL,
    size bigint NOT NULL,
    mtime_ns bigint NOT NULL,
    ctime_ns bigint NOT NULL,
    inode bigint NOT NULL,
    path text NOT NULL,
    reason text NOT NULL,
    PRIMARY KEY (collection_id, path)
);

-- The lexical index: segments that never change, and in each the postings of its words.
CREATE TABLE docent.segments (
    collection_id integer NOT NULL,
    chunks integer NOT NULL,
    documents integer NOT NULL,
    id bigint NOT NULL,
    chunk_words bigint NOT NULL,
    page_words bigint NOT NULL,
    batch bigint NOT NULL,
    died bigint,
    entries bytea NOT NULL,                -- documents, their chunks and lengths
    PRIMARY KEY (collection_id, id)
);
ALTER TABLE docent.segments ALTER COLUMN entries SET STORAGE EXTERNAL;

CREATE TABLE docent.postings (
    segment bigint NOT NULL,
    term bigint NOT NULL,                  -- hash of the word
    collection_id integer NOT NULL,
    chunks integer NOT NULL,
    pages integer NOT NULL,
    list bytea NOT NULL,
    PRIMARY KEY (collection_id, segment, term)
) PARTITION BY LIST (collection_id);
ALTER TABLE docent.postings ALTER COLUMN list SET STORAGE EXTERNAL;
CREATE TABLE docent.postings_rest PARTITION OF docent.postings DEFAULT;

CREATE TABLE docent.models (
    id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    name text NOT NULL,
    dimensions integer NOT NULL,
    died bigint
);
CREATE UNIQUE INDEX models_by_name ON docent.models (name) WHERE died IS NULL;

CREATE TABLE docent.vectors (
    model integer NOT NULL,
    collection_id integer NOT NULL,
    passage bigint NOT NULL,
    batch bigint NOT NULL,
    scale real NOT NULL,
    codes bytea NOT NULL,                  -- signed bytes
    PRIMARY KEY (model, collection_id, passage)
) PARTITION BY LIST (model);

-- How many passages of a document have a vector.
CREATE TABLE docent.embedded (
    collection_id integer NOT NULL,
    model integer NOT NULL,
    document bigint NOT NULL,
    batch bigint NOT NULL,
    passages integer NOT NULL,
    PRIMARY KEY (collection_id, model, document)
);
CREATE INDEX embedded_by_batch ON docent.embedded (batch);

-- Vectors that were computed before, for whoever has the same text.
CREATE TABLE docent.embedding_cache (
    hash bytea NOT NULL,
    model text NOT NULL,
    scale real NOT NULL,
    codes bytea NOT NULL,
    used date NOT NULL DEFAULT current_date,
    PRIMARY KEY (hash, model)
);
