//! `logical_and`, `logical_or`, `logical_xor`, `logical_not` and the operators `&`, `|`, `^`, `!`: truth values, so
//! no gradient. TensorFlow's `tf.logical_*`, `bool` only.

use super::operators::{binary, operator, unary_operator};
use super::bitwise::{BitwiseAnd, BitwiseOr, BitwiseXor, Invert};
use super::public;
use kernels::dtype::DTypes;
use crate::execute::execute1;
use crate::op::{Gradient, Kind, Op, identity};
use kernels::scalar::{Code, Scalar, Val};
use crate::tensor::Tensor;

/// Writes one of them: the struct with its identity, dtypes, instruction and meaning.
macro_rules! logical {
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

logical!(And, "logical_and", DTypes::BOOL, Some(Code::And), |s, x| s.and(x[0], x[1]));
logical!(Or, "logical_or", DTypes::BOOL, Some(Code::Or), |s, x| s.or(x[0], x[1]));
logical!(Xor, "logical_xor", DTypes::BOOL, Some(Code::Xor), |s, x| s.xor(x[0], x[1]));
logical!(Not, "logical_not", DTypes::BOOL, Some(Code::Not), |s, x| s.not(x[0]));

binary! {
    /// Whether both truth values hold; shapes broadcast. Also the operator `&`.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let (a, b) = (tf::constant([true, true, false]), tf::constant([true, false, false]));
    /// assert_eq!(tf::logical_and(&a, &b).to_vec::<bool>(), [true, false, false]);
    /// assert_eq!((a & b).to_vec::<bool>(), [true, false, false]);
    /// ```
    pub fn logical_and, try_logical_and = And;

    /// Whether at least one truth value holds; shapes broadcast. Also the operator `|`.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let (a, b) = (tf::constant([true, true, false]), tf::constant([true, false, false]));
    /// assert_eq!(tf::logical_or(&a, &b).to_vec::<bool>(), [true, true, false]);
    /// ```
    pub fn logical_or, try_logical_or = Or;

    /// Whether exactly one truth value holds; shapes broadcast. Also the operator `^`.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let (a, b) = (tf::constant([true, true, false]), tf::constant([true, false, false]));
    /// assert_eq!(tf::logical_xor(&a, &b).to_vec::<bool>(), [false, true, false]);
    /// ```
    pub fn logical_xor, try_logical_xor = Xor;
}

public! {
    /// Whether a truth value does not hold. Also the operator `!`.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let a = tf::constant([true, false]);
    /// assert_eq!(tf::logical_not(&a).to_vec::<bool>(), [false, true]);
    /// assert_eq!((!a).to_vec::<bool>(), [false, true]);
    /// ```
    pub fn logical_not, try_logical_not(x) -> Tensor {
        execute1(&Not, &[x])
    }
}

// Of integers the operators are those of `bitwise.rs`.
operator!(BitAnd::bitand = And, of integers BitwiseAnd; assign BitAndAssign::bitand_assign);
operator!(BitOr::bitor = Or, of integers BitwiseOr; assign BitOrAssign::bitor_assign);
operator!(BitXor::bitxor = Xor, of integers BitwiseXor; assign BitXorAssign::bitxor_assign);
unary_operator!(Not::not = Not, of integers Invert);
