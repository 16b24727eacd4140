//! From the address of a published page to the file that it was made from.
//!
//! Sites put documents under some prefix and drop endings, so the longest tail of the address that names exactly one file
//! wins: `https://example.com/docs/v2/guides/retries/#backoff` is `guides/retries.md` or `guides/retries/index.md`. A last
//! name alone proves nothing: `/cli/network/create` is not `repositories/create.md`.

use std::collections::HashMap;

/// Names that stand for their folder.
const FOLDER_NAMES: &[&str] = &["index", "_index", "readme"];

/// Addresses to paths.
pub(crate) struct UrlMap {
    /// A tail of an address, in lower case, to the files that it may mean.
    tails: HashMap<String, Vec<usize>>,
    paths: Vec<String>,
}

impl UrlMap {
    pub(crate) fn new(paths: impl Iterator<Item = String>) -> Self {
        let paths: Vec<String> = paths.collect();
        let mut tails: HashMap<String, Vec<usize>> = HashMap::new();
        for (number, path) in paths.iter().enumerate() {
            let address = address_of(path);
            let mut tail = address.as_str();
            loop {
                tails.entry(tail.to_owned()).or_default().push(number);
                match tail.split_once('/') {
                    Some((_, shorter)) => tail = shorter,
                    None => break,
                }
            }
        }
        Self { tails, paths }
    }

    /// The path and the fragment that `url` stands for, or why it stands for none.
    pub(crate) fn find(&self, url: &str) -> Result<(String, Option<String>), String> {
        let (place, fragment) = match url.split_once('#') {
            Some((place, fragment)) => (place, Some(fragment).filter(|fragment| !fragment.is_empty())),
            None => (url, None),
        };
        let place = place.split('?').next().unwrap_or_default();
        let path = match place.split_once("://") {
            // The host is not a folder.
            Some((_, rest)) => rest.split_once('/').map_or("", |(_host, path)| path),
            None => place,
        };
        let address = address_of(&decoded(path));
        let found = self.longest(&address)?;
        Ok((found, fragment.map(decoded)))
    }

    fn longest(&self, address: &str) -> Result<String, String> {
        let mut tail = address;
        loop {
            if let Some(numbers) = self.tails.get(tail) {
                // A file that the whole rest of the address names beats one that only ends like it.
                let whole = numbers.iter().filter(|&&number| address_of(&self.paths[number]) == tail);
                let whole: Vec<&usize> = whole.collect();
                let is_sure = !whole.is_empty() || tail == address || tail.contains('/');
                let fitting = if whole.is_empty() { numbers.iter().collect() } else { whole };
                if !is_sure {
                    return Err("no page has this address".to_owned());
                }
                return match fitting.as_slice() {
                    [one] => Ok(self.paths[**one].clone()),
                    several => {
                        let names: Vec<&str> =
                            several.iter().take(3).map(|number| self.paths[**number].as_str()).collect();
                        Err(format!("{} pages end like it: {}", several.len(), names.join(", ")))
                    }
                };
            }
            match tail.split_once('/') {
                Some((_, shorter)) => tail = shorter,
                None => return Err("no page has this address".to_owned()),
            }
        }
    }
}

/// `Guides/Retries.md` → `guides/retries`, `guides/index.md` → `guides`.
fn address_of(path: &str) -> String {
    let lower = path.trim_matches('/').to_lowercase();
    let (folder, name) = lower.rsplit_once('/').unwrap_or(("", &lower));
    let endings = [".markdown", ".mdown", ".mkd", ".mdx", ".md", ".html", ".htm"];
    let stem = endings.iter().find_map(|ending| name.strip_suffix(ending)).unwrap_or(name);
    if FOLDER_NAMES.contains(&stem) {
        return folder.to_owned();
    }
    if folder.is_empty() { stem.to_owned() } else { format!("{folder}/{stem}") }
}

/// `%20` and the like; what is not UTF-8 stays as it is.
fn decoded(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        let pair = bytes.get(at + 1..at + 3).and_then(|pair| std::str::from_utf8(pair).ok());
        match pair.and_then(|pair| u8::from_str_radix(pair, 16).ok()).filter(|_| byte == b'%') {
            Some(value) => {
                out.push(value);
                at += 3;
            }
            None => {
                out.push(byte);
                at += 1;
            }
        }
    }
    String::from_utf8(out).unwrap_or_else(|_| text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::UrlMap;

    fn check(url: &str, expected: Result<(&str, Option<&str>), &str>) {
        let paths = [
            "index.md",
            "guides/retries.md",
            "guides/_index.md",
            "concepts/pods/README.md",
            "a/setup.md",
            "b/setup.md",
            "two words.md",
        ];
        let found = UrlMap::new(paths.iter().map(|path| (*path).to_owned())).find(url);
        match (found, expected) {
            (Ok((path, fragment)), Ok(expected)) => {
                assert_eq!((path.as_str(), fragment.as_deref()), expected, "{url}")
            }
            (Err(reason), Err(expected)) => assert!(reason.contains(expected), "{url}: {reason}"),
            (found, _) => panic!("{url}: {found:?}"),
        }
    }

    #[test]
    fn endings_and_prefixes_do_not_matter() {
        check("https://example.com/docs/v2/guides/retries/", Ok(("guides/retries.md", None)));
        check("https://example.com/guides/retries.html?x=1", Ok(("guides/retries.md", None)));
        check("guides/Retries.md", Ok(("guides/retries.md", None)));
        check("/two%20words", Ok(("two words.md", None)));
    }

    #[test]
    fn a_folder_is_its_index() {
        check("https://example.com/docs/guides/", Ok(("guides/_index.md", None)));
        check("https://example.com/docs/concepts/pods", Ok(("concepts/pods/README.md", None)));
    }

    #[test]
    fn a_fragment_is_a_section() {
        check("https://example.com/guides/retries#back%20off", Ok(("guides/retries.md", Some("back off"))));
        check("https://example.com/guides/retries#", Ok(("guides/retries.md", None)));
    }

    #[test]
    fn what_fits_several_pages_or_none_is_told() {
        check("https://example.com/setup", Err("2 pages"));
        check("https://example.com/b/setup", Ok(("b/setup.md", None)));
        check("https://example.com/nowhere", Err("no page"));
        check("", Ok(("index.md", None)));
        check("%", Err("no page"));
        check("https://example.com/cli/network/retries", Err("no page"));
        check("https://example.com/retries", Ok(("guides/retries.md", None)));
    }
}
