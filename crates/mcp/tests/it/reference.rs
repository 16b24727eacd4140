//! docs/reference/tools.md is made from the table of tools.
//!
//! After a change: UPDATE_DOCS=1 cargo test -p docent-mcp --test it reference

use std::path::Path;

#[test]
fn the_reference_of_the_tools_is_current() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/reference/tools.md");
    let text = docent_mcp::reference();
    if std::env::var_os("UPDATE_DOCS").is_some() {
        std::fs::write(&path, &text).unwrap();
    }
    let kept = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        kept == text,
        "docs/reference/tools.md is stale: UPDATE_DOCS=1 cargo test -p docent-mcp --test it reference"
    );
}
