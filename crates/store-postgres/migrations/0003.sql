-- Passages that some process is embedding, so that no other does. Nothing is lost with them.
CREATE UNLOGGED TABLE docent.embedding_claims (
    model integer NOT NULL,
    collection_id integer NOT NULL,
    passage bigint NOT NULL,
    holder integer,                        -- the server's process for a session that ends with who claimed it
    until timestamptz NOT NULL,
    PRIMARY KEY (model, collection_id, passage)
);
