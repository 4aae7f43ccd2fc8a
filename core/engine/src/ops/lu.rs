//! `lu`: P A = L U by partial pivoting, L and U in one matrix, and what is made of these: `lu_solve`, `lu_reconstruct`, `lu_matrix_inverse`.
//! TensorFlow's `tf.linalg.lu` and its companions; a singular matrix is an error, and the factors have no gradient, as there.

use super::matrices::{Numbers, OnMatrices, Sizes, Tail, identity_like, mm, rows_axis, run, triangle, together};
use super::{functions, public};
use crate::op::{Attr, Gradient};
use crate::tensor::Tensor;
use kernels::dtype::DType;
use kernels::error::{Error, OnTheWay, Result};
use kernels::shape::Dim;
use linalg::{Field, Matrix, Refused};
use smallvec::{SmallVec, smallvec};

#[derive(Clone)]
struct Lu {
    index: DType,
}

impl OnMatrices for Lu {
    const NAME: &'static str = "lu";
    const GRADIENT: Gradient = Gradient::Missing;

    fn visit(&self, visit: &mut dyn FnMut(&'static str, Attr<'_>)) {
        visit("index", Attr::DType(self.index));
    }

    fn numbers(&self) -> SmallVec<[Numbers; 3]> {
        smallvec![Numbers::Same, Numbers::Index(self.index)]
    }

    fn tails(&self, x: &[[Dim; 2]], sizes: &mut Sizes<'_>) -> Result<SmallVec<[Tail; 3]>> {
        let n = sizes.square(x[0])?;
        Ok(smallvec![smallvec![x[0][0], x[0][1]], smallvec![n]])
    }

    unsafe fn one(&self, field: Field, x: &[Matrix], y: &[Matrix]) -> std::result::Result<(), Refused> {
        // SAFETY: the same contract; the numbers of rows are a dense vector.
        unsafe { linalg::factor(field, &x[0], &y[0], y[1].re, self.index == DType::I64, together) }
    }
}

/// The rows of `x` in the order of `rows`, batch by batch.
#[track_caller]
fn with_rows(x: &Tensor, rows: &Tensor) -> Result<Tensor> {
    let axis = rows_axis("lu", x)?;
    functions::try_gather_batched(x, rows, axis as isize, axis)
}

/// The place of each row among `rows`.
#[track_caller]
fn places(rows: &Tensor) -> Result<Tensor> {
    let Some(last) = rows.rank().checked_sub(1) else {
        return Err(Error::invalid_argument("lu", "the permutation is no vector")
            .got(rows.ty())
            .expected("the second result of `lu`"));
    };
    // Place k of row r is the k whose row is r: exactly one number of each column of this table is set.
    let numbers = functions::try_cast(&super::band_part::places(rows.shape(), last)?, rows.dtype())?;
    let table = functions::try_equal(&functions::try_expand_dims(rows, -1)?, &numbers)?;
    let table = functions::try_cast(&table, DType::I32)?;
    let column = functions::try_expand_dims(&super::band_part::places(rows.shape(), last)?, -1)?;
    let found = super::matrices::summed(&functions::try_multiply(&table, &column)?, last)?;
    functions::try_cast(&found, rows.dtype())
}

/// L with ones on its diagonal.
#[track_caller]
fn lower(packed: &Tensor) -> Result<Tensor> {
    let diagonal = functions::try_ones_like(&functions::try_diag_part(packed)?)?;
    functions::try_set_diag(&triangle(packed, true)?, &diagonal)
}

