//! Commands that run in a clone of another repository: what they name lies there.

use std::ops::Range;

use super::page::{Kind, Page};
use crate::{Claim, Link, Source, Subject};

const CLONE: &str = "git clone ";

/// Says of claims that stand behind a `git clone` in their fence which repository they are about.
pub(super) fn in_clones(page: &Page<'_>, claims: &mut [Claim]) {
    let fences = page.pieces.iter().filter(|piece| matches!(piece.kind, Kind::Fence(_)));
    let mut inside: Vec<(Range<usize>, String)> = Vec::new();
    for piece in fences {
        let mut at = piece.bytes.start;
        let mut cloned = None;
        for line in page.source(&piece.bytes).split_inclusive('\n') {
            let start = at + line.find(CLONE).unwrap_or_default();
            at += line.len();
            cloned = clone_of(line).map(|repository| (start, repository)).or(cloned);
        }
        inside.extend(cloned.map(|(from, repository)| (from..piece.bytes.end, repository)));
    }
    inside.sort_unstable_by_key(|(bytes, _)| bytes.start);
    for claim in claims {
        let next = inside.partition_point(|(bytes, _)| bytes.start <= claim.span.start);
        let Some((bytes, repository)) = next.checked_sub(1).and_then(|last| inside.get(last)) else {
            continue;
        };
        let is_there =
            matches!(claim.subject, Subject::Path { link: Link::Argument, .. } | Subject::Defined { .. });
        if is_there && claim.span.end <= bytes.end {
            claim.source = Some(Source::Clone(repository.clone()));
        }
    }
}

/// `git clone https://github.com/owner/name.git` → `owner/name`
fn clone_of(line: &str) -> Option<String> {
    let (_, address) = line.split_once(CLONE)?;
    let (_, path) = address.split_once("github.com")?;
    let path = path.strip_prefix(['/', ':'])?;
    let end = path.find(|c: char| c.is_whitespace() || matches!(c, '"' | '\'' | ';' | '&'));
    let mut parts = path.get(..end.unwrap_or(path.len()))?.split('/');
    let (owner, name) = (parts.next()?, parts.next()?);
    let name = name.strip_suffix(".git").unwrap_or(name);
    let is_part = |part: &str| {
        !part.is_empty() && part.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b'.'))
    };
    (is_part(owner) && is_part(name)).then(|| format!("{owner}/{name}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_cloned() {
        let check = |line: &str, expected: Option<&str>| assert_eq!(clone_of(line).as_deref(), expected);
        check("git clone https://github.com/owner/name.git", Some("owner/name"));
        check("$ git clone --depth 1 git@github.com:owner/name && cd name\n", Some("owner/name"));
        check("git clone https://github.com/<you>/name.git", None);
        check("git clone https://example.com/owner/name.git", None);
        check("gh repo clone owner/name", None);
    }
}
