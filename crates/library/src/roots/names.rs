//! Names of files that are not documents but secrets or somebody's bookkeeping, and are not read for agents.

use std::path::{Component, Path};

use crate::file_types;

/// Extensions of keys, certificates with keys, and stores of passwords.
const SECRETS: &[&str] = &[
    "pem", "key", "p12", "pfx", "p8", "kdbx", "kdb", "jks", "keystore", "ppk", "gpg", "pgp", "env", "agekey",
];

/// Why a path below a root is not read; `None` when nothing speaks against it. The root itself was named on purpose.
pub(super) fn refusal(below: &Path) -> Option<&'static str> {
    let mut last = "";
    for part in below.components() {
        let Component::Normal(part) = part else { continue };
        // Names that are no Unicode can still be hidden.
        if part.as_encoded_bytes().starts_with(b".") {
            return Some("it is hidden or in a hidden folder");
        }
        last = part.to_str().unwrap_or_default();
        if cfg!(windows) && is_device(last) {
            return Some("it names a device or a stream");
        }
    }
    is_secret(last).then_some("by its name it holds a key or a password")
}

fn is_secret(name: &str) -> bool {
    let name = name.to_lowercase();
    let extension = name.rsplit_once('.').map_or("", |(_, extension)| extension);
    // Backups of keys are keys: `id_rsa.old`. Documents about them are not: `id_cards.pdf`.
    SECRETS.contains(&extension)
        || (name.starts_with("id_") && !file_types::is_document(&name))
        || SECRETS
            .iter()
            .any(|secret| name.contains(&format!(".{secret}.")) && !file_types::is_document(&name))
}

/// Names that Windows takes for something else, whatever folder they are in.
fn is_device(name: &str) -> bool {
    let stem = name.split(['.', ' ']).next().unwrap_or_default().to_ascii_uppercase();
    let is_numbered = |prefix: &str| {
        stem.strip_prefix(prefix)
            .is_some_and(|rest| matches!(rest, "1" | "2" | "3" | "4" | "5" | "6" | "7" | "8" | "9"))
    };
    name.contains(':')
        || ["CON", "PRN", "AUX", "NUL", "CONIN$", "CONOUT$"].contains(&stem.as_str())
        || is_numbered("COM")
        || is_numbered("LPT")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hidden_files_and_keys_are_refused_and_documents_are_not() {
        for path in [
            ".env",
            ".git/config",
            "a/.ssh/id_rsa",
            "prod.env",
            "a/server.PEM",
            "id_rsa",
            "id_ed25519.old",
            "key.p12",
            "server.key.bak",
            "x/.hidden/a.md",
        ] {
            assert!(refusal(Path::new(path)).is_some(), "{path}");
        }
        for path in [
            "a.md",
            "docs/keys.md",
            "id_cards.pdf",
            "keynote.pdf",
            "a.b/c.txt",
            "pem.md",
            "",
            "id.md",
            "server.key.md",
        ] {
            assert_eq!(refusal(Path::new(path)), None, "{path}");
        }
    }

    #[test]
    fn what_windows_takes_for_a_device_is_known() {
        for name in ["CON", "con.txt", "COM1", "lpt9.md", "notes.md::$DATA", "NUL"] {
            assert!(is_device(name), "{name}");
        }
        for name in ["CONTENTS.md", "COM", "COM10", "console.md"] {
            assert!(!is_device(name), "{name}");
        }
    }
}
