//! What broke a claim, and what to write instead.

use super::Run;
use super::past::Failing;
use crate::history::{Existed, replacement};
use crate::judge::Then;
use crate::{Blame, Claim, Evidence, Link, Outcome, Place, Subject, Suggestion, checks};

/// What broke it, and what to write instead.
pub(super) fn explain(
    run: &Run<'_>,
    claim: &Claim,
    failing: &Failing,
    existed: Option<Existed>,
    evidence: &mut Evidence,
) {
    let blame = failing.before.as_ref().map(|before| &before.blame).or(failing.blame.as_ref());
    let (then, file) = match (existed, &failing.then, blame) {
        (Some(existed), _, _) => {
            if let Some(place) = existed.found.first() {
                evidence.breaking = Some(run.history.deleted(&existed.commit, &place.path, run.now));
            }
            evidence.found_then = existed.found;
            (existed.before, claim.file.as_str())
        }
        (None, Then::Known(Outcome::Valid { found }), Some(blame)) => {
            evidence.found_then = found.clone();
            let is_changed = !run.state.changes.is_empty();
            let held_at = failing.held_at.as_ref().unwrap_or(&blame.commit).clone();
            let since = Blame { commit: held_at.clone(), ..blame.clone() };
            evidence.breaking = breaking(run, claim, &since, found, is_changed);
            (held_at, blame.path.as_str())
        }
        _ => return,
    };
    let moved = evidence.breaking.as_ref().and_then(|breaking| {
        let (from, to) = (&evidence.found_then.first()?.path, breaking.renamed_to.as_ref()?);
        let commit = breaking.commit.as_ref().map(|_| breaking.subject.as_str());
        replacement(claim, file, from, to, commit)
    });
    // The page itself may have moved, away from what it leads to.
    let stayed = || {
        let is_link = matches!(claim.subject, Subject::Path { link: Link::Link | Link::Image, .. });
        let place = &evidence.found_then.first()?.path;
        let is_it = is_link && claim.file != file && run.now.entry(place).is_some();
        let found = replacement(claim, file, place, place, None).filter(|_| is_it)?;
        Some(Suggestion { reason: format!("it leads to `{place}`, from where the page was"), ..found })
    };
    evidence.suggestion = moved.or_else(stayed).or_else(|| {
        let then = run.history.world(&then).ok()?;
        let suggestion: Suggestion = checks::suggest(claim, &claim.file, run.now, &then)?;
        (suggestion.replacement != claim.named).then_some(suggestion)
    });
    let is_run = match &claim.subject {
        Subject::Path { link, .. } => !matches!(link, Link::Link | Link::Image),
        _ => false,
    };
    evidence.suggestion.take_if(|suggestion| {
        let (new, named) = (&suggestion.replacement, &claim.named);
        !is_writable(new, named) || is_run && !is_plain(new, named)
    });
}

/// Whether a path in place of another means nothing but itself to a shell, which may get to read it.
fn is_plain(replacement: &str, named: &str) -> bool {
    let is_plain = |c: char| c.is_alphanumeric() || "/._-+@%,:=#|".contains(c);
    replacement.chars().all(|c| is_plain(c) || named.contains(c))
}

/// Whether a name of today can be written into a page in place of another without making something else of the page.
fn is_writable(replacement: &str, named: &str) -> bool {
    let is_odd = |c: char| {
        c.is_control()
            || matches!(c, '`' | '|' | '\u{2028}' | '\u{2029}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
    };
    let encoded = replacement.to_ascii_lowercase();
    let hides = ["%0a", "%0d", "%00", "%1b", "%60", "%7c"].iter().any(|code| encoded.contains(code));
    let is_new = |c: char| replacement.contains(c) && !named.contains(c);
    !replacement.chars().any(|c| is_odd(c) && !named.contains(c)) && !hides && !is_new('#')
}

/// Searching takes a dozen past states; the answer for one `HEAD` stays the same.
fn breaking(
    run: &Run<'_>,
    claim: &Claim,
    blame: &Blame,
    found: &[Place],
    is_changed: bool,
) -> Option<crate::Breaking> {
    let head = run.repository.head()?;
    let about =
        serde_json::to_string(&(&claim.subject, &claim.kind, &claim.named, blame, found)).unwrap_or_default();
    let key = format!(
        "broke/{}-{}/{head}/{}",
        env!("CARGO_PKG_VERSION"),
        super::RULES,
        blake3::hash(about.as_bytes()).to_hex()
    );
    // What was deleted may be back, and is changed then.
    let is_gone = |place: &Place| run.now.entry(&place.path).is_none();
    let is_present = |breaking: &crate::Breaking| {
        breaking.renamed_to.as_ref().is_none_or(|target| run.now.entry(target).is_some())
            && (breaking.kind != "deleted" || found.is_empty() || found.iter().any(is_gone))
    };
    let known = run.store.get(&key).and_then(|bytes| serde_json::from_slice(&bytes).ok());
    if let Some(known) = known.filter(is_present) {
        return Some(known);
    }
    let breaking = run.history.breaking(claim, blame, found, run.now, is_changed)?;
    // Where something was moved to may be deleted just now, and back in a minute.
    let is_deleting = run.state.changes.values().any(|change| change.entry.is_none());
    if breaking.commit.is_some()
        && !(is_deleting && breaking.renamed_to.is_none())
        && !(run.watch.is_cancelled)()
        && let Ok(bytes) = serde_json::to_vec(&breaking)
    {
        run.store.put(&key, &bytes);
    }
    Some(breaking)
}

#[cfg(test)]
mod tests {
    use super::{is_plain, is_writable};

    #[test]
    fn a_path_that_a_shell_reads_in_another_way_is_not_written() {
        for name in ["src/b.rs", "src/größe-1.rs", "a@2/b+c.sh"] {
            assert!(is_plain(name, "src/a.rs"), "{name}");
        }
        for name in ["$(touch x).sh", "a b.sh", "a;b.sh", "a&b.sh", "a>b", "a*b", "~a", "a'b", "a\\b", "!a"] {
            assert!(!is_plain(name, "src/a.rs"), "{name}");
        }
        assert!(is_plain("new dir/a b.sh", "old dir/a b.sh"));
    }

    #[test]
    fn a_name_that_makes_something_else_of_the_page_is_not_written() {
        for name in ["src/b.rs", "docs/c%20d.md", "a b (1).md", "größe.md"] {
            assert!(is_writable(name, "src/a.rs"), "{name}");
        }
        for name in ["a`b.rs", "a|b.rs", "a\nb.rs", "a\u{202e}b.rs", "a%0Ab.md", "a%60b.md", "a#b.md"] {
            assert!(!is_writable(name, "src/a.rs"), "{name:?}");
        }
        assert!(is_writable("b.md#title", "a.md#title"));
        assert!(is_writable("c|d", "a|b"));
    }
}
