//! The thin lines among the paths of a page: drawn as strokes, or filled as narrow boxes.

use hayro_syntax::content::ops::TypedInstruction;

use super::content::Rule;
use super::geometry::{Area, Matrix};
use super::limits;

/// A box is a line when one side is at most this long, in points.
const THIN: f32 = 2.5;
/// And it is only worth keeping when the other is at least this long.
const LONG: f32 = 2.0;

/// The path that is being built.
#[derive(Debug, Default)]
pub(super) struct Paths {
    boxes: Vec<Area>,
    lines: Vec<((f64, f64), (f64, f64))>,
    start: (f64, f64),
    last: (f64, f64),
}

impl Paths {
    /// Takes part in an operation, if it is about paths.
    pub(super) fn perform(
        &mut self,
        operation: &TypedInstruction<'_, '_>,
        ctm: Matrix,
        rules: &mut Vec<Rule>,
    ) {
        use TypedInstruction as Op;
        match operation {
            Op::MoveTo(to) => {
                self.last = ctm.apply(to.0.as_f64(), to.1.as_f64());
                self.start = self.last;
            }
            Op::LineTo(to) => self.line_to(ctm.apply(to.0.as_f64(), to.1.as_f64())),
            Op::ClosePath(_) => self.line_to(self.start),
            Op::CubicTo(to) => self.last = ctm.apply(to.4.as_f64(), to.5.as_f64()),
            Op::CubicStartTo(to) => self.last = ctm.apply(to.2.as_f64(), to.3.as_f64()),
            Op::CubicEndTo(to) => self.last = ctm.apply(to.2.as_f64(), to.3.as_f64()),
            Op::RectPath(rect) if self.boxes.len() < limits::PAGE_RULES => {
                let (x, y) = (rect.0.as_f64(), rect.1.as_f64());
                let far = ctm.apply(x + rect.2.as_f64(), y + rect.3.as_f64());
                self.boxes.push(Area::around(ctm.apply(x, y), far));
            }
            Op::StrokePath(_) | Op::CloseAndStrokePath(_) => self.stroke(rules),
            Op::FillAndStrokeNonZero(_)
            | Op::FillAndStrokeEvenOdd(_)
            | Op::CloseFillAndStrokeNonZero(_)
            | Op::CloseFillAndStrokeEvenOdd(_) => self.stroke(rules),
            Op::FillPathNonZero(_) | Op::FillPathNonZeroCompatibility(_) | Op::FillPathEvenOdd(_) => {
                self.fill(rules)
            }
            Op::EndPath(_) => self.clear(),
            _ => {}
        }
    }

    fn line_to(&mut self, to: (f64, f64)) {
        if self.lines.len() < limits::PAGE_RULES {
            self.lines.push((self.last, to));
        }
        self.last = to;
    }

    fn stroke(&mut self, rules: &mut Vec<Rule>) {
        for area in &self.boxes {
            for side in [
                Area { y1: area.y0, ..*area },
                Area { y0: area.y1, ..*area },
                Area { x1: area.x0, ..*area },
                Area { x0: area.x1, ..*area },
            ] {
                push(side, rules);
            }
        }
        for (from, to) in &self.lines {
            push(Area::around(*from, *to), rules);
        }
        self.clear();
    }

    /// Filled boxes are lines when they are narrow; so are the four-cornered paths that some writers use instead of boxes.
    fn fill(&mut self, rules: &mut Vec<Rule>) {
        for area in &self.boxes {
            push(*area, rules);
        }
        if (3..=4).contains(&self.lines.len()) {
            let corners = self.lines.iter().flat_map(|(from, to)| [*from, *to]);
            let whole = corners.fold(None, |area: Option<Area>, point| {
                let point = Area::around(point, point);
                Some(area.map_or(point, |area| Area {
                    x0: area.x0.min(point.x0),
                    y0: area.y0.min(point.y0),
                    x1: area.x1.max(point.x1),
                    y1: area.y1.max(point.y1),
                }))
            });
            if let Some(area) = whole {
                push(area, rules);
            }
        }
        self.clear();
    }

    fn clear(&mut self) {
        self.boxes.clear();
        self.lines.clear();
    }
}

fn push(area: Area, rules: &mut Vec<Rule>) {
    let (width, height) = (area.width(), area.height());
    if rules.len() >= limits::PAGE_RULES || !(width.is_finite() && height.is_finite()) {
        return;
    }
    if height <= THIN && width >= LONG {
        rules.push(Rule { area, is_horizontal: true });
    } else if width <= THIN && height >= LONG {
        rules.push(Rule { area, is_horizontal: false });
    }
}
