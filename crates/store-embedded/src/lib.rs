//! Store on SQLite (the record), tantivy (lexical) and a vector file.
