//! A small tree of XML elements for formats that are made of it.
//!
//! Names lose their prefixes: in the formats read here no two vocabularies share a name with different meanings at the same
//! place. No entity beyond the five of XML is ever expanded, whatever a document type declares, and one that builds entities
//! out of entities is refused. Depth is bounded, and so is the size of the tree; [`each`] reads what is too large for one.

use std::borrow::Cow;
use std::collections::HashSet;
use std::ops::ControlFlow;
use std::rc::Rc;

use quick_xml::escape::resolve_predefined_entity;
use quick_xml::events::{BytesRef, BytesStart, Event};
use quick_xml::{Reader, XmlVersion};

use crate::{ConvertError, ErrorKind, Limits, charset};

/// Elements, attributes and texts of one tree, which take about 130 bytes each.
const MOST_NODES: usize = 1_000_000;

/// Elements and texts that are read where no tree of all of them is kept.
const MOST_EVENTS: usize = 20_000_000;

/// The longest text that a document type may give a name to.
const LONGEST_ENTITY: usize = 1_024;

/// An element with its attributes and content.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Element {
    name: Rc<str>,
    attributes: Vec<(Rc<str>, Box<str>)>,
    /// What stands inside, in order.
    pub(crate) children: Vec<Node>,
}

/// What can stand inside of an element.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Node {
    /// An element.
    Element(Box<Element>),
    /// Text between elements, with its white space.
    Text(String),
}

impl Element {
    /// The name without its prefix.
    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// An attribute by its name as the document writes it, else by its name without a prefix.
    pub(crate) fn attribute(&self, name: &str) -> Option<&str> {
        let exact = self.attributes.iter().find(|(known, _)| &**known == name);
        let local = || self.attributes.iter().find(|(known, _)| local_name(known) == name);
        exact.or_else(local).map(|(_, value)| &**value)
    }

    /// All attributes with their names as the document writes them.
    pub(crate) fn attributes(&self) -> impl Iterator<Item = (&str, &str)> {
        self.attributes.iter().map(|(name, value)| (&**name, &**value))
    }

    /// The elements directly inside.
    pub(crate) fn elements(&self) -> impl Iterator<Item = &Element> {
        self.children.iter().filter_map(|node| match node {
            Node::Element(element) => Some(&**element),
            Node::Text(_) => None,
        })
    }

    /// The first element of a name directly inside.
    pub(crate) fn child(&self, name: &str) -> Option<&Element> {
        self.elements().find(|element| &*element.name == name)
    }

    /// The elements of a name directly inside.
    pub(crate) fn all<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a Element> {
        self.elements().filter(move |element| &*element.name == name)
    }

    /// The element at the end of a path of names.
    pub(crate) fn at(&self, path: &[&str]) -> Option<&Element> {
        path.iter().try_fold(self, |element, name| element.child(name))
    }

    /// The first element of a name anywhere inside.
    pub(crate) fn find(&self, name: &str) -> Option<&Element> {
        self.elements()
            .find_map(|element| if &*element.name == name { Some(element) } else { element.find(name) })
    }

    /// All text inside, as it stands.
    pub(crate) fn text(&self) -> String {
        let mut out = String::new();
        self.push_text(&mut out);
        out
    }

    fn push_text(&self, out: &mut String) {
        for node in &self.children {
            match node {
                Node::Text(text) => out.push_str(text),
                Node::Element(element) => element.push_text(out),
            }
        }
    }
}

/// Reads a document into its root element.
pub(crate) fn parse(bytes: &[u8], limits: &Limits) -> Result<Element, ConvertError> {
    let text = decoded(bytes);
    let mut tree = Tree::new(limits);
    let mut root = None;
    tree.read(&text, |element, depth| {
        if depth == 0 && root.is_none() {
            root = Some(element);
            return Ok(None);
        }
        Ok(Some(element))
    })?;
    root.ok_or_else(|| ConvertError::damaged("the XML has no element"))
}

