//! Paths that somebody names, brought into the form in which documents are known.

/// A path inside the repository: `/` between components, no `.`, and no way out of it. `None` for one that leads out.
///
/// Nothing is looked up on disk: a path is only ever compared with paths of claims.
pub fn normal(path: &str) -> Option<String> {
    let mut parts: Vec<&str> = Vec::new();
    for part in path.trim().split(['/', '\\']) {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop()?;
            }
            part => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

#[cfg(test)]
mod tests {
    use super::normal;

    fn check(path: &str, expected: Option<&str>) {
        assert_eq!(normal(path).as_deref(), expected, "{path}");
    }

    #[test]
    fn a_path_is_brought_into_one_form() {
        check("docs/auth.md", Some("docs/auth.md"));
        check("./docs//auth.md", Some("docs/auth.md"));
        check("/docs/auth.md", Some("docs/auth.md"));
        check("docs/", Some("docs"));
        check("docs/x/../auth.md", Some("docs/auth.md"));
        check("docs\\auth.md", Some("docs/auth.md"));
        check(" README.md ", Some("README.md"));
        check("", Some(""));
    }

    #[test]
    fn a_path_that_leads_out_is_none() {
        check("../secret", None);
        check("docs/../../etc/passwd", None);
    }
}
