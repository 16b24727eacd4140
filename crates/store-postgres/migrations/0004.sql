-- Vectors that nobody has asked for in a long time go.
CREATE INDEX embedding_cache_by_use ON docent.embedding_cache (used);
