//! `svd` and `svdvals`: A = U S Vᴴ, the singular value decomposition; the rule is that of thin factors, for matrices of any sizes.
//! TensorFlow's `tf.linalg.svd`; numbers that are not finite give NaN, as there. (Townsend, Differentiating the singular value decomposition.)

use super::matrices::{
    Numbers, OnMatrices, Rule, Sizes, Tail, adj, gaps, minus, mm, plus, run, safe_reciprocal, scaled, times,
};
use super::{cast_to, functions, public, slice_axis};
use crate::op::Attr;
use crate::tensor::Tensor;
use kernels::error::{Error, Result};
use kernels::shape::Dim;
use linalg::{Field, Matrix, Refused};
use smallvec::{SmallVec, smallvec};

#[derive(Clone)]
struct Svd {
    full: bool,
    vectors: bool,
}

impl OnMatrices for Svd {
    const NAME: &'static str = "svd";

    fn visit(&self, visit: &mut dyn FnMut(&'static str, Attr<'_>)) {
        visit("full_matrices", Attr::Bool(self.full));
        visit("compute_uv", Attr::Bool(self.vectors));
    }

    fn numbers(&self) -> SmallVec<[Numbers; 3]> {
        match self.vectors {
            true => smallvec![Numbers::Real, Numbers::Same, Numbers::Same],
            false => smallvec![Numbers::Real],
        }
    }

    fn tails(&self, x: &[[Dim; 2]], _: &mut Sizes<'_>) -> Result<SmallVec<[Tail; 3]>> {
        let [m, n] = x[0];
        let size = m.min(n);
        let of = |side: Dim| if self.full { side } else { size };
        let mut tails: SmallVec<[Tail; 3]> = smallvec![smallvec![size]];
        if self.vectors {
            tails.extend([smallvec![m, of(m)], smallvec![n, of(n)]]);
        }
        Ok(tails)
    }

    unsafe fn one(&self, field: Field, x: &[Matrix], y: &[Matrix]) -> std::result::Result<(), Refused> {
        // SAFETY: the same contract.
        unsafe { linalg::svd(field, &x[0], &y[0], self.vectors.then(|| (&y[1], &y[2]))) }
    }

    fn saves(&self) -> (&'static [usize], &'static [usize]) {
        if self.vectors { (&[], &[0, 1, 2]) } else { (&[0], &[]) }
    }

    fn backward(&self, rule: &mut Rule<'_, '_>) -> Result<()> {
        let ds = rule.dy(0)?;
        if !self.vectors {
            let (_, u, v) = decomposed(&rule.x(0)?, false)?;
            let da = mm(&scale_columns(&u, &ds)?, &adj(&v)?)?;
            return rule.give(0, da);
        }
        let shape = rule.shape(0);
        let rows = shape.rank() - 2;
        let (m, n) = (shape.dim(rows), shape.dim(rows + 1));
        let size = m.min(n);
        let (s, u, v) = (rule.y(0)?, rule.y(1)?, rule.y(2)?);
        let (du, dv) = (rule.dy(1)?, rule.dy(2)?);
        let u = Side::of(&u, &du, self.full.then_some(m), size)?;
        let v = Side::of(&v, &dv, self.full.then_some(n), size)?;
        let f = cast_to(&gaps(&times(&s, &s)?)?, u.basis.dtype())?;
        let inverse = safe_reciprocal(&s)?;
        // Uᴴ dA V, of which the parts that turn the vectors are skew, divided by the gaps of the squared singular values.
        let (fu, fv) = (times(&f, &u.along()?)?, times(&f, &v.along()?)?);
        let mut inner = functions::try_diag(&cast_to(&ds, u.basis.dtype())?)?;
        inner = plus(&inner, &scale_columns(&plus(&fu, &adj(&fu)?)?, &s)?)?;
        inner = plus(&inner, &scale_rows(&plus(&fv, &adj(&fv)?)?, &s)?)?;
        if rule.is_complex() {
            let turn = functions::try_diag(&functions::try_diag_part(&v.along()?)?)?;
            let turn = scale_rows(&minus(&adj(&turn)?, &turn)?, &inverse)?;
            inner = plus(&inner, &scaled(&turn, 0.5)?)?;
        }
        let mut da = mm(&mm(&u.basis, &inner)?, &adj(&v.basis)?)?;
        // What leaves the space of the columns of U, and that of V. One of both is nothing but rounding; it is computed all the same, so
        // that the result does not depend on whether sizes are known.
        if m != n {
            da = plus(&da, &mm(&scale_columns(&u.across()?, &inverse)?, &adj(&v.basis)?)?)?;
        }
        if m != n {
            da = plus(&da, &mm(&scale_columns(&u.basis, &inverse)?, &adj(&v.across()?)?)?)?;
        }
        rule.give(0, da)
    }
}

/// The vectors of one side with their cotangent, and those that complete the basis.
struct Side {
    basis: Tensor,
    change: Tensor,
    rest: Option<(Tensor, Tensor)>,
}

impl Side {
    #[track_caller]
    fn of(all: &Tensor, change: &Tensor, whole: Option<Dim>, size: Dim) -> Result<Self> {
        let Some(whole) = whole.filter(|&whole| whole != size) else {
            return Ok(Self { basis: all.clone(), change: change.clone(), rest: None });
        };
        let axis = all.rank() - 1;
        let part = |x: &Tensor, begin: Dim, size: Dim| slice_axis(x, axis, begin, size);
        let rest = (part(all, size, whole - size)?, part(change, size, whole - size)?);
        Ok(Self { basis: part(all, Dim::ZERO, size)?, change: part(change, Dim::ZERO, size)?, rest: Some(rest) })
    }

