//! What a case expects, found in the index: a page, or the lines of a section.
//!
//! A section is known by its lines, not by the id of a chunk: how documents are cut may become coarser or finer, and a
//! hit that holds the section's text is right either way.

use std::collections::BTreeMap;

use docent_engine::{Engine, EngineError, ErrorKind, Got, Outline, SearchHit};

use crate::cases::{Expected, Target};
use crate::url_map::UrlMap;

/// A path may contain `#`; more of them than this make no sense.
const MAX_SPLITS: usize = 8;

/// First and last line, from 1, inclusive.
pub(crate) type Lines = (u32, u32);

/// Something that should come back.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Wanted {
    /// As it is shown.
    pub(crate) name: String,
    /// Path of the page.
    pub(crate) path: String,
    /// First and last line of the section; `None` for the whole page.
    pub(crate) lines: Option<Lines>,
    /// How good it is as an answer.
    pub(crate) gain: f64,
}

impl Wanted {
    /// Whether a hit is this, a part of this, a larger piece with all of this in it, or the sibling that this was folded
    /// into.
    pub(crate) fn is_in(&self, hit: &SearchHit) -> bool {
        let meta = &hit.metadata;
        let is_this = |id: &String| match self.lines {
            Some(_) => *id == self.name,
            None => id.strip_prefix(&self.path).is_some_and(|rest| rest.is_empty() || rest.starts_with('#')),
        };
        if hit.variants.iter().any(is_this) {
            return true;
        }
        let Some((first, last)) = self.lines else { return meta.file_path == self.path };
        let covers = meta.start_line <= first && last <= meta.end_line;
        let is_part = first <= meta.start_line && meta.end_line <= last;
        meta.file_path == self.path && (covers || is_part)
    }
}

/// Why something expected cannot be looked for.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Missing {
    /// The target as it was written.
    pub(crate) target: String,
    /// What is wrong with it, with what is near.
    pub(crate) reason: String,
    /// Whether it was a URL, which may lie outside the documents for good reason.
    pub(crate) is_url: bool,
}

/// Finds targets, reading every page once.
pub(crate) struct Targets<'e> {
    engine: &'e Engine,
    collections: &'e [String],
    urls: Option<UrlMap>,
    outlines: BTreeMap<String, Outline>,
}

impl<'e> Targets<'e> {
    pub(crate) fn new(engine: &'e Engine, collections: &'e [String]) -> Self {
        Self { engine, collections, urls: None, outlines: BTreeMap::new() }
    }

    /// The target in the index. `Err` is for what the whole run must stop for.
    pub(crate) fn find(&mut self, expected: &Expected) -> Result<Result<Wanted, Missing>, EngineError> {
        let gain = expected.gain;
        let written = expected.target.as_str();
        match &expected.target {
            Target::Document(id) => Ok(Ok(Wanted { name: id.clone(), path: id.clone(), lines: None, gain })),
            Target::Name(name) => self.by_name(name, gain),
            Target::Url(url) | Target::File(url) => {
                let missing = |reason: String| Missing {
                    target: written.to_owned(),
                    reason,
                    is_url: matches!(expected.target, Target::Url(_)),
                };
                let (path, fragment) = match self.urls()?.find(url) {
                    Ok(found) => found,
                    Err(reason) => return Ok(Err(missing(reason))),
                };
                let Some(fragment) = fragment else {
                    return Ok(Ok(Wanted { name: path.clone(), path, lines: None, gain }));
                };
                // A fragment that no heading has (any more) still leads to the page.
                let found = self.section(&path, &fragment)?;
                let name = found.as_ref().map_or_else(|| path.clone(), |(name, _)| name.clone());
                Ok(Ok(Wanted { name, path, lines: found.map(|(_, lines)| lines), gain }))
            }
        }
    }

