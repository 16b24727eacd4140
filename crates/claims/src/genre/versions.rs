//! Copies of the documents for versions that are not this one: `docs/v2/` beside `docs/v3/`.

/// Names of folders right above those of versions.
const ROOTS: &[&str] =
    &["content", "doc", "docs", "documentation", "en", "guide", "pages", "site", "website"];

/// How far the next version that has documents may be away.
const NEXT: u32 = 3;

/// Whether a page lies in the folder of a version beside that of a later one. Versions of an API are served side by side,
/// and lie deeper.
pub(crate) fn is_of_older_version(path: &str, is_there: impl Fn(&str) -> bool) -> bool {
    let Some((root, version)) = version_of(path) else { return false };
    (1..=NEXT).any(|more| is_there(&format!("{root}v{}", version.saturating_add(more))))
}

/// The folder, with its slash, that holds the versions, and the one of this page: `docs/v2/a.md` → `docs/`, 2.
pub(crate) fn version_of(path: &str) -> Option<(&str, u32)> {
    let mut starts = path.match_indices('/').map(|(at, _)| at + 1);
    starts.find_map(|start| {
        let (root, rest) = path.split_at(start);
        let (folder, _) = rest.split_once('/')?;
        let name = root.trim_end_matches('/').rsplit('/').next().filter(|name| ROOTS.contains(name));
        let number = folder.strip_prefix('v').filter(|number| number.len() < 3)?;
        let is_number = number.bytes().all(|byte| byte.is_ascii_digit());
        name.filter(|_| is_number).and_then(|_| Some((root, number.parse().ok()?)))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_later_version_beside_it_makes_a_page_one_of_the_past() {
        let there = ["packages/docs/v2", "packages/docs/v4", "docs/v1", "api/v1", "api/v2"];
        let check = |path: &str| is_of_older_version(path, |path| there.contains(&path));
        assert!(check("packages/docs/v2/a/b.md"));
        assert!(check("packages/docs/v3/a.md"));
        assert!(!check("packages/docs/v4/a.md"));
        assert!(!check("packages/docs/v4.md"));
        assert!(!check("docs/v1/a.md"));
        assert!(!check("api/v1/a.md"));
        assert!(!check("docs/vé/a.md"));
        assert!(!check("docs/v99999999999/a.md"));
    }
}