/// Reads a document and hands over each element of a name, without keeping any of it; `visit` says whether to go on.
pub(crate) fn each(
    bytes: &[u8],
    limits: &Limits,
    name: &str,
    mut visit: impl FnMut(&Element) -> ControlFlow<()>,
) -> Result<(), ConvertError> {
    let text = decoded(bytes);
    let mut tree = Tree::new(limits);
    tree.wanted = Some(name);
    tree.read(&text, |element, depth| {
        // What stands around the wanted elements is not kept.
        if &*element.name != name {
            return Ok((depth > 0).then_some(element));
        }
        match visit(&element) {
            ControlFlow::Continue(()) => Ok(None),
            ControlFlow::Break(()) => Err(()),
        }
    })
}

/// The text of a document; Office writes UTF-8, which is not copied.
fn decoded(bytes: &[u8]) -> Cow<'_, str> {
    let bare = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    match std::str::from_utf8(bare) {
        Ok(text) if !bare.contains(&0) => Cow::Borrowed(text),
        _ => Cow::Owned(charset::decode(bytes, declared_encoding(bytes).as_deref())),
    }
}

/// A tree while it is being read.
struct Tree<'a> {
    limits: &'a Limits,
    open: Vec<Element>,
    names: HashSet<Rc<str>>,
    /// The only elements that are kept while they are open; all of them when there is no name.
    wanted: Option<&'a str>,
    /// How many open elements have that name.
    inside: usize,
    nodes: usize,
}

impl<'a> Tree<'a> {
    fn new(limits: &'a Limits) -> Self {
        Self { limits, open: Vec::new(), names: HashSet::new(), wanted: None, inside: 0, nodes: 0 }
    }

    /// Reads to the end. `closed` is given each element with the number of elements around it when it ends, and gives it back
    /// unless it took it; an error of it ends the reading early.
    fn read(
        &mut self,
        text: &str,
        mut closed: impl FnMut(Element, usize) -> Result<Option<Element>, ()>,
    ) -> Result<(), ConvertError> {
        let mut reader = Reader::from_str(text);
        for _ in 0..MOST_EVENTS {
            let event =
                reader.read_event().map_err(|error| ConvertError::damaged(format_args!("XML: {error}")))?;
            let done = match event {
                Event::Start(start) => {
                    self.start(&start)?;
                    None
                }
                Event::Empty(start) => {
                    self.start(&start)?;
                    self.open.pop()
                }
                Event::End(_) => self.open.pop(),
                Event::Text(text) => self.put_text(&text.xml10_content())?,
                Event::CData(text) => self.put_text(&text.xml10_content())?,
                Event::GeneralRef(reference) => self.put_text(&resolve(&reference))?,
                Event::DocType(declared) => {
                    refuse_bomb(&declared.xml10_content())?;
                    None
                }
                Event::Decl(_) | Event::PI(_) | Event::Comment(_) => None,
                Event::Eof if self.open.is_empty() => return Ok(()),
                Event::Eof => return Err(ConvertError::damaged("the XML ends inside of an element")),
            };
            let Some(mut element) = done else { continue };
            element.children.shrink_to_fit();
            if self.wanted.is_some_and(|wanted| wanted == &*element.name) {
                self.inside = self.inside.saturating_sub(1);
            }
            let keeps = self.keeps();
            match closed(element, self.open.len()) {
                Ok(Some(element)) if keeps => self.put(Node::Element(Box::new(element))),
                Ok(_) if !keeps => self.nodes = 0,
                Ok(_) => {}
                Err(()) => return Ok(()),
            }
        }
        Err(ConvertError::too_large(format_args!("more than {MOST_EVENTS} elements and texts of XML")))
    }

    /// Whether what is read now becomes part of a tree.
    fn keeps(&self) -> bool {
        self.wanted.is_none() || self.inside > 0
    }

