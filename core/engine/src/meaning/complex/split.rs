//! The parts of complex numbers as views: real and imaginary parts lie two elements apart in the same memory.
//! Meanings of complex operands read them; `tf::real` and `tf::imag` are views of one part with the same layout.

use super::joined;
use crate::execute::execute;
use crate::op::{Gradient, Infer, Kind, Op, identity};
use crate::tape::Backward;
use crate::tensor::{Layout, Tensor, TensorType};
use kernels::dtype::DTypes;
use kernels::error::{Error, Result};
use kernels::shape::MAX_RANK;

/// Both parts of each number, as two tensors.
#[derive(Clone)]
pub(crate) struct Parts;

/// Part 0 or 1 over the memory of complex numbers.
pub(crate) fn part_layout(strides: &[isize], part: isize) -> Layout {
    let mut layout = Layout { strides: [0; MAX_RANK], offset: part };
    for (to, &from) in layout.strides.iter_mut().zip(strides) {
        *to = 2 * from;
    }
    layout
}

impl Op for Parts {
    identity!("parts");

    fn kind(&self) -> Kind {
        Kind::View
    }

    fn infer(&self, cx: &mut Infer<'_>) -> Result<()> {
        cx.check_dtype(0, DTypes::COMPLEX)?;
        for _ in 0..2 {
            cx.output(cx.dtype(0).real_dtype(), *cx.shape(0));
        }
        Ok(())
    }

    fn views(&self, _: &TensorType, strides: &[isize], outputs: &[TensorType]) -> Option<Vec<Layout>> {
        Some((0..outputs.len() as isize).map(|part| part_layout(strides, part)).collect())
    }

    fn gradient(&self) -> Gradient {
        Gradient::Rule
    }

    fn backward(&self, g: &mut Backward<'_>) -> Result<()> {
        let dx = joined(&g.dy(0)?, &g.dy(1)?)?;
        g.give(0, dx);
        Ok(())
    }
}

/// The real and the imaginary parts of complex numbers, without a copy.
#[track_caller]
pub(crate) fn parts(z: &Tensor) -> Result<(Tensor, Tensor)> {
    let mut both = execute(&Parts, &[z])?;
    match (both.pop(), both.pop()) {
        (Some(im), Some(re)) => Ok((re, im)),
        _ => Err(Error::internal("parts", "two results were expected")),
    }
}
