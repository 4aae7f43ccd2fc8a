//! One part of an element-wise operation on complex numbers: an element-wise operation on the real numbers that they consist of.
//! `complex` makes two for a result, and all ways of element-wise work run them as any other operation.

use super::part_dtype;
use crate::op::{Attr, Gradient, Kind, Op, OpRef};
use kernels::dtype::{DType, DTypes};
use kernels::scalar::{ComplexVal, Meant, Scalar, Val};
use smallvec::SmallVec;

/// Part `part` (0 real, 1 imaginary) of what `of` gives for operands of `dtypes`, from those of their parts that are listed in `uses`.
#[derive(Clone)]
pub(super) struct Part {
    pub of: OpRef,
    pub dtypes: SmallVec<[DType; 4]>,
    pub part: usize,
    pub uses: SmallVec<[usize; 4]>,
}

impl Part {
    /// The operands of the complex meaning; what this part does not need is a stand-in.
    fn operands(&self, s: &Scalar, inputs: &[Val]) -> SmallVec<[ComplexVal; 4]> {
        let value = |which: usize| match self.uses.iter().position(|&u| u == which) {
            Some(at) => inputs[at],
            None => s.unused(part_dtype(&self.dtypes, which).compute()),
        };
        let one = |(i, dtype): (usize, &DType)| {
            let re = value(2 * i);
            ComplexVal::new(re, if dtype.is_complex() { value(2 * i + 1) } else { re })
        };
        self.dtypes.iter().enumerate().map(one).collect()
    }
}

impl Op for Part {
    /// That of the operation itself, so that errors speak of what the user called; attributes tell the parts apart.
    fn name(&self) -> &'static str {
        self.of.name()
    }

    fn keep(&self) -> OpRef {
        OpRef::Shared(std::sync::Arc::new(self.clone()))
    }

    fn as_dyn(&self) -> &dyn Op {
        self
    }

    fn attributes(&self, visit: &mut dyn FnMut(&'static str, Attr<'_>)) {
        self.of.attributes(visit);
        visit("part", Attr::Text(if self.part == 0 { "re" } else { "im" }));
        for dtype in &self.dtypes {
            visit("of", Attr::DType(*dtype));
        }
    }

    fn kind(&self) -> Kind {
        Kind::Elementwise { accepts: DTypes::REAL, direct: None }
    }

    fn mixes_dtypes(&self) -> bool {
        self.of.mixes_dtypes()
    }

    fn scalar(&self, s: &Scalar, inputs: &[Val]) -> Val {
        match self.of.complex(s, &self.operands(s, inputs)) {
            Some(Meant::Complex(z)) if self.part == 1 => z.im,
            Some(Meant::Complex(z)) => z.re,
            Some(Meant::Real(x)) => x,
            // It was made because there is one.
            None => s.unused(part_dtype(&self.dtypes, 0)),
        }
    }

    /// By the complex derivative f' of f = u + iv, where the operation gives it: u' by the two parts is (Re f', -Im f'), v' is
    /// (Im f', Re f'), as Cauchy and Riemann have it.
    fn partial(&self, s: &Scalar, x: &[Val], _: Val, dy: Val, index: usize) -> Option<Val> {
        let (operand, by) = (self.uses[index] / 2, self.uses[index] % 2);
        let slope = self.of.complex_slope(s, &self.operands(s, x), operand)?;
        Some(match (self.part, by) {
            (0, 0) | (1, 1) => s.mul(slope.re, dy),
            (0, _) => s.neg(s.mul(slope.im, dy)),
            _ => s.mul(slope.im, dy),
        })
    }

    fn gradient(&self) -> Gradient {
        self.of.gradient()
    }
}
