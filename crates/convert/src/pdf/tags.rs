//! The structure tree of a tagged file: which marked contents are headings or list items, and of which level.

use std::collections::{HashMap, HashSet};

use hayro_syntax::Pdf;
use hayro_syntax::object::{Array, Dict, MaybeRef, Name, Object, ObjectIdentifier};

use super::layout::Line;

/// Most elements of the tree that are read.
const MOST: usize = 400_000;
/// How deep the tree may be.
const DEPTH: usize = 64;

/// What the tree says about a marked content.
#[derive(Debug, Clone, Copy, Default)]
struct Role {
    /// The level of the heading that it is in.
    heading: Option<usize>,
    /// The list item that it is in.
    item: Option<Item>,
}

/// A list item of the tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Item {
    /// One number per item.
    pub(super) id: usize,
    /// How many lists it is in, from 1.
    pub(super) depth: usize,
}

/// Roles by page (from 1) and number of the marked content.
#[derive(Debug, Default)]
pub(super) struct Roles(HashMap<(u32, u32), Role>);

impl Roles {
    /// Reads the tree of a file; one without a tree has no roles.
    pub(super) fn read(pdf: &Pdf) -> Roles {
        let mut roles = Roles::default();
        let catalog = pdf.xref().get::<Dict<'_>>(pdf.xref().root_id());
        let root = catalog.and_then(|catalog| catalog.get::<Dict<'_>>(b"StructTreeRoot".as_slice()));
        let Some(root) = root else { return roles };
        let pages = pdf.pages().iter().zip(1_u32..);
        let walk = Walk {
            names: root.get::<Dict<'_>>(b"RoleMap".as_slice()).unwrap_or_default(),
            pages: pages.filter_map(|(page, number)| Some((page.raw().obj_id()?, number))).collect(),
        };
        walk.read(root, &mut roles.0);
        roles
    }

    /// The level of a line whose text is all of headings.
    pub(super) fn heading_of(&self, line: &Line, page: u32) -> Option<usize> {
        let mut level = None;
        for span in line.pieces.iter().flat_map(|piece| &piece.spans) {
            level = Some(self.0.get(&(page, span.mark?))?.heading?);
        }
        level
    }

    /// The list item that a line starts in.
    pub(super) fn item_of(&self, line: &Line, page: u32) -> Option<Item> {
        let first = line.pieces.first()?.spans.first()?;
        self.0.get(&(page, first.mark?))?.item
    }
}

struct Walk<'a> {
    names: Dict<'a>,
    pages: HashMap<ObjectIdentifier, u32>,
}

/// An element that is still to be read, with what it inherits.
struct Open<'a> {
    element: Dict<'a>,
    role: Role,
    lists: usize,
    page: Option<u32>,
    depth: usize,
}

impl<'a> Walk<'a> {
    fn read(&self, root: Dict<'a>, out: &mut HashMap<(u32, u32), Role>) {
        let mut seen: HashSet<ObjectIdentifier> = HashSet::new();
        let mut open = vec![Open { element: root, role: Role::default(), lists: 0, page: None, depth: 0 }];
        let mut steps = 0;
        while let Some(Open { element, mut role, mut lists, page, depth }) = open.pop() {
            steps += 1;
            let is_new = element.obj_id().is_none_or(|id| seen.insert(id));
            if !is_new || steps > MOST || depth > DEPTH {
                continue;
            }
            match self.kind_of(&element) {
                Some(Kind::Heading(level)) => role.heading = Some(level),
                Some(Kind::List) => lists += 1,
                Some(Kind::Item) => role.item = Some(Item { id: steps, depth: lists.max(1) }),
                None => {}
            }
            let says_something = role.heading.is_some() || role.item.is_some();
            let page = self.page_of(&element).or(page);
            let mut add = |kid: Object<'a>| match kid {
                Object::Number(number) => {
                    if let (true, Some(page), Ok(mark)) =
                        (says_something, page, u32::try_from(number.as_i64()))
                    {
                        out.insert((page, mark), role);
                    }
                }
                Object::Dict(kid) => {
                    if let Some(mark) = kid.get::<u32>(b"MCID".as_slice()) {
                        if let (true, Some(page)) = (says_something, self.page_of(&kid).or(page)) {
                            out.insert((page, mark), role);
                        }
                    } else {
                        open.push(Open { element: kid, role, lists, page, depth: depth + 1 });
                    }
                }
                _ => {}
            };
            match element.get::<Object<'a>>(b"K".as_slice()) {
                Some(Object::Array(kids)) => Array::iter::<Object<'a>>(&kids).take(MOST).for_each(&mut add),
                Some(kid) => add(kid),
                None => {}
            }
        }
    }

    fn page_of(&self, element: &Dict<'_>) -> Option<u32> {
        match element.get_raw::<Object<'_>>(b"Pg".as_slice())? {
            MaybeRef::Ref(page) => self.pages.get(&page.into()).copied(),
            MaybeRef::NotRef(_) => None,
        }
    }

    fn kind_of(&self, element: &Dict<'_>) -> Option<Kind> {
        let role = element.get::<Name<'_>>(b"S".as_slice())?;
        standard_kind(role.as_ref())
            .or_else(|| standard_kind(self.names.get::<Name<'_>>(role.as_ref())?.as_ref()))
    }
}

/// The elements that matter here.
enum Kind {
    Heading(usize),
    List,
    Item,
}

fn standard_kind(role: &[u8]) -> Option<Kind> {
    match role {
        b"Title" | b"H1" => Some(Kind::Heading(1)),
        b"H2" => Some(Kind::Heading(2)),
        b"H3" => Some(Kind::Heading(3)),
        b"H4" => Some(Kind::Heading(4)),
        b"H5" => Some(Kind::Heading(5)),
        b"H6" => Some(Kind::Heading(6)),
        b"L" => Some(Kind::List),
        b"LI" => Some(Kind::Item),
        _ => None,
    }
}
