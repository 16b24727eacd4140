//! One page as positioned glyphs, ruled lines and images: a reader of content streams that draws nothing.

use std::rc::Rc;

use hayro_syntax::content::TypedIter;
use hayro_syntax::content::ops::TypedInstruction;
use hayro_syntax::object::{Array, Dict, Name, Object, Stream, dict_or_stream};
use hayro_syntax::page::{Page, Resources};

use super::font::{Fonts, LoadedFont, Style, text_string};
use super::geometry::{Area, Matrix};
use super::limits;
use super::paths::Paths;

/// A glyph where it stands.
#[derive(Debug, Clone)]
pub(super) struct Glyph {
    /// What it says; empty where an earlier glyph speaks for it.
    pub(super) text: Rc<str>,
    pub(super) x0: f32,
    pub(super) x1: f32,
    /// The baseline.
    pub(super) y: f32,
    pub(super) size: f32,
    pub(super) style: Style,
    /// The number of the marked content that holds it: the key into the structure tree.
    pub(super) mark: Option<u32>,
    /// Which of the page's links it belongs to.
    pub(super) link: Option<u16>,
    /// In quarter turns: 0 for text that runs to the right.
    turn: u8,
}

/// A thin line, of a table mostly.
#[derive(Debug, Clone, Copy)]
pub(super) struct Rule {
    pub(super) area: Area,
    pub(super) is_horizontal: bool,
}

/// What stands on a page.
#[derive(Debug, Default)]
pub(super) struct PageContent {
    pub(super) width: f32,
    pub(super) height: f32,
    pub(super) glyphs: Vec<Glyph>,
    pub(super) rules: Vec<Rule>,
    /// How much of the page images cover, from 0 to 1 and more.
    pub(super) image_share: f32,
    /// Glyphs whose meaning the file does not tell.
    pub(super) unreadable: usize,
    /// Glyphs that run in another direction than the page's text.
    pub(super) turned: usize,
    /// Whether a limit cut the page short.
    pub(super) is_cut: bool,
}

/// What the pages of a document may still take.
pub(super) struct Budget {
    operations: usize,
    text: usize,
}

impl Default for Budget {
    fn default() -> Self {
        Budget { operations: limits::DOCUMENT_OPERATIONS, text: limits::DOCUMENT_TEXT }
    }
}

/// Reads what stands on a page.
pub(super) fn read_page<'a>(page: &Page<'a>, fonts: &mut Fonts<'a>, budget: &mut Budget) -> PageContent {
    let (mut width, mut height) = page.render_dimensions();
    let mut to_page = Matrix(page.initial_transform(true).as_coeffs());
    if !(to_page.is_finite() && width.max(height) <= limits::PAGE_SIDE) {
        // A page of a hundred thousand miles has its text, if any, where pages usually have it.
        (width, height) = (595.0, 842.0);
        to_page = Matrix([1.0, 0.0, 0.0, -1.0, 0.0, 842.0]);
    }
    let mut reader = ContentReader {
        fonts,
        out: PageContent { width, height, ..PageContent::default() },
        state: State::new(to_page),
        stack: Vec::new(),
        marks: Vec::new(),
        operations: limits::PAGE_OPERATIONS.min(budget.operations),
        text: budget.text,
        open_forms: Vec::new(),
        paths: Paths::default(),
    };
    if has_text(page)
        && let Some(data) = page.page_stream()
    {
        reader.run(data, page.resources());
    }
    let used = limits::PAGE_OPERATIONS.min(budget.operations) - reader.operations;
    budget.operations = budget.operations.saturating_sub(used);
    budget.text = reader.text;
    let mut out = reader.out;
    upright(&mut out);
    underscores(&mut out);
    out
}

