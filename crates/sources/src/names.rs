//! Which paths from a source may become files: relative, plain, and the same everywhere.
//!
//! A source names its files itself, so a name is checked before it is joined to a folder. [`check`] looks at one path;
//! [`Names`] also remembers the paths so far and refuses what would fall on another one where case or Unicode form does not
//! count, as on the usual file systems of macOS and Windows.

use std::collections::BTreeMap;
use std::fmt;

use unicode_normalization::UnicodeNormalization;

/// Longest path, in bytes; leaves room for the folder that it is joined to.
const LONGEST_PATH: usize = 1024;
/// Longest part of a path on the usual file systems.
const LONGEST_PART: usize = 255;
/// Most folders that a path may go down.
const DEEPEST: usize = 64;

/// Why a path is not used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Refusal {
    /// Not UTF-8.
    Encoding,
    /// Empty, or with an empty part.
    Empty,
    /// Starts at a root or a drive.
    Absolute,
    /// Has a `.` or `..` part.
    Dots,
    /// Has a part that git keeps its own things in.
    Git,
    /// Has control characters.
    Control,
    /// Has a backslash, which some systems take for a slash.
    Backslash,
    /// Too long or too deep.
    Long,
    /// Not possible on this system.
    Reserved,
    /// The same as another path where case does not count.
    Collision,
    /// Already there.
    Duplicate,
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Encoding => "the name is not UTF-8",
            Self::Empty => "the name has an empty part",
            Self::Absolute => "the path is absolute",
            Self::Dots => "the path has . or .. in it",
            Self::Git => "the path has a .git part",
            Self::Control => "the name has control characters",
            Self::Backslash => "the name has a backslash",
            Self::Long => "the path is too long",
            Self::Reserved => "the name is not possible on this system",
            Self::Collision => "the name differs from another one only in case",
            Self::Duplicate => "the path is there twice",
        })
    }
}

/// The path, if it may become a file below a folder.
pub(crate) fn check(path: &[u8]) -> Result<&str, Refusal> {
    let path = std::str::from_utf8(path).map_err(|_| Refusal::Encoding)?;
    if path.chars().any(char::is_control) {
        return Err(Refusal::Control);
    }
    let mut letters = path.chars();
    let is_drive = letters.next().is_some_and(|c| c.is_ascii_alphabetic()) && letters.next() == Some(':');
    if path.starts_with(['/', '\\']) || (is_drive && matches!(letters.next(), None | Some('\\' | '/'))) {
        return Err(Refusal::Absolute);
    }
    if path.contains('\\') {
        return Err(Refusal::Backslash);
    }
    if path.len() > LONGEST_PATH || path.split('/').count() > DEEPEST {
        return Err(Refusal::Long);
    }
    path.split('/').try_for_each(check_part)?;
    Ok(path)
}

fn check_part(part: &str) -> Result<(), Refusal> {
    // Windows leaves dots and spaces at the end out, and has short names for long ones.
    let plain = part.trim_end_matches(['.', ' ']);
    if part.is_empty() {
        Err(Refusal::Empty)
    } else if part == "." || part == ".." {
        Err(Refusal::Dots)
    } else if plain.eq_ignore_ascii_case(".git") || plain.eq_ignore_ascii_case("git~1") {
        Err(Refusal::Git)
    } else if part.len() > LONGEST_PART {
        Err(Refusal::Long)
    } else if cfg!(windows) && is_reserved_on_windows(part) {
        Err(Refusal::Reserved)
    } else {
        Ok(())
    }
}

/// Devices, streams and characters that Windows does not have in names.
fn is_reserved_on_windows(part: &str) -> bool {
    let stem = part.split('.').next().unwrap_or(part).trim_end().to_ascii_lowercase();
    let is_numbered = ["com", "lpt"].iter().any(|device| {
        stem.strip_prefix(device).is_some_and(|number| number.chars().count() == 1 && number != "0")
    });
    part.ends_with(['.', ' '])
        || part.contains(['<', '>', ':', '"', '|', '?', '*'])
        || is_numbered
        || matches!(stem.as_str(), "con" | "prn" | "aux" | "nul" | "conin$" | "conout$")
}

/// The paths of one source so far.
#[derive(Debug, Default)]
pub(crate) struct Names {
    /// Folded path → as it was written, and whether it is a file.
    taken: BTreeMap<String, (String, bool)>,
}

