//! Regularizers: what a loss adds for the size of weights or outputs. Keras's by their names; layers take one for each variable, and
//! one for their output; [`Regularizer`] is the trait for one's own.

use crate::shared::{Shared, shared_objects, unknown};
use engine::library::options::magnitude;
use engine::{Tensor, keep_dims};
use kernels::error::{Error, OrFail, Result};
use std::fmt;
use std::panic::Location;

/// A number that grows with the size of a tensor, which is added to a loss.
///
/// ```
/// use eagerflow as tf;
/// use tf::regularizers::{L2, Regularizer};
/// let w = tf::constant([3.0, 4.0]);
/// assert_eq!(L2::new(0.5).call(&w).item::<f32>(), 12.5);
/// ```
pub trait Regularizer: fmt::Debug + Send + Sync {
    /// Keras's name, such as `"l2"`.
    fn name(&self) -> &str;

    /// The number for a tensor, a scalar of its dtype.
    ///
    /// # Errors
    /// InvalidArgument for a dtype that is not floating, or a shape that the regularizer does not take.
    #[track_caller]
    fn compute(&self, x: &Tensor) -> Result<Tensor>;

    /// The number for a tensor.
    ///
    /// # Panics
    /// As [`compute`](Self::compute) fails, at the caller's line.
    #[track_caller]
    fn call(&self, x: &Tensor) -> Tensor {
        let here = Location::caller();
        self.compute(x).map_err(|e| e.at(here)).or_fail()
    }

    /// An error where the options are out of range; a layer asks when it is given the regularizer.
    ///
    /// # Errors
    /// InvalidArgument with the option.
    fn check(&self) -> Result<()> {
        Ok(())
    }
}

shared_objects!(Regularizer, get);

/// The regularizer of a name, with Keras's default of 0.01: `"l1"`, `"l2"`, `"l1_l2"` or `"orthogonal"`.
///
/// ```
/// use eagerflow as tf;
/// let text = format!("{:?}", tf::regularizers::get("l2")?);
/// assert_eq!(text, "L2 { l2: 0.01 }");
/// # Ok::<(), tf::Error>(())
/// ```
///
/// # Errors
/// InvalidArgument for a name that is not known.
pub fn get(name: &str) -> Result<Shared<dyn Regularizer>> {
    use crate::shared::IntoShared;
    match name {
        "l1" => L1::new(0.01).into_shared(),
        "l2" => L2::new(0.01).into_shared(),
        "l1_l2" => L1L2::new(0.01, 0.01).into_shared(),
        "orthogonal" => Orthogonal::new().into_shared(),
        _ => Err(unknown("regularizer", name, &["l1", "l2", "l1_l2", "orthogonal"])),
    }
}

/// A factor times the sum of magnitudes.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct L1 {
    l1: f64,
}

impl L1 {
    /// The factor, 0 or more; Keras's default is 0.01.
    pub const fn new(l1: f64) -> Self {
        Self { l1 }
    }
}

impl Regularizer for L1 {
    fn name(&self) -> &str {
        "l1"
    }

    #[track_caller]
    fn compute(&self, x: &Tensor) -> Result<Tensor> {
        x.try_abs()?.try_reduce_sum(())?.try_multiply(self.l1)
    }

    fn check(&self) -> Result<()> {
        magnitude("L1", "l1", self.l1).map(drop)
    }
}

/// A factor times the sum of squares.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct L2 {
    l2: f64,
}

impl L2 {
    /// The factor, 0 or more; Keras's default is 0.01.
    pub const fn new(l2: f64) -> Self {
        Self { l2 }
    }
}

impl Regularizer for L2 {
    fn name(&self) -> &str {
        "l2"
    }

    #[track_caller]
    fn compute(&self, x: &Tensor) -> Result<Tensor> {
        x.try_square()?.try_reduce_sum(())?.try_multiply(self.l2)
    }

    fn check(&self) -> Result<()> {
        magnitude("L2", "l2", self.l2).map(drop)
    }
}

/// Both: a factor times the sum of magnitudes, and one times the sum of squares.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct L1L2 {
    l1: f64,
    l2: f64,
}

impl L1L2 {
    /// The two factors, 0 or more.
    pub const fn new(l1: f64, l2: f64) -> Self {
        Self { l1, l2 }
    }
}

impl Regularizer for L1L2 {
    fn name(&self) -> &str {
        "l1_l2"
    }

    #[track_caller]
    fn compute(&self, x: &Tensor) -> Result<Tensor> {
        L1::new(self.l1).compute(x)?.try_add(&L2::new(self.l2).compute(x)?)
    }

    fn check(&self) -> Result<()> {
        magnitude("L1L2", "l1", self.l1)?;
        magnitude("L1L2", "l2", self.l2).map(drop)
    }
}

/// What shall be orthogonal to each other.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum OrthogonalMode {
    /// The rows.
    #[default]
    Rows,
    /// The columns.
    Columns,
}

/// A factor times the mean magnitude of the cosines between rows, or columns, of a matrix: Keras's `OrthogonalRegularizer`.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Orthogonal {
    factor: f64,
    mode: OrthogonalMode,
}

impl Orthogonal {
    /// With Keras's defaults: a factor of 0.01, for rows.
    pub const fn new() -> Self {
        Self { factor: 0.01, mode: OrthogonalMode::Rows }
    }

    /// The factor, 0 or more.
    #[must_use]
    pub const fn factor(mut self, factor: f64) -> Self {
        self.factor = factor;
        self
    }

    /// Rows or columns.
    #[must_use]
    pub const fn mode(mut self, mode: OrthogonalMode) -> Self {
        self.mode = mode;
        self
    }
}

impl Default for Orthogonal {
    fn default() -> Self {
        Self::new()
    }
}

impl Regularizer for Orthogonal {
    fn name(&self) -> &str {
        "orthogonal"
    }

    #[track_caller]
    fn compute(&self, x: &Tensor) -> Result<Tensor> {
        if x.rank() != 2 {
            return Err(Error::invalid_argument("orthogonal", "only the rows of a matrix can be orthogonal")
                .got(engine::library::Typed::ty(x))
                .expected("rank 2"));
        }
        let axis: isize = if self.mode == OrthogonalMode::Rows { 1 } else { 0 };
        let length = x.try_square()?.try_reduce_sum(keep_dims(axis))?.try_sqrt()?;
        let unit = x.try_divide(&length.try_maximum(1e-12)?)?;
        let turned = engine::try_matrix_transpose(&unit)?;
        let products = match self.mode {
            OrthogonalMode::Rows => engine::try_matmul(&unit, &turned)?,
            OrthogonalMode::Columns => engine::try_matmul(&turned, &unit)?,
        };
        // The diagonal has the lengths; each pair stands twice beside it.
        let n = products.shape().dim(0);
        let diagonal = engine::try_diag_part(&products)?.try_abs()?.try_reduce_sum(())?;
        let beside = products.try_abs()?.try_reduce_sum(())?.try_subtract(&diagonal)?;
        beside.try_divide(n)?.try_divide(n - 1)?.try_multiply(self.factor)
    }

    fn check(&self) -> Result<()> {
        magnitude("orthogonal", "factor", self.factor).map(drop)
    }
}
