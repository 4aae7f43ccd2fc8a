//! Samples of operations on complex numbers, with their parts as inputs and as outputs.
//! `super` records them with all sizes unknown.

use super::{Sample, x};
use eagerflow as tf;
use eagerflow::{Result, Tensor};

/// A complex result as its parts.
fn parts(y: Tensor) -> Result<Vec<Tensor>> {
    Ok(vec![tf::try_real(&y)?, tf::try_imag(&y)?])
}

/// A function of one complex tensor.
macro_rules! of_complex {
    ($list:ident; $($name:ident |$z:ident| $body:expr;)*) => {
        $($list.push(Sample::new(stringify!($name), |s| vec![x(&[s.a, s.b]), x(&[s.a, s.b])], |x| {
            let $z = tf::try_complex(&x[0], &x[1])?;
            $body
        }));)*
    };
}

#[allow(clippy::vec_init_then_push, reason = "a row for each operation, whichever macro writes it")]
pub fn samples() -> Vec<Sample> {
    let mut list = Vec::new();
    of_complex! { list;
        complex |z| parts(z);
        real |z| Ok(vec![tf::try_real(z)?]);
        imag |z| Ok(vec![tf::try_imag(z)?]);
        conj |z| parts(tf::try_conj(z)?);
        angle |z| Ok(vec![tf::try_angle(z)?]);
        abs |z| Ok(vec![tf::try_abs(z)?]);
        exp |z| parts(tf::try_exp(z)?);
        multiply |z| parts(tf::try_multiply(&z, tf::try_conj(&z)?)?);
        divide |z| parts(tf::try_divide(&z, tf::try_exp(&z)?)?);
        cast |z| Ok(vec![tf::try_cast(z, tf::DType::F32)?]);
        reduce_sum |z| parts(tf::try_reduce_sum(z, 1)?);
        reduce_mean |z| parts(tf::try_reduce_mean(z, 0)?);
        reduce_prod |z| parts(tf::try_reduce_prod(z, 1)?);
        cumprod |z| parts(tf::try_cumprod(z, 0)?);
        matmul |z| parts(tf::try_matmul_adjoint(&z, true, &z, false)?);
        select |z| parts(tf::try_where(tf::try_greater(tf::try_real(&z)?, 0.0)?, &z, tf::try_zeros_like(&z)?)?);
    }
    // Operands that broadcast.
    list.push(Sample::new(
        "multiply",
        |s| vec![x(&[s.a, 1, s.c]), x(&[s.b, 1])],
        |x| {
            let (z, w) = (tf::try_complex(&x[0], 0.5)?, tf::try_complex(1.5, &x[1])?);
            parts(tf::try_multiply(&z, &w)?)
        },
    ));
    list
}
