//! What a site says of its pages before any of them is read: `llms.txt`, which lists those that matter, and `sitemap.xml`.

use super::frontier::Frontier;
use super::scope::Scope;
use super::site::Site;
use super::sitemap::{self, Sitemap};
use crate::SourceError;
use crate::pages::address::PageAddress;
use crate::pages::links::PageLinks;

const LARGEST_LLMS: u64 = 2 << 20;
/// Sitemaps that are read, of those that an index lists.
const MOST_SITEMAPS: usize = 30;

/// Puts the pages of `llms.txt` into the frontier; says how many it names.
pub(super) fn take_llms(
    site: &Site<'_>,
    scope: &Scope,
    frontier: &mut Frontier,
) -> Result<usize, SourceError> {
    let mut taken = 0;
    for url in scope.both("llms.txt") {
        let Some(file) = site.resource(&url, LARGEST_LLMS)? else { continue };
        // Some servers answer with a page whatever they are asked for.
        let is_page = file.content_type.as_deref().is_some_and(|kind| kind.contains("html"))
            || file.bytes.trim_ascii_start().starts_with(b"<");
        if is_page {
            continue;
        }
        let links = PageLinks::of_markdown(&file.bytes);
        let inside = links.resolved(&file.answered).filter(|page| scope.contains(page));
        taken += inside.filter(|page| frontier.offer(page.clone(), 1, false)).count();
    }
    Ok(taken)
}

/// Puts the pages of the sitemaps into the frontier; says how many they name. What is wrong with one becomes a note.
pub(super) fn take_sitemaps(
    site: &Site<'_>,
    start: &PageAddress,
    scope: &Scope,
    frontier: &mut Frontier,
    notes: &mut Vec<String>,
) -> Result<usize, SourceError> {
    let robots = site.robots(start)?;
    let named = robots.sitemaps.iter().filter_map(|url| start.join(url).ok());
    let mut waiting: Vec<PageAddress> = named.filter(|map| map.origin() == start.origin()).collect();
    if waiting.is_empty() {
        // The one at the root first.
        waiting =
            scope.both("sitemap.xml").iter().rev().filter_map(|url| PageAddress::parse(url).ok()).collect();
    }
    let (mut taken, mut read) = (0, 0);
    let mut further = Vec::new();
    for level in 0..2 {
        for map in std::mem::take(&mut waiting) {
            if read == MOST_SITEMAPS || frontier.is_full {
                return Ok(taken);
            }
            let Some(file) = site.resource(map.as_str(), sitemap::MOST_BYTES)? else { continue };
            read += 1;
            let found = match Sitemap::parse(&file.bytes) {
                Ok(found) => found,
                Err(why) => {
                    notes.push(format!("{map} is not used: {why}"));
                    continue;
                }
            };
            let pages = found.pages.iter().filter_map(|url| file.answered.join(url).ok());
            let inside = pages.filter(|page| scope.contains(page));
            taken += inside.filter(|page| frontier.offer(page.clone(), 1, true)).count();
            let maps = found.sitemaps.iter().filter_map(|url| file.answered.join(url).ok());
            further.extend(maps.filter(|map| map.origin() == start.origin()).take(MOST_SITEMAPS));
        }
        // A sitemap that is listed in one that is listed is one too many.
        if level == 0 {
            waiting = std::mem::take(&mut further);
        }
    }
    Ok(taken)
}
