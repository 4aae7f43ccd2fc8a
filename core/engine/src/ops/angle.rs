//! `angle`: the angle of complex numbers in the plane, -pi to pi; d/dx = -y / |z|^2, d/dy = x / |z|^2. Of real numbers, 0 or pi.
//! TensorFlow's `tf.math.angle`, floats and complex numbers.

use super::public;
use crate::execute::execute1;
use crate::meaning::parts;
use crate::op::{Gradient, Kind, Op, Outputs, identity};
use crate::tensor::Tensor;
use kernels::dtype::DTypes;
use kernels::error::Result;
use kernels::scalar::{ComplexVal, Scalar, Val};
use smallvec::smallvec;

/// The angle of real numbers: pi of negative ones.
#[derive(Clone)]
struct Angle;

/// The angle of the number with these two parts.
#[derive(Clone)]
struct AngleOfParts;

impl Op for Angle {
    identity!("angle");

    fn kind(&self) -> Kind {
        Kind::Elementwise { accepts: DTypes::FLOATING, direct: None }
    }

    fn scalar(&self, s: &Scalar, x: &[Val]) -> Val {
        let zero = s.number(x[0], 0.0);
        s.select(s.lt(x[0], zero), s.number(x[0], std::f64::consts::PI), zero)
    }

    fn on_complex(&self, inputs: &[&Tensor]) -> Result<Option<Outputs>> {
        let (re, im) = parts(inputs[0])?;
        Ok(Some(smallvec![execute1(&AngleOfParts, &[&re, &im])?]))
    }

    fn gradient(&self) -> Gradient {
        Gradient::Stops("the angle of a real number is 0 or pi")
    }
}

impl Op for AngleOfParts {
    identity!("angle_of_parts");

    fn kind(&self) -> Kind {
        Kind::Elementwise { accepts: DTypes::FLOATING, direct: None }
    }

    fn scalar(&self, s: &Scalar, x: &[Val]) -> Val {
        ComplexVal::new(x[0], x[1]).angle(s)
    }

    fn partial(&self, s: &Scalar, x: &[Val], _: Val, dy: Val, index: usize) -> Option<Val> {
        // 1 / z = (x - iy) / |z|^2 has both slopes, and does not overflow.
        let inverse = ComplexVal::new(x[0], x[1]).reciprocal(s);
        Some(s.mul(if index == 0 { inverse.im } else { inverse.re }, dy))
    }

    fn gradient(&self) -> Gradient {
        Gradient::Rule
    }
}

public! {
    /// The angle of each element as a point of the plane, from -pi to pi: `atan2(imag, real)`.
    ///
    /// ```
    /// use eagerflow::{self as tf, Complex};
    /// let z = tf::Tensor::from([Complex::new(0.0_f32, 2.0), Complex::new(-1.0, 0.0)]);
    /// let (quarter, half) = (std::f32::consts::FRAC_PI_2, std::f32::consts::PI);
    /// assert_eq!(tf::angle(&z).to_vec::<f32>(), [quarter, half]);
    /// ```
    pub fn angle, try_angle(x) -> Tensor {
        execute1(&Angle, &[x])
    }
}
