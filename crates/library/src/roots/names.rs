//! Files that are not documents but secrets or somebody's bookkeeping, by their names and by how they begin. They are not read for agents.

use std::path::{Component, Path};

use crate::file_types;

/// How far from its beginning a file is looked at for a key. What only tells of keys begins with something else.
const HEAD: usize = 1 << 10;

/// Extensions of keys, certificates with keys, stores of passwords, and settings that hold some.
const SECRETS: &[&str] = &[
    "pem", "key", "p12", "pfx", "pkcs12", "p8", "der", "kdbx", "kdb", "jks", "keystore", "ppk", "gpg", "pgp",
    "env", "agekey", "ovpn", "tfstate", "tfvars",
];
/// How keys of ssh are called, whatever follows.
const SSH_KEYS: &[&str] = &["id_rsa", "id_dsa", "id_ecdsa", "id_ed25519", "id_xmss"];
/// Files of programs that hold passwords; with a dot in front they are hidden anyway.
const PASSWORD_FILES: &[&str] = &["htpasswd", "_netrc", "netrc", "pgpass", "npmrc", "pypirc"];
/// What the files are called that services hand out to prove who one is, and how they end.
const CREDENTIALS: &[&str] = &["credentials", "service-account", "service_account", "client_secret"];
const DATA: &[&str] = &["", "json", "csv", "xml", "yaml", "yml", "ini", "toml"];

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
    let (stem, extension) = name.rsplit_once('.').unwrap_or((&name, ""));
    let is_credentials = |known: &str| match stem.strip_prefix(known) {
        Some("") => true,
        Some(rest) => rest.starts_with(|c: char| !c.is_alphanumeric()) && extension == "json",
        None => false,
    };
    // Backups of keys are keys: `server.key.old`. Documents about them are not: `server.key.md`, `id_cards.pdf`.
    let is_backup = |secret: &str| name.contains(&format!(".{secret}.")) && !file_types::is_document(&name);
    SECRETS.contains(&extension)
        || SECRETS.iter().any(|secret| is_backup(secret))
        || SSH_KEYS.iter().any(|key| name.starts_with(key))
        || (name.starts_with("id_") && !file_types::is_document(&name))
        || PASSWORD_FILES.contains(&name.as_str())
        || (DATA.contains(&extension) && CREDENTIALS.iter().any(|known| is_credentials(known)))
}

/// Why the content of a file is not read for agents, whatever the file is called.
pub(super) fn refusal_of_content(bytes: &[u8]) -> Option<&'static str> {
    // Without its zeros a text in UTF-16 reads like any other here.
    let head: Vec<u8> = bytes.iter().take(2 * HEAD).copied().filter(|byte| *byte != 0).take(HEAD).collect();
    let head = String::from_utf8_lossy(&head);
    let is_key = |line: &str| {
        let line = line.trim_start_matches(['\u{feff}', '\u{fffd}']).trim();
        (line.starts_with("----") && line.contains("BEGIN ") && line.contains("PRIVATE KEY"))
            || line.starts_with("PuTTY-User-Key-File-")
            || line.starts_with("AGE-SECRET-KEY-")
    };
    head.lines().any(is_key).then_some("it holds a private key")
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
            "id_dsa.txt",
            "id_ecdsa_sk.md",
            "ID_ED25519.txt",
            "id_rsa.pub",
            "credentials",
            "credentials.json",
            "aws/Credentials.csv",
            "htpasswd",
            ".htpasswd",
            "_netrc",
            ".netrc",
            "netrc",
            "terraform.tfstate",
            "terraform.tfstate.backup",
            "home.ovpn",
            "a.pkcs12",
            "a.der",
            "a.jks",
            "a.keystore",
            ".pgpass",
            "pgpass",
            ".npmrc",
            ".pypirc",
            "service-account.json",
            "service-account-prod.json",
            "service_account_1.json",
            "client_secret_123.json",
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
            "credentials.md",
            "credentials-howto.html",
            "service-accounts.md",
            "service-accountant.json",
            "ids.json",
            "key.asc",
            "derived.txt",
        ] {
            assert_eq!(refusal(Path::new(path)), None, "{path}");
        }
    }

    #[test]
    fn keys_are_known_by_how_they_begin() {
        for text in [
            "-----BEGIN PRIVATE KEY-----\nMIIE",
            "-----BEGIN RSA PRIVATE KEY-----\r\nMIIE",
            "-----BEGIN OPENSSH PRIVATE KEY-----\n",
            "\u{feff}\n  -----BEGIN EC PRIVATE KEY-----",
            "Bag Attributes\n    friendlyName: x\n-----BEGIN ENCRYPTED PRIVATE KEY-----\n",
            "-----BEGIN PGP PRIVATE KEY BLOCK-----\n",
            "---- BEGIN SSH2 ENCRYPTED PRIVATE KEY ----\n",
            "PuTTY-User-Key-File-3: ssh-ed25519\n",
            "# created: 2024\nAGE-SECRET-KEY-1AB",
        ] {
            assert!(refusal_of_content(text.as_bytes()).is_some(), "{text}");
        }
        let key = "-----BEGIN PRIVATE KEY-----\nMIIE";
        let little: Vec<u8> =
            "\u{feff}".encode_utf16().chain(key.encode_utf16()).flat_map(u16::to_le_bytes).collect();
        let big: Vec<u8> = key.encode_utf16().flat_map(u16::to_be_bytes).collect();
        for bytes in [little, big] {
            assert!(refusal_of_content(&bytes).is_some(), "{bytes:?}");
        }
        let far = format!("{}\n-----BEGIN PRIVATE KEY-----", "how keys look ".repeat(100));
        for text in [
            "",
            "-----BEGIN CERTIFICATE-----\nMIIE",
            "-----BEGIN PUBLIC KEY-----\nMIIE",
            "-----BEGIN PGP SIGNED MESSAGE-----\n",
            "The line -----BEGIN PRIVATE KEY----- begins a key.",
            &far,
        ] {
            assert_eq!(refusal_of_content(text.as_bytes()), None, "{text}");
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
