//! Turns the text of a page into a tree: html5ever reads HTML as browsers do and says here what it found.

use std::borrow::Cow;
use std::cell::{Cell, Ref, RefCell};

use html5ever::interface::{ElementFlags, NodeOrText, QuirksMode, TreeSink};
use html5ever::tendril::{StrTendril, TendrilSink};
use html5ever::tree_builder::TreeBuilderOpts;
use html5ever::{Attribute, ParseOpts, QualName, local_name, ns};

use super::nesting::MOST_ATTRIBUTES;
use super::tree::{Content, Element, Tree};

/// Nodes and attributes of one page. One that has as many tags as a page may have comes to a million of them; but HTML opens
/// `<b>` that nobody closed again in each paragraph, so that a page of 30 kB can ask for millions.
const MOST_PARTS: usize = 1_500_000;

/// How much of a page is read between two looks at what it has become: too little for paragraphs that take much.
const STEP: usize = 256;

/// The tree of a page, and whether its end was left out because there was too much of it.
pub(super) fn parse(page: &str) -> (Tree, bool) {
    let opts = ParseOpts {
        // What stands in `<noscript>` is elements, not text.
        tree_builder: TreeBuilderOpts { scripting_enabled: false, ..TreeBuilderOpts::default() },
        ..ParseOpts::default()
    };
    let mut parser = html5ever::parse_document(Builder::new(), opts);
    let mut rest = page;
    while !rest.is_empty() && !parser.tokenizer.sink.sink.is_full() {
        let (step, after) = rest.split_at(rest.ceil_char_boundary(STEP));
        parser.process(StrTendril::from_slice(step));
        rest = after;
    }
    let is_cut = !rest.is_empty();
    (parser.finish(), is_cut)
}

/// A tree that is being built; the parser only ever has it by a shared reference.
struct Builder {
    arena: RefCell<Arena>,
    parts: Cell<usize>,
}

struct Arena {
    tree: Tree,
    /// The name of what is no element, which the parser promises not to ask for.
    nameless: QualName,
}

impl Builder {
    fn new() -> Self {
        let nameless = QualName::new(None, ns!(), local_name!(""));
        Self { arena: RefCell::new(Arena { tree: Tree::new(), nameless }), parts: Cell::new(0) }
    }

    fn is_full(&self) -> bool {
        self.parts.get() >= MOST_PARTS
    }

    fn count(&self, parts: usize) {
        self.parts.set(self.parts.get().saturating_add(parts));
    }

    /// Puts a node or text at the end of a parent, or in front of one of its children; text joins that before it.
    fn insert(&self, parent: u32, before: Option<u32>, child: NodeOrText<u32>) {
        let tree = &mut self.arena.borrow_mut().tree;
        let text = match child {
            NodeOrText::AppendNode(Tree::ASIDE) => return,
            NodeOrText::AppendNode(node) => return tree.insert(node, parent, before),
            NodeOrText::AppendText(text) => text,
        };
        let neighbour = match before {
            Some(next) => tree.previous(next),
            None => tree.last(parent),
        };
        if let Some(Content::Text(own)) = neighbour.and_then(|neighbour| tree.content_mut(neighbour)) {
            own.push_tendril(&text);
            return;
        }
        self.count(1);
        let node = tree.add(Content::Text(text));
        tree.insert(node, parent, before);
    }
}

impl TreeSink for Builder {
    type Handle = u32;
    type Output = Tree;
    type ElemName<'a> = Ref<'a, QualName>;

    fn finish(self) -> Tree {
        self.arena.into_inner().tree
    }

    fn get_document(&self) -> u32 {
        Tree::ROOT
    }

    fn elem_name<'a>(&'a self, target: &'a u32) -> Ref<'a, QualName> {
        Ref::map(self.arena.borrow(), |arena| match arena.tree.content(*target) {
            Some(Content::Element(element)) => &element.name,
            _ => &arena.nameless,
        })
    }

    fn create_element(&self, name: QualName, mut attributes: Vec<Attribute>, flags: ElementFlags) -> u32 {
        if self.is_full() {
            attributes = Vec::new();
        }
        self.count(1 + attributes.len());
        let holds_html = flags.mathml_annotation_xml_integration_point;
        self.arena.borrow_mut().tree.add(Content::Element(Element { name, attributes, holds_html }))
    }

    fn create_comment(&self, _text: StrTendril) -> u32 {
        Tree::ASIDE
    }

    fn create_pi(&self, _target: StrTendril, _data: StrTendril) -> u32 {
        Tree::ASIDE
    }

    fn append(&self, parent: &u32, child: NodeOrText<u32>) {
        self.insert(*parent, None, child);
    }

