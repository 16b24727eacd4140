//! Where a link leads, as a path among the documents.

/// What a link's target comes to, before anybody looks whether it is there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Target {
    /// Whether it starts with `/`: often the address of a published site.
    pub(crate) from_root: bool,
    /// The path without query and fragment, decoded; empty for the page itself.
    pub(crate) path: String,
    /// What follows `#`, decoded.
    pub(crate) fragment: Option<String>,
    /// What kind of file the path names.
    pub(crate) kind: Kind,
}

/// What kind of file a link's path names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// The page that the link stands in.
    Itself,
    /// A file of Markdown.
    Source,
    /// An address of a published page: no ending, `.html`, or a slash at the end.
    Address,
}

/// File name endings of documents.
pub(crate) const ENDINGS: &[&str] = &["md", "mdx", "markdown", "mdown", "mkd"];

/// Reads a link's target; `None` when it is nothing that can be checked: another site, another kind of file, or the
/// syntax of a site generator.
pub(crate) fn read(target: &str) -> Option<Target> {
    let target = target.trim();
    let templated =
        ["{{", "{%", "{", "}", "<", ">", "$", "[[", "`", "\\"].iter().any(|mark| target.contains(mark));
    if target.is_empty()
        || templated
        || target.starts_with(['@', '~', '%', '?', ':'])
        || target.starts_with("//")
    {
        return None;
    }
    // A scheme, also one with spaces or typing mistakes around it.
    let before_path = target.split(['/', '#', '?']).next().unwrap_or_default();
    if before_path.contains(':') || before_path.contains('@') {
        return None;
    }
    let (rest, fragment) = match target.split_once('#') {
        Some((rest, fragment)) => (rest, Some(fragment)),
        None => (target, None),
    };
    // Routes of an application, text fragments and lines of code are no anchors.
    let fragment =
        fragment.map(decode).filter(|fragment| !fragment.contains(['/', '=', '~', '!', ':', '?', '&']));
    let path = decode(rest.split('?').next().unwrap_or_default());
    let from_root = path.starts_with('/');
    let kind = kind(&path)?;
    Some(Target { from_root, path, fragment, kind })
}

fn kind(path: &str) -> Option<Kind> {
    if path.is_empty() {
        return Some(Kind::Itself);
    }
    let name = path.rsplit('/').next().unwrap_or_default();
    match name.rsplit_once('.') {
        _ if name.is_empty() || name == "." || name == ".." => Some(Kind::Address),
        None => Some(Kind::Address),
        Some((_, ending)) => {
            let ending = ending.to_lowercase();
            if ENDINGS.contains(&ending.as_str()) {
                return Some(Kind::Source);
            }
            (ending == "html" || ending == "htm").then_some(Kind::Address)
        }
    }
}

/// The path that a relative one means from inside a folder; `None` when it leads out of the documents.
pub(crate) fn join(folder: &str, path: &str) -> Option<String> {
    let mut parts: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
    for part in path.split('/') {
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

/// The folder of a page.
pub(crate) fn folder(path: &str) -> &str {
    path.rfind('/').map_or("", |slash| &path[..slash])
}

/// A path from inside a folder to another path, both relative to the documents.
pub(crate) fn between(folder: &str, to: &str) -> String {
    let from: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
    let parts: Vec<&str> = to.split('/').collect();
    let same = from.iter().zip(&parts).take_while(|(a, b)| a == b).count();
    let up = "../".repeat(from.len() - same);
    format!("{up}{}", parts.get(same..).unwrap_or_default().join("/"))
}

/// Percent-encoding taken off; what is not valid stays as it is.
pub(crate) fn decode(text: &str) -> String {
    if !text.contains('%') {
        return text.to_owned();
    }
    let bytes = text.as_bytes();
    let mut decoded = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        let hex = text.get(at + 1..at + 3).filter(|_| byte == b'%');
        match hex.and_then(|hex| u8::from_str_radix(hex, 16).ok()) {
            Some(value) => {
                decoded.push(value);
                at += 3;
            }
            None => {
                decoded.push(byte);
                at += 1;
            }
        }
    }
    String::from_utf8(decoded).unwrap_or_else(|_| text.to_owned())
}

/// The name under which a page is published: no ending, no `index`, lower case.
pub(crate) fn address(path: &str) -> String {
    let lower = path.trim_matches('/').to_lowercase();
    let (folder, name) = lower.rsplit_once('/').unwrap_or(("", &lower));
    let stem = match name.rsplit_once('.') {
        Some((stem, ending)) if ENDINGS.contains(&ending) || ending == "html" || ending == "htm" => stem,
        _ => name,
    };
    match (folder, stem) {
        (folder, "index" | "_index" | "readme") => folder.to_owned(),
        ("", stem) => stem.to_owned(),
        (folder, stem) => format!("{folder}/{stem}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(target: &str, expected: Option<(bool, &str, Option<&str>, Kind)>) {
        let read = read(target);
        let got = read.as_ref().map(|it| (it.from_root, it.path.as_str(), it.fragment.as_deref(), it.kind));
        assert_eq!(got, expected, "{target}");
    }

    #[test]
    fn targets() {
        check("a.md", Some((false, "a.md", None, Kind::Source)));
        check("../a%20b.MD?x=1#c%2Bd", Some((false, "../a b.MD", Some("c+d"), Kind::Source)));
        check("/docs/a/", Some((true, "/docs/a/", None, Kind::Address)));
        check("a.html#x", Some((false, "a.html", Some("x"), Kind::Address)));
        check("#x", Some((false, "", Some("x"), Kind::Itself)));
        check("a#/route", Some((false, "a", None, Kind::Address)));
    }

    #[test]
    fn what_cannot_be_checked() {
        for target in [
            "",
            "https://x.org/a.md",
            "mailto:a@b.c",
            "//x.org/a",
            "a.png",
            "a.yaml#L3",
            "@site/a.md",
            "~/a.md",
            "{{< relref \"a\" >}}",
            "{% link a.md %}",
            "${base}/a.md",
            "me@x.org",
            "javascript:void(0)",
        ] {
            check(target, None);
        }
    }

    #[test]
    fn joined() {
        assert_eq!(join("a/b", "../c.md").as_deref(), Some("a/c.md"));
        assert_eq!(join("a", "./b//c.md").as_deref(), Some("a/b/c.md"));
        assert_eq!(join("a", "../../c.md"), None);
        assert_eq!(between("a/b", "a/c/d.md"), "../c/d.md");
        assert_eq!(between("", "a/d.md"), "a/d.md");
    }

    #[test]
    fn addresses() {
        for (path, expected) in [
            ("a/B.md", "a/b"),
            ("a/_index.md", "a"),
            ("README.md", ""),
            ("/a/b/", "a/b"),
            ("a/b.html", "a/b"),
            ("v1.2", "v1.2"),
        ] {
            assert_eq!(address(path), expected, "{path}");
        }
    }
}
