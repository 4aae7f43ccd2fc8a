//! Initializers of matrices: the identity, and matrices whose rows or columns are orthogonal.
//! Recurrent layers take them for the kernels of their states.

use super::{Initializer, Law, seeded};
use engine::library::options::finite;
use engine::{Tensor, TensorType};
use kernels::dtype::DType;
use kernels::error::{Error, Result};
use kernels::shape::Shape;

/// A number times the identity matrix, which need not be square: Keras's `Identity`.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Identity {
    gain: f64,
}

impl Identity {
    /// The identity matrix.
    pub const fn new() -> Self {
        Self { gain: 1.0 }
    }

    /// The number, 1 unless set.
    #[must_use]
    pub const fn gain(mut self, gain: f64) -> Self {
        self.gain = gain;
        self
    }
}

impl Default for Identity {
    fn default() -> Self {
        Self::new()
    }
}

impl Initializer for Identity {
    fn name(&self) -> &str {
        "identity"
    }

    #[track_caller]
    fn make(&self, ty: &TensorType) -> Result<Tensor> {
        let [rows, columns] = *ty.shape.dims() else {
            return Err(Error::invalid_argument(self.name(), "only matrices have an identity")
                .got(ty)
                .expected("rank 2"));
        };
        let row = engine::try_range(0, rows, 1)?.try_expand_dims(1)?;
        let same = row.try_equal(&engine::try_range(0, columns, 1)?)?;
        engine::library::cast_to(&same, ty.dtype)?.try_multiply(self.gain)
    }

    fn check(&self) -> Result<()> {
        finite(self.name(), "gain", self.gain).map(drop)
    }
}

/// A random matrix whose columns are orthogonal, or its rows where it is wider than high: Saxe et al. 2014, Keras's `Orthogonal`.
///
/// Of more than two dimensions all but the last are the rows.
///
/// ```
/// use eagerflow as tf;
/// use tf::initializers::{Initializer, Orthogonal};
/// let q = Orthogonal::new().seed(3).call([5, 3], tf::DType::F32);
/// let product = tf::matmul(q.transpose([]), &q);
/// assert!(tf::reduce_max((product - tf::eye(3)).abs(), ()).item::<f32>() < 1e-5);
/// ```
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Orthogonal {
    gain: f64,
    seed: Option<i64>,
}

impl Orthogonal {
    /// From the global stream.
    pub const fn new() -> Self {
        Self { gain: 1.0, seed: None }
    }

    /// The length of the columns, 1 unless set.
    #[must_use]
    pub const fn gain(mut self, gain: f64) -> Self {
        self.gain = gain;
        self
    }
}

impl Default for Orthogonal {
    fn default() -> Self {
        Self::new()
    }
}

seeded!(Orthogonal);

impl Initializer for Orthogonal {
    fn name(&self) -> &str {
        "orthogonal"
    }

    #[track_caller]
    fn make(&self, ty: &TensorType) -> Result<Tensor> {
        let [leading @ .., columns] = ty.shape.dims() else {
            return Err(Error::invalid_argument(self.name(), "a scalar has no rows")
                .got(ty)
                .expected("rank 2 or more"));
        };
        if leading.is_empty() {
            return Err(Error::invalid_argument(self.name(), "one row is no matrix")
                .got(ty)
                .expected("rank 2 or more"));
        }
        let rows: usize = leading.iter().product();
        let (high, wide) = (rows.max(*columns), rows.min(*columns));
        let compute = if ty.dtype == DType::F64 { DType::F64 } else { DType::F32 };
        let q = {
            // Linear algebra runs on the CPU alone; what is computed from the result goes where variables belong.
            let _here = engine::try_device("/cpu:0")?;
            let normal = Law::Bell(0.0, 1.0).draw(&TensorType::new(compute, Shape::new(&[high, wide])?), self.seed)?;
            let (q, r) = engine::try_qr(&normal, false)?;
            // With the signs of the diagonal all orthogonal matrices are equally probable.
            q.try_multiply(&engine::try_diag_part(&r)?.try_sign()?)?
        };
        let q = if rows < *columns { engine::try_matrix_transpose(&q)? } else { q };
        let q = engine::library::reshape_to(&q.try_multiply(self.gain)?, &ty.shape)?;
        engine::library::cast_to(&q, ty.dtype)
    }

    fn check(&self) -> Result<()> {
        finite(self.name(), "gain", self.gain).map(drop)
    }
}
