//! What a remote has: which commit a name stands for, and what may have been meant by one that it does not have.

use super::command::{Failure, Git};

/// Most names that are suggested.
const SUGGESTIONS: usize = 3;

/// What is to be fetched.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Target {
    /// A name that the remote has, and the commit that it stands for now.
    Named { name: String, commit: String },
    /// Something that looks like a commit, whole or the beginning of it.
    Commit(String),
    /// Nothing that the remote has.
    Unknown,
}

/// The answer of `git ls-remote --symref`.
#[derive(Debug, Default)]
pub(super) struct Remote {
    /// Branch that HEAD stands for.
    pub(super) default_branch: Option<String>,
    refs: Vec<(String, String)>,
}

impl Remote {
    /// Asks for HEAD and whatever could be meant by `reference`.
    pub(super) fn ask(git: &Git<'_>, reference: Option<&str>) -> Result<Self, Failure> {
        let mut patterns = vec!["HEAD".to_owned()];
        if let Some(reference) = reference {
            for prefix in ["refs/tags/", "refs/heads/", ""] {
                patterns.push(format!("{prefix}{reference}"));
            }
            patterns.push(format!("refs/tags/{reference}^{{}}"));
            patterns.push(format!("{reference}^{{}}"));
        }
        let mut args = vec!["ls-remote", "--symref", "--", "source"];
        args.extend(patterns.iter().map(String::as_str));
        Ok(Self::read(&String::from_utf8_lossy(&git.remote(&args, None)?)))
    }

    /// Asks for all branches and tags.
    pub(super) fn ask_all(git: &Git<'_>) -> Result<Self, Failure> {
        let args = ["ls-remote", "--symref", "--", "source", "HEAD", "refs/heads/*", "refs/tags/*"];
        Ok(Self::read(&String::from_utf8_lossy(&git.remote(&args, None)?)))
    }

    fn read(text: &str) -> Self {
        let mut remote = Self::default();
        for line in text.lines() {
            let Some((value, name)) = line.split_once('\t') else { continue };
            if let Some(target) = value.strip_prefix("ref: ") {
                if name == "HEAD" {
                    remote.default_branch = target.strip_prefix("refs/heads/").map(str::to_owned);
                }
            } else {
                remote.refs.push((name.to_owned(), value.to_owned()));
            }
        }
        remote
    }

    /// Whether there is anything at all.
    pub(super) fn is_empty(&self) -> bool {
        self.refs.is_empty()
    }

    /// What `reference` stands for; HEAD without one. Tags come before branches, as git has it.
    pub(super) fn resolve(&self, reference: Option<&str>) -> Target {
        let Some(reference) = reference else {
            return match self.commit("HEAD") {
                Some(commit) => Target::Named { name: "HEAD".to_owned(), commit },
                None => Target::Unknown,
            };
        };
        let names = match reference.starts_with("refs/") || reference == "HEAD" {
            true => vec![reference.to_owned()],
            false => vec![format!("refs/tags/{reference}"), format!("refs/heads/{reference}")],
        };
        for name in names {
            if let Some(commit) = self.commit(&name) {
                return Target::Named { name, commit };
            }
        }
        if looks_like_commit(reference) {
            return Target::Commit(reference.to_ascii_lowercase());
        }
        Target::Unknown
    }

    /// The one commit of a branch or tag that begins like this.
    pub(super) fn with_prefix(&self, commit: &str) -> Option<String> {
        let mut found: Vec<&String> =
            self.refs.iter().map(|(_, hash)| hash).filter(|hash| hash.starts_with(commit)).collect();
        found.sort_unstable();
        found.dedup();
        match found.as_slice() {
            [one] => Some((*one).clone()),
            _ => None,
        }
    }

