//! Pages of the web: fetched where that is allowed, and asked for again only if they changed.

use docent_engine::{Cancel, LibraryDocument};
use docent_sources::SourceError;
use docent_sources::pages::{self, CrawlLimits, FetchRules, FetchedPage, PageReply, PageValidators};
use encoding_rs::Encoding;

use crate::intake::{Found, sha256, skipped};
use crate::library::{CrawlRules, Into, Library};
use crate::{FileReport, LibraryError, Receipt, Report, file_types};

impl Library {
    /// Fetches one page and takes it in.
    pub(crate) fn take_page(&self, url: &str, into: &Into, cancel: &Cancel) -> Result<Receipt, LibraryError> {
        let rules = self.fetch_rules();
        let source = pages::page_address(url, &rules)?;
        let known = self.engine.handed(&into.library, &source)?;
        let validators = known.as_ref().filter(|_| !into.force).map(validators).unwrap_or_default();
        let reply = pages::fetch_page(&source, &validators, &rules, &|| cancel.is_cancelled());
        // Only now: a slow server must not keep files waiting.
        let _memory = self.memory.take(cancel).ok_or_else(LibraryError::cancelled)?;
        self.take_reply(&source, reply, known, into, cancel)
    }

    /// Takes in the pages of a site.
    pub(crate) fn take_site(
        &self,
        url: &str,
        rules: &CrawlRules,
        into: &Into,
        told: &(dyn Fn(&FileReport) + Sync),
        cancel: &Cancel,
    ) -> Result<Report, LibraryError> {
        let limits = CrawlLimits {
            max_pages: rules.max_pages,
            max_depth: rules.max_depth,
            per_second: rules.per_second,
        };
        let mut files = Vec::new();
        let had = |source: &str| self.engine.handed(&into.library, source).ok().flatten();
        let known = |source: &str| {
            had(source).map(|known| if into.force { PageValidators::default() } else { validators(&known) })
        };
        let mut take = |source: &str, reply: Result<PageReply, SourceError>| {
            let outcome = self.take_reply(source, reply, had(source), into, cancel);
            // What was given up in the middle has not failed.
            if cancel.is_cancelled() && outcome.is_err() {
                return false;
            }
            let report = FileReport { source: source.to_owned(), outcome };
            told(&report);
            files.push(report);
            !cancel.is_cancelled()
        };
        let fetch_rules = self.fetch_rules();
        let crawled = pages::crawl(url, &limits, &fetch_rules, &known, &mut take, &|| cancel.is_cancelled());
        let notes = match crawled {
            // The pages that came before are there.
            Err(_) if cancel.is_cancelled() => Vec::new(),
            crawled => crawled?,
        };
        files.sort_by(|a, b| a.source.cmp(&b.source));
        Ok(Report { files, notes, cancelled: cancel.is_cancelled() })
    }

    fn take_reply(
        &self,
        source: &str,
        reply: Result<PageReply, SourceError>,
        known: Option<LibraryDocument>,
        into: &Into,
        cancel: &Cancel,
    ) -> Result<Receipt, LibraryError> {
        match (reply, known) {
            (Ok(PageReply::Page(page)), _) => self.take(found(*page), into, cancel),
            (Ok(PageReply::NotModified), Some(known)) => Ok(skipped(&known, into)),
            (Ok(PageReply::NotModified), None) => Err(LibraryError {
                message: format!("{source} did not come: the server says that nothing has changed"),
                hint: "try again".to_owned(),
            }),
            (Err(error), Some(_)) => {
                let error = LibraryError::from(error);
                Err(LibraryError {
                    message: format!("{}; the earlier version stays", error.message),
                    ..error
                })
            }
            (Err(error), None) => Err(error.into()),
        }
    }

    fn fetch_rules(&self) -> FetchRules {
        FetchRules {
            allow_private_networks: self.options.allow_private_networks,
            max_bytes: self.options.max_bytes,
        }
    }
}