/// Whether the content of a page is no picture: those are not counted before they are decoded.
fn has_text(page: &Page<'_>) -> bool {
    let is_text = |stream: &Stream<'_>| stream.dict().get::<Name<'_>>(b"Subtype".as_slice()).is_none();
    match page.raw().get::<Object<'_>>(b"Contents".as_slice()) {
        Some(Object::Stream(stream)) => is_text(&stream),
        Some(Object::Array(streams)) => streams.iter::<Stream<'_>>().all(|stream| is_text(&stream)),
        _ => true,
    }
}

/// TeX draws the underscore of a name as a short line: it goes back between its letters.
fn underscores(page: &mut PageContent) {
    let mut after: Vec<(usize, Glyph)> = Vec::new();
    let mut rules = Vec::with_capacity(page.rules.len());
    let candidates = page.rules.iter().filter(|rule| rule.is_horizontal && rule.area.width() < 8.0).count();
    if candidates == 0 || candidates > 300 {
        return;
    }
    for rule in page.rules.drain(..) {
        let (x0, x1, y) = (rule.area.x0, rule.area.x1, rule.area.y1);
        let before = (rule.is_horizontal && x1 - x0 < 8.0).then(|| {
            page.glyphs.iter().position(|glyph| {
                let width = (x1 - x0) / glyph.size;
                (glyph.x1 - x0).abs() < 0.15 * glyph.size
                    && (-0.05..0.35).contains(&((y - glyph.y) / glyph.size))
                    && (0.2..0.7).contains(&width)
                    && glyph.text.ends_with(|char: char| char.is_alphanumeric() || char == '_')
            })
        });
        match before.flatten().and_then(|index| Some((index, page.glyphs.get(index)?))) {
            Some((index, glyph)) => {
                after.push((index, Glyph { text: Rc::from("_"), x0, x1, ..glyph.clone() }))
            }
            None => rules.push(rule),
        }
    }
    page.rules = rules;
    after.sort_by_key(|(index, _)| std::cmp::Reverse(*index));
    for (index, glyph) in after {
        page.glyphs.insert(index + 1, glyph);
    }
}

/// Turns the page so that most of its text runs to the right, and drops what does not.
fn upright(page: &mut PageContent) {
    let mut turns = [0_usize; 4];
    for glyph in &page.glyphs {
        if let Some(count) = turns.get_mut(usize::from(glyph.turn)) {
            *count += 1;
        }
    }
    let main = (0..4_u8).max_by_key(|&turn| (turns.get(usize::from(turn)), turn == 0)).unwrap_or(0);
    page.turned =
        page.glyphs.iter().filter(|glyph| glyph.turn != main && !glyph.text.trim().is_empty()).count();
    page.glyphs.retain(|glyph| glyph.turn == main);
    let (width, height) = (page.width, page.height);
    let turned = |x: f32, y: f32| match main {
        1 => (height - y, x),
        2 => (width - x, height - y),
        3 => (y, width - x),
        _ => (x, y),
    };
    if main == 0 {
        return;
    }
    for glyph in &mut page.glyphs {
        // For turned text `x1` holds the length and `x0`, `y` the origin (see `show`).
        let (x, y) = turned(glyph.x0, glyph.y);
        let length = glyph.x1 - glyph.x0;
        (glyph.x0, glyph.x1, glyph.y) = (x, x + length, y);
    }
    for rule in &mut page.rules {
        let from = turned(rule.area.x0, rule.area.y0);
        let to = turned(rule.area.x1, rule.area.y1);
        rule.area = Area::around((from.0.into(), from.1.into()), (to.0.into(), to.1.into()));
        rule.is_horizontal ^= main != 2;
    }
    if main != 2 {
        (page.width, page.height) = (height, width);
    }
}

#[derive(Clone)]
struct State<'a> {
    ctm: Matrix,
    font: Option<Rc<LoadedFont<'a>>>,
    size: f64,
    char_space: f64,
    word_space: f64,
    horizontal_scale: f64,
    leading: f64,
    rise: f64,
    text: Matrix,
    line: Matrix,
}

