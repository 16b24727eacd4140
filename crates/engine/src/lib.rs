//! Ingest, search and freshness behind one synchronous facade, with no protocol types.
