//! Documents, sections, chunks, passages and tokens: pure functions over strings.