public! {
    /// L and U of P A = L U in one matrix, without the ones on L's diagonal, and the rows of A in the order of those of L U.
    ///
    /// `gather(&a, &rows, 0)` is L U. A matrix that is not invertible is an error. [`lu_as`](fn@lu_as) has indices of `int64`.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let (packed, rows) = tf::linalg::lu(&tf::constant([[0.0, 2.0], [4.0, 0.0]]));
    /// assert_eq!((packed.to_vec::<f32>(), rows.to_vec::<i32>()), (vec![4.0, 0.0, 0.0, 2.0], vec![1, 0]));
    /// ```
    pub fn lu, try_lu(x) -> (Tensor, Tensor) {
        try_lu_as(x, DType::I32)
    }

    /// As [`lu`](fn@lu), with row numbers of `int32` or `int64`.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let (_, rows) = tf::linalg::lu_as(&tf::eye(2), tf::int64);
    /// assert_eq!(rows.to_vec::<i64>(), [0, 1]);
    /// ```
    pub fn lu_as, try_lu_as(x, index: DType) -> (Tensor, Tensor) {
        if !matches!(index, DType::I32 | DType::I64) {
            return Err(Error::invalid_argument("lu", "the rows cannot be numbered by this dtype")
                .got(index)
                .expected("int32 or int64"));
        }
        let mut both = run(Lu { index }, &[x])?;
        match (both.pop(), both.pop()) {
            (Some(rows), Some(packed)) => Ok((packed, rows)),
            _ => Err(Error::internal("lu", "two results were expected")),
        }
    }

    /// The solution of A X = `rhs`, where this and `rows` are what [`lu`](fn@lu) gives for A.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let (packed, rows) = tf::linalg::lu(&tf::constant([[0.0, 2.0], [4.0, 0.0]]));
    /// let x = tf::linalg::lu_solve(&packed, &rows, &tf::constant([[2.0], [8.0]]));
    /// assert_eq!(x.to_vec::<f32>(), [2.0, 1.0]);
    /// ```
    pub fn lu_solve, try_lu_solve(x, rows: &Tensor, rhs: &Tensor) -> Tensor {
        let named = |e: Error| e.named("lu_solve");
        let moved = with_rows(rhs, rows).map_err(named)?;
        let y = functions::try_triangular_solve(&lower(x).map_err(named)?, &moved, true, false).map_err(named)?;
        functions::try_triangular_solve(x, &y, false, false).map_err(named)
    }

    /// A, of which [`lu`](fn@lu) gave this and `rows`.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let a = tf::constant([[0.0, 2.0], [4.0, 0.0]]);
    /// let (packed, rows) = tf::linalg::lu(&a);
    /// assert_eq!(tf::linalg::lu_reconstruct(&packed, &rows).to_vec::<f32>(), a.to_vec::<f32>());
    /// ```
    pub fn lu_reconstruct, try_lu_reconstruct(x, rows: &Tensor) -> Tensor {
        let named = |e: Error| e.named("lu_reconstruct");
        let product = mm(&lower(x).map_err(named)?, &triangle(x, false).map_err(named)?).map_err(named)?;
        with_rows(&product, &places(rows).map_err(named)?).map_err(named)
    }

    /// The inverse of A, of which [`lu`](fn@lu) gave this and `rows`.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let (packed, rows) = tf::linalg::lu(&tf::constant([[0.0, 2.0], [4.0, 0.0]]));
    /// assert_eq!(tf::linalg::lu_matrix_inverse(&packed, &rows).to_vec::<f32>(), [0.0, 0.25, 0.5, 0.0]);
    /// ```
    pub fn lu_matrix_inverse, try_lu_matrix_inverse(x, rows: &Tensor) -> Tensor {
        rows_axis("lu_matrix_inverse", x)?;
        let named = |e: Error| e.named("lu_matrix_inverse");
        try_lu_solve(x, rows, &identity_like(x).map_err(named)?).map_err(named)
    }
}

#[cfg(test)]
mod tests {
    use crate as tf;
    use crate::ops::differences::{check, numbers};

    #[test]
    fn factors_make_the_matrix_again() {
        for shape in [&[2, 3, 3][..], &[40, 40]] {
            let a = numbers(1, shape);
            let (packed, rows) = tf::lu(&a);
            let back = tf::lu_reconstruct(&packed, &rows) - &a;
            assert!(back.to_vec::<f64>().iter().all(|x| x.abs() < 1e-13));
            let difference = tf::lu_matrix_inverse(&packed, &rows) - tf::inv(&a, false);
            assert!(difference.to_vec::<f64>().iter().all(|x| x.abs() < 1e-10));
        }
        let error = tf::try_lu(&tf::ones([2, 2])).unwrap_err().to_string();
        assert!(error.contains("not invertible"), "{error}");
        assert!(tf::try_lu(&tf::ones([2, 3])).is_err());
    }

    #[test]
    fn gradients_of_what_is_made_of_factors() {
        let rows = tf::constant([[2, 0, 1]]);
        let solved = |x: &[tf::Tensor]| tf::lu_solve(&x[0], &rows, &x[1]);
        check(&solved, &[numbers(4, &[1, 3, 3]) + 2.0, numbers(2, &[1, 3, 2])]);
        check(&|x| tf::lu_reconstruct(&x[0], &rows), &[numbers(4, &[1, 3, 3])]);
    }
}
