//! Addresses as they may be shown: what stands before the `@` of one, often a password, goes into no message, report or log.

/// The text with `https://…@host` for every `https://user:password@host` in it. The name `git`, which is no secret, stays.
pub fn without_credentials(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((end, word_end)) = next_authority(rest) {
        let (before, after) = rest.split_at(end);
        let (word, behind) = after.split_at(word_end);
        shown.push_str(before);
        match secret_end(word) {
            Some(at) => {
                shown.push('…');
                shown.push_str(word.get(at..).unwrap_or_default());
            }
            None => shown.push_str(word),
        }
        rest = behind;
    }
    shown.push_str(rest);
    shown
}

/// Where the first address says its host, and the length of the word from there.
fn next_authority(text: &str) -> Option<(usize, usize)> {
    let at = text.match_indices(':').map(|(at, _)| at).find(|at| {
        let scheme = text.get(..*at).unwrap_or_default();
        let has_scheme = scheme.ends_with(|c: char| c.is_ascii_alphanumeric());
        let behind = text.get(at + 1..).unwrap_or_default();
        // Some readers need no slashes after these.
        let is_web = ["http", "https"].iter().any(|known| ends_with(scheme, known));
        has_scheme && (behind.starts_with("//") || is_web)
    })?;
    let behind = text.get(at + 1..)?;
    let slashes = behind.len() - behind.trim_start_matches(['/', '\\']).len();
    let word = behind.get(slashes..)?;
    Some((at + 1 + slashes, word.find(char::is_whitespace).unwrap_or(word.len())))
}

fn ends_with(text: &str, end: &str) -> bool {
    let start = text.len().saturating_sub(end.len());
    text.get(start..).is_some_and(|tail| tail.eq_ignore_ascii_case(end))
}

/// The `@` that ends the credentials of an address, given from its host on.
fn secret_end(word: &str) -> Option<usize> {
    let end = word.find(['/', '?', '#', '\\']).unwrap_or(word.len());
    let authority = word.get(..end)?;
    let at = match (authority.rfind('@'), authority.split_once(':')) {
        (Some(at), _) => at,
        // No port: a password with a slash in it.
        (None, Some((_, port))) if port.bytes().any(|byte| !byte.is_ascii_digit()) => word.rfind('@')?,
        (None, _) => return None,
    };
    (word.get(..at)? != "git").then_some(at)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &str) {
        assert_eq!(without_credentials(text), expected);
    }

    #[test]
    fn credentials_are_not_shown() {
        check("http://user:secret@host/", "http://…@host/");
        check("https://token@host", "https://…@host");
        check("see HTTPS://u:p@a@h:80/x?y and ftp://u:p@h.", "see HTTPS://…@h:80/x?y and ftp://…@h.");
        check("'git+https://u:p@h/r'", "'git+https://…@h/r'");
        check("http://u:p/secret@h/", "http://…@h/");
        check("http:\\\\u:p@h", "http:\\\\…@h");
        check("http:/u:p@h or http:u:p@h", "http:/…@h or http:…@h");
        check("https://:@h https://ü:ß@h", "https://…@h https://…@h");
    }

    #[test]
    fn everything_else_stays() {
        for text in [
            "",
            "https://example.org/@user/page",
            "https://example.org:8080/a@b",
            "https://example.org/?q=a@b:c",
            "git+ssh://git@host/path",
            "/home/me/a:b@c.md and me@example.org",
            "C:\\a@b",
            "http://",
            "é://",
        ] {
            check(text, text);
        }
    }
}
