//! The tree of a web page: all nodes stand in one list and know their neighbours by number.
//!
//! No node owns another, so neither the depth of a page nor a node that the parser moves can cost more than its place in
//! the list. `parse` fills the tree; everything else reads it through [`Node`].

use html5ever::tendril::StrTendril;
use html5ever::{Attribute, QualName};

/// A parsed page.
pub(super) struct Tree {
    slots: Vec<Slot>,
}

/// A place in a tree.
#[derive(Clone, Copy)]
pub(super) struct Node<'a> {
    tree: &'a Tree,
    number: u32,
}

/// What a node is.
pub(super) enum Content {
    /// The node above a page, or above what belongs to no page.
    Top,
    Element(Element),
    Text(StrTendril),
}

/// An element as the parser made it.
pub(super) struct Element {
    pub(super) name: QualName,
    pub(super) attributes: Vec<Attribute>,
    /// Whether HTML stands inside of this element of MathML, which the parser asks for.
    pub(super) holds_html: bool,
}

struct Slot {
    content: Content,
    parent: Option<u32>,
    previous: Option<u32>,
    next: Option<u32>,
    first: Option<u32>,
    last: Option<u32>,
}

impl Tree {
    /// The node above the page.
    pub(super) const ROOT: u32 = 0;
    /// A node that is not part of the page: what the parser puts below it is left out.
    pub(super) const ASIDE: u32 = 1;

    pub(super) fn new() -> Self {
        let mut tree = Self { slots: Vec::new() };
        tree.add(Content::Top);
        tree.add(Content::Top);
        tree
    }

    pub(super) fn root(&self) -> Node<'_> {
        Node { tree: self, number: Self::ROOT }
    }

    /// The first element with a name, in the order of the page.
    pub(super) fn find(&self, name: &str) -> Option<Node<'_>> {
        self.root().descendants().find(|node| node.is(name))
    }

    /// A new node, which is nowhere yet.
    pub(super) fn add(&mut self, content: Content) -> u32 {
        let number = u32::try_from(self.slots.len()).unwrap_or(Self::ASIDE);
        self.slots.push(Slot { content, parent: None, previous: None, next: None, first: None, last: None });
        number
    }

    pub(super) fn content(&self, number: u32) -> Option<&Content> {
        Some(&self.slot(number)?.content)
    }

    pub(super) fn content_mut(&mut self, number: u32) -> Option<&mut Content> {
        Some(&mut self.slot_mut(number)?.content)
    }

    pub(super) fn parent(&self, number: u32) -> Option<u32> {
        self.slot(number)?.parent
    }

    pub(super) fn previous(&self, number: u32) -> Option<u32> {
        self.slot(number)?.previous
    }

    pub(super) fn first(&self, number: u32) -> Option<u32> {
        self.slot(number)?.first
    }

    pub(super) fn last(&self, number: u32) -> Option<u32> {
        self.slot(number)?.last
    }

    /// Moves a node to the end of another, or in front of one of its children.
    pub(super) fn insert(&mut self, number: u32, parent: u32, before: Option<u32>) {
        self.detach(number);
        let previous = match before {
            Some(next) => self.previous(next),
            None => self.last(parent),
        };
        if let Some(slot) = self.slot_mut(number) {
            (slot.parent, slot.previous, slot.next) = (Some(parent), previous, before);
        }
        self.join(parent, previous, Some(number));
        self.join(parent, Some(number), before);
    }

    /// Takes a node, and all below it, away from its parent.
    pub(super) fn detach(&mut self, number: u32) {
        let Some(slot) = self.slot_mut(number) else { return };
        let (parent, previous, next) = (slot.parent.take(), slot.previous.take(), slot.next.take());
        if let Some(parent) = parent {
            self.join(parent, previous, next);
        }
    }

    /// Makes two neighbours below a parent know each other; at an edge the parent takes the place of the one that is missing.
    fn join(&mut self, parent: u32, left: Option<u32>, right: Option<u32>) {
        match left {
            Some(left) => self.slot_mut(left).into_iter().for_each(|slot| slot.next = right),
            None => self.slot_mut(parent).into_iter().for_each(|slot| slot.first = right),
        }
        match right {
            Some(right) => self.slot_mut(right).into_iter().for_each(|slot| slot.previous = left),
            None => self.slot_mut(parent).into_iter().for_each(|slot| slot.last = left),
        }
    }

    fn slot(&self, number: u32) -> Option<&Slot> {
        self.slots.get(number as usize)
    }

    fn slot_mut(&mut self, number: u32) -> Option<&mut Slot> {
        self.slots.get_mut(number as usize)
    }
}

