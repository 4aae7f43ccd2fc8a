//! `real`: the real parts of complex numbers, a view without a copy; dz = complex(dy, 0). Of real numbers, the tensor itself.
//! TensorFlow's `tf.math.real`. `imag` shares the operation.

use super::{public, zeros_of};
use crate::execute::execute1;
use crate::meaning::{joined, part_layout};
use crate::op::{Gradient, Infer, Kind, Op, identity};
use crate::tape::Backward;
use crate::tensor::{Layout, Tensor, TensorType};
use kernels::dtype::DTypes;
use kernels::error::{Error, Result};

/// One part of each complex number.
#[derive(Clone)]
pub(crate) struct PartView {
    pub imaginary: bool,
}

impl Op for PartView {
    identity!("part", { "imaginary": Bool = |this| this.imaginary });

    fn kind(&self) -> Kind {
        Kind::View
    }

    fn infer(&self, cx: &mut Infer<'_>) -> Result<()> {
        cx.check_dtype(0, DTypes::COMPLEX)?;
        cx.output(cx.dtype(0).real_dtype(), *cx.shape(0));
        Ok(())
    }

    fn view(&self, _: &TensorType, strides: &[isize], _: &TensorType) -> Option<Layout> {
        Some(part_layout(strides, isize::from(self.imaginary)))
    }

    fn gradient(&self) -> Gradient {
        Gradient::Rule
    }

    fn backward(&self, g: &mut Backward<'_>) -> Result<()> {
        let dy = g.dy(0)?;
        let zeros = zeros_of(dy.ty())?;
        let dx = match self.imaginary {
            true => joined(&zeros, &dy)?,
            false => joined(&dy, &zeros)?,
        };
        g.give(0, dx);
        Ok(())
    }
}

/// An error for truth values, which have no parts.
pub(crate) fn check_numbers(op: &str, x: &Tensor) -> Result<()> {
    match DTypes::NUMBERS.and(DTypes::COMPLEX).has(x.dtype()) {
        true => Ok(()),
        false => Err(Error::invalid_argument(op, "the tensor holds no numbers")
            .got(x.dtype())
            .help("convert it with `cast`")),
    }
}

public! {
    /// The real part of each element, as a view: no element is copied. A tensor of real numbers is its own real part.
    ///
    /// ```
    /// use eagerflow::{self as tf, Complex};
    /// let z = tf::Tensor::from([Complex::new(1.0_f32, 2.0), Complex::new(3.0, -4.0)]);
    /// assert_eq!(tf::real(&z).to_vec::<f32>(), [1.0, 3.0]);
    /// ```
    pub fn real, try_real(x) -> Tensor {
        check_numbers("real", x)?;
        match x.dtype().is_complex() {
            true => execute1(&PartView { imaginary: false }, &[x]),
            false => Ok(x.clone()),
        }
    }
}
