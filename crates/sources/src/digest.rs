//! Hashes that a file must have: `sha256:…` or `blake3:…`, as manifests and settings write them.

use std::fmt;
use std::io::{self, Read, Write};

use sha2::Digest as _;

use crate::SourceError;

/// A hash that something must have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Digest {
    Sha256([u8; 32]),
    Blake3([u8; 32]),
}

impl Digest {
    /// Reads `sha256:` or `blake3:` and 64 hexadecimal digits.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let (kind, digits) = text.trim().split_once(':')?;
        let hash = *blake3::Hash::from_hex(digits).ok()?.as_bytes();
        match kind.to_ascii_lowercase().as_str() {
            "sha256" => Some(Self::Sha256(hash)),
            "blake3" => Some(Self::Blake3(hash)),
            _ => None,
        }
    }

    /// BLAKE3 of `bytes`.
    pub(crate) fn blake3_of(bytes: &[u8]) -> Self {
        Self::Blake3(*blake3::hash(bytes).as_bytes())
    }

    /// The same kind of hash of `bytes`.
    pub(crate) fn same_of(self, bytes: &[u8]) -> Self {
        match self {
            Self::Sha256(_) => Self::Sha256(sha2::Sha256::digest(bytes).into()),
            Self::Blake3(_) => Self::blake3_of(bytes),
        }
    }

    /// Refuses `what` unless its bytes have this hash.
    pub(crate) fn verify(self, bytes: &[u8], what: &str) -> Result<(), SourceError> {
        self.compare(self.same_of(bytes), what)
    }

    fn compare(self, found: Self, what: &str) -> Result<(), SourceError> {
        if self == found {
            return Ok(());
        }
        Err(SourceError::failed(
            format!("{what} is not what was expected: its hash is {found} instead of {self}"),
            "the file was changed or damaged: ask whoever publishes it, and change the hash if the new one is right",
        ))
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (kind, hash) = match self {
            Self::Sha256(hash) => ("sha256", hash),
            Self::Blake3(hash) => ("blake3", hash),
        };
        write!(f, "{kind}:{}", blake3::Hash::from_bytes(*hash).to_hex())
    }
}

/// The hash that the settings ask for, if any.
pub(crate) fn expected(text: Option<&str>) -> Result<Option<Digest>, SourceError> {
    let Some(text) = text else { return Ok(None) };
    Digest::parse(text).map(Some).ok_or_else(|| {
        let shown: String = text.chars().filter(|c| !c.is_control()).take(80).collect();
        SourceError::usage(
            format!("not a hash: {shown}"),
            "write blake3: or sha256: and 64 hexadecimal digits",
        )
    })
}

/// Hashes a whole file and compares it with what is expected; gives its BLAKE3.
pub(crate) fn verify_file(
    mut file: impl Read,
    expected: Option<Digest>,
    what: &str,
) -> Result<Digest, SourceError> {
    let mut blake3 = blake3::Hasher::new();
    let mut sha256 = matches!(expected, Some(Digest::Sha256(_))).then(sha2::Sha256::new);
    let mut buffer = vec![0; 128 << 10];
    loop {
        let read = match file.read(&mut buffer) {
            Ok(0) => break,
            Ok(read) => buffer.get(..read).unwrap_or_default(),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => {
                return Err(SourceError::failed(format!("{what} cannot be read: {error}"), "check the file"));
            }
        };
        blake3.update(read);
        if let Some(sha256) = &mut sha256 {
            // Hashing cannot fail.
            let _ = sha256.write_all(read);
        }
    }
    let own = Digest::Blake3(*blake3.finalize().as_bytes());
    match (expected, sha256) {
        (Some(expected), Some(sha256)) => expected.compare(Digest::Sha256(sha256.finalize().into()), what)?,
        (Some(expected), None) => expected.compare(own, what)?,
        (None, _) => {}
    }
    Ok(own)
}

#[cfg(test)]
mod tests {
    use super::*;

    const EMPTY: &str = "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

    #[test]
    fn hashes_are_read_and_compared() {
        let digest = Digest::parse(EMPTY).unwrap();
        assert_eq!(digest.to_string(), EMPTY);
        assert!(digest.verify(b"", "x").is_ok());
        let error = digest.verify(b"a", "x").unwrap_err();
        assert!(error.message.contains(EMPTY) && error.message.contains("sha256:ca978112"), "{error}");
        assert!(verify_file(&b""[..], Some(digest), "x").is_ok());
        assert!(verify_file(&b"a"[..], Some(digest), "x").is_err());
        let own = verify_file(&b"a"[..], None, "x").unwrap();
        assert_eq!(own, Digest::blake3_of(b"a"));
        assert!(verify_file(&b"a"[..], Some(own), "x").is_ok());
    }

    #[test]
    fn other_texts_are_not_hashes() {
        for text in ["", "sha256:", "md5:00", "sha256:zz", &EMPTY[7..], &format!("{EMPTY}0")] {
            assert!(Digest::parse(text).is_none(), "{text}");
            assert!(expected(Some(text)).is_err_and(|error| error.is_usage));
        }
    }
}
