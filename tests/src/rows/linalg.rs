//! The rows of the operations on matrices as a whole: factorizations, solvers, eigenvalues, functions and norms of matrices.
//! `rows::all` collects them. Where signs are arbitrary the rows give what does not depend on them, as the golden script does.

use super::{Answer, Call, Exception, Row, one};
use crate::compare::Bound;
use eagerflow as tf;
use tf::linalg::{DiagonalsFormat, Eigenvalues, Norm};
use tf::{Result, Tensor};

/// Algorithms differ, and so does what they round.
const SOLVED: Bound = Bound::sums(64.0, 64.0).absolute(64.0);
const FOUND: Bound = Bound::sums(256.0, 256.0).absolute(256.0);

/// Why complex matrices are taken where singular values are cut off.
const COMPLEX_CUTOFF: &str =
    "TensorFlow makes its cutoff a complex number, which it cannot compare with the real singular values";

fn order(c: &Call<'_>) -> Norm {
    match c.a.raw("ord") {
        serde_json::Value::Number(p) => Norm::P(p.as_f64().expect("a number")),
        value if value == "inf" => Norm::P(f64::INFINITY),
        _ => Norm::Euclidean,
    }
}

fn axes(c: &Call<'_>) -> tf::Axes {
    use tf::IntoAxes;
    let list = match c.a.raw("axis") {
        serde_json::Value::Null => None,
        serde_json::Value::Array(list) => {
            Some(list.iter().map(|axis| axis.as_i64().expect("an axis") as isize).collect())
        }
        axis => Some(vec![axis.as_i64().expect("an axis") as isize]),
    };
    list.into_axes()
}

fn format(c: &Call<'_>) -> DiagonalsFormat {
    if c.a.text("format") == "matrix" { DiagonalsFormat::Matrix } else { DiagonalsFormat::Compact }
}

fn number(c: &Call<'_>, name: &str) -> Option<Tensor> {
    c.a.raw(name).as_f64().map(Tensor::from)
}

fn selected(c: &Call<'_>) -> Eigenvalues {
    let range = |i: usize| c.a.raw("range")[i].as_f64().expect("a bound");
    match c.a.text("select") {
        "i" => Eigenvalues::Index(range(0) as usize, range(1) as usize),
        "v" => Eigenvalues::Within(range(0), range(1)),
        _ => Eigenvalues::All,
    }
}

/// The first columns, as many as the smaller side of `x`.
fn thin(columns: &Tensor, x: &Tensor) -> Result<Tensor> {
    let (x, mut sizes) = (x.shape().dims(), columns.shape().dims().to_vec());
    let last = sizes.len() - 1;
    sizes[last] = x[last - 1].min(x[last]);
    tf::try_slice(columns, vec![0; last + 1], sizes)
}

fn powers(e: &Tensor) -> Result<Vec<Tensor>> {
    let squares = tf::try_multiply(e, e)?;
    let cubes = tf::try_multiply(&squares, e)?;
    Ok(vec![tf::try_reduce_sum(e, -1)?, tf::try_reduce_sum(&squares, -1)?, tf::try_reduce_sum(&cubes, -1)?])
}

fn qr(c: &Call<'_>) -> Answer {
    let (q, r) = tf::try_qr(&c.x[0], c.a.flag("full_matrices"))?;
    Ok(vec![tf::try_abs(thin(&q, &c.x[0])?)?, tf::try_abs(&r)?, tf::try_matmul(&q, &r)?])
}

fn svd(c: &Call<'_>) -> Answer {
    let (s, u, v) = tf::try_svd(&c.x[0], c.a.flag("full_matrices"))?;
    let (u, v) = (thin(&u, &c.x[0])?, thin(&v, &c.x[0])?);
    let scaled = tf::try_multiply(&u, tf::try_expand_dims(tf::try_cast(&s, u.dtype())?, -2)?)?;
    Ok(vec![s, tf::try_abs(&u)?, tf::try_abs(&v)?, tf::matmul_adjoint(&scaled, false, &v, true)])
}

fn eigh(c: &Call<'_>) -> Answer {
    let (e, v) = tf::try_eigh(&c.x[0])?;
    let scaled = tf::try_multiply(&v, tf::try_expand_dims(&e, -2)?)?;
    Ok(vec![e, tf::try_abs(&v)?, tf::matmul_adjoint(&scaled, false, &v, true)])
}

fn eig(c: &Call<'_>) -> Answer {
    let (e, v) = tf::try_eig(&c.x[0])?;
    let z = tf::try_cast(&c.x[0], e.dtype())?;
    let mut all = powers(&e)?;
    all.push(tf::try_abs(tf::try_reduce_sum(tf::try_multiply(&v, tf::try_conj(&v)?)?, -2)?)?);
    all.push(tf::try_matmul(tf::try_matmul(&z, &v)?, tf::try_inv(&v, false)?)?);
    Ok(all)
}

