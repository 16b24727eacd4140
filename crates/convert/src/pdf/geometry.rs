//! Affine maps and boxes. Page space here is what a reader sees: points, origin at the top left, y growing downwards.

/// An affine map in the order in which PDF writes it: `a b c d e f`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Matrix(pub(super) [f64; 6]);

impl Matrix {
    pub(super) const IDENTITY: Matrix = Matrix([1.0, 0.0, 0.0, 1.0, 0.0, 0.0]);

    pub(super) fn translation(x: f64, y: f64) -> Matrix {
        Matrix([1.0, 0.0, 0.0, 1.0, x, y])
    }

    /// First `inner`, then `self`.
    pub(super) fn after(self, inner: Matrix) -> Matrix {
        let [a, b, c, d, e, f] = self.0;
        let [g, h, i, j, k, l] = inner.0;
        Matrix([
            a * g + c * h,
            b * g + d * h,
            a * i + c * j,
            b * i + d * j,
            a * k + c * l + e,
            b * k + d * l + f,
        ])
    }

    pub(super) fn apply(self, x: f64, y: f64) -> (f64, f64) {
        let [a, b, c, d, e, f] = self.0;
        (a * x + c * y + e, b * x + d * y + f)
    }

    /// How much a step upwards is stretched: turns a font size into points on the page.
    pub(super) fn vertical_scale(self) -> f64 {
        self.0[2].hypot(self.0[3])
    }

    pub(super) fn is_finite(self) -> bool {
        self.0.iter().all(|value| value.is_finite())
    }
}

/// A box on a page.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Area {
    pub(super) x0: f32,
    pub(super) y0: f32,
    pub(super) x1: f32,
    pub(super) y1: f32,
}

impl Area {
    /// The smallest box around two corners, whichever they are.
    pub(super) fn around((xa, ya): (f64, f64), (xb, yb): (f64, f64)) -> Area {
        Area { x0: xa.min(xb) as f32, y0: ya.min(yb) as f32, x1: xa.max(xb) as f32, y1: ya.max(yb) as f32 }
    }

    pub(super) fn width(self) -> f32 {
        self.x1 - self.x0
    }

    pub(super) fn height(self) -> f32 {
        self.y1 - self.y0
    }

    pub(super) fn contains(self, x: f32, y: f32) -> bool {
        x >= self.x0 && x <= self.x1 && y >= self.y0 && y <= self.y1
    }

    pub(super) fn grown(self, by: f32) -> Area {
        Area { x0: self.x0 - by, y0: self.y0 - by, x1: self.x1 + by, y1: self.y1 + by }
    }
}
