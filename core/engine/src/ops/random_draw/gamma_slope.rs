//! `random_gamma_grad`: the slope of a gamma number by the shape of its distribution, TensorFlow's implicit reparameterisation.
//! The gradient of gamma draws calls it.

use crate::op::{Gradient, Kind, Op, identity};
use kernels::dtype::{DType, DTypes};
use kernels::scalar::{Scalar, Val};

/// By how much a gamma number changes with alpha while its place in the distribution stays: inputs alpha and the number, `float64`.
#[derive(Clone)]
pub(super) struct GammaSlope;

impl Op for GammaSlope {
    identity!("random_gamma_grad");

    fn kind(&self) -> Kind {
        Kind::Elementwise { accepts: DTypes::of(&[DType::F64]), direct: None }
    }

    fn scalar(&self, s: &Scalar, x: &[Val]) -> Val {
        let (alpha, drawn) = (x[0], x[1]);
        let power = s.mul(s.sub(alpha, s.number(alpha, 1.0)), s.log(drawn));
        let density = s.exp(s.sub(s.sub(power, drawn), s.lgamma(alpha)));
        s.neg(s.div(s.igamma_grad_a(alpha, drawn), density))
    }

    fn gradient(&self) -> Gradient {
        Gradient::Stops("TensorFlow's slope of a gamma number has no derivative of its own")
    }
}