    fn by_name(&mut self, name: &str, gain: f64) -> Result<Result<Wanted, Missing>, EngineError> {
        let missing = |reason: String| Missing { target: name.to_owned(), reason, is_url: false };
        let error = match self.engine.get(self.collections, name) {
            Ok(Got::Page(page)) => {
                return Ok(Ok(Wanted {
                    name: page.file_path.clone(),
                    path: page.file_path,
                    lines: None,
                    gain,
                }));
            }
            Ok(Got::Section(section)) => {
                let (path, meta) = (section.metadata.file_path.clone(), &section.metadata);
                let lines = self.whole(&path, (meta.start_line, meta.end_line))?;
                return Ok(Ok(Wanted { name: section.chunk_id, path, lines: Some(lines), gain }));
            }
            Err(error) if error.kind == ErrorKind::NotFound => error,
            Err(error) => return Err(error),
        };
        // A heading inside a larger chunk has no id of its own in the index, and is there all the same.
        for (at, _) in name.rmatch_indices('#').take(MAX_SPLITS) {
            let (path, fragment) = (&name[..at], &name[at + 1..]);
            let path = match self.engine.page(self.collections, path) {
                Ok(page) => page.file_path,
                Err(error) if error.kind == ErrorKind::NotFound => continue,
                Err(error) => return Err(error),
            };
            if let Some((name, lines)) = self.section(&path, fragment)? {
                return Ok(Ok(Wanted { name, path, lines: Some(lines), gain }));
            }
        }
        Ok(Err(missing(told(&error))))
    }

    /// A section by its id, a tail of it, the author's anchor, or its heading: the only one that fits.
    fn section(&mut self, path: &str, fragment: &str) -> Result<Option<(String, Lines)>, EngineError> {
        let outline = self.outline(path)?;
        let tail = format!("/{fragment}");
        let by = |fits: &dyn Fn(&docent_engine::OutlineSection) -> bool| {
            let mut fitting = outline.sections.iter().filter(|section| fits(section));
            let first = fitting.next()?;
            fitting.next().is_none().then(|| {
                let lines = (first.start_line, first.end_line);
                (format!("{path}#{}", first.id), lines)
            })
        };
        let found = by(&|section| section.id == fragment)
            .or_else(|| by(&|section| section.anchor.as_deref() == Some(fragment)))
            .or_else(|| by(&|section| section.id.ends_with(&tail)))
            .or_else(|| {
                by(&|section| !fragment.is_empty() && section.heading.eq_ignore_ascii_case(fragment))
            });
        match found {
            Some((name, lines)) => Ok(Some((name, self.whole(path, lines)?))),
            None => Ok(None),
        }
    }

    /// A heading without text of its own stands for its subsections, because nothing else can be found of it.
    fn whole(&mut self, path: &str, lines: Lines) -> Result<Lines, EngineError> {
        let outline = self.outline(path)?;
        let section =
            outline.sections.iter().find(|section| section.start_line == lines.0 && !section.has_body);
        Ok((lines.0, section.map_or(lines.1, |section| section.subtree_end_line.max(lines.1))))
    }

    fn outline(&mut self, path: &str) -> Result<&Outline, EngineError> {
        if !self.outlines.contains_key(path) {
            let outline = self.engine.outline(self.collections, path)?;
            self.outlines.insert(path.to_owned(), outline);
        }
        self.outlines.get(path).ok_or_else(|| EngineError::not_found(path, ""))
    }

    fn urls(&mut self) -> Result<&UrlMap, EngineError> {
        if self.urls.is_none() {
            let entries = self.engine.indexed_entries(self.collections)?;
            self.urls = Some(UrlMap::new(entries.into_iter().map(|entry| entry.path)));
        }
        Ok(self.urls.get_or_insert_with(|| UrlMap::new(std::iter::empty())))
    }
}

/// The engine's words without the tool that an agent would call next.
fn told(error: &EngineError) -> String {
    let message = error.message.split(". Use ").next().unwrap_or(&error.message);
    match error.hint.is_empty() {
        true => message.to_owned(),
        false => format!("{message} ({})", error.hint),
    }
}