pub(super) fn rows() -> Vec<Row> {
    let solved = |name, call| Row::new(name, SOLVED, call);
    let found = |name, call| Row::new(name, FOUND, call);
    let taken = |dtypes, why| Exception::elements("refused", dtypes, 0, why);
    vec![
        solved("cholesky", |c| one(tf::try_cholesky(&c.x[0]))),
        solved("cholesky_solve", |c| one(tf::try_cholesky_solve(&c.x[0], &c.x[1]))),
        solved("triangular_solve", |c| {
            one(tf::try_triangular_solve(&c.x[0], &c.x[1], c.a.flag("lower"), c.a.flag("adjoint")))
        }),
        solved("solve", |c| one(tf::try_solve(&c.x[0], &c.x[1], c.a.flag("adjoint")))),
        solved("inv", |c| one(tf::try_inv(&c.x[0], c.a.flag("adjoint")))),
        solved("det", |c| one(tf::try_det(&c.x[0]))),
        solved("slogdet", |c| tf::try_slogdet(&c.x[0]).map(|(sign, log)| vec![sign, log])),
        solved("logdet", |c| one(tf::try_logdet(&c.x[0]))),
        solved("lu", |c| {
            let index = if c.a.text("index") == "int64" { tf::int64 } else { tf::int32 };
            tf::try_lu_as(&c.x[0], index).map(|(packed, rows)| vec![packed, rows])
        }),
        solved("lu_solve", |c| one(tf::try_lu_solve(&c.x[0], &c.x[1], &c.x[2]))),
        solved("lu_reconstruct", |c| one(tf::try_lu_reconstruct(&c.x[0], &c.x[1])))
            .except([taken(&["int16"], "products of int16 are taken, as TensorFlow takes batches of them")]),
        solved("lu_matrix_inverse", |c| one(tf::try_lu_matrix_inverse(&c.x[0], &c.x[1]))),
        found("qr", qr),
        found("qr_signs", |c| tf::try_qr(&c.x[0], false).map(|(q, r)| vec![q, r])).of("qr"),
        found("svd", svd),
        found("svdvals", |c| one(tf::try_svdvals(&c.x[0]))),
        found("eigh", eigh),
        found("eigvalsh", |c| one(tf::try_eigvalsh(&c.x[0]))),
        found("eig", eig),
        found("eigvals", |c| powers(&tf::try_eigvals(&c.x[0])?)),
        found("eigvals_order", |c| one(tf::try_eigvals(&c.x[0]))).of("eigvals"),
        found("lstsq", |c| {
            let l2_regularizer = c.a.float("l2_regularizer");
            one(tf::try_lstsq(&c.x[0], &c.x[1], l2_regularizer, c.a.flag("fast")))
        }),
        found("pinv", |c| one(tf::try_pinv(&c.x[0], number(c, "rcond").as_ref())))
            .except([taken(&["complex64", "complex128"], COMPLEX_CUTOFF)]),
        Row::new("matrix_rank", Bound::EXACT, |c| one(tf::try_matrix_rank(&c.x[0], number(c, "tol").as_ref())))
            .except([taken(&["complex64", "complex128"], COMPLEX_CUTOFF)]),
        found("expm", |c| one(tf::try_expm(&c.x[0]))),
        found("sqrtm", |c| one(tf::try_sqrtm(&c.x[0]))),
        found("logm", |c| one(tf::try_logm(&c.x[0]))),
        found("eigh_tridiagonal", |c| {
            let select = selected(c);
            tf::try_eigh_tridiagonal_with(&c.x[0], &c.x[1], select)?;
            one(tf::try_eigh_tridiagonal(&c.x[0], &c.x[1], select))
        }),
        solved("tridiagonal_solve", |c| {
            one(tf::try_tridiagonal_solve(&c.x[0], &c.x[1], format(c), c.a.flag("pivoting")))
        }),
        solved("tridiagonal_sequence", |c| {
            let diagonals = tf::try_compact_diagonals(&c.x[0], &c.x[1], &c.x[2])?;
            one(tf::try_tridiagonal_solve(&diagonals, &c.x[3], DiagonalsFormat::Compact, true))
        })
        .of("tridiagonal_solve"),
        solved("tridiagonal_matmul", |c| one(tf::try_tridiagonal_matmul(&c.x[0], &c.x[1], format(c)))),
        solved("banded_triangular_solve", |c| {
            one(tf::try_banded_triangular_solve(&c.x[0], &c.x[1], c.a.flag("lower"), c.a.flag("adjoint")))
        }),
        Row::new("norm", Bound::sums(8.0, 8.0), |c| {
            let axes = if c.a.flag("keepdims") { tf::keep_dims(axes(c)) } else { axes(c) };
            one(tf::try_norm(&c.x[0], order(c), axes))
        }),
        Row::new("normalize", Bound::sums(8.0, 8.0), |c| {
            tf::try_normalize(&c.x[0], order(c), axes(c)).map(|(x, norm)| vec![x, norm])
        }),
        Row::new("cross", Bound::sums(2.0, 8.0), |c| one(tf::try_cross(&c.x[0], &c.x[1]))),
        Row::new("matrix_transpose", Bound::EXACT, |c| one(tf::try_matrix_transpose(&c.x[0]))),
    ]
}
