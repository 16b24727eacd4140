//! Relative addresses become absolute ones.

/// The address that `reference` means on a page at `base`; `None` for what is no place, such as a script.
///
/// Without a base it stays relative. A base that is no address means that the page has none, as in a book.
pub(super) fn absolute(reference: &str, base: Option<&str>) -> Option<String> {
    let reference = reference.trim();
    let scheme = reference.split_once(':').map(|(scheme, _)| scheme).filter(|scheme| is_scheme(scheme));
    if let Some(scheme) = scheme {
        let scheme = scheme.to_ascii_lowercase();
        return matches!(scheme.as_str(), "http" | "https" | "mailto" | "ftp" | "tel")
            .then(|| reference.to_owned());
    }
    if reference.is_empty() || reference.chars().any(char::is_control) {
        return None;
    }
    let Some(base) = base else { return Some(reference.to_owned()) };
    let (scheme, rest) = base.split_once("://")?;
    let (host, path) = match rest.find(['/', '?', '#']) {
        Some(at) => rest.split_at(at),
        None => (rest, ""),
    };
    let path = path.split(['?', '#']).next().unwrap_or_default();
    if let Some(other) = reference.strip_prefix("//") {
        return Some(format!("{scheme}://{other}"));
    }
    if reference.starts_with('#') {
        return Some(format!("{scheme}://{host}{path}{reference}"));
    }
    let (target, tail) = match reference.find(['?', '#']) {
        Some(at) => reference.split_at(at),
        None => (reference, ""),
    };
    if target.is_empty() {
        return Some(format!("{scheme}://{host}{path}{tail}"));
    }
    let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
    let whole = if target.starts_with('/') { target.to_owned() } else { format!("{folder}/{target}") };
    let mut parts: Vec<&str> = Vec::new();
    for part in whole.split('/').skip(1) {
        match part {
            "." => {}
            ".." => {
                parts.pop();
            }
            part => parts.push(part),
        }
    }
    if target.ends_with("/..") || target.ends_with("/.") || matches!(target, "." | "..") {
        parts.push("");
    }
    Some(format!("{scheme}://{host}/{}{tail}", parts.join("/")))
}

fn is_scheme(text: &str) -> bool {
    let mut chars = text.chars();
    chars.next().is_some_and(|first| first.is_ascii_alphabetic())
        && chars.all(|char| char.is_ascii_alphanumeric() || matches!(char, '+' | '-' | '.'))
}

#[cfg(test)]
mod tests {
    use super::absolute;

    fn check(reference: &str, expected: &str) {
        let found = absolute(reference, Some("https://a.b/docs/guide/x.html?q=1#top"));
        assert_eq!(found.as_deref(), Some(expected), "{reference}");
    }

    #[test]
    fn references_are_resolved_from_the_page() {
        check("y.html#z", "https://a.b/docs/guide/y.html#z");
        check("../y", "https://a.b/docs/y");
        check("../../../../y/", "https://a.b/y/");
        check("..", "https://a.b/docs/");
        check("/y?a=/../b", "https://a.b/y?a=/../b");
        check("//c.d/e", "https://c.d/e");
        check("#z", "https://a.b/docs/guide/x.html#z");
        check("?a", "https://a.b/docs/guide/x.html?a");
        check("mailto:me@a.b", "mailto:me@a.b");
        assert_eq!(absolute("a/b", Some("https://a.b")).as_deref(), Some("https://a.b/a/b"));
        assert_eq!(absolute("a/b", None).as_deref(), Some("a/b"));
        assert_eq!(absolute("JavaScript:alert(1)", None), None);
    }
}
