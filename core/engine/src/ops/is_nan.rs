//! `is_nan`, `is_finite`, `is_inf`: what kind of number an element is; truth values, so no gradient.
//! TensorFlow's `tf.math.is_nan`, `is_finite` and `is_inf`, floats.

use super::public;
use kernels::dtype::DTypes;
use crate::execute::execute1;
use crate::op::{Gradient, Kind, Op, identity};
use kernels::scalar::{Code, Scalar, Val};
use crate::tensor::Tensor;

/// Writes one of them: the struct with its identity, dtypes, instruction and meaning.
macro_rules! kind_of_number {
    ($struct:ident, $name:literal, $accepts:expr, $direct:expr, |$s:ident, $x:ident| $meaning:expr) => {
        #[derive(Clone)]
        pub(crate) struct $struct;

        impl Op for $struct {
            identity!($name);

            fn kind(&self) -> Kind {
                Kind::Elementwise { accepts: $accepts, direct: $direct }
            }

            fn scalar(&self, $s: &Scalar, $x: &[Val]) -> Val {
                $meaning
            }

            fn gradient(&self) -> Gradient {
                Gradient::Stops("truth values carry no gradient")
            }
        }
    };
}

kind_of_number!(IsNan, "is_nan", DTypes::FLOATING, Some(Code::IsNan), |s, x| s.is_nan(x[0]));
kind_of_number!(IsFinite, "is_finite", DTypes::FLOATING, Some(Code::IsFinite), |s, x| s.is_finite(x[0]));
kind_of_number!(IsInf, "is_inf", DTypes::FLOATING, None, |s, x| s.eq(s.abs(x[0]), s.number(x[0], f64::INFINITY)));

public! {
    /// Whether each element is not a number.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let x = tf::constant([1.0, f32::NAN, f32::INFINITY]);
    /// assert_eq!(tf::is_nan(&x).to_vec::<bool>(), [false, true, false]);
    /// ```
    pub fn is_nan, try_is_nan(x) -> Tensor {
        execute1(&IsNan, &[x])
    }

    /// Whether each element is a finite number.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let x = tf::constant([1.0, f32::NAN, f32::INFINITY]);
    /// assert_eq!(tf::is_finite(&x).to_vec::<bool>(), [true, false, false]);
    /// ```
    pub fn is_finite, try_is_finite(x) -> Tensor {
        execute1(&IsFinite, &[x])
    }

    /// Whether each element is infinite.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let x = tf::constant([1.0, f32::NAN, f32::INFINITY]);
    /// assert_eq!(tf::is_inf(&x).to_vec::<bool>(), [false, false, true]);
    /// ```
    pub fn is_inf, try_is_inf(x) -> Tensor {
        execute1(&IsInf, &[x])
    }
}