    /// The change in the space of the vectors.
    #[track_caller]
    fn along(&self) -> Result<Tensor> {
        mm(&adj(&self.basis)?, &self.change)
    }

    /// The change that leaves it; vectors that complete the basis turn against it.
    #[track_caller]
    fn across(&self) -> Result<Tensor> {
        let out = minus(&self.change, &mm(&self.basis, &self.along()?)?)?;
        match &self.rest {
            None => Ok(out),
            Some((rest, change)) => minus(&out, &mm(rest, &mm(&adj(change)?, &self.basis)?)?),
        }
    }
}

/// Each column times its number.
#[track_caller]
fn scale_columns(x: &Tensor, by: &Tensor) -> Result<Tensor> {
    times(x, &cast_to(&functions::try_expand_dims(by, -2)?, x.dtype())?)
}

/// Each row times its number.
#[track_caller]
fn scale_rows(x: &Tensor, by: &Tensor) -> Result<Tensor> {
    times(x, &cast_to(&functions::try_expand_dims(by, -1)?, x.dtype())?)
}

#[track_caller]
fn decomposed(x: &Tensor, full: bool) -> Result<(Tensor, Tensor, Tensor)> {
    let mut all = run(Svd { full, vectors: true }, &[x])?;
    match (all.pop(), all.pop(), all.pop()) {
        (Some(v), Some(u), Some(s)) => Ok((s, u, v)),
        _ => Err(Error::internal("svd", "three results were expected")),
    }
}

public! {
    /// The singular values S in descending order, and U and V of x = U diag(S) Vᴴ; with whole bases for `full_matrices`, else as many
    /// columns as there are singular values. [`svdvals`](fn@svdvals) computes the values alone.
    ///
    /// The signs of the vectors are arbitrary. Numbers that are not finite give NaN.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let (s, u, v) = tf::linalg::svd(&tf::constant([[0.0, 3.0], [1.0, 0.0], [0.0, 0.0]]), false);
    /// assert_eq!(s.to_vec::<f32>(), [3.0, 1.0]);
    /// assert_eq!((u.shape().dims(), v.shape().dims()), (&[3, 2][..], &[2, 2][..]));
    /// ```
    pub fn svd, try_svd(x, full_matrices: bool) -> (Tensor, Tensor, Tensor) {
        decomposed(x, full_matrices)
    }

    /// The singular values in descending order: TensorFlow's `svd` with `compute_uv=False`.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let s = tf::linalg::svdvals(&tf::constant([[0.0, 3.0], [1.0, 0.0]]));
    /// assert_eq!(s.to_vec::<f32>(), [3.0, 1.0]);
    /// ```
    pub fn svdvals, try_svdvals(x) -> Tensor {
        Ok(run(Svd { full: false, vectors: false }, &[x])?.swap_remove(0))
    }
}

#[cfg(test)]
mod tests {
    use crate as tf;
    use crate::ops::differences::{check, numbers};

    #[test]
    fn gradients_of_square_deep_and_wide_ones() {
        for shape in [[2, 3, 3], [2, 4, 2], [2, 2, 4]] {
            check(&|x| tf::svdvals(&x[0]), &[numbers(3, &shape)]);
            check(&|x| tf::svd(&x[0], false).0, &[numbers(3, &shape)]);
            // Products that do not depend on the signs of vectors.
            check(
                &|x| {
                    let (_, u, v) = tf::svd(&x[0], false);
                    tf::matmul(&u, tf::adjoint(&v))
                },
                &[numbers(3, &shape)],
            );
        }
        for shape in [[3, 3], [4, 3], [3, 4]] {
            check(&|x| tf::svd(&x[0], true).1.square(), &[numbers(5, &shape)]);
            check(&|x| tf::svd(&x[0], true).2.square(), &[numbers(5, &shape)]);
        }
    }

    #[test]
    fn factors_make_the_matrix_again() {
        for (shape, full) in [([5, 3], false), ([5, 3], true), ([3, 5], true), ([40, 30], true), ([30, 40], false)] {
            let a = numbers(1, &shape);
            let (s, u, v) = tf::svd(&a, full);
            let k = shape[0].min(shape[1]) as i64;
            let thin = |x: &tf::Tensor| tf::slice(x, [0, 0], [x.shape()[0] as i64, k]);
            let back = tf::matmul(thin(&u) * &s, tf::adjoint(&thin(&v)));
            assert!((back - &a).to_vec::<f64>().iter().all(|x| x.abs() < 1e-12));
            for x in [u, v] {
                let gram = tf::matmul_transposed(&x, true, &x, false);
                let one = tf::try_eye(*gram.shape(), tf::DType::F64).unwrap();
                assert!((gram - one).to_vec::<f64>().iter().all(|x| x.abs() < 1e-12));
            }
        }
        assert!(tf::svdvals(&tf::fill([2, 2], f32::NAN)).to_vec::<f32>().iter().all(|x| x.is_nan()));
        assert_eq!(tf::svd(&tf::zeros([0, 2]), true).2.to_vec::<f32>(), [1.0, 0.0, 0.0, 1.0]);
    }
}
