//! A small tree of XML elements for formats that are made of it.
//!
//! Names lose their prefixes: in the formats read here no two vocabularies share a name with different meanings at the same
//! place. A document type declaration is refused, so no entity beyond the five of XML is ever expanded; depth is bounded and
//! the tree is dropped without deep recursion because it is not deep.

use std::borrow::Cow;

use quick_xml::escape::resolve_predefined_entity;
use quick_xml::events::{BytesRef, BytesStart, Event};
use quick_xml::{Reader, XmlVersion};

use crate::{ConvertError, ErrorKind, Limits, charset};

/// A tree is many times larger than its text; this bounds it to a few hundred megabytes.
const MAX_EVENTS: usize = 4_000_000;

/// An element with its attributes and content.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Element {
    /// The name without its prefix.
    pub(crate) name: String,
    attributes: Vec<(String, String)>,
    /// What stands inside, in order.
    pub(crate) children: Vec<Node>,
}

/// What can stand inside of an element.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Node {
    /// An element.
    Element(Element),
    /// Text between elements, with its white space.
    Text(String),
}

impl Element {
    /// An attribute by its name as the document writes it, else by its name without a prefix.
    pub(crate) fn attribute(&self, name: &str) -> Option<&str> {
        let exact = self.attributes.iter().find(|(known, _)| known == name);
        let local = || self.attributes.iter().find(|(known, _)| local_name(known) == name);
        exact.or_else(local).map(|(_, value)| value.as_str())
    }

    /// All attributes with their names as the document writes them.
    pub(crate) fn attributes(&self) -> impl Iterator<Item = (&str, &str)> {
        self.attributes.iter().map(|(name, value)| (name.as_str(), value.as_str()))
    }

    /// The elements directly inside.
    pub(crate) fn elements(&self) -> impl Iterator<Item = &Element> {
        self.children.iter().filter_map(|node| match node {
            Node::Element(element) => Some(element),
            Node::Text(_) => None,
        })
    }

    /// The first element of a name directly inside.
    pub(crate) fn child(&self, name: &str) -> Option<&Element> {
        self.elements().find(|element| element.name == name)
    }

    /// The elements of a name directly inside.
    pub(crate) fn all<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a Element> {
        self.elements().filter(move |element| element.name == name)
    }

    /// The element at the end of a path of names.
    pub(crate) fn at(&self, path: &[&str]) -> Option<&Element> {
        path.iter().try_fold(self, |element, name| element.child(name))
    }

    /// The first element of a name anywhere inside.
    pub(crate) fn find(&self, name: &str) -> Option<&Element> {
        self.elements()
            .find_map(|element| if element.name == name { Some(element) } else { element.find(name) })
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
    parse_until(bytes, limits, "", 0).map(|(root, _)| root)
}

/// Reads a document up to the end of the element of this name and count; whether it was left before its own end.
pub(crate) fn parse_until(
    bytes: &[u8],
    limits: &Limits,
    name: &str,
    most: usize,
) -> Result<(Element, bool), ConvertError> {
    let mut seen = 0;
    let mut is_cut = false;
    let text = charset::decode(bytes, declared_encoding(bytes).as_deref());
    let mut reader = Reader::from_str(&text);
    let mut open: Vec<Element> = vec![Element::default()];
    let mut count = 0_usize;
    loop {
        let event =
            reader.read_event().map_err(|error| ConvertError::damaged(format_args!("XML: {error}")))?;
        count += 1;
        if count > MAX_EVENTS {
            return Err(ConvertError::too_large(format_args!(
                "more than {MAX_EVENTS} elements and texts of XML"
            )));
        }
        match event {
            Event::Start(start) => {
                if open.len() > limits.depth {
                    let depth = limits.depth;
                    return Err(ConvertError::too_large(format_args!("XML nested deeper than {depth}")));
                }
                open.push(element(&start));
            }
            Event::Empty(start) => put(&mut open, Node::Element(element(&start))),
            Event::End(_) => {
                let closed = if open.len() > 1 { open.pop() } else { None };
                if let Some(element) = closed {
                    seen += usize::from(element.name == name);
                    put(&mut open, Node::Element(element));
                }
                if most > 0 && seen >= most {
                    is_cut = true;
                    break;
                }
            }
            Event::Text(text) => put_text(&mut open, &text.xml10_content()),
            Event::CData(text) => put_text(&mut open, &text.xml10_content()),
            Event::GeneralRef(reference) => put_text(&mut open, &resolve(&reference)),
            Event::DocType(_) => return Err(doctype()),
            Event::Decl(_) | Event::PI(_) | Event::Comment(_) => {}
            Event::Eof => break,
        }
    }
    while is_cut && open.len() > 1 {
        if let Some(element) = open.pop() {
            put(&mut open, Node::Element(element));
        }
    }
    if open.len() != 1 {
        return Err(ConvertError::damaged("the XML ends inside of an element"));
    }
    let root = open.pop().and_then(|mut document| {
        let at = document.children.iter().position(|node| matches!(node, Node::Element(_)))?;
        match document.children.swap_remove(at) {
            Node::Element(element) => Some(element),
            Node::Text(_) => None,
        }
    });
    let root = root.ok_or_else(|| ConvertError::damaged("the XML has no element"))?;
    Ok((root, is_cut))
}

/// The error for a document type declaration.
pub(crate) fn doctype() -> ConvertError {
    let message = "the XML declares a document type, which is refused because it can define entities";
    ConvertError::new(ErrorKind::Refused, message, "remove the <!DOCTYPE …> declaration and try again")
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

fn element(start: &BytesStart<'_>) -> Element {
    let mut found = start.attributes();
    // Without the check for duplicates, which takes quadratic time.
    let found = found.with_checks(false).flatten();
    let attributes = found.map(|attribute| {
        let value = attribute.normalized_value(XmlVersion::Explicit1_0);
        let value = value.map_or_else(|_| attribute.value.to_string(), Cow::into_owned);
        (attribute.key.as_ref().to_owned(), value)
    });
    let attributes = attributes.collect();
    Element { name: start.local_name().as_ref().to_owned(), attributes, children: Vec::new() }
}

fn put(open: &mut [Element], node: Node) {
    if let Some(parent) = open.last_mut() {
        parent.children.push(node);
    }
}

fn put_text(open: &mut [Element], text: &str) {
    let Some(parent) = open.last_mut() else { return };
    match parent.children.last_mut() {
        Some(Node::Text(before)) => before.push_str(text),
        _ => parent.children.push(Node::Text(text.to_owned())),
    }
}

fn local_name(name: &str) -> &str {
    name.rsplit_once(':').map_or(name, |(_, local)| local)
}
