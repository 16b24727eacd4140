//! `sitemap.xml`: the pages that a site says it has.
//!
//! A file is either a list of pages or a list of further sitemaps. A document type declaration is refused, so no entity is
//! ever expanded beyond the five of XML.

use std::io::Read;

use flate2::read::MultiGzDecoder;
use quick_xml::Reader;
use quick_xml::escape::resolve_predefined_entity;
use quick_xml::events::Event;

/// Bytes, after unpacking.
pub(super) const MOST_BYTES: u64 = 16 << 20;
const MOST_ENTRIES: usize = 50_000;
const LONGEST: usize = 4096;

/// Addresses as they are written.
#[derive(Debug, Default, PartialEq, Eq)]
pub(in crate::pages) struct Sitemap {
    pub(super) pages: Vec<String>,
    pub(super) sitemaps: Vec<String>,
}

impl Sitemap {
    /// Reads a sitemap, packed or not; the error says why it cannot be read. One that breaks off has what it has up to there.
    pub(in crate::pages) fn parse(bytes: &[u8]) -> Result<Self, &'static str> {
        if !bytes.starts_with(&[0x1f, 0x8b]) {
            return Self::parse_text(&String::from_utf8_lossy(bytes));
        }
        let mut unpacked = Vec::new();
        let read = MultiGzDecoder::new(bytes).take(MOST_BYTES + 1).read_to_end(&mut unpacked);
        if read.is_err() || unpacked.len() as u64 > MOST_BYTES {
            return Err("it cannot be unpacked, or only to more than 16 MiB");
        }
        Self::parse_text(&String::from_utf8_lossy(&unpacked))
    }

    fn parse_text(text: &str) -> Result<Self, &'static str> {
        let mut reader = Reader::from_str(text.trim_start_matches('\u{feff}'));
        let mut found = Self::default();
        let mut is_sitemap = false;
        let mut location: Option<String> = None;
        let mut is_root_seen = false;
        while found.pages.len() + found.sitemaps.len() < MOST_ENTRIES {
            match reader.read_event() {
                Ok(Event::DocType(_)) => return Err("it has a document type declaration"),
                Ok(Event::Start(start)) => {
                    let name = start.name();
                    if !std::mem::replace(&mut is_root_seen, true)
                        && !matches!(name.as_ref(), "urlset" | "sitemapindex")
                    {
                        return Err("it is no sitemap");
                    }
                    match name.as_ref() {
                        "url" => is_sitemap = false,
                        "sitemap" => is_sitemap = true,
                        "loc" => location = Some(String::new()),
                        _ => {}
                    }
                }
                Ok(Event::End(end)) if end.name().as_ref() == "loc" => {
                    let text = location.take().unwrap_or_default();
                    let list = if is_sitemap { &mut found.sitemaps } else { &mut found.pages };
                    list.extend(Some(text.trim().to_owned()).filter(|text| !text.is_empty()));
                }
                Ok(Event::Text(text)) => append(&mut location, &text),
                Ok(Event::CData(text)) => append(&mut location, &text),
                Ok(Event::GeneralRef(reference)) => {
                    let letter = reference.resolve_char_ref().ok().flatten().map(String::from);
                    let letter = letter.or_else(|| resolve_predefined_entity(&reference).map(str::to_owned));
                    append(&mut location, &letter.unwrap_or_default());
                }
                Ok(Event::Eof) | Err(_) => break,
                Ok(_) => {}
            }
        }
        if is_root_seen { Ok(found) } else { Err("it is no sitemap") }
    }
}

/// Addresses that are too long stay so, and are refused as addresses.
fn append(location: &mut Option<String>, text: &str) {
    if let Some(location) = location.as_mut().filter(|location| location.len() <= LONGEST) {
        location.extend(text.chars().take(LONGEST + 1));
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    fn check(text: &str, pages: &[&str], sitemaps: &[&str]) {
        let found = Sitemap::parse(text.as_bytes()).unwrap();
        assert_eq!(found.pages, pages, "{text}");
        assert_eq!(found.sitemaps, sitemaps, "{text}");
    }

    #[test]
    fn pages_and_further_sitemaps_are_listed() {
        let head =
            "\u{feff}<?xml version='1.0'?><urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'>";
        let url = "<url><loc> https://x.org/a?b=1&amp;c=&#50; </loc><lastmod>2024</lastmod></url>";
        let image = "<url><loc><![CDATA[https://x.org/b]]></loc><image:image><image:loc>i.png</image:loc></image:image></url>";
        check(&format!("{head}{url}{image}</urlset>"), &["https://x.org/a?b=1&c=2", "https://x.org/b"], &[]);
        let index = "<sitemapindex><sitemap><loc>https://x.org/s.xml</loc></sitemap></sitemapindex>";
        check(index, &[], &["https://x.org/s.xml"]);
    }

    #[test]
    fn what_breaks_off_is_read_up_to_there() {
        check("<urlset><url><loc>https://x.org/a</loc></url><url><loc>https://x", &["https://x.org/a"], &[]);
        check("<urlset><url><loc>https://x.org/a</loc></wrong>", &["https://x.org/a"], &[]);
        check("<urlset><url><loc/></url>", &[], &[]);
    }

    #[test]
    fn what_is_no_sitemap_is_refused() {
        for text in [
            "",
            "nonsense",
            "<html><body>Not found",
            "<!DOCTYPE urlset [<!ENTITY a 'b'>]><urlset><url><loc>&a;</loc></url></urlset>",
        ] {
            assert!(Sitemap::parse(text.as_bytes()).is_err(), "{text}");
        }
    }

    #[test]
    fn packed_ones_are_unpacked_within_limits() {
        let gzip = |bytes: &[u8]| {
            let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
            encoder.write_all(bytes).unwrap();
            encoder.finish().unwrap()
        };
        let packed = gzip(b"<urlset><url><loc>https://x.org/a</loc></url></urlset>");
        assert_eq!(Sitemap::parse(&packed).unwrap().pages, ["https://x.org/a"]);
        assert!(Sitemap::parse(&gzip(&vec![b' '; 32 << 20])).is_err());
        assert!(Sitemap::parse(&packed[..20]).is_err());
    }

    #[test]
    fn no_sitemap_takes_much() {
        let many = format!("<urlset>{}", "<url><loc>/a</loc></url>".repeat(60_000));
        assert_eq!(Sitemap::parse(many.as_bytes()).unwrap().pages.len(), MOST_ENTRIES);
        assert_eq!(Sitemap::parse("<urlset>".repeat(500_000).as_bytes()).unwrap(), Sitemap::default());
        let long = format!("<urlset><url><loc>{}</loc></url></urlset>", "a&amp;".repeat(500_000));
        assert!(Sitemap::parse(long.as_bytes()).unwrap().pages[0].len() <= 2 * LONGEST + 2);
    }
}
