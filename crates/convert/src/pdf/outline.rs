//! What a file says about itself: its title, its bookmarks, and the links of its pages.

use std::collections::{HashMap, HashSet};

use hayro_syntax::Pdf;
use hayro_syntax::object::{Array, Dict, Name, ObjRef, Object, ObjectIdentifier, Rect, String as PdfString};
use hayro_syntax::page::Page;

use super::font::text_string;
use super::geometry::{Area, Matrix};
use super::limits;

/// Most bookmarks, names and links that are read.
const MOST: usize = 20_000;

/// A bookmark.
#[derive(Debug, Clone)]
pub(super) struct Bookmark {
    pub(super) title: String,
    /// 1 for the outermost.
    pub(super) level: usize,
    /// The page it leads to, from 0.
    pub(super) page: Option<usize>,
}

/// The bookmarks of a file in their order.
pub(super) fn bookmarks(pdf: &Pdf) -> Vec<Bookmark> {
    let Some(catalog) = pdf.xref().get::<Dict<'_>>(pdf.xref().root_id()) else { return Vec::new() };
    let Some(root) = catalog.get::<Dict<'_>>(b"Outlines".as_slice()) else { return Vec::new() };
    let targets = Targets::new(pdf, &catalog);
    let mut out = Vec::new();
    let mut seen: HashSet<ObjectIdentifier> = HashSet::new();
    let mut open: Vec<(Dict<'_>, usize)> = Vec::new();
    open.extend(root.get::<Dict<'_>>(b"First".as_slice()).map(|first| (first, 1)));
    while let Some((entry, level)) = open.pop() {
        let is_new = entry.obj_id().is_none_or(|id| seen.insert(id));
        if !is_new || out.len() >= MOST || open.len() >= MOST {
            continue;
        }
        if let Some(title) = entry.get::<PdfString<'_>>(b"Title".as_slice()) {
            let title = text_string(title.as_bytes()).trim().to_owned();
            out.push(Bookmark { title, level, page: targets.page_of(&entry) });
        }
        open.extend(entry.get::<Dict<'_>>(b"Next".as_slice()).map(|next| (next, level)));
        if level < 12 {
            open.extend(entry.get::<Dict<'_>>(b"First".as_slice()).map(|first| (first, level + 1)));
        }
    }
    out
}

/// The title in the file's metadata, when it is one for people.
pub(super) fn title(pdf: &Pdf) -> Option<String> {
    let title = text_string(pdf.metadata().title.as_deref()?);
    let title = title.split_whitespace().collect::<Vec<_>>().join(" ");
    let lower = title.to_ascii_lowercase();
    let is_file = [
        ".doc", ".docx", ".dvi", ".indd", ".tex", ".qxd", ".ppt", ".pptx", ".html", ".md", ".pdf", ".xls",
        ".ps",
    ]
    .iter()
    .any(|ending| lower.ends_with(ending));
    let is_default = [
        "untitled",
        "title",
        "document",
        "microsoft word",
        "powerpoint",
        "slide 1",
        "about:blank",
        "(anonymous)",
    ]
    .iter()
    .any(|default| lower == *default || lower.starts_with(&format!("{default} - ")));
    let letters = title.chars().filter(|char| char.is_alphabetic()).count();
    let is_address =
        lower.starts_with("http://") || lower.starts_with("https://") || lower.starts_with("file:");
    let is_sensible = letters >= 3 && letters * 2 >= title.chars().count() && title.chars().count() <= 200;
    (is_sensible && !is_file && !is_default && !is_address).then_some(title)
}

/// The web addresses that places of a page lead to.
pub(super) fn links(page: &Page<'_>) -> Vec<(Area, String)> {
    let Some(annotations) = page.raw().get::<Array<'_>>(b"Annots".as_slice()) else { return Vec::new() };
    let to_page = Matrix(page.initial_transform(true).as_coeffs());
    let mut out = Vec::new();
    for annotation in annotations.iter::<Dict<'_>>().take(limits::PAGE_LINKS) {
        let action = annotation.get::<Dict<'_>>(b"A".as_slice());
        let uri = action.and_then(|action| action.get::<PdfString<'_>>(b"URI".as_slice()));
        let rect = annotation.get::<Rect>(b"Rect".as_slice());
        if let (Some(uri), Some(rect)) = (uri, rect) {
            let uri = String::from_utf8_lossy(uri.as_bytes()).trim().to_owned();
            let is_web =
                ["http://", "https://", "mailto:", "ftp://"].iter().any(|scheme| uri.starts_with(scheme));
            if is_web && uri.len() < 2000 {
                let area = Area::around(to_page.apply(rect.x0, rect.y0), to_page.apply(rect.x1, rect.y1));
                out.push((area, uri));
            }
        }
    }
    out
}

/// Finds pages by what bookmarks point at.
struct Targets {
    pages: HashMap<ObjectIdentifier, usize>,
    names: HashMap<Vec<u8>, usize>,
}

impl Targets {
    fn new(pdf: &Pdf, catalog: &Dict<'_>) -> Targets {
        let pages = pdf.pages().iter().enumerate();
        let pages = pages.filter_map(|(index, page)| Some((page.raw().obj_id()?, index))).collect();
        let mut targets = Targets { pages, names: HashMap::new() };
        if let Some(old) = catalog.get::<Dict<'_>>(b"Dests".as_slice()) {
            for name in old.keys().take(MOST) {
                if let Some(page) =
                    old.get::<Object<'_>>(name.as_ref()).and_then(|target| targets.page_at(&target))
                {
                    targets.names.insert(name.as_ref().to_vec(), page);
                }
            }
        }
        let names = catalog.get::<Dict<'_>>(b"Names".as_slice());
        if let Some(root) = names.and_then(|names| names.get::<Dict<'_>>(b"Dests".as_slice())) {
            targets.read_names(root);
        }
        targets
    }

    fn read_names(&mut self, root: Dict<'_>) {
        let mut seen: HashSet<ObjectIdentifier> = HashSet::new();
        let mut open = vec![root];
        let mut steps = 0;
        while let Some(node) = open.pop() {
            steps += 1;
            let is_new = node.obj_id().is_none_or(|id| seen.insert(id));
            if !is_new || steps > MOST || self.names.len() > MOST {
                continue;
            }
            if let Some(kids) = node.get::<Array<'_>>(b"Kids".as_slice()) {
                open.extend(kids.iter::<Dict<'_>>().take(MOST));
            }
            if let Some(pairs) = node.get::<Array<'_>>(b"Names".as_slice()) {
                let mut key: Option<Vec<u8>> = None;
                for item in pairs.iter::<Object<'_>>().take(2 * MOST) {
                    match (key.take(), item) {
                        (None, Object::String(name)) => key = Some(name.as_bytes().to_vec()),
                        (Some(name), target) => {
                            if let Some(page) = self.page_at(&target) {
                                self.names.insert(name, page);
                            }
                        }
                        (None, _) => {}
                    }
                }
            }
        }
    }

    fn page_of(&self, entry: &Dict<'_>) -> Option<usize> {
        let direct = entry.get::<Object<'_>>(b"Dest".as_slice());
        let target =
            direct.or_else(|| entry.get::<Dict<'_>>(b"A".as_slice())?.get::<Object<'_>>(b"D".as_slice()))?;
        self.page_at(&target)
    }

    fn page_at(&self, target: &Object<'_>) -> Option<usize> {
        match target {
            Object::Array(place) => {
                let page: ObjRef = place.raw_iter().next()?.as_obj_ref()?;
                self.pages.get(&page.into()).copied()
            }
            Object::Dict(inner) => match inner.get::<Object<'_>>(b"D".as_slice())? {
                Object::Array(place) => self.page_at(&Object::Array(place)),
                _ => None,
            },
            Object::String(name) => self.names.get(name.as_bytes()).copied(),
            Object::Name(name) => self.names.get::<[u8]>(Name::as_ref(name)).copied(),
            _ => None,
        }
    }
}
