//! Dev only: fixtures and the Store conformance suite.
