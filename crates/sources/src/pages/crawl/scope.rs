//! Which addresses belong to what is crawled: those on the same server, below the folder of the first page.

use crate::pages::address::PageAddress;

/// Endings of files that are no documents.
const OTHER: &[&str] = &[
    "png", "jpg", "jpeg", "gif", "svg", "webp", "avif", "ico", "bmp", "tif", "tiff", "mp3", "mp4", "m4a",
    "m4v", "ogg", "oga", "ogv", "wav", "flac", "webm", "mov", "avi", "mkv", "zip", "tar", "gz", "tgz", "bz2",
    "xz", "zst", "7z", "rar", "exe", "msi", "dmg", "pkg", "deb", "rpm", "apk", "iso", "img", "bin", "wasm",
    "so", "dll", "jar", "war", "class", "whl", "css", "js", "mjs", "map", "woff", "woff2", "ttf", "otf",
    "eot", "rss", "atom", "xml",
];
/// Files that say something about the site; they are no pages of it.
const ABOUT: &[&str] = &["robots.txt", "llms.txt", "llms-full.txt"];

/// Same origin, same folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Scope {
    origin: String,
    folder: String,
}

impl Scope {
    /// The folder of a page: `/docs/` for `/docs/` and for `/docs/intro`.
    pub(super) fn of(page: &PageAddress) -> Self {
        let path = page.path();
        let folder = path.rfind('/').and_then(|end| path.get(..=end)).unwrap_or("/");
        Self { origin: page.origin().to_owned(), folder: folder.to_owned() }
    }

    pub(super) fn contains(&self, page: &PageAddress) -> bool {
        page.origin() == self.origin && page.path().starts_with(&self.folder)
    }

    /// An address in the folder, and the same at the root of the server.
    pub(super) fn both(&self, name: &str) -> Vec<String> {
        let mut both =
            vec![format!("{}{}{name}", self.origin, self.folder), format!("{}/{name}", self.origin)];
        both.dedup();
        both
    }
}

/// Whether the name of a page promises a document.
pub(super) fn is_document(page: &PageAddress) -> bool {
    let name = page.path().rsplit('/').next().unwrap_or_default().to_ascii_lowercase();
    let ending = name.rsplit_once('.').map_or("", |(_, ending)| ending);
    !OTHER.contains(&ending) && !ABOUT.contains(&name.as_str())
}

/// What the addresses of one page have in common, as HTML and as Markdown (`/a/`, `/a.html`, `/a.md`, `/a/index.html.md`), and
/// whether this one is Markdown.
pub(super) fn twin_key(page: &PageAddress) -> (&str, bool) {
    let target = page.target();
    let stem = target.strip_suffix(".md");
    let key = stem.unwrap_or(target);
    let key = key.strip_suffix(".html").or_else(|| key.strip_suffix(".htm")).unwrap_or(key);
    let key = key.strip_suffix("/index").unwrap_or(key);
    (key.trim_end_matches('/'), stem.is_some())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(text: &str) -> PageAddress {
        PageAddress::parse(text).unwrap()
    }

    #[test]
    fn the_folder_of_the_first_page_is_crawled() {
        for start in
            ["https://x.org/docs/", "https://x.org/docs/intro?a=/b/", "https://x.org:443/docs/x.html"]
        {
            let scope = Scope::of(&page(start));
            for inside in ["https://x.org/docs/", "https://x.org/docs/a/b?c", "https://x.org/blog/../docs/a"]
            {
                assert!(scope.contains(&page(inside)), "{start} {inside}");
            }
            for outside in [
                "https://x.org/docs",
                "https://x.org/docsy/",
                "https://x.org/",
                "http://x.org/docs/",
                "https://x.org:8443/docs/",
                "https://docs.x.org/docs/",
                "https://x.org/docs/../a",
                "https://x.org/docs/%2e%2e/a",
            ] {
                assert!(!scope.contains(&page(outside)), "{start} {outside}");
            }
        }
        let scope = Scope::of(&page("https://x.org/docs/a"));
        assert_eq!(scope.both("llms.txt"), ["https://x.org/docs/llms.txt", "https://x.org/llms.txt"]);
        assert_eq!(Scope::of(&page("https://x.org")).both("llms.txt"), ["https://x.org/llms.txt"]);
    }

    #[test]
    fn files_that_are_no_documents_are_known_by_their_names() {
        for name in ["a", "a.html", "a.md", "a.pdf", "v1.2", "a.png/", "llms.txt/x", "a?b=c.png", ""] {
            assert!(is_document(&page(&format!("https://x.org/{name}"))), "{name}");
        }
        for name in ["a.png", "a.PNG?x", "d/a.tar.gz", "llms-full.txt", "robots.txt", "style.css"] {
            assert!(!is_document(&page(&format!("https://x.org/{name}"))), "{name}");
        }
    }

    #[test]
    fn a_page_and_its_markdown_are_twins() {
        let key = |path: &str| {
            let page = page(&format!("https://x.org{path}"));
            let (key, is_markdown) = twin_key(&page);
            (key.to_owned(), is_markdown)
        };
        for path in ["/a", "/a/", "/a.html", "/a/index.html"] {
            assert_eq!(key(path), ("/a".to_owned(), false), "{path}");
        }
        for path in ["/a.md", "/a.html.md", "/a/index.html.md", "/a/index.md"] {
            assert_eq!(key(path), ("/a".to_owned(), true), "{path}");
        }
        assert_ne!(key("/a?b.md"), key("/a.md"));
    }
}
