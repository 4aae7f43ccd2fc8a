//! `Dot`: products of two inputs, example by example, summed along one axis of each.
//! Keras's `Dot`; models that compare two encodings end with it.

use super::layer_of_many;
use crate::layers::base::{Call, Core, Layer, Masking, Outputs, misfit, named};
use crate::layers::copied_by_clone;
use engine::library::{Typed, reshape_to};
use engine::{Fields, Module, Tensor};
use kernels::error::{Error, Result};
use kernels::shape::{Dim, Shape, resolve_axis};

/// The axes of two inputs along which [`Dot`] adds up: one number for both, or one for each.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct DotAxes([isize; 2]);

impl From<isize> for DotAxes {
    fn from(axis: isize) -> Self {
        Self([axis, axis])
    }
}

impl From<(isize, isize)> for DotAxes {
    fn from((first, second): (isize, isize)) -> Self {
        Self([first, second])
    }
}

impl From<[isize; 2]> for DotAxes {
    fn from(axes: [isize; 2]) -> Self {
        Self(axes)
    }
}

/// The sums of products of two inputs along an axis of each, for each example alone. The output has the other axes of the first input,
/// then those of the second; of two rows there is one number, `[batch, 1]`.
///
/// ```
/// use eagerflow as tf;
/// use tf::layers::Dot;
/// let (x, y) = (tf::ones([2, 5, 3]), tf::ones([2, 3, 4]));
/// assert_eq!(Dot::new((2, 1)).call([&x, &y]).shape(), [2, 5, 4]);
/// let (a, b) = (tf::constant([[3.0, 4.0]]), tf::constant([[4.0, 3.0]]));
/// assert_eq!(Dot::new(1).call([&a, &b]).to_vec::<f32>(), [24.0]);
/// assert!((Dot::new(1).normalize(true).call([&a, &b]).to_vec::<f32>()[0] - 0.96).abs() < 1e-6);
/// ```
#[derive(Clone, Debug)]
pub struct Dot {
    core: Core,
    axes: DotAxes,
    normalize: bool,
}

layer_of_many!(Dot);
copied_by_clone!(Dot);

impl Dot {
    /// Along an axis, or one of each input. The batch is axis 0, and cannot be one of them.
    pub fn new(axes: impl Into<DotAxes>) -> Self {
        Self { core: Core::new("dot"), axes: axes.into(), normalize: false }
    }

    /// Whether the vectors along the axes are brought to length 1 first, so that the output is the cosine between them.
    #[must_use]
    pub fn normalize(mut self, normalize: bool) -> Self {
        self.normalize = normalize;
        self
    }

    /// An input as `[batch, rows, along]`, and the sizes of which the rows are made.
    #[track_caller]
    fn rows(&self, x: &Tensor, axis: isize) -> Result<(Tensor, Vec<Dim>)> {
        let name = self.core.name();
        if x.rank() < 2 {
            return Err(misfit(name, "the input has no axis behind the batch", x.ty(), "[batch, …, features]"));
        }
        let axis = resolve_axis(name, axis, x.rank())?;
        if axis == 0 {
            return Err(misfit(name, "the sum cannot go along the batch", x.ty(), "an axis from 1 on")
                .help("`expand_dims(0)` makes a batch of one example"));
        }
        let x = match self.normalize {
            true => engine::try_l2_normalize(x, axis, 1e-14)?,
            false => x.clone(),
        };
        let others: Vec<usize> = (1..x.rank()).filter(|&other| other != axis).collect();
        let order: Vec<isize> =
            std::iter::once(0).chain(others.iter().copied()).chain([axis]).map(|a| a as isize).collect();
        let in_place = order.iter().enumerate().all(|(at, &axis)| at as isize == axis);
        let turned = if in_place { x.clone() } else { engine::try_transpose(&x, &order)? };
        let sizes: Vec<Dim> = others.iter().map(|&other| x.shape().dim(other)).collect();
        let count = sizes.iter().fold(Dim::ONE, |product, &dim| product * dim);
        let flat = Shape::from_dims(&[x.shape().dim(0), count, x.shape().dim(axis)])?;
        Ok((reshape_to(&turned, &flat)?, sizes))
    }
}

impl Layer for Dot {
    named!();

    fn masking(&self) -> Masking {
        Masking::Ends
    }

    #[track_caller]
    fn forward(&self, inputs: &[Tensor], _: &Call) -> Result<Outputs> {
        let [x, y] = inputs else {
            let got = format!("{} inputs", inputs.len());
            return Err(Error::invalid_argument(self.core.name(), "the layer has two inputs").got(got).expected(2));
        };
        let ((a, mut sizes), (b, others)) = (self.rows(x, self.axes.0[0])?, self.rows(y, self.axes.0[1])?);
        if !a.shape().dim(2).can_equal(b.shape().dim(2)) || !a.shape().dim(0).can_equal(b.shape().dim(0)) {
            return Err(Error::invalid_argument(
                self.core.name(),
                "the inputs have different sizes along the axes, or of the batch",
            )
            .got(format!("{} and {}, axes {:?}", x.ty(), y.ty(), self.axes.0))
            .expected("equal sizes along these axes, and of the first axis"));
        }
        let product = engine::try_matmul_transposed(&a, false, &b, true)?;
        sizes.extend(others);
        if sizes.is_empty() {
            sizes.push(Dim::ONE);
        }
        sizes.insert(0, a.shape().dim(0));
        reshape_to(&product, &Shape::from_dims(&sizes)?).map(Outputs::one)
    }
}

impl Module for Dot {
    fn visit(&self, fields: &mut Fields<'_>) {
        self.core.visit(fields);
        fields.value(&(self.axes, self.normalize));
    }
}
