//! The operations on matrices as a whole with all sizes unknown.
//! `super` records them, forward and with gradients of both orders.

use super::{Sample, Sizes, one, x};
use eagerflow as tf;
use eagerflow::{Result, Tensor};
use tf::linalg::{DiagonalsFormat, Eigenvalues, Norm};

/// The matrices and four times the identity: far from singular.
fn far(x: &Tensor) -> Result<Tensor> {
    tf::try_add(x, tf::try_multiply(tf::try_eye(*x.shape(), x.dtype())?, 4.0)?)
}

/// X Xᵀ + 1.
fn gram(x: &Tensor) -> Result<Tensor> {
    tf::try_add(tf::try_matmul_transposed(x, false, x, true)?, tf::try_eye(*x.shape(), x.dtype())?)
}

fn square(s: Sizes) -> Vec<Tensor> {
    vec![x(&[s.a, s.b, s.b])]
}

fn with_right(s: Sizes) -> Vec<Tensor> {
    vec![x(&[s.a, s.b, s.b]), x(&[s.a, s.b, s.c])]
}

pub fn samples() -> Vec<Sample> {
    vec![
        Sample::new("cholesky", with_right, |x| {
            let l = tf::try_cholesky(&gram(&x[0])?)?;
            Ok(vec![tf::try_cholesky_solve(&l, &x[1])?, l])
        }),
        Sample::new("triangular_solve", with_right, |x| one(tf::try_triangular_solve(&far(&x[0])?, &x[1], true, true))),
        Sample::new("solve", with_right, |x| one(tf::try_solve(&far(&x[0])?, &x[1], false))),
        Sample::new("inv", square, |x| one(tf::try_inv(&far(&x[0])?, false))),
        Sample::new("det", square, |x| {
            Ok(vec![tf::try_det(&x[0])?, tf::try_slogdet(&x[0])?.1, tf::try_logdet(&gram(&x[0])?)?])
        }),
        Sample::new("lu", with_right, |x| {
            let (packed, rows) = tf::try_lu(&tf::try_stop_gradient(&far(&x[0])?)?)?;
            Ok(vec![
                tf::try_lu_solve(&packed, &rows, &x[1])?,
                tf::try_lu_reconstruct(&far(&x[0])?, &rows)?,
                tf::try_lu_matrix_inverse(&far(&x[0])?, &rows)?,
            ])
        }),
        Sample::new(
            "qr",
            |s| vec![x(&[s.a, s.b, s.c])],
            |x| {
                let (q, r) = tf::try_qr(&x[0], false)?;
                Ok(vec![q, r])
            },
        ),
        Sample::new(
            "svd",
            |s| vec![x(&[s.a, s.b, s.c])],
            |x| {
                let (s, u, v) = tf::try_svd(&x[0], false)?;
                Ok(vec![s, tf::try_matmul_transposed(&u, false, &v, true)?, tf::try_svdvals(&x[0])?])
            },
        ),
        Sample::new("eigh", square, |x| {
            let (e, v) = tf::try_eigh(&x[0])?;
            Ok(vec![e, tf::try_abs(&v)?, tf::try_eigvalsh(&x[0])?])
        }),
        Sample::new("eig", square, |x| {
            let (e, v) = tf::try_eig(&x[0])?;
            Ok(vec![tf::try_real(&e)?, tf::try_abs(&v)?, tf::try_imag(tf::try_eigvals(&x[0])?)?])
        }),
        Sample::new(
            "lstsq",
            |s| vec![x(&[s.a, s.b, s.c]), x(&[s.a, s.b, s.b])],
            |x| {
                Ok(vec![
                    tf::try_pinv(&x[0], None)?,
                    tf::try_lstsq(&x[0], &x[1], 0.0, false)?,
                    tf::try_matrix_rank(&x[0], None)?,
                ])
            },
        ),
        Sample::new(
            "lstsq",
            |s| vec![x(&[s.a, s.c, s.b]), x(&[s.a, s.c, s.c])],
            |x| one(tf::try_lstsq(&x[0], &x[1], 0.5, true)),
        )
        .pinning("whether the matrices have more rows than columns decides which equations are solved"),
        Sample::new("expm", square, |x| Ok(vec![tf::try_expm(&x[0])?, tf::try_sqrtm(&far(&x[0])?)?])),
        Sample::new("expm", square, |x| one(tf::try_real(tf::try_logm(tf::try_cast(far(&x[0])?, tf::complex128)?)?))),
        Sample::new(
            "norm",
            |s| vec![x(&[s.a, s.b, s.c])],
            |x| {
                let (normal, norm) = tf::try_normalize(&x[0], Norm::Euclidean, -1)?;
                Ok(vec![normal, norm, tf::try_norm(&x[0], 2, [0, 2])?, tf::try_norm(&x[0], 1, [0, 2])?])
            },
        ),
        Sample::new("cross", |s| vec![x(&[s.a, 3]), x(&[s.a, 3])], |x| one(tf::try_cross(&x[0], &x[1]))),
        Sample::new(
            "banded_triangular_solve",
            |s| vec![x(&[2, s.b]), x(&[s.a, s.b, s.c])],
            |x| one(tf::try_banded_triangular_solve(tf::try_add(&x[0], 3.0)?, &x[1], true, false)),
        ),
        Sample::new(
            "tridiagonal",
            |s| vec![x(&[s.a, s.b, s.b]), x(&[s.a, s.b, s.c])],
            |x| {
                let a = far(&x[0])?;
                Ok(vec![
                    tf::try_tridiagonal_solve(&a, &x[1], DiagonalsFormat::Matrix, true)?,
                    tf::try_tridiagonal_matmul(&a, &x[1], DiagonalsFormat::Matrix)?,
                ])
            },
        ),
        Sample::new(
            "tridiagonal",
            |s| vec![x(&[s.b]), x(&[s.b, s.b])],
            |x| {
                let beta = tf::try_slice(&tf::try_diag_part(&x[1])?, [1], [-1])?;
                one(tf::try_eigh_tridiagonal(&x[0], &beta, Eigenvalues::All))
            },
        ),
        Sample::new("transpose", |s| vec![x(&[s.a, s.b, s.c])], |x| one(tf::try_matrix_transpose(&x[0]))),
    ]
}