    fn start(&mut self, start: &BytesStart<'_>) -> Result<(), ConvertError> {
        if self.open.len() > self.limits.depth {
            let depth = self.limits.depth;
            return Err(ConvertError::too_large(format_args!("XML nested deeper than {depth}")));
        }
        let name = self.name(start.local_name().as_ref());
        self.inside += usize::from(self.wanted.is_some_and(|wanted| wanted == &*name));
        let mut attributes = Vec::new();
        // Without the check for duplicates, which takes quadratic time. Word marks who typed what in which session.
        let mut found = start.attributes();
        let found = found.with_checks(false).flatten().filter(|found| !found.key.as_ref().contains(":rsid"));
        for attribute in found {
            let value = attribute.normalized_value(XmlVersion::Explicit1_0);
            let value = value.map_or_else(|_| attribute.value.to_string(), Cow::into_owned);
            let key = self.name(attribute.key.as_ref());
            self.count()?;
            attributes.push((key, value.into_boxed_str()));
        }
        attributes.shrink_to_fit();
        self.count()?;
        self.open.push(Element { name, attributes, children: Vec::new() });
        Ok(())
    }

    /// One copy of each name.
    fn name(&mut self, name: &str) -> Rc<str> {
        if let Some(known) = self.names.get(name) {
            return Rc::clone(known);
        }
        let name: Rc<str> = Rc::from(name);
        self.names.insert(Rc::clone(&name));
        name
    }

    fn count(&mut self) -> Result<(), ConvertError> {
        self.nodes += 1;
        if self.nodes > MOST_NODES {
            return Err(ConvertError::too_large(format_args!(
                "more than {MOST_NODES} elements, attributes and texts of XML"
            )));
        }
        Ok(())
    }

    fn put(&mut self, node: Node) {
        if let Some(parent) = self.open.last_mut() {
            parent.children.push(node);
        }
    }

    fn put_text(&mut self, text: &str) -> Result<Option<Element>, ConvertError> {
        if !self.keeps() || text.is_empty() {
            return Ok(None);
        }
        let Some(parent) = self.open.last_mut() else { return Ok(None) };
        if let Some(Node::Text(before)) = parent.children.last_mut() {
            // References cut a text into pieces, which are put together again.
            before.push_str(text);
            return Ok(None);
        }
        parent.children.push(Node::Text(text.to_owned()));
        self.count()?;
        Ok(None)
    }
}

/// Refuses a document type whose entities are made of other entities, or are long: they are there to multiply.
fn refuse_bomb(declared: &str) -> Result<(), ConvertError> {
    for declaration in declared.split("<!ENTITY").skip(1) {
        let literal = declaration.find(['"', '\'']).and_then(|at| {
            let quote = declaration.get(at..)?.chars().next()?;
            declaration.get(at + 1..)?.split(quote).next()
        });
        let literal = literal.unwrap_or_default();
        if literal.contains('&') || literal.contains('%') || literal.len() > LONGEST_ENTITY {
            let message = "the XML declares entities that expand to many times their size";
            let hint = "remove the <!DOCTYPE …> declaration and try again";
            return Err(ConvertError::new(ErrorKind::Refused, message, hint));
        }
    }
    Ok(())
}

/// The encoding that the first line names.
pub(crate) fn declared_encoding(bytes: &[u8]) -> Option<String> {
    let head = String::from_utf8_lossy(bytes.get(..200).unwrap_or(bytes));
    let declaration = head.trim_start_matches('\u{feff}').strip_prefix("<?xml")?.split("?>").next()?;
    let value = declaration.split_once("encoding")?.1.trim_start().strip_prefix('=')?.trim_start();
    let quote = value.chars().next().filter(|char| matches!(char, '"' | '\''))?;
    value.get(1..)?.split(quote).next().map(str::to_owned)
}

/// What a reference such as `&lt;` stands for; unknown ones stay as they are written.
pub(crate) fn resolve(reference: &BytesRef<'_>) -> String {
    if let Ok(Some(char)) = reference.resolve_char_ref() {
        return char.to_string();
    }
    let name = reference.xml10_content();
    match resolve_predefined_entity(&name) {
        Some(text) => text.to_owned(),
        None => format!("&{name};"),
    }
}

fn local_name(name: &str) -> &str {
    name.rsplit_once(':').map_or(name, |(_, local)| local)
}