    fn append_before_sibling(&self, sibling: &u32, child: NodeOrText<u32>) {
        let parent = self.arena.borrow().tree.parent(*sibling);
        if let Some(parent) = parent {
            self.insert(parent, Some(*sibling), child);
        }
    }

    fn append_based_on_parent_node(&self, element: &u32, previous: &u32, child: NodeOrText<u32>) {
        let parent = self.arena.borrow().tree.parent(*element);
        match parent {
            Some(parent) => self.insert(parent, Some(*element), child),
            None => self.insert(*previous, None, child),
        }
    }

    /// Templates hold what scripts would show.
    fn get_template_contents(&self, _target: &u32) -> u32 {
        Tree::ASIDE
    }

    fn same_node(&self, one: &u32, other: &u32) -> bool {
        one == other
    }

    fn add_attrs_if_missing(&self, target: &u32, attributes: Vec<Attribute>) {
        let tree = &mut self.arena.borrow_mut().tree;
        let Some(Content::Element(element)) = tree.content_mut(*target) else { return };
        for attribute in attributes {
            if element.attributes.len() < MOST_ATTRIBUTES
                && element.attributes.iter().all(|own| own.name != attribute.name)
            {
                self.count(1);
                element.attributes.push(attribute);
            }
        }
    }

    fn remove_from_parent(&self, target: &u32) {
        self.arena.borrow_mut().tree.detach(*target);
    }

    fn reparent_children(&self, node: &u32, new_parent: &u32) {
        let tree = &mut self.arena.borrow_mut().tree;
        while let Some(child) = tree.first(*node).filter(|_| node != new_parent) {
            tree.insert(child, *new_parent, None);
        }
    }

    fn is_mathml_annotation_xml_integration_point(&self, node: &u32) -> bool {
        let arena = self.arena.borrow();
        matches!(arena.tree.content(*node), Some(Content::Element(element)) if element.holds_html)
    }

    fn parse_error(&self, _message: Cow<'static, str>) {}

    fn append_doctype_to_document(&self, _name: StrTendril, _public: StrTendril, _system: StrTendril) {}

    fn set_quirks_mode(&self, _mode: QuirksMode) {}
}

#[cfg(test)]
mod tests {
    use super::super::tree::Node;
    use super::parse;

    /// The body of a page as nested names and texts.
    fn shape(node: Node<'_>) -> String {
        if let Some(text) = node.text() {
            return text.to_owned();
        }
        let inside = node.children().map(shape).collect::<Vec<_>>().join(" ");
        format!("{}({inside})", node.name().unwrap_or("?"))
    }

    fn check(page: &str, expected: &str) {
        let (tree, is_cut) = parse(page);
        assert_eq!(shape(tree.root()), format!("?(html(head() body({expected})))"), "{page}");
        assert!(!is_cut, "{page}");
    }

    #[test]
    fn pages_are_read_as_browsers_read_them() {
        check("<p>a<p>b", "p(a) p(b)");
        check("<b>a<p>b</b>c", "b(a) p(b(b) c)");
        check("<table>a<tr><td>b</table>", "a table(tbody(tr(td(b))))");
        check("<table><tr><td>b</td></tr>a</table>c", "a table(tbody(tr(td(b)))) c");
        check("<table><p>a<tr><td>b", "p(a) table(tbody(tr(td(b))))");
        check("<a>1<div>2<a>3</a></div>", "a(1) div(a(2) a(3))");
        check("x<noscript><p>a</p></noscript>", "x noscript(p(a))");
        check(&format!("<p>{}", "ä".repeat(5_000)), &format!("p({})", "ä".repeat(5_000)));
    }

    #[test]
    fn comments_and_templates_leave_nothing_behind() {
        check("a<!-- x -->b<?y?>c", "abc");
        check("<p>a</p><template><p>x<b>y</b></p><tr><td>z</template><p>b", "p(a) template() p(b)");
    }

    #[test]
    fn attributes_of_a_second_body_are_added() {
        let (tree, _) = parse("<body class='x y'><p>a<body class=z id=b>");
        let body = tree.find("body").unwrap();
        assert!(body.has_class("y") && !body.has_class("z") && body.has_id("b"));
    }

    #[test]
    fn nodes_below_one_are_those_inside_of_it_in_order() {
        let (tree, _) = parse("<div>1<ul><li>2<li><b>3</b></ul>4</div>5");
        let inside = |name| tree.find(name).unwrap().text_below();
        assert_eq!(
            (inside("div").as_str(), inside("ul").as_str(), inside("b").as_str()),
            ("1234", "23", "3")
        );
        let above: Vec<_> = tree.find("b").unwrap().ancestors().filter_map(Node::name).collect();
        assert_eq!(above, ["li", "ul", "div", "body", "html"]);
    }
}