impl State<'_> {
    fn new(ctm: Matrix) -> Self {
        State {
            ctm,
            font: None,
            size: 1.0,
            char_space: 0.0,
            word_space: 0.0,
            horizontal_scale: 1.0,
            leading: 0.0,
            rise: 0.0,
            text: Matrix::IDENTITY,
            line: Matrix::IDENTITY,
        }
    }
}

/// A marked content that is open.
struct Mark {
    id: Option<u32>,
    is_furniture: bool,
    /// The text that stands for the glyphs inside, until the first of them took it.
    actual_text: Option<Rc<str>>,
    speaks: bool,
}

struct ContentReader<'a, 'f> {
    fonts: &'f mut Fonts<'a>,
    out: PageContent,
    state: State<'a>,
    stack: Vec<State<'a>>,
    marks: Vec<Mark>,
    operations: usize,
    /// Bytes of text that may still be placed.
    text: usize,
    open_forms: Vec<(u32, i32)>,
    paths: Paths,
}

impl<'a> ContentReader<'a, '_> {
    fn run(&mut self, data: &[u8], resources: &Resources<'a>) {
        let (outer_states, outer_marks) = (self.stack.len(), self.marks.len());
        let mut operations = TypedIter::new(data);
        while let Some(operation) = operations.next() {
            if self.is_spent() {
                self.out.is_cut = true;
                break;
            }
            self.operations -= 1;
            self.perform(&operation, resources, outer_states);
        }
        if let Some(outer) = self.stack.drain(outer_states.min(self.stack.len())..).next() {
            self.state = outer;
        }
        self.marks.truncate(outer_marks);
    }

    fn perform(&mut self, operation: &TypedInstruction<'_, '_>, resources: &Resources<'a>, outer: usize) {
        use TypedInstruction as Op;
        match operation {
            Op::SaveState(_) if self.stack.len() < 4096 => self.stack.push(self.state.clone()),
            Op::RestoreState(_) if self.stack.len() > outer => {
                if let Some(state) = self.stack.pop() {
                    self.state = state;
                }
            }
            Op::Transform(m) => {
                self.state.ctm =
                    self.state.ctm.after(Matrix([m.0, m.1, m.2, m.3, m.4, m.5].map(|n| n.as_f64())));
            }
            Op::BeginText(_) => (self.state.text, self.state.line) = (Matrix::IDENTITY, Matrix::IDENTITY),
            Op::SetTextMatrix(m) => {
                self.state.line = Matrix([m.0, m.1, m.2, m.3, m.4, m.5].map(|n| n.as_f64()));
                self.state.text = self.state.line;
            }
            Op::TextFont(font) => {
                self.state.size = font.1.as_f64();
                self.state.font = self.fonts.named(font.0, resources);
            }
            Op::CharacterSpacing(space) => self.state.char_space = space.0.as_f64(),
            Op::WordSpacing(space) => self.state.word_space = space.0.as_f64(),
            Op::HorizontalScaling(percent) => self.state.horizontal_scale = percent.0.as_f64() / 100.0,
            Op::TextLeading(leading) => self.state.leading = leading.0.as_f64(),
            Op::TextRise(rise) => self.state.rise = rise.0.as_f64(),
            Op::NextLine(to) => self.next_line(to.0.as_f64(), to.1.as_f64()),
            Op::NextLineAndSetLeading(to) => {
                self.state.leading = -to.1.as_f64();
                self.next_line(to.0.as_f64(), to.1.as_f64());
            }
            Op::NextLineUsingLeading(_) => self.next_line(0.0, -self.state.leading),
            Op::ShowText(shown) => self.show(shown.0.as_bytes()),
            Op::NextLineAndShowText(shown) => {
                self.next_line(0.0, -self.state.leading);
                self.show(shown.0.as_bytes());
            }
            Op::ShowTextWithParameters(shown) => {
                self.state.word_space = shown.0.as_f64();
                self.state.char_space = shown.1.as_f64();
                self.next_line(0.0, -self.state.leading);
                self.show(shown.2.as_bytes());
            }
            Op::ShowTexts(shown) => self.show_all(shown.0),
            Op::XObject(name) => self.draw(name.0, resources),
            Op::InlineImage(_) => self.image(),
            Op::BeginMarkedContent(_) => {
                self.marks.push(Mark { id: None, is_furniture: false, actual_text: None, speaks: false })
            }
            Op::BeginMarkedContentWithProperties(begin) => self.begin_mark(begin.0, begin.1, resources),
            Op::EndMarkedContent(_) => drop(self.marks.pop()),
            other => self.paths.perform(other, self.state.ctm, &mut self.out.rules),
        }
    }

    fn is_spent(&self) -> bool {
        self.operations == 0 || self.text == 0 || self.out.glyphs.len() >= limits::PAGE_GLYPHS
    }

    fn next_line(&mut self, x: f64, y: f64) {
        self.state.line = self.state.line.after(Matrix::translation(x, y));
        self.state.text = self.state.line;
    }

    fn show_all(&mut self, items: &Array<'_>) {
        for item in items.iter::<Object<'_>>() {
            match item {
                Object::String(text) => self.show(text.as_bytes()),
                Object::Number(number) => {
                    let back = number.as_f64() / 1000.0 * self.state.size;
                    let horizontal = self.state.font.as_ref().is_none_or(|font| font.is_horizontal());
                    let (x, y) =
                        if horizontal { (-back * self.state.horizontal_scale, 0.0) } else { (0.0, -back) };
                    self.state.text = self.state.text.after(Matrix::translation(x, y));
                }
                _ => {}
            }
        }
    }

    fn show(&mut self, bytes: &[u8]) {
        let Some(font) = self.state.font.clone() else { return };
        let mut at = 0;
        while at < bytes.len() {
            let (code, length, meaning) = font.read(bytes, at);
            at += length;
            let state = &self.state;
            let scaled = Matrix([state.size * state.horizontal_scale, 0.0, 0.0, state.size, 0.0, state.rise]);
            let full = state.ctm.after(state.text).after(scaled);
            let word_space = if code == 32 && length == 1 { state.word_space } else { 0.0 };
            let advance = meaning.advance / 1000.0 * state.size + state.char_space + word_space;
            let (x, y) =
                if font.is_horizontal() { (advance * state.horizontal_scale, 0.0) } else { (0.0, advance) };
            self.state.text = self.state.text.after(Matrix::translation(x, y));
            self.place(&font, full, &meaning);
            self.operations = self.operations.saturating_sub(1);
            if self.is_spent() {
                return;
            }
        }
    }

    fn place(&mut self, font: &LoadedFont<'a>, full: Matrix, meaning: &super::font::Code) {
        if !full.is_finite() || self.marks.iter().any(|mark| mark.is_furniture) {
            return;
        }
        let (x, y) = full.apply(0.0, 0.0);
        let (end_x, end_y) = full.apply(meaning.advance / 1000.0, 0.0);
        let size = (full.vertical_scale() * font.scale) as f32;
        let (slack, x, y) = (size.min(50.0), x as f32, y as f32);
        let page = Area { x0: 0.0, y0: 0.0, x1: self.out.width, y1: self.out.height };
        if !page.grown(slack).contains(x, y) || size < 0.5 {
            return;
        }
        let spoken = self.marks.iter_mut().rev().find(|mark| mark.speaks);
        let text = match spoken {
            Some(mark) => mark.actual_text.take().unwrap_or_default(),
            None => match &meaning.text {
                Some(text) => text.clone(),
                None => {
                    self.out.unreadable += 1;
                    return;
                }
            },
        };
        let (along_x, along_y) = (full.0[0], full.0[1]);
        let turn = match (along_x.abs() >= along_y.abs(), along_x >= 0.0, along_y >= 0.0) {
            (true, true, _) => 0,
            (true, false, _) => 2,
            (false, _, true) => 3,
            (false, _, false) => 1,
        };
        // Text that leans (a watermark) belongs to no line.
        let leans = along_x.abs().min(along_y.abs()) > 0.2 * along_x.abs().max(along_y.abs());
        if leans {
            self.out.turned += 1;
            return;
        }
        let length = ((end_x as f32 - x).hypot(end_y as f32 - y)).min(page.width() + page.height());
        let mark = self.marks.iter().rev().find_map(|mark| mark.id);
        self.text = self.text.saturating_sub(text.len().max(1));
        self.out.glyphs.push(Glyph {
            text,
            x0: x,
            x1: x + length,
            y,
            size,
            style: font.style,
            mark,
            link: None,
            turn,
        });
    }

    fn begin_mark(&mut self, tag: &Name<'_>, properties: &Object<'_>, resources: &Resources<'a>) {
        let of = |dict: &Dict<'_>| {
            let kind = dict.get::<Name<'_>>(b"Type".as_slice());
            let is_pagination = kind.is_some_and(|kind| kind.as_ref() == b"Pagination");
            let actual = dict.get::<hayro_syntax::object::String<'_>>(b"ActualText".as_slice());
            let actual = actual.map(|text| {
                let bytes = text.as_bytes();
                Rc::from(text_string(bytes.get(..limits::ACTUAL_TEXT).unwrap_or(bytes)))
            });
            Mark {
                id: dict.get::<u32>(b"MCID".as_slice()),
                is_furniture: tag.as_ref() == b"Artifact" && is_pagination,
                speaks: actual.is_some(),
                actual_text: actual,
            }
        };
        let named = match properties {
            Object::Name(name) => resources.properties.get::<Dict<'_>>(name),
            _ => None,
        };
        let mark = named.as_ref().or_else(|| dict_or_stream(properties).map(|(dict, _)| dict)).map(of);
        self.marks.push(mark.unwrap_or(Mark {
            id: None,
            is_furniture: false,
            actual_text: None,
            speaks: false,
        }));
    }

    fn draw(&mut self, name: &Name<'_>, resources: &Resources<'a>) {
        self.operations = self.operations.saturating_sub(limits::DRAW_OPERATIONS);
        let Some(object) = resources.get_x_object(name) else { return };
        let dict = object.dict();
        let subtype = dict.get::<Name<'_>>(b"Subtype".as_slice());
        match subtype.as_deref() {
            Some(b"Image") => self.image(),
            Some(b"Form") => self.form(&object, resources),
            _ => {}
        }
    }

    fn form(&mut self, form: &Stream<'a>, outer: &Resources<'a>) {
        let id = form.obj_id();
        let id = (id.obj_number, id.gen_number);
        if self.open_forms.len() >= limits::FORM_DEPTH || self.open_forms.contains(&id) {
            return;
        }
        let Ok(data) = form.decoded_data() else { return };
        // A form costs at least as much as its bytes: many calls of a large one are bounded too.
        self.operations = self.operations.saturating_sub(data.len() / 64);
        let dict = form.dict();
        let mut coefficients = Matrix::IDENTITY.0;
        if let Some(matrix) = dict.get::<Array<'_>>(b"Matrix".as_slice()) {
            for (slot, value) in coefficients.iter_mut().zip(matrix.iter::<f32>()) {
                *slot = f64::from(value);
            }
        }
        let resources =
            dict.get::<Dict<'a>>(b"Resources".as_slice()).map_or_else(|| outer.clone(), Resources::new);
        let saved = self.state.clone();
        self.state.ctm = self.state.ctm.after(Matrix(coefficients));
        self.open_forms.push(id);
        self.run(&data, &resources);
        self.open_forms.pop();
        self.state = saved;
    }

    fn image(&mut self) {
        let area = Area::around(self.state.ctm.apply(0.0, 0.0), self.state.ctm.apply(1.0, 1.0));
        let page = (self.out.width * self.out.height).max(1.0);
        let share = area.width() * area.height() / page;
        if share.is_finite() {
            self.out.image_share += share.clamp(0.0, 1.0);
        }
    }
}
