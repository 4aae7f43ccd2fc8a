//! What a frame header says: sizes, components and their sampling, and what follows from them.
//! The readers of scans and the makers of pixels ask it.

use super::bad;
use kernels::error::Result;

/// A component as the frame header describes it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Component {
    pub id: u8,
    /// Blocks of a unit side by side and above each other.
    pub h: usize,
    pub v: usize,
    /// Which table of quantization.
    pub table: usize,
}

impl Component {
    pub fn new(id: u8, sampling: u8, table: u8) -> Result<Self> {
        let (h, v) = (usize::from(sampling >> 4), usize::from(sampling & 15));
        if !(1..=4).contains(&h) || !(1..=4).contains(&v) || table > 3 {
            return Err(bad("a component's sampling is damaged").got(format!("{h} by {v}, table {table}")));
        }
        Ok(Self { id, h, v, table: usize::from(table) })
    }
}

/// A frame header.
#[derive(Clone, Debug)]
pub(super) struct Frame {
    pub height: usize,
    pub width: usize,
    pub components: Vec<Component>,
    pub is_progressive: bool,
}

impl Frame {
    /// The largest sampling in both directions, which a unit of all components has.
    pub fn most(&self) -> (usize, usize) {
        let h = self.components.iter().map(|c| c.h).max();
        let v = self.components.iter().map(|c| c.v).max();
        (h.unwrap_or(1), v.unwrap_or(1))
    }

    /// Units of all components side by side and above each other.
    pub fn units(&self) -> (usize, usize) {
        let (h, v) = self.most();
        (self.width.div_ceil(8 * h), self.height.div_ceil(8 * v))
    }

    /// Blocks of a component that hold pixels, side by side and above each other: what a scan of it alone has.
    pub fn blocks(&self, component: usize) -> (usize, usize) {
        let ((h, v), c) = (self.most(), &self.components[component]);
        ((self.width * c.h).div_ceil(h).div_ceil(8), (self.height * c.v).div_ceil(v).div_ceil(8))
    }
}
