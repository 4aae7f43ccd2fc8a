//! Comparisons: `equal`, `not_equal`, `less`, `less_equal`, `greater`, `greater_equal`; truth values, so no gradient.
//! TensorFlow's names; equality of any dtype, order of numbers. NaN is equal to nothing, and neither less nor greater.

use super::operators::binary;
use kernels::dtype::DTypes;
use crate::op::{Gradient, Kind, Op, identity};
use kernels::scalar::{Code, ComplexVal, Meant, Scalar, Val};

/// Writes one of them: the struct with its identity, dtypes, instruction and meaning.
macro_rules! comparison {
    ($struct:ident, $name:literal, $accepts:expr, $direct:expr, |$s:ident, $x:ident| $meaning:expr $(, complex $complex:expr)?) => {
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

            $(fn complex(&self, $s: &Scalar, $x: &[ComplexVal]) -> Option<Meant> {
                Some(Meant::Real($complex))
            })?

            fn gradient(&self) -> Gradient {
                Gradient::Stops("truth values carry no gradient")
            }
        }
    };
}

comparison!(Equal, "equal", DTypes::REAL, Some(Code::Eq), |s, x| s.eq(x[0], x[1]),
    complex s.and(s.eq(x[0].re, x[1].re), s.eq(x[0].im, x[1].im)));
comparison!(NotEqual, "not_equal", DTypes::REAL, Some(Code::Ne), |s, x| s.ne(x[0], x[1]),
    complex s.or(s.ne(x[0].re, x[1].re), s.ne(x[0].im, x[1].im)));
comparison!(Less, "less", DTypes::NUMBERS, Some(Code::Lt), |s, x| s.lt(x[0], x[1]));
comparison!(LessEqual, "less_equal", DTypes::NUMBERS, Some(Code::Le), |s, x| s.le(x[0], x[1]));
comparison!(Greater, "greater", DTypes::NUMBERS, None, |s, x| s.gt(x[0], x[1]));
comparison!(GreaterEqual, "greater_equal", DTypes::NUMBERS, None, |s, x| s.ge(x[0], x[1]));

binary! {
    /// Whether two elements are equal; shapes broadcast.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let x = tf::constant([1.0, 2.0, 3.0]);
    /// assert_eq!(tf::equal(&x, 2.0).to_vec::<bool>(), [false, true, false]);
    /// ```
    pub fn equal, try_equal = Equal;

    /// Whether two elements differ; shapes broadcast.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let x = tf::constant([1.0, 2.0, 3.0]);
    /// assert_eq!(tf::not_equal(&x, 2.0).to_vec::<bool>(), [true, false, true]);
    /// ```
    pub fn not_equal, try_not_equal = NotEqual;

    /// Whether the first element is below the second; shapes broadcast.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let x = tf::constant([1.0, 2.0, 3.0]);
    /// assert_eq!(tf::less(&x, 2.0).to_vec::<bool>(), [true, false, false]);
    /// ```
    pub fn less, try_less = Less;

    /// Whether the first element is at most the second; shapes broadcast.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let x = tf::constant([1.0, 2.0, 3.0]);
    /// assert_eq!(tf::less_equal(&x, 2.0).to_vec::<bool>(), [true, true, false]);
    /// ```
    pub fn less_equal, try_less_equal = LessEqual;

    /// Whether the first element is above the second; shapes broadcast.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let x = tf::constant([1.0, 2.0, 3.0]);
    /// assert_eq!(tf::greater(&x, 2.0).to_vec::<bool>(), [false, false, true]);
    /// ```
    pub fn greater, try_greater = Greater;

    /// Whether the first element is at least the second; shapes broadcast.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let x = tf::constant([1.0, 2.0, 3.0]);
    /// assert_eq!(tf::greater_equal(&x, 2.0).to_vec::<bool>(), [false, true, true]);
    /// ```
    pub fn greater_equal, try_greater_equal = GreaterEqual;
}
