//! The right side of `&&` and `||` in a graph: a body of its own, so that it is computed only where the left side leaves
//! the answer open.

use super::merge::{Side, merge};
use super::regions;
use crate::builder;
use crate::tensor::Tensor;
use kernels::error::{Error, Result};
use std::panic::Location;

/// A right side being recorded.
pub struct RightSide {
    region: usize,
    open: bool,
}

impl RightSide {
    pub fn begin() -> Option<Self> {
        let outer = builder::current()?;
        Some(Self { region: regions::enter(outer.inside("right")), open: true })
    }

    /// The whole: the right side's value where `left` is `goes_on`, else the opposite of `goes_on`.
    pub fn end(
        mut self,
        left: &Tensor,
        value: Tensor,
        goes_on: bool,
        at: &'static Location<'static>,
    ) -> Result<Tensor> {
        let fell = regions::settle(self.region, None, Some(vec![value]))?;
        self.open = false;
        let right = regions::exit(fell).ok_or_else(|| Error::internal("logic", "the right side is not open"))?.side;
        let outer = builder::current().ok_or_else(|| Error::internal("logic", "no graph is being recorded"))?;
        let short = vec![crate::constant::try_constant_of(!goes_on, crate::DType::Bool)?];
        let short = Side { builder: outer.inside("short"), leaving: Vec::new(), fell: Some(short) };
        let sides = if goes_on { [right, short] } else { [short, right] };
        let merged = merge(left, sides, None, at, &|_| String::new())?;
        let mut values = merged.fell.ok_or_else(|| Error::internal("logic", "the right side has no value"))?;
        Ok(values.remove(0))
    }
}

impl Drop for RightSide {
    fn drop(&mut self) {
        if self.open {
            regions::abandon(self.region);
        }
    }
}