impl PartialEq for Node<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.number == other.number
    }
}

impl<'a> Node<'a> {
    /// The name of an element.
    pub(super) fn name(self) -> Option<&'a str> {
        Some(&self.element()?.name.local)
    }

    /// Whether this is an element with a name.
    pub(super) fn is(self, name: &str) -> bool {
        self.name() == Some(name)
    }

    pub(super) fn is_element(self) -> bool {
        self.element().is_some()
    }

    /// The value of an attribute; empty for one without a value.
    pub(super) fn attribute(self, name: &str) -> Option<&'a str> {
        let attribute = self.element()?.attributes.iter().find(|attribute| &attribute.name.local == name)?;
        Some(&attribute.value)
    }

    pub(super) fn id(self) -> Option<&'a str> {
        self.attribute("id")
    }

    pub(super) fn has_id(self, id: &str) -> bool {
        self.id() == Some(id)
    }

    pub(super) fn has_class(self, class: &str) -> bool {
        self.attribute("class").is_some_and(|own| own.split_ascii_whitespace().any(|word| word == class))
    }

    /// The text of a node that is nothing else.
    pub(super) fn text(self) -> Option<&'a str> {
        match self.tree.content(self.number)? {
            Content::Text(text) => Some(text),
            _ => None,
        }
    }

    /// All text below, in one piece.
    pub(super) fn text_below(self) -> String {
        self.descendants().filter_map(Self::text).collect()
    }

    pub(super) fn parent(self) -> Option<Self> {
        self.at(self.slot()?.parent)
    }

    pub(super) fn ancestors(self) -> impl Iterator<Item = Self> {
        std::iter::successors(self.parent(), |node| node.parent())
    }

    /// Whether one of the elements around this one is as asked for.
    pub(super) fn is_below(self, is_asked_for: impl Fn(Self) -> bool) -> bool {
        self.ancestors().any(is_asked_for)
    }

    pub(super) fn children(self) -> impl Iterator<Item = Self> {
        let first = self.slot().and_then(|slot| self.at(slot.first));
        std::iter::successors(first, |node| node.at(node.slot()?.next))
    }

    pub(super) fn elements(self) -> impl Iterator<Item = Self> {
        self.children().filter(|child| child.is_element())
    }

    /// The first child with a name.
    pub(super) fn child(self, name: &str) -> Option<Self> {
        self.children().find(|child| child.is(name))
    }

    /// All nodes below, in the order of the page.
    pub(super) fn descendants(self) -> impl Iterator<Item = Self> {
        let first = self.slot().and_then(|slot| self.at(slot.first));
        std::iter::successors(first, move |node| node.following(self))
    }

    /// The node that comes after this one in the order of the page, below `top`.
    fn following(self, top: Self) -> Option<Self> {
        let slot = self.slot()?;
        if slot.first.is_some() {
            return self.at(slot.first);
        }
        let mut ended = std::iter::once(self).chain(self.ancestors()).take_while(|node| *node != top);
        ended.find_map(|node| node.at(node.slot()?.next))
    }

    fn element(self) -> Option<&'a Element> {
        match self.tree.content(self.number)? {
            Content::Element(element) => Some(element),
            _ => None,
        }
    }

    fn slot(self) -> Option<&'a Slot> {
        self.tree.slot(self.number)
    }

    fn at(self, number: Option<u32>) -> Option<Self> {
        Some(Node { tree: self.tree, number: number? })
    }
}
