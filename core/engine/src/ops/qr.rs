//! `qr`: A = Q R by Householder's reflections; the rule is that of square and of deep matrices, to which wide ones are led back.
//! TensorFlow's `tf.linalg.qr`, with its signs on a CPU. (Roberts and Roberts, QR and LQ decomposition matrix backpropagation algorithms.)

use super::matrices::{Numbers, OnMatrices, Rule, Sizes, Tail, adj, minus, mm, plus, run, triangle};
use super::triangular_solve::solve_triangle;
use super::{cast_to, concat_all, functions, public, slice_axis};
use crate::meaning::{joined, parts};
use crate::op::Attr;
use crate::tensor::Tensor;
use kernels::dtype::DType;
use kernels::error::{Error, Result};
use kernels::shape::Dim;
use linalg::{Field, Matrix, Refused};
use smallvec::{SmallVec, smallvec};

#[derive(Clone)]
struct Qr {
    full: bool,
}

impl OnMatrices for Qr {
    const NAME: &'static str = "qr";

    fn visit(&self, visit: &mut dyn FnMut(&'static str, Attr<'_>)) {
        visit("full_matrices", Attr::Bool(self.full));
    }

    fn numbers(&self) -> SmallVec<[Numbers; 3]> {
        smallvec![Numbers::Same, Numbers::Same]
    }

    fn tails(&self, x: &[[Dim; 2]], _: &mut Sizes<'_>) -> Result<SmallVec<[Tail; 3]>> {
        let [m, n] = x[0];
        let inner = if self.full { m } else { m.min(n) };
        Ok(smallvec![smallvec![m, inner], smallvec![inner, n]])
    }

    unsafe fn one(&self, field: Field, x: &[Matrix], y: &[Matrix]) -> std::result::Result<(), Refused> {
        // SAFETY: the same contract.
        unsafe { linalg::qr(field, &x[0], &y[0], &y[1]) }
    }

    fn saves(&self) -> (&'static [usize], &'static [usize]) {
        (&[0], &[0, 1])
    }

    fn backward(&self, rule: &mut Rule<'_, '_>) -> Result<()> {
        let shape = rule.shape(0);
        let rows = shape.rank() - 2;
        let (m, n) = (shape.dim(rows), shape.dim(rows + 1));
        let is_deep = matches!((m.known_value(), n.known_value()), (Some(m), Some(n)) if m > n);
        if self.full && is_deep {
            return Err(Error::unimplemented("qr", "full matrices with more rows than columns have no gradient")
                .got(shape)
                .help("leave `full_matrices` out: the further columns of Q are not determined by the matrix"));
        }
        let (q, r, dq, dr) = (rule.y(0)?, rule.y(1)?, rule.dy(0)?, rule.dy(1)?);
        let size = if self.full { m } else { m.min(n) };
        if is_deep || m == n || size == n {
            let da = of_deep(&q, &r, &dq, &dr)?;
            return rule.give(0, da);
        }
        // A = [X, Y] and R = [U, V]: X = Q U, and V = Qᴴ Y. There may be no Y.
        let part = |x: &Tensor, begin: Dim, size: Dim| slice_axis(x, rows + 1, begin, size);
        let y = part(&rule.x(0)?, size, n - size)?;
        let (u, du, dv) = (part(&r, Dim::ZERO, size)?, part(&dr, Dim::ZERO, size)?, part(&dr, size, n - size)?);
        let dq = plus(&dq, &mm(&y, &adj(&dv)?)?)?;
        let dx = of_deep(&q, &u, &dq, &du)?;
        let da = concat_all(&[&dx, &mm(&q, &dv)?], rows + 1)?;
        rule.give(0, da)
    }
}

/// X R⁻ᴴ.
#[track_caller]
fn over(x: &Tensor, r: &Tensor) -> Result<Tensor> {
    adj(&solve_triangle(r, &adj(x)?, false, false)?)
}

/// The rule for matrices with at least as many rows as columns.
#[track_caller]
fn of_deep(q: &Tensor, r: &Tensor, dq: &Tensor, dr: &Tensor) -> Result<Tensor> {
    let qdq = mm(&adj(q)?, dq)?;
    let rdr = mm(r, &adj(dr)?)?;
    let skew = plus(&minus(&qdq, &adj(&qdq)?)?, &minus(&rdr, &adj(&rdr)?)?)?;
    let first = mm(q, &plus(dr, &over(&triangle(&skew, true)?, r)?)?)?;
    let second = over(&minus(dq, &mm(q, &qdq)?)?, r)?;
    let da = plus(&first, &second)?;
    if !q.dtype().is_complex() {
        return Ok(da);
    }
    // The diagonal of R is real: what would turn it is taken out.
    let (_, turn) = parts(&functions::try_diag_part(&minus(&rdr, &adj(&qdq)?)?)?)?;
    let turn = functions::try_diag(&joined(&functions::try_zeros_like(&turn)?, &turn)?)?;
    plus(&da, &over(&mm(q, &adj(&turn)?)?, r)?)
}

public! {
    /// Q, with orthonormal columns, and the upper triangular R of x = Q R; with all columns of Q for `full_matrices`, else as many as R
    /// has rows. `float16` is computed in `float32`, and rounded once.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let (q, r) = tf::linalg::qr(&tf::constant([[0.0, 2.0], [-4.0, 0.0], [0.0, 0.0]]), false);
    /// assert_eq!((q.shape().dims(), r.shape().dims()), (&[3, 2][..], &[2, 2][..]));
    /// ```
    pub fn qr, try_qr(x, full_matrices: bool) -> (Tensor, Tensor) {
        if x.dtype() == DType::F16 {
            let (q, r) = try_qr(&cast_to(x, DType::F32)?, full_matrices)?;
            return Ok((cast_to(&q, DType::F16)?, cast_to(&r, DType::F16)?));
        }
        let mut both = run(Qr { full: full_matrices }, &[x])?;
        match (both.pop(), both.pop()) {
            (Some(r), Some(q)) => Ok((q, r)),
            _ => Err(Error::internal("qr", "two results were expected")),
        }
    }
}

#[cfg(test)]
mod tests {
    use crate as tf;
    use crate::ops::differences::{check, numbers};

    #[test]
    fn gradients_of_square_deep_and_wide_ones() {
        for shape in [[2, 3, 3], [2, 4, 2], [2, 2, 4]] {
            check(&|x| tf::qr(&x[0], false).0, &[numbers(3, &shape)]);
            check(&|x| tf::qr(&x[0], false).1, &[numbers(3, &shape)]);
        }
        check(&|x| tf::qr(&x[0], true).0, &[numbers(3, &[2, 4])]);
    }

    #[test]
    fn factors_make_the_matrix_again() {
        for (shape, full) in [([5, 3], false), ([5, 3], true), ([3, 5], true), ([40, 30], true), ([30, 40], false)] {
            let a = numbers(1, &shape);
            let (q, r) = tf::qr(&a, full);
            assert!((tf::matmul(&q, &r) - &a).to_vec::<f64>().iter().all(|x| x.abs() < 1e-13));
            let gram = tf::matmul_transposed(&q, true, &q, false);
            let one = tf::try_eye(*gram.shape(), tf::DType::F64).unwrap();
            assert!((gram - one).to_vec::<f64>().iter().all(|x| x.abs() < 1e-13));
        }
        assert_eq!(tf::qr(&tf::zeros([2, 0]), true).0.to_vec::<f32>(), [1.0, 0.0, 0.0, 1.0]);
    }
}