impl Names {
    /// Takes `path`, which [`check`] has passed, as a file.
    pub(crate) fn take(&mut self, path: &str) -> Result<(), Refusal> {
        for (end, _) in path.match_indices('/') {
            let Some(folder) = path.get(..end) else { continue };
            if let Some((written, is_file)) = self.taken.get(&folded(folder))
                && (*is_file || written != folder)
            {
                return Err(Refusal::Collision);
            }
        }
        match self.taken.get(&folded(path)) {
            Some((written, true)) if written == path => return Err(Refusal::Duplicate),
            Some(_) => return Err(Refusal::Collision),
            None => {}
        }
        for (end, _) in path.match_indices('/') {
            let Some(folder) = path.get(..end) else { continue };
            self.taken.insert(folded(folder), (folder.to_owned(), false));
        }
        self.taken.insert(folded(path), (path.to_owned(), true));
        Ok(())
    }
}

fn folded(path: &str) -> String {
    path.nfc().flat_map(char::to_lowercase).nfc().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(path: &str, refusal: Refusal) {
        assert_eq!(check(path.as_bytes()), Err(refusal), "{path:?}");
    }

    #[test]
    fn plain_relative_paths_pass() {
        for path in ["a.md", "docs/a b/ü.md", ".docs-mcp.json", "~/x.md", "..%2f..%2fx", "a/.github/b.md"] {
            assert_eq!(check(path.as_bytes()), Ok(path));
        }
        // Looks like dots and slashes, and is neither: one odd name, not a way up.
        assert!(check("．．／etc".as_bytes()).is_ok());
    }

    #[test]
    fn what_would_leave_the_folder_is_refused() {
        refused("/etc/passwd", Refusal::Absolute);
        refused("//host/share", Refusal::Absolute);
        refused(r"\\?\C:\Windows\win.ini", Refusal::Absolute);
        refused(r"C:\Windows\win.ini", Refusal::Absolute);
        refused("C:/Windows", Refusal::Absolute);
        refused("c:", Refusal::Absolute);
        refused("../x", Refusal::Dots);
        refused("docs/../../x", Refusal::Dots);
        refused("./x", Refusal::Dots);
        refused(r"..\x", Refusal::Backslash);
    }

    #[test]
    fn odd_names_are_refused() {
        refused("", Refusal::Empty);
        refused("a//b", Refusal::Empty);
        refused("a/", Refusal::Empty);
        refused("a\0/b", Refusal::Control);
        refused("a\nb", Refusal::Control);
        refused("a\u{9b}b", Refusal::Control);
        refused(".git/config", Refusal::Git);
        refused("a/.GIT/b.md", Refusal::Git);
        refused("a/.git. /b.md", Refusal::Git);
        refused("GIT~1/x.md", Refusal::Git);
        refused(&"d/".repeat(3000), Refusal::Long);
        refused(&format!("{}x", "d/".repeat(64)), Refusal::Long);
        refused(&"x".repeat(256), Refusal::Long);
        assert_eq!(check(b"caf\xe9.md"), Err(Refusal::Encoding));
    }

    #[test]
    fn windows_names_are_known() {
        for name in ["CON", "con.md", "Com1.txt", "a.md::$DATA", "x.", "x ", "nul .md"] {
            assert!(is_reserved_on_windows(name), "{name}");
        }
        for name in ["console.md", "com10.md", "com.md", "x.md"] {
            assert!(!is_reserved_on_windows(name), "{name}");
        }
    }

    #[test]
    fn names_that_fall_together_are_refused() {
        let mut names = Names::default();
        assert_eq!(names.take("docs/Ä.md"), Ok(()));
        assert_eq!(names.take("docs/Ä.md"), Err(Refusal::Duplicate));
        assert_eq!(names.take("docs/ä.md"), Err(Refusal::Collision));
        assert_eq!(names.take("docs/A\u{308}.md"), Err(Refusal::Collision));
        assert_eq!(names.take("Docs/b.md"), Err(Refusal::Collision));
        assert_eq!(names.take("docs/Ä.md/c.md"), Err(Refusal::Collision));
        assert_eq!(names.take("docs"), Err(Refusal::Collision));
        assert_eq!(names.take("docs/b.md"), Ok(()));
    }

    proptest::proptest! {
        #[test]
        fn what_passes_stays_below_the_folder(path in "[a./\\\\:~\\PC\0]{0,12}") {
            if let Ok(path) = check(path.as_bytes()) {
                let parts = std::path::Path::new(path).components();
                let is_plain = |part| matches!(part, std::path::Component::Normal(_));
                proptest::prop_assert!(parts.clone().count() > 0 && parts.into_iter().all(is_plain), "{path}");
            }
        }
    }
}