/// What a server gave along with a page that is here.
fn validators(known: &LibraryDocument) -> PageValidators {
    PageValidators {
        etag: known.details.etag.clone(),
        last_modified: known.details.http_last_modified.clone(),
    }
}

fn found(page: FetchedPage) -> Found {
    let media_type = page.content_type.as_deref().unwrap_or_default();
    Found {
        name: named(&page.answered, media_type),
        source: page.source,
        sha256: sha256(&page.bytes),
        bytes: in_utf8(page.bytes, media_type, page.charset.as_deref()),
        modified_ms: page.last_modified_ms,
        validators: page.validators,
    }
}

/// The address with an extension that says what the server says. Relative links mean the same from there.
fn named(address: &str, media_type: &str) -> String {
    let extension = match media_type {
        "text/html" | "application/xhtml+xml" => "html",
        "text/markdown" | "text/x-markdown" => "md",
        "text/csv" => "csv",
        "application/json" => "json",
        "application/yaml" | "text/yaml" => "yaml",
        "text/x-rst" => "rst",
        "text/plain" => "txt",
        _ => return address.to_owned(),
    };
    let end = address.find(['?', '#']).unwrap_or(address.len());
    let (path, rest) = address.split_at(end);
    let start = path.find("://").map_or(0, |at| at + 3);
    let last = path.get(start..).and_then(|path| path.split_once('/')).map_or("", |(_, path)| path);
    // Plain text is often something more exact, which its own name tells.
    let has_name = if extension == "txt" {
        file_types::is_document(last)
    } else {
        file_types::extension(last) == extension
    };
    match (has_name, last) {
        (true, _) => address.to_owned(),
        (false, "") => format!("{}/index.{extension}{rest}", path.trim_end_matches('/')),
        (false, last) if last.ends_with('/') => format!("{path}index.{extension}{rest}"),
        (false, _) => format!("{path}.{extension}{rest}"),
    }
}

/// Text in the character set that the server names, as UTF-8: converters know only what a file says of itself.
fn in_utf8(bytes: Vec<u8>, media_type: &str, charset: Option<&str>) -> Vec<u8> {
    let is_text =
        media_type.starts_with("text/") || media_type.ends_with("xml") || media_type.ends_with("json");
    let encoding = charset.and_then(|name| Encoding::for_label(name.trim().as_bytes()));
    match encoding {
        Some(encoding)
            if is_text && encoding != encoding_rs::UTF_8 && std::str::from_utf8(&bytes).is_err() =>
        {
            encoding.decode(&bytes).0.into_owned().into_bytes()
        }
        _ => bytes,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_says_what_the_server_says() {
        for (address, media_type, expected) in [
            ("https://x.org/a", "text/markdown", "https://x.org/a.md"),
            ("https://x.org/a.md", "text/markdown", "https://x.org/a.md"),
            ("https://x.org/a.md", "text/plain", "https://x.org/a.md"),
            ("https://x.org/a.php?b=c.d", "text/html", "https://x.org/a.php.html?b=c.d"),
            ("https://x.org", "text/html", "https://x.org/index.html"),
            ("https://x.org/a/", "text/html", "https://x.org/a/index.html"),
            ("https://x.org/?q=1", "text/html", "https://x.org/index.html?q=1"),
            ("https://x.org/a.pdf", "application/pdf", "https://x.org/a.pdf"),
            ("https://x.org/a", "", "https://x.org/a"),
        ] {
            assert_eq!(named(address, media_type), expected);
        }
    }

    #[test]
    fn the_character_set_of_the_server_counts_where_the_bytes_do_not_say() {
        let check = |bytes: &[u8], media_type: &str, charset: &str, expected: &[u8]| {
            assert_eq!(in_utf8(bytes.to_vec(), media_type, Some(charset)), expected);
        };
        check(b"caf\xe9", "text/html", "iso-8859-1", "café".as_bytes());
        check("café".as_bytes(), "text/html", "iso-8859-1", "café".as_bytes());
        check(b"\xe9", "application/pdf", "iso-8859-1", b"\xe9");
        check(b"\xe9", "text/plain", "nonsense", b"\xe9");
    }
}
