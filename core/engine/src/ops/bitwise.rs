//! `bitwise_and`, `bitwise_or`, `bitwise_xor`, `invert`, the shifts and `population_count`: bits of integers, so no gradient.
//! TensorFlow's `tf.bitwise`, and `tf.raw_ops.PopulationCount`; the Rust operators `& | ^ ! << >>` of integer tensors.

use super::operators::{binary, operator};
use super::public;
use crate::execute::execute1;
use crate::op::{Gradient, Kind, Op, identity};
use crate::tensor::Tensor;
use kernels::dtype::{DType, DTypes};
use kernels::scalar::{Code, Scalar, Val};

/// Writes one of them: the struct with its identity, instruction and meaning.
macro_rules! bits {
    ($struct:ident, $name:literal, $direct:expr, |$s:ident, $x:ident| $meaning:expr) => {
        #[derive(Clone)]
        pub(crate) struct $struct;

        impl Op for $struct {
            identity!($name);

            fn kind(&self) -> Kind {
                Kind::Elementwise { accepts: DTypes::INTEGERS, direct: $direct }
            }

            fn scalar(&self, $s: &Scalar, $x: &[Val]) -> Val {
                $meaning
            }

            fn gradient(&self) -> Gradient {
                Gradient::Stops("integers carry no gradient")
            }
        }
    };
}

bits!(BitwiseAnd, "bitwise_and", Some(Code::And), |s, x| s.and(x[0], x[1]));
bits!(BitwiseOr, "bitwise_or", Some(Code::Or), |s, x| s.or(x[0], x[1]));
bits!(BitwiseXor, "bitwise_xor", Some(Code::Xor), |s, x| s.xor(x[0], x[1]));
bits!(Invert, "invert", Some(Code::Not), |s, x| s.not(x[0]));
bits!(LeftShift, "left_shift", Some(Code::LeftShift), |s, x| s.left_shift(x[0], x[1]));
bits!(RightShift, "right_shift", Some(Code::RightShift), |s, x| s.right_shift(x[0], x[1]));
bits!(PopulationCount, "population_count", None, |s, x| {
    s.exact();
    s.cast(s.population_count(x[0]), DType::U8)
});

binary! {
    /// The bits that are set in both integers; shapes broadcast. Also the operator `&` of integer tensors.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let (a, b) = (tf::constant([0b1100, 0b1010]), tf::constant(0b0110));
    /// assert_eq!(tf::bitwise_and(&a, &b).to_vec::<i32>(), [0b0100, 0b0010]);
    /// assert_eq!((a & b).to_vec::<i32>(), [0b0100, 0b0010]);
    /// ```
    pub fn bitwise_and, try_bitwise_and = BitwiseAnd;

    /// The bits that are set in at least one integer; shapes broadcast. Also the operator `|` of integer tensors.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let (a, b) = (tf::constant([0b1100, 0b1010]), tf::constant(0b0110));
    /// assert_eq!(tf::bitwise_or(&a, &b).to_vec::<i32>(), [0b1110, 0b1110]);
    /// ```
    pub fn bitwise_or, try_bitwise_or = BitwiseOr;

    /// The bits that are set in exactly one integer; shapes broadcast. Also the operator `^` of integer tensors.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let (a, b) = (tf::constant([0b1100, 0b1010]), tf::constant(0b0110));
    /// assert_eq!(tf::bitwise_xor(&a, &b).to_vec::<i32>(), [0b1010, 0b1100]);
    /// ```
    pub fn bitwise_xor, try_bitwise_xor = BitwiseXor;

    /// The bits of the first operand moved up by the second, zeros coming in; also the operator `<<`.
    ///
    /// A count below zero moves by none, and one beyond the width by all bits but one, as in TensorFlow.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let a = tf::constant([1, 3]);
    /// assert_eq!(tf::left_shift(&a, 2).to_vec::<i32>(), [4, 12]);
    /// assert_eq!((a << 100).to_vec::<i32>(), [i32::MIN, i32::MIN]);
    /// ```
    pub fn left_shift, try_left_shift = LeftShift;

    /// The bits of the first operand moved down by the second, copies of the sign coming in; also the operator `>>`.
    ///
    /// Counts out of range are those of [`left_shift`].
    ///
    /// ```
    /// use eagerflow as tf;
    /// let a = tf::constant([-8, 9]);
    /// assert_eq!(tf::right_shift(&a, 2).to_vec::<i32>(), [-2, 2]);
    /// assert_eq!((a >> 100).to_vec::<i32>(), [-1, 0]);
    /// ```
    pub fn right_shift, try_right_shift = RightShift;
}

public! {
    /// All bits of each integer turned over; also the operator `!` of integer tensors.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let a = tf::constant([0, 5]);
    /// assert_eq!(tf::invert(&a).to_vec::<i32>(), [-1, -6]);
    /// assert_eq!((!a).to_vec::<i32>(), [-1, -6]);
    /// ```
    pub fn invert, try_invert(x) -> Tensor {
        execute1(&Invert, &[x])
    }

    /// How many bits of each integer are set, as `uint8`.
    ///
    /// ```
    /// use eagerflow as tf;
    /// assert_eq!(tf::population_count(&tf::constant([-1, 5])).to_vec::<u8>(), [32, 2]);
    /// ```
    pub fn population_count, try_population_count(x) -> Tensor {
        execute1(&PopulationCount, &[x])
    }
}

operator!(Shl::shl = LeftShift; assign ShlAssign::shl_assign);
operator!(Shr::shr = RightShift; assign ShrAssign::shr_assign);

#[cfg(test)]
mod tests {
    use crate as tf;

    #[test]
    fn operators_go_by_the_dtype() {
        let (a, b) = (tf::constant([6, 3]), tf::constant([3, 3]));
        assert_eq!((&a & &b).to_vec::<i32>(), [2, 3]);
        assert_eq!((&a | 8).to_vec::<i32>(), [14, 11]);
        assert_eq!((1 ^ &a).to_vec::<i32>(), [7, 2]);
        assert_eq!((&a << &b).to_vec::<i32>(), [48, 24]);
        let mut c = tf::Variable::new([5, 5]).value();
        c &= &b;
        c <<= 1;
        assert_eq!((!c).to_vec::<i32>(), [-3, -3]);
        let flags = tf::constant([true, false]);
        assert_eq!((&flags & true).to_vec::<bool>(), [true, false]);
        assert_eq!((!flags).to_vec::<bool>(), [false, true]);
        assert!(tf::try_bitwise_and(&tf::constant([1.0]), &tf::constant([1.0])).is_err());
        assert!(tf::try_logical_and(&a, &b).is_err() && tf::try_invert(&tf::constant([true])).is_err());
    }
}
