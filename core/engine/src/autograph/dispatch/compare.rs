//! Comparison operators: element by element where a tensor stands on either side, Rust's own otherwise.
//! Generated code writes `(&&&Cmp(&a, &b)).lt()` for `a < b`, with the operator's place as the user's line.

use crate::ops::{Equal, Greater, GreaterEqual, Less, LessEqual, NotEqual, Operand, ToOperand};
use crate::tensor::Tensor;
use crate::variable::Variable;
use kernels::dtype::Complex;
use kernels::error::OrFail;

/// Two operands of a comparison.
pub struct Cmp<'a, A: ?Sized, B: ?Sized>(pub &'a A, pub &'a B);

/// What makes a comparison one of tensors.
pub trait TensorSide {
    /// As an operand.
    #[doc(hidden)]
    #[track_caller]
    fn operand(&self) -> Operand<'_>;
}

impl TensorSide for Tensor {
    fn operand(&self) -> Operand<'_> {
        Operand::Borrowed(self)
    }
}

impl TensorSide for Variable {
    #[track_caller]
    fn operand(&self) -> Operand<'_> {
        Operand::Owned(self.value())
    }
}

/// What a tensor can be compared with.
#[diagnostic::on_unimplemented(message = "can't compare a tensor with `{Self}`")]
pub trait AnySide {
    /// As an operand.
    #[doc(hidden)]
    #[track_caller]
    fn any_operand(&self) -> Operand<'_>;
}

impl AnySide for Tensor {
    fn any_operand(&self) -> Operand<'_> {
        Operand::Borrowed(self)
    }
}

impl AnySide for Variable {
    #[track_caller]
    fn any_operand(&self) -> Operand<'_> {
        Operand::Owned(self.value())
    }
}

macro_rules! references {
    ($($reference:ty),*) => {$(
        impl<T: TensorSide + ?Sized> TensorSide for $reference {
            #[track_caller]
            fn operand(&self) -> Operand<'_> {
                (**self).operand()
            }
        }
        impl<T: AnySide + ?Sized> AnySide for $reference {
            #[track_caller]
            fn any_operand(&self) -> Operand<'_> {
                (**self).any_operand()
            }
        }
    )*};
}

references!(&T, &mut T);

macro_rules! numbers {
    ($($t:ty)*) => {$(
        impl AnySide for $t {
            fn any_operand(&self) -> Operand<'_> {
                self.to_operand()
            }
        }
        impl NumberSide for $t {
            fn number(&self) -> Operand<'_> {
                self.to_operand()
            }
        }
    )*};
}

/// Numbers, which take the dtype of the tensor beside them.
pub trait NumberSide {
    /// As an operand.
    #[doc(hidden)]
    fn number(&self) -> Operand<'_>;
}

impl<T: NumberSide + ?Sized> NumberSide for &T {
    fn number(&self) -> Operand<'_> {
        (**self).number()
    }
}

numbers!(f32 f64 i8 i16 i32 i64 u8 u16 u32 u64 bool Complex<f32> Complex<f64>);

#[track_caller]
fn run(op: &dyn crate::op::Op, a: Operand<'_>, b: Operand<'_>) -> Tensor {
    let dtype = Operand::common_dtype(&[&a, &b]);
    let sides = a.tensor(op.name(), dtype).and_then(|a| Ok((a, b.tensor(op.name(), dtype)?)));
    // Not in a closure, which would be the line that graphs and errors name.
    match sides {
        Ok((a, b)) => crate::ops::run_comparison(op, &a, &b).or_fail(),
        Err(error) => Err(error).or_fail(),
    }
}

/// Writes the methods of a tier whose answer is a tensor.
macro_rules! tensor_tier {
    ($(#[$doc:meta])* $trait:ident for $cmp:ty, [$($bounds:tt)*], $left:ident $right:ident) => {
        $(#[$doc])*
        pub trait $trait {
            tensor_tier!(@declare lt "<", le "<=", gt ">", ge ">=", eq "==", ne "!=");
        }
        impl<A: ?Sized, B: ?Sized> $trait for $cmp
        where
            $($bounds)*
        {
            tensor_tier!(@define $left $right; lt Less, le LessEqual, gt Greater, ge GreaterEqual, eq Equal, ne NotEqual);
        }
    };
    (@declare $($method:ident $sign:literal),*) => {$(
        #[doc = concat!("`", $sign, "` of each element.")]
        #[track_caller]
        fn $method(&self) -> Tensor;
    )*};
    (@define $left:ident $right:ident; $($method:ident $op:ident),*) => {$(
        #[track_caller]
        fn $method(&self) -> Tensor {
            run(&$op, self.0.$left(), self.1.$right())
        }
    )*};
}

tensor_tier! {
    /// A tensor on the left.
    TensorLeft for &&Cmp<'_, A, B>, [A: TensorSide, B: AnySide], operand any_operand
}
tensor_tier! {
    /// A number on the left and a tensor on the right.
    TensorRight for &Cmp<'_, A, B>, [A: NumberSide, B: TensorSide], number operand
}

/// Rust's own equality. The bounds stand on the methods, so that rustc names the operands where they cannot be compared.
pub trait EqualHost<A: ?Sized, B: ?Sized> {
    /// `==`
    #[track_caller]
    fn eq(&self) -> bool
    where
        A: PartialEq<B>;
    /// `!=`
    #[track_caller]
    fn ne(&self) -> bool
    where
        A: PartialEq<B>;
}

impl<A: ?Sized, B: ?Sized> EqualHost<A, B> for Cmp<'_, A, B> {
    #[track_caller]
    fn eq(&self) -> bool
    where
        A: PartialEq<B>,
    {
        *self.0 == *self.1
    }
    #[track_caller]
    fn ne(&self) -> bool
    where
        A: PartialEq<B>,
    {
        *self.0 != *self.1
    }
}

/// Rust's own order.
pub trait OrderHost<A: ?Sized, B: ?Sized> {
    /// `<`
    #[track_caller]
    fn lt(&self) -> bool
    where
        A: PartialOrd<B>;
    /// `<=`
    #[track_caller]
    fn le(&self) -> bool
    where
        A: PartialOrd<B>;
    /// `>`
    #[track_caller]
    fn gt(&self) -> bool
    where
        A: PartialOrd<B>;
    /// `>=`
    #[track_caller]
    fn ge(&self) -> bool
    where
        A: PartialOrd<B>;
}

impl<A: ?Sized, B: ?Sized> OrderHost<A, B> for Cmp<'_, A, B> {
    #[track_caller]
    fn lt(&self) -> bool
    where
        A: PartialOrd<B>,
    {
        *self.0 < *self.1
    }
    #[track_caller]
    fn le(&self) -> bool
    where
        A: PartialOrd<B>,
    {
        *self.0 <= *self.1
    }
    #[track_caller]
    fn gt(&self) -> bool
    where
        A: PartialOrd<B>,
    {
        *self.0 > *self.1
    }
    #[track_caller]
    fn ge(&self) -> bool
    where
        A: PartialOrd<B>,
    {
        *self.0 >= *self.1
    }
}