    /// Names that look like `reference`, the likeliest first.
    pub(super) fn close_to(&self, reference: &str) -> Vec<String> {
        let wanted = reference.to_lowercase();
        let short = |name: &str| {
            let name = name.strip_suffix("^{}").unwrap_or(name);
            let name = name.strip_prefix("refs/heads/").or_else(|| name.strip_prefix("refs/tags/"));
            name.map(str::to_owned)
        };
        let mut scored: Vec<(usize, String)> = Vec::new();
        for name in self.refs.iter().filter_map(|(name, _)| short(name)) {
            let lower = name.to_lowercase();
            let plain = |text: &str| text.trim_start_matches('v').to_owned();
            let distance = if plain(&lower) == plain(&wanted) {
                0
            } else if lower.contains(&wanted) || wanted.contains(&lower) {
                1
            } else {
                distance(&lower, &wanted)
            };
            if distance <= 1.max(wanted.chars().count() / 3)
                && !scored.iter().any(|(_, known)| *known == name)
            {
                scored.push((distance, name));
            }
        }
        scored.sort();
        scored.into_iter().take(SUGGESTIONS).map(|(_, name)| name).collect()
    }

    /// The commit behind a name; behind an annotated tag it is listed under another one.
    fn commit(&self, name: &str) -> Option<String> {
        let peeled = format!("{name}^{{}}");
        let find =
            |name: &str| self.refs.iter().find(|(known, _)| known == name).map(|(_, hash)| hash.clone());
        find(&peeled).or_else(|| find(name))
    }
}

/// Hexadecimal and long enough to mean one commit.
pub(super) fn looks_like_commit(reference: &str) -> bool {
    (7..=64).contains(&reference.len()) && reference.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// How many letters have to be changed, added or removed.
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().take(100).collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, letter) in a.chars().take(100).enumerate() {
        let mut next = vec![i + 1];
        for (j, other) in b.iter().enumerate() {
            let at = |place: usize, row: &[usize]| row.get(place).copied().unwrap_or(usize::MAX / 2);
            let change = at(j, &row) + usize::from(letter != *other);
            next.push(change.min(at(j + 1, &row) + 1).min(at(j, &next) + 1));
        }
        row = next;
    }
    row.last().copied().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    const ANSWER: &str = "ref: refs/heads/main\tHEAD\naaaaaaa1\tHEAD\naaaaaaa1\trefs/heads/main\n\
        bbbbbbb2\trefs/heads/v1.0\nccccccc3\trefs/tags/v1.0\nddddddd4\trefs/tags/v1.0^{}\neeeeeee5\trefs/tags/v1.1\n";

    fn resolves(reference: Option<&str>, name: &str, commit: &str) {
        let expected = Target::Named { name: name.to_owned(), commit: commit.to_owned() };
        assert_eq!(Remote::read(ANSWER).resolve(reference), expected);
    }

    #[test]
    fn names_stand_for_commits() {
        resolves(None, "HEAD", "aaaaaaa1");
        resolves(Some("main"), "refs/heads/main", "aaaaaaa1");
        resolves(Some("v1.0"), "refs/tags/v1.0", "ddddddd4");
        resolves(Some("refs/heads/v1.0"), "refs/heads/v1.0", "bbbbbbb2");
        let remote = Remote::read(ANSWER);
        assert_eq!(remote.resolve(Some("ABCDEF0")), Target::Commit("abcdef0".to_owned()));
        assert_eq!(remote.resolve(Some("nosuch")), Target::Unknown);
        assert_eq!(remote.default_branch.as_deref(), Some("main"));
        assert_eq!(remote.with_prefix("eeee").as_deref(), Some("eeeeeee5"));
        assert_eq!(remote.with_prefix("ffff"), None);
    }

    #[test]
    fn close_names_are_suggested() {
        let remote = Remote::read(ANSWER);
        assert_eq!(remote.close_to("1.0"), ["v1.0"]);
        assert_eq!(remote.close_to("mian"), [] as [&str; 0]);
        assert_eq!(remote.close_to("maim"), ["main"]);
        assert_eq!(remote.close_to("v1.2"), ["v1.0", "v1.1"]);
    }
}
